/** Options that name a model and limit what it may cost, as a person gives them. */
import { exec, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { askedModels } from '../../pipelines/asked-models.js';
import type { CommandContext } from '../../pipelines/benchmark.js';
import { withModels } from '../../pipelines/engine/config.js';
import { UsageError } from '../../pipelines/engine/errors.js';
import { ModelsConfig } from '../../pipelines/engine/models.js';
import { type ModelFlags, modelFlags, modelOptions } from '../../pipelines/model-flags.js';
import { shellWords } from '../../pipelines/shell-words.js';
import { cli } from '../support/cli.js';
import { printDocument, reply } from '../support/kidney-table.js';
import { llmServer, say } from '../support/llm-server.js';
import { temporaryFolder } from '../support/stage.js';

const URL = 'http://127.0.0.1:8000/v1';

/** What askedModels makes of a command line. */
function asked(args: readonly string[], purposes: readonly string[] = ['author', 'critic']) {
  const command = modelFlags(new Command('x').exitOverride().configureOutput({ writeErr: () => undefined }));
  command.parse(args, { from: 'user' });
  const flags = command.opts<ModelFlags & { llm?: 'live' | 'replay'; answersDir?: string }>();
  const context = { models: modelOptions(flags), llmMode: flags.llm, answersDir: flags.answersDir };
  return askedModels(context as CommandContext, purposes);
}

/** The section `models` that a build gets from a command line and a file. */
async function section(args: readonly string[], file: object | undefined = undefined) {
  const { models, budget } = await asked(args);
  const values = withModels(file ? { models: file as Record<string, unknown> } : {}, models, budget);
  return ModelsConfig.parse(values.models);
}

describe('options of a model', () => {
  it('make it serve every purpose, asked live', async () => {
    const args = ['--llm-base-url', URL, '--llm-model', 'm-1'];
    expect((await asked(args)).llm).toBe('live');
    expect((await asked([...args, '--llm', 'replay'])).llm).toBe('replay');
    const { providers, models, budget } = await section([...args, '--llm-key-env', 'MY_KEY']);
    expect(providers).toEqual({
      'command-line': expect.objectContaining({ class: 'remote', base_url: URL, api_key_env: 'MY_KEY' }),
    });
    expect(Object.keys(models)).toEqual(['author', 'critic']);
    expect(models.critic).toMatchObject({ provider: 'command-line', model: 'm-1', price: null });
    expect(budget).toEqual({ max_calls: null, max_tokens: null, max_cost_usd: null });
  });

  it('give way to the config file, purpose by purpose; limits do not', async () => {
    const file = {
      providers: { here: { class: 'local', base_url: 'http://127.0.0.1:9/v1' } },
      models: { critic: { provider: 'here', model: 'judge' } },
      budget: { max_calls: 9, max_tokens: 1000 },
    };
    const limits = ['--max-calls', '4', '--max-cost', '2.5', '--llm-price', '0.15,0.6'];
    const { models, budget } = await section(['--llm-base-url', URL, '--llm-model', 'm-1', ...limits], file);
    expect([models.author!.model, models.critic!.model]).toEqual(['m-1', 'judge']);
    expect(models.author!.price).toEqual({ input_per_million: 0.15, output_per_million: 0.6 });
    expect(budget).toEqual({ max_calls: 4, max_tokens: 1000, max_cost_usd: 2.5 });
    expect((await section([], file)).models).toEqual({ critic: expect.objectContaining({ model: 'judge' }) });
    expect((await asked([])).llm).toBe('replay');
  });

  it('record who attested a provider', async () => {
    const args = ['--llm-base-url', URL, '--llm-model', 'm', '--llm-class', 'attested'];
    const who = ['--llm-attested-by', 'data office', '--llm-attested-at', '2026-05-04'];
    const { providers } = await section([...args, ...who, '--llm-id', 'ours']);
    expect(providers['command-line']).toMatchObject({
      id: 'ours',
      attested_by: 'data office',
      attested_at: '2026-05-04',
    });
  });

  it.each<[string, string[], RegExp]>([
    ['a server without a model', ['--llm-base-url', URL], /no model[\s\S]*--llm-model/],
    ['a model without a server', ['--llm-model', 'm'], /--llm-model[\s\S]*--llm-base-url/],
    [
      'a class and a price without a server',
      ['--llm-class', 'local', '--llm-price', '1,2'],
      /--llm-class, --llm-price/,
    ],
    [
      'attested by nobody',
      ['--llm-base-url', URL, '--llm-model', 'm', '--llm-class', 'attested'],
      /who attested it/,
    ],
    [
      'a local one that is attested',
      ['--llm-base-url', URL, '--llm-model', 'm', '--llm-class', 'local', '--llm-attested-by', 'x'],
      /class local/,
    ],
  ])('refuse %s', async (_, args, words) => {
    const error = await asked(args).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(words);
  });

  it.each([
    [['--llm-price', '0.15']],
    [['--llm-price', 'a,b']],
    [['--max-cost', '-1']],
    [['--max-calls', '0']],
    [['--max-tokens', '1.5']],
    [['--llm-class', 'trusted']],
    [['--llm-base-url', ' ']],
  ])('refuse %s', (args) => {
    expect(() => asked(args)).toThrow();
  });

  it('are refused where nothing asks a model', async () => {
    await expect(asked(['--max-calls', '3', '--llm', 'live'], [])).rejects.toThrow(/--max-calls, --llm/);
    const { code, stderr } = await cli(['plan', 'supmimic', '--llm-base-url', URL, '--llm-model', 'm']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('nothing here asks a model')]);
    const medpic = await cli(['plan', 'medpic', '--max-tokens', '5']);
    expect([medpic.code, medpic.stderr]).toEqual([2, expect.stringContaining('no document is given')]);
  });
});

