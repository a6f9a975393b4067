/** Reads the inputs of the report: counts and numbers only, no row of a patient. */
import type { StageContext } from '../contract.js';

export interface LoadRow {
  readonly table: string;
  readonly records: number;
  readonly loaded: number;
  readonly rejected: number;
  readonly duplicates: number;
  readonly dropped: number;
  readonly truncation_check: string;
}

export interface FlowRow {
  readonly step: number;
  readonly reason: string;
  readonly doc: string;
  readonly excluded_stays_n: number;
  readonly stays_n: number;
  readonly patients_n: number;
}

export interface FeatureRow {
  readonly feature_id: string;
  readonly stays_n: number;
  readonly rows_n: number;
  readonly implausible_n: number;
  readonly converted_n: number;
  readonly censored_n: number;
  readonly method: string;
  readonly imputed_n: number;
}

export interface StepRow {
  readonly step: number;
  readonly name: string;
  readonly doc: string;
  readonly labels_before: number;
  readonly labels_after: number;
}

export interface DiagnosisRow {
  readonly dx_code: string;
  readonly title: string;
  readonly category: number | null;
  readonly category_name: string | null;
  readonly positives_n: number;
  readonly completeness_positives: number | null;
  readonly is_drift_flagged: boolean;
  readonly k: number;
  readonly theta: number | null;
  readonly phi: number | null;
  readonly positive_pairs_n: number;
  readonly eligible_positives_n: number;
  readonly eligible_negatives_n: number;
  readonly ineligible_positives_n: number;
  readonly ineligible_negatives_n: number;
  readonly ddt_n: number;
  readonly dct_n: number;
  readonly ba_positives_n: number;
  readonly ba_negatives_n: number;
  readonly trees_n: number;
  readonly half_overlap_n: number;
}

export interface PairRow {
  readonly dx_code: string;
  readonly task: string;
  readonly split: string;
  readonly distance: number;
}

export interface ReuseRow {
  readonly items_n: number;
  readonly patients_n: number;
}

export interface ItemRow {
  readonly config: string;
  readonly split: string;
  readonly items_n: number;
  readonly pairs_n: number;
  readonly positives_n: number;
  readonly diagnoses_n: number;
  readonly patients_n: number;
}

export interface Inputs {
  readonly load: readonly LoadRow[];
  readonly flow: readonly FlowRow[];
  readonly features: readonly FeatureRow[];
  readonly steps: readonly StepRow[];
  readonly status: readonly { status: string; labels_n: number }[];
  readonly rules: readonly { rule: string; codes_n: number; stay_codes_n: number }[];
  readonly diagnoses: readonly DiagnosisRow[];
  readonly k_sweep: readonly { k: number; union_n: number; utilisation: number }[];
  readonly pairs: readonly PairRow[];
  readonly items: readonly ItemRow[];
  readonly reuse: readonly ReuseRow[];
  readonly totals: { readonly stays_n: number; readonly patients_n: number; readonly labels_n: number };
  readonly union_n: number;
}

/** One row an item: config, split, pair, label, diagnosis, patient. */
export const ITEMS_SQL = `
  with shown as (
    select 'ba' as config, split, dx_code, label, stay_id, null as pair_rank from baseline
    union all select task, split, dx_code, 1, stay_i, pair_rank from pairs
    union all select task, split, dx_code, case task when 'ddt' then 0 else 1 end, stay_j, pair_rank from pairs)
  select s.*, c.subject_id from shown s join cohort c using (stay_id)`;

/** All inputs, each in a fixed order. */
export async function readInputs(ctx: StageContext): Promise<Inputs> {
  const { sql } = ctx;
  const [totals] = await sql.rows<Inputs['totals']>(`
    select count(*) as stays_n, count(distinct subject_id) as patients_n,
      (select count(*) from diagnoses) as labels_n from cohort`);
  const [union] = await sql.rows<{ n: number }>(
    'select count(distinct feature_id) as n from ranks r join thresholds t using (dx_code) where r.rank <= t.k',
  );
  return {
    load: await sql.rows(`select "table", records, loaded, rejected, duplicates, dropped, truncation_check
      from load_report order by "table"`),
    flow: await sql.rows('select * from cohort_flow order by step'),
    features:
      await sql.rows(`select f.feature_id, f.stays_n, f.rows_n, f.implausible_n, f.converted_n, f.censored_n,
      v.method, v.imputed_n from feature_report f join impute_values v using (feature_id) order by f.feature_id`),
    steps: await sql.rows('select * from selection_steps order by step'),
    status: await sql.rows(
      'select status, count(*) as labels_n from diagnoses group by status order by labels_n desc, status',
    ),
    rules:
      await sql.rows(`select rule, count(*) as codes_n, sum(stays_n)::bigint as stay_codes_n from code_map
      group by rule order by codes_n desc, rule`),
    diagnoses: await sql.rows(`
      select d.dx_code, d.title, d.category, d.category_name, d.positives_n, d.completeness_positives, d.is_drift_flagged,
        t.* exclude (dx_code), s.trees_n, s.half_overlap_n
      from diagnoses d join thresholds t using (dx_code) join rank_summary s using (dx_code)
      where d.is_selected order by d.dx_code`),
    k_sweep: await sql.rows('select * from k_sweep order by k'),
    pairs: await sql.rows(
      'select dx_code, task, split, distance from pairs order by dx_code, task, split, pair_rank',
    ),
    items: await sql.rows(`
      with items as (${ITEMS_SQL}),
        wanted as (select * from (values ('ba'), ('ddt'), ('dct')) v(config) cross join (select distinct split from splits) s)
      select w.config, w.split, count(i.stay_id) as items_n,
        count(distinct (i.dx_code, i.pair_rank)) filter (where i.pair_rank is not null) as pairs_n,
        count(*) filter (where i.label = 1) as positives_n, count(distinct i.dx_code) as diagnoses_n,
        count(distinct i.subject_id) as patients_n
      from wanted w left join items i on i.config = w.config and i.split = w.split
      group by w.config, w.split order by w.config, w.split`),
    reuse: await sql.rows(`
      with n as (select subject_id, count(*) as items_n from (${ITEMS_SQL}) group by subject_id)
      select items_n, count(*) as patients_n from n group by items_n order by items_n`),
    totals: totals!,
    union_n: union!.n,
  };
}
