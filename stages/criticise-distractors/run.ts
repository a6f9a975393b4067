/** Judges distractors, has refused ones written again, and keeps moments with enough good ones. */
import {
  distractorOutcomes,
  distractors as distractorsTable,
  distractorVerdicts,
} from '../../schemas/rxeval.js';
import { distractorFunnel } from '../../schemas/rxeval-record.js';
import type { SqlRow, StageContext } from '../contract.js';
import { authorByModel } from '../lib/distractors/model-author.js';
import { Usage } from '../lib/distractors/pick.js';
import { AUTHOR_PROMPT } from '../lib/distractors/prompt.js';
import { authorByRules } from '../lib/distractors/rules-author.js';
import { casesOf, openSetting } from '../lib/distractors/setting.js';
import type { DistractorCase } from '../lib/grounding/checks-distractor.js';
import { type Distractor, type DistractorRow, distractorOf, rowOf } from '../lib/grounding/distractor.js';
import { groupBy } from '../lib/group-by.js';
import { inBatches } from '../lib/record/batches.js';
import type { Config } from './config.js';
import { askCritic } from './critic.js';
import { type Good, type Loop, type Outcome, runLoop, type Wanted } from './loop.js';

export const AUTHOR = 'author';
export const CRITIC = 'critic';
export const CRITIC_PROMPT = 'stages/criticise-distractors/prompts/judge-distractors.v1.md';
/** Moments with chains; each has an outcome. */
export const MOMENTS = 'moments';

export async function run(ctx: StageContext, config: Config): Promise<void> {
  const setting = await openSetting(ctx);
  const drafts = await readDrafts(ctx);
  const loop = loopOf(ctx, config);
  const outcomes: Outcome[] = [];
  await inBatches(ctx, casesOf(ctx, setting), setting.chains.size, async (c) => {
    outcomes.push(await runLoop(c, drafts.get(c.moment.timepoint.timepoint_id) ?? [], loop));
  });
  const accepted = outcomes.filter((o) => o.is_accepted);
  ctx.records(MOMENTS, setting.chains.size);
  for (const { good } of accepted) for (const g of good) cite(ctx, g);
  await write(ctx, outcomes, accepted);
  count(ctx, outcomes, accepted);
}

async function readDrafts(ctx: StageContext): Promise<Map<string, Distractor[]>> {
  const rows = await ctx.sql.rows<DistractorRow>(
    'select * from distractor_drafts order by timepoint_id, distractor_id',
  );
  return groupBy(rows.map(distractorOf), (d) => d.timepoint_id);
}

function loopOf(ctx: StageContext, config: Config): Loop {
  const judge =
    config.critic === 'none'
      ? null
      : (c: DistractorCase, list: readonly Distractor[]) =>
          askCritic(ctx.llm(CRITIC), c, list, {
            template: ctx.file(CRITIC_PROMPT),
            repeats: config.critic_repeats,
          });
  const isRules = config.author === 'rules';
  return {
    config,
    judge,
    author: isRules ? writeByRules(ctx) : writeByModel(ctx),
    mayRepeat: !isRules,
  };
}

/** Usage is that of the moment alone, so that the order in which moments come to an end does not matter. */
const writeByRules =
  (ctx: StageContext): Loop['author'] =>
  async (c, { n, attempt_n, kept, refused }: Wanted) => {
    const { formulary } = c.prover.tables;
    const before = [...kept, ...refused.map((r) => r.distractor)];
    const without = new Set(before.map((d) => formulary.ingredientOf(d.drug)));
    const label = `${ctx.seed} ${c.moment.timepoint.timepoint_id} ${attempt_n}`;
    return authorByRules(c, { n, attempt_n, label, usage: new Usage(), without }).distractors;
  };

