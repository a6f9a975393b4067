/** note.radiology and note.radiology_detail: reports, and the addenda and orphans of dirty_rows.csv. */
import { plants, record, type Subject } from './context.js';
import { reportText } from './report-text.js';
import type { DrawnReport } from './reports.js';
import type { NoteRow } from './rows.js';
import { HOUR, MINUTE, timeText } from './time.js';

const TABLE = 'note.radiology';

/** Appends the rows of all reports, faults included; `reason` is what the first reports were asked for. */
export function reportRows(s: Subject, reports: readonly DrawnReport[], reason: string): void {
  const who = s.person.isFemale ? 'woman' : 'man';
  for (const report of reports) {
    const r = s.stream(`report text ${report.seq}`);
    const row = noteRow(s, report, reportText(report, who, reason, r));
    s.rows.radiology.push(row);
    detail(s, row.note_id, 'exam_code', examCode(report.examName), 1);
    detail(s, row.note_id, 'exam_name', report.examName, 1);
    if (report.layout !== 'FINDINGS + IMPRESSION') noteLayout(s, row, report);
  }
  plantReportFaults(s, reports);
}

function noteRow(s: Subject, report: DrawnReport, text: string): NoteRow {
  return {
    note_id: report.noteId,
    subject_id: s.subject_id,
    hadm_id: report.hadmId,
    note_type: 'RR',
    note_seq: report.seq,
    charttime: report.charttime,
    storetime: report.storetime,
    text,
  };
}

function detail(
  s: Subject,
  note_id: string,
  field_name: string,
  field_value: string,
  field_ordinal: number,
): void {
  s.rows.radiology_detail.push({ note_id, subject_id: s.subject_id, field_name, field_value, field_ordinal });
}

/** Exam codes are our own: a letter for the modality and the length of the name. */
const examCode = (name: string): string => `${name[0]}${name.length}`;

function noteLayout(s: Subject, row: NoteRow, report: DrawnReport): void {
  record(s, 'D87', {
    table: TABLE,
    key: `note_id=${row.note_id}`,
    column: 'text',
    clean_value: 'FINDINGS + IMPRESSION',
    dirty_value: report.layout,
    expectation: `findings: ${report.findings}\nimpression: ${report.impression}`,
  });
}

/** A report that another fault has not touched, chosen by a stream of the fault. */
function chosen(s: Subject, id: string, used: Set<string>): NoteRow {
  const free = s.rows.radiology.filter((x) => x.note_type === 'RR' && !used.has(x.note_id));
  const row = s.stream(`${id} report`).pick(free.length > 0 ? free : s.rows.radiology);
  used.add(row.note_id);
  return row;
}

function plantReportFaults(s: Subject, reports: readonly DrawnReport[]): void {
  const used = new Set<string>();
  if (plants(s, 'D85')) {
    const row = chosen(s, 'D85', used);
    record(s, 'D85', {
      table: TABLE,
      key: `note_id=${row.note_id}`,
      column: 'hadm_id',
      clean_value: row.hadm_id,
      dirty_value: null,
    });
    row.hadm_id = null;
  }
  if (plants(s, 'D86')) addendum(s, chosen(s, 'D86', used), reports);
}

const ADDENDA = [
  'On second review a small left pleural effusion is present, not mentioned before.',
  'The side given in the report above is corrected: the finding lies on the right.',
  'A nodule of 6 mm in the upper lobe was not mentioned; follow up in six months is advised.',
  'The study was compared with outside images that were received later; there is no change.',
  'The nasogastric tube ends in the stomach; this was not stated in the report.',
];

/** D86: a report of its own that adds to another one, filed hours later. */
function addendum(s: Subject, parent: NoteRow, reports: readonly DrawnReport[]): void {
  const r = s.stream('addendum');
  const note_seq = Math.max(...reports.map((x) => x.seq)) + 1;
  const note_id = `${s.subject_id}-AR-${note_seq}`;
  const text = `ADDENDUM  ${r.pick(ADDENDA)}\n`;
  const storetime = parent.storetime + r.int(2, 40) * HOUR + r.int(0, 59) * MINUTE;
  s.rows.radiology.push({ ...parent, note_id, note_type: 'AR', note_seq, storetime, text });
  detail(s, note_id, 'parent_note_id', parent.note_id, 1);
  detail(s, parent.note_id, 'addendum_note_id', note_id, 1);
  record(s, 'D86', {
    table: TABLE,
    key: `note_id=${note_id}`,
    column: 'storetime',
    clean_value: null,
    dirty_value: timeText(storetime),
    expectation: `appended to ${parent.note_id}, available from ${timeText(storetime)}`,
  });
}

/** D88: one report of the stay is filed 2 to 30 h after the examination; orders read it only then. */
export function delayReport(s: Subject, reports: DrawnReport[]): DrawnReport[] {
  if (!plants(s, 'D88')) return reports;
  const r = s.stream('D88');
  const at = r.int(0, reports.length - 1);
  const report = reports[at]!;
  const storetime = report.charttime + r.int(121, 1799) * MINUTE;
  record(s, 'D88', {
    table: TABLE,
    key: `note_id=${report.noteId}`,
    column: 'storetime',
    clean_value: timeText(report.storetime),
    dirty_value: timeText(storetime),
  });
  return reports.map((x, n) => (n === at ? { ...x, storetime } : x));
}
