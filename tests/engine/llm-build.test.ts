/** A pipeline with a stage that asks a model: keys, replay to the byte, what is asked again, and who may ask at all. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hashFolder } from '../../pipelines/engine/adapters/files.js';
import type { LlmMode } from '../../pipelines/engine/adapters/llm.js';
import { BudgetError, DataError, PolicyError, UsageError } from '../../pipelines/engine/errors.js';
import { fingerprintCode, keyParts } from '../../pipelines/engine/fingerprint.js';
import { hashFiles } from '../../pipelines/engine/outputs.js';
import { output, type Pipeline, source } from '../../pipelines/engine/pipeline.js';
import { plainProgress } from '../../pipelines/engine/progress.js';
import { openSession, plan, run } from '../../pipelines/engine/session.js';
import type { Source } from '../../pipelines/engine/sources.js';
import { col, table } from '../../schemas/table.js';
import { type AccessClass, defineStage, type StageSpec } from '../../stages/contract.js';
import { type Act, complete, llmServer, say, status } from '../support/llm-server.js';
import { readParquet, runStageOn, temporaryFolder } from '../support/stage.js';
import { GOOD, Verdict } from './llm-support.js';

const things = table({ name: 'things', doc: 't', key: ['id'], row: { id: col.text() } });
const verdicts = table({
  name: 'verdicts',
  doc: 'v',
  key: ['id'],
  row: { id: col.text(), verdict: col.text(), model: col.text().nullable() },
});

const list = defineStage({
  name: 'list-things',
  version: 1,
  summary: 'lists things',
  inputs: { extract: { kind: 'folder', doc: 'files' } },
  outputs: { things },
  config: z.strictObject({}),
  run: (ctx) => ctx.sql.insert('things', things, [{ id: 'A' }, { id: 'B' }, { id: 'C' }]),
});

const judge = defineStage<{ question: string }>({
  name: 'judge-things',
  version: 1,
  summary: 'asks a model about things',
  inputs: { things },
  outputs: { verdicts },
  config: z.strictObject({ question: z.string().default('Good?') }),
  models: ['author'],
  conserve: [{ input: 'things', output: 'verdicts' }],
  rejectLimit: 1,
  run: async (ctx, config) => {
    const rows = await ctx.sql.rows<{ id: string }>('select id from things');
    const answers = await Promise.all(
      rows.map(async ({ id }) => {
        const result = await ctx.llm('author').ask({
          subject: `thing:${id}`,
          messages: [{ role: 'user', content: `${config.question} ${id}` }],
          schema: Verdict,
          schemaName: 'verdict',
        });
        if (result.outcome === 'accepted')
          return [{ id, verdict: result.value.verdict, model: result.source.served_model }];
        const { outcome, detail } = result;
        ctx.reject({
          table: 'things',
          where: id,
          key: id,
          reason: outcome,
          field: 'reply',
          got: detail,
          expected: 'a verdict',
        });
        return [];
      }),
    );
    await ctx.sql.insert('verdicts', verdicts, answers.flat());
  },
});

const pipeline = (stages: readonly StageSpec[] = [list as StageSpec, judge as StageSpec]): Pipeline => ({
  name: 'toy',
  steps: stages.map((stage) => ({
    stage,
    inputs:
      stage.name === 'list-things'
        ? { extract: source('files') }
        : { things: output('list-things', 'things') },
  })),
  profiles: { default: {} },
});

interface Build {
  readonly root: string;
  readonly url: string;
  readonly mode?: LlmMode;
  readonly access?: AccessClass;
  readonly recorded?: Source;
  readonly models?: object | null;
  readonly server?: object;
  readonly pipeline?: Pipeline;
}

async function session(build: Build) {
  const { root, url, mode = 'live', access = 'open', recorded, server = {} } = build;
  mkdirSync(root, { recursive: true });
  const file = join(root, 'config.json');
  const models = {
    providers: { here: { class: 'local', id: 'here', base_url: url, ...server } },
    models: { author: { provider: 'here', model: 'test-model', ...build.models } },
    calls: { retries: 1, backoff_seconds: 0.01 },
  };
  writeFileSync(file, JSON.stringify(build.models === null ? {} : { models }));
  return openSession({
    pipeline: build.pipeline ?? pipeline(),
    sources: { files: { files: [], sha256: 'f'.repeat(64), access } },
    profile: 'default',
    configFile: file,
    seed: 0,
    buildDir: join(root, 'build'),
    llm: mode,
    ...(recorded ? { recorded } : {}),
  });
}

async function build(of: Build) {
  const opened = await session(of);
  const options = {
    workers: 1,
    engine: 'js' as const,
    memoryLimit: '1GB',
    signal: new AbortController().signal,
    progress: plainProgress(() => undefined),
    command: {},
  };
  return run(opened, options, async (entries) => {
    const { result, dir, parts } = entries.get('judge-things')!;
    return { result, parts, rows: await readParquet(join(dir, 'verdicts.parquet')) };
  });
}

const statusOf = async (of: Build): Promise<string> =>
  (await plan(await session(of))).map((p) => `${p.status}: ${p.why.join()}`).at(-1)!;

const bySubject =
  (special: Record<string, Act>) =>
  (seen: { body: { messages: { content: string }[] } }): Act =>
    special[seen.body.messages[0]!.content.at(-1)!] ?? say(GOOD, { model: 'test-model-1' });

describe('a stage that asks a model', () => {
  it('is built once; the replay in an empty folder from recorded answers gives the same bytes without any call', async () => {
    const server = await llmServer(bySubject({ B: complete({ refusal: 'No.' }) }));
    const root = temporaryFolder();
    const live = await build({ root, url: server.url });
    expect(live.rows).toEqual([
      { id: 'A', verdict: 'GOOD', model: 'test-model-1' },
      { id: 'C', verdict: 'GOOD', model: 'test-model-1' },
    ]);
    expect(live.result.rejected).toEqual({ things: { refused: 1 } });
    expect(server.requests.length).toBe(3);
    await server.close();
    const files = await hashFolder(join(root, 'build', 'answers', 'open'));
    const recorded: Source = { files, sha256: hashFiles(files), access: 'open' };
    expect(files.map((f) => f.path)).toEqual(['answers.jsonl', 'failures.jsonl']);
    for (const mode of ['replay', 'live'] as const) {
      // A live run would ask about B again: the server is gone.
      const again = build({ root: temporaryFolder(), url: 'http://127.0.0.1:9/v1', mode, recorded });
      if (mode === 'live') await expect(again).rejects.toThrow(BudgetError);
      else expect((await again).result.outputs).toEqual(live.result.outputs);
    }
    const own = await build({ root, url: 'http://127.0.0.1:9/v1', mode: 'replay' });
    expect(own.result.outputs).toEqual(live.result.outputs);
  });

  it('is fresh afterwards; another model, temperature, seed or prompt makes it stale, another address does not', async () => {
    const server = await llmServer([say(GOOD)]);
    const root = temporaryFolder();
    const of = { root, url: server.url };
    await build(of);
    expect(await statusOf(of)).toBe('fresh: ');
    expect(await statusOf({ ...of, url: 'http://127.0.0.1:9/v1' })).toBe('fresh: ');
    expect(await statusOf({ ...of, server: { class: 'remote' } })).toBe('fresh: ');
    for (const models of [
      { model: 'other' },
      { temperature: 0.5 },
      { seed: 0 },
      { max_tokens: 99 },
      { extra: { k: 1 } },
    ])
      expect(await statusOf({ ...of, models })).toMatch(/^stale: model, its parameters/);
    expect(await statusOf({ ...of, server: { id: 'there' } })).toMatch(/^stale: model/);
    await build(of);
    expect(server.requests.length).toBe(3);
  });

  it('whose requests failed is built again by the next live run, and only these are asked', async () => {
    const special: Record<string, Act> = { B: complete({ refusal: 'No.' }) };
    const server = await llmServer(bySubject(special));
    const of = { root: temporaryFolder(), url: server.url };
    await build(of);
    expect(await statusOf(of)).toMatch(/^stale: 1 requests to models had no answer/);
    delete special.B;
    const second = await build(of);
    expect(second.rows.length).toBe(3);
    expect(server.requests.length).toBe(4);
    expect(await statusOf(of)).toBe('fresh: ');
  });

  it('is built again by a replay when the answers have changed', async () => {
    const special: Record<string, Act> = { B: complete({ refusal: 'No.' }) };
    const server = await llmServer(bySubject(special));
    const of = { root: temporaryFolder(), url: server.url };
    await build(of);
    expect((await build({ ...of, mode: 'replay' })).rows.length).toBe(2);
    expect(await statusOf({ ...of, mode: 'replay' })).toBe('fresh: ');
    delete special.B;
    await build(of);
    expect((await build({ ...of, mode: 'replay' })).rows.length).toBe(3);
  });

  it('stops with the answers kept when the server fails, and continues', async () => {
    const special: Record<string, Act> = { C: status(500, '') };
    const server = await llmServer(bySubject(special));
    const of = { root: temporaryFolder(), url: server.url };
    await expect(build(of)).rejects.toThrow(BudgetError);
    expect(readdirSync(join(of.root, 'build/answers/open'))).toEqual(['answers.jsonl', 'failures.jsonl']);
    const before = server.requests.length;
    delete special.C;
    expect((await build(of)).rows.length).toBe(3);
    expect(server.requests.length).toBe(before + 1);
  });

  it('of rows above open does not start with a remote provider', async () => {
    const server = await llmServer([say(GOOD)]);
    const of = { url: server.url, access: 'credentialed' as const };
    const remote = build({ ...of, root: temporaryFolder(), server: { class: 'remote' } });
    await expect(remote).rejects.toThrow(PolicyError);
    expect(server.requests.length).toBe(0);
    const root = temporaryFolder();
    expect((await build({ ...of, root })).rows.length).toBe(3);
    expect(readdirSync(join(root, 'build/answers'))).toEqual(['credentialed']);
  });

  it('has the class of recorded answers too', async () => {
    const server = await llmServer([say(GOOD)]);
    const recorded: Source = { files: [], sha256: '', access: 'credentialed' };
    const remote = build({ root: temporaryFolder(), url: server.url, recorded, server: { class: 'remote' } });
    await expect(remote).rejects.toThrow(PolicyError);
    const { parts } = await build({ root: temporaryFolder(), url: server.url, recorded });
    expect(parts.access).toBe('credentialed');
  });

  it('without answers and without leave to ask says which request is missing', async () => {
    const of = { root: temporaryFolder(), url: 'http://127.0.0.1:9/v1', mode: 'replay' as const };
    await expect(build(of)).rejects.toThrow(DataError);
    await expect(build(of)).rejects.toThrow(/row thing:[ABC]/);
  });

  it('without a model in the config is a UsageError before any stage runs', async () => {
    const of = { root: temporaryFolder(), url: '', models: null };
    await expect(session(of)).rejects.toThrow(UsageError);
    await expect(session(of)).rejects.toThrow(
      /stage judge-things needs a model[\s\S]*models\.models\.author/,
    );
  });

  it('with a wrong config hears everything at once', async () => {
    const of = { root: temporaryFolder(), url: 'ftp://x', models: { provider: 'nobody', temperature: 9 } };
    await expect(session(of)).rejects.toThrow(/base_url[\s\S]*temperature/);
  });
});

describe('a stage that may work without a model', () => {
  const either = defineStage<{ question: string; author: string }>({
    ...judge,
    config: z.strictObject({ question: z.string().default('Good?'), author: z.string().default('rules') }),
    models: ({ author }) => (author === 'model' ? ['author'] : []),
    run: async (ctx, config) => {
      if (config.author === 'model') return judge.run(ctx, config);
      await ctx.sql.run(
        "create table verdicts as select id, 'GOOD' as verdict, null::varchar as model from things",
      );
    },
  });
  const of = (author?: string, more: Partial<Build> = {}): Build => ({
    root: temporaryFolder(),
    url: 'http://127.0.0.1:9/v1',
    pipeline: {
      ...pipeline([list as StageSpec, either as StageSpec]),
      profiles: { default: author ? { 'judge-things': { author } } : {} },
    },
    ...more,
  });

  it('asks none and has none in its key with the config that needs none', async () => {
    const { rows, parts } = await build(of(undefined, { models: null }));
    expect(rows.map((r) => r.model)).toEqual([null, null, null]);
    expect(Object.keys(parts)).not.toContain('models');
  });

  it('takes no section models then, remote rows included, and needs one with the other config', async () => {
    await expect(session(of())).rejects.toThrow(/models: no stage asks a model with this config/);
    await build(of(undefined, { models: null, access: 'credentialed' }));
    await expect(session(of('model', { models: null }))).rejects.toThrow(/judge-things needs a model/);
    const remote = of('model', { access: 'credentialed', server: { class: 'remote' } });
    await expect(build(remote)).rejects.toThrow(PolicyError);
  });

  it('asks with the config that needs one', async () => {
    const server = await llmServer([say(GOOD)]);
    const { rows, parts } = await build(of('model', { url: server.url }));
    expect(rows.map((r) => r.model)).toEqual(['test-model', 'test-model', 'test-model']);
    expect(parts.models).toContain('test-model');
    expect(server.requests.length).toBe(3);
  });
});

describe('a stage without models', () => {
  it('cannot call one', async () => {
    const stage = { ...judge, name: 'list-other', models: [] } as unknown as StageSpec;
    await expect(runStageOn(stage, { inputs: { things: [{ id: 'A' }] } })).rejects.toThrow(
      /list-other does not declare the model author/,
    );
  });

  it('takes no section models in its config', async () => {
    const of = {
      root: temporaryFolder(),
      url: 'http://127.0.0.1:9/v1',
      pipeline: pipeline([list as StageSpec]),
    };
    await expect(session(of)).rejects.toThrow(/models: unknown key/);
  });

  it('has a key without any word of models', () => {
    const parts = keyParts({
      stage: list as StageSpec,
      code: fingerprintCode(list as StageSpec),
      config: {},
      seed: 0,
      access: 'open',
      inputs: {},
    });
    expect(Object.keys(parts)).not.toContain('models');
  });

  it('may not be called open when it asks models', async () => {
    const stage = { ...judge, access: 'open' } as unknown as StageSpec;
    await expect(runStageOn(stage, { inputs: { things: [{ id: 'A' }] } })).rejects.toThrow(
      /class must be that of its inputs/,
    );
  });
});
