/** Runs one stage into one folder: binds inputs, checks every promise of the declaration, writes the outputs. */
import { join } from 'node:path';
import { edges as edgesTable, rejects as rejectsTable } from '../../schemas/engine.js';
import type {
  AccessClass,
  Edge,
  FolderFile,
  Reject,
  SqlRow,
  StageContext,
  StageSpec,
} from '../../stages/contract.js';
import { randomStream } from '../../stages/lib/random.js';
import { inspectCsv } from './adapters/csv-integrity.js';
import { DuckDbSession, quoteName, quoteText } from './adapters/duckdb.js';
import {
  fileError,
  folderWriter,
  mkdir,
  PROJECT_ROOT,
  readFileSync,
  rm,
  writeAtomic,
} from './adapters/files.js';
import { createKernels, type KernelEngine, type KernelLoader } from './adapters/kernels.js';
import { createModels, type Models, type ModelsOptions } from './adapters/llm.js';
import { freeUnused } from './adapters/memory.js';
import { readPdf } from './adapters/pdf.js';
import { readText } from './adapters/text.js';
import { createWorkers } from './adapters/workers.js';
import { checkColumns, checkRows, runAudits } from './check-tables.js';
import { DataError, Interrupted, UsageError } from './errors.js';
import { CallConfig, purposesOf } from './models.js';
import { countRows, describeDocument, describeFolder, type OutputFile, writeTable } from './outputs.js';
import type { Tallies } from './tally.js';

/** Where an input lies: a Parquet file for tables, hashed files for folders. */
export type BoundInput =
  | { readonly kind: 'table'; readonly path: string; readonly sha256: string }
  | { readonly kind: 'folder'; readonly files: readonly FolderFile[]; readonly sha256: string };

export interface RunStageOptions {
  readonly stage: StageSpec;
  readonly inputs: Record<string, BoundInput>;
  readonly config: unknown;
  readonly access: AccessClass;
  readonly seed: number;
  readonly workers: number;
  /** Default `wasm`. */
  readonly engine?: KernelEngine;
  readonly memoryLimit: string;
  /** An empty folder that receives the outputs. */
  readonly dir: string;
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number, what?: string) => void;
  readonly onReject?: (reason: string) => void;
  /** Sees what models were asked so far, after every call and every answer. */
  readonly onTally?: (tallies: Tallies) => void;
  readonly onLog?: (message: string) => void;
  /** What the person at the screen should know. */
  readonly onNote?: (message: string) => void;
  /** For a stage that declares models. */
  readonly models?: StageModels;
}

/** The models of a stage run, and where their answers lie. */
export type StageModels = Pick<
  ModelsOptions,
  'setups' | 'calls' | 'mode' | 'storeDir' | 'recorded' | 'limits'
>;

export interface StageResult {
  readonly outputs: Record<string, OutputFile>;
  readonly rows_in: Record<string, number>;
  readonly rejected: Record<string, Record<string, number>>;
  readonly dropped: Record<string, Record<string, number>>;
  readonly counts: Record<string, number>;
  /** Requests to models that ended without an answer, when there are any. */
  readonly model_failures?: number;
}

interface Ledger {
  readonly rejects: Reject[];
  readonly edges: Edge[];
  readonly drops: Record<string, Record<string, number>>;
  readonly counts: Record<string, number>;
  readonly records: Record<string, number>;
}

/** Runs the stage; every failure leaves `dir` for the caller to remove. */
export async function runStage(options: RunStageOptions): Promise<StageResult> {
  const { stage, dir, signal } = options;
  // Before anything else: the policy is checked here.
  const models = openModels(options);
  await mkdir(dir, { recursive: true });
  const spillDir = join(dir, 'spill');
  const session = await DuckDbSession.create({
    threads: options.workers,
    memoryLimit: options.memoryLimit,
    spillDir,
    signal,
  });
  const workers = createWorkers(options.workers, stage.workers ?? [], signal);
  const kernel = createKernels(options.engine ?? 'wasm', stage.kernels ?? [], (m) => options.onNote?.(m));
  const ledger: Ledger = { rejects: [], edges: [], drops: {}, counts: {}, records: {} };
  try {
    await bindInputs(session, options);
    const tools = { workers, kernel, llm: models.llm.bind(models) };
    await stage.run(createContext(options, session, tools, ledger), options.config);
    if (signal.aborted) throw new Interrupted();
    await models.close();
    // The memory of workers and arrays is wanted for the checks.
    await workers.close();
    freeUnused();
    const result = await finish(options, session, ledger);
    return models.failures > 0 ? { ...result, model_failures: models.failures } : result;
  } catch (error) {
    throw signal.aborted ? new Interrupted() : explain(error, options);
  } finally {
    await models.close();
    await workers.close();
    session.close();
    await rm(spillDir, { recursive: true, force: true });
  }
}

