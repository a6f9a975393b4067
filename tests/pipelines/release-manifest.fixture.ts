/** A manifest of a small release, with the columns that the schemas declare. */
import { edges } from '../../schemas/engine.js';
import { type ReleaseFile, ReleaseManifest } from '../../schemas/release.js';
import { answers, features, questions, TASKS, thresholds } from '../../schemas/supmimic.js';
import { sqlColumns, type Table } from '../../schemas/table.js';
import { sha256 } from '../../stages/lib/hash.js';

type Wanted = Pick<ReleaseFile, 'path' | 'role' | 'format'> & Partial<ReleaseFile>;

function file(table: Table | null, wanted: Wanted): ReleaseFile {
  return {
    table: table?.name ?? null,
    config: null,
    split: null,
    sha256: sha256(wanted.path),
    bytes: 1000 + wanted.path.length,
    rows: table ? 8 : null,
    columns: table ? sqlColumns(table).map((c) => ({ ...c, description: `what ${c.name} | means` })) : [],
    ...wanted,
  };
}

const splitFiles = (split: string): ReleaseFile[] =>
  TASKS.flatMap((config) => [
    file(questions[config], {
      path: `data/${config}/${split}.parquet`,
      role: 'question',
      format: 'parquet',
      config,
      split,
    }),
    file(questions[config], {
      path: `jsonl/${config}/${split}.jsonl`,
      role: 'question',
      format: 'jsonl',
      config,
      split,
    }),
    file(answers[config], {
      path: `answers/${config}/${split}.parquet`,
      role: 'answer',
      format: 'parquet',
      config,
      split,
    }),
  ]);

/** `change` overrides top-level fields. */
export function manifestFixture(change: Partial<ReleaseManifest> = {}, splits = ['test']): ReleaseManifest {
  const output = (name: string): Record<string, unknown> => ({ sha256: sha256(name), rows: 8, bytes: 99 });
  return ReleaseManifest.parse({
    manifest_version: 1,
    benchmark: 'supmimic',
    version: '1.2.3',
    kind: 'synthetic',
    mimic_version: null,
    access: 'open',
    seed: 0,
    profile: 'default',
    engine_version: 1,
    tool_version: '0.1.0',
    sources: [{ table: 'patients', sha256: sha256('patients'), bytes: 500, records: 1500 }],
    stages: [
      {
        name: 'load-mimic',
        version: 1,
        summary: 'reads the extract',
        code_hash: sha256('load'),
        config: {},
        inputs: { extract: 'source.mimic' },
        outputs: { patients: output('patients'), edges: output('e1'), rejects: output('r1') },
      },
      {
        name: 'mine-pairs',
        version: 2,
        summary: 'finds pairs',
        code_hash: sha256('mine'),
        config: { top_m: 5, distance: 'gower' },
        inputs: { patients: 'load-mimic.patients' },
        outputs: {
          features: output('f'),
          thresholds: output('t'),
          edges: output('e2'),
          rejects: output('r2'),
        },
      },
      {
        name: 'stamp-release',
        version: 1,
        summary: 'writes items',
        code_hash: sha256('stamp'),
        config: { prompt: 'diagnose.v1' },
        inputs: { thresholds: 'mine-pairs.thresholds' },
        outputs: {
          ...Object.fromEntries(
            TASKS.flatMap((t) => [
              [t, output(t)],
              [`answers_${t}`, output(`a${t}`)],
            ]),
          ),
          report_html: output('html'),
          edges: output('e3'),
          rejects: output('r3'),
        },
      },
    ],
    files: [
      ...splits.flatMap(splitFiles),
      file(features, { path: 'cohort/features.parquet', role: 'cohort', format: 'parquet' }),
      file(thresholds, { path: 'cohort/thresholds.parquet', role: 'cohort', format: 'parquet' }),
      file(edges, { path: 'provenance/edges.parquet', role: 'edges', format: 'parquet' }),
      file(null, { path: 'quality/report.html', role: 'quality', format: 'html' }),
      file(null, { path: 'rejects/summary.json', role: 'rejects', format: 'json' }),
    ],
    statistics: {
      stays_n: 1500,
      patients_n: 1490,
      features_n: 448,
      labels_n: 300,
      diagnoses_n: 12,
      categories_n: 7,
      k: 20,
      items: splits.flatMap((split) =>
        TASKS.map((config) => ({
          config,
          split,
          items_n: 8,
          pairs_n: config === 'ba' ? 0 : 4,
          positives_n: config === 'dct' ? 8 : 4,
          diagnoses_n: 2,
          patients_n: 8,
        })),
      ),
      imputed_share: 0.61234,
      union_n: 120,
      utilisation: 120 / 448,
      items_per_patient_max: 3,
      theta_median: 0.1234,
      phi_median: null,
    },
    packages: { '@duckdb/node-api': '1.5.6-r.1' },
    data_hash: sha256('data'),
    content_hash: sha256('content'),
    ...change,
  });
}
