/** Faults that others had: what a reply may not be taken for, whose answer it is, and how long is waited. */
import { createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BudgetError } from '../../pipelines/engine/errors.js';
import type { Tallies } from '../../pipelines/engine/tally.js';
import { type Act, complete, llmServer, say, status } from '../support/llm-server.js';
import { FAST, GOOD, models, question, setup } from './llm-support.js';

const waits: number[] = [];
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>();
  return {
    ...real,
    setTimeout: (ms: number, value: unknown, options: object) => {
      waits.push(ms);
      return real.setTimeout(Math.min(ms, 5), value, options);
    },
  };
});
afterEach(() => {
  waits.length = 0;
});

/** Outcome and number of requests for one script. */
async function outcome(script: readonly Act[]): Promise<[string, number]> {
  const server = await llmServer(script);
  const made = models(setup(server.url));
  const result = await made.llm('author').ask(question());
  await made.close();
  return [result.outcome, server.requests.length];
}

describe('the order of checks', () => {
  const good = JSON.stringify(GOOD);
  it.each<[string, Parameters<typeof complete>[0], string, number]>([
    ['cut, and a refusal', { content: good, refusal: 'No.', finish_reason: 'length' }, 'truncated', 2],
    ['cut, and prose', { content: 'Well,', finish_reason: 'length' }, 'truncated', 2],
    ['cut, and nothing', { content: null, finish_reason: 'length' }, 'truncated', 2],
    ['filtered, and a refusal', { refusal: 'No.', finish_reason: 'content_filter' }, 'filtered', 1],
    ['a refusal, and another reason', { refusal: 'No.', finish_reason: 'tool_calls' }, 'refused', 1],
    ['a refusal beside prose', { content: 'Sorry.', refusal: 'No.' }, 'refused', 1],
    ['a reason that nobody knows', { content: good, finish_reason: 'eos_token' }, 'unfinished', 1],
    ['a reason that nobody knows, and nothing', { content: null, finish_reason: 'error' }, 'unfinished', 1],
    ['an empty reason', { content: good, finish_reason: '' }, 'unfinished', 1],
  ])('is stop reason, refusal, content: %s', async (_, spec, expected, requests) => {
    expect(await outcome([complete(spec)])).toEqual([expected, requests]);
  });

  it('counts an empty list as an answer only when the reply is complete', async () => {
    const nothing = { verdict: 'GOOD', reason: null };
    expect((await outcome([say(nothing, { finish_reason: 'length' })]))[0]).toBe('truncated');
    expect((await outcome([say(nothing)]))[0]).toBe('accepted');
  });
});

describe('answers', () => {
  it('belong to the row that was asked about, in whatever order they come', async () => {
    const rows = ['A', 'B', 'C', 'D', 'E', 'F'];
    const held: (() => void)[] = [];
    const server = await llmServer(() => (res, seen) => {
      const asked = /row:(.)/.exec(seen.body.messages[0]!.content)![1];
      held.push(() => say({ verdict: 'GOOD', reason: `about ${asked}` })(res, seen));
      // All six wait for each other and are answered from the last to the first.
      if (held.length === rows.length) for (const answer of held.reverse()) answer();
    });
    const made = models(setup(server.url, {}, { concurrency: 6 }), {
      calls: { ...FAST, timeout_seconds: 10 },
    });
    const results = await Promise.all(rows.map((r) => made.llm('author').ask(question(`row:${r}`))));
    await made.close();
    expect(results.map((r) => (r.outcome === 'accepted' ? r.value.reason : r.outcome))).toEqual(
      rows.map((r) => `about ${r}`),
    );
    const kept = made.records('answers') as unknown as { subject: string; text: string }[];
    expect(kept.every(({ subject, text }) => text.includes(`about ${subject.slice(-1)}`))).toBe(true);
  });

  it('of three rows with two errors: the next run asks about these two', async () => {
    const bad = new Set(['row:1', 'row:3']);
    const server = await llmServer(({ body }) =>
      bad.has(/row:\d/.exec(body.messages[0]!.content)![0]) ? say('looks fine!') : say(GOOD),
    );
    const ask = async (dir?: string) => {
      const made = models(setup(server.url, { content_retries: 0 }), dir ? { dir, storeDir: dir } : {});
      const rows = [0, 1, 2, 3, 4];
      const results = await Promise.all(rows.map((i) => made.llm('author').ask(question(`row:${i}`))));
      await made.close();
      return { dir: made.dir, outcomes: results.map((r) => r.outcome) };
    };
    const first = await ask();
    expect(first.outcomes.filter((o) => o === 'unparsable').length).toBe(2);
    bad.clear();
    const second = await ask(first.dir);
    expect(second.outcomes).toEqual(Array(5).fill('accepted'));
    expect(server.requests.length).toBe(7);
  });
});

describe('the line', () => {
  it('that brings a body byte by byte for ever ends with the timeout', async () => {
    const trickle: Act = (res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => res.write(' '), 20);
      res.on('close', () => clearInterval(timer));
    };
    expect(await outcome([trickle, say(GOOD)])).toEqual(['accepted', 2]);
  });

  it('that leads nowhere costs nothing, and says so', async () => {
    const port = await new Promise<number>((resolve) => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const { port } = probe.address() as { port: number };
        probe.close(() => resolve(port));
      });
    });
    let tallies: Tallies = {};
    const made = models(setup(`http://127.0.0.1:${port}/v1`), {
      onTally: (t) => {
        tallies = t;
      },
    });
    const error = await made
      .llm('author')
      .ask(question())
      .catch((e: unknown) => e);
    await made.close();
    expect(error).toBeInstanceOf(BudgetError);
    expect((error as Error).message).toMatch(/connection failed \(ECONNREFUSED\)/);
    expect(tallies.author).toMatchObject({ calls: 3, transport_retries: 2, assumed_tokens: 0, done: 0 });
  });
});

describe('waiting times', () => {
  const ask = async (rows: readonly string[]): Promise<number[]> => {
    waits.length = 0;
    const server = await llmServer([status(503, '')]);
    const made = models(setup(server.url), {
      calls: { ...FAST, backoff_seconds: 1, retry_after_cap_seconds: 60 },
    });
    for (const row of rows) await expect(made.llm('author').ask(question(row))).rejects.toThrow(BudgetError);
    await made.close();
    return [...waits];
  };

  it('have jitter that is the same in every run and another for every request', async () => {
    const [first, second] = [await ask(['row:1', 'row:2']), await ask(['row:1', 'row:2'])];
    expect(first).toEqual(second);
    expect(new Set(first).size).toBe(4);
    first.forEach((ms, i) => {
      const full = 1000 * 2 ** (i % 2);
      expect(ms >= full / 2 && ms <= full).toBe(true);
    });
  });

  it('are what the server asks for in a storm, up to the cap', async () => {
    const storm = ['0', '7', '86400'].map((s) => status(429, '{"error":{}}', { 'retry-after': s }));
    const server = await llmServer([...storm, say(GOOD)]);
    const calls = { ...FAST, retries: 3, retry_after_cap_seconds: 30 };
    const made = models(setup(server.url), { calls });
    expect((await made.llm('author').ask(question())).outcome).toBe('accepted');
    await made.close();
    expect(waits).toEqual([0, 7000, 30_000]);
  });
});
