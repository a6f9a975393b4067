/** Documents of a medpic release, and places outside our tables that trace reads again: cells of a PDF. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { DuckDbSession, quoteText } from '../../pipelines/engine/adapters/duckdb.js';
import { checkCroissant } from '../../pipelines/engine/documents/croissant-check.js';
import { describeColumn } from '../../pipelines/medpic/columns.js';
import { type PrintedPlace, printedPlaces } from '../../pipelines/medpic/printed-places.js';
import { PRINTED_TABLES, RULE_TABLES } from '../../pipelines/medpic/release.js';
import { SourceReader } from '../../pipelines/medpic/trace-source.js';
import { sqlColumns } from '../../schemas/table.js';
import { findTables } from '../../stages/find-tables/stage.js';
import { sha256 } from '../../stages/lib/hash.js';
import { readGuideline } from '../../stages/read-guideline/stage.js';
import { manifestOf } from '../support/forge.js';
import { smallMedpic } from '../support/medpic.js';
import { printTable } from '../support/print-table.js';
import { runStageOn, temporaryFolder } from '../support/stage.js';

let release: string;

beforeAll(async () => {
  ({ release } = await smallMedpic());
});

type Json = Record<string, unknown>;
const read = (path: string): Json => JSON.parse(readFileSync(join(release, path), 'utf8')) as Json;

describe('documents', () => {
  it('croissant.json passes the structural check, with every file and column', () => {
    const document = read('croissant.json');
    expect(checkCroissant(document, manifestOf(release))).toEqual([]);
    expect(document['rai:hasSyntheticData']).toBe(true);
    expect(JSON.stringify(document['prov:wasDerivedFrom'])).toContain('10.1111/jgs.18372');
    expect(String(document.description)).toContain('checked by program, not signed');
  });

  it('every reference of prov.jsonld leads to a node, and every file to a stage', () => {
    const graph = read('provenance/prov.jsonld')['@graph'] as Json[];
    const ids = new Set(graph.map((n) => n['@id']));
    expect(ids.size).toBe(graph.length);
    for (const n of graph)
      for (const key of ['used', 'wasGeneratedBy', 'wasDerivedFrom', 'wasAssociatedWith'])
        for (const ref of [n[key] ?? []].flat()) expect(ids.has(ref), `${n['@id']} ${key} ${ref}`).toBe(true);
    for (const f of manifestOf(release).files) {
      const node = graph.find((n) => n['@id'] === `bw:file:${f.path}`)!;
      expect((node.wasDerivedFrom as unknown[]).length, f.path).toBeGreaterThan(0);
    }
  });

  it('every column that a release may have is described', () => {
    for (const [, , table] of [...RULE_TABLES, ...PRINTED_TABLES])
      for (const column of sqlColumns(table)) expect(describeColumn(table, column.name)).not.toBe('');
  });

  it('the licence names what is ours, what is not, and every source', () => {
    const licence = readFileSync(join(release, 'LICENSE'), 'utf8');
    for (const words of ['CC BY 4.0', 'no sentence of a source', 'registered mark', 'Not for clinical use'])
      expect(licence).toContain(words);
    expect(licence.match(/^- .+https:\/\//gm)).toHaveLength(4);
  });
});

describe('a cell of a PDF', () => {
  const FILE = 'guideline.pdf';
  let folder: string;
  let places: Map<string, PrintedPlace>;
  let cell: PrintedPlace;

  beforeAll(async () => {
    folder = join(temporaryFolder(), 'pdfs');
    mkdirSync(folder, { recursive: true });
    const columns = [
      { head: 'Drug', width: 110 },
      { head: 'Kidney function', width: 150 },
      { head: 'Advice', width: 150 },
    ];
    const rows = [
      { banner: 'Pain' },
      ['Tramadol, immediate release', 'CrCl below 30 mL/min', 'Give less often'],
      ['Ketorolac', 'CrCl below 30 mL/min', 'Avoid'],
    ];
    const { bytes } = await printTable(rows, { columns });
    writeFileSync(join(folder, FILE), bytes);
    const pages = await runStageOn(readGuideline, { inputs: { pdfs: { folder } } });
    const parquet = (dir: string, name: string) => ({ parquet: join(dir, `${name}.parquet`) });
    const inputs = Object.fromEntries(
      ['pdf_documents', 'pdf_pages', 'pdf_words', 'pdf_rules'].map((n) => [n, parquet(pages.dir, n)]),
    );
    const tables = await runStageOn(findTables, { inputs });
    const session = await DuckDbSession.create({
      threads: 1,
      memoryLimit: '1GB',
      spillDir: `${folder}-spill`,
    });
    for (const [name, dir] of [
      ['pdf_documents', pages.dir],
      ['guideline_cells', tables.dir],
    ])
      await session.run(
        `create view ${name} as from read_parquet(${quoteText(join(dir!, `${name}.parquet`))})`,
      );
    places = await printedPlaces(session, new Set(['guideline_cells', 'pdf_documents']));
    session.close();
    cell = [...places.values()].find((p) => p.printed.startsWith('Tramadol'))!;
  });

  const reader = (folders: readonly string[]): SourceReader =>
    new SourceReader({ ...manifestOf(release), sources: [] }, places, folders);
  const span = (quote: string) => ({ field: '/target/0', ref: cell.ref, quote });

  it('is found with page, box and printed text, and read again in the file', async () => {
    const found = await reader([folder]).read(span('Tramadol'));
    expect(found).toMatchObject({ file: FILE, page: 1, is_equal: true, problem: null });
    expect(found.sha256).toBe(sha256(readFileSync(join(folder, FILE))));
    const [x0, y0, x1, y1] = found.box!;
    expect(x1 - x0).toBeGreaterThan(20);
    expect(y1 - y0).toBeGreaterThan(5);
    expect(found.printed).toMatch(/Tramadol, immediate\s+release/);
  });

  it('does not hold a quote of its neighbour', async () => {
    const found = await reader([folder]).read(span('Ketorolac'));
    expect(found).toMatchObject({ is_equal: false, problem: 'the quote does not stand in its box' });
  });

  it('a quote that only the release knows is found out by the ink', async () => {
    const forged = new Map(places).set(cell.ref, { ...cell, printed: 'Morphine' });
    const reading = new SourceReader({ ...manifestOf(release), sources: [] }, forged, [folder]);
    expect(await reading.read(span('Morphine'))).toMatchObject({
      is_equal: false,
      problem: 'the quote does not stand in its box',
    });
  });

  it('another file under the name is told by its hash, an absent one is told', async () => {
    const other = join(temporaryFolder(), 'other');
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, FILE), 'something else');
    const changed = await reader([other]).read(span('Tramadol'));
    expect(changed.is_equal).toBe(false);
    expect(changed.problem).toContain(cell.sha256);
    const absent = await reader([]).read(span('Tramadol'));
    expect(absent).toMatchObject({ is_equal: true, sha256: null });
    const unknown = await reader([folder]).read({ ...span('x'), ref: 'pdf:nothing#t1r1c1' });
    expect(unknown).toMatchObject({ is_equal: false, problem: 'the release holds no such place' });
  });
});
