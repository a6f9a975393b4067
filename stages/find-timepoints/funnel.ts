/** The funnel from orders to drawn moments, and how alike the moments of an admission are. */
import { timepointFunnel } from '../../schemas/rxeval-record.js';
import type { StageContext } from '../contract.js';

const STAGE = 'find-timepoints';

/** What is left after each step; `lost_at` of an order is the number of the step that takes it. */
const ORDER_STEPS = [
  'MAIN orders of the sampled admissions',
  'decisions: no flush, carrier, contrast, vaccine, duplicate, withdrawn order or order of another time',
  'not entered again',
  'not continued: another drug, dose or route than in the day before',
  'not on the list of medications on admission',
  'not routine',
] as const;

const PROFILE_STEP = 'of an admission with a profile';
const EVIDENCE_STEP = 'with a measurement, culture or image before the cut';
const DRAWN_STEP = 'drawn: one of every phase and admission, at most per_phase of a phase';

/** Writes `timepoint_funnel`, in orders, moments and admissions. */
export async function writeFunnel(ctx: StageContext): Promise<void> {
  const left: { step: string; condition: string }[] = ORDER_STEPS.map((step, n) => ({
    step,
    condition: `lost_at is null or lost_at > ${n}`,
  }));
  left.push({ step: PROFILE_STEP, condition: 'lost_at is null and has_profile' });
  left.push({ step: EVIDENCE_STEP, condition: 'lost_at is null and is_eligible' });
  left.push({ step: DRAWN_STEP, condition: 'lost_at is null and is_drawn' });
  const rows = [];
  for (const [step_n, { step, condition }] of left.entries()) {
    const [n] = await ctx.sql.rows<{ orders: number; timepoints: number; admissions: number }>(
      `select count(*) as orders, count(distinct timepoint_id) as timepoints, count(distinct hadm_id) as admissions
       from (
         select j.order_id, j.hadm_id, j.lost_at, m.timepoint_id, m.has_profile, m.is_eligible, coalesce(d.is_drawn, false) as is_drawn
         from judged j
         join moments m on m.hadm_id = j.hadm_id and m.moment_at = j.moment_at
         left join drawn d on d.timepoint_id = m.timepoint_id
       ) where ${condition}`,
    );
    for (const unit of ['orders', 'timepoints', 'admissions'] as const)
      rows.push({ stage: STAGE, step_n, step, unit, n: n![unit] });
  }
  await ctx.sql.insert('timepoint_funnel', timepointFunnel, rows);
}

/** Says of every order that is in no drawn moment why its moment was not drawn. */
export async function dropOrders(ctx: StageContext): Promise<void> {
  const rows = await ctx.sql.rows<{ reason: string; n: number }>(
    `select case
         when m.new_n = 0 then 'no_new_decision'
         when not m.has_profile then 'no_profile'
         when not m.has_evidence then 'no_evidence'
         when not d.is_chosen then 'other_moment_of_phase'
         else 'over_cap'
       end as reason, sum(m.orders_n)::bigint as n
     from moments m
     left join drawn d on d.timepoint_id = m.timepoint_id
     where not coalesce(d.is_drawn, false)
     group by all order by all`,
  );
  for (const { reason, n } of rows) ctx.drop('orders', reason, n);
}

export const DROPS = [
  'no_new_decision',
  'no_profile',
  'no_evidence',
  'other_moment_of_phase',
  'over_cap',
] as const;

/**
 * How alike the answer sets of the moments of an admission are: per admission the mean Jaccard index of the folded drug
 * names over all pairs of its moments, then the mean over the admissions with two moments or more. `moments` is a
 * condition on the moments that count. Null without such an admission.
 */
export async function meanJaccard(ctx: StageContext, moments: string): Promise<number | null> {
  const [row] = await ctx.sql.rows<{ mean: number | null }>(
    `with sets as (
       select m.hadm_id, m.timepoint_id, list(distinct j.drug_fold) as drugs
       from moments m
       join judged j on j.hadm_id = m.hadm_id and j.moment_at = m.moment_at and j.non_decision_reason is null
       left join drawn d on d.timepoint_id = m.timepoint_id
       where ${moments}
       group by all
     ),
     pairs as (
       select a.hadm_id,
         len(list_intersect(a.drugs, b.drugs)) / len(list_distinct(list_concat(a.drugs, b.drugs))) as jaccard
       from sets a join sets b on b.hadm_id = a.hadm_id and b.timepoint_id > a.timepoint_id
     ),
     admissions as (
       -- Sums of ordered values: the mean must not depend on the number of threads.
       select hadm_id, list_sum(list(jaccard order by jaccard)) / count(*) as mean from pairs group by hadm_id
     )
     select list_sum(list(mean order by mean)) / count(*) as mean from admissions`,
  );
  return row!.mean === null ? null : Number(row!.mean.toFixed(6));
}
