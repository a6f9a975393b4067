/** The store of answers: replay, damage, and nothing paid for twice. */
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../pipelines/engine/adapters/llm-store.js';
import { DataError, UsageError } from '../../pipelines/engine/errors.js';
import { type Act, complete, llmServer, say, stall, status } from '../support/llm-server.js';
import { temporaryFolder } from '../support/stage.js';
import { GOOD, models, question, setup } from './llm-support.js';

/** Answers that tell which prompt and which call they belong to. */
const echo = (): ((seen: { body: { messages: { content: string }[] } }, n: number) => Act) => (seen, n) =>
  say({ verdict: 'GOOD', reason: `${seen.body.messages[0]!.content} call ${n}` });

describe('answers', () => {
  it('are asked for once, and found again by later runs and by a replay', async () => {
    const server = await llmServer(echo());
    const first = models(setup(server.url));
    const subjects = ['row:A', 'row:B', 'row:C'];
    const ask = (m: typeof first) => Promise.all(subjects.map((s) => m.llm('author').ask(question(s))));
    const live = await ask(first);
    await first.close();
    live.forEach((r, i) => {
      expect(r).toMatchObject({ value: { reason: expect.stringContaining(`Judge ${subjects[i]}.`) } });
    });
    await server.close();
    for (const mode of ['live', 'replay'] as const) {
      const again = models(setup(server.url), { dir: first.dir, storeDir: first.dir, mode });
      expect(await ask(again)).toEqual(live);
      await again.close();
    }
    expect(server.requests.length).toBe(3);
  });

  it('of n samples stay n, and equal requests at the same time are one call', async () => {
    const server = await llmServer(echo());
    const made = models(setup(server.url));
    const samples = [0, 1, 2, 3, 4, 0, 1];
    const ask = (m: typeof made) =>
      Promise.all(samples.map((sample) => m.llm('author').ask(question('row:A', { sample }))));
    const live = await ask(made);
    await made.close();
    expect(server.requests.length).toBe(5);
    const replay = models(setup(server.url), { dir: made.dir, storeDir: made.dir, mode: 'replay' });
    const texts = (await ask(replay)).map((r) => (r.outcome === 'accepted' ? r.value.reason : ''));
    expect(await ask(replay)).toEqual(live);
    expect(new Set(texts).size).toBe(5);
    await replay.close();
  });

  it('never come from a refusal: a live run asks again, a replay refuses again', async () => {
    const server = await llmServer([complete({ refusal: 'No.' }), say(GOOD)]);
    const first = models(setup(server.url));
    expect((await first.llm('author').ask(question())).outcome).toBe('refused');
    await first.close();
    const options = { dir: first.dir, storeDir: first.dir };
    const replay = models(setup(server.url), { ...options, mode: 'replay' });
    expect(await replay.llm('author').ask(question())).toMatchObject({ outcome: 'refused' });
    await replay.close();
    expect(server.requests.length).toBe(1);
    const second = models(setup(server.url), options);
    expect((await second.llm('author').ask(question())).outcome).toBe('accepted');
    await second.close();
    const last = models(setup(server.url), { ...options, mode: 'replay' });
    expect((await last.llm('author').ask(question())).outcome).toBe('accepted');
    await last.close();
  });

  it('that were cut and then whole are paid for once', async () => {
    const cut = complete({ content: '{"ver', finish_reason: 'length' });
    const server = await llmServer([cut, say(GOOD), status(500, '')]);
    const first = models(setup(server.url));
    await first.llm('author').ask(question());
    await first.close();
    for (const mode of ['live', 'replay'] as const) {
      const again = models(setup(server.url), { dir: first.dir, storeDir: first.dir, mode });
      expect((await again.llm('author').ask(question())).outcome).toBe('accepted');
      await again.close();
    }
    expect(server.requests.length).toBe(2);
  });

  it('that were cut before the run was stopped are missing in a replay, and a live run goes on with the larger limit', async () => {
    const cut = complete({ content: '{"ver', finish_reason: 'length' });
    const server = await llmServer([cut, status(500, ''), say(GOOD)]);
    const calls = { ...FAST_CALLS, retries: 0 };
    const first = models(setup(server.url), { calls });
    await expect(first.llm('author').ask(question())).rejects.toThrow(/no answer in 1 attempt/);
    await first.close();
    const options = { dir: first.dir, storeDir: first.dir };
    const replay = models(setup(server.url), { ...options, mode: 'replay' });
    await expect(replay.llm('author').ask(question())).rejects.toThrow(/replay has no recorded answer/);
    await replay.close();
    const second = models(setup(server.url), options);
    expect((await second.llm('author').ask(question())).outcome).toBe('accepted');
    await second.close();
    expect(server.requests.map((r) => r.body.max_tokens)).toEqual([100, 400, 400]);
  });

  it('that a replay misses are an error that says which, without any call', async () => {
    const server = await llmServer([say(GOOD)]);
    const replay = models(setup(server.url), { mode: 'replay' });
    const error = (await replay
      .llm('author')
      .ask(question('row:9'))
      .catch((e: unknown) => e)) as Error;
    await replay.close();
    expect(error).toBeInstanceOf(DataError);
    expect(error.message).toMatch(/replay has no recorded answer for author/);
    expect(error.message).toMatch(/row row:9, field sample 0/);
    expect(error.message).toMatch(/no answer [0-9a-f]{12} of test-model \(test-server\)/);
    expect(server.requests.length).toBe(0);
    expect(readdirSync(replay.dir)).toEqual([]);
  });

  it('are no replay of faults of the server: these are missing', async () => {
    const server = await llmServer([status(500, '')]);
    const first = models(setup(server.url));
    await expect(first.llm('author').ask(question())).rejects.toThrow();
    await first.close();
    const replay = models(setup(server.url), { dir: first.dir, storeDir: first.dir, mode: 'replay' });
    await expect(replay.llm('author').ask(question())).rejects.toThrow(/replay has no recorded answer/);
    await replay.close();
  });

  it('from another parameter are not taken', async () => {
    const server = await llmServer([say(GOOD)]);
    const first = models(setup(server.url));
    await first.llm('author').ask(question());
    await first.close();
    const options = { dir: first.dir, storeDir: first.dir, mode: 'replay' as const };
    for (const change of [{ temperature: 0.7 }, { seed: 1 }, { model: 'other' }]) {
      const replay = models(setup(server.url, change), options);
      await expect(replay.llm('author').ask(question())).rejects.toThrow(/replay has no recorded answer/);
      await replay.close();
    }
  });

  it('lie apart by class', async () => {
    const server = await llmServer([say(GOOD)]);
    const first = models(setup(server.url), { access: 'credentialed' });
    await first.llm('author').ask(question());
    await first.close();
    expect(readdirSync(first.dir)).toEqual(['credentialed']);
    const open = models(setup(server.url), { dir: first.dir, storeDir: first.dir, mode: 'replay' });
    await expect(open.llm('author').ask(question())).rejects.toThrow(/replay has no recorded answer/);
    await open.close();
  });

  it('may be recorded files, which are only read', async () => {
    const server = await llmServer([say(GOOD)]);
    const first = models(setup(server.url));
    await first.llm('author').ask(question());
    await first.close();
    const recorded = [join(first.dir, 'open', 'answers.jsonl')];
    for (const mode of ['live', 'replay'] as const) {
      const again = models(setup(server.url), { recorded, mode });
      expect((await again.llm('author').ask(question())).outcome).toBe('accepted');
      await again.close();
    }
    expect(server.requests.length).toBe(1);
  });

  it('go on in parallel up to the limit only', async () => {
    let open = 0;
    let most = 0;
    const server = await llmServer(() => (res, seen) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        say(GOOD)(res, seen);
      }, 20);
    });
    const made = models(setup(server.url, {}, { concurrency: 3 }), { calls: FAST_CALLS });
    await Promise.all(Array.from({ length: 12 }, (_, i) => made.llm('author').ask(question(`row:${i}`))));
    await made.close();
    expect([most, server.requests.length]).toEqual([3, 12]);
  });
});

