/** Tables that we print ourselves come back cell for cell, however they are drawn. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../stages/lib/csv.js';
import type { DocumentTable } from '../../stages/lib/pdf/table-builder.js';
import { tablesOf } from '../support/pdf-tables.js';
import { printPdf } from '../support/print-pdf.js';
import {
  type ExpectedCell,
  type PrintedRow,
  Printer,
  printTable,
  type TableOptions,
} from '../support/print-table.js';

const BEERS = parseCsv(readFileSync('raw/guidelines/beers2023.csv', 'utf8'), 'beers2023.csv').slice(0, 30);

const COLUMNS = [
  { head: 'Drug or class', width: 110 },
  { head: 'Rationale', width: 150 },
  { head: 'Recommendation', width: 110 },
  { head: 'Quality of evidence', width: 75 },
  { head: 'Strength', width: 45 },
];

/** Rows as the guideline prints them: a banner where the organ system changes. */
function beersRows(): PrintedRow[] {
  let banner = '';
  return BEERS.flatMap((r): PrintedRow[] => {
    const row = [
      r.drug_or_class_label!,
      r.criterion_text!,
      r.recommendation_detail!,
      r.quality_of_evidence!,
      r.strength!,
    ];
    if (r.organ_system_or_condition === banner) return [row];
    banner = r.organ_system_or_condition!;
    return [{ banner }, row];
  });
}

type Plain = Omit<ExpectedCell, 'page' | 'marks'> & { readonly page: number; readonly marks: string };

const plain = (cells: readonly ExpectedCell[]): Plain[] =>
  cells.map((c) => ({ ...c, marks: c.marks.join(' ') }));

const foundCells = (t: DocumentTable): Plain[] =>
  t.cells.map((c) => ({
    row: c.row,
    col: c.col,
    row_span: c.row_span,
    col_span: c.col_span,
    text: c.text,
    marks: c.marks.join(' '),
    page: c.parts[0]!.page,
  }));

/** Without borders nothing shows how far a lone label reaches. */
const narrowBanners = (cells: readonly Plain[], columns: number): Plain[] =>
  cells.map((c) =>
    c.col === 0 && c.text !== '' && isAlone(c, cells, columns) ? { ...c, col_span: columns } : c,
  );

const isAlone = (c: Plain, cells: readonly Plain[], columns: number): boolean =>
  columns > 2 && c.row > 0 && cells.filter((d) => d.row === c.row).length === 1;

/** Reads the printed table back: one table, no reject, the cells that were printed. */
async function expectReadBack(rows: readonly PrintedRow[], options: TableOptions): Promise<DocumentTable> {
  const printed = await printTable(rows, options);
  const found = await tablesOf(printed.bytes);
  expect(found.rejects).toEqual([]);
  expect(found.tables.length).toBe(1);
  const columns = options.columns.length;
  const cells = foundCells(found.tables[0]!);
  expect((options.borders ?? 'grid') === 'grid' ? cells : narrowBanners(cells, columns)).toEqual(
    plain(printed.cells),
  );
  return found.tables[0]!;
}

describe('thirty rows of the Beers table', () => {
  it.each([
    ['grid', 'line', true],
    ['grid', 'letter', false],
    ['grid', 'word', true],
    ['rules', 'line', true],
    ['rules', 'letter', false],
    ['none', 'line', true],
    ['none', 'word', false],
  ] as const)('borders %s, drawn by %s, head repeated %s', async (borders, by, repeatHead) => {
    const table = await expectReadBack(beersRows(), {
      columns: COLUMNS,
      borders,
      by,
      repeatHead,
      caption: 'Table 2. Drugs to avoid',
    });
    expect(table.caption).toBe('Table 2. Drugs to avoid');
    expect(table.pages.length).toBeGreaterThan(1);
    expect(table.rows.filter((r) => r.is_header).map((r) => r.row)).toEqual([0]);
    const banners = new Map(table.rows.map((r) => [r.row, r.banner]));
    let banner: string | null = null;
    for (const [i, row] of beersRows().entries()) {
      if ('banner' in row) banner = row.banner;
      else expect(banners.get(i + 1)).toBe(banner);
    }
  });

  it('is the same to the byte each time', async () => {
    const [a, b] = [
      await printTable(beersRows(), { columns: COLUMNS }),
      await printTable(beersRows(), { columns: COLUMNS }),
    ];
    expect(a.bytes).toEqual(b.bytes);
  });
});

