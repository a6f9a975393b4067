/** Documents of a medpic release. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkCroissant } from '../../pipelines/engine/documents/croissant-check.js';
import { describeColumn } from '../../pipelines/medpic/columns.js';
import { RULES } from '../../pipelines/medpic/release.js';
import { PROSE_TABLES } from '../../pipelines/medpic/release-prose.js';
import { sqlColumns } from '../../schemas/table.js';
import { manifestOf } from '../support/forge.js';
import { smallMedpic } from '../support/medpic.js';

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
    for (const [, , table] of [...RULES, ...PROSE_TABLES])
      for (const column of sqlColumns(table)) expect(describeColumn(table, column.name)).not.toBe('');
  });

  it('the licence names what is ours, what is not, and every source', () => {
    const licence = readFileSync(join(release, 'LICENSE'), 'utf8');
    for (const words of ['CC BY 4.0', 'no sentence of a source', 'registered mark', 'Not for clinical use'])
      expect(licence).toContain(words);
    expect(licence.match(/^- .+https:\/\//gm)).toHaveLength(4);
  });
});
