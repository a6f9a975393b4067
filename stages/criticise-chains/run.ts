/** Runs the critic loop of every drafted moment and keeps its whole history. */
import { type Author, chainOutcomes, chains, chainVerdicts } from '../../schemas/rxeval.js';
import { chainFunnel } from '../../schemas/rxeval-record.js';
import type { SqlRow, StageContext } from '../contract.js';
import { canonicalJson } from '../lib/canonical-json.js';
import type { Complaint } from '../lib/chains/chain.js';
import { chainOf, chainRow } from '../lib/chains/chain-row.js';
import { AUTHOR, askChains, CHAIN_PROMPT } from '../lib/chains/model-author.js';
import { writeChain } from '../lib/chains/rules-author.js';
import { stateOf } from '../lib/clinical/state.js';
import { type ClinicalTables, loadClinical } from '../lib/clinical/tables.js';
import { groupBy } from '../lib/group-by.js';
import { inBatches } from '../lib/record/batches.js';
import type { Moment } from '../lib/record/moment.js';
import { readMoments } from '../lib/record/read.js';
import type { Config } from './config.js';
import { askCritic, CRITIC, CRITIC_PROMPT } from './critic.js';
import { type Attempt, type Entry, type LoopResult, type LoopTools, runLoop } from './loop.js';

interface Made {
  readonly chains: SqlRow[];
  readonly verdicts: SqlRow[];
  readonly outcomes: SqlRow[];
}

export async function run(ctx: StageContext, config: Config): Promise<void> {
  const tables = loadClinical((path) => ctx.file(path));
  const rows = await ctx.sql.rows('select * from chain_drafts order by timepoint_id, order_id');
  checkAuthor(ctx, rows, config);
  const drafts = groupBy(rows, (row) => String(row.timepoint_id));
  const made: Made = { chains: [], verdicts: [], outcomes: [] };
  const where = 'timepoint_id in (select timepoint_id from chain_drafts)';
  await inBatches(ctx, readMoments(ctx.sql, { where }), drafts.size, async (moment) => {
    const first = (drafts.get(moment.timepoint.timepoint_id) ?? []).map(draftOf);
    const result = await runLoop(toolsFor(ctx, { moment, tables, config }), first);
    keep(ctx, { moment, result, config, made });
  });
  const kept = made.chains.length;
  ctx.drop('chain_drafts', 'moment_not_accepted', rows.length - kept);
  await ctx.sql.insert('chains', chains, made.chains);
  await ctx.sql.insert('chain_verdicts', chainVerdicts, made.verdicts);
  await ctx.sql.insert('chain_outcomes', chainOutcomes, made.outcomes);
  await ctx.sql.insert('chain_funnel', chainFunnel, funnel(rows, made));
  report(ctx, made);
}

/** Regenerations by another author than the drafts would be credited to the wrong one. */
function checkAuthor(ctx: StageContext, rows: readonly SqlRow[], { author }: Config): void {
  const other = rows.find((r) => r.author !== author);
  if (!other) return;
  ctx.fail({
    message: 'the drafts have another author than the regenerations',
    file: 'chain_drafts',
    row: String(other.order_id),
    field: 'criticise-chains.author',
    got: author,
    expected: String(other.author),
    next: 'give annotate-chains and criticise-chains the same author',
  });
}

const draftOf = (row: SqlRow): Attempt => ({
  chain: chainOf(row),
  attempt_n: Number(row.attempt_n),
  llm: row.llm === null ? null : String(row.llm),
});

interface Setting {
  readonly moment: Moment;
  readonly tables: ClinicalTables;
  readonly config: Config;
}

function toolsFor(ctx: StageContext, { moment, tables, config }: Setting): LoopTools {
  const { author, critic, reasks_n } = config;
  return {
    moment,
    attempts_max: 1 + config.regenerations_n,
    rewrite: async (complaints, before) =>
      author === 'model' ? byModel(ctx, moment, complaints) : byRules({ moment, tables }, complaints, before),
    judge:
      critic === 'none'
        ? null
        : (all, judged) => {
            const task = { moment, chains: all, judged, reasks_n };
            return askCritic(ctx.llm(CRITIC), ctx.file(CRITIC_PROMPT), task);
          },
  };
}

async function byModel(ctx: StageContext, moment: Moment, complaints: readonly Complaint[]) {
  const asked = complaints.map((c) => ({ order_id: c.order_id, drug_class: c.drug_class }));
  const written = await askChains(ctx.llm(AUTHOR), ctx.file(CHAIN_PROMPT), { moment, asked, complaints });
  return written.map(({ chain, llm }) => ({ chain, llm }));
}