const DOSES = [
  { head: 'Drug', width: 120 },
  { head: 'Creatinine clearance', width: 110 },
  { head: 'Action', width: 120 },
  { head: 'Strength', width: 60 },
];

/** A drug over three bands, a merged action, a mark at a number. */
const DOSE_ROWS: PrintedRow[] = [
  { banner: 'Antithrombotics' },
  [{ text: 'dabigatran', row_span: 3 }, { text: '<30', mark: 'a' }, 'avoid', 'Strong'],
  ['30 to 50', 'usual dose', 'Weak'],
  ['>50', 'usual dose', 'Weak'],
  ['edoxaban', '15 to 50', { text: 'reduce the dose', col_span: 2 }],
  { banner: 'Pain' },
  ['gabapentin', '<60', { text: 'reduce', is_underlined: true }, 'Strong'],
];

const NOTES = [{ mark: 'a', text: 'dialysis: no dose is known' }];

describe('spans, marks, margins', () => {
  it.each(['line', 'word', 'letter'] as const)('come back when drawn by %s', async (by) => {
    const table = await expectReadBack(DOSE_ROWS, {
      columns: DOSES,
      by,
      notes: NOTES,
      marginLine: 'Downloaded on 1 January by a reader; use is limited',
    });
    expect(table.notes).toEqual([{ mark: 'a', text: 'dialysis: no dose is known' }]);
    const marked = table.cells.find((c) => c.marks.length > 0)!;
    expect([marked.text, marked.marks, marked.parts[0]!.printed, marked.findings]).toEqual([
      '<30',
      ['a'],
      '<30a',
      [],
    ]);
    expect(table.rows.map((r) => r.banner)).toEqual([
      null,
      null,
      'Antithrombotics',
      'Antithrombotics',
      'Antithrombotics',
      'Antithrombotics',
      null,
      'Pain',
    ]);
  });

  it('the margin line is reported and in no cell', async () => {
    const printed = await printTable(DOSE_ROWS, { columns: DOSES, marginLine: 'Downloaded by a reader' });
    const { pages, tables } = await tablesOf(printed.bytes);
    expect(pages[0]!.turned).toBe('Downloaded by a reader');
    expect(JSON.stringify(tables)).not.toContain('Downloaded');
  });

  it('a mark without a note is set apart and said', async () => {
    const { tables } = await tablesOf((await printTable(DOSE_ROWS, { columns: DOSES })).bytes);
    const marked = tables[0]!.cells.find((c) => c.marks.length > 0)!;
    expect([marked.text, marked.findings]).toEqual(['<30', ['mark_without_note']]);
  });

  it('boxes lie in points on the page, round the printed text', async () => {
    const printed = await printTable(DOSE_ROWS, { columns: DOSES });
    const { tables, pages } = await tablesOf(printed.bytes);
    const cell = tables[0]!.cells.find((c) => c.text === 'gabapentin')!;
    const word = pages[0]!.pieces.find((p) => p.text === 'gabapentin')!;
    const [x0, y0, x1, y1] = cell.parts[0]!.box;
    expect(word.x0 >= x0 && word.x1 <= x1 && word.base > y0 && word.base < y1).toBe(true);
    expect(x1 - x0).toBeCloseTo(120, 0);
  });
});

