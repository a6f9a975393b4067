/** Discharge notes and radiology reports of the sampled admissions become sections. */
import { dischargeNotes, noteSections, radiologyReports, reportSections } from '../../schemas/notes.js';
import type { SqlRow, StageContext } from '../contract.js';
import type { Config } from './config.js';
import { Headers } from './headers.js';
import { splitReport } from './report.js';
import { masksIn, type Part, splitNote } from './split.js';

const FOLDER = 'stages/split-notes';
export const NOTE_HEADERS_FILE = `${FOLDER}/note-headers.csv`;
export const REPORT_HEADERS_FILE = `${FOLDER}/report-headers.csv`;
export const SQL_FILES = [`${FOLDER}/sampled-notes.sql`, `${FOLDER}/sampled-reports.sql`];
/** Why notes and reports are left out. */
export const NOTE_DROPS = ['admission_not_sampled', 'addendum_note', 'note_not_used', 'further_note'];
export const REPORT_DROPS = ['no_admission', 'admission_not_sampled'];

interface Note {
  readonly note_id: string;
  readonly subject_id: number;
  readonly hadm_id: number;
  readonly text: string;
}

interface Report extends Note {
  readonly is_hadm_recorded: boolean;
  readonly note_type: string;
  readonly parent_note_id: string | null;
  readonly charttime: string;
  readonly storetime: string | null;
  readonly available_at: string;
}

export async function run(ctx: StageContext, config: Config): Promise<void> {
  for (const file of SQL_FILES) await ctx.sql.run(ctx.file(file));
  await dropOthers(ctx, { input: 'discharge', placed: 'placed_notes', reasons: NOTE_DROPS });
  await dropOthers(ctx, { input: 'radiology', placed: 'placed_reports', reasons: REPORT_DROPS });
  await splitDischargeNotes(ctx, config);
  await splitRadiologyReports(ctx);
  await ctx.sql.run('drop table placed_notes; drop table placed_reports');
}

interface Placed {
  readonly input: string;
  readonly placed: string;
  readonly reasons: readonly string[];
}

async function dropOthers(ctx: StageContext, { input, placed, reasons }: Placed): Promise<void> {
  const rows = await ctx.sql.rows<{ drop_reason: string; n: number }>(
    `select drop_reason, count(*) as n from ${placed} where drop_reason is not null group by all`,
  );
  const counts = new Map(rows.map((r) => [r.drop_reason, r.n]));
  for (const reason of reasons) ctx.drop(input, reason, counts.get(reason) ?? 0);
}

async function splitDischargeNotes(ctx: StageContext, config: Config): Promise<void> {
  const headers = new Headers(ctx.file(NOTE_HEADERS_FILE), NOTE_HEADERS_FILE);
  const sections: SqlRow[] = [];
  const notes: SqlRow[] = [];
  const without = new Map<string, number>(config.core_sections.map((s) => [s, 0]));
  const chunks = ctx.sql.stream<Note>(
    `select n.note_id, n.subject_id, n.hadm_id, d.text from placed_notes n join discharge d using (note_id)
     where n.drop_reason is null order by n.note_id`,
  );
  for await (const chunk of chunks) {
    for (const note of chunk) {
      const parts = splitNote(note.text, headers);
      const missing = config.core_sections.filter((s) => !parts.some((p) => p.section === s && p.text));
      for (const section of missing) without.set(section, without.get(section)! + 1);
      parts.forEach((part, i) => void sections.push(noteSectionRow(note, part, i + 1)));
      notes.push(noteRow(note, parts, missing));
    }
  }
  await ctx.sql.insert('note_sections', noteSections, sections);
  await ctx.sql.insert('discharge_notes', dischargeNotes, notes);
  for (const [section, n] of without) ctx.count(`notes_without.${section}`, n);
  countSums(ctx, 'notes', notes, ['masks_n', 'outside_n']);
}

function noteSectionRow({ note_id, subject_id, hadm_id }: Note, part: Part, part_n: number): SqlRow {
  const { section, header, header_start, text, start, end } = part;
  const place = { header_start_n: header_start, text, start_n: start, end_n: end };
  return { note_id, subject_id, hadm_id, section, part_n, header: header === '' ? null : header, ...place };
}

function noteRow(note: Note, parts: readonly Part[], missing: readonly string[]): SqlRow {
  const { note_id, subject_id, hadm_id, text } = note;
  const outside = parts.filter((p) => p.header === '').map((p) => p.text.replace(/\s/g, '').length);
  return {
    note_id,
    subject_id,
    hadm_id,
    characters_n: text.length,
    parts_n: parts.length,
    outside_n: outside.reduce((sum, n) => sum + n, 0),
    masks_n: masksIn(text),
    missing_sections: JSON.stringify(missing),
  };
}

async function splitRadiologyReports(ctx: StageContext): Promise<void> {
  const headers = new Headers(ctx.file(REPORT_HEADERS_FILE), REPORT_HEADERS_FILE);
  const sections: SqlRow[] = [];
  const reports: SqlRow[] = [];
  const chunks = ctx.sql.stream<Report>(
    `select p.note_id, p.subject_id, p.hadm_id, p.is_hadm_recorded, p.parent_note_id, p.available_at, r.note_type,
       r.charttime, r.storetime, r.text
     from placed_reports p join radiology r using (note_id) where p.drop_reason is null order by p.note_id`,
  );
  for await (const chunk of chunks) {
    for (const report of chunk) {
      const all = splitReport(report.text, headers, report.note_type === 'AR');
      const parts = all.filter((p) => p.section !== 'provisional' && (p.text !== '' || p.header !== ''));
      parts.forEach((part, i) => void sections.push(reportSectionRow(report, part, i + 1)));
      reports.push(reportRow(report, parts, all));
    }
  }
  await ctx.sql.insert('report_sections', reportSections, sections);
  await ctx.sql.insert('radiology_reports', radiologyReports, reports);
  ctx.count('reports.placed_by_time', reports.filter((r) => !r.is_hadm_recorded).length);
  ctx.count(
    'reports.without_findings_and_impression',
    reports.filter((r) => r.note_type === 'RR' && !r.has_findings && !r.has_impression).length,
  );
  countSums(ctx, 'reports', reports, ['masks_n', 'provisional_n']);
}

function reportSectionRow(report: Report, part: Part, part_n: number): SqlRow {
  const { text: _, is_hadm_recorded: __, ...facts } = report;
  const { section, header, text, start, end } = part;
  return {
    ...facts,
    section,
    part_n,
    header: header === '' ? null : header,
    text,
    start_n: start,
    end_n: end,
  };
}

function reportRow(report: Report, parts: readonly Part[], all: readonly Part[]): SqlRow {
  const { note_id, subject_id, hadm_id, is_hadm_recorded, note_type, text } = report;
  const provisional = all.filter((p) => p.section === 'provisional');
  const has = (section: string): boolean => parts.some((p) => p.section === section && p.text !== '');
  return {
    note_id,
    subject_id,
    hadm_id,
    is_hadm_recorded,
    note_type,
    characters_n: text.length,
    parts_n: parts.length,
    provisional_n: provisional.reduce((sum, p) => sum + p.text.length, 0),
    masks_n: masksIn(text),
    has_findings: has('findings'),
    has_impression: has('impression'),
  };
}

function countSums(ctx: StageContext, of: string, rows: readonly SqlRow[], names: readonly string[]): void {
  for (const name of names)
    ctx.count(
      `${of}.${name}`,
      rows.reduce((sum, row) => sum + Number(row[name]), 0),
    );
}
