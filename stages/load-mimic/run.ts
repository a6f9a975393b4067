/** MIMIC-IV files become typed tables: read, checked against their parents, and accounted for to the last record. */
import { loadReport } from '../../schemas/mimic.js';
import type { StageContext } from '../contract.js';
import { inspectExtract } from '../lib/load/files.js';
import { createRefused, dropWorkTables, loadTable } from '../lib/load/load-table.js';
import { countWeak } from '../lib/load/wholeness.js';
import type { LoadMimicConfig } from './config.js';
import { checkItems, checkLookups, checkMoved, countSilentItems, createWantedItems } from './items.js';
import { tablesFor } from './tables.js';
import { decideVersion } from './version.js';

/** Runs the stage. */
export async function run(ctx: StageContext, config: LoadMimicConfig): Promise<void> {
  const tables = tablesFor(config);
  const files = await inspectExtract(ctx, tables);
  const version = await decideVersion(ctx, files, config);
  ctx.log(`MIMIC-IV ${version.version}, told by ${version.source}`);
  const items = await createWantedItems(ctx, config);
  await createRefused(ctx);
  const options = { limits: config, values: { far_days: String(config.far_days) } };
  const total = [...files.values()].reduce((sum, f) => sum + f.file.bytes, 0);
  let done = total;
  const report = [];
  for (const t of tables) {
    const from = { ...files.get(t.source)!, items: items.get(t.source) ?? '' };
    ctx.progress(done, 2 * total, `loading ${t.source}`);
    const loaded = await loadTable(ctx, options, t, from);
    if (t.name === 'labevents') await checkMoved(ctx, config);
    await dropWorkTables(ctx);
    await afterTable(ctx, config, t.name);
    report.push({
      table: t.source,
      sha256: from.report.sha256,
      bytes: from.report.bytes,
      records: from.report.records,
      ...loaded,
      truncation_check: version.checks.get(t.source)!,
      mimic_version: version.version,
      version_source: version.source,
    });
    done += from.file.bytes;
  }
  await checkLookups(ctx, config);
  await countSilentItems(ctx);
  countWeak(ctx, report);
  await ctx.sql.insert('load_report', loadReport, report);
  await ctx.sql.run('create view refused_parents as select distinct source as "table", id from refused');
}

/** What later tables need from the ones before them. */
async function afterTable(ctx: StageContext, config: LoadMimicConfig, name: string): Promise<void> {
  if (name === 'icustays') {
    await ctx.sql.run(
      'create type icu_subjects as enum (select distinct subject_id::varchar as id from icustays order by id)',
    );
  }
  if (name === 'd_labitems') await checkItems(ctx, config);
  if (name === 'admissions') await countOverlaps(ctx);
}

/** Admissions of one patient that overlap are kept (P11): no lab is assigned by its admission. They are counted. */
async function countOverlaps(ctx: StageContext): Promise<void> {
  const [pairs] = await ctx.sql.rows<{ n: number }>(`
    select count(*) as n from admissions a join admissions b on a.subject_id = b.subject_id and a.hadm_id < b.hadm_id
    where a.admittime < b.dischtime and b.admittime < a.dischtime`);
  ctx.count('overlapping_admissions', pairs!.n);
}
