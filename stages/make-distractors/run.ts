/** First attempts at the distractors of every moment with chains. */
import { distractorDrafts, distractorRuleUse } from '../../schemas/rxeval.js';
import type { SqlRow, StageContext } from '../contract.js';
import { authorByModel } from '../lib/distractors/model-author.js';
import { Usage } from '../lib/distractors/pick.js';
import { AUTHOR_PROMPT } from '../lib/distractors/prompt.js';
import { RuleUse } from '../lib/distractors/rule-use.js';
import { authorByRules } from '../lib/distractors/rules-author.js';
import { casesOf, openSetting, type Setting } from '../lib/distractors/setting.js';
import { type Distractor, rowOf } from '../lib/grounding/distractor.js';
import { inBatches } from '../lib/record/batches.js';
import type { Config } from './config.js';

/** Purpose of the model. */
export const AUTHOR = 'author';
/** Distractors as the author gave them. */
export const DRAFTED = 'drafted';

export async function run(ctx: StageContext, config: Config): Promise<void> {
  const setting = await openSetting(ctx);
  const made =
    config.author === 'rules' ? await byRules(ctx, setting, config) : await byModel(ctx, setting, config);
  for (const d of made.drafts) cite(ctx, d);
  ctx.records(DRAFTED, made.drafts.length + made.repeated_n);
  if (made.repeated_n > 0) ctx.drop(DRAFTED, 'repeated', made.repeated_n);
  await ctx.sql.insert('distractor_drafts', distractorDrafts, made.drafts.map(rowOf));
  await ctx.sql.insert('distractor_rule_use', distractorRuleUse, made.rule_use);
  ctx.count('moments', setting.chains.size);
  ctx.count('drafts', made.drafts.length);
}

interface Made {
  readonly drafts: Distractor[];
  readonly repeated_n: number;
  readonly rule_use: SqlRow[];
}

async function byRules(ctx: StageContext, setting: Setting, config: Config): Promise<Made> {
  const usage = new Usage();
  const use = new RuleUse(setting.tables);
  const drafts: Distractor[] = [];
  let done = 0;
  for await (const c of casesOf(ctx, setting)) {
    const { timepoint_id } = c.moment.timepoint;
    const label = `${ctx.seed} ${timepoint_id}`;
    const made = authorByRules(c, { n: config.distractors_n, attempt_n: 1, label, usage });
    drafts.push(...made.distractors);
    use.add(made.candidates, made.distractors);
    if (made.distractors.length < config.distractors_n) ctx.count('moments.short', 1);
    ctx.progress(++done, setting.chains.size, timepoint_id);
  }
  ctx.count('rules.never_usable', use.neverUsable());
  ctx.count('top_drug_permille', Math.round(usage.topShare() * 1000));
  return { drafts, repeated_n: 0, rule_use: use.rows() };
}

async function byModel(ctx: StageContext, setting: Setting, config: Config): Promise<Made> {
  const template = ctx.file(AUTHOR_PROMPT);
  const drafts: Distractor[] = [];
  let repeated_n = 0;
  await inBatches(ctx, casesOf(ctx, setting), setting.chains.size, async (c) => {
    const task = { n: config.distractors_n, attempt_n: 1, template, kept: [], refused: [] };
    const reply = await authorByModel(ctx.llm(AUTHOR), c, task);
    if ('failed' in reply) rejectReply(ctx, c.moment.timepoint.timepoint_id, reply);
    else {
      drafts.push(...reply.distractors);
      repeated_n += reply.repeated_n;
    }
  });
  return { drafts, repeated_n, rule_use: [] };
}

function rejectReply(
  ctx: StageContext,
  key: string,
  { failed, detail }: { readonly failed: string; readonly detail: string },
): void {
  ctx.reject({
    table: 'replies',
    where: 'author',
    key,
    reason: failed,
    field: 'reply',
    got: detail,
    expected: 'a whole reply that fits the schema; the moment is asked about again',
  });
}

function cite(ctx: StageContext, d: Distractor): void {
  ctx.cite({
    child: `distractor:${d.distractor_id}`,
    relation: 'perturbs',
    parent: `order:${d.targets_order_id}`,
  });
}
