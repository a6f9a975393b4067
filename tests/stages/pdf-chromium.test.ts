/**
 * The Beers rows as a browser prints them: borders as filled boxes, a head of two rows repeated on every page, banners,
 * merged cells, underlines, raised marks, wrapped cells. The print is stored; where Chromium is installed, it is made anew, too.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../stages/lib/csv.js';
import { chromium, printHtml } from '../support/chromium.js';
import { tablesOf } from '../support/pdf-tables.js';

const STORED = 'tests/pdf/printed-by-chromium.pdf';
const BEERS = parseCsv(readFileSync('raw/guidelines/beers2023.csv', 'utf8'), 'beers2023.csv').slice(0, 30);

interface Expected {
  readonly row: number;
  readonly col: number;
  readonly row_span: number;
  readonly col_span: number;
  readonly text: string;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The page and the cells that stand on it. The strengths of two rows are one merged cell. */
function page(): { readonly html: string; readonly cells: Expected[] } {
  const cells: Expected[] = [];
  const add = (row: number, col: number, text: string, row_span = 1, col_span = 1): void => {
    cells.push({ row, col, row_span, col_span, text });
  };
  add(0, 0, 'Drug or class', 2);
  add(0, 1, 'Criterion', 1, 2);
  add(0, 3, 'Strength', 2);
  add(1, 1, 'Rationale');
  add(1, 2, 'Recommendation');
  let row = 2;
  let banner = '';
  const lines = BEERS.map((r, i) => {
    let before = '';
    if (r.organ_system_or_condition !== banner) {
      banner = r.organ_system_or_condition!;
      add(row++, 0, banner, 1, 4);
      before = `<tr><td colspan="4"><b>${escaped(banner)}</b></td></tr>`;
    }
    add(row, 0, r.drug_or_class_label!);
    add(row, 1, r.criterion_text!);
    add(row, 2, r.recommendation_detail!);
    const isPair = i === 4;
    if (i !== 5) add(row, 3, r.strength!, isPair ? 2 : 1);
    row++;
    const mark = i === 0 ? '<sup>a</sup>' : '';
    const strength = i === 5 ? '' : `<td${isPair ? ' rowspan="2"' : ''}>${r.strength}</td>`;
    const detail = escaped(r.recommendation_detail!);
    return `${before}<tr><td>${escaped(r.drug_or_class_label!)}${mark}</td><td>${escaped(r.criterion_text!)}</td><td>${i === 1 ? `<u>${detail}</u>` : detail}</td>${strength}</tr>`;
  });
  const style = `@page{size:A4;margin:18mm} body{font-family:serif;font-size:9pt} table{border-collapse:collapse;width:100%}
    td,th{border:0.75pt solid #000;padding:3pt;vertical-align:top;text-align:left} tr{break-inside:avoid}`;
  const head = `<tr><th rowspan="2">Drug or class</th><th colspan="2">Criterion</th><th rowspan="2">Strength</th></tr><tr><th>Rationale</th><th>Recommendation</th></tr>`;
  const html = `<html><head><meta charset="utf-8"><style>${style}</style></head><body><p>A sentence before the table.</p>
    <table><thead>${head}</thead><tbody>${lines.join('\n')}</tbody></table><p><sup>a</sup> members are listed elsewhere</p></body></html>`;
  return { html, cells };
}

async function expectCells(bytes: Uint8Array): Promise<void> {
  const { tables, rejects } = await tablesOf(bytes);
  expect(rejects).toEqual([]);
  expect(tables.length).toBe(1);
  const found = tables[0]!.cells.map(({ row, col, row_span, col_span, text }) => ({
    row,
    col,
    row_span,
    col_span,
    text,
  }));
  const { cells } = page();
  expect(found).toEqual(cells.sort((a, b) => a.row - b.row || a.col - b.col));
  expect(tables[0]!.pages.length).toBeGreaterThan(1);
  expect(tables[0]!.notes).toEqual([{ mark: 'a', text: 'members are listed elsewhere' }]);
  expect(tables[0]!.cells.filter((c) => c.marks.length > 0).map((c) => [c.row, c.marks])).toEqual([
    [3, ['a']],
  ]);
}

const browser = chromium();

describe('a table printed by a browser', () => {
  it('comes back cell for cell from the stored print', async () => {
    if (process.env.STORE_PRINT && browser) writeFileSync(STORED, printHtml(browser, page().html));
    await expectCells(new Uint8Array(readFileSync(STORED)));
  });

  it.skipIf(browser === null)('comes back cell for cell from a print made now', async () => {
    await expectCells(printHtml(browser!, page().html));
  });
});
