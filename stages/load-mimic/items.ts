/** The contract on itemids: every item that the registry reads still means what it meant (P21), and every row finds its item. */

import type { StageContext } from '../contract.js';
import { type CsvRecord, parseCsv } from '../lib/csv.js';
import type { LoadMimicConfig } from './config.js';

export const FACTS_FILE = 'raw/mimic/itemid-facts.csv';
export const KEPT_OUT_FILE = 'stages/load-mimic/kept-out-itemids.csv';
const LABS = 'hosp.labevents';

interface DictionaryRow {
  readonly itemid: number;
  readonly label: string | null;
  readonly fluid: string | null;
  readonly category: string | null;
  readonly linksto: string | null;
}

/** Creates `wanted_items` (source, itemid as text): what the registry reads from each table. Returns a pattern of each. */
export async function createWantedItems(
  ctx: StageContext,
  config: LoadMimicConfig,
): Promise<Map<string, string>> {
  const facts = parseCsv(ctx.file(FACTS_FILE), FACTS_FILE);
  const rows = [
    ...facts.map((f) => `('${f.table}', '${Number(f.itemid)}')`),
    ...config.extra_chart_items.map((id) => `('icu.chartevents', '${id}')`),
  ];
  await ctx.sql.run(
    `create table wanted_items as select distinct * from (values ${rows.join(', ')}) as t(source, itemid)`,
  );
  const patterns = await ctx.sql.rows<{ source: string; items: string }>(
    `select source, string_agg(itemid, '|' order by itemid) as items from wanted_items group by source`,
  );
  return new Map(patterns.map((p) => [p.source, p.items]));
}

/** Compares the dictionaries of the extract with the facts, and creates `moved_items` for the lab rows that follow. */
export async function checkItems(ctx: StageContext, config: LoadMimicConfig): Promise<void> {
  const facts = parseCsv(ctx.file(FACTS_FILE), FACTS_FILE);
  const dictionary = new Map(
    (
      await ctx.sql.rows<DictionaryRow>(`
        select itemid, label, fluid, category, null as linksto from d_labitems
        union all select itemid, label, null, category, linksto from d_items`)
    ).map((row) => [row.itemid, row]),
  );
  const missing = facts.filter((f) => !dictionary.has(Number(f.itemid)));
  const changed = facts.flatMap((f) => {
    const row = dictionary.get(Number(f.itemid));
    const is_accepted = config.accepted_items.includes(Number(f.itemid));
    const difference = row && !is_accepted && differenceOf(f, row);
    return difference ? [`${f.itemid}: ${difference}`] : [];
  });
  if (changed.length > 0) {
    ctx.fail({
      message: 'itemids of the feature registry mean something else in this extract',
      got: changed.join('; '),
      expected: `the labels of ${FACTS_FILE}`,
      next: 'use release 2.2 or 3.1 (in 3.0 several lab itemids were changed by accident), or list them in accepted_items after looking',
    });
  }
  ctx.count('items_known', facts.length - missing.length);
  ctx.count('items_missing', missing.length);
  if (facts.length - missing.length < config.min_match * facts.length) {
    ctx.fail({
      message: 'the dictionaries lack itemids of the feature registry',
      got: `${missing.length} of ${facts.length}: ${missing
        .slice(0, 20)
        .map((f) => f.itemid)
        .join(', ')}`,
      expected: `at least ${config.min_match * 100} % known`,
      next: 'check that hosp/d_labitems and icu/d_items are complete',
    });
  }
  await createMovedItems(ctx, facts, config.kept_out_items);
}

const folded = (text: string | null | undefined): string =>
  (text ?? '').toLowerCase().replace(/\s+/g, ' ').trim();

/** A label may have grown a suffix since the facts were taken (225664 has); case and blanks do not matter. */
function differenceOf(fact: CsvRecord, row: DictionaryRow): string | undefined {
  if (!folded(row.label).startsWith(folded(fact.label))) return `label ${row.label}, not ${fact.label}`;
  if (fact.table === LABS) {
    if (row.fluid !== fact.fluid) return `fluid ${row.fluid}, not ${fact.fluid}`;
    return row.category === fact.category ? undefined : `category ${row.category}, not ${fact.category}`;
  }
  const linksto = fact.table!.split('.')[1];
  return row.linksto === linksto ? undefined : `linksto ${row.linksto}, not ${linksto}`;
}

/**
 * The dictionary has many twins: itemids with the label, fluid and category of a registry item (20 in the demo, none
 * with a row). Their results are refused, not merged; the kept-out list names twins that are known to be another assay.
 */
