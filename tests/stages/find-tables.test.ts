/** read-guideline and find-tables through the engine: tables and places that come out, and what a maintainer reads when it fails. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SqlRow } from '../../stages/contract.js';
import { findTables } from '../../stages/find-tables/stage.js';
import { readGuideline } from '../../stages/read-guideline/stage.js';
import { tablesOf } from '../support/pdf-tables.js';
import { type Pdf, printPdf } from '../support/print-pdf.js';
import { type PrintedRow, Printer, printTable, type TableOptions } from '../support/print-table.js';
import { runStageOn, type StageRun, temporaryFolder } from '../support/stage.js';

const LIBERATION = 'node_modules/pdfjs-dist/standard_fonts/LiberationSans-Regular.ttf';
const COLUMNS: TableOptions['columns'] = [
  { head: 'Drug', width: 120 },
  { head: 'Clearance', width: 110 },
  { head: 'Action', width: 120 },
];
const ROWS: PrintedRow[] = [
  { banner: 'Antithrombotics' },
  [{ text: 'dabigatran', row_span: 2 }, { text: '<30', mark: 'a' }, 'avoid'],
  ['30 to 50', 'usual dose'],
  ['edoxaban', '15 to 50', 'reduce the dose'],
];
const NOTES = [{ mark: 'a', text: 'dialysis: no dose is known' }];

function folder(files: Readonly<Record<string, Uint8Array>>): string {
  const dir = join(temporaryFolder(), 'pdfs');
  mkdirSync(dir);
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(dir, name), bytes);
  return dir;
}

const read = (files: Readonly<Record<string, Uint8Array>>, config: unknown = {}): Promise<StageRun> =>
  runStageOn(readGuideline, { inputs: { pdfs: { folder: folder(files) } }, config });

async function find(from: StageRun, config: unknown = {}): Promise<StageRun> {
  const inputs: Record<string, { parquet: string }> = {};
  for (const name of Object.keys(findTables.inputs))
    inputs[name] = { parquet: join(from.dir, `${name}.parquet`) };
  return runStageOn(findTables, { inputs, config });
}

const message = async (run: () => Promise<unknown>): Promise<string> =>
  run().then(
    () => 'no error',
    (e: Error) => e.message,
  );

describe('a printed table', () => {
  it('comes out row by row and cell by cell, with page, box, banner, mark and note', async () => {
    const { bytes } = await printTable(ROWS, {
      columns: COLUMNS,
      notes: NOTES,
      caption: 'Table 1. Doses',
      marginLine: 'Downloaded by a reader',
    });
    const pages = await read({ 'doses.pdf': bytes });
    expect(await pages.table('pdf_pages')).toMatchObject([
      { page: 1, rotation: 0, reading_angle: 0, turned_text: 'Downloaded by a reader' },
    ]);
    const found = await find(pages, { manifest: { 'doses.pdf': [1] } });
    expect(await found.table('guideline_tables')).toMatchObject([
      {
        table_n: 1,
        page_first: 1,
        page_last: 1,
        rows_n: 5,
        columns_n: 3,
        caption: 'Table 1. Doses',
        notes: 'a: dialysis: no dose is known',
        is_ruled: true,
        findings: null,
      },
    ]);
    const cells = await found.table('guideline_cells');
    const at = (row: number, col: number): SqlRow => cells.find((c) => c.row === row && c.col === col)!;
    expect(at(2, 1)).toMatchObject({
      text: '<30',
      printed_text: '<30a',
      marks: 'a',
      note_text: 'a: dialysis: no dose is known',
      banner: 'Antithrombotics',
      is_header: false,
    });
    expect(at(3, 0)).toMatchObject({
      text: 'dabigatran',
      is_spanned: true,
      anchor_row: 2,
      anchor_col: 0,
      row_span: 2,
    });
    expect([at(1, 2).is_spanned, at(1, 2).text]).toEqual([true, 'Antithrombotics']);
    // The page is 842 points high; the table starts 60 points below its top and 60 points from its left side.
    expect(at(0, 0)).toMatchObject({ is_header: true, page: 1 });
    expect([Math.round(at(0, 0).x0 as number), Math.round(at(0, 0).y1 as number)]).toEqual([60, 782]);
    expect((await found.table('guideline_cell_parts')).length).toBe(
      cells.filter((c) => c.is_spanned === false).length,
    );
  });

  it('is the same through the tables of words and rules as straight from the page', async () => {
    const { bytes } = await printTable(ROWS, { columns: COLUMNS, notes: NOTES });
    const direct = await tablesOf(bytes);
    const cells = await (await find(await read({ 'a.pdf': bytes }))).table('guideline_cells');
    const anchors = cells.filter((c) => c.is_spanned === false).map((c) => [c.row, c.col, c.text]);
    expect(anchors).toEqual(direct.tables[0]!.cells.map((c) => [c.row, c.col, c.text]));
  });

  it('gives the same cells from a turned page, with boxes that lie on it', async () => {
    const plain = await printTable(ROWS, { columns: COLUMNS, size: [500, 400] });
    const turned = await printPdf(
      (doc) => {
        Object.assign(doc.page.dictionary.data, { Rotate: 90 });
        // What is drawn turned to the left stands upright in a page that is turned to the right.
        doc.translate(0, 500).rotate(-90);
        drawTable(doc);
      },
      { size: [400, 500] },
    );
    const [a, b] = [await tablesOf(plain.bytes), await tablesOf(turned)];
    const cells = (t: typeof a): unknown =>
      t.tables[0]!.cells.map((c) => [c.row, c.col, c.row_span, c.col_span, c.text]);
    expect(cells(b)).toEqual(cells(a));
    expect(b.pages[0]!.turn).toBe(90);
    const found = await (await find(await read({ 'a.pdf': turned }))).table('guideline_cells');
    expect(
      found.every(
        (c) =>
          (c.x0 as number) >= 0 &&
          (c.x1 as number) <= 400 &&
          (c.y0 as number) >= 0 &&
          (c.y1 as number) <= 500,
      ),
    ).toBe(true);
  });
});

function drawTable(doc: Pdf): void {
  new Printer(doc, { columns: COLUMNS, size: [500, 400] }).print(ROWS);
}

describe('however the text is cut', () => {
  it('random rows read the same drawn by letters, words and lines', async () => {
    const word = fc.stringMatching(/^[a-z]{2,9}$/);
    const value = fc.integer({ min: 0, max: 9999 }).map(String);
    const cell = fc.oneof(
      value,
      fc.array(word, { minLength: 1, maxLength: 6 }).map((w) => w.join(' ')),
    );
    const rows = fc.array(fc.tuple(word, cell, cell), { minLength: 3, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        const texts: unknown[] = [];
        for (const by of ['line', 'word', 'letter'] as const) {
          const printed = await printTable(given, { columns: COLUMNS, by });
          const { tables } = await tablesOf(printed.bytes);
          texts.push(tables.map((t) => t.cells.map((c) => [c.row, c.col, c.text])));
          expect(texts.at(-1)).toEqual([printed.cells.map((c) => [c.row, c.col, c.text])]);
        }
      }),
      { numRuns: 12, seed: 4, endOnFailure: true },
    );
  });

  it('a number whose blanks depend on how strictly a space is judged is said', async () => {
    const gap = (em: number): Promise<Uint8Array> =>
      printPdf((doc) => {
        new Printer(doc, { columns: COLUMNS }).print([...ROWS, ['warfarin', '', 'avoid']]);
        doc.font('Helvetica').fontSize(9);
        const y = doc.page.height - 842 + 60 + 17 * 5 + 3;
        doc.text('25', 183, y, { lineBreak: false });
        doc.text('6', 183 + doc.widthOfString('25') + em * 9, y, { lineBreak: false });
      });
    const findings = async (em: number): Promise<[string, readonly string[]]> => {
      const cell = (await tablesOf(await gap(em))).tables[0]!.cells.find((c) => c.row === 5 && c.col === 1)!;
      return [cell.text, cell.findings];
    };
    expect(await findings(0)).toEqual(['256', []]);
    expect(await findings(0.1)).toEqual(['256', ['spacing_doubtful']]);
    expect(await findings(0.16)).toEqual(['25 6', ['spacing_doubtful']]);
    expect(await findings(0.28)).toEqual(['25 6', []]);
  });

  it('ligatures keep their letters; a glyph without a character refuses its row and no other', async () => {
    const draw = (doc: Pdf): void => {
      new Printer(doc, { columns: COLUMNS }).print([...ROWS, ['', '', 'avoid']]);
      doc
        .font(LIBERATION)
        .fontSize(9)
        .text('\ufb01nasteride', 63, 60 + 17 * 5 + 3, { lineBreak: false });
    };
    const bytes = await printPdf(draw);
    const whole = await tablesOf(bytes);
    expect(whole.tables[0]!.cells.find((c) => c.row === 5 && c.col === 0)!.text).toBe('finasteride');
    const text = Buffer.from(bytes).toString('latin1');
    expect(text).toContain('/ToUnicode');
    const broken = await tablesOf(
      new Uint8Array(Buffer.from(text.replace('/ToUnicode', '/ToUnicodX'), 'latin1')),
    );
    expect(broken.rejects).toMatchObject([{ page: 1, reason: 'unmapped_glyph' }]);
    expect(broken.tables[0]!.rows.length).toBe(5);
  });
});

describe('bad input', () => {
  const good = async (): Promise<Uint8Array> => (await printTable(ROWS, { columns: COLUMNS })).bytes;

  it('a page without text, named or not', async () => {
    const blank = await printPdf((d) => d.rect(10, 10, 50, 50).fill());
    expect(await message(() => read({ 'scan.pdf': blank }))).toBe(
      [
        'a page of the PDF has no text',
        '  where:    scan.pdf, row of page 1',
        '  got:      0 pictures and 0 glyphs without ink',
        '  expected: printed text; a scan, also one with recognised text behind it, is not read',
        '  next:     get a copy with text, or name the page in pages_without_text if it is blank on purpose',
      ].join('\n'),
    );
    const named = await read({ 'scan.pdf': blank }, { pages_without_text: { 'scan.pdf': [1] } });
    expect(await named.table('pdf_words')).toEqual([]);
  });

  it('a scan with recognised text behind it', async () => {
    const hidden = await printPdf((d) => d.addContent('3 Tr').text('recognised', 10, 10));
    expect(await message(() => read({ 'scan.pdf': hidden }))).toContain(
      '0 pictures and 10 glyphs without ink',
    );
  });

  it('an encrypted, a damaged, an empty file', async () => {
    const locked = await printPdf((d) => d.text('x', 10, 10), {
      options: { userPassword: 'a', pdfVersion: '1.7' },
    });
    expect(await message(() => read({ 'a.pdf': locked }))).toContain(
      'the PDF is encrypted and asks for a password\n  where:    a.pdf',
    );
    expect(await message(() => read({ 'a.pdf': new TextEncoder().encode('no pdf') }))).toContain(
      'the PDF is damaged and cannot be opened',
    );
    expect(await message(() => read({ 'a.pdf': new Uint8Array() }))).toContain('the PDF file is empty');
  });

  it('one document twice, and a name that no file has', async () => {
    const bytes = await good();
    expect(await message(() => read({ 'a.pdf': bytes, 'b.pdf': bytes }))).toContain(
      'two PDF files have the same content\n  where:    b.pdf\n  got:      the bytes of a.pdf',
    );
    expect(await message(() => read({ 'a.pdf': bytes }, { pages_without_text: { 'c.pdf': [1] } }))).toContain(
      'names a PDF that is not in the folder\n  where:    c.pdf',
    );
  });

  it('no table on a page that promises one', async () => {
    const prose = await printPdf((d) => d.text('This page holds a sentence and no table at all.', 60, 60));
    const pages = await read({ 'a.pdf': prose });
    expect(await message(() => find(pages, { manifest: { 'a.pdf': [1] } }))).toBe(
      [
        'no table was found on a page that promises one',
        '  where:    a.pdf, row of page 1',
        '  got:      tables on pages none',
        '  expected: at least one table on each promised page',
        '  next:     look at the page; if it holds no table, take it out of manifest in the configuration',
      ].join('\n'),
    );
    expect(await message(() => find(pages, { manifest: { 'a.pdf': [7] } }))).toContain('page 7 of 1');
    expect(await message(() => find(pages, { manifest: { 'b.pdf': [1] } }))).toContain(
      'the manifest names a PDF that was not read',
    );
    expect(await (await find(pages)).table('guideline_tables')).toEqual([]);
  });

  it('an empty first cell at a page top is a counted reject with its page and text', async () => {
    const many = (n: number): PrintedRow[] =>
      Array.from({ length: n }, (_, i): PrintedRow => [`drug ${i}`, `${i} to ${i + 1}`, 'avoid in any dose']);
    const { bytes } = await printTable([...many(20), ['', '20 to 30', 'avoid.'], ...many(3)], {
      columns: COLUMNS,
      size: [500, 60 + 17 * 21 + 71],
    });
    const found = await find(await read({ 'a.pdf': bytes }));
    expect(found.result.rejected).toEqual({ printed_rows: { first_cell_empty_at_page_top: 1 } });
    expect(found.result.dropped).toEqual({ printed_rows: { repeated_head: 1 } });
    expect(await found.table('rejects')).toMatchObject([
      { where: 'a.pdf, page 2', reason: 'first_cell_empty_at_page_top', got: '20 to 30 | avoid.' },
    ]);
    expect((await found.table('guideline_rows')).length + 1 + 1).toBe(found.result.rows_in.printed_rows);
  });
});
