/** The guideline tables of the project and damaged copies of them. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockedSource } from '../../pipelines/engine/sources.js';
import type { SqlRow } from '../../stages/contract.js';
import { GUIDELINE_FILES, TEST_FILES } from '../../stages/load-guidelines/shapes.js';
import { loadGuidelines } from '../../stages/load-guidelines/stage.js';
import { runStageOn, type StageRun, temporaryFolder } from '../support/stage.js';

/** A folder with copies of the named tables; `edit` may change their text. */
function folder(
  names: readonly string[],
  edit: (name: string, text: string) => string = (_, t) => t,
): string {
  const dir = temporaryFolder();
  for (const path of names) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const text = readFileSync(join('raw/guidelines', name), 'utf8');
    writeFileSync(join(dir, name), edit(name, text));
  }
  return dir;
}

const load = (dir: string, config: object = {}): Promise<StageRun> =>
  runStageOn(loadGuidelines, { inputs: { guidelines: { folder: dir } }, config });

const ALL = [...GUIDELINE_FILES, ...TEST_FILES];

/** Rows per file, as the README of raw/guidelines gives them. */
const ROWS: Readonly<Record<string, number>> = {
  beers2023: 150,
  'beers2023-classes': 21,
  'class-words': 170,
  classes: 1221,
  classification: 543,
  'drug-names': 970,
  'fda-labels': 140,
  'fda-labels-unchecked': 27,
  kids2025: 8,
  'kids2020-superseded': 18,
  'neutral-drugs': 240,
  'tga-pregnancy': 227,
};

