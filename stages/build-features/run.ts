/** Runs build-features: values in a long table, then scattered into typed columns of the wide one. */
import { FEATURE_IDS, features as featuresTable } from '../../schemas/supmimic.js';
import type { ColumnData, StageContext } from '../contract.js';
import type { BuildFeaturesConfig } from './config.js';
import { computeFeatures } from './features.js';

/** Features moved at once from the long table into columns; bounds the memory of the transfer. */
const BLOCK = 56;

export async function run(ctx: StageContext, config: BuildFeaturesConfig): Promise<void> {
  await computeFeatures(ctx, config);
  await writeWide(ctx);
  await reportCounts(ctx);
}

async function writeWide(ctx: StageContext): Promise<void> {
  const { stays, columns } = await emptyColumns(ctx);
  for (let from = 0; from < FEATURE_IDS.length; from += BLOCK) {
    const ids = FEATURE_IDS.slice(from, from + BLOCK);
    const long = await ctx.sql.matrix(`
      select cast(s.place as double) as stay, cast(cast(substr(v.feature_id, 2) as integer) - 1 as double) as feature, v.value
      from feature_values v
      join (select stay_id, row_number() over (order by stay_id) - 1 as place from cohort) s on s.stay_id = v.stay_id
      where v.feature_id between '${ids[0]}' and '${ids.at(-1)}'`);
    const [stay, feature, value] = [0, 1, 2].map((j) =>
      long.data.subarray(j * long.rows, (j + 1) * long.rows),
    );
    for (let i = 0; i < long.rows; i++) {
      const column = columns[feature![i]!]!;
      if (!Number.isNaN(column[stay![i]!]!)) ctx.fail(twice(FEATURE_IDS[feature![i]!]!));
      column[stay![i]!] = value![i]!;
    }
  }
  const named: Record<string, ColumnData> = { stay_id: stays };
  for (const [j, id] of FEATURE_IDS.entries()) named[id] = columns[j]!;
  await ctx.sql.insertColumns('features', featuresTable, named);
}

async function emptyColumns(ctx: StageContext): Promise<{ stays: Int32Array; columns: Float64Array[] }> {
  const ids = await ctx.sql.matrix('select cast(stay_id as double) as stay_id from cohort order by stay_id');
  const columns = FEATURE_IDS.map(() => new Float64Array(ids.rows).fill(Number.NaN));
  return { stays: Int32Array.from(ids.data), columns };
}

const twice = (feature_id: string) => ({
  message: `feature ${feature_id} was computed twice for one stay`,
  next: 'this is a fault of the feature SQL',
});

/** What the rules removed or changed, and texts that no rule knows. */
async function reportCounts(ctx: StageContext): Promise<void> {
  const rows = await ctx.sql.rows<Record<string, number> & { feature_id: string }>(
    'select * from feature_report order by feature_id',
  );
  for (const row of rows) {
    for (const kind of ['implausible_n', 'converted_n', 'censored_n'] as const) {
      if (row[kind]! > 0) ctx.count(`${kind.replace('_n', '')}.${row.feature_id}`, row[kind]!);
    }
  }
  const lost = await ctx.sql.rows<{ what: string; n: number }>(await lostQuery());
  for (const { what, n } of lost) if (n > 0) ctx.count(what, n);
}

/** Rows that a rule refuses for their unit or text, counted per itemid or reason. */
async function lostQuery(): Promise<string> {
  return `
    select 'unknown_first_careunit' as what, count(*) as n from attribute_row
    where attribute = 'first_careunit' and folded not in (
      select a.folded from attribute_row a join attribute_rule r on r.attribute = a.attribute
      where a.attribute = 'first_careunit' and regexp_matches(a.folded, r.pattern))
    union all
    select 'fahrenheit_in_celsius_field', count(*) from series_row
    where itemid = 223762 and valuenum > 50 and why_not is null and series = 'temperature'
    union all
    select concat('lab_unit_refused.', itemid), count(*) from lab_row where is_unit_refused and in_window group by itemid
    union all
    select concat('lab_without_number.', itemid), count(*) from lab
    where in_window and parsed is null and itemid <> 52033 group by itemid
    union all
    select concat('pressor_row.', replace(why_not, ' ', '_')), count(*) from pressor_row where why_not is not null group by why_not
    union all
    select concat('output_row.', replace(why_not, ' ', '_')), count(*) from output_row where why_not is not null group by why_not
    union all
    select concat('input_row.', replace(why_not, ' ', '_')), count(*) from input_row where why_not is not null group by why_not
    union all
    select concat('input_unit_refused.', i.itemid), count(*)
    from input_row i join input_item r on r.itemid = i.itemid and r.operation = 'sum'
    left join input_unit u on u.unit = r.unit and lower(u.amountuom) = lower(trim(i.amountuom))
    where i.why_not is null and u.unit is null group by i.itemid
    order by what`;
}
