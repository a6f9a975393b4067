/** Questions made again from the released record, chains and distractors, and compared to the letter. */
import { join } from 'node:path';
import { formsOf, questionId } from '../../../stages/assemble-questions/assemble.js';
import type { AssembleQuestionsConfig } from '../../../stages/assemble-questions/config.js';
import { readPrompts } from '../../../stages/assemble-questions/prompts.js';
import { partsOf } from '../../../stages/assemble-questions/run.js';
import { canonicalJson } from '../../../stages/lib/canonical-json.js';
import { groupBy } from '../../../stages/lib/group-by.js';
import { sha256 } from '../../../stages/lib/hash.js';
import { readMoments } from '../../../stages/lib/record/read.js';
import { countTokens } from '../../../stages/lib/tokens.js';
import { PROJECT_ROOT, readFileSync } from '../../engine/adapters/files.js';
import { Check, type CheckResult } from '../../engine/verify-release.js';
import { type AnswerRow, type OpenRelease, type QuestionRow, readChains, readDistractors } from '../open.js';

/** Every form of every question again: profile, timeline, options, order, ids, answer letters. */
export async function checkQuestions(r: OpenRelease): Promise<CheckResult> {
  const check = new Check('questions and answers are what record, chains and distractors give');
  const prompts = readPrompts({ file: (path) => readFileSync(join(PROJECT_ROOT, path), 'utf8') });
  const config = r.manifest.stages.find((s) => s.name === 'assemble-questions')
    ?.config as unknown as AssembleQuestionsConfig;
  const questions = await byKey<QuestionRow>(r, 'rxeval_questions');
  const answers = await byKey<AnswerRow>(r, 'rxeval_answers');
  const chains = groupBy(await readChains(r), (c) => c.timepoint_id);
  const distractors = groupBy(await readDistractors(r), (d) => d.timepoint_id);
  const made = new Set<string>();
  for await (const moment of readMoments(r.session)) {
    const { timepoint_id } = moment.timepoint;
    const chained = new Set((chains.get(timepoint_id) ?? []).map((c) => c.order_id));
    const is_whole = moment.answers.length > 0 && moment.answers.every((o) => chained.has(o.order_id));
    check.expect(is_whole, () => `moment ${timepoint_id} has a right drug without a chain`);
    if (!is_whole) continue;
    const parts = partsOf(moment, chains.get(timepoint_id) ?? [], distractors.get(timepoint_id) ?? []);
    const id = questionId(parts);
    for (const form of formsOf(parts, prompts, { ...config, countTokens })) {
      const key = `${form.config} ${id}`;
      made.add(key);
      const [question, answer] = [questions.get(key), answers.get(key)];
      check.expect(question !== undefined && answer !== undefined, () => `${key} is missing`);
      if (question) checkRow(check, key, { ...form, phase: moment.timepoint.phase }, question);
      const letters = form.options.filter((o) => o.is_correct).map((o) => o.letter);
      check.expect(answer?.answer === JSON.stringify(letters), () => `${key}: the answer is another`);
      check.expect(
        answer?.candidates === JSON.stringify(form.options),
        () => `${key}: the options behind the letters are others`,
      );
      check.expect(
        answer?.prescription_time === moment.timepoint.starttime,
        () => `${key}: the moment is at another time`,
      );
    }
  }
  for (const key of questions.keys()) check.expect(made.has(key), () => `${key} has no moment`);
  for (const [key, answer] of answers) checkHash(check, key, questions.get(key), answer);
  return check.result();
}

async function byKey<R extends { config: string; question_id: string }>(
  r: OpenRelease,
  table: string,
): Promise<Map<string, R>> {
  const rows = await r.session.rows<R>(`select * from ${table} order by config, question_id`);
  return new Map(rows.map((row) => [`${row.config} ${row.question_id}`, row]));
}

type Form = ReturnType<typeof formsOf>[number];

function checkRow(check: Check, key: string, form: Form & { phase: string }, question: QuestionRow): void {
  const { options, ...texts } = form;
  const shown = {
    ...texts,
    options: JSON.stringify(Object.fromEntries(options.map((o) => [o.letter, o.text]))),
  };
  for (const [column, value] of Object.entries(shown))
    check.expect(question[column as keyof QuestionRow] === value, () => `${key}: ${column} differs`);
}

function checkHash(check: Check, key: string, question: QuestionRow | undefined, answer: AnswerRow): void {
  const { content_hash, ...gold } = answer;
  check.expect(
    question !== undefined && sha256(canonicalJson({ question, gold })) === content_hash,
    () => `${key}: content_hash is not the hash of question and answer`,
  );
}

/** What would give an answer away, or tell who the patient is. */
export async function checkLeaks(r: OpenRelease): Promise<CheckResult> {
  const check = new Check('no id and no later event shows in a question');
  const rows = await r.session.rows<QuestionRow & AnswerRow & { subject_id: number; hadm_id: number }>(
    `select q.*, a.timepoint_id, a.subject_key, a.admission_key, a.candidates, t.subject_id, t.hadm_id
     from rxeval_questions q join rxeval_answers a using (config, question_id) join timepoints t using (timepoint_id)
     order by q.config, q.question_id`,
  );
  for (const row of rows) {
    const text = [row.profile, row.timeline, row.question, row.options].join('\n');
    const refs = (JSON.parse(row.candidates) as { ref: string }[]).map((c) => c.ref);
    const ids = [row.subject_id, row.hadm_id, row.timepoint_id, row.subject_key, row.admission_key, ...refs];
    const words = new Set(text.match(/[\w-]+/g));
    for (const id of ids)
      check.expect(!words.has(String(id)), () => `${row.config} ${row.question_id} shows an id`);
  }
  return check.result();
}

/** A patient is in one split, and in the one of its admission. */
export async function checkSplits(r: OpenRelease): Promise<CheckResult> {
  const check = new Check('a patient is in one split');
  const rows = await r.session.rows<{ subject_id: number; n: number }>(
    `select subject_id, count(distinct split) as n from (
       select subject_id, split from sampled_admissions
       union all select subject_id, split from timepoints
       union all select t.subject_id, a.split from rxeval_answers a join timepoints t using (timepoint_id)
       union all select t.subject_id, q.split from rxeval_questions q join rxeval_answers a using (config, question_id)
         join timepoints t using (timepoint_id)) group by subject_id order by subject_id`,
  );
  for (const row of rows) check.expect(row.n === 1, () => `a patient is in ${row.n} splits`);
  return check.result();
}
