/** What a release says about itself: manifest.json, from which card, Croissant and PROV are generated. */
import { z } from 'zod';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);
/** Release versions: semver, without build metadata. */
export const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?$/;

/** One column of a released table. `type` is the DuckDB type in Parquet; JSONL holds the same values. */
export const ReleaseColumn = z.strictObject({
  name: z.string(),
  type: z.enum(['BOOLEAN', 'INTEGER', 'BIGINT', 'DOUBLE', 'VARCHAR', 'TIMESTAMP', 'DATE', 'UTINYINT']),
  is_nullable: z.boolean(),
  description: z.string().min(1),
});

/** What a file is for. The content of a release is its questions, answers, cohort or rules, and edges. */
export const FILE_ROLES = ['question', 'answer', 'cohort', 'rules', 'edges', 'quality', 'rejects'] as const;
/** The roles whose files make the data hash: they depend on the input's rows, not on the order or packing of its files. */
export const CONTENT_ROLES: readonly (typeof FILE_ROLES)[number][] = [
  'question',
  'answer',
  'cohort',
  'rules',
  'edges',
];

export const ReleaseFile = z.strictObject({
  /** Relative to the release folder, with `/`. */
  path: z.string().regex(/^[\w.-]+(\/[\w.-]+)*$/),
  role: z.enum(FILE_ROLES),
  format: z.enum(['parquet', 'jsonl', 'json', 'html']),
  /** Name of the table in schemas/, for Parquet and JSONL. */
  table: z.string().nullable(),
  /** Config (`ba`, `gf`) and split of a question or answer file. */
  config: z.string().nullable(),
  split: z.string().nullable(),
  sha256: hash,
  bytes: count,
  rows: count.nullable(),
  columns: z.array(ReleaseColumn),
});

/** A table of an extract, or a file of the project with what raw/lock.json says about it. */
export const ReleaseSource = z.strictObject({
  table: z.string(),
  sha256: hash,
  bytes: count,
  records: count,
  edition: z.string().optional(),
  origin: z.string().optional(),
  licence: z.string().optional(),
  /** How much of its document the file holds. */
  coverage: z.string().optional(),
});

export const ReleaseStage = z.strictObject({
  name: z.string(),
  version: z.int(),
  summary: z.string(),
  /** Hash of everything the stage imports or reads from the project. */
  code_hash: hash,
  config: z.record(z.string(), z.unknown()),
  /** `stage.output` (or `source.table`) of every input, by input name. */
  inputs: z.record(z.string(), z.string()),
  outputs: z.record(z.string(), z.strictObject({ sha256: hash, rows: count.nullable(), bytes: count })),
});

/** manifest.json. The documents generated from it (README.md, croissant.json, ...) are listed in checksums.sha256 only. */
export const ReleaseManifest = z.strictObject({
  manifest_version: z.literal(1),
  benchmark: z.string(),
  version: z.string().regex(SEMVER),
  /** What the release was built from; of medpic: rules that were checked (`preview`), or signed by people (`signed`). */
  kind: z.enum(['synthetic', 'demo', 'mimic', 'preview', 'signed']),
  /** Version of MIMIC-IV (`2.2`, `3.1`), or null without it. */
  mimic_version: z.string().nullable(),
  access: z.enum(['open', 'restricted', 'credentialed']),
  seed: z.int(),
  profile: z.string(),
  engine_version: z.int(),
  tool_version: z.string(),
  sources: z.array(ReleaseSource),
  /** In the order of the pipeline. */
  stages: z.array(ReleaseStage),
  files: z.array(ReleaseFile),
  statistics: z.record(z.string(), z.unknown()),
  /** Exact versions of the packages that shape bytes. */
  packages: z.record(z.string(), z.string()),
  /** SHA-256 over the lines `sha256  path\n`, sorted by path, of the files whose role is in CONTENT_ROLES. */
  data_hash: hash,
  /** SHA-256 over everything in the release but its version: names the folder when no version is given. */
  content_hash: hash,
});

export type ReleaseColumn = z.infer<typeof ReleaseColumn>;
export type ReleaseFile = z.infer<typeof ReleaseFile>;
export type ReleaseStage = z.infer<typeof ReleaseStage>;
export type ReleaseManifest = z.infer<typeof ReleaseManifest>;

const share = z.number().min(0).max(1);

/** `statistics` of a supmimic release; `report-quality` writes it into report.json under the same name. */
export const SupmimicStatistics = z.strictObject({
  stays_n: count,
  patients_n: count,
  features_n: count,
  labels_n: count,
  diagnoses_n: count,
  categories_n: count,
  k: count,
  /** One entry a config and split. */
  items: z.array(
    z.strictObject({
      config: z.string(),
      split: z.string(),
      items_n: count,
      pairs_n: count,
      positives_n: count,
      diagnoses_n: count,
      patients_n: count,
    }),
  ),
  /** Share of the cohort's feature values that the imputed matrix fills in. */
  imputed_share: share,
  /** Union of the F_k of all diagnoses at this K, and its share of all features. */
  union_n: count,
  utilisation: share,
  /** Largest number of items that show one patient, over all configs. */
  items_per_patient_max: count,
  theta_median: z.number().nullable(),
  phi_median: z.number().nullable(),
});
export type SupmimicStatistics = z.infer<typeof SupmimicStatistics>;