async function createMovedItems(
  ctx: StageContext,
  facts: readonly CsvRecord[],
  more: readonly number[],
): Promise<void> {
  const kept_out = parseCsv(ctx.file(KEPT_OUT_FILE), KEPT_OUT_FILE).map((r) => Number(r.itemid));
  const labs = facts.filter((f) => f.table === LABS).map((f) => Number(f.itemid));
  await ctx.sql.run(`
    create table moved_items as
    select min(r.itemid) as itemid, d.itemid as other, d.label, d.fluid, d.category
    from d_labitems r
    join d_labitems d on d.label = r.label and d.fluid = r.fluid and d.category = r.category
    where r.itemid in (${labs.join(', ')}) and d.itemid not in (${[...labs, ...kept_out, ...more].join(', ')})
    group by all`);
}

/** Fails when a lab of the registry has too many rows under an itemid that is not read. */
export async function checkMoved(ctx: StageContext, config: LoadMimicConfig): Promise<void> {
  const moved = await ctx.sql.rows<{
    itemid: number;
    other: number;
    label: string;
    n: number;
    read: number;
  }>(`
    select m.itemid, m.other, m.label, v.n, (select count(*) from labevents l where l.itemid = m.itemid) as read
    from (select got::integer as other, count(*) as n from verdicts where reason = 'itemid_moved' group by all) v
    join moved_items m using (other) order by other`);
  ctx.count(
    'itemid_moved',
    moved.reduce((sum, m) => sum + m.n, 0),
  );
  for (const m of moved) {
    ctx.log(
      `itemid ${m.other} carries label, fluid and category of ${m.itemid} (${m.label}), which the registry reads: ${m.n} of its rows refused, ${m.read} rows of ${m.itemid} kept`,
    );
    if (m.n > config.free_rejects && m.n > config.max_moved_share * (m.n + m.read)) {
      ctx.fail({
        message: `lab ${m.label} has moved to another itemid`,
        file: LABS,
        field: 'itemid',
        got: `${m.n} rows of ${m.other}, ${m.read} rows of ${m.itemid}`,
        expected: `at most ${config.max_moved_share * 100} % under another itemid`,
        next: 'use release 2.2 or 3.1, or list the itemid in kept_out_items if it is known to be another test',
      });
    }
  }
}

/** Match rates of the lookups; unmatched rows stay, too many of them stop the build. */
export async function checkLookups(ctx: StageContext, config: LoadMimicConfig): Promise<void> {
  const items = (table: string): string =>
    `select count(*) as n, count(d.itemid) as matched from ${table} e left join d_items d on d.itemid = e.itemid and d.linksto = '${table}'`;
  const lookups: Record<string, string> = {
    diagnoses_icd:
      'select count(*) as n, count(d.icd_code) as matched from diagnoses_icd e left join d_icd_diagnoses d using (icd_version, icd_code)',
    labevents:
      'select count(*) as n, count(d.itemid) as matched from labevents e left join d_labitems d using (itemid)',
    ...Object.fromEntries(
      ['chartevents', 'inputevents', 'outputevents', 'procedureevents'].map((t) => [t, items(t)]),
    ),
  };
  for (const [table, sql] of Object.entries(lookups)) {
    const [{ n, matched }] = (await ctx.sql.rows<{ n: number; matched: number }>(sql)) as [
      { n: number; matched: number },
    ];
    ctx.count(`lookup.${table}.rows`, n);
    ctx.count(`lookup.${table}.matched`, matched);
    if (matched < config.min_match * n) {
      ctx.fail({
        message: `too few rows of ${table} find their entry in the dictionary`,
        got: `${matched} of ${n}`,
        expected: `at least ${config.min_match * 100} %`,
        next: 'check that table and dictionary come from the same release',
      });
    }
  }
  const [icd] = await ctx.sql.rows<{ n: number }>(
    'select count(*) as n from diagnoses_icd e anti join d_icd_diagnoses d using (icd_version, icd_code)',
  );
  ctx.count('icd_without_dictionary', icd!.n);
}

/** Registry items without a single row would make features silently empty (P22): counted, and named in the log. */
export async function countSilentItems(ctx: StageContext): Promise<void> {
  for (const table of ['labevents', 'chartevents', 'inputevents', 'outputevents', 'procedureevents']) {
    const silent = await ctx.sql.rows<{ itemid: number }>(`
      select itemid::integer as itemid from wanted_items where split_part(source, '.', 2) = '${table}'
      and itemid::integer not in (select itemid from ${table}) order by 1`);
    ctx.count(`items_without_rows.${table}`, silent.length);
    if (silent.length > 0) ctx.log(`${table}: no row of ${silent.map((r) => r.itemid).join(', ')}`);
  }
}
