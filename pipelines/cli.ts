#!/usr/bin/env node
/** The command line: the only place that reads arguments and sets an exit code. */

import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { Benchmark, CommandContext, ReviewCommands, ReviewExport } from './benchmark.js';
import { pipelineOptions } from './cli-options.js';
import { notEmpty, wholeNumber } from './cli-values.js';
import { PROJECT_ROOT } from './engine/adapters/files.js';
import { KERNEL_ENGINES, type KernelEngine } from './engine/adapters/kernels.js';
import { BenchwrightError, BudgetError, Interrupted, UsageError } from './engine/errors.js';
import { newestRelease, releaseWith } from './engine/find-release.js';
import { impactOf } from './engine/impact.js';
import { jsonProgress, listProgress, type Progress, plainProgress } from './engine/progress.js';
import { checkSeal } from './engine/seal.js';
import { readManifest } from './engine/verify-release.js';
import { type ModelFlags, modelOptions } from './model-flags.js';
import { benchmarkNames, findBenchmark } from './registry.js';
import { shellWords } from './shell-words.js';

interface CommonOptions extends ModelFlags {
  readonly json?: boolean;
  readonly buildDir: string;
  readonly workers: number;
  readonly engine?: KernelEngine;
  readonly memory: string;
  readonly seed: number;
  readonly profile?: string;
  readonly config?: string;
  readonly mimicDir?: readonly string[];
  readonly mimicVersion?: string;
  readonly pdfDir?: string;
  readonly labelsDir?: string;
  readonly llm?: 'live' | 'replay';
  readonly answersDir?: string;
}

const withPipelineOptions = (command: Command): Command => pipelineOptions(command, availableParallelism());

function chooseProgress(options: { json?: boolean }): Progress {
  if (options.json) return jsonProgress((line) => process.stdout.write(`${line}\n`));
  const write = (line: string): void => void process.stderr.write(`${line}\n`);
  return process.stderr.isTTY ? listProgress(write) : plainProgress(write);
}

let is_stopping = false;

/** First Ctrl-C stops at the next safe point, the second one at once. */
function interruptible(): AbortSignal {
  const controller = new AbortController();
  // Every worker task listens to it.
  setMaxListeners(0, controller.signal);
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(130);
    process.stderr.write('\nstopping; press Ctrl-C again to stop at once\n');
    is_stopping = true;
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return controller.signal;
}

function context(options: CommonOptions): CommandContext {
  return {
    buildDir: resolve(options.buildDir),
    workers: options.workers,
    engine: options.engine ?? 'wasm',
    memoryLimit: options.memory,
    seed: options.seed,
    profile: options.profile,
    configFile: options.config,
    mimicDirs: options.mimicDir,
    mimicVersion: options.mimicVersion,
    pdfDir: options.pdfDir,
    labelsDir: options.labelsDir,
    models: modelOptions(options),
    llmMode: options.llm,
    answersDir: options.answersDir,
    signal: interruptible(),
    progress: chooseProgress(options),
  };
}

/** Prints a result: JSON with --json, else the words. */
function print(options: { json?: boolean }, result: object, words: string): void {
  process.stdout.write(options.json ? `${JSON.stringify({ event: 'result', ...result })}\n` : `${words}\n`);
}

const program = new Command('benchwright')
  .description('Builds medical LLM benchmarks from their sources; every item can be traced and verified.')
  .showHelpAfterError('add --help to see the options')
  .exitOverride();
const names = benchmarkNames.join(', ');

withPipelineOptions(program.command('build <benchmark>').description(`build a release (${names})`))
  .option('--release-version <semver>', 'version of the release; without it 0.0.0-<kind>.<hash>')
  .option('--until <stage>', 'stop after this stage, without a release')
  .addOption(
    new Option('--engine <name>', 'compiled kernels, or their slower TypeScript form: same bytes')
      .choices(KERNEL_ENGINES)
      .default('wasm'),
  )
  .action(async (name: string, options: CommonOptions & { releaseVersion?: string; until?: string }) => {
    const result = await (await findBenchmark(name)).build(
      context(options),
      options.releaseVersion,
      options.until,
    );
    print(options, result, result.words);
  });

withPipelineOptions(program.command('plan <benchmark>').description('say what a build would run, and why'))
  .option('--until <stage>', 'plan up to this stage')
  .action(async (name: string, options: CommonOptions & { until?: string }) => {
    const result = await (await findBenchmark(name)).plan(context(options), options.until);
    print(options, result, result.words);
  });

withPipelineOptions(
  program.command('config <benchmark>').description('show every config key with its value'),
).action(async (name: string, options: CommonOptions) => {
  const result = await (await findBenchmark(name)).config(context(options));
  print(options, result, result.words);
});

