/** Accepted moments become questions. */
import type { z } from 'zod';
import { answers, type chains, type distractors, questions } from '../../schemas/rxeval.js';
import type { StageContext } from '../contract.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { groupBy } from '../lib/group-by.js';
import { pseudonym, sha256 } from '../lib/hash.js';
import type { Moment } from '../lib/record/moment.js';
import { readMoments } from '../lib/record/read.js';
import { countTokens } from '../lib/tokens.js';
import { type Form, formsOf, type MomentParts, OPTIONS_MAX, questionId } from './assemble.js';
import { balance } from './balance.js';
import type { AssembleQuestionsConfig } from './config.js';
import { readPrompts } from './prompts.js';

type ChainRow = z.infer<typeof chains.row>;
type DistractorRow = z.infer<typeof distractors.row>;
type QuestionRow = z.infer<typeof questions.row>;
type AnswerRow = z.infer<typeof answers.row>;

const ACCEPTED = 'timepoint_id in (select timepoint_id from distractor_outcomes where is_accepted)';

/** Runs the stage. */
export async function run(ctx: StageContext, config: AssembleQuestionsConfig): Promise<void> {
  const prompts = readPrompts(ctx);
  const limits = { ...config, countTokens };
  const chainRows = await rowsByMoment<ChainRow>(ctx, 'chains', 'order_id');
  const distractorRows = await rowsByMoment<DistractorRow>(ctx, 'distractors', 'distractor_id');
  const [left] = await ctx.sql.rows<{ n: number }>(
    'select count(*) as n from distractor_outcomes where not is_accepted',
  );
  ctx.count('moments_not_accepted', left!.n);
  const rows: { question: QuestionRow; answer: AnswerRow }[] = [];
  let dropped_n = 0;
  const kept = await balanced(ctx, config.drug_share_max);
  for await (const moment of readMoments(ctx.sql, { where: ACCEPTED })) {
    const { timepoint_id } = moment.timepoint;
    if (!kept.has(timepoint_id)) continue;
    const chain = chainRows.get(timepoint_id) ?? [];
    const parts = partsOf(moment, chain, distractorRows.get(timepoint_id) ?? []);
    if (parts.correct.length + parts.distractors.length > OPTIONS_MAX) {
      rejectLong(ctx, parts);
      continue;
    }
    const forms = formsOf(parts, prompts, limits);
    for (const form of forms) rows.push(rowOf(ctx.seed, { moment, parts, form, chain }));
    if (forms.some((f) => f.dropped_events_n > 0)) dropped_n++;
    citeQuestion(ctx, parts);
  }
  rows.sort((a, b) => (keyOf(a.question) < keyOf(b.question) ? -1 : 1));
  ctx.count('questions_with_dropped_events', dropped_n);
  await ctx.sql.insert(
    'questions',
    questions,
    rows.map((r) => r.question),
  );
  await ctx.sql.insert(
    'answers',
    answers,
    rows.map((r) => r.answer),
  );
}

/** Accepted moments that keep every drug within its share; the others are counted. */
async function balanced(ctx: StageContext, max: number | null): Promise<ReadonlySet<string>> {
  const rows = await ctx.sql.rows<{ timepoint_id: string; phase: string; drug_fold: string }>(
    `select timepoint_id, t.phase, o.drug_fold from timepoint_orders o join timepoints t using (timepoint_id)
     where o.is_answer and ${ACCEPTED} order by timepoint_id, o.order_id`,
  );
  const moments = [...groupBy(rows, (r) => r.timepoint_id)].map(([timepoint_id, all]) => ({
    timepoint_id,
    phase: all[0]!.phase,
    drugs: all.map((r) => r.drug_fold),
  }));
  const kept = max === null ? new Set(moments.map((m) => m.timepoint_id)) : balance(moments, max);
  ctx.count('moments_over_drug_share', moments.length - kept.size);
  return kept;
}

const keyOf = (q: QuestionRow): string => `${q.config}\u001f${q.question_id}`;

async function rowsByMoment<R extends { timepoint_id: string }>(
  ctx: StageContext,
  table: string,
  key: string,
): Promise<Map<string, R[]>> {
  const rows = await ctx.sql.rows<R>(`select * from ${table} order by timepoint_id, ${key}`);
  return groupBy(rows, (r) => r.timepoint_id);
}

