/** The patient before admission: what the tables and the allowed sections of the note say, as text and as spans. */
import { profiledAdmissions, profileFindings, profileLeaks } from '../../schemas/notes.js';
import { profileSpans, profiles } from '../../schemas/rxeval-record.js';
import type { SqlRow, StageContext } from '../contract.js';
import { parseCsv } from '../lib/csv.js';
import { composeProfile } from './compose.js';
import type { Config } from './config.js';
import { DRUG_WORDS_FILE, PLAIN_WORDS_FILE } from './drug-words.js';
import { LEAK_PHRASES_FILE } from './leaks.js';
import { AUTHOR, type Authored, askModel, checkFailures, PROMPT_FILE, rejectAdmission } from './model.js';
import type { NoteProfile } from './note.js';
import { type Admission, demographics, type EarlierCode, earlierDiagnoses } from './patient.js';
import { byAdmission, readNotes } from './read-notes.js';

export const EARLIER_CODES_FILE = 'stages/build-profile/earlier-codes.sql';
export const SERVICES_FILE = 'stages/build-profile/services.csv';
export const FILES = [
  EARLIER_CODES_FILE,
  SERVICES_FILE,
  LEAK_PHRASES_FILE,
  DRUG_WORDS_FILE,
  PLAIN_WORDS_FILE,
  PROMPT_FILE,
];
/** Why an admission has no profile. */
export const DROPS = ['leak_in_profile'];

/** Purpose of the model, with `author: model`. */
export const purposesOf = (config: Config): readonly string[] => (config.author === 'model' ? [AUTHOR] : []);

export async function run(ctx: StageContext, config: Config): Promise<void> {
  const admissions = await readAdmissions(ctx);
  const notes = await readNotes(ctx, config);
  const made = newlyMade(notes);
  const leaky = [...notes].filter(([, note]) => config.leak === 'admission' && note.leaks.length > 0);
  for (const [hadm_id] of leaky) notes.delete(hadm_id);
  const left = new Set(leaky.map(([hadm_id]) => hadm_id));
  ctx.drop('sampled_admissions', 'leak_in_profile', left.size);
  const authored = config.author === 'model' ? await askModel(ctx, notes) : new Map<number, Authored>();
  checkFailures(ctx, authored, config);
  const tables = await readTables(ctx, config);
  for (const a of admissions.filter((x) => !left.has(x.hadm_id))) {
    const [note, model] = [notes.get(a.hadm_id), authored.get(a.hadm_id)];
    if (model?.failure) rejectAdmission(ctx, { hadm_id: a.hadm_id, note: note! }, model.failure);
    else addProfile(made, a, { note, model, ...tables });
  }
  await ctx.sql.insert('profiles', profiles, made.sections);
  await ctx.sql.insert('profile_spans', profileSpans, made.spans);
  await ctx.sql.insert('profiled_admissions', profiledAdmissions, made.admissions);
  await ctx.sql.insert('profile_leaks', profileLeaks, made.leaks);
  await ctx.sql.insert('profile_findings', profileFindings, made.findings);
  report(ctx, made);
}

interface Made {
  readonly sections: SqlRow[];
  readonly spans: SqlRow[];
  readonly admissions: SqlRow[];
  readonly leaks: SqlRow[];
  readonly findings: SqlRow[];
}

function newlyMade(notes: ReadonlyMap<number, NoteProfile>): Made {
  const leaks = [...notes].flatMap(([hadm_id, { note_id, leaks: own }]) =>
    own.map((leak) => ({ note_id, hadm_id, ...leak })),
  );
  return { sections: [], spans: [], admissions: [], leaks, findings: [] };
}

interface Tables {
  readonly codes: ReadonlyMap<number, readonly EarlierCode[]>;
  readonly services: ReadonlyMap<string, string>;
}

async function readTables(ctx: StageContext, config: Config): Promise<Tables> {
  await ctx.sql.run(ctx.file(EARLIER_CODES_FILE));
  const codes = await byAdmission<EarlierCode>(
    ctx,
    `select hadm_id, from_hadm_id, seq_num, title from earlier_codes where rank_n <= ${config.max_earlier_codes}
     order by hadm_id, rank_n`,
  );
  await ctx.sql.run('drop table earlier_codes');
  const services = parseCsv(ctx.file(SERVICES_FILE), SERVICES_FILE);
  return { codes, services: new Map(services.map((r) => [r.service!, r.words!])) };
}

interface Sources extends Tables {
  readonly note: NoteProfile | undefined;
  readonly model: Authored | undefined;
}

function addProfile(made: Made, a: Admission, { note, model, codes, services }: Sources): void {
  const { hadm_id, subject_id } = a;
  const statements = [
    ...demographics(a, services),
    ...((model ?? note)?.statements ?? []),
    ...earlierDiagnoses(codes.get(hadm_id) ?? []),
  ];
  const author = model ? 'model' : note ? 'parser' : 'tables';
  const { sections, spans } = composeProfile(hadm_id, statements, author);
  made.sections.push(...sections);
  made.spans.push(...spans);
  made.findings.push(...(model?.findings ?? []).map((finding) => ({ hadm_id, ...finding })));
  made.admissions.push({
    hadm_id,
    subject_id,
    author,
    note_id: note?.note_id ?? null,
    answer: model?.answer ?? null,
    served_model: model?.served_model ?? null,
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

function report(ctx: StageContext, made: Made): void {
  const findings = new Map<string, number>();
  for (const author of ['parser', 'model', 'tables'])
    ctx.count(`profiles.${author}`, made.admissions.filter((a) => a.author === author).length);
  for (const reason of ['in_hospital_drug', 'course_phrase', 'course_sentence', 'discharge_diagnosis'])
    ctx.count(`leaks.${reason}`, made.leaks.filter((l) => l.reason === reason).length);
  for (const finding of made.findings) {
    const name = `findings.${String(finding.reason)}`;
    findings.set(name, (findings.get(name) ?? 0) + 1);
  }
  for (const [name, n] of findings) ctx.count(name, n);
  for (const name of ['masks_n', 'masked_pieces_n', 'strict_cut_n', 'late_parts_n'])
    ctx.count(
      name,
      made.admissions.reduce((sum, a) => sum + Number(a[name]), 0),
    );
}
