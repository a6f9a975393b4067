import { admissions } from '../../schemas/mimic.js';
import { discharge, radiology, radiologyDetail } from '../../schemas/mimic-orders.js';
import { dischargeNotes, noteSections, radiologyReports, reportSections } from '../../schemas/notes.js';
import { sampledAdmissions } from '../../schemas/rxeval-record.js';
import { defineStage } from '../contract.js';
import { type Config, config } from './config.js';
import { NOTE_DROPS, NOTE_HEADERS_FILE, REPORT_DROPS, REPORT_HEADERS_FILE, run, SQL_FILES } from './run.js';

export const splitNotes = defineStage<Config>({
  name: 'split-notes',
  version: 1,
  summary: 'cuts discharge notes and radiology reports into their sections',
  inputs: {
    sampled_admissions: sampledAdmissions,
    admissions,
    discharge,
    radiology,
    radiology_detail: radiologyDetail,
  },
  outputs: {
    note_sections: noteSections,
    discharge_notes: dischargeNotes,
    report_sections: reportSections,
    radiology_reports: radiologyReports,
  },
  config,
  files: [NOTE_HEADERS_FILE, REPORT_HEADERS_FILE, ...SQL_FILES],
  conserve: [
    { input: 'discharge', output: 'discharge_notes', drops: NOTE_DROPS },
    { input: 'radiology', output: 'radiology_reports', drops: REPORT_DROPS },
  ],
  audits: [
    {
      name: 'the parts of a note follow one another',
      sql: `select note_id from (select *, lag(end_n, 1, 0) over (partition by note_id order by part_n) as before_n
              from note_sections) where header_start_n < before_n or start_n < header_start_n or end_n < start_n`,
    },
    {
      name: 'a text is as long as its place',
      sql: `select note_id from note_sections where length(text) > end_n - start_n`,
    },
    {
      name: 'a report is not available before its exam or its storing',
      sql: `select note_id from report_sections where available_at < charttime or available_at < storetime`,
    },
  ],
  run,
});
