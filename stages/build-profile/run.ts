/** The patient before admission: what the tables and the allowed sections of the note say, as text and as spans. */
import { profiledAdmissions, profileLeaks } from '../../schemas/notes.js';
import { profileSpans, profiles } from '../../schemas/rxeval-record.js';
import type { SqlRow, StageContext } from '../contract.js';
import { parseCsv } from '../lib/csv.js';
import { foldWords } from '../lib/note-text.js';
import { composeProfile } from './compose.js';
import type { Config } from './config.js';
import { DRUG_WORDS_FILE, DrugWords, PLAIN_WORDS_FILE } from './drug-words.js';
import { LEAK_PHRASES_FILE, LeakCheck, readPhrases } from './leaks.js';
import { type NotePart, type NoteProfile, profileOfNote } from './note.js';
import { type Admission, demographics, type EarlierCode, earlierDiagnoses } from './patient.js';
import { blocksOf, sentencesOf, wrapWidth } from './units.js';

export const EARLIER_CODES_FILE = 'stages/build-profile/earlier-codes.sql';
export const SERVICES_FILE = 'stages/build-profile/services.csv';
export const FILES = [
  EARLIER_CODES_FILE,
  SERVICES_FILE,
  LEAK_PHRASES_FILE,
  DRUG_WORDS_FILE,
  PLAIN_WORDS_FILE,
];
/** Why an admission has no profile. */
export const DROPS = ['leak_in_profile'];

export async function run(ctx: StageContext, config: Config): Promise<void> {
  await ctx.sql.run(ctx.file(EARLIER_CODES_FILE));
  const admissions = await readAdmissions(ctx);
  const notes = await readNotes(ctx, config);
  const codes = await byAdmission<EarlierCode>(
    ctx,
    `select hadm_id, from_hadm_id, seq_num, title from earlier_codes where rank_n <= ${config.max_earlier_codes}
     order by hadm_id, rank_n`,
  );
  await ctx.sql.run('drop table earlier_codes');
  const services = new Map(
    parseCsv(ctx.file(SERVICES_FILE), SERVICES_FILE).map((r) => [r.service!, r.words!]),
  );
  const made: Made = { sections: [], spans: [], admissions: [], leaks: [] };
  let dropped = 0;
  for (const a of admissions) {
    const note = notes.get(a.hadm_id);
    made.leaks.push(
      ...(note?.leaks ?? []).map((leak) => ({ note_id: note!.note_id, hadm_id: a.hadm_id, ...leak })),
    );
    if (config.leak === 'admission' && note && note.leaks.length > 0) dropped++;
    else addProfile(made, a, { note, codes: codes.get(a.hadm_id) ?? [], services });
  }
  ctx.drop('sampled_admissions', 'leak_in_profile', dropped);
  await ctx.sql.insert('profiles', profiles, made.sections);
  await ctx.sql.insert('profile_spans', profileSpans, made.spans);
  await ctx.sql.insert('profiled_admissions', profiledAdmissions, made.admissions);
  await ctx.sql.insert('profile_leaks', profileLeaks, made.leaks);
  report(ctx, made);
}

interface Made {
  readonly sections: SqlRow[];
  readonly spans: SqlRow[];
  readonly admissions: SqlRow[];
  readonly leaks: SqlRow[];
}

interface Sources {
  readonly note: NoteProfile | undefined;
  readonly codes: readonly EarlierCode[];
  readonly services: ReadonlyMap<string, string>;
}

function addProfile(made: Made, a: Admission, { note, codes, services }: Sources): void {
  const statements = [...demographics(a, services), ...(note?.statements ?? []), ...earlierDiagnoses(codes)];
  const author = note ? 'parser' : 'tables';
  const { sections, spans } = composeProfile(a.hadm_id, statements, author);
  made.sections.push(...sections);
  made.spans.push(...spans);
  made.admissions.push({
    hadm_id: a.hadm_id,
    subject_id: a.subject_id,
    author,
    note_id: note?.note_id ?? null,
    spans_n: spans.length,
    leaks_n: note?.leaks.length ?? 0,
    masks_n: note?.masks_n ?? 0,
    masked_pieces_n: note?.masked_pieces_n ?? 0,
    strict_cut_n: note?.strict_cut_n ?? 0,
    late_parts_n: note?.late_parts_n ?? 0,
  });
}

