/** Builds of rxeval for tests: a small one by rules, made once per test run, and builds with a model that reuse its first stages. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Built, type CliOptions, type CliResult, cli } from './cli.js';
import { syntheticExtract } from './extract.js';
import { runFolder } from './run-folder.js';

/** Few admissions and few wrong options keep a build small. */
const SMALL = {
  'sample-admissions': { max_admissions: 30 },
  'make-distractors': { distractors_n: 3 },
  'criticise-distractors': { distractors_n: 3 },
};
/** Short waits keep faults short. */
const CALLS = { timeout_seconds: 5, retries: 5, retry_after_cap_seconds: 0.1, backoff_seconds: 0.01 };

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

/** The log of the newest run of a build folder. */
export function lastLog(buildDir: string): string {
  const runs = readdirSync(join(buildDir, 'runs')).sort();
  return readFileSync(join(buildDir, 'runs', runs.at(-1)!, 'log.jsonl'), 'utf8');
}
