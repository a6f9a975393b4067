/** What asking models will come to, before the first request: from what stages say of themselves and the rows there are. */
import type { AskEstimate } from '../../stages/contract.js';
import { costOf, type Price } from './budget.js';
import { purposesOf } from './models.js';
import type { BuildInputs, PlannedStep } from './plan.js';

/** Rows that will be asked about. `at_most` comes from a stage before it that loses rows but makes none. */
export type RowsToAsk =
  | { readonly known: 'exact' | 'at_most'; readonly n: number }
  | { readonly known: 'not_yet'; readonly until: string };

/** What one purpose of a stage will come to. Numbers are null where they are not known. */
export interface AskForecast {
  readonly purpose: string;
  /** What the stage says of a row; null when it says nothing. */
  readonly per_row: AskEstimate | null;
  readonly rows: RowsToAsk | null;
  readonly calls: number | null;
  readonly calls_at_most: number | null;
  /** As a rule, prompts and replies together. */
  readonly tokens: number | null;
  readonly cost_usd: number | null;
}

/** The forecasts of one planned step; none for a fresh one, a stage that asks nothing, and a replay. */
export function forecast(
  inputs: BuildInputs,
  plan: readonly PlannedStep[],
  planned: PlannedStep,
): readonly AskForecast[] {
  const { stage } = planned.step;
  if (planned.status === 'fresh' || inputs.llm?.mode !== 'live') return [];
  const config = inputs.config.stages[stage.name];
  const purposes = purposesOf(stage, config);
  const said = purposes.length > 0 ? (stage.estimate?.(config) ?? []) : [];
  return purposes.flatMap((purpose) => {
    const own = said.filter((e) => e.purpose === purpose);
    const price = inputs.config.models?.models[purpose]?.price ?? null;
    if (own.length === 0) return [unsaid(purpose)];
    return own.map((e) => multiply(e, rowsOf(plan, planned, e.per_row_of), price));
  });
}

const unsaid = (purpose: string): AskForecast => ({
  purpose,
  per_row: null,
  rows: null,
  calls: null,
  calls_at_most: null,
  tokens: null,
  cost_usd: null,
});

function multiply(per_row: AskEstimate, rows: RowsToAsk, price: Price | null): AskForecast {
  const { purpose, prompt_tokens, reply_tokens } = per_row;
  if (rows.known === 'not_yet') return { ...unsaid(purpose), per_row, rows };
  const calls = Math.ceil(rows.n * per_row.calls);
  return {
    purpose,
    per_row,
    rows,
    calls,
    calls_at_most: Math.ceil(rows.n * per_row.calls_at_most),
    tokens: calls * (prompt_tokens + reply_tokens),
    cost_usd: price ? costOf(price, calls * prompt_tokens, calls * reply_tokens) : null,
  };
}

/** Rows of an input, where it is built; else a bound through stages that keep, refuse or drop rows but make none. */
function rowsOf(plan: readonly PlannedStep[], { step }: PlannedStep, input: string): RowsToAsk {
  const ref = step.inputs[input];
  if (!ref) return { known: 'exact', n: 0 };
  if (ref.from === 'source')
    throw new Error(`stage ${step.stage.name} estimates from ${input}, which is no table`);
  const before = plan.find((p) => p.step.stage.name === ref.stage);
  const n = before?.entry?.result.outputs[ref.output]?.rows;
  if (!before || n !== undefined)
    return n === undefined ? { known: 'not_yet', until: ref.stage } : { known: 'exact', n };
  const kept = before.step.stage.conserve?.find(
    (c) => c.output === ref.output && before.step.stage.inputs[c.input]?.kind === 'table',
  );
  if (!kept) return { known: 'not_yet', until: ref.stage };
  const bound = rowsOf(plan, before, kept.input);
  return bound.known === 'exact' ? { known: 'at_most', n: bound.n } : bound;
}

/** Words of one forecast. */
export function wordForecast({
  purpose,
  per_row,
  rows,
  calls,
  calls_at_most,
  tokens,
  cost_usd,
}: AskForecast): string {
  if (!per_row || !rows) return `${purpose}: how often it asks is known when it runs`;
  const row = `a row of ${per_row.per_row_of}`;
  if (rows.known === 'not_yet') {
    const each = per_row.prompt_tokens + per_row.reply_tokens;
    return `${purpose}: unknown until ${rows.until} is built; about ${wordCalls(per_row.calls)} (at most ${count(per_row.calls_at_most)}) of ${count(each)} tokens for ${row}`;
  }
  const whose = `${rows.known === 'at_most' ? 'at most ' : ''}${count(rows.n)} rows of ${per_row.per_row_of}`;
  return `${purpose}: about ${wordCalls(calls!)} (at most ${count(calls_at_most!)}), about ${count(tokens!)} tokens${dollars(cost_usd)}, for ${whose}`;
}

/** Words of all forecasts together, with what they leave out; none when nothing will be asked. */
export function wordTotal(forecasts: readonly AskForecast[], inputs: BuildInputs): string[] {
  if (forecasts.length === 0) return [];
  const total = (part: 'calls' | 'calls_at_most' | 'tokens' | 'cost_usd'): number =>
    forecasts.reduce((n, f) => n + (f[part] ?? 0), 0);
  const is_partial = forecasts.some((f) => f.calls === null);
  const cost = forecasts.some((f) => f.cost_usd !== null) ? total('cost_usd') : null;
  return [
    `models: about ${wordCalls(total('calls'))} (at most ${count(total('calls_at_most'))}), about ${count(total('tokens'))} tokens${dollars(cost)}${is_partial ? ', and what is not known yet' : ''}; answers on record are not taken off, and cost nothing`,
    ...wordNext(forecasts),
    ...wordBudget(total('calls'), total('tokens'), cost, inputs),
  ];
}

/** The stage to build up to, where that alone would tell more. */
function wordNext(forecasts: readonly AskForecast[]): string[] {
  const until = forecasts.flatMap(({ rows }) => (rows?.known === 'not_yet' ? [rows.until] : []))[0];
  return until ? [`to know more before the first call: build with --until ${until}`] : [];
}

function wordBudget(calls: number, tokens: number, cost: number | null, { config }: BuildInputs): string[] {
  const budget = config.models?.budget;
  const pairs = [
    ['max_calls', calls, budget?.max_calls],
    ['max_tokens', tokens, budget?.max_tokens],
    ['max_cost_usd', cost ?? 0, budget?.max_cost_usd],
  ] as const;
  const small = pairs.filter(([, n, most]) => typeof most === 'number' && n > most);
  return small.map(
    ([name, , most]) =>
      `budget: ${name} ${count(most!)} is less than that; the run will stop there, and go on when it is started again`,
  );
}

const count = (n: number): string => n.toLocaleString('en-US', { maximumFractionDigits: 2 });
const wordCalls = (n: number): string => `${count(n)} call${n === 1 ? '' : 's'}`;
const dollars = (usd: number | null): string => (usd === null ? '' : `, about $${count(usd)}`);