/** The next best row that was not tried. */
function byRules(
  { moment, tables }: Omit<Setting, 'config'>,
  complaints: readonly Complaint[],
  before: readonly Entry[],
) {
  const state = stateOf(moment, tables);
  return complaints.flatMap(({ order_id, drug_class }) => {
    const answer = moment.answers.find((o) => o.order_id === order_id);
    const tried = before
      .filter((e) => e.attempt.chain.order_id === order_id)
      .map((e) => e.attempt.chain.rule_id);
    const chain = answer && writeChain(state, answer, { drug_class, tried });
    return chain ? [{ chain, llm: null }] : [];
  });
}

interface Keeping {
  readonly moment: Moment;
  readonly result: LoopResult;
  readonly config: Config;
  readonly made: Made;
}

function keep(ctx: StageContext, { moment, result, config, made }: Keeping): void {
  const { timepoint_id } = moment.timepoint;
  const isAccepted = result.reason === 'accepted';
  made.verdicts.push(...result.history.map((entry) => verdictRow(timepoint_id, entry)));
  made.outcomes.push({
    timepoint_id,
    is_accepted: isAccepted,
    reason: named(moment, result.reason),
    attempts_n: Math.max(...result.attempts.map((a) => a.attempt_n)),
  });
  if (!isAccepted) return;
  const author: Author = config.author;
  for (const { chain, attempt_n, llm } of result.attempts) {
    made.chains.push(chainRow(moment, chain, { attempt_n, author, llm }));
    citePlaces(ctx, timepoint_id, chain);
  }
}

/** The drug in place of its order: `no_evidence:haloperidol` says which rule the tables lack. */
function named(moment: Moment, reason: string): string {
  const [word, id] = reason.split(':');
  const answer = moment.answers.find((o) => o.order_id === id);
  return answer ? `${word}:${answer.drug_fold}` : reason;
}

function citePlaces(ctx: StageContext, timepoint_id: string, chain: Attempt['chain']): void {
  const child = `chain:${timepoint_id}.${chain.order_id}`;
  ctx.cite({ child, relation: 'explains', parent: `order:${chain.order_id}` });
  for (const ref of new Set(chain.steps.flatMap((s) => s.cites.map((c) => c.ref)))) {
    const kind = ref.startsWith('E') ? 'event' : ref.startsWith('S') ? 'span' : 'order';
    ctx.cite({ child, relation: 'rests_on', parent: `${kind}:${ref}` });
  }
}

function verdictRow(timepoint_id: string, { attempt, judge, verdict, issues, feedback, llm }: Entry): SqlRow {
  const { chain, attempt_n } = attempt;
  return {
    timepoint_id,
    order_id: chain.order_id,
    attempt_n,
    judge,
    verdict,
    issues: canonicalJson(issues),
    feedback,
    llm,
    attempt: canonicalJson({ steps: chain.steps, summary: chain.summary }),
  };
}

function funnel(drafts: readonly SqlRow[], made: Made): SqlRow[] {
  const empty = new Set(drafts.filter((d) => d.steps === '[]').map((d) => d.timepoint_id));
  const row = (step_n: number, step: string, unit: string, n: number): SqlRow => ({
    stage: 'criticise-chains',
    step_n,
    step,
    unit,
    n,
  });
  const accepted = made.outcomes.filter((o) => o.is_accepted).length;
  return [
    row(1, 'with drafts', 'timepoints', made.outcomes.length),
    row(2, 'a first chain for every drug', 'timepoints', made.outcomes.length - empty.size),
    row(3, 'every chain passed', 'timepoints', accepted),
    row(1, 'with drafts', 'drugs', drafts.length),
    row(2, 'a first chain', 'drugs', drafts.filter((d) => d.steps !== '[]').length),
    row(3, 'of accepted timepoints', 'drugs', made.chains.length),
  ];
}

function report(ctx: StageContext, { outcomes, verdicts }: Made): void {
  const counts = new Map<string, number>();
  const add = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const o of outcomes) add(`moments.${String(o.reason).split(':')[0]}`);
  for (const o of outcomes) if (String(o.reason).startsWith('no_evidence:')) add(String(o.reason));
  for (const v of verdicts) {
    add(`verdicts.${v.judge}.${v.verdict}`);
    for (const issue of JSON.parse(String(v.issues)) as { type: string }[])
      add(`issues.${v.judge}.${issue.type}`);
  }
  for (const [name, n] of [...counts].sort()) ctx.count(name, n);
}
