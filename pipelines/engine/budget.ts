/**
 * What one run may spend on models. The worst case of a request is reserved before it leaves and settled when it is
 * answered, so that no limit is ever passed. Recorded answers cost nothing.
 */
import { z } from 'zod';
import { BudgetError, UsageError } from './errors.js';
import type { ModelSetup } from './models.js';

const limit = z.number().min(0).nullable().default(null);

/** Limits of one run; null is none. */
export const BudgetConfig = z.strictObject({
  max_calls: limit.pipe(z.int().nullable()).describe('requests that are sent, repeated ones included'),
  max_tokens: limit.pipe(z.int().nullable()).describe('tokens of prompts and replies'),
  max_cost_usd: limit.describe('US dollars; every model that is asked then needs a price'),
});
export type BudgetConfig = z.infer<typeof BudgetConfig>;

/** US dollars for a million tokens. */
export const Price = z.strictObject({
  input_per_million: z.number().min(0),
  output_per_million: z.number().min(0),
});
export type Price = z.infer<typeof Price>;

/** An amount of what is limited. */
export interface Amount {
  readonly calls: number;
  readonly tokens: number;
  readonly cost_usd: number;
}

/** Cost of tokens in US dollars. */
export const costOf = (price: Price, prompt_tokens: number, completion_tokens: number): number =>
  (prompt_tokens * price.input_per_million + completion_tokens * price.output_per_million) / 1e6;

const NOTHING: Amount = { calls: 0, tokens: 0, cost_usd: 0 };
const sum = (a: Amount, b: Amount, sign = 1): Amount => ({
  calls: a.calls + sign * b.calls,
  tokens: a.tokens + sign * b.tokens,
  cost_usd: a.cost_usd + sign * b.cost_usd,
});

/** Which limit stands for which part of an amount, and how a person writes it. */
const LIMITS = [
  ['calls', 'max_calls', '--max-calls'],
  ['tokens', 'max_tokens', '--max-tokens'],
  ['cost_usd', 'max_cost_usd', '--max-cost'],
] as const;

interface Waiting {
  readonly worst: Amount;
  resolve(settle: (actual: Amount) => void): void;
  reject(error: BudgetError): void;
}

/** The budget of one run, shared by all its stages. */
export class Budget {
  readonly #limits: BudgetConfig;
  readonly #waiting: Waiting[] = [];
  #spent = NOTHING;
  #held = NOTHING;
  #open = 0;
  #stop: BudgetError | undefined;

  constructor(limits: BudgetConfig) {
    this.#limits = limits;
  }

  /** What settled requests came to. */
  get spent(): Amount {
    return this.#spent;
  }

  /**
   * Holds the worst case of one request. Where it fits only if requests in flight come to less than their own worst
   * case, it waits for them, in the order of asking. Rejects with a BudgetError once a request cannot fit; from then on
   * nothing is granted. The function that it resolves to is called once, with what the request came to.
   */
  reserve(worst: Amount): Promise<(actual: Amount) => void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ worst, resolve, reject });
      this.#serve();
    });
  }

  #serve(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      this.#stop ??= this.#refusal(next.worst);
      if (this.#stop) next.reject(this.#stop);
      else if (this.#exceeded(sum(this.#held, next.worst))) return;
      else next.resolve(this.#grant(next.worst));
      this.#waiting.shift();
    }
  }

  #grant(worst: Amount): (actual: Amount) => void {
    this.#held = sum(this.#held, worst);
    this.#open++;
    return (actual) => {
      this.#open--;
      // Sums of fractions leave a rest.
      this.#held = this.#open === 0 ? NOTHING : sum(this.#held, worst, -1);
      this.#spent = sum(this.#spent, actual);
      this.#serve();
    };
  }

  /** The first limit that would be passed by this much beside what is spent. */
  #exceeded(more: Amount): (typeof LIMITS)[number] | undefined {
    const then = sum(this.#spent, more);
    return LIMITS.find(([part, name]) => {
      const most = this.#limits[name];
      return most !== null && then[part] > most;
    });
  }

  #refusal(worst: Amount): BudgetError | undefined {
    const exceeded = this.#exceeded(worst);
    if (!exceeded) return undefined;
    const [part, name, flag] = exceeded;
    const unit = part === 'cost_usd' ? 'US dollars' : part;
    return new BudgetError({
      message: 'the budget of this run does not allow a further request to a model',
      field: `models.budget.${name}`,
      got: `${word(this.#spent[part])} ${unit} spent; the next request may come to ${word(worst[part])}`,
      expected: `at most ${word(this.#limits[name]!)} ${unit}`,
      next: `run the same command again to continue, with the same budget anew or a larger ${flag}; every answer so far is kept and costs nothing then`,
    });
  }
}

const word = (n: number): string => n.toLocaleString('en-US', { maximumFractionDigits: 4 });

/** A limit of cost is worth nothing where a price is unknown: a UsageError that names every such model. */
export function checkPrices(budget: BudgetConfig, setups: readonly ModelSetup[]): void {
  const unknown = setups.filter((setup) => setup.price === null);
  if (budget.max_cost_usd === null || unknown.length === 0) return;
  throw new UsageError({
    message: 'the cost of a run is limited, but a model has no price',
    field: unknown.map((s) => `models.models.${s.purpose}.price`).join(', '),
    got: [...new Set(unknown.map((s) => s.model))].join(', '),
    expected: '{"input_per_million": 0.15, "output_per_million": 0.6}, in US dollars',
    next: 'give --llm-price (LLM_PRICE= with make), or price in the config file; 0 for a model that costs nothing',
  });
}
