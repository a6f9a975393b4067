/** What all stages of one run share when they ask models: the budget, and the limits of each provider. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Budget, BudgetConfig } from '../budget.js';
import type { ModelSetup } from '../models.js';
import { now } from './clock.js';
import { limiter } from './llm-limiter.js';
import { type Clock, type TokenRate, tokenRate } from './llm-rate.js';

/** Limits of one provider. */
export interface Gate {
  /** Runs the work when a slot is free; slots are given in the order of asking. */
  slot<T>(work: () => Promise<T>): Promise<T>;
  readonly rate: TokenRate;
}

export interface RunLimits {
  readonly budget: Budget;
  gate(setup: ModelSetup): Gate;
}

/** The clock of the world. */
const CLOCK: Clock = { now, sleep: (ms, signal) => sleep(ms, undefined, { signal }) };

/** Limits of a new run. */
export function createLimits(budget: BudgetConfig = BudgetConfig.parse({}), clock: Clock = CLOCK): RunLimits {
  const gates = new Map<string, Gate>();
  return {
    budget: new Budget(budget),
    gate: ({ provider, server }) => {
      const { concurrency, tokens_per_minute } = server;
      const gate = gates.get(provider) ?? {
        slot: limiter(concurrency),
        rate: tokenRate(tokens_per_minute, clock),
      };
      gates.set(provider, gate);
      return gate;
    },
  };
}
