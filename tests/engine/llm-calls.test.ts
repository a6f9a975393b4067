/** Calls over a real socket: what each kind of reply and fault becomes, and what is kept of it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { retryAfter } from '../../pipelines/engine/adapters/llm-client.js';
import { waitingTime } from '../../pipelines/engine/adapters/llm-retry.js';
import { BudgetError, Interrupted, UsageError } from '../../pipelines/engine/errors.js';
import {
  type Act,
  complete,
  completionBody,
  hangUp,
  llmServer,
  reset,
  say,
  stall,
  status,
} from '../support/llm-server.js';
import { FAST, GOOD, models, question, setup } from './llm-support.js';

async function ask(script: readonly Act[], model: object = {}) {
  const server = await llmServer(script);
  const made = models(setup(server.url, model));
  const result = await made.llm('author').ask(question());
  await made.close();
  return { server, made, result };
}

/** Outcome, number of requests. */
async function outcome(script: readonly Act[], model: object = {}): Promise<[string, number]> {
  const { server, result } = await ask(script, model);
  return [result.outcome, server.requests.length];
}

describe('a good reply', () => {
  it('is accepted with its value and source, and sent as declared', async () => {
    const { server, made, result } = await ask([say(GOOD, { model: 'test-model-0613', id: 'resp-9' })], {
      temperature: 0.7,
      seed: 0,
      extra: { reasoning_effort: 'low' },
    });
    expect(result).toMatchObject({
      outcome: 'accepted',
      value: GOOD,
      source: {
        model: 'test-model',
        served_model: 'test-model-0613',
        response_id: 'resp-9',
        usage: { prompt_tokens: 11, completion_tokens: 7 },
      },
    });
    const { body } = server.requests[0]!;
    expect(body).toMatchObject({
      model: 'test-model',
      temperature: 0.7,
      seed: 0,
      max_tokens: 100,
      reasoning_effort: 'low',
    });
    expect(body.messages).toEqual([{ role: 'user', content: 'Judge row:1.' }]);
    const format = body.response_format as { type: string; json_schema: { strict: boolean; schema: object } };
    expect(format.type).toBe('json_schema');
    expect(format.json_schema).toMatchObject({
      name: 'verdict',
      strict: true,
      schema: { additionalProperties: false, required: ['verdict', 'reason'] },
    });
    expect(Object.keys(body).sort()).toEqual(
      [
        'max_tokens',
        'messages',
        'model',
        'reasoning_effort',
        'response_format',
        'seed',
        'temperature',
      ].sort(),
    );
    expect(made.records('answers')).toMatchObject([
      {
        outcome: 'accepted',
        text: JSON.stringify(GOOD),
        response_id: 'resp-9',
        served_model: 'test-model-0613',
        model: 'test-model',
        usage: { prompt_tokens: 11, completion_tokens: 7 },
        finish_reason: 'stop',
        subject: 'row:1',
        status: 200,
      },
    ]);
    expect(made.notes.join()).toContain('test-model-0613 answered');
    expect(made.failures).toBe(0);
  });

  it('without usage, id or model is accepted, and these are null', async () => {
    const bare = JSON.stringify({
      choices: [{ finish_reason: 'stop', message: { content: JSON.stringify(GOOD) } }],
    });
    const { made, result } = await ask([status(200, bare)]);
    expect(result.outcome).toBe('accepted');
    expect(made.records('answers')[0]).toMatchObject({ usage: null, response_id: null, served_model: null });
  });

  it('with a usage that is no usage is accepted', async () => {
    expect(await outcome([say(GOOD, { usage: { prompt_tokens: 'many' } })])).toEqual(['accepted', 1]);
  });

  it('may say max_completion_tokens instead', async () => {
    const { server } = await ask([say(GOOD)], { limit_field: 'max_completion_tokens' });
    expect(server.requests[0]!.body).toMatchObject({ max_completion_tokens: 100 });
    expect(server.requests[0]!.body).not.toHaveProperty('max_tokens');
  });
});

