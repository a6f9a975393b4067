/** Who may see which rows: checked before a byte leaves. */
import { describe, expect, it } from 'vitest';
import { PolicyError } from '../../pipelines/engine/errors.js';
import { ModelsConfig } from '../../pipelines/engine/models.js';
import { checkProvider, isLocalAddress } from '../../pipelines/engine/policy.js';
import type { AccessClass } from '../../stages/contract.js';
import { llmServer, say } from '../support/llm-server.js';
import { GOOD, models, question, setup } from './llm-support.js';

const LOCAL = { class: 'local' };
const REMOTE = { class: 'remote' };
const ATTESTED = { class: 'attested', attested_by: 'data office', attested_at: '2026-05-04' };
const FAR = 'https://api.example.com/v1';

describe('the policy gate', () => {
  it.each<[AccessClass, object, string, boolean]>([
    ['open', REMOTE, FAR, true],
    ['open', LOCAL, FAR, true],
    ['restricted', REMOTE, FAR, false],
    ['credentialed', REMOTE, FAR, false],
    ['credentialed', REMOTE, 'http://127.0.0.1:8000/v1', false],
    ['credentialed', LOCAL, 'http://127.0.0.1:8000/v1', true],
    ['credentialed', LOCAL, FAR, false],
    ['restricted', LOCAL, FAR, false],
    ['credentialed', ATTESTED, FAR, true],
  ])('rows of class %s to %o at %s: %s', (access, server, url, is_allowed) => {
    const check = () => checkProvider(access, setup(url, {}, server));
    if (is_allowed) expect(check()).toBeUndefined();
    else expect(check).toThrow(PolicyError);
  });

  it('closes before the first byte, in a replay too, and says the way out', async () => {
    const server = await llmServer([say(GOOD)]);
    for (const mode of ['live', 'replay'] as const) {
      const open = () => models(setup(server.url, {}, REMOTE), { access: 'credentialed', mode });
      expect(open).toThrow(PolicyError);
      expect(open).toThrow(/rows of class credentialed may not be sent to a remote model/);
      expect(open).toThrow(/models\.providers\.test/);
      expect(open).toThrow(/next: +serve the model on your own machines/);
    }
    expect(server.requests.length).toBe(0);
    expect(new PolicyError({ message: '' }).exitCode).toBe(5);
  });

  it('lets an attested provider work', async () => {
    const server = await llmServer([say(GOOD)]);
    const made = models(setup(server.url, {}, ATTESTED), { access: 'credentialed' });
    expect((await made.llm('author').ask(question())).outcome).toBe('accepted');
    await made.close();
  });

  it('takes no attestation without a name and a day', () => {
    for (const server of [
      { ...ATTESTED, attested_by: ' ' },
      { ...ATTESTED, attested_at: 'yesterday' },
      { class: 'attested' },
      { ...REMOTE, attested_by: 'x', attested_at: '2026-05-04' },
      { class: 'trusted' },
    ])
      expect(() => setup(FAR, {}, server)).toThrow();
  });
});

describe('a local address', () => {
  it.each([
    'http://localhost:8000/v1',
    'http://127.0.0.1/v1',
    'http://127.1/v1',
    'http://2130706433/v1',
    'http://[::1]:8000/v1',
    'http://[fd12:3456::1]/v1',
    'http://10.2.3.4/v1',
    'http://172.16.0.1/v1',
    'http://192.168.1.10/v1',
    'http://gpu1:8000/v1',
    'http://llm.hospital.internal/v1',
    'http://box.local/v1',
  ])('is %s', (url) => expect(isLocalAddress(url)).toBe(true));

  it.each([
    FAR,
    'http://8.8.8.8/v1',
    'http://134744072/v1',
    'http://172.32.0.1/v1',
    'http://11.0.0.1/v1',
    'http://[2001:db8::1]/v1',
    'http://localhost.example.com/v1',
    'http://127.0.0.1.example.com/v1',
    'http://local.example.com/v1',
    'http://10.example.com/v1',
    'http://localhost@api.example.com/v1',
    'http://api.example.com./v1',
  ])('is not %s', (url) => expect(isLocalAddress(url)).toBe(false));
});

describe('the config of models', () => {
  const base = {
    providers: { p: { class: 'local', base_url: 'http://127.0.0.1:1/v1' } },
    models: { author: { provider: 'p', model: 'm' } },
  };
  const change = (model: object, provider: object = {}, more: object = {}) =>
    ModelsConfig.safeParse({
      providers: { p: { ...base.providers.p, ...provider } },
      models: { author: { ...base.models.author, ...model } },
      ...more,
    });
  it('has defaults', () => {
    expect(change({}).data).toMatchObject({
      models: { author: { temperature: 0, seed: null, max_tokens: 4096, truncated_max_tokens: 16384 } },
      providers: { p: { concurrency: 4, tokens_per_minute: null } },
      calls: { retries: 5 },
      budget: { max_calls: null, max_tokens: null, max_cost_usd: null },
    });
  });
  it.each<[string, object, object, object, RegExp]>([
    ['an unknown provider', { provider: 'q' }, {}, {}, /no provider q; expected p/],
    ['a larger limit that is none', { max_tokens: 500, truncated_max_tokens: 500 }, {}, {}, /must be larger/],
    ['a field of ours in extra', { extra: { n: 3 } }, {}, {}, /extra may not hold/],
    ['a temperature as text', { temperature: '0' }, {}, {}, /temperature|number/],
    ['an address that is none', {}, { base_url: 'api.example.com' }, {}, /URL/i],
    ['an address of another kind', {}, { base_url: 'file:///etc/passwd' }, {}, /URL/i],
    ['a key in the config', {}, { api_key: 'sk-123' }, {}, /api_key/],
    ['an unknown setting', {}, {}, { calls: { retrys: 3 } }, /retrys/],
    ['a timeout past what the client can', {}, {}, { calls: { timeout_seconds: 900 } }, /300/],
  ])('refuses %s', (_, model, provider, more, words) => {
    expect(change(model, provider, more).error?.message).toMatch(words);
  });
});
