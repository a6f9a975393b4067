/** The release of the extract, as load-mimic told it. */
import { loadReport } from '../../schemas/mimic.js';
import type { MimicRelease } from '../../schemas/mimic-files.js';
import type { StageContext } from '../contract.js';

export interface ToldVersion {
  readonly mimic_version: string;
  readonly version_source: string;
}

/** The one release of load_report. */
export async function readVersion(ctx: StageContext): Promise<ToldVersion> {
  const rows = await ctx.sql.rows<{ mimic_version: string; version_source: string }>(
    'select distinct mimic_version, version_source from load_report order by all',
  );
  if (rows.length === 1) return rows[0]!;
  return ctx.fail({
    message: 'the release of the extract is not told by its load report',
    file: loadReport.name,
    got: rows.map((r) => `${r.mimic_version} (from ${r.version_source})`).join(', ') || 'no row',
    expected: 'one release',
    next: 'run load-mimic on the extract again',
  });
}

/** A release whose row counts every table has to have: one that was told by hashes or by the counts themselves. */
export function publishedRelease({ mimic_version, version_source }: ToldVersion): MimicRelease | undefined {
  const told = ['sha256', 'row counts'].includes(version_source);
  return (['2.2', '3.1', 'demo'] as const).find((r) => told && r === mimic_version);
}
