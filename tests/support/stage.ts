/** Runs one stage on small inputs, through the engine, in a temporary folder. */
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { DuckDbSession, quoteText } from '../../pipelines/engine/adapters/duckdb.js';
import { hashFile, hashFolder } from '../../pipelines/engine/adapters/files.js';
import type { KernelEngine } from '../../pipelines/engine/adapters/kernels.js';
import { hashFiles } from '../../pipelines/engine/outputs.js';
import {
  type BoundInput,
  runStage,
  type StageModels,
  type StageResult,
} from '../../pipelines/engine/run-stage.js';
import type { AccessClass, SqlRow, StageSpec } from '../../stages/contract.js';
import { runFolder } from './run-folder.js';

/** Rows of a table, the path of a Parquet file, or the path of a folder. */
export type TestInput = readonly SqlRow[] | { parquet: string } | { folder: string };

export interface StageRun {
  readonly dir: string;
  readonly result: StageResult;
  table(name: string): Promise<SqlRow[]>;
  document(filename: string): string;
}

export interface StageRunOptions {
  readonly inputs?: Record<string, TestInput>;
  readonly config?: unknown;
  readonly seed?: number;
  readonly workers?: number;
  readonly engine?: KernelEngine;
  readonly access?: AccessClass;
  /** For a stage that declares models. */
  readonly models?: StageModels;
}

/** A temporary folder that disappears after the test; outside a test, at the end of the run. */
export function temporaryFolder(): string {
  mkdirSync(runFolder(process.ppid), { recursive: true });
  const dir = mkdtempSync(join(runFolder(process.ppid), 'f-'));
  try {
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
  } catch {
    // Called from beforeAll: the teardown of the run removes it.
  }
  return dir;
}

/** Runs a stage; config defaults come from its schema. */
export async function runStageOn<C>(stage: StageSpec<C>, options: StageRunOptions = {}): Promise<StageRun> {
  const root = temporaryFolder();
  const inputs: Record<string, BoundInput> = {};
  for (const [name, given] of Object.entries(options.inputs ?? {})) {
    inputs[name] = await bind(root, name, given, stage as StageSpec);
  }
  const dir = join(root, 'out');
  const result = await runStage({
    stage: stage as StageSpec,
    inputs,
    config: stage.config.parse(options.config ?? {}),
    access: options.access ?? 'open',
    seed: options.seed ?? 0,
    workers: options.workers ?? 1,
    engine: options.engine ?? 'wasm',
    memoryLimit: '2GB',
    dir,
    signal: new AbortController().signal,
    ...(options.models ? { models: options.models } : {}),
  });
  return {
    dir,
    result,
    table: (name) => readParquet(join(dir, `${name}.parquet`)),
    document: (filename) => readFileSync(join(dir, filename), 'utf8'),
  };
}

async function bind(root: string, name: string, given: TestInput, stage: StageSpec): Promise<BoundInput> {
  if ('parquet' in given)
    return { kind: 'table', path: given.parquet, sha256: await hashFile(given.parquet) };
  if ('folder' in given) {
    const files = await hashFolder(given.folder);
    return { kind: 'folder', files, sha256: hashFiles(files) };
  }
  const declared = stage.inputs[name];
  if (declared?.kind !== 'table') throw new Error(`${stage.name} has no table input ${name}`);
  const path = join(root, `${name}.parquet`);
  const session = await DuckDbSession.create({
    threads: 1,
    memoryLimit: '2GB',
    spillDir: join(root, 'spill'),
  });
  await session.insert('rows', declared, given);
  await session.run(`copy rows to ${quoteText(path)} (format parquet)`);
  session.close();
  return { kind: 'table', path, sha256: await hashFile(path) };
}

/** All rows of a Parquet file, in file order. */
export async function readParquet(path: string): Promise<SqlRow[]> {
  const session = await DuckDbSession.create({
    threads: 1,
    memoryLimit: '2GB',
    spillDir: join(tmpdir(), 'spill'),
  });
  try {
    return await session.rows(`select * from read_parquet(${quoteText(path)})`);
  } finally {
    session.close();
  }
}
