/** What a change of the project rebuilds: nothing for words, the stage and what follows for code, SQL, data and config. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../support/cli.js';
import { syntheticExtract, writeConfig } from '../support/extract.js';
import { compile, copyProject } from '../support/project.js';
import { temporaryFolder } from '../support/stage.js';

let root: string;
let args: string[];

interface Planned {
  readonly stage: string;
  readonly status: string;
  readonly why: readonly string[];
}

async function plan(more: readonly string[] = []): Promise<Map<string, Planned>> {
  const result = await cli(['plan', 'supmimic', '--json', ...args, ...more], { root });
  if (result.code !== 0) throw new Error(result.stderr);
  return new Map(result.json<{ stages: Planned[] }>().stages.map((s) => [s.stage, s]));
}

const stale = (planned: Map<string, Planned>): string[] =>
  [...planned.values()].filter((s) => s.status === 'stale').map((s) => `${s.stage}: ${s.why.join(', ')}`);

/** Appends to a file, looks at the plan, and puts the file back. */
async function staleAfter(path: string, text: string, is_source = path.endsWith('.ts')): Promise<string[]> {
  const full = join(root, path);
  const before = readFileSync(full);
  appendFileSync(full, text);
  if (is_source) compile(root);
  try {
    return stale(await plan());
  } finally {
    writeFileSync(full, before);
    if (is_source) compile(root);
  }
}

beforeAll(async () => {
  const { extract } = await syntheticExtract();
  root = copyProject();
  compile(root);
  const dir = temporaryFolder();
  args = [
    '--mimic-dir',
    extract,
    '--profile',
    'default',
    '--config',
    writeConfig(dir),
    '--build-dir',
    join(dir, 'build'),
  ];
  const built = await cli(['build', 'supmimic', ...args], { root });
  if (built.code !== 0) throw new Error(built.stderr);
});

describe('a change of', () => {
  it('nothing rebuilds nothing', async () => {
    const planned = await plan();
    expect(new Set([...planned.values()].map((s) => s.status))).toEqual(new Set(['fresh']));
  });

  it.each(['stages/build-features/README.md', 'CONTRIBUTING.md', 'pipelines/supmimic/CHANGELOG.md'])(
    'words in %s rebuilds nothing',
    async (path) => expect(await staleAfter(path, '\nmore words\n')).toEqual([]),
  );

  it('an example rebuilds nothing', async () => {
    const example = 'stages/build-cohort/examples';
    mkdirSync(join(root, example, 'another/input'), { recursive: true });
    writeFileSync(join(root, example, 'another/config.json'), '{}');
    expect(stale(await plan())).toEqual([]);
  });

  it('a comment in the SQL of a stage rebuilds that stage', async () => {
    expect(await staleAfter('stages/build-features/base/01-stay.sql', '-- a comment\n')).toEqual([
      'build-features: code, SQL or data files',
    ]);
  });

  it('a line of a data table rebuilds the first stage that reads it', async () => {
    expect(await staleAfter('stages/select-diagnoses/complications.csv', '\n')).toEqual([
      'select-diagnoses: code, SQL or data files',
    ]);
  });

  it('a prompt rebuilds the stage that renders it', async () => {
    expect(await staleAfter('stages/stamp-release/prompts/diagnose.v1.md', '\n')).toEqual([
      'stamp-release: code, SQL or data files',
    ]);
  });

  it('a shared helper rebuilds the stages that import it; those behind them wait for their inputs', async () => {
    const changed = await staleAfter('stages/lib/quantile.ts', '// a comment\n');
    expect(changed.map((c) => c.split(':')[0])).toEqual(['impute-features', 'select-diagnoses']);
  });

  it('a schema rebuilds from the first stage that knows it', async () => {
    const [first] = await staleAfter('schemas/supmimic.ts', '// a comment\n');
    expect(first).toMatch(/^build-cohort: code/);
  });

  it('a worker module rebuilds its stage', async () => {
    expect(await staleAfter('stages/mine-pairs/worker.ts', '// a comment\n')).toEqual([
      'mine-pairs: code, SQL or data files',
    ]);
  });

  it('a config value rebuilds its stage only', async () => {
    const config = join(temporaryFolder(), 'other.json');
    writeFileSync(
      config,
      JSON.stringify({
        'select-diagnoses': { min_positives: 8 },
        'rank-features': { trees: 40 },
        'mine-pairs': { top_m: 3 },
      }),
    );
    expect(stale(await plan(['--config', config]))).toEqual(['mine-pairs: config']);
  });

  it('sources after compiling is refused with the command that mends it', async () => {
    const path = join(root, 'stages/lib/quantile.ts');
    const before = readFileSync(path);
    appendFileSync(path, '// newer than the compiled code\n');
    const result = await cli(['plan', 'supmimic', ...args], { root });
    writeFileSync(path, before);
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/stages\/lib\/quantile\.ts[\s\S]*npm run compile/);
  });
});