describe('a reply that is no answer', () => {
  const good = JSON.stringify(GOOD);
  it.each<[string, Act, string, number]>([
    ['refused', complete({ refusal: 'I cannot help with that.' }), 'refused', 1],
    ['refused beside content', complete({ content: good, refusal: 'No.' }), 'refused', 1],
    ['stopped by a filter', complete({ content: good, finish_reason: 'content_filter' }), 'filtered', 1],
    ['stopped for tools', complete({ content: good, finish_reason: 'tool_calls' }), 'unfinished', 1],
    ['without a stop reason', complete({ content: good, finish_reason: null }), 'unfinished', 1],
    ['null content', complete({ content: null }), 'empty', 2],
    ['white space', complete({ content: ' \n' }), 'empty', 2],
    ['prose', say('The option looks fine!'), 'unparsable', 2],
    ['prose round the object', say(`Sure: ${good}`), 'unparsable', 2],
    ['a fenced object', say(`\`\`\`json\n${good}\n\`\`\``), 'unparsable', 2],
    ['JSON that is cut, with stop', say(good.slice(0, -3)), 'unparsable', 2],
    ['an unknown word', say({ verdict: 'FINE', reason: null }), 'invalid', 2],
    ['a missing field', say({ verdict: 'GOOD' }), 'invalid', 2],
    ['a further field', say({ ...GOOD, score: 1 }), 'invalid', 2],
    ['a list of answers', say([GOOD]), 'invalid', 2],
    ['null', say('null'), 'invalid', 2],
  ])('%s', async (_, act, expected, requests) => {
    const { server, made, result } = await ask([act]);
    expect([result.outcome, server.requests.length]).toEqual([expected, requests]);
    expect(result).not.toHaveProperty('value');
    expect(made.failures).toBe(1);
    // Every attempt is kept, with what the model wrote; none of it among the answers.
    const kept = made.records('failures');
    expect(kept.map((r) => r.outcome)).toEqual(Array(requests).fill(expected));
    expect(kept[0]).toMatchObject({ usage: { prompt_tokens: 11 }, response_id: 'resp-1' });
    expect(readdirSync(join(made.dir, 'open'))).toEqual(['failures.jsonl']);
  });

  it('keeps the words of the model in the store, and out of log, notes and result', async () => {
    const { made, result } = await ask([say({ verdict: 'FINE', reason: 'the patient Zebedee' })]);
    expect(made.records('failures')[0]!.text).toContain('Zebedee');
    expect(JSON.stringify([made.lines, made.notes, result])).not.toMatch(/Zebedee|FINE/);
    expect(made.lines[0]).toMatch(/^llm author row:1: invalid, answer [0-9a-f]{12}$/);
  });

  it('is asked for again with the prompt as it was, and the second reply counts', async () => {
    const { server, made, result } = await ask([say('looks fine'), say(GOOD)]);
    expect(result.outcome).toBe('accepted');
    expect(server.requests[1]!.body).toEqual(server.requests[0]!.body);
    expect([made.records('failures').length, made.records('answers').length]).toEqual([1, 1]);
  });

  it('is asked for as often as the config says', async () => {
    expect(await outcome([say('no')], { content_retries: 0 })).toEqual(['unparsable', 1]);
    expect(await outcome([say('no')], { content_retries: 3 })).toEqual(['unparsable', 4]);
  });
});

describe('a truncated reply', () => {
  const cut = complete({ content: '{"verdict":"GOOD","rea', finish_reason: 'length' });
  it('is asked for once more with the larger limit and the original prompt', async () => {
    const { server, result } = await ask([cut, say(GOOD)]);
    expect(result.outcome).toBe('accepted');
    expect(server.requests.map((r) => r.body.max_tokens)).toEqual([100, 400]);
    const whole = await ask([say(GOOD)], {});
    expect(result.source.answer_key).not.toBe(whole.result.source.answer_key);
    expect([whole.result.source.answer_key, whole.result.source.key]).toEqual(
      Array(2).fill(result.source.key),
    );
    const rest = server.requests.map(({ body: { max_tokens: _, ...more } }) => more);
    expect(rest[1]).toEqual(rest[0]);
  });

  it('is given up after the second cut, even when the cut text is whole JSON', async () => {
    const whole = complete({ content: JSON.stringify(GOOD), finish_reason: 'length' });
    expect(await outcome([whole])).toEqual(['truncated', 2]);
  });
});

