/** Declaration of mine-pairs. */
import {
  baseline,
  cohort,
  diagnoses,
  eligibility,
  imputed,
  imputedFlags,
  labels,
  pairs,
  ranges,
  ranks,
  splits,
  thresholds,
} from '../../schemas/supmimic.js';
import { defineStage } from '../contract.js';
import { REGISTRY_FILE } from '../lib/registry.js';
import { minePairsConfig } from './config.js';
import { NEAR_KERNEL, WITHIN_KERNEL, WORKER } from './diagnoses.js';
import { ELIGIBILITY_SQL, run } from './run.js';

/** A pair with patient, split and label of both stays. */
const PAIR_SIDES = `select p.*, ci.subject_id as patient_i, cj.subject_id as patient_j,
    si.split as split_i, sj.split as split_j, li.stay_id is not null as label_i, lj.stay_id is not null as label_j,
    ei.is_eligible and ej.is_eligible as both_eligible
  from pairs p
  left join cohort ci on ci.stay_id = p.stay_i
  left join cohort cj on cj.stay_id = p.stay_j
  left join splits si on si.subject_id = ci.subject_id
  left join splits sj on sj.subject_id = cj.subject_id
  left join labels li on li.dx_code = p.dx_code and li.stay_id = p.stay_i
  left join labels lj on lj.dx_code = p.dx_code and lj.stay_id = p.stay_j
  left join eligibility ei on ei.dx_code = p.dx_code and ei.stay_id = p.stay_i
  left join eligibility ej on ej.dx_code = p.dx_code and ej.stay_id = p.stay_j`;

export const minePairs = defineStage({
  name: 'mine-pairs',
  version: 1,
  seeded: true,
  summary: 'mines near pairs of opposite and far pairs of equal diagnosis',
  inputs: { cohort, imputed, imputed_flags: imputedFlags, labels, ranks, diagnoses, splits },
  outputs: { ranges, eligibility, thresholds, pairs, baseline },
  config: minePairsConfig,
  files: [REGISTRY_FILE, ELIGIBILITY_SQL],
  workers: [WORKER],
  kernels: [WITHIN_KERNEL, NEAR_KERNEL],
  audits: [
    {
      name: 'the stays of a pair belong to different patients of one split, and both are eligible',
      sql: `select dx_code, task, pair_rank from (${PAIR_SIDES})
        where patient_i is null or patient_j is null or patient_i = patient_j or both_eligible is not true
          or split_i is distinct from split or split_j is distinct from split`,
    },
    {
      name: 'DDT pairs a positive with a negative stay, DCT two positive ones in id order',
      sql: `select dx_code, task, pair_rank from (${PAIR_SIDES})
        where not label_i or label_j <> (task = 'dct') or (task = 'dct' and stay_i >= stay_j)`,
    },
    {
      name: 'pairs are ranked 1, 2, ... by distance: DDT rising, DCT falling',
      sql: `select dx_code, task, split, pair_rank from (
          select *, row_number() over w as n, lag(distance) over w as previous from pairs
          window w as (partition by dx_code, task, split order by pair_rank))
        where n <> pair_rank or (task = 'ddt' and distance < previous) or (task = 'dct' and distance > previous)`,
    },
    {
      name: 'the counts of eligible stays agree with the eligibility table',
      sql: `select t.dx_code from thresholds t left join (
          select e.dx_code,
            count(*) filter (where e.is_eligible and l.stay_id is not null) as ep,
            count(*) filter (where e.is_eligible and l.stay_id is null) as en,
            count(*) filter (where not e.is_eligible and l.stay_id is not null) as ip,
            count(*) filter (where not e.is_eligible and l.stay_id is null) as ine
          from eligibility e left join labels l on l.dx_code = e.dx_code and l.stay_id = e.stay_id
          group by e.dx_code) c using (dx_code)
        where (t.eligible_positives_n, t.eligible_negatives_n, t.ineligible_positives_n, t.ineligible_negatives_n)
          is distinct from (c.ep, c.en, c.ip, c.ine)`,
    },
    {
      name: 'BA has each patient once per diagnosis, with the right label and split',
      sql: `select b.dx_code, c.subject_id from baseline b
          left join cohort c using (stay_id)
          left join splits s on s.subject_id = c.subject_id
          left join labels l on l.dx_code = b.dx_code and l.stay_id = b.stay_id
        group by b.dx_code, c.subject_id
        having count(*) > 1 or c.subject_id is null or bool_or(s.split is distinct from b.split)
          or bool_or((l.stay_id is not null) <> (b.label = 1))`,
    },
  ],
  run,
});
