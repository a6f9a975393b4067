/** Declaration of gather-orders. */
import { emar, pharmacy, poe, prescriptions } from '../../schemas/mimic-orders.js';
import { orders, sampledAdmissions } from '../../schemas/rxeval-record.js';
import { defineStage } from '../contract.js';
import { GatherOrdersConfig } from './config.js';
import { NON_DECISIONS, ROUTINE } from './readings.js';
import { DROPS, GIVEN_EVENTS, run, SQL_FILES } from './run.js';

export const gatherOrders = defineStage<GatherOrdersConfig>({
  name: 'gather-orders',
  version: 1,
  summary: 'gathers the orders of the sampled admissions and marks which are no new decisions',
  inputs: { sampled_admissions: sampledAdmissions, prescriptions, pharmacy, poe, emar },
  optional: ['emar'],
  outputs: { orders },
  config: GatherOrdersConfig,
  files: [...SQL_FILES, GIVEN_EVENTS, NON_DECISIONS, ROUTINE],
  conserve: [{ input: 'prescriptions', output: 'orders', drops: Object.keys(DROPS) }],
  audits: [
    {
      name: 'an order is part of the record at the earlier of its start and its order time',
      sql: `select order_id from orders where decided_at <> least(starttime, ordertime)`,
    },
    {
      name: 'no stop lies before its start',
      sql: 'select order_id from orders where stoptime < starttime',
    },
  ],
  run,
});
