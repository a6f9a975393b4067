/** A whole drug label: its twelve tables and the headings of its sections. */
import { beforeAll, describe, expect, it } from 'vitest';
import { linesOf, place, textOf } from '../../stages/lib/pdf/text-lines.js';
import { hasPdfTables, VEKLURY } from '../support/pdf-data.js';
import { tablesOf } from '../support/pdf-tables.js';

describe.skipIf(!hasPdfTables())('the Veklury label of October 2020', () => {
  let found: Awaited<ReturnType<typeof tablesOf>>;
  beforeAll(async () => {
    found = await tablesOf(VEKLURY);
  });

  it('has its twelve numbered tables, with columns, rows and pages', () => {
    const numbered = found.tables.filter((t) => /^Table \d+ /.test(t.caption ?? ''));
    expect(
      numbered.map((t) => [Number(t.caption!.split(' ')[1]), t.pages[0], t.rows.length, t.cols]),
    ).toEqual([
      [1, 4, 5, 4],
      [2, 5, 7, 3],
      [3, 6, 3, 4],
      [4, 7, 4, 3],
      [5, 9, 4, 3],
      [6, 10, 4, 3],
      [7, 10, 4, 3],
      [8, 11, 11, 3],
      [9, 12, 7, 3],
      [10, 12, 5, 4],
      [11, 16, 14, 4],
      [12, 17, 4, 4],
    ]);
  });

  it('merged cells of the dose tables span their rows', () => {
    const dilution = found.tables.find((t) => t.caption?.startsWith('Table 1 '))!;
    const merged = dilution.cells
      .filter((c) => c.row_span > 1)
      .map((c) => [c.row, c.col, c.row_span, c.text]);
    expect(merged).toEqual([
      [1, 0, 2, 'Loading dose 200 mg (2 vials)'],
      [3, 0, 2, 'Maintenance dose 100 mg (1 vial)'],
    ]);
  });

  it('marks are linked to notes, also to notes at the top of the next page', () => {
    const notes = (n: number): (string | null)[] =>
      found.tables
        .find((t) => t.caption?.startsWith(`Table ${n} `))!
        .notes.map((x) => x.mark)
        .filter((m) => m !== null);
    expect(notes(8)).toEqual(['a', 'b']);
    expect(notes(11)).toEqual(['a', 'b', 'c', 'd']);
    const half = found.tables
      .find((t) => t.caption?.startsWith('Table 11 '))!
      .cells.find((c) => c.text === '88-93.6')!;
    expect([half.marks, half.findings, half.parts[0]!.printed]).toEqual([['b'], [], '88-93.6b']);
  });

  it('banners hold for the rows below them', () => {
    const kinetics = found.tables.find((t) => t.caption?.startsWith('Table 11 '))!;
    expect(kinetics.rows.filter((r) => r.is_banner).map((r) => r.row)).toEqual([1, 3, 6, 8, 10]);
    expect(kinetics.rows[13]!.banner).toBe('Excretion');
  });

  it('section headings stand as lines of their own', () => {
    const lines = found.pages.flatMap((p) => linesOf(place(p.pieces)).map((l) => textOf(l.pieces)));
    for (const heading of [
      '4 CONTRAINDICATIONS',
      '7 DRUG INTERACTIONS',
      '8.1 Pregnancy',
      '8.2 Lactation',
      '8.6 Renal Impairment',
    ])
      expect(lines, heading).toContain(heading);
  });
});