describe('a build that stops at its budget', () => {
  it('ends with 4, keeps its answers, and prints the command that goes on', async () => {
    const server = await llmServer(({ body }) => say(reply(body.messages.at(-1)!.content)));
    const root = temporaryFolder();
    await printDocument(join(root, "the reader's pdfs"));
    const args = [
      ...['build', 'medpic', '--until', 'draft-rules-from-prose', '--build-dir', join(root, 'b')],
      ...['--pdf-dir', join(root, "the reader's pdfs"), '--max-calls', '2'],
      ...['--llm-base-url', server.url, '--llm-model', 'scripted-1', '--llm-class', 'local', '--json'],
    ];
    const stopped = await cli(args);
    expect([stopped.code, server.requests.length]).toEqual([4, 2]);
    expect(stopped.stderr).toMatch(/BudgetError[\s\S]*models\.budget\.max_calls[\s\S]*2 calls spent/);
    const again = /again: +(.*)/.exec(stopped.stderr)![1]!;
    expect(stopped.json()).toMatchObject({ event: 'error', kind: 'BudgetError', exit_code: 4, again });
    const went = await new Promise<number>((resolve) => {
      exec(again, (error) => resolve(error ? (error.code ?? -1) : 0));
    });
    expect([went, server.requests.length]).toEqual([0, 3]);
    const runs = readdirSync(join(root, 'b/runs')).sort();
    const log = readFileSync(join(root, 'b/runs', runs.at(-1)!, 'log.jsonl'), 'utf8');
    expect(log).toMatch(/"models":\{"author":\{"done":3,"accepted":3,"failed":\{\},"recorded":2,"calls":1,/);
  }, 200_000);
});

describe('a command line in words', () => {
  it('is split by a shell into the same words', () => {
    const words = ['a', 'b c', "it's", '$HOME', '', '"', 'http://x/v1', '*'];
    const { stdout } = spawnSync('sh', ['-c', `printf '%s\\n' ${shellWords(words)}`], { encoding: 'utf8' });
    expect(stdout.split('\n').slice(0, -1)).toEqual(words);
  });
});
