import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { croissant } from '../../pipelines/engine/documents/croissant.js';
import { checkCroissant } from '../../pipelines/engine/documents/croissant-check.js';
import { provenance } from '../../pipelines/engine/documents/prov.js';
import { toYaml } from '../../pipelines/engine/documents/yaml.js';
import { dataUseChecklist, releaseLicense } from '../../pipelines/mimic-license.js';
import { supmimicCard } from '../../pipelines/supmimic/card.js';
import { datasetWords } from '../../pipelines/supmimic/dataset.js';
import type { ReleaseManifest } from '../../schemas/release.js';
import { manifestFixture } from './release-manifest.fixture.js';

type Json = Record<string, unknown>;
const supmimicCroissant = (manifest: ReleaseManifest): Json => croissant(manifest, datasetWords(manifest));
const copy = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;
const sets = (d: Json): Json[] => d.recordSet as Json[];
const fields = (s: Json): Json[] => s.field as Json[];

describe('card', () => {
  test('front matter lists every question and answer file of every split, and no other', () => {
    const card = supmimicCard(manifestFixture({}, ['test', 'train']));
    const front = card.slice(4, card.indexOf('\n---\n', 4));
    const paths = [...front.matchAll(/path: "([^"]+)"/g)].map((m) => m[1]);
    const expected = ['data', 'answers'].flatMap((d) =>
      ['ba', 'ddt', 'dct'].flatMap((c) => ['test', 'train'].map((s) => `${d}/${c}/${s}.parquet`)),
    );
    expect(paths.sort()).toEqual(expected.sort());
    expect(front).toContain('license: "cc0-1.0"');
    expect(front.match(/default: true/g)).toHaveLength(1);
  });

  test('a column that is added to the files is in the card, one that is removed is not', () => {
    const manifest = manifestFixture();
    const files = manifest.files.map((f) => ({
      ...f,
      columns:
        f.role === 'question'
          ? [
              ...f.columns.filter((c) => c.name !== 'diagnosis'),
              { name: 'canary', type: 'VARCHAR' as const, is_nullable: false, description: 'new one' },
            ]
          : f.columns,
    }));
    const card = supmimicCard({ ...manifest, files });
    expect(card).toContain('| `canary` | VARCHAR | no | new one |');
    expect(card).toContain('- name: "canary"');
    expect(card).not.toContain('`diagnosis` |');
  });

  test('numbers, stages, settings, sources and hashes are those of the manifest', () => {
    const manifest = manifestFixture();
    const card = supmimicCard(manifest);
    for (const text of [
      '1500 intensive-care stays',
      '120 (26.79 %)',
      '61.23 %',
      '0.1234',
      manifest.data_hash,
      manifest.sources[0]!.sha256,
      '{"top_m":5,"distance":"gower"}',
      '| dct | test | 8 | 4 | 8 | 2 | 8 |',
    ])
      expect(card).toContain(text);
  });

  test('a credentialed release has no hub front matter, says so first, and carries Ext in its name', () => {
    const card = supmimicCard(
      manifestFixture({ kind: 'mimic', access: 'credentialed', mimic_version: '3.1' }),
    );
    expect(card.startsWith('# MIMIC-IV-Ext-SUP-MIMIC 1.2.3')).toBe(true);
    expect(card).not.toContain('configs:');
    expect(card.indexOf('Credentialed data')).toBeLessThan(card.indexOf('## Abstract'));
    const sections = [...card.matchAll(/^## (.+)$/gm)].map((m) => m[1]);
    expect(sections).toEqual([
      'Abstract',
      'Background',
      'Methods',
      'Data Description',
      'Usage Notes',
      'Release Notes',
      'Ethics',
      'Conflicts of Interest',
      'References',
      'Licence',
    ]);
    expect(card).toContain('10.13026/kpb9-mt58');
  });

  test('texts in table cells cannot break a table', () => {
    expect(supmimicCard(manifestFixture())).toContain('what item_id \\| means');
  });

  test('no document has a path of a machine or a date of a run', () => {
    const manifest = manifestFixture();
    for (const text of [
      supmimicCard(manifest),
      releaseLicense(manifest),
      JSON.stringify(provenance(manifest)),
    ])
      expect(text).not.toMatch(/\/(home|work|tmp|Users)\/|\d\d:\d\d:\d\d/);
  });
});

describe('front matter', () => {
  test('strings are quoted, lists and maps nested', () => {
    expect(toYaml({ a: 'x: "y"', b: [1, { c: true, d: ['z'] }], e: { f: 'no' }, g: [] })).toBe(
      'a: "x: \\"y\\""\nb:\n- 1\n- c: true\n  d:\n  - "z"\ne:\n  f: "no"\ng: []\n',
    );
  });
});

describe('licence', () => {
  const kinds = [
    ['synthetic', 'open', null, /CC0 1\.0/],
    ['demo', 'open', 'demo', /Open Database License[\s\S]*Share alike[\s\S]*/],
    ['mimic', 'credentialed', '3.1', /PLACEHOLDER[\s\S]*1\.5\.0/],
    ['demo', 'credentialed', 'demo', /PLACEHOLDER[\s\S]*Open\s+Database License 1\.0/],
  ] as const;
  test.each(kinds)('%s, %s', (kind, access, mimic_version, words) => {
    const manifest = manifestFixture({ kind, access, mimic_version });
    expect(releaseLicense(manifest)).toMatch(words);
    if (kind === 'demo') expect(releaseLicense(manifest)).toContain('10.13026/dp1f-ex47');
    const checklist = dataUseChecklist(manifest);
    if (access === 'open') expect(checklist).toBeNull();
    else expect(checklist).toMatch(/- \[ \] .*Ext/);
  });
});

describe('croissant', () => {
  const manifest = manifestFixture({}, ['test', 'train']);

  test('passes its own check, with every file and column', () => {
    expect(checkCroissant(copy(supmimicCroissant(manifest)), manifest)).toEqual([]);
    const credentialed = manifestFixture({ kind: 'mimic', access: 'credentialed', mimic_version: '3.1' });
    expect(checkCroissant(copy(supmimicCroissant(credentialed)), credentialed)).toEqual([]);
  });

  const faults: [string, (d: Json) => void, RegExp][] = [
    ['a field without source', (d) => delete fields(sets(d)[1]!)[0]!.source, /no source/],
    [
      'a field of a file that is not there',
      (d) =>
        Object.assign(fields(sets(d)[1]!)[0]!, {
          source: { fileObject: { '@id': 'x' }, extract: { column: 'a' } },
        }),
      /no file/,
    ],
    [
      'a field without column',
      (d) =>
        Object.assign(fields(sets(d)[1]!)[0]!, { source: { fileObject: { '@id': 'data/ba/test.parquet' } } }),
      /no column/,
    ],
    ['a file without hash', (d) => delete (d.distribution as Json[])[0]!.sha256, /no sha256/],
    ['a wrong type of the data set', (d) => Object.assign(d, { '@type': 'Dataset' }), /sc:Dataset/],
    [
      'a wrong type of a field',
      (d) => Object.assign(fields(sets(d)[1]!)[0]!, { '@type': 'sc:Field' }),
      /cr:Field/,
    ],
    [
      'a wrong data type',
      (d) => Object.assign(fields(sets(d)[1]!)[0]!, { dataType: 'VARCHAR' }),
      /unknown dataType/,
    ],
    [
      'the old specification',
      (d) => Object.assign(d, { conformsTo: ['http://mlcommons.org/croissant/1.0'] }),
      /conformsTo/,
    ],
    ['an undeclared column', (d) => void fields(sets(d)[1]!).pop(), /is no field/],
    ['an undeclared file', (d) => void (d.distribution as Json[]).pop(), /not in the distribution/],
    ['a field twice', (d) => void fields(sets(d)[1]!).push(fields(sets(d)[1]!)[0]!), /stands twice/],
    [
      'a dangling reference',
      (d) => Object.assign(fields(sets(d)[1]!)[0]!, { references: { '@id': 'nowhere' } }),
      /references/,
    ],
    ['a missing responsible-AI statement', (d) => delete d['rai:dataBiases'], /rai:dataBiases/],
    ['no licence', (d) => delete d.license, /no license/],
  ];
  test.each(faults)('finds %s', (_, break_it, message) => {
    const document = copy(supmimicCroissant(manifest));
    break_it(document);
    expect(checkCroissant(document, manifest).join('\n')).toMatch(message);
  });

  test('says what is synthetic and who may use it', () => {
    const open = supmimicCroissant(manifest) as Json;
    expect(open['rai:hasSyntheticData']).toBe(true);
    const closed = supmimicCroissant(
      manifestFixture({ kind: 'mimic', access: 'credentialed', mimic_version: '3.1' }),
    ) as Json;
    expect(closed['rai:hasSyntheticData']).toBe(false);
    expect(JSON.stringify(closed.usageInfo)).toContain('DUO_0000026');
    expect(closed.isAccessibleForFree).toBe(false);
  });
});

describe('PROV', () => {
  const node = (manifest: ReturnType<typeof manifestFixture>, id: string): Json =>
    (provenance(manifest)['@graph'] as Json[]).find((n) => n['@id'] === id)!;

  test('every reference leads to a node, and every released file to a stage', () => {
    const manifest = manifestFixture();
    const graph = provenance(manifest)['@graph'] as Json[];
    const ids = new Set(graph.map((n) => n['@id']));
    expect(ids.size).toBe(graph.length);
    for (const n of graph)
      for (const key of ['used', 'wasGeneratedBy', 'wasDerivedFrom', 'wasAssociatedWith'])
        for (const ref of [n[key] ?? []].flat()) expect(ids.has(ref), `${n['@id']} ${key} ${ref}`).toBe(true);
    for (const f of manifest.files)
      expect((node(manifest, `bw:file:${f.path}`).wasDerivedFrom as unknown[]).length).toBeGreaterThan(0);
    expect(node(manifest, 'bw:file:answers/ddt/test.parquet').wasDerivedFrom).toEqual([
      'bw:output:stamp-release.answers_ddt',
    ]);
  });

  test('does not change when the source is packed in another way or the release gets another name', () => {
    const a = manifestFixture();
    const b = manifestFixture({
      version: '9.9.9',
      content_hash: 'f'.repeat(64),
      sources: [{ ...a.sources[0]!, sha256: 'a'.repeat(64), bytes: 1 }],
    });
    const rejects = { sha256: 'b'.repeat(64), rows: 1, bytes: 1 };
    const stages = b.stages.map((s) => ({ ...s, outputs: { ...s.outputs, rejects } }));
    expect(JSON.stringify(provenance({ ...b, stages }))).toBe(JSON.stringify(provenance(a)));
  });
});

test('the date in croissant.json is the one of the citation file, when that names one', () => {
  if (!existsSync('CITATION.cff')) throw new Error('CITATION.cff is missing');
  const date = /^date-released: *"?([\d-]+)/m.exec(readFileSync('CITATION.cff', 'utf8'))?.[1];
  expect(supmimicCroissant(manifestFixture()).datePublished).toBe(date ?? '2026-11-30');
});
