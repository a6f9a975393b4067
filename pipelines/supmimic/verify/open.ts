/** A release, opened for verification: every table as a view, matrices as typed arrays. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../../../schemas/release.js';
import { FEATURE_IDS } from '../../../schemas/supmimic.js';
import { type Feature, parseRegistry, REGISTRY_FILE } from '../../../stages/lib/registry.js';
import { DuckDbSession, quoteName, quoteText } from '../../engine/adapters/duckdb.js';
import { PROJECT_ROOT, readFileSync } from '../../engine/adapters/files.js';

export interface OpenRelease {
  readonly dir: string;
  readonly manifest: ReleaseManifest;
  readonly session: DuckDbSession;
  readonly registry: readonly Feature[];
  /** Stays of the cohort, ascending; the row numbers of all matrices. */
  readonly stays: readonly CohortStay[];
  readonly rowOf: ReadonlyMap<number, number>;
  readonly raw: Columns;
  readonly imputed: Columns;
  readonly flags: Columns;
  /** Config of a stage as the manifest records it. */
  config<T>(stage: string): T;
}

export interface CohortStay {
  readonly stay_id: number;
  readonly subject_id: number;
  readonly hadm_id: number;
  readonly split: string;
}

/** One float64 array a feature, in stay order; NaN is null. */
export type Columns = ReadonlyMap<string, Float64Array>;

/** Opens a release folder. Views are named after the tables: cohort, features, ddt, answers_ddt, edges ... */
export async function openRelease(
  dir: string,
  manifest: ReleaseManifest,
  spillDir: string,
  signal: AbortSignal,
): Promise<OpenRelease> {
  const session = await DuckDbSession.create({ threads: 1, memoryLimit: '4GB', spillDir, signal });
  try {
    return await readRelease(dir, manifest, session);
  } catch (error) {
    session.close();
    throw error;
  }
}

async function readRelease(
  dir: string,
  manifest: ReleaseManifest,
  session: DuckDbSession,
): Promise<OpenRelease> {
  const paths = new Map<string, string[]>();
  for (const file of manifest.files) {
    if (file.format === 'parquet' && file.table)
      paths.set(file.table, [...(paths.get(file.table) ?? []), file.path]);
  }
  for (const [name, files] of paths) {
    const list = files.map((f) => quoteText(join(dir, f))).join(', ');
    await session.run(`create view ${quoteName(name)} as select * from read_parquet([${list}])`);
  }
  const stays = await session.rows<CohortStay>(
    'select stay_id, subject_id, hadm_id, split from cohort join splits using (subject_id) order by stay_id',
  );
  return {
    dir,
    manifest,
    session,
    registry: parseRegistry(readFileSync(join(PROJECT_ROOT, REGISTRY_FILE), 'utf8')),
    stays,
    rowOf: new Map(stays.map((s, i) => [s.stay_id, i])),
    raw: await readColumns(session, 'features'),
    imputed: await readColumns(session, 'imputed'),
    flags: await readColumns(session, 'imputed_flags'),
    config: <T>(stage: string) => manifest.stages.find((s) => s.name === stage)?.config as T,
  };
}

async function readColumns(session: DuckDbSession, table: string): Promise<Columns> {
  const select = FEATURE_IDS.map((id) => `${id}::DOUBLE as ${id}`).join(', ');
  const m = await session.matrix(`select ${select} from ${table} order by stay_id`);
  return new Map(m.columns.map((id, j) => [id, m.data.subarray(j * m.rows, (j + 1) * m.rows)]));
}