/** A stage without models gets none to call; one with models reads rows of the class that the policy looks at. */
function openModels(options: RunStageOptions): Models {
  const { stage, access, signal } = options;
  const declared = purposesOf(stage, options.config);
  if (declared.length > 0 && stage.access === 'open')
    throw new Error(`stage ${stage.name} calls models, so its class must be that of its inputs`);
  if (declared.length > 0 && !options.models) throw new Error(`stage ${stage.name} was given no models`);
  return createModels({
    stage: stage.name,
    access,
    signal,
    onLog: (message) => options.onLog?.(message),
    onNote: (message) => options.onNote?.(message),
    onTally: (tallies) => options.onTally?.(tallies),
    ...(options.models ?? NO_MODELS),
  });
}

const NO_MODELS: StageModels = {
  setups: [],
  calls: CallConfig.parse({}),
  mode: 'replay',
  storeDir: '',
  recorded: [],
};

async function bindInputs(session: DuckDbSession, options: RunStageOptions): Promise<void> {
  for (const [name, declared] of Object.entries(options.stage.inputs)) {
    const bound = options.inputs[name];
    if (!bound && declared.kind === 'table' && options.stage.optional?.includes(name)) {
      await session.insert(name, declared, []);
      continue;
    }
    if (bound?.kind !== declared.kind)
      throw new Error(`stage ${options.stage.name}: input ${name} is not bound`);
    if (bound.kind !== 'table' || declared.kind !== 'table') continue;
    await session.run(
      `create view ${quoteName(name)} as select * from read_parquet(${quoteText(bound.path)})`,
    );
    await checkColumns(session, name, declared);
  }
}

function createContext(
  options: RunStageOptions,
  session: DuckDbSession,
  tools: Pick<StageContext, 'workers' | 'llm'> & { readonly kernel: KernelLoader },
  ledger: Ledger,
): StageContext {
  const { stage, dir, signal } = options;
  const seed = (): number => {
    if (!stage.seeded) throw new Error(`stage ${stage.name} uses the seed but does not declare seeded: true`);
    return options.seed;
  };
  return {
    sql: session,
    ...tools,
    signal,
    get seed() {
      return seed();
    },
    access: options.access,
    random: (label) => randomStream(seed(), stage.name, label),
    file: (path) => {
      if (!stage.files?.includes(path))
        throw new Error(`stage ${stage.name} does not declare ${path} in files`);
      return readFileSync(join(PROJECT_ROOT, path), 'utf8');
    },
    folder: (name) => {
      const bound = options.inputs[name];
      if (bound?.kind !== 'folder') throw new Error(`stage ${stage.name} has no folder input ${name}`);
      return bound.files;
    },
    inspectCsv: (file) => inspectCsv(file, signal),
    readText,
    readPdf,
    writeFolder: (output) => folderWriter(join(dir, output)),
    writeDocument: (output, content) => {
      const declared = stage.outputs[output];
      if (declared?.kind !== 'document') throw new Error(`stage ${stage.name} has no document ${output}`);
      return writeAtomic(join(dir, declared.filename), content);
    },
    reject: (row) => {
      ledger.rejects.push(row);
      options.onReject?.(row.reason);
    },
    records: (name, n) => {
      ledger.records[name] = n;
    },
    drop: (input, reason, n) => {
      const rule = stage.conserve?.find((c) => c.input === input);
      if (!rule?.drops?.includes(reason))
        throw new Error(`stage ${stage.name}: ${input} declares no drop ${reason}`);
      ledger.drops[input] ??= {};
      ledger.drops[input][reason] = (ledger.drops[input][reason] ?? 0) + n;
    },
    cite: (edge) => void ledger.edges.push(edge),
    count: (name, n) => {
      ledger.counts[name] = n;
    },
    progress: (done, total, what) => options.onProgress?.(done, total, what),
    log: (message) => options.onLog?.(message),
    fail: (problem) => {
      throw new DataError(problem);
    },
  };
}