const FAST_CALLS = {
  timeout_seconds: 5,
  retries: 1,
  retry_after_cap_seconds: 0.1,
  backoff_seconds: 0.01,
};

/** A store with n answers; returns its folder and file. */
async function filled(n: number): Promise<{ dir: string; file: string; url: string }> {
  const server = await llmServer(echo());
  const made = models(setup(server.url));
  for (let i = 0; i < n; i++) await made.llm('author').ask(question(`row:${i}`));
  await made.close();
  return { dir: made.dir, file: join(made.dir, 'open', 'answers.jsonl'), url: server.url };
}

describe('two accepted answers of one request', () => {
  it('leave the first in force, in later runs too', async () => {
    const { dir, file } = await filled(2);
    const [a, b] = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l) as Record<string, unknown>);
    const store = await openStore({ dir: join(dir, 'open'), recorded: [], is_writable: true });
    const { check: _, ...record } = { ...b!, key: a!.key } as Record<string, unknown>;
    await store.append(record as never);
    expect(store.accepted(String(a!.key))!.text).toBe(a!.text);
    await store.close();
    const again = await openStore({ dir: join(dir, 'open'), recorded: [], is_writable: false });
    expect(again.accepted(String(a!.key))!.text).toBe(a!.text);
    // A recorded file is asked before the folder's own.
    const other = await filled(1);
    writeFileSync(join(other.dir, 'r.jsonl'), readFileSync(file));
    const first = await openStore({
      dir: join(other.dir, 'open'),
      recorded: [join(other.dir, 'r.jsonl')],
      is_writable: false,
    });
    expect(first.accepted(String(a!.key))!.order).toBe(0);
  });
});

