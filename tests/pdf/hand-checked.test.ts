/**
 * Cells of six documents without truth that a person compared with the printed page: facts, kept as a table. Half of them
 * were chosen by a seeded draw after the parameters were fixed. A text that ends in … is the beginning of the cell's.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CsvRecord, parseCsv } from '../../stages/lib/csv.js';
import { hasPdfTables, PDF_TABLES } from '../support/pdf-data.js';
import { tablesOf } from '../support/pdf-tables.js';

const FILE = 'tests/pdf/hand-checked.csv';
const CHECKED = parseCsv(readFileSync(FILE, 'utf8'), FILE);

const byDocument = new Map<string, CsvRecord[]>();
for (const r of CHECKED) byDocument.set(r.document!, [...(byDocument.get(r.document!) ?? []), r]);

describe.skipIf(!hasPdfTables())('cells compared with the page by hand', () => {
  it.each([...byDocument.keys()])('%s', async (name) => {
    const rows = byDocument.get(name)!;
    const { tables } = await tablesOf(`${PDF_TABLES}/${name}.pdf`);
    const { cells, rows: all } = tables[0]!;
    const wrong = rows.filter((r) => {
      const cell = cells.find((c) => c.row === Number(r.row) && c.col === Number(r.col));
      const expected = r.text!;
      return !(expected.endsWith('…')
        ? cell?.text.startsWith(expected.slice(0, -1))
        : cell?.text === expected);
    });
    expect(wrong).toEqual([]);
    expect(rows.length).toBeGreaterThanOrEqual(20);
    expect(rows.filter((r) => r.chosen === 'afterwards').length).toBeGreaterThanOrEqual(rows.length / 2);
    const touched = new Set(rows.map((r) => Number(r.row)));
    expect([touched.has(0), touched.has(all.length - 1)]).toEqual([true, true]);
  });

  it('the table of the California report is one table over fifteen pages', async () => {
    const { tables, rejects } = await tablesOf(`${PDF_TABLES}/ca-warn-report-16-pages.pdf`);
    expect(tables.map((t) => [t.pages.length, t.rows.length, t.cols])).toEqual([
      [15, 634, 7],
      [2, 11, 9],
    ]);
    expect(rejects).toEqual([]);
  });

  it('text that is turned away from a turned page is kept apart', async () => {
    const { pages } = await tablesOf(`${PDF_TABLES}/us-budget-table-s4-rotated.pdf`);
    expect(pages[0]!.turned).toBe('208SUMMARY TABLES');
  });
});
