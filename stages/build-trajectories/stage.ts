/** Declaration of build-trajectories. */
import {
  admissions,
  chartevents,
  dItems,
  dLabitems,
  labevents,
  outputevents,
  procedureevents,
} from '../../schemas/mimic.js';
import { dIcdProcedures, microbiologyevents, proceduresIcd } from '../../schemas/mimic-orders.js';
import { reportSections } from '../../schemas/notes.js';
import { EVENT_KINDS, eventItems, events, orders, sampledAdmissions } from '../../schemas/rxeval-record.js';
import { defineStage } from '../contract.js';
import { BuildTrajectoriesConfig } from './config.js';
import { run, SQL_FILES } from './run.js';
import { LIST_FILES } from './tables.js';

export const buildTrajectories = defineStage<BuildTrajectoriesConfig>({
  name: 'build-trajectories',
  version: 1,
  summary: 'builds the events of every sampled admission, each from when it could be known',
  inputs: {
    sampled_admissions: sampledAdmissions,
    admissions,
    orders,
    labevents,
    d_labitems: dLabitems,
    d_items: dItems,
    microbiologyevents,
    procedures_icd: proceduresIcd,
    d_icd_procedures: dIcdProcedures,
    procedureevents,
    report_sections: reportSections,
    chartevents,
    outputevents,
  },
  optional: ['report_sections'],
  outputs: { events, event_items: eventItems },
  config: BuildTrajectoriesConfig,
  files: [...SQL_FILES, ...LIST_FILES],
  audits: [
    {
      name: 'an event has a known kind and a text',
      sql: `select event_id from events
            where trim(text) = '' or kind not in (${EVENT_KINDS.map((k) => `'${k}'`).join(', ')})`,
    },
    {
      name: 'nothing is available before it happened, but for orders',
      sql: `select event_id from events where charted_at > available_at and kind <> 'prescription'`,
    },
    {
      name: 'an event is shown when one of its items is',
      sql: `select event_id from events join event_items using (event_id)
            group by event_id, events.is_shown having bool_or(event_items.is_shown) <> events.is_shown`,
    },
    {
      name: 'every order is an event, available no earlier than it was decided',
      sql: `select o.order_id from orders o left join events e on e.order_id = o.order_id
            where e.order_id is null or e.available_at < o.decided_at`,
    },
  ],
  run,
});