describe('damage', () => {
  it('of the last line, cut at any byte, costs that answer alone and is told', async () => {
    const { dir, file } = await filled(3);
    const whole = readFileSync(file);
    const last = whole.lastIndexOf(10, whole.length - 2) + 1;
    for (const cut of [last + 1, last + 40, Math.floor((last + whole.length) / 2), whole.length - 1]) {
      writeFileSync(file, whole);
      truncateSync(file, cut);
      const server = await llmServer([say(GOOD)]);
      const again = models(setup(server.url), { dir, storeDir: dir });
      for (let i = 0; i < 3; i++) await again.llm('author').ask(question(`row:${i}`));
      await again.close();
      expect(server.requests.length).toBe(1);
      expect(again.notes.join()).toMatch(/^1 half-written line/);
      const aside = readdirSync(join(dir, 'open')).filter((f) => f.includes('.torn-'));
      expect(aside.some((f) => readFileSync(join(dir, 'open', f)).equals(whole.subarray(last, cut)))).toBe(
        true,
      );
      expect(again.records('answers').length).toBe(3);
    }
  });

  it('of the last line is told by a replay too, which changes nothing', async () => {
    const { dir, file, url } = await filled(2);
    truncateSync(file, readFileSync(file).length - 5);
    const before = readFileSync(file);
    const replay = models(setup(url), { dir, storeDir: dir, mode: 'replay' });
    await replay.llm('author').ask(question('row:0'));
    await expect(replay.llm('author').ask(question('row:1'))).rejects.toThrow(/no recorded answer/);
    await replay.close();
    expect(replay.notes.join()).toMatch(/1 half-written/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it.each<[string, (text: string) => string]>([
    ['a changed word', (t) => t.replace('GOOD', 'BADD')],
    ['a changed key', (t) => t.replace(/"key":"./, '"key":"f')],
    ['a line of nothing', (t) => `\n${t}`],
    ['zeros', (t) => `\0\0\0\0\n${t}`],
    ['two lines in one', (t) => t.replace('\n', '')],
  ])('elsewhere (%s) is a DataError with file and line', async (_, change) => {
    const { dir, file } = await filled(3);
    const text = readFileSync(file, 'utf8');
    const changed = change(text);
    expect(changed).not.toBe(text);
    writeFileSync(file, changed);
    for (const is_writable of [true, false]) {
      const error = (await openStore({ dir: join(dir, 'open'), recorded: [], is_writable }).catch(
        (e) => e,
      )) as Error;
      expect(error).toBeInstanceOf(DataError);
      expect(error.message).toMatch(/answers\.jsonl, row 1/);
    }
    expect(existsSync(join(dir, 'open', 'lock'))).toBe(false);
  });

  it('of a recorded file is always an error, a missing end included', async () => {
    const { file } = await filled(2);
    truncateSync(file, readFileSync(file).length - 1);
    const open = openStore({ dir: temporaryFolder(), recorded: [file], is_writable: false });
    await expect(open).rejects.toThrow(/row 2/);
  });

  it('cannot come from two builds at once: the second is told', async () => {
    const dir = temporaryFolder();
    const first = await openStore({ dir, recorded: [], is_writable: true });
    await expect(openStore({ dir, recorded: [], is_writable: true })).rejects.toThrow(UsageError);
    const reader = await openStore({ dir, recorded: [], is_writable: false });
    await reader.close();
    await first.close();
    const second = await openStore({ dir, recorded: [], is_writable: true });
    await second.close();
  });

  it('is not a lock that a dead process or another life of this id left', async () => {
    for (const owner of [4_000_000, process.pid]) {
      const dir = temporaryFolder();
      writeFileSync(join(dir, 'lock'), String(owner));
      await (await openStore({ dir, recorded: [], is_writable: true })).close();
      expect(readdirSync(dir)).toEqual([]);
    }
  });
});

describe('kill -9', () => {
  it('at any moment loses the calls in flight alone, and the next run pays for nothing twice', async () => {
    const rows = 12;
    const dir = temporaryFolder();
    const config = join(dir, 'task.json');
    mkdirSync(join(dir, 'store'));
    let answered = new Map<string, number>();
    const server = await llmServer((seen, n) => (res) => {
      const prompt = seen.body.messages[0]!.content;
      setTimeout(() => {
        if (res.destroyed || res.socket?.destroyed) return;
        say({ verdict: 'GOOD', reason: `${prompt} ${n}` })(res, seen);
        answered.set(prompt, (answered.get(prompt) ?? 0) + 1);
      }, 15);
    });
    writeFileSync(config, JSON.stringify({ url: server.url, store: join(dir, 'store'), rows }));
    const run = (killAfter: number | null) =>
      new Promise<number | null>((resolve) => {
        const child = spawn(process.execPath, ['tests/engine/llm-child.mjs', config], { stdio: 'inherit' });
        const stop = (): void => {
          if (killAfter !== null && answered.size >= killAfter) child.kill('SIGKILL');
          else if (child.exitCode === null && child.signalCode === null) setTimeout(stop, 2);
        };
        stop();
        child.on('close', (code) => resolve(code));
      });
    for (const after of [2, 5, 9]) expect(await run(after)).toBeNull();
    expect(await run(null)).toBe(0);
    // Two at a time, killed three times: at most six answers were on their way.
    const calls = [...answered.values()].reduce((a, b) => a + b, 0);
    expect(answered.size).toBe(rows);
    expect(calls - rows).toBeLessThanOrEqual(6);
    const lines = readFileSync(join(dir, 'store', 'open', 'answers.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(lines.length).toBe(rows);
    answered = new Map();
    expect(await run(null)).toBe(0);
    expect(answered.size).toBe(0);
  });

  it('leaves a torn line that the next run sets aside', async () => {
    const { dir, file } = await filled(1);
    appendFileSync(file, '{"check":"00');
    const server = await llmServer([stall]);
    const again = models(setup(server.url), { dir, storeDir: dir });
    expect((await again.llm('author').ask(question('row:0'))).outcome).toBe('accepted');
    await again.close();
    expect(server.requests.length).toBe(0);
    expect(again.records('answers').length).toBe(1);
  });
});