/** What of a moment a question shows. Every answer order must have its chain: the stages before see to it. */
export function partsOf(
  moment: Moment,
  chain: readonly Pick<ChainRow, 'order_id'>[],
  wrong: readonly Pick<DistractorRow, 'distractor_id' | 'drug' | 'dose_text' | 'route'>[],
): MomentParts {
  const chained = new Set(chain.map((c) => c.order_id));
  const bare = moment.answers.filter((o) => !chained.has(o.order_id));
  if (bare.length > 0 || moment.answers.length === 0)
    throw new Error(`moment ${moment.timepoint.timepoint_id} was accepted without a chain for every answer`);
  return {
    timepoint_id: moment.timepoint.timepoint_id,
    cut_at: moment.timepoint.cut_at,
    sections: moment.sections.map((s) => ({
      section: s.section,
      text: s.text,
      spans: moment.spans.filter((p) => p.section === s.section),
    })),
    events: moment.events.filter((e) => e.is_shown),
    allergies: moment.spans.filter((s) => s.kind === 'allergy').map((s) => s.text),
    correct: moment.answers.map(({ order_id, drug, dose_text, route }) => ({
      ref: order_id,
      drug,
      dose_text,
      route,
    })),
    distractors: wrong.map(({ distractor_id, drug, dose_text, route }) => ({
      ref: distractor_id,
      drug,
      dose_text,
      route,
    })),
  };
}

interface RowParts {
  readonly moment: Moment;
  readonly parts: MomentParts;
  readonly form: Form;
  readonly chain: readonly ChainRow[];
}

function rowOf(seed: number, { moment, parts, form, chain }: RowParts) {
  const { timepoint, patient } = moment;
  const question_id = questionId(parts);
  const { options, ...shown } = form;
  const letters = options.filter((o) => o.is_correct).map((o) => o.letter);
  const question: QuestionRow = {
    question_id,
    phase: timepoint.phase,
    ...shown,
    options: JSON.stringify(Object.fromEntries(options.map((o) => [o.letter, o.text]))),
    split: timepoint.split,
  };
  // Only keeps raw ids out of what is shown: who holds the extract and this code can compute every key.
  const key = sha256(['rxeval-pseudonym', seed].join('\u001f'));
  const gold = {
    question_id,
    config: form.config,
    timepoint_id: timepoint.timepoint_id,
    subject_key: pseudonym(key, `patient:${timepoint.subject_id}`),
    admission_key: pseudonym(key, `admission:${timepoint.hadm_id}`),
    phase: timepoint.phase,
    prescription_time: timepoint.starttime,
    answer: JSON.stringify(letters),
    correct: JSON.stringify(correctOf(moment, chain)),
    candidates: JSON.stringify(options),
    admission_type: patient.admission_type,
    diagnosis_chapter: patient.chapter,
    author: chain[0]!.author,
    split: timepoint.split,
  };
  return { question, answer: { ...gold, content_hash: sha256(canonicalJson({ question, gold })) } };
}

function correctOf(moment: Moment, chain: readonly ChainRow[]): object[] {
  const classes = new Map(chain.map((c) => [c.order_id, c.drug_class]));
  return moment.answers.map(({ order_id, drug, dose_text, route }) => ({
    order_id,
    drug,
    dose_text,
    route,
    drug_class: classes.get(order_id),
  }));
}

function rejectLong(ctx: StageContext, parts: MomentParts): void {
  ctx.reject({
    table: 'distractor_outcomes',
    where: 'assembly',
    key: `timepoint_id=${parts.timepoint_id}`,
    reason: 'more_options_than_letters',
    field: 'options',
    got: String(parts.correct.length + parts.distractors.length),
    expected: `at most ${OPTIONS_MAX}`,
  });
}

function citeQuestion(ctx: StageContext, parts: MomentParts): void {
  const child = `item:${questionId(parts)}`;
  const cite = (parent: string): void => ctx.cite({ child, relation: 'wasDerivedFrom', parent });
  cite(`timepoint:${parts.timepoint_id}`);
  for (const { ref } of parts.correct) cite(`chain:${parts.timepoint_id}.${ref}`);
  for (const { ref } of parts.distractors) cite(`distractor:${ref}`);
}