describe('page breaks', () => {
  const many = (n: number): PrintedRow[] =>
    Array.from(
      { length: n },
      (_, i): PrintedRow => [`drug ${i}`, `${i} to ${i + 1}`, 'avoid in any dose', 'Weak'],
    );

  it('a row that is cut by the page end is one row with two printed parts', async () => {
    const long =
      'Use with care when the clearance is low and other agents are taken that act upon the kidney or upon sodium in the blood at the same time, above all in hot weather and after surgery.';
    const rows: PrintedRow[] = [...many(20), ['desmopressin', 'any', long, 'Strong'], ...many(3)];
    for (const room of [25, 36, 47, 58]) {
      const size: [number, number] = [595, 60 + 17 * 21 + 70 + room];
      const printed = await printTable(rows, { columns: DOSES, size, splitRows: true });
      const { tables, rejects, joined_rows } = await tablesOf(printed.bytes);
      expect([tables.length, rejects.length, joined_rows]).toEqual([1, 0, 1]);
      expect(foundCells(tables[0]!)).toEqual(plain(printed.cells));
      const cell = tables[0]!.cells.find((c) => c.text === long)!;
      expect(cell.parts.map((p) => p.page)).toEqual([1, 2]);
      expect(cell.parts.map((p) => p.printed.replaceAll('\n', ' ')).join(' ')).toBe(long);
    }
  });

  it('a merged first cell that was seen to span goes on spanning over the page end', async () => {
    const rows: PrintedRow[] = [
      ...many(18),
      [{ text: 'nitrofurantoin', row_span: 6 }, '<10', 'avoid', 'Weak'],
      ...Array.from({ length: 5 }, (_, i): PrintedRow => [`${i + 1}0 to ${i + 2}0`, 'avoid', 'Weak']),
    ];
    const printed = await printTable(rows, { columns: DOSES, size: [595, 60 + 17 * 22 + 72] });
    const { tables, rejects } = await tablesOf(printed.bytes);
    expect([tables.length, rejects.length]).toEqual([1, 0]);
    expect(foundCells(tables[0]!)).toEqual(plain(printed.cells));
    expect(tables[0]!.cells.find((c) => c.text === 'nitrofurantoin')!.findings).toEqual(['spans_page_break']);
  });

  it('a first cell that is empty at a page top without a reason is refused, never guessed', async () => {
    const rows: PrintedRow[] = [...many(20), ['', '20 to 30', 'avoid.', 'Weak'], ...many(3)];
    const printed = await printTable(rows, { columns: DOSES, size: [595, 60 + 17 * 21 + 71] });
    const { tables, rejects } = await tablesOf(printed.bytes);
    expect(tables.length).toBe(1);
    expect(rejects).toMatchObject([
      { page: 2, reason: 'first_cell_empty_at_page_top', printed: '20 to 30 | avoid. | Weak' },
    ]);
    expect(tables[0]!.rows.length).toBe(24);
    expect(JSON.stringify(tables[0]!.cells)).not.toContain('20 to 30');
  });

  it('a banner holds on the next page', async () => {
    const rows: PrintedRow[] = [{ banner: 'Cardiovascular' }, ...many(40)];
    const printed = await printTable(rows, { columns: DOSES, size: [595, 500] });
    const { tables } = await tablesOf(printed.bytes);
    expect(printed.pages).toBeGreaterThan(1);
    expect(tables[0]!.rows.slice(2).every((r) => r.banner === 'Cardiovascular')).toBe(true);
  });

  it('tables with other columns or another heading between them are two tables', async () => {
    const one = await printTable(many(5), { columns: DOSES });
    const other = DOSES.map((c, i) => ({ head: `${c.head} x`, width: c.width + (i % 2 === 0 ? 20 : -20) }));
    expect((await tablesOf(one.bytes)).tables.length).toBe(1);
    const both = await printPdf((doc) => {
      new Printer(doc, { columns: DOSES }).print(many(5));
      doc.addPage();
      new Printer(doc, { columns: other }).print(many(5));
    });
    expect((await tablesOf(both)).tables.map((t) => t.pages)).toEqual([[1], [2]]);
  });
});
