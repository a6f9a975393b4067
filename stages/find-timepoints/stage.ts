/** Declaration of find-timepoints. */
import { profiledAdmissions } from '../../schemas/notes.js';
import {
  events,
  orders,
  profileSpans,
  sampledAdmissions,
  timepointFunnel,
  timepointOrders,
  timepoints,
} from '../../schemas/rxeval-record.js';
import { defineStage } from '../contract.js';
import { FindTimepointsConfig } from './config.js';
import { DROPS } from './funnel.js';
import { run, SQL_FILES } from './run.js';

export const findTimepoints = defineStage<FindTimepointsConfig>({
  name: 'find-timepoints',
  version: 1,
  summary: 'finds the moments of prescribing and draws one of every phase and admission',
  inputs: {
    sampled_admissions: sampledAdmissions,
    profiled_admissions: profiledAdmissions,
    profile_spans: profileSpans,
    orders,
    events,
  },
  outputs: { timepoints, timepoint_orders: timepointOrders, timepoint_funnel: timepointFunnel },
  config: FindTimepointsConfig,
  files: SQL_FILES,
  seeded: true,
  conserve: [{ input: 'orders', output: 'timepoint_orders', drops: DROPS }],
  audits: [
    {
      name: 'at most one moment of a phase and admission',
      sql: 'select hadm_id from timepoints group by hadm_id, phase having count(*) > 1',
    },
    {
      name: 'the cut is no later than the start or order time of any order of the moment',
      sql: `select timepoint_id from timepoints t join timepoint_orders x using (timepoint_id) join orders o using (order_id)
            where t.cut_at > o.starttime or t.cut_at > o.ordertime`,
    },
    {
      name: 'no order of a moment is an event before its cut',
      sql: `select x.order_id from timepoints t join timepoint_orders x using (timepoint_id)
            join events e on e.order_id = x.order_id where e.available_at < t.cut_at`,
    },
    {
      name: 'a drawn moment has a new decision among its answers',
      sql: `select timepoint_id from timepoint_orders group by timepoint_id
            having count(*) filter (is_answer and prior_class = 'NEW') = 0`,
    },
    {
      name: 'the funnel never widens',
      sql: `select step_n from (
              select *, lag(n) over (partition by unit order by step_n) as before_n from timepoint_funnel)
            where n > before_n`,
    },
  ],
  run,
});
