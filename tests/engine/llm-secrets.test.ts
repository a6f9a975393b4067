/** The key of a provider: from the environment to the server, and nowhere else. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../pipelines/engine/errors.js';
import { type Act, llmServer, say, status } from '../support/llm-server.js';
import { GOOD, models, question, setup } from './llm-support.js';

describe('the key', () => {
  const SECRET = 'sk-test-4242424242424242';
  it('comes from the environment, reaches the server, and stands in no file, log or error', async () => {
    vi.stubEnv('LLM_TEST_KEY', SECRET);
    const tells =
      (of: number): Act =>
      (res, seen) => {
        const said = `key ${seen.headers.authorization} and ${SECRET.slice(0, 12)}***`;
        status(of, JSON.stringify({ error: { message: said, code: SECRET } }))(res, seen);
      };
    const echo: Act = (res, seen) => say({ verdict: 'BAD', reason: seen.headers.authorization })(res, seen);
    const server = await llmServer([tells(500), tells(200), echo, tells(401)]);
    const made = models(setup(server.url, {}, { api_key_env: 'LLM_TEST_KEY' }));
    const first = await made.llm('author').ask(question());
    const error = await made
      .llm('author')
      .ask(question('row:2'))
      .catch((e: unknown) => e);
    await made.close();
    vi.unstubAllEnvs();
    expect(server.requests.every((r) => r.headers.authorization === `Bearer ${SECRET}`)).toBe(true);
    const files = readdirSync(join(made.dir, 'open')).map((f) =>
      readFileSync(join(made.dir, 'open', f), 'utf8'),
    );
    const all = [
      ...files,
      ...made.lines,
      ...made.notes,
      JSON.stringify(first),
      String(error),
      (error as Error).stack!,
    ];
    expect(error).toBeInstanceOf(UsageError);
    expect(files.join()).toContain('[key]');
    expect(all.join('\n')).not.toContain(SECRET.slice(0, 12));
  });

  it('that is missing or no header is a UsageError that names the variable, before any request', async () => {
    const server = await llmServer([say(GOOD)]);
    for (const value of ['', 'two words', 'line\nbreak']) {
      vi.stubEnv('LLM_TEST_KEY', value);
      const made = models(setup(server.url, {}, { api_key_env: 'LLM_TEST_KEY' }));
      const error = (await made
        .llm('author')
        .ask(question())
        .catch((e: unknown) => e)) as Error;
      await made.close();
      expect(error).toBeInstanceOf(UsageError);
      expect(error.message).toContain('LLM_TEST_KEY');
      if (value) expect(error.message).not.toContain(value);
    }
    vi.unstubAllEnvs();
    expect(server.requests.length).toBe(0);
  });

  it('is not taken from variables that nobody named', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-from-somewhere-else');
    vi.stubEnv('OPENAI_ORG_ID', 'org-somewhere');
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1/v1');
    const server = await llmServer([say(GOOD)]);
    const made = models(setup(server.url));
    const result = await made.llm('author').ask(question());
    await made.close();
    vi.unstubAllEnvs();
    expect(result.outcome).toBe('accepted');
    expect(JSON.stringify(server.requests[0]!.headers)).not.toMatch(/somewhere/);
  });
});
