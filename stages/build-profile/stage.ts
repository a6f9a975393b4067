import { admissions, dIcdDiagnoses, diagnosesIcd } from '../../schemas/mimic.js';
import { noteSections, profiledAdmissions, profileFindings, profileLeaks } from '../../schemas/notes.js';
import { orders, profileSpans, profiles, sampledAdmissions } from '../../schemas/rxeval-record.js';
import { defineStage } from '../contract.js';
import { type Config, config } from './config.js';
import { DROPS, FILES, purposesOf, run } from './run.js';

export const buildProfile = defineStage<Config>({
  name: 'build-profile',
  version: 1,
  summary: 'the patient before admission: allowed sections of the note, tables, and Unknown for the rest',
  inputs: {
    sampled_admissions: sampledAdmissions,
    admissions,
    diagnoses_icd: diagnosesIcd,
    d_icd_diagnoses: dIcdDiagnoses,
    orders,
    note_sections: noteSections,
  },
  outputs: {
    profiles,
    profile_spans: profileSpans,
    profiled_admissions: profiledAdmissions,
    profile_leaks: profileLeaks,
    profile_findings: profileFindings,
  },
  config,
  models: purposesOf,
  // About 500 tokens of instructions, 300 of schema, and 1,000 to 2,000 of allowed text, most of which comes back.
  estimate: (config) =>
    purposesOf(config).map((purpose) => ({
      purpose,
      per_row_of: 'sampled_admissions',
      calls: 1,
      calls_at_most: 1,
      prompt_tokens: 2500,
      reply_tokens: 1500,
    })),
  files: FILES,
  conserve: [{ input: 'sampled_admissions', output: 'profiled_admissions', drops: DROPS }],
  // How many replies are of no use says something about the model; past max_failed_share the build stops.
  rejectLimit: 1,
  audits: [
    {
      name: 'no field holds a mask',
      sql: `select hadm_id from profiles where contains(text, '___')
        union all select hadm_id from profile_spans
        where contains(text, '___') or contains(coalesce(name, ''), '___') or contains(coalesce(dose_text, ''), '___')`,
    },
    {
      name: 'every profile has its ten sections',
      sql: `select a.hadm_id from profiled_admissions a left join profiles p using (hadm_id)
        group by a.hadm_id having count(p.section) <> 10`,
    },
    // Places count UTF-16 code units, SQL counts characters: the two agree in plain text.
    {
      name: 'a span is the text of its section at its place',
      sql: `select span_id from profile_spans s join profiles p using (hadm_id, section)
        where strlen(p.text) = length(p.text) and substring(p.text, s.start_n + 1, s.end_n - s.start_n) <> s.text`,
    },
    {
      name: 'a section without spans is unknown',
      sql: `select p.hadm_id from profiles p left join profile_spans s using (hadm_id, section)
        group by p.hadm_id, p.section, p.text having (count(s.span_id) = 0) <> (p.text = 'Unknown')`,
    },
  ],
  run,
});
