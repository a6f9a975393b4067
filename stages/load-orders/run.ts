/** Orders, cultures, procedures, movements and notes become typed tables, under the checks of load-mimic. */
import { ordersReport } from '../../schemas/mimic-orders.js';
import type { SqlRow, StageContext } from '../contract.js';
import { inspectExtract } from '../lib/load/files.js';
import { createRefused, dropWorkTables, loadTable } from '../lib/load/load-table.js';
import type { LoadedTable } from '../lib/load/tables.js';
import { countWeak, failOnCounts, knownSums, truncationCheck, wrongCounts } from '../lib/load/wholeness.js';
import type { LoadOrdersConfig } from './config.js';
import { checkProcedures } from './lookups.js';
import { LOADED } from './tables.js';
import { publishedRelease, readVersion } from './version.js';

/** Runs the stage. */
export async function run(ctx: StageContext, config: LoadOrdersConfig): Promise<void> {
  const version = await readVersion(ctx);
  const files = await inspectExtract(ctx, LOADED);
  const known = await knownSums(ctx, files);
  const release = publishedRelease(version);
  const wrong = release ? wrongCounts(files, release) : [];
  if (release && wrong.length > 0) failOnCounts(ctx, files, release, wrong);
  await createRefused(ctx);
  await ctx.sql.run('insert into refused select "table", id from refused_parents');
  const total = [...files.values()].reduce((sum, f) => sum + f.file.bytes, 0);
  let done = total;
  const report = [];
  for (const t of LOADED) {
    const found = files.get(t.source);
    if (!found) {
      report.push({ ...(await leaveEmpty(ctx, t)), ...version });
      continue;
    }
    ctx.progress(done, 2 * total, `loading ${t.source}`);
    const loaded = await loadTable(ctx, { limits: config }, t, { ...found, items: '' });
    await dropWorkTables(ctx);
    const { sha256, bytes, records } = found.report;
    const truncation_check = truncationCheck(t.source, found, known.has(t.source), release);
    report.push({
      table: t.source,
      is_present: true,
      sha256,
      bytes,
      records,
      ...loaded,
      truncation_check,
      ...version,
    });
    done += found.file.bytes;
  }
  await checkProcedures(ctx);
  countWeak(
    ctx,
    report.filter((r) => r.is_present),
  );
  await ctx.sql.insert('orders_report', ordersReport, report as SqlRow[]);
}

/** The table of a file that the extract lacks: empty, and everybody is told. Returns its part of the report. */
async function leaveEmpty(ctx: StageContext, t: LoadedTable) {
  await ctx.sql.insert(t.name, t.schema, []);
  ctx.records(t.source, 0);
  ctx.count(`absent.${t.source}`, 1);
  ctx.log(`${t.source}: the extract has no such file; the table is empty`);
  return {
    table: t.source,
    is_present: false,
    sha256: null,
    bytes: 0,
    records: 0,
    loaded: 0,
    rejected: 0,
    duplicates: 0,
    dropped: 0,
    truncation_check: 'absent: the extract has no such file, so the table is empty',
  };
}