async function finish(
  options: RunStageOptions,
  session: DuckDbSession,
  ledger: Ledger,
): Promise<StageResult> {
  const { stage, dir } = options;
  const outputs: Record<string, OutputFile> = {};
  for (const [name, declared] of Object.entries(stage.outputs)) {
    if (declared.kind !== 'table') continue;
    await checkColumns(session, name, declared);
    await checkRows(session, stage.name, name, declared);
  }
  await runAudits(session, stage);
  const rejected = countRejects(ledger.rejects);
  const rows_in = await checkConservation(options, session, rejected, ledger);
  for (const [name, declared] of Object.entries(stage.outputs)) {
    if (declared.kind === 'table') outputs[name] = await writeTable(session, dir, name, declared);
    else if (declared.kind === 'document') outputs[name] = await describeDocument(dir, declared.filename);
    else outputs[name] = await describeFolder(dir, name);
  }
  await session.insert('rejects', rejectsTable, dedupe(ledger.rejects) as unknown as Iterable<SqlRow>);
  outputs.rejects = await writeTable(session, dir, 'rejects', rejectsTable);
  const edgeRows = dedupe(ledger.edges).map((e) => ({
    ...e,
    stage: stage.name,
    stage_version: stage.version,
  }));
  await session.insert('edges', edgesTable, edgeRows);
  outputs.edges = await writeTable(session, dir, 'edges', edgesTable);
  return { outputs, rows_in, rejected, dropped: ledger.drops, counts: ledger.counts };
}

function countRejects(rows: readonly Reject[]): Record<string, Record<string, number>> {
  const out: Record<string, Record<string, number>> = {};
  for (const r of rows) {
    out[r.table] ??= {};
    out[r.table]![r.reason] = (out[r.table]![r.reason] ?? 0) + 1;
  }
  return out;
}

const total = (counts: Record<string, number> | undefined): number =>
  Object.values(counts ?? {}).reduce((a, b) => a + b, 0);

async function checkConservation(
  options: RunStageOptions,
  session: DuckDbSession,
  rejected: Record<string, Record<string, number>>,
  ledger: Ledger,
): Promise<Record<string, number>> {
  const dropped = ledger.drops;
  const rows_in: Record<string, number> = { ...ledger.records };
  for (const [name, declared] of Object.entries(options.stage.inputs)) {
    if (declared.kind === 'table') rows_in[name] = await countRows(session, name);
  }
  for (const rule of options.stage.conserve ?? []) {
    const before = rows_in[rule.input];
    if (before === undefined) throw new Error(`stage ${options.stage.name} did not count ${rule.input}`);
    const after = await countRows(session, rule.output);
    const lost = total(rejected[rule.input]);
    if (before !== after + lost + total(dropped[rule.input])) {
      throw new Error(
        `stage ${options.stage.name} lost rows: ${rule.input} ${before} is not ${rule.output} ${after} + rejected ${lost} + dropped ${total(dropped[rule.input])}`,
      );
    }
    const limit = options.stage.rejectLimit ?? 0;
    if (lost > before * limit) {
      throw new DataError({
        message: `stage ${options.stage.name} rejected too many rows of ${rule.input}`,
        got: `${lost} of ${before}: ${JSON.stringify(rejected[rule.input])}`,
        expected: `at most ${limit * 100} %`,
        next: 'look at the reasons in rejects.parquet of the stage',
      });
    }
  }
  return rows_in;
}

function dedupe<T extends object>(rows: readonly T[]): T[] {
  return [...new Map(rows.map((r) => [JSON.stringify(r), r])).values()];
}

/** DuckDB reports a full disk in words only, and quotes the value that it could not read; the rest passes through. */
function explain(error: unknown, { stage, dir, access }: RunStageOptions): unknown {
  if (!(error instanceof Error) || error instanceof UsageError) return error;
  if (/No space left on device/i.test(error.message)) return fileError({ code: 'ENOSPC' }, dir);
  if (/^Out of Memory Error/.test(error.message)) {
    return new DataError({
      message: `stage ${stage.name} ran out of memory`,
      next: 'raise MEMORY (for example MEMORY=8GB) or free space for spill files under build/',
    });
  }
  const quoted = /^(Conversion|Invalid Input|Constraint) Error/.exec(error.message);
  if (!quoted || access === 'open') return error;
  return new Error(
    `stage ${stage.name}: ${quoted[0]} in DuckDB; its words may quote ${access} rows and are withheld`,
  );
}