describe('faults of the line and the server', () => {
  const html = '<html><body>502 Bad Gateway</body></html>';
  it.each<[string, Act]>([
    [
      '429 with a short Retry-After',
      status(429, '{"error":{"code":"rate_limit"}}', { 'retry-after': '0.1' }),
    ],
    ['429 with a huge Retry-After', status(429, '{"error":{}}', { 'retry-after': '86400' })],
    [
      '429 with a date',
      status(429, '{"error":{}}', { 'retry-after': new Date(Date.now() + 9e6).toUTCString() }),
    ],
    ['500 with HTML', status(500, html)],
    ['502 with HTML', status(502, html)],
    ['503 without a body', status(503, '')],
    ['200 with HTML', status(200, html)],
    ['200 with an error object', status(200, '{"error":{"message":"overloaded"}}')],
    ['200 without a choice', complete({ choices: [] })],
    ['200 with choices that are none', complete({ choices: [{}] })],
    ['a body that is cut', status(200, completionBody({ content: '{}' }).slice(0, 60))],
    ['an empty body', status(200, '')],
    ['a stalled body', stall],
    ['a reset in the body', reset],
    ['a line that breaks at once', hangUp],
  ])('%s is mended by asking again', async (_, act) => {
    const began = performance.now();
    const { server, made, result } = await ask([act, say(GOOD)]);
    expect([result.outcome, server.requests.length]).toEqual(['accepted', 2]);
    expect(made.records('failures').length).toBe(1);
    expect(performance.now() - began).toBeLessThan(3000);
  });

  it('waits as long as the server asks, up to the cap', async () => {
    const { server } = await ask([
      status(429, '{}', { 'retry-after': '0.15' }),
      status(429, '{}', { 'retry-after': '3600' }),
      say(GOOD),
    ]);
    const [a, b, c] = server.requests.map((r) => r.at);
    expect(b! - a!).toBeGreaterThanOrEqual(145);
    expect(b! - a!).toBeLessThan(295);
    expect(c! - b!).toBeGreaterThanOrEqual(295);
    expect(c! - b!).toBeLessThan(1500);
  });

  it.each<[string, Act, RegExp]>([
    ['500 for ever', status(500, html), /HTTP 500/],
    ['a stall for ever', stall, /no whole answer in 0.5 s/],
    ['a reset for ever', reset, /connection failed/],
  ])('%s stops the build with exit code 4 after all attempts', async (_, act, words) => {
    const server = await llmServer([act]);
    const made = models(setup(server.url));
    const error = await made
      .llm('author')
      .ask(question('row:77'))
      .catch((e: unknown) => e);
    await made.close();
    expect(error).toBeInstanceOf(BudgetError);
    expect((error as Error).message).toMatch(words);
    expect((error as Error).message).toMatch(/row row:77/);
    expect((error as Error).message).toMatch(/run the same command again/);
    expect(server.requests.length).toBe(3);
    expect(made.records('failures').length).toBe(3);
  });

  it.each<[string, Act, RegExp]>([
    [
      '400',
      status(400, '{"error":{"code":"unsupported_value","message":"no json_schema"}}'),
      /HTTP 400, code unsupported_value/,
    ],
    ['401', status(401, '{"error":{"code":"invalid_api_key"}}'), /HTTP 401/],
    ['404', status(404, html), /HTTP 404/],
    ['a redirect', status(307, '', { location: 'http://127.0.0.1:1/v1/chat/completions' }), /redirect/],
  ])('%s is a UsageError at once', async (_, act, words) => {
    const server = await llmServer([act]);
    const made = models(setup(server.url));
    const error = await made
      .llm('author')
      .ask(question())
      .catch((e: unknown) => e);
    await made.close();
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(words);
    expect(server.requests.length).toBe(1);
  });

  it('takes a spent quota and x-should-retry: false as final', async () => {
    for (const act of [
      status(429, '{"error":{"code":"insufficient_quota"}}'),
      status(503, '{}', { 'x-should-retry': 'false' }),
    ]) {
      const server = await llmServer([act]);
      const made = models(setup(server.url));
      await expect(made.llm('author').ask(question())).rejects.toThrow(BudgetError);
      await made.close();
      expect(server.requests.length).toBe(1);
    }
  });

  it.each([
    ['413', status(413, '{}')],
    ['the context length', status(400, '{"error":{"code":"context_length_exceeded"}}')],
  ])('calls a prompt too long after %s, which is about the row', async (_, act) => {
    expect(await outcome([act])).toEqual(['too_long', 1]);
  });

  it('does not follow a redirect to another server', async () => {
    const other = await llmServer([say(GOOD)]);
    const server = await llmServer([status(307, '', { location: `${other.url}/chat/completions` })]);
    const made = models(setup(server.url));
    await expect(made.llm('author').ask(question())).rejects.toThrow(UsageError);
    await made.close();
    expect(other.requests.length).toBe(0);
  });

  it('stops at once when the person interrupts, in a stall and in a wait', async () => {
    for (const act of [stall, status(429, '{}', { 'retry-after': '100' })]) {
      const server = await llmServer([act]);
      const stop = new AbortController();
      const calls = { ...FAST, timeout_seconds: 20, retry_after_cap_seconds: 100 };
      const made = models(setup(server.url), { signal: stop.signal, calls });
      const began = performance.now();
      setTimeout(() => stop.abort(), 100);
      await expect(made.llm('author').ask(question())).rejects.toThrow(Interrupted);
      await made.close();
      expect(performance.now() - began).toBeLessThan(1000);
    }
  });
});

describe('waiting times', () => {
  it('grow with the attempts, have jitter, and end at the cap', () => {
    const calls = { ...FAST, backoff_seconds: 1, retry_after_cap_seconds: 5 };
    const none = { retry_after_ms: null };
    expect([1, 2, 3, 9].map((n) => waitingTime(none, n, calls, 1))).toEqual([1000, 2000, 4000, 5000]);
    expect(waitingTime(none, 1, calls, 0)).toBe(500);
    expect(waitingTime({ retry_after_ms: 9e9 }, 1, calls, 1)).toBe(5000);
    expect(waitingTime({ retry_after_ms: 0 }, 9, calls, 1)).toBe(0);
  });

  it('are read from every form of the header', () => {
    const read = (h: Record<string, string>) => retryAfter(new Headers(h), Date.UTC(2030, 0, 1));
    expect(read({ 'retry-after': '2' })).toBe(2000);
    expect(read({ 'retry-after-ms': '250', 'retry-after': '9' })).toBe(250);
    expect(read({ 'retry-after': 'Tue, 01 Jan 2030 00:00:30 GMT' })).toBe(30_000);
    expect(read({ 'retry-after': 'Tue, 01 Jan 2020 00:00:30 GMT' })).toBe(0);
    expect(read({ 'retry-after': 'soon' })).toBeNull();
    expect(read({ 'retry-after': '-5' })).not.toBeLessThan(0);
    expect(read({})).toBeNull();
  });
});