async function readAdmissions(ctx: StageContext): Promise<Admission[]> {
  return ctx.sql.rows<Admission>(
    'select hadm_id, subject_id, admission_type, service, age, gender, has_note from sampled_admissions order by hadm_id',
  );
}

/** What the notes say, by admission. */
async function readNotes(ctx: StageContext, config: Config): Promise<Map<number, NoteProfile>> {
  const parts = await byAdmission<NotePart>(
    ctx,
    `select p.hadm_id, p.note_id, p.section, p.part_n, p.text, p.start_n
     from note_sections p join sampled_admissions using (hadm_id) order by p.hadm_id, p.note_id, p.part_n`,
  );
  const ordered = await byAdmission<{ hadm_id: number; drug: string; drug_fold: string }>(
    ctx,
    `select distinct hadm_id, drug, drug_fold from orders
     where coalesce(non_decision_reason, '') not in ('flush', 'diluent') order by hadm_id, drug_fold, drug`,
  );
  const words = new DrugWords(ctx.file(DRUG_WORDS_FILE), ctx.file(PLAIN_WORDS_FILE));
  const phrases = readPhrases(ctx.file(LEAK_PHRASES_FILE));
  return new Map(
    [...parts].map(([hadm_id, own]) => {
      const drugs = drugsOfStay(ordered.get(hadm_id) ?? [], textOf(own, 'meds_admission'), words);
      const course = sentencesIn(textOf(own, 'course')).slice(1);
      const diagnoses = textOf(own, 'diagnosis').split(/[\r\n]+/);
      const check = new LeakCheck({ phrases, drugs, course, diagnoses });
      return [hadm_id, profileOfNote(own, { hpi: config.hpi, check })];
    }),
  );
}

const textOf = (parts: readonly NotePart[], section: string): string =>
  parts
    .filter((p) => p.section === section)
    .map((p) => p.text)
    .join('\n\n');

const sentencesIn = (text: string): string[] =>
  blocksOf(text, wrapWidth([text]))
    .flatMap((block) => sentencesOf(text, block))
    .map((u) => text.slice(u.start, u.end));

/** Names to look for of the drugs that were ordered in the stay, without those that the home list names in any way. */
function drugsOfStay(
  ordered: readonly { drug: string; drug_fold: string }[],
  homeList: string,
  words: DrugWords,
): Map<string, string> {
  const home = foldWords(homeList);
  const names = new Map<string, string>();
  for (const { drug, drug_fold } of ordered) {
    const own = words.namesOf(drug);
    if (own.some((n) => home.includes(n))) continue;
    for (const name of own) if (!names.has(name)) names.set(name, drug_fold);
  }
  return names;
}

async function byAdmission<R extends { hadm_id: number }>(
  ctx: StageContext,
  sql: string,
): Promise<Map<number, R[]>> {
  const rows = new Map<number, R[]>();
  for await (const chunk of ctx.sql.stream<R>(sql))
    for (const row of chunk) {
      const own = rows.get(row.hadm_id);
      if (own) own.push(row);
      else rows.set(row.hadm_id, [row]);
    }
  return rows;
}

function report(ctx: StageContext, made: Made): void {
  for (const author of ['parser', 'tables'])
    ctx.count(`profiles.${author}`, made.admissions.filter((a) => a.author === author).length);
  for (const reason of ['in_hospital_drug', 'course_phrase', 'course_sentence', 'discharge_diagnosis'])
    ctx.count(`leaks.${reason}`, made.leaks.filter((l) => l.reason === reason).length);
  for (const name of ['masks_n', 'masked_pieces_n', 'strict_cut_n', 'late_parts_n'])
    ctx.count(
      name,
      made.admissions.reduce((sum, a) => sum + Number(a[name]), 0),
    );
}