withPipelineOptions(
  program
    .command('trace')
    .argument('<item>', 'item_id, instance_id or pair_id', notEmpty('ID', 'ID=<id of an answers file>'))
    .description('walk an item back to the rows, or the printed cell, it came from'),
)
  .option('--release <dir>', 'the release folder; the newest one that has the item when left out')
  .option('--benchmark <name>', `look only in releases of this benchmark (${names})`)
  .option('--dot', 'graphviz text: source, rule, item, partner')
  .action(async (item: string, options: CommonOptions & TraceOptions) => {
    const { dir, benchmark } = await findRelease(options, (dir, among) => releaseWith(dir, among, item));
    const result = await benchmark.trace(context(options), item, dir);
    if (options.dot && result.dot === undefined) throw noDrawing(benchmark.name);
    print(options, result, options.dot ? result.dot! : result.words);
    if (!result.is_valid) process.exitCode = 3;
  });

program
  .command('impact')
  .argument('<ref>', 'rule id, row id, source id or file', notEmpty('REF', 'REF=B23-T6-004'))
  .description('say which rules, items and pairs rest on a rule, a source row or a source')
  .option('--release <dir>', 'the release folder; the newest one when left out')
  .option('--benchmark <name>', `look only in releases of this benchmark (${names})`)
  .option('--build-dir <dir>', 'where releases are', join(PROJECT_ROOT, 'build'))
  .option('--json', 'one JSON object a line')
  .action(async (ref: string, options: TraceOptions) => {
    const { dir } = await findRelease(options, newestRelease);
    const result = await impactOf(dir, ref);
    print(options, result, result.words);
  });

withPipelineOptions(
  program
    .command('verify')
    .argument('<release>', 'release folder', notEmpty('RELEASE', 'RELEASE=build/releases/supmimic/1.0.0'))
    .description('recompute a release from what it holds'),
).action(async (release: string, options: CommonOptions) => {
  const { dir, benchmark } = await openNamed(release);
  const result = await benchmark.verify(context(options), dir);
  print(options, result, result.words);
  if (!result.is_valid) process.exitCode = 3;
});

program
  .command('diff')
  .argument('<a>', 'older release folder', notEmpty('A', 'A=build/releases/supmimic/1.0.0'))
  .argument('<b>', 'newer release folder', notEmpty('B', 'B=build/releases/supmimic/1.1.0'))
  .description('compare two releases by item and say the smallest allowed version step')
  .option('--json', 'one JSON object a line')
  .action(async (a: string, b: string, options: { json?: boolean }) => {
    const [older, newer] = [await openNamed(a), await openNamed(b)];
    if (older.benchmark.name !== newer.benchmark.name) throw unlike(older, newer);
    const result = await older.benchmark.diff(older.dir, newer.dir);
    print(options, result, result.words);
  });

const review = program.command('review').description('what people sign: sheets out, decisions in');

withPipelineOptions(
  review
    .command('export <benchmark>')
    .description('write what is open for a reviewer, as a sheet to fill in'),
)
  .requiredOption('--reviewer <id>', 'pseudonym of the reviewer', notEmpty('REVIEWER', 'REVIEWER=reviewer-1'))
  .requiredOption('--out <file>', 'a new file, .csv or .jsonl', notEmpty('OUT', 'OUT=sheet.csv'))
  .addOption(new Option('--what <kind>', 'what is to be signed').choices(['rules', 'items']).default('rules'))
  .addOption(new Option('--format <format>', 'default: as the file is called').choices(['csv', 'jsonl']))
  .action(async (name: string, options: CommonOptions & ReviewExport) => {
    const { what, reviewer, format } = options;
    const out = resolve(options.out);
    const result = await reviewsOf(await findBenchmark(name)).export(context(options), {
      what,
      reviewer,
      out,
      format: format ?? (out.endsWith('.jsonl') ? 'jsonl' : 'csv'),
    });
    print(options, result, result.words);
  });

withPipelineOptions(
  review
    .command('import')
    .argument('<file>', 'the filled sheet', notEmpty('FILE', 'FILE=sheet.csv'))
    .description('check a filled sheet and append its decisions; the whole file or nothing'),
)
  .option('--benchmark <name>', 'the benchmark that the sheet is of', 'medpic')
  .action(async (file: string, options: CommonOptions & { benchmark: string }) => {
    const commands = reviewsOf(await findBenchmark(options.benchmark));
    const result = await commands.import(context(options), resolve(file));
    print(options, result, result.words);
  });

function reviewsOf({ name, review: commands }: Benchmark): ReviewCommands {
  if (commands) return commands;
  throw new UsageError({ message: `people sign nothing of ${name}`, next: 'name a benchmark with reviews' });
}

interface TraceOptions {
  readonly release?: string;
  readonly benchmark?: string;
  readonly buildDir: string;
  readonly dot?: boolean;
  readonly json?: boolean;
}

interface NamedRelease {
  readonly dir: string;
  readonly benchmark: Benchmark;
}

