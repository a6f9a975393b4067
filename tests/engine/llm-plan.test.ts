/** What plan says about models before the first request. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LlmMode } from '../../pipelines/engine/adapters/llm.js';
import { describePlan } from '../../pipelines/engine/command-words.js';
import { output, type Pipeline, source } from '../../pipelines/engine/pipeline.js';
import { plainProgress } from '../../pipelines/engine/progress.js';
import { openSession, run } from '../../pipelines/engine/session.js';
import { col, table } from '../../schemas/table.js';
import { defineStage, type StageSpec } from '../../stages/contract.js';
import { llmServer, say } from '../support/llm-server.js';
import { temporaryFolder } from '../support/stage.js';
import { GOOD, question } from './llm-support.js';

const things = table({ name: 'things', doc: 't', key: ['id'], row: { id: col.text() } });
const none = z.strictObject({});

const list = defineStage({
  name: 'list-things',
  version: 1,
  summary: 'lists ten things',
  inputs: { extract: { kind: 'folder', doc: 'files' } },
  outputs: { things },
  config: none,
  run: (ctx) =>
    ctx.sql.insert(
      'things',
      things,
      Array.from({ length: 10 }, (_, i) => ({ id: `T${i}` })),
    ),
});

/** Keeps six of ten. */
const keep = defineStage({
  name: 'keep-things',
  version: 1,
  summary: 'keeps some',
  inputs: { things },
  outputs: { kept: things },
  config: none,
  conserve: [{ input: 'things', output: 'kept', drops: ['odd'] }],
  run: async (ctx) => {
    await ctx.sql.run("create table kept as select * from things where id < 'T6'");
    ctx.drop('things', 'odd', 4);
  },
});

const asks = (name: string, input: string, made: string, purpose: string) =>
  defineStage<{ regenerations: number }>({
    name,
    version: 1,
    summary: 'asks',
    inputs: { [input]: things },
    outputs: { [made]: things },
    config: z.strictObject({ regenerations: z.int().default(3) }),
    models: [purpose],
    estimate: ({ regenerations }) => [
      {
        purpose,
        per_row_of: input,
        calls: 1.5,
        calls_at_most: 1 + regenerations,
        prompt_tokens: 900,
        reply_tokens: 100,
      },
    ],
    run: async (ctx) => {
      const rows = await ctx.sql.rows<{ id: string }>(`select id from ${input}`);
      await Promise.all(rows.map(({ id }) => ctx.llm(purpose).ask(question(id))));
      // Two for each, so no row count of what follows can be told before.
      await ctx.sql.run(
        `create table ${made} as select id || n as id from ${input}, (values ('a'), ('b')) v(n)`,
      );
    },
  });

const author = asks('annotate-things', 'kept', 'notes', 'author');
const critic = asks('criticise-things', 'notes', 'verdicts', 'critic');
const silent = defineStage({
  ...asks('name-things', 'kept', 'names', 'namer'),
  estimate: () => [],
});

const pipeline: Pipeline = {
  name: 'toy',
  steps: [
    { stage: list as StageSpec, inputs: { extract: source('files') } },
    { stage: keep as StageSpec, inputs: { things: output('list-things', 'things') } },
    { stage: author as StageSpec, inputs: { kept: output('keep-things', 'kept') } },
    { stage: critic as StageSpec, inputs: { notes: output('annotate-things', 'notes') } },
    { stage: silent as StageSpec, inputs: { kept: output('keep-things', 'kept') } },
  ],
  profiles: { default: {} },
};

async function open(of: { root: string; url?: string; until?: string; budget?: object; mode?: LlmMode }) {
  const { root, url = 'http://127.0.0.1:9/v1', until, budget = {}, mode = 'live' } = of;
  mkdirSync(root, { recursive: true });
  const price = { input_per_million: 10, output_per_million: 100 };
  const one = { provider: 'here', model: 'm' };
  const models = {
    providers: { here: { class: 'local', base_url: url } },
    models: { author: { ...one, price }, critic: one, namer: one },
    budget,
  };
  writeFileSync(join(root, 'config.json'), JSON.stringify({ models }));
  return openSession({
    pipeline,
    sources: { files: { files: [], sha256: 'f'.repeat(64), access: 'open' } },
    profile: 'default',
    configFile: join(root, 'config.json'),
    seed: 0,
    buildDir: join(root, 'build'),
    llm: mode,
    ...(until ? { until } : {}),
  });
}

async function build(root: string, url: string, until: string): Promise<void> {
  const session = await open({ root, url, until });
  const options = {
    workers: 1,
    engine: 'js' as const,
    memoryLimit: '1GB',
    signal: new AbortController().signal,
    progress: plainProgress(() => undefined),
    command: {},
  };
  await run(session, options, async () => undefined);
}

const words = async (of: Parameters<typeof open>[0]): Promise<string[]> =>
  (await describePlan(await open(of))).words.split('\n');

describe('plan', () => {
  it('says what is not known, a bound, and then the number, as inputs are built', async () => {
    const root = temporaryFolder();
    const server = await llmServer([say(GOOD)]);
    const url = server.url;
    expect(await words({ root, url })).toEqual([
      'list-things       missing  never built',
      'keep-things       waiting  needs list-things',
      'annotate-things   waiting  needs keep-things',
      '  author: unknown until list-things is built; about 1.5 calls (at most 4) of 1,000 tokens for a row of kept',
      'criticise-things  waiting  needs annotate-things',
      '  critic: unknown until annotate-things is built; about 1.5 calls (at most 4) of 1,000 tokens for a row of notes',
      'name-things       waiting  needs keep-things',
      '  namer: how often it asks is known when it runs',
      'models: about 0 calls (at most 0), about 0 tokens, and what is not known yet; answers on record are not taken off, and cost nothing',
      'to know more before the first call: build with --until list-things',
    ]);
    await build(root, url, 'list-things');
    expect((await words({ root, url }))[3]).toBe(
      '  author: about 15 calls (at most 40), about 15,000 tokens, about $0.29, for at most 10 rows of kept',
    );
    await build(root, url, 'keep-things');
    const known = await words({ root, url });
    expect(known[3]).toBe(
      '  author: about 9 calls (at most 24), about 9,000 tokens, about $0.17, for 6 rows of kept',
    );
    expect(server.requests.length).toBe(0);
    await build(root, url, 'annotate-things');
    const { stages, words: all } = await describePlan(await open({ root, url }));
    expect(stages.map((s) => s.asks.length)).toEqual([0, 0, 0, 1, 1]);
    expect(stages[3]!.asks[0]).toMatchObject({
      purpose: 'critic',
      rows: { known: 'exact', n: 12 },
      calls: 18,
      calls_at_most: 48,
      tokens: 18_000,
      cost_usd: null,
    });
    expect(all).toMatch(
      /models: about 18 calls \(at most 48\), about 18,000 tokens, and what is not known yet;/,
    );
  });

  it('says where the budget is smaller than that', async () => {
    const root = temporaryFolder();
    await build(root, 'http://127.0.0.1:9/v1', 'keep-things');
    const said = await words({ root, until: 'annotate-things', budget: { max_calls: 5, max_tokens: 1e6 } });
    expect(said.slice(-2)).toEqual([
      'models: about 9 calls (at most 24), about 9,000 tokens, about $0.17; answers on record are not taken off, and cost nothing',
      'budget: max_calls 5 is less than that; the run will stop there, and go on when it is started again',
    ]);
  });

  it('says nothing of calls where none will be made', async () => {
    const said = await words({ root: temporaryFolder(), mode: 'replay' });
    expect(said.join('\n')).not.toMatch(/calls|models:/);
  });
});
