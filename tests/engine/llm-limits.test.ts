/** Limits of a run: nothing is sent that could pass one, and what is left over can be used. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLimits } from '../../pipelines/engine/adapters/llm-limits.js';
import { type Clock, tokenRate } from '../../pipelines/engine/adapters/llm-rate.js';
import { type Amount, Budget, BudgetConfig, checkPrices } from '../../pipelines/engine/budget.js';
import { BudgetError, UsageError } from '../../pipelines/engine/errors.js';
import type { Tallies } from '../../pipelines/engine/tally.js';
import { type Act, complete, hangUp, llmServer, say, stall, status } from '../support/llm-server.js';
import { GOOD, models, question, setup } from './llm-support.js';

const limits = (budget: object) => createLimits(BudgetConfig.parse(budget));
const usage = (prompt_tokens: number, completion_tokens: number) => ({ prompt_tokens, completion_tokens });
const PRICE = { input_per_million: 1000, output_per_million: 2000 };

/** Asks about `rows` rows at once; says how they ended, and what it came to. */
async function askAll(act: Act | readonly Act[], rows: number, budget: object, server: object = {}) {
  const at = await llmServer(Array.isArray(act) ? act : [act as Act]);
  let tallies: Tallies = {};
  const shared = limits(budget);
  const made = models(setup(at.url, { price: PRICE }, server), {
    limits: shared,
    onTally: (t) => {
      tallies = t;
    },
  });
  const asked = Array.from({ length: rows }, (_, i) => made.llm('author').ask(question(`row:${i}`)));
  const ends = await Promise.all(asked.map((a) => a.catch((error: unknown) => error as Error)));
  await made.close();
  const errors = ends.filter((e): e is Error => e instanceof Error);
  return {
    at,
    made,
    errors,
    answered: rows - errors.length,
    spent: shared.budget.spent,
    tally: tallies.author!,
  };
}

