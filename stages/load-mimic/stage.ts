/** Declaration of load-mimic. */

import { LOCK_FILE } from '../../schemas/lock.js';
import { loadReport, refusedParents } from '../../schemas/mimic.js';
import { defineStage } from '../contract.js';
import { checkFiles, dropReasons } from '../lib/load/tables.js';
import { LoadMimicConfig } from './config.js';
import { FACTS_FILE, KEPT_OUT_FILE } from './items.js';
import { run } from './run.js';
import { LOADED } from './tables.js';

export const loadMimic = defineStage<LoadMimicConfig>({
  name: 'load-mimic',
  version: 1,
  summary: 'reads the MIMIC-IV files into checked, typed tables',
  inputs: { extract: { kind: 'folder', doc: 'hosp/ and icu/ of a MIMIC-IV release, as csv or csv.gz' } },
  outputs: {
    ...Object.fromEntries(LOADED.map((t) => [t.name, t.schema])),
    load_report: loadReport,
    refused_parents: refusedParents,
  },
  config: LoadMimicConfig,
  files: [LOCK_FILE, FACTS_FILE, KEPT_OUT_FILE, ...checkFiles(LOADED)],
  conserve: LOADED.map((t) => ({ input: t.source, output: t.name, drops: dropReasons(t) })),
  audits: [
    {
      name: 'every stay has its admission and patient',
      sql: `select s.stay_id from icustays s
            left join admissions a on a.hadm_id = s.hadm_id and a.subject_id = s.subject_id
            left join patients p on p.subject_id = s.subject_id
            where a.hadm_id is null or p.subject_id is null`,
    },
    {
      name: 'charted rows belong to a loaded stay',
      sql: ['chartevents', 'inputevents', 'outputevents', 'procedureevents']
        .map((t) => `select e.stay_id from ${t} e anti join icustays s using (stay_id, hadm_id, subject_id)`)
        .join(' union all '),
    },
    {
      name: 'numbers are finite',
      sql: `select labevent_id from labevents where not isfinite(valuenum)
            union all select itemid from chartevents where not isfinite(valuenum)`,
    },
  ],
  // The limit is per file and configurable, and holds before the rejects are collected (max_reject_share).
  rejectLimit: 1,
  run,
});
