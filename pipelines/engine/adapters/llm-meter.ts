/** One attempt within the limits of its run: what it may come to is taken before it leaves, the rest given back after. */
import { type Amount, costOf } from '../budget.js';
import type { ModelSetup } from '../models.js';
import type { Spent } from '../tally.js';
import type { WireForm } from './llm-call.js';
import type { Attempt, Client } from './llm-client.js';
import type { RunLimits } from './llm-limits.js';

/** An attempt and what it came to. */
export interface Metered {
  readonly attempt: Attempt;
  readonly spent: Spent;
}

export interface MeterOptions {
  readonly setup: ModelSetup;
  readonly form: WireForm;
  readonly limits: RunLimits;
  readonly signal: AbortSignal;
  /** When it is aborted nothing leaves any more. */
  readonly stopping: AbortSignal;
}

/**
 * Sends once. Waits for the tokens per minute; rejects with a BudgetError, before anything leaves, when the budget is
 * spent, and with the reason of `signal` or `stopping` when the wait is cut short.
 */
export async function sendMetered(client: Client, options: MeterOptions): Promise<Metered> {
  const { setup, form, limits, signal, stopping } = options;
  const worst = worstCase(setup, form);
  const waiting = AbortSignal.any([signal, stopping]);
  const settleRate = await limits.gate(setup).rate.take(amountOf(worst).tokens, waiting);
  let spent: Amount = { calls: 0, tokens: 0, cost_usd: 0 };
  try {
    const settleBudget = await limits.budget.reserve(amountOf(worst));
    try {
      waiting.throwIfAborted();
      spent = amountOf(worst);
      const attempt = await client.send(form.wire, signal);
      const came_to = spentOn(attempt, setup, worst);
      spent = amountOf(came_to);
      return { attempt, spent: came_to };
    } finally {
      settleBudget(spent);
    }
  } finally {
    settleRate(spent.tokens);
  }
}

/**
 * The most that a request can come to. No tokenizer makes more tokens than there are bytes, and the JSON around the
 * messages has more bytes than the marks that a chat template puts there.
 */
export function worstCase(setup: ModelSetup, form: WireForm): Spent {
  const prompt_tokens = Buffer.byteLength(JSON.stringify(form.wire));
  return priced(setup, prompt_tokens, form.limit, true);
}

/** What an attempt came to: as reported; nothing where no model was reached; else the worst case. */
export function spentOn(attempt: Attempt, setup: ModelSetup, worst: Spent): Spent {
  if (attempt.fault) return attempt.may_have_run ? worst : priced(setup, 0, 0, false);
  const { usage } = attempt.reply;
  return usage ? priced(setup, usage.prompt_tokens, usage.completion_tokens, false) : worst;
}

function priced(
  { price }: ModelSetup,
  prompt_tokens: number,
  completion_tokens: number,
  is_assumed: boolean,
): Spent {
  const cost_usd = price ? costOf(price, prompt_tokens, completion_tokens) : null;
  return { prompt_tokens, completion_tokens, is_assumed, cost_usd };
}

const amountOf = ({ prompt_tokens, completion_tokens, cost_usd }: Spent): Amount => ({
  calls: 1,
  tokens: prompt_tokens + completion_tokens,
  cost_usd: cost_usd ?? 0,
});