describe('the tables of the project', () => {
  it('are loaded to the last row, as the lock has them', async () => {
    const source = await lockedSource(ALL, { allowSuperseded: true });
    const run = await load(folder(ALL));
    const documents = await run.table('guideline_documents');
    expect(Object.fromEntries(documents.map((d) => [d.document_id, d.rows_n]))).toEqual(ROWS);
    expect(documents.map((d) => d.source_sha256).sort()).toEqual(source.files.map((f) => f.sha256).sort());
    expect(run.result.rejected).toEqual({});
    const rows = Object.entries(run.result.outputs).map(([name, o]) => [name, o.rows]);
    expect(Object.fromEntries(rows)).toMatchObject({
      beers_rows: 150,
      kids_rows: 26,
      tga_rows: 227,
      label_rows: 167,
      drug_classes: 1221,
      classification: 543,
    });
  });

  it('mark the 515 usable rows of the default build and hold the others', async () => {
    const { result, table } = await load(folder(GUIDELINE_FILES));
    expect(result.counts).toMatchObject({
      'usable.beers_rows': 150,
      'usable.kids_rows': 6,
      'usable.tga_rows': 219,
      'usable.label_rows': 140,
      'held.kids_rows': 2,
      'held.tga_rows': 8,
    });
    const held = [...(await table('kids_rows')), ...(await table('tga_rows'))].filter((r) => !r.is_usable);
    expect(held.map((r) => r.row_id).sort()).toEqual(
      'K25-005 K25-008 TGA-011 TGA-108 TGA-109 TGA-110 TGA-191 TGA-192 TGA-199 TGA-227'.split(' '),
    );
  });

  it('give no usable row of the superseded list or of unchecked labels', async () => {
    const run = await load(folder(TEST_FILES.concat(GUIDELINE_FILES)));
    const rows = [...(await run.table('kids_rows')), ...(await run.table('label_rows'))];
    const old = rows.filter((r) =>
      ['kids2020-superseded', 'fda-labels-unchecked'].includes(String(r.document_id)),
    );
    expect(old).toHaveLength(45);
    expect(old.filter((r) => r.is_usable || r.use !== 'hold')).toEqual([]);
    const documents = await run.table('guideline_documents');
    expect(documents.filter((d) => !d.is_current)).toMatchObject([
      { document_id: 'kids2020-superseded', superseded_by: 'PPA KIDs List 2025', coverage: 'partial' },
    ]);
  });

  it('keep every cell: the printed rows written again are the file', async () => {
    const run = await load(folder(ALL));
    const tables = await Promise.all(['beers_rows', 'kids_rows', 'tga_rows', 'label_rows'].map(run.table));
    for (const name of ['beers2023', 'kids2025', 'tga-pregnancy', 'fda-labels']) {
      const text = readFileSync(`raw/guidelines/${name}.csv`, 'utf8');
      const columns = text.slice(0, text.indexOf('\r\n')).split(',');
      const rows = tables.flat().filter((r) => r.document_id === name);
      rows.sort((a, b) => Number(a.source_row) - Number(b.source_row));
      const quote = (v: unknown): string =>
        /[",\r\n]/.test(String(v)) ? `"${String(v).replaceAll('"', '""')}"` : String(v ?? '');
      const lines = [columns, ...rows.map((r: SqlRow) => columns.map((c) => r[c] ?? ''))];
      expect(lines.map((l) => `${l.map(quote).join(',')}\r\n`).join('')).toBe(text);
    }
  });

  it('know the line of every row', async () => {
    const run = await load(folder(ALL));
    for (const name of ['beers_rows', 'tga_rows']) {
      for (const row of await run.table(name)) {
        const lines = readFileSync(`raw/guidelines/${row.source_file}`, 'utf8').split('\r\n');
        expect(lines[Number(row.source_line) - 1]).toMatch(new RegExp(`^${row.row_id},`));
      }
    }
  });
});

describe('damaged tables', () => {
  const kids = ['kids2025.csv'];
  const edited = (edit: (text: string) => string): string => folder(kids, (_, text) => edit(text));

  it.each([
    [
      'a byte-order mark',
      (t: string) => `\ufeff${t}`,
      /byte-order mark[\s\S]*kids2025.csv, row line 1, column 1/,
    ],
    [
      'LF line ends',
      (t: string) => t.replaceAll('\r\n', '\n'),
      /another kind of line end[\s\S]*LF alone[\s\S]*CRLF/,
    ],
    [
      'a renamed column',
      (t: string) => t.replace('risk,', 'risks,'),
      /unknown column[\s\S]*did you mean risk\?/,
    ],
    [
      'a column too many',
      (t: string) => t.replace('strength,quality_of_evidence', 'strength,strength'),
      /twice in the header/,
    ],
    [
      'a lost column',
      (t: string) => t.replace(/,use\r/, '\r').replaceAll(/,(ok|hold)\r/g, '\r'),
      /columns are missing[\s\S]*use/,
    ],
    [
      'a lost comma',
      (t: string) => t.replace('K25-002,', 'K25-002'),
      /another number of fields[\s\S]*line 3, column 1/,
    ],
    [
      'an open quote',
      (t: string) => t.replace('"Respiratory', '""Respiratory'),
      /after a closing quote[\s\S]*line 2/,
    ],
    [
      'an unknown use',
      (t: string) => t.replace(/,ok\r/, ',yes\r'),
      /unknown_value[\s\S]*K25-001, field use[\s\S]*yes/,
    ],
    [
      'an unparsable age',
      (t: string) => t.replace(',<,12,', ',<,twelve,'),
      /unknown_value[\s\S]*field age_value[\s\S]*twelve/,
    ],
    [
      'an empty drug',
      (t: string) => t.replace(',amcinonide,', ',,'),
      /empty_cell[\s\S]*K25-006, field member_drugs/,
    ],
    [
      'a repeated id',
      (t: string) => t.replace('K25-002', 'K25-001'),
      /2 of 8[\s\S]*repeated_key[\s\S]*line 2/,
    ],
  ])('with %s stop the build and say where', async (_, edit, words) => {
    await expect(load(edited(edit))).rejects.toThrow(words);
  });

  it('reject rows and count them where a share is allowed', async () => {
    const dir = edited((t) => t.replace('K25-002', 'K25-001').replace(',amcinonide,', ',,'));
    const run = await load(dir, { max_reject_share: 0.5 });
    expect(run.result.rejected).toEqual({ kids_files: { repeated_key: 2, empty_cell: 1 } });
    expect(run.result.outputs.kids_rows!.rows).toBe(5);
    expect(run.result.rows_in.kids_files).toBe(8);
  });

  it('are refused under an unknown name, or twice', async () => {
    const dir = folder(kids);
    cpSync(join(dir, 'kids2025.csv'), join(dir, 'kids2052.csv'));
    await expect(load(dir)).rejects.toThrow(/unknown guideline table[\s\S]*did you mean kids2025.csv\?/);
    const twice = folder(kids);
    mkdirSync(join(twice, 'more'));
    cpSync(join(twice, 'kids2025.csv'), join(twice, 'more/kids2025.csv'));
    await expect(load(twice)).rejects.toThrow(/there twice/);
  });

  it('with unknown classes or drugs stop at the audits', async () => {
    const words = ['class-words.csv', 'classes.csv', 'drug-names.csv'];
    const broken = (name: string, from: string, to: string): string =>
      folder(words, (n, t) => (n === name ? t.replace(from, to) : t));
    await expect(load(broken('class-words.csv', ',ace_inhibitors,', ',ace_inhibitor,'))).rejects.toThrow(
      /class words name known classes/,
    );
    await expect(
      load(broken('classes.csv', ',benazepril,benazepril,', ',benazepril,benazeprel,')),
    ).rejects.toThrow(/known ingredients/);
    const ambiguous = broken('drug-names.csv', 'warfarin,warfarin sodium,', 'aspirin,Warfarin,');
    await expect(load(ambiguous)).rejects.toThrow(/one name stands for one ingredient/);
  });
});
