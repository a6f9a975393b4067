/** Every drawn moment gets a decision, every answer drug of it a class. */
import { selectedTimepoints, selections } from '../../schemas/rxeval.js';
import { selectionFunnel } from '../../schemas/rxeval-record.js';
import type { SqlRow, StageContext } from '../contract.js';
import { overShare } from '../lib/chains/drug-share.js';
import { classify, type Decision, decide, type Selected } from '../lib/chains/select.js';
import { stateOf } from '../lib/clinical/state.js';
import { type ClinicalTables, loadClinical } from '../lib/clinical/tables.js';
import { inBatches } from '../lib/record/batches.js';
import type { Moment } from '../lib/record/moment.js';
import { readMoments } from '../lib/record/read.js';
import type { Config } from './config.js';
import { askSelection, SELECT_PROMPT, SELECTOR } from './model.js';

interface Outcome extends Decision {
  readonly timepoint_id: string;
  /** Folded names of the answers. */
  readonly drugs: readonly string[];
  readonly selected: readonly Selected[];
  readonly llm_keys: readonly string[];
}

export async function run(ctx: StageContext, config: Config): Promise<void> {
  const tables = loadClinical((path) => ctx.file(path));
  const [total] = await ctx.sql.rows<{ n: number }>('select count(*) as n from timepoints');
  const outcomes: Outcome[] = [];
  await inBatches(ctx, readMoments(ctx.sql), total!.n, async (moment) => {
    outcomes.push(config.author === 'model' ? await byModel(ctx, moment) : byRules(moment, tables));
  });
  const decided = withShares(outcomes, config).map((o) => decisionRow(o, config));
  const classes = outcomes.flatMap(({ timepoint_id, selected }) =>
    selected.map((s) => ({ timepoint_id, ...s })),
  );
  await ctx.sql.insert('selected_timepoints', selectedTimepoints, decided);
  await ctx.sql.insert('selections', selections, classes);
  await ctx.sql.insert('selection_funnel', selectionFunnel, funnel(decided));
  report(ctx, decided, classes);
}

/** Moments beyond the share of a drug are skipped. */
function withShares(outcomes: readonly Outcome[], { drug_share_max, author }: Config): Outcome[] {
  if (drug_share_max === null) return [...outcomes];
  // The rules have no chain for a new drug without a trigger: such a moment ends, and takes no share from others.
  const ends = (o: Outcome): boolean =>
    author === 'rules' && o.selected.some((s) => s.drug_class === 'REASONED_NEW' && s.trigger_ref === null);
  const over = overShare(
    outcomes.filter((o) => o.decision === 'PROCEED' && !ends(o)),
    drug_share_max,
  );
  return outcomes.map((o) =>
    over.has(o.timepoint_id) ? { ...o, decision: 'SKIP', reason: 'drug_over_share' } : o,
  );
}

const asked = (moment: Moment): Pick<Outcome, 'timepoint_id' | 'drugs'> => ({
  timepoint_id: moment.timepoint.timepoint_id,
  drugs: moment.answers.map((o) => o.drug_fold),
});

function byRules(moment: Moment, tables: ClinicalTables): Outcome {
  const state = stateOf(moment, tables);
  const selected = moment.answers.map((o) => classify(state, o));
  return { ...asked(moment), selected, llm_keys: [], ...decide(moment, selected) };
}

async function byModel(ctx: StageContext, moment: Moment): Promise<Outcome> {
  // What the decision refuses anyway is not paid for.
  const before = decide(moment, []);
  if (before.reason !== 'nothing_new_from_timeline')
    return { ...asked(moment), selected: [], llm_keys: [], ...before };
  const reply = await askSelection(ctx.llm(SELECTOR), ctx.file(SELECT_PROMPT), moment);
  const llm_keys = [reply.key];
  const { selected } = reply;
  if (selected) return { ...asked(moment), selected, llm_keys, ...decide(moment, selected) };
  const { timepoint_id } = moment.timepoint;
  ctx.reject({
    table: 'replies',
    where: timepoint_id,
    key: timepoint_id,
    reason: reply.outcome,
    field: 'reply',
    got: reply.outcome,
    expected: 'a class for every drug of the moment',
  });
  const reason = `no_reply:${reply.outcome}`;
  return { ...asked(moment), selected: [], llm_keys, decision: 'SKIP', reason };
}

function decisionRow({ timepoint_id, decision, reason, llm_keys }: Outcome, { author }: Config): SqlRow {
  return { timepoint_id, decision, reason, author, llm_keys: JSON.stringify(llm_keys) };
}

function funnel(decided: readonly SqlRow[]): SqlRow[] {
  const left = (out: readonly string[]): number =>
    decided.filter((d) => !out.includes(String(d.reason))).length;
  const going = decided.filter((d) => d.decision === 'PROCEED').length;
  const steps: [string, number][] = [
    ['drawn', decided.length],
    ['with an answer', left(['no_answer'])],
    ['no drug name twice', left(['no_answer', 'drug_name_twice'])],
    ['a new drug that follows from the timeline', going + decided.length - left(['drug_over_share'])],
    ['no drug over its share', going],
  ];
  return steps.map(([step, n], i) => ({
    stage: 'select-timepoints',
    step_n: i + 1,
    step,
    unit: 'timepoints',
    n,
  }));
}

function report(ctx: StageContext, decided: readonly SqlRow[], classes: readonly SqlRow[]): void {
  const tally = (name: string, rows: readonly SqlRow[], column: string): void => {
    const n = new Map<string, number>();
    for (const row of rows) n.set(String(row[column]), (n.get(String(row[column])) ?? 0) + 1);
    for (const [value, count] of [...n].sort()) ctx.count(`${name}.${value}`, count);
  };
  tally('moments', decided, 'reason');
  tally('drugs', classes, 'drug_class');
}