/** A release folder with the benchmark that its manifest names. */
async function openNamed(release: string): Promise<NamedRelease> {
  const dir = resolve(release);
  return { dir, benchmark: await findBenchmark(readManifest(dir).benchmark) };
}

/** The named release, or the one that `choose` finds below the build folder. */
async function findRelease(
  options: TraceOptions,
  choose: (buildDir: string, benchmarks: readonly string[]) => string | Promise<string>,
): Promise<NamedRelease> {
  if (options.benchmark !== undefined) await findBenchmark(options.benchmark);
  if (options.release !== undefined) return openNamed(options.release);
  return openNamed(
    await choose(resolve(options.buildDir), options.benchmark ? [options.benchmark] : benchmarkNames),
  );
}

function noDrawing(benchmark: string): UsageError {
  return new UsageError({ message: `a trace of ${benchmark} has no drawing`, next: 'leave --dot out' });
}

function unlike(a: NamedRelease, b: NamedRelease): UsageError {
  return new UsageError({
    message: 'releases of two benchmarks cannot be compared',
    got: `${a.benchmark.name} and ${b.benchmark.name}`,
    expected: 'two releases of one benchmark',
  });
}

program
  .command('synth')
  .description('write a synthetic MIMIC-IV extract')
  .requiredOption('--out <dir>', 'an empty or new folder')
  .addOption(
    new Option('--stays <n>', 'number of ICU stays').default(1500).argParser(wholeNumber(200, 100_000)),
  )
  .addOption(new Option('--seed <n>', 'seed').default(0).argParser(wholeNumber(0)))
  .addOption(
    new Option(
      '--rows <profile>',
      'dirty has the faults of real data; default dirty, clean with --chartevents-rows',
    ).choices(['dirty', 'clean']),
  )
  .addOption(new Option('--size <size>', 'rows per stay').choices(['compact', 'full']).default('compact'))
  .addOption(
    new Option(
      '--chartevents-rows <n>',
      'only stays and this many rows of chartevents, for measuring the load',
    ).argParser(wholeNumber(1000, 1_000_000_000)),
  )
  .addOption(new Option('--mimic-version <v>', 'vocabularies').choices(['2.2', '3.1']).default('3.1'))
  .option('--json', 'one JSON object a line')
  .action(async (options: SynthOptions) => {
    const { writeSyntheticExtract } = await import('./supmimic/synth.js');
    const { out, stays, seed, size, mimicVersion } = options;
    const chartevents_rows = options.charteventsRows ?? null;
    const profile = options.rows ?? (chartevents_rows === null ? 'dirty' : 'clean');
    const config = { stays, profile, size, version: mimicVersion, chartevents_rows };
    const result = await writeSyntheticExtract(
      resolve(out),
      config,
      seed,
      interruptible(),
      chooseProgress(options),
    );
    print(options, result, result.words);
  });

interface SynthOptions {
  readonly out: string;
  readonly stays: number;
  readonly seed: number;
  readonly rows?: string;
  readonly size: string;
  readonly charteventsRows?: number;
  readonly mimicVersion: string;
  readonly json?: boolean;
}

/** One error as a JSON line. */
function printError(kind: string, exit_code: number, problem: object): void {
  process.stdout.write(`${JSON.stringify({ event: 'error', kind, exit_code, ...problem })}\n`);
}

/** Words an error for a person; bugs keep their stack. */
function fail(cause: unknown): void {
  const error = is_stopping ? new Interrupted() : cause;
  const known = error instanceof BenchwrightError;
  const json = process.argv.includes('--json');
  process.exitCode = known ? error.exitCode : 1;
  const is_resumable = error instanceof BudgetError || error instanceof Interrupted;
  const again = is_resumable
    ? shellWords(['node', relative('', process.argv[1]!), ...process.argv.slice(2)])
    : null;
  if (json) {
    const problem = known ? error.problem : { message: String((error as Error)?.message ?? error) };
    printError((error as Error)?.name, process.exitCode, { ...problem, ...(again ? { again } : {}) });
  }
  if (known) {
    process.stderr.write(`\n${error.name}: ${error.message}\n`);
    if (again) process.stderr.write(`  again:    ${again}\n`);
  } else {
    process.stderr.write(`\nThis is a bug in benchwright; please report it with the lines below.\n`);
    process.stderr.write(`${(error as Error)?.stack ?? error}\n`);
  }
}

// Whoever reads us may stop early (`trace ... | head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  checkSeal();
  await program.parseAsync();
} catch (error) {
  const commander = error as { code?: string; exitCode?: number; message?: string };
  if (!commander.code?.startsWith('commander.')) fail(error);
  else if (commander.exitCode !== 0) {
    process.exitCode = 2;
    if (process.argv.includes('--json')) printError('UsageError', 2, { message: String(commander.message) });
  }
}
