/** A session over the loaded extract in which the row query of a feature can be run again. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../../schemas/release.js';
import type { BuildFeaturesConfig } from '../../stages/build-features/config.js';
import { buildFeatures } from '../../stages/build-features/stage.js';
import { featureTrace, prepareTrace, TRACE_FILES } from '../../stages/build-features/trace.js';
import { type Feature, parseRegistry, REGISTRY_FILE } from '../../stages/lib/registry.js';
import type { CommandContext } from '../benchmark.js';
import { DuckDbSession, quoteName, quoteText } from '../engine/adapters/duckdb.js';
import { PROJECT_ROOT, readFileSync, rm } from '../engine/adapters/files.js';
import { tablePath } from '../engine/session.js';
import { recompute } from '../recompute.js';
import { openSupmimic } from './benchmark.js';

/** One source row of a feature, as the stage's row query gives it. */
export interface FeatureRow {
  readonly feature_id: string;
  readonly source_table: string;
  readonly itemid: number | null;
  readonly row_key: string | null;
  readonly at: string | null;
  readonly value: string | null;
  readonly valuenum: number | null;
  readonly unit: string | null;
  readonly used_value: number | null;
  /** Why the row does not count; null when it does. */
  readonly why_not: string | null;
}

const file = (path: string): string => {
  if (!buildFeatures.files?.includes(path) && !TRACE_FILES.includes(path))
    throw new Error(`${path} is no file of build-features`);
  return readFileSync(join(PROJECT_ROOT, path), 'utf8');
};

let registry: ReadonlyMap<string, Feature> | undefined;

/** Name and unit of a feature. */
export function describeFeature(feature_id: string): { readonly name: string; readonly unit: string } {
  registry ??= new Map(parseRegistry(file(REGISTRY_FILE)).map((f) => [f.feature_id, f]));
  const { name, unit } = registry.get(feature_id)!;
  return { name, unit };
}

/** Opens the loaded tables with a cohort of the given stays, ready for `traceFeature`. */
export async function withTraceSession<T>(
  context: CommandContext,
  manifest: ReleaseManifest,
  stays: readonly number[],
  use: (session: DuckDbSession) => Promise<T>,
): Promise<T> {
  const entries = await recompute(openSupmimic, context, manifest, 'build-features');
  const spillDir = join(context.buildDir, 'cache', '.staging', `${process.pid}-trace-rows`);
  const { workers: threads, memoryLimit, signal } = context;
  const session = await DuckDbSession.create({ threads, memoryLimit, spillDir, signal });
  try {
    for (const name of Object.keys(buildFeatures.inputs)) {
      const stage = name === 'cohort' ? 'build-cohort' : 'load-mimic';
      const only = name === 'cohort' ? ` where stay_id in (${stays.join(', ')})` : '';
      const path = quoteText(tablePath(entries, stage, name));
      await session.run(`create view ${quoteName(name)} as select * from read_parquet(${path})${only}`);
    }
    const config = manifest.stages.find((s) => s.name === 'build-features')!
      .config as unknown as BuildFeaturesConfig;
    await prepareTrace({ sql: session, file }, config);
    return await use(session);
  } finally {
    session.close();
    await rm(spillDir, { recursive: true, force: true });
  }
}

/** The source rows of a feature of a stay, and the value that the feature's own SQL makes of them. */
export async function traceFeature(
  session: DuckDbSession,
  feature_id: string,
  stay_id: number,
): Promise<{ readonly rows: readonly FeatureRow[]; readonly value: number | null }> {
  const trace = featureTrace({ file }, feature_id);
  const rows = await session.rows<FeatureRow>(trace.rows, { stay_id });
  const [aggregate] = await session.rows<{ value: number }>(trace.aggregate, { stay_id });
  return { rows, value: aggregate?.value ?? null };
}