describe('a budget', () => {
  it('of calls is kept to exactly, retries included, and what was answered is kept', async () => {
    const { at, made, errors, answered } = await askAll(say(GOOD), 12, { max_calls: 5 });
    expect([at.requests.length, answered]).toEqual([5, 5]);
    expect(errors.every((e) => e instanceof BudgetError)).toBe(true);
    expect(errors[0]!.message).toMatch(
      /models\.budget\.max_calls[\s\S]*at most 5 calls[\s\S]*same command again/,
    );
    expect(made.records('answers').length).toBe(5);
    const storm = await askAll(status(503, ''), 4, { max_calls: 3 });
    expect([storm.at.requests.length, storm.answered]).toEqual([3, 0]);
  });

  it('of tokens holds the worst case back, and gives back what was not used', async () => {
    const one = await askAll(say(GOOD, { usage: usage(30, 20) }), 40, { max_tokens: 3000 });
    // A request of about 600 bytes with a limit of 100 tokens may come to about 700; it comes to 50.
    expect(one.spent.tokens).toBe(one.answered * 50);
    expect(one.answered).toBeGreaterThan(35);
    const few = await askAll(say(GOOD, { usage: usage(30, 20) }), 90, { max_tokens: 3000 });
    expect(few.errors.length).toBeGreaterThan(0);
    expect(few.spent.tokens).toBeLessThanOrEqual(3000);
    expect(few.answered).toBeGreaterThan(40);
  });

  it('of money counts prompts and replies at their price', async () => {
    const { spent, answered, errors, tally } = await askAll(
      say(GOOD, { usage: usage(30, 20) }),
      60,
      { max_cost_usd: 2 },
      { concurrency: 1 },
    );
    // 30 tokens at 0.001 and 20 at 0.002 dollars.
    expect(spent.cost_usd).toBeCloseTo(answered * 0.07, 9);
    expect(spent.cost_usd).toBeLessThanOrEqual(2);
    expect(answered).toBeGreaterThan(10);
    expect(errors[0]!.message).toMatch(/max_cost_usd[\s\S]*US dollars spent[\s\S]*--max-cost/);
    expect(tally).toMatchObject({ calls: answered, accepted: answered, prompt_tokens: 30 * answered });
    expect(tally.cost_usd).toBeCloseTo(spent.cost_usd, 9);
  });

  it('that is too small for one request stops before the first byte', async () => {
    for (const budget of [{ max_calls: 0 }, { max_tokens: 100 }, { max_cost_usd: 0.01 }]) {
      const { at, errors } = await askAll(say(GOOD), 2, budget);
      expect([at.requests.length, errors.length]).toEqual([0, 2]);
    }
  });

  it('takes the worst case where nobody says what a call came to, and nothing where no model was reached', async () => {
    const silent = await askAll(say(GOOD, { usage: null }), 1, {});
    expect(silent.tally).toMatchObject({ calls: 1, prompt_tokens: 0, completion_tokens: 0 });
    expect(silent.tally.assumed_tokens).toBeGreaterThan(500);
    expect(silent.spent.tokens).toBe(silent.tally.assumed_tokens);
    const cut = await askAll([stall, hangUp, say(GOOD)], 1, {});
    expect(cut.tally).toMatchObject({ calls: 3, transport_retries: 2, completion_tokens: 7 });
    expect(cut.tally.assumed_tokens).toBeGreaterThan(1000);
    const refused = await askAll([status(429, '{}'), status(500, ''), say(GOOD)], 1, {});
    expect(refused.tally).toMatchObject({ calls: 3, transport_retries: 2, assumed_tokens: 0 });
    expect(refused.spent).toMatchObject({ calls: 3, tokens: 18 });
  });

  it('counts content retries apart, and every one of them', async () => {
    const cut = complete({ content: '{"ver', finish_reason: 'length' });
    const { tally } = await askAll(
      [say('prose'), say({ verdict: 'FINE' }), cut, say(GOOD)],
      2,
      {},
      { concurrency: 1 },
    );
    // Row 0: prose, cut, whole. Row 1: a wrong word, whole.
    expect(tally).toMatchObject({ calls: 5, content_retries: 3, transport_retries: 0, done: 2 });
    expect(tally.prompt_tokens).toBe(55);
    expect(tally.cost_usd).toBeCloseTo(5 * 0.025, 9);
  });

  it('is not touched by recorded answers, which are counted apart', async () => {
    const server = await llmServer([say(GOOD)]);
    const first = models(setup(server.url));
    await first.llm('author').ask(question());
    await first.close();
    let tallies: Tallies = {};
    const shared = limits({ max_calls: 0 });
    const again = models(setup(server.url), {
      dir: first.dir,
      storeDir: first.dir,
      limits: shared,
      onTally: (t) => {
        tallies = t;
      },
    });
    expect((await again.llm('author').ask(question())).outcome).toBe('accepted');
    await again.close();
    expect(tallies.author).toMatchObject({ done: 1, accepted: 1, recorded: 1, calls: 0, prompt_tokens: 0 });
    expect(shared.budget.spent).toEqual({ calls: 0, tokens: 0, cost_usd: 0 });
  });

  it('is shared by all stages of a run', async () => {
    const server = await llmServer([say(GOOD)]);
    const shared = limits({ max_calls: 3 });
    const [a, b] = ['a', 'b'].map((stage) => models(setup(server.url), { stage, limits: shared }));
    for (const i of [1, 2]) await a!.llm('author').ask(question(`row:${i}`));
    await b!.llm('author').ask(question('row:3'));
    await expect(b!.llm('author').ask(question('row:4'))).rejects.toThrow(BudgetError);
    await Promise.all([a!.close(), b!.close()]);
    expect(server.requests.length).toBe(3);
  });

  it('is never passed, whatever requests come to, and stops only when the next could pass it', async () => {
    const amount = fc.record({
      calls: fc.constant(1),
      tokens: fc.integer({ min: 0, max: 400 }),
      cost_usd: fc.double({ min: 0, max: 4, noNaN: true }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      wait: fc.integer({ min: 0, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(amount, { maxLength: 30 }), async (requests) => {
        const most = { max_calls: 12, max_tokens: 1500, max_cost_usd: 12 };
        const budget = new Budget(most);
        let granted = 0;
        let refusedAt: Amount | undefined;
        await Promise.all(
          requests.map(async ({ share, wait, ...worst }) => {
            const settle = await budget.reserve(worst).catch(() => undefined);
            if (!settle) {
              refusedAt ??= budget.spent;
              return;
            }
            granted++;
            for (let i = 0; i < wait; i++) await Promise.resolve();
            settle({ calls: 1, tokens: Math.floor(worst.tokens * share), cost_usd: worst.cost_usd * share });
          }),
        );
        const { calls, tokens, cost_usd } = budget.spent;
        expect(calls).toBe(granted);
        expect(calls <= 12 && tokens <= 1500 && cost_usd <= 12 + 1e-9).toBe(true);
        if (!refusedAt) expect(granted).toBe(requests.length);
        else {
          const next = requests[granted]!;
          const is_over =
            refusedAt.calls + 1 > 12 ||
            refusedAt.tokens + next.tokens > 1500 ||
            refusedAt.cost_usd + next.cost_usd > 12;
          expect(is_over).toBe(true);
        }
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  it('of money needs the price of every model', () => {
    const priced = setup('http://127.0.0.1:1/v1', { price: PRICE });
    const free = setup('http://127.0.0.1:1/v1', { model: 'other' });
    const cap = BudgetConfig.parse({ max_cost_usd: 1 });
    expect(() => checkPrices(cap, [priced])).not.toThrow();
    expect(() => checkPrices(BudgetConfig.parse({ max_tokens: 1 }), [free])).not.toThrow();
    expect(() => checkPrices(cap, [priced, free])).toThrow(UsageError);
    expect(() => checkPrices(cap, [free])).toThrow(
      /models\.models\.author\.price[\s\S]*other[\s\S]*--llm-price/,
    );
  });
});

/** A clock that moves when it is told; sleepers wake in the order of their time. */
function fakeClock() {
  let time = 0;
  const sleepers: { at: number; wake: () => void }[] = [];
  const clock: Clock = {
    now: () => time,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { at: time + ms, wake: resolve };
        sleepers.push(sleeper);
        signal.addEventListener('abort', () => {
          const i = sleepers.indexOf(sleeper);
          if (i >= 0) sleepers.splice(i, 1);
          reject(signal.reason as Error);
        });
      }),
  };
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    clock,
    sleep: (ms: number) => clock.sleep(ms, new AbortController().signal),
    /** Runs until nobody sleeps. */
    async run(): Promise<number> {
      await settle();
      for (;;) {
        sleepers.sort((a, b) => a.at - b.at);
        const next = sleepers.shift();
        if (!next) return time;
        time = Math.max(time, next.at);
        next.wake();
        await settle();
      }
    },
  };
}

describe('tokens per minute', () => {
  const request = fc.record({
    worst: fc.integer({ min: 1, max: 1400 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    arrives: fc.integer({ min: 0, max: 100_000 }),
    takes: fc.integer({ min: 0, max: 90_000 }),
  });

  it('are never passed in any 60 seconds, in order, and everybody comes through', async () => {
    const most = 1000;
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 25 }), async (requests) => {
        const { clock, sleep, run } = fakeClock();
        const rate = tokenRate(most, clock);
        const sent: { at: number; tokens: number; worst: number; arrives: number; i: number }[] = [];
        const all = requests.map(async ({ worst, share, arrives, takes }, i) => {
          await sleep(arrives);
          const settle = await rate.take(worst, new AbortController().signal);
          const entry = { at: clock.now(), tokens: worst, worst, arrives, i };
          sent.push(entry);
          await sleep(takes);
          entry.tokens = Math.floor(worst * share);
          settle(entry.tokens);
        });
        await run();
        await Promise.all(all);
        expect(sent.length).toBe(requests.length);
        for (const { at } of sent) {
          const window = sent.filter((s) => s.at >= at && s.at < at + 60_000);
          const used = window.reduce((n, s) => n + s.tokens, 0);
          const alone = window.some((s) => s.worst > most);
          if (!alone) expect(used).toBeLessThanOrEqual(most);
        }
        const arrival = [...sent].sort((a, b) => a.arrives - b.arrives || a.i - b.i);
        expect(sent.map((s) => s.i)).toEqual(arrival.map((s) => s.i));
      }),
      { seed: 5, numRuns: 150 },
    );
  });

  it('let what fits go at once, and make the next wait for the end of its minute', async () => {
    const { clock, run } = fakeClock();
    const rate = tokenRate(1000, clock);
    const at: number[] = [];
    const take = (tokens: number) =>
      rate.take(tokens, new AbortController().signal).then((settle) => {
        at.push(clock.now());
        return settle;
      });
    const all = [take(600), take(400), take(1), take(5000), take(999)];
    await run();
    await Promise.all(all);
    expect(at).toEqual([0, 0, 60_000, 120_000, 180_000]);
  });

  it('that were not used are free as soon as that is known', async () => {
    const { clock, sleep, run } = fakeClock();
    const rate = tokenRate(1000, clock);
    const signal = new AbortController().signal;
    let second = -1;
    const all = [
      rate.take(900, signal).then(async (settle) => {
        await sleep(2000);
        settle(100);
      }),
      rate.take(900, signal).then(() => {
        second = clock.now();
      }),
    ];
    await run();
    await Promise.all(all);
    expect(second).toBe(2000);
  });

  it('are waited for no longer than the run goes on', async () => {
    const { clock, run } = fakeClock();
    const rate = tokenRate(10, clock);
    const stop = new AbortController();
    await rate.take(10, stop.signal);
    const waiting = rate.take(10, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow();
    // The place in the line is free for the next one.
    const next = rate.take(10, new AbortController().signal);
    expect(await run()).toBe(60_000);
    await next;
  });

  it('hold back real requests', async () => {
    const server = await llmServer([say(GOOD)]);
    const made = models(setup(server.url, {}, { tokens_per_minute: 800, concurrency: 8 }));
    const asked = [1, 2, 3].map((i) => made.llm('author').ask(question(`row:${i}`)));
    await asked[0];
    await Promise.all(asked);
    await made.close();
    // Each holds about 700 of 800 tokens until its answer has come: one at a time, whatever the slots.
    const [a, b, c] = server.requests.map((r) => r.at);
    expect(a! < b! && b! < c!).toBe(true);
    expect(server.requests.length).toBe(3);
  });
});

describe('a stop', () => {
  it('lets calls on their way arrive, and neither waits nor sends again', async () => {
    const late: Act = (res, seen) => void setTimeout(() => say(GOOD)(res, seen), 150);
    const busy = status(429, '{}', { 'retry-after': '100' });
    const server = await llmServer(({ body }) => (body.messages[0]!.content.includes('row:0') ? late : busy));
    const made = models(setup(server.url), {
      calls: { timeout_seconds: 5, retries: 3, retry_after_cap_seconds: 100, backoff_seconds: 1 },
    });
    const asked = [0, 1].map((i) =>
      made
        .llm('author')
        .ask(question(`row:${i}`))
        .catch((e: unknown) => e),
    );
    await new Promise((resolve) => setTimeout(resolve, 60));
    const began = performance.now();
    await made.close();
    expect(performance.now() - began).toBeLessThan(1000);
    expect(await asked[0]).toMatchObject({ outcome: 'accepted' });
    expect(await asked[1]).toBeInstanceOf(BudgetError);
    expect(server.requests.length).toBe(2);
    expect(made.records('answers').length).toBe(1);
  });
});