const writeByModel =
  (ctx: StageContext): Loop['author'] =>
  async (c, wanted: Wanted) => {
    const reply = await authorByModel(ctx.llm(AUTHOR), c, { ...wanted, template: ctx.file(AUTHOR_PROMPT) });
    if ('distractors' in reply) return reply.distractors;
    const { timepoint_id } = c.moment.timepoint;
    ctx.reject({
      table: 'replies',
      where: `author, attempt ${wanted.attempt_n}`,
      key: timepoint_id,
      reason: reply.failed,
      field: 'reply',
      got: reply.detail,
      expected: 'a whole reply that fits the schema; the attempt is used up',
    });
    return [];
  };

/** What the option rests on: places of the record, and rules. */
function cite(ctx: StageContext, { distractor: d, proofs }: Good): void {
  const child = `distractor:${d.distractor_id}`;
  ctx.cite({ child, relation: 'perturbs', parent: `order:${d.targets_order_id}` });
  for (const proof of proofs) {
    for (const { ref } of proof.cites)
      ctx.cite({ child, relation: 'wrong_by', parent: `${ref.startsWith('S') ? 'span' : 'event'}:${ref}` });
    if (proof.by === 'medpic_rule')
      ctx.cite({ child, relation: 'wrong_by', parent: `rule:${proof.rule_ids[0]}` });
  }
}

async function write(
  ctx: StageContext,
  outcomes: readonly Outcome[],
  accepted: readonly Outcome[],
): Promise<void> {
  const rows = accepted.flatMap((o) =>
    o.good.map(
      ({ distractor, proofs }): SqlRow => ({ ...rowOf(distractor), proofs: JSON.stringify(proofs) }),
    ),
  );
  await ctx.sql.insert('distractors', distractorsTable, rows);
  await ctx.sql.insert(
    'distractor_verdicts',
    distractorVerdicts,
    outcomes.flatMap((o) => o.verdicts),
  );
  await ctx.sql.insert(
    'distractor_outcomes',
    distractorOutcomes,
    outcomes.map(
      ({ timepoint_id, is_accepted, reason, good, attempts_n }): SqlRow => ({
        timepoint_id,
        is_accepted,
        reason,
        good_n: good.length,
        attempts_n,
      }),
    ),
  );
  await ctx.sql.insert('distractor_funnel', distractorFunnel, funnel(outcomes, accepted));
}

function funnel(outcomes: readonly Outcome[], accepted: readonly Outcome[]): SqlRow[] {
  const verdicts = outcomes.flatMap((o) => o.verdicts);
  const by = (judge: string, verdict?: string): number =>
    verdicts.filter((v) => v.judge === judge && (verdict === undefined || v.verdict === verdict)).length;
  const steps: [string, string, number][] = [
    ['with chains', 'moment', outcomes.length],
    ['all options good at the first attempt', 'moment', outcomes.filter((o) => o.is_clean).length],
    ['enough good options', 'moment', accepted.length],
    ['written', 'distractor', by('checks')],
    ['passed the checks', 'distractor', by('checks', 'GOOD')],
    ['passed the critic', 'distractor', by('critic') > 0 ? by('critic', 'GOOD') : by('checks', 'GOOD')],
    ['in an accepted moment', 'distractor', accepted.reduce((n, o) => n + o.good.length, 0)],
  ];
  return steps.map(
    ([step, unit, n], i): SqlRow => ({ stage: 'criticise-distractors', step_n: i + 1, step, unit, n }),
  );
}

function count(ctx: StageContext, outcomes: readonly Outcome[], accepted: readonly Outcome[]): void {
  ctx.count('moments.accepted', accepted.length);
  ctx.count('moments.refused', outcomes.length - accepted.length);
  ctx.count(
    'claims.contradicted_by_rules',
    outcomes.reduce((n, o) => n + o.contradicted_n, 0),
  );
  const tally = new Map<string, number>();
  for (const v of outcomes.flatMap((o) => o.verdicts)) {
    const types = new Set((JSON.parse(String(v.issues)) as { type: string }[]).map((i) => i.type));
    for (const name of [`verdict.${v.judge}.${v.verdict}`, ...[...types].map((t) => `issue.${v.judge}.${t}`)])
      tally.set(name, (tally.get(name) ?? 0) + 1);
  }
  for (const [name, n] of [...tally].sort()) ctx.count(name, n);
}
