/** Builds of rxeval for tests: a small one by rules, made once per test run, and builds with a model that reuse its first stages. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listFolders } from '../../pipelines/engine/adapters/files.js';
import type { ModelTally } from '../../pipelines/engine/tally.js';
import { type Built, type CliOptions, type CliResult, cli } from './cli.js';
import { syntheticExtract } from './extract.js';
import { runFolder } from './run-folder.js';

/** Few admissions and few wrong options keep a build small. */
const SMALL = {
  'sample-admissions': { max_admissions: 30 },
  'make-distractors': { distractors_n: 3 },
  'criticise-distractors': { distractors_n: 3, strictness: 'strict' },
  // Of so few questions every drug is over a share.
  'assemble-questions': { drug_share_max: null },
};
/** Short waits keep faults short; the timeout is long enough for a busy machine. */
const CALLS = { timeout_seconds: 10, retries: 5, retry_after_cap_seconds: 0.1, backoff_seconds: 0.01 };

/** Stages that ask a model, in order. */
export const ASKING = [
  'select-timepoints',
  'annotate-chains',
  'criticise-chains',
  'make-distractors',
  'criticise-distractors',
] as const;

export interface RxevalBuild {
  readonly extract: string;
  /** Folder of the config files `rules.json` and `model.json`. */
  readonly home: string;
  readonly buildDir: string;
  readonly built: Built;
}

const buildArgs = (extract: string, config: string, buildDir: string): string[] => [
  ...['build', 'rxeval', '--mimic-dir', extract, '--profile', 'demo'],
  ...['--config', config, '--build-dir', buildDir, '--json'],
];

/** The command that builds with the model behind an address. */
export const modelBuild = ({ extract, home }: RxevalBuild, buildDir: string, url: string): string[] => [
  ...buildArgs(extract, join(home, 'model.json'), buildDir),
  ...['--llm-base-url', url, '--llm-model', 'scripted-1', '--llm-class', 'local', '--llm-id', 'test-server'],
];

/** The build by rules, shared by the test files of one run: who comes second waits for the first. */
export async function rulesBuild(): Promise<RxevalBuild> {
  const { extract } = await syntheticExtract();
  const home = join(runFolder(process.ppid), 'rxeval-rules');
  const paths = { extract, home, buildDir: join(home, 'build') };
  const result = join(home, 'built.json');
  mkdirSync(home, { recursive: true });
  try {
    mkdirSync(join(home, 'lock'));
  } catch {
    for (let n = 0; n < 1000 && !existsSync(result); n++) await sleep(250);
    return { ...paths, built: JSON.parse(readFileSync(result, 'utf8')) };
  }
  const [config, model] = ['rules.json', 'model.json'].map((name) => join(home, name));
  writeFileSync(config!, JSON.stringify(SMALL));
  writeFileSync(model!, JSON.stringify({ ...SMALL, models: { calls: CALLS } }));
  const built = (await succeed(buildArgs(extract, config!, paths.buildDir))).json<Built>();
  writeFileSync(`${result}.part`, JSON.stringify(built));
  renameSync(`${result}.part`, result);
  return { ...paths, built };
}

/** A new build folder with the results of all stages before those that ask. */
export function withFirstStages(from: string, to: string): string {
  cpSync(join(from, 'cache'), join(to, 'cache'), { recursive: true });
  for (const stage of [...ASKING, 'assemble-questions', 'report-questions'])
    rmSync(join(to, 'cache', stage), { recursive: true, force: true });
  return to;
}

/** Runs the command line; any other end than success fails the test with what was printed. */
export async function succeed(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const result = await cli(args, options);
  if (result.code !== 0) throw new Error(`exit code ${result.code}\n${result.stderr}`);
  return result;
}

/** What the last run of a build folder says of its calls, all stages and purposes together. */
export function callsOf(
  buildDir: string,
): Pick<ModelTally, 'calls' | 'transport_retries' | 'content_retries'> {
  const run = listFolders(join(buildDir, 'runs')).at(-1)!;
  const lines = readFileSync(join(buildDir, 'runs', run, 'log.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const stages = lines.map((line) => JSON.parse(line) as { status?: string; models?: ModelTally });
  const tallies = stages.flatMap((e) => (e.status && e.models ? [e.models] : []));
  const sum = (name: 'calls' | 'transport_retries' | 'content_retries'): number =>
    tallies.reduce((n, t) => n + t[name], 0);
  return {
    calls: sum('calls'),
    transport_retries: sum('transport_retries'),
    content_retries: sum('content_retries'),
  };
}
