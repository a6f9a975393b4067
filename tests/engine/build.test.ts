/** The engine on a toy pipeline: what is rebuilt, what survives damage, interruption and company. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StoredEntry } from '../../pipelines/engine/cache.js';
import { DataError, Interrupted, PolicyError, UsageError } from '../../pipelines/engine/errors.js';
import { output, type Pipeline, source } from '../../pipelines/engine/pipeline.js';
import { checkPublication, highest } from '../../pipelines/engine/policy.js';
import { plainProgress } from '../../pipelines/engine/progress.js';
import { openSession, plan, run } from '../../pipelines/engine/session.js';
import { folderSource } from '../../pipelines/engine/sources.js';
import { col, table } from '../../schemas/table.js';
import { defineStage, type StageSpec } from '../../stages/contract.js';
import { readParquet, temporaryFolder } from '../support/stage.js';

const numbers = table({ name: 'numbers', doc: 'n', key: ['n'], row: { n: col.int() } });
const sums = table({
  name: 'sums',
  doc: 's',
  key: ['total'],
  row: { total: col.bigint(), drawn: col.int() },
});

interface Toy {
  readonly runs: string[];
  readonly pipeline: Pipeline;
  hook: (stage: string, signal: AbortSignal) => Promise<void>;
}

function toy(): Toy {
  const runs: string[] = [];
  const made: Toy = { runs, hook: () => Promise.resolve(), pipeline: undefined as unknown as Pipeline };
  const read = defineStage<{ keep: number }>({
    name: 'read-numbers',
    version: 1,
    summary: 'reads numbers',
    inputs: { extract: { kind: 'folder', doc: 'files' } },
    outputs: { numbers },
    config: z.strictObject({ keep: z.int().default(10).describe('largest number kept') }),
    run: async (ctx, config) => {
      runs.push('read-numbers');
      await made.hook('read-numbers', ctx.signal);
      const { location } = ctx.folder('extract')[0]!;
      const values = readFileSync(location, 'utf8').trim().split('\n').map(Number);
      await ctx.sql.insert(
        'numbers',
        numbers,
        values.filter((n) => n <= config.keep).map((n) => ({ n })),
      );
    },
  });
  const add = defineStage<{ times: number }>({
    name: 'add-numbers',
    version: 1,
    summary: 'adds numbers',
    seeded: true,
    inputs: { numbers },
    outputs: { sums },
    config: z.strictObject({ times: z.int().min(1).default(1) }),
    run: async (ctx, config) => {
      runs.push('add-numbers');
      await made.hook('add-numbers', ctx.signal);
      const drawn = ctx.random('draw').below(1000);
      await ctx.sql.run(
        `create table sums as select (sum(n) * ${config.times})::BIGINT as total, ${drawn}::INTEGER as drawn from numbers`,
      );
    },
  });
  const steps = [
    { stage: read as StageSpec, inputs: { extract: source('files') } },
    { stage: add as StageSpec, inputs: { numbers: output('read-numbers', 'numbers') } },
  ];
  return Object.assign(made, {
    pipeline: { name: 'toy', steps, profiles: { default: {}, twice: { 'add-numbers': { times: 2 } } } },
  });
}

interface World {
  readonly root: string;
  readonly extract: string;
  readonly notes: string[];
}

function world(): World {
  const root = temporaryFolder();
  const extract = join(root, 'extract');
  mkdirSync(join(extract, 'hosp'), { recursive: true });
  writeFileSync(join(extract, 'hosp/numbers.csv'), '1\n2\n3\n');
  return { root, extract, notes: [] };
}

interface Options {
  readonly profile?: string;
  readonly seed?: number;
  readonly signal?: AbortSignal;
}

async function session(w: World, t: Toy, options: Options = {}) {
  return openSession({
    pipeline: t.pipeline,
    sources: { files: await folderSource([w.extract], ['hosp/numbers.csv'], []) },
    profile: options.profile ?? 'default',
    seed: options.seed ?? 0,
    buildDir: join(w.root, 'build'),
  });
}

async function build(w: World, t: Toy, options: Options = {}): Promise<ReadonlyMap<string, StoredEntry>> {
  t.runs.length = 0;
  return run(
    await session(w, t, options),
    {
      workers: 1,
      engine: 'wasm',
      memoryLimit: '1GB',
      signal: options.signal ?? new AbortController().signal,
      progress: plainProgress((line) => w.notes.push(line)),
      command: { command: 'build' },
    },
    (entries) => Promise.resolve(entries),
  );
}

const whys = async (w: World, t: Toy, options: Options = {}): Promise<string[]> =>
  (await plan(await session(w, t, options))).map((p) =>
    `${p.step.stage.name} ${p.status} ${p.why.join(', ')}`.trim(),
  );

const total = async (entries: ReadonlyMap<string, StoredEntry>): Promise<unknown> =>
  (await readParquet(join(entries.get('add-numbers')!.dir, 'sums.parquet')))[0]!.total;

describe('rebuilding', () => {
  it('builds once, then finds everything fresh', async () => {
    const [w, t] = [world(), toy()];
    expect(await whys(w, t)).toEqual([
      'read-numbers missing never built',
      'add-numbers waiting needs read-numbers',
    ]);
    expect(await total(await build(w, t))).toBe(6);
    expect(t.runs).toEqual(['read-numbers', 'add-numbers']);
    await build(w, t);
    expect(t.runs).toEqual([]);
    expect(await whys(w, t)).toEqual(['read-numbers fresh', 'add-numbers fresh']);
  });

  it('rebuilds from the first change on and says what changed', async () => {
    const [w, t] = [world(), toy()];
    await build(w, t);
    expect(await whys(w, t, { profile: 'twice' })).toEqual([
      'read-numbers fresh',
      'add-numbers stale config',
    ]);
    expect(await total(await build(w, t, { profile: 'twice' }))).toBe(12);
    expect(t.runs).toEqual(['add-numbers']);
    expect(await whys(w, t, { seed: 1 })).toEqual([
      'read-numbers fresh',
      expect.stringMatching(/add-numbers stale .*seed/),
    ]);
    appendFileSync(join(w.extract, 'hosp/numbers.csv'), '4\n');
    expect((await whys(w, t))[0]).toBe('read-numbers stale input extract');
    expect(await total(await build(w, t))).toBe(10);
  });

  it('does not rebuild what follows when a result stays equal', async () => {
    const [w, t] = [world(), toy()];
    await build(w, t);
    appendFileSync(join(w.extract, 'hosp/numbers.csv'), '99\n');
    await build(w, t);
    expect(t.runs).toEqual(['read-numbers']);
  });

  it('lets seed 0 be a seed: another seed draws other numbers, the same seed the same', async () => {
    const [w, t] = [world(), toy()];
    const drawn = async (seed: number): Promise<unknown> =>
      (await readParquet(join((await build(w, t, { seed })).get('add-numbers')!.dir, 'sums.parquet')))[0]!
        .drawn;
    const zero = await drawn(0);
    expect(await drawn(1)).not.toBe(zero);
    expect(await drawn(0)).toBe(zero);
  });

  it('moves a damaged entry aside, says so and builds it again', async () => {
    const [w, t] = [world(), toy()];
    const entries = await build(w, t);
    writeFileSync(join(entries.get('read-numbers')!.dir, 'numbers.parquet'), 'gnawed');
    expect(await total(await build(w, t))).toBe(6);
    expect(t.runs).toEqual(['read-numbers']);
    expect(w.notes.join('\n')).toMatch(/numbers.parquet is damaged; moved aside/);
  });
});

describe('a damaged cache entry', () => {
  it.each(['{', undefined])('with the manifest %s is replaced, and the build goes on', async (content) => {
    const [w, t] = [world(), toy()];
    const { dir } = (await build(w, t)).get('read-numbers')!;
    if (content === undefined) {
      rmSync(join(dir, 'manifest.json'));
      rmSync(join(dir, 'numbers.parquet'));
    } else writeFileSync(join(dir, 'manifest.json'), content);
    expect(await total(await build(w, t))).toBe(6);
    await build(w, t);
    expect(t.runs).toEqual([]);
  });
});

describe('failure and company', () => {
  it('leaves nothing half-finished behind an interrupted stage and continues after it', async () => {
    const [w, t] = [world(), toy()];
    const controller = new AbortController();
    t.hook = async (stage) => {
      if (stage === 'add-numbers') controller.abort();
    };
    await expect(build(w, t, { signal: controller.signal })).rejects.toThrow(Interrupted);
    expect(readdirSync(join(w.root, 'build/cache/.staging'))).toEqual([]);
    expect(existsSync(join(w.root, 'build/cache/add-numbers'))).toBe(false);
    t.hook = () => Promise.resolve();
    expect(await total(await build(w, t))).toBe(6);
    expect(t.runs).toEqual(['add-numbers']);
  });

  it('stops when an input changes while it is read', async () => {
    const [w, t] = [world(), toy()];
    t.hook = async (stage) => {
      if (stage === 'read-numbers') appendFileSync(join(w.extract, 'hosp/numbers.csv'), '5\n');
    };
    const error = await build(w, t).catch((e: unknown) => e as Error);
    expect(error).toBeInstanceOf(DataError);
    expect((error as Error).message).toMatch(/changed while it was read/);
    expect(existsSync(join(w.root, 'build/cache/read-numbers'))).toBe(false);
  });

  it('lets two builds run at once in one folder', async () => {
    const [w, a, b] = [world(), toy(), toy()];
    const [first, second] = await Promise.all([build(w, a), build(w, b)]);
    expect(first.get('add-numbers')!.key).toBe(second.get('add-numbers')!.key);
    expect(await total(first)).toBe(6);
    expect(readdirSync(join(w.root, 'build/cache/.staging'))).toEqual([]);
  });

  it('writes times, paths and workers into the run log only', async () => {
    const [w, t] = [world(), toy()];
    const entries = await build(w, t);
    const [runId] = readdirSync(join(w.root, 'build/runs'));
    const record = JSON.parse(readFileSync(join(w.root, 'build/runs', runId!, 'run.json'), 'utf8'));
    expect(record).toMatchObject({ outcome: 'done', command: { workers: 1 } });
    const manifest = readFileSync(join(entries.get('add-numbers')!.dir, 'manifest.json'), 'utf8');
    expect(manifest).not.toContain(w.root);
    expect(manifest).not.toMatch(/workers|seconds|_at"/);
  });
});

describe('config', () => {
  const profile = async (values: object): Promise<unknown> => {
    const [w, t] = [world(), toy()];
    const configFile = join(w.root, 'config.json');
    writeFileSync(configFile, JSON.stringify(values));
    return openSession({
      pipeline: t.pipeline,
      sources: {},
      profile: 'default',
      configFile,
      seed: 0,
      buildDir: join(w.root, 'b'),
    });
  };

  it('reports all problems at once, each with the nearest key', async () => {
    const bad = { 'add-number': {}, 'add-numbers': { tmes: 3, times: 'x' }, 'read-numbers': { keep: 1.5 } };
    const error = await profile(bad).catch((e: unknown) => e as Error);
    expect(error).toBeInstanceOf(UsageError);
    const { message } = error as Error;
    expect(message).toContain('4 problems');
    expect(message).toContain('add-number: unknown key; did you mean add-numbers?');
    expect(message).toContain('add-numbers.tmes: unknown key; did you mean add-numbers.times?');
    expect(message).toContain('add-numbers.times: got "x"');
    expect(message).toContain('read-numbers.keep: got 1.5');
  });

  it('names the nearest profile', async () => {
    const [w, t] = [world(), toy()];
    await expect(build(w, t, { profile: 'twise' })).rejects.toThrow(/did you mean twice/);
  });
});

describe('access', () => {
  it('treats unknown files as credentialed and combines classes upwards', async () => {
    const w = world();
    const found = await folderSource([w.extract], ['hosp/numbers.csv'], []);
    expect(found.access).toBe('credentialed');
    expect(highest(['open', 'credentialed', 'restricted'])).toBe('credentialed');
    expect(highest([])).toBe('open');
  });

  it('an optional file that is not known as open makes all credentialed; a list of checksums does not', async () => {
    const { extract } = world();
    writeFileSync(join(extract, 'hosp/numbers.csv'), readFileSync('raw/mimic/demo-coverage.csv'));
    const access = async () =>
      (await folderSource([extract], ['hosp/numbers.csv'], ['note/discharge.csv', 'SHA256SUMS.txt'])).access;
    writeFileSync(join(extract, 'SHA256SUMS.txt'), 'none\n');
    expect(await access()).toBe('open');
    mkdirSync(join(extract, 'note'));
    writeFileSync(join(extract, 'note/discharge.csv'), 'note_id\n');
    expect(await access()).toBe('credentialed');
  });

  it('takes the first directory that has a file, and names a missing one', async () => {
    const [a, b] = [world(), world()];
    writeFileSync(join(b.extract, 'hosp/more.csv'), '7\n');
    const both = await folderSource([a.extract, b.extract], ['hosp/numbers.csv', 'hosp/more.csv'], []);
    expect(both.files.map((f) => f.location)).toEqual([
      join(b.extract, 'hosp/more.csv'),
      join(a.extract, 'hosp/numbers.csv'),
    ]);
    await expect(folderSource([a.extract], ['hosp/more.csv'], [])).rejects.toThrow(
      /hosp\/more.csv.gz or hosp\/more.csv/,
    );
  });

  it('refuses to publish credentialed rows', () => {
    expect(() => checkPublication('credentialed', 'public')).toThrow(PolicyError);
    expect(() => checkPublication('open', 'public')).not.toThrow();
    expect(() => checkPublication('credentialed', 'credentialed')).not.toThrow();
  });
});
