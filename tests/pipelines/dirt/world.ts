/** A synthetic extract with faults, its clean twin, and what the stages from load-mimic to select-diagnoses make of both. */
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { DuckDbSession, quoteText } from '../../../pipelines/engine/adapters/duckdb.js';
import { buildCohort } from '../../../stages/build-cohort/stage.js';
import { buildFeatures } from '../../../stages/build-features/stage.js';
import type { SqlRow } from '../../../stages/contract.js';
import { parseCsv } from '../../../stages/lib/csv.js';
import { type Feature, parseRegistry, REGISTRY_FILE } from '../../../stages/lib/registry.js';
import { loadMimic } from '../../../stages/load-mimic/stage.js';
import { selectDiagnoses } from '../../../stages/select-diagnoses/stage.js';
import { synthMimic } from '../../../stages/synth-mimic/stage.js';
import { runStageOn, type StageRun, type TestInput } from '../../support/stage.js';

export const STAYS = 1000;

/** One line of truth/dirty_ledger.csv. */
export interface Fault {
  readonly id: string;
  readonly subject_id: number;
  readonly stay_id: number;
  /** Columns that name the row. */
  readonly key: Readonly<Record<string, string>>;
  readonly column: string;
  readonly clean: string | null;
  readonly dirty: string | null;
  readonly expectation: string;
}

/** Feature values by stay. */
export class Values {
  private readonly rows: Map<number, SqlRow>;
  constructor(rows: readonly SqlRow[]) {
    this.rows = new Map(rows.map((r) => [r.stay_id as number, r]));
  }
  has(stay_id: number): boolean {
    return this.rows.has(stay_id);
  }
  stays(): number[] {
    return [...this.rows.keys()];
  }
  /** The value of a feature by its registry name; null when not measured. */
  cell(stay_id: number, name: string): number | null {
    const row = this.rows.get(stay_id);
    if (!row) throw new Error(`stay ${stay_id} is not in the cohort`);
    return row[featureByName.get(name)!.feature_id] as number | null;
  }
}

export const FEATURES: readonly Feature[] = parseRegistry(readFileSync(REGISTRY_FILE, 'utf8'));
const featureByName = new Map(FEATURES.map((f) => [f.name, f]));

/** The stages on one extract. */
export interface Side {
  readonly made: StageRun;
  readonly loaded: StageRun;
  readonly cohort: StageRun;
  readonly features: StageRun;
  readonly values: Values;
  readonly selected: StageRun;
}

/** Everything the checks look at. */
export interface World {
  readonly dirty: Side;
  readonly clean: Side;
  readonly faults: readonly Fault[];
  /** Queries over views named dirty_TABLE and clean_TABLE. */
  sql<R = SqlRow>(query: string): Promise<R[]>;
  /** The cohort stay of a fault's patient; undefined when the patient left the cohort. */
  stayOf(fault: Fault): number | undefined;
  /** Build-cohort on the dirty extract with other settings. */
  cohortWith(config: object): Promise<StageRun>;
  /** Feature values of the dirty extract with other settings. */
  featuresWith(config: object, inputs?: Record<string, TestInput>): Promise<StageRun>;
  valuesWith(config: object): Promise<Values>;
  selectWith(config: object): Promise<StageRun>;
  /** A loaded table with its rows in another order. */
  shuffled(name: string): Promise<TestInput>;
  close(): Promise<void>;
}

const table = (run: StageRun, name: string): TestInput => ({ parquet: join(run.dir, `${name}.parquet`) });

/** The tables of `loaded` that a stage wants, beside those given. */
function inputsOf(
  names: object,
  loaded: StageRun,
  given: Record<string, TestInput>,
): Record<string, TestInput> {
  return Object.fromEntries(Object.keys(names).map((n) => [n, given[n] ?? table(loaded, n)]));
}

const chooseStays = (loaded: StageRun, config: object = {}): Promise<StageRun> =>
  runStageOn(buildCohort, { inputs: inputsOf(buildCohort.inputs, loaded, {}), config });

const select = (side: Omit<Side, 'selected'>, config: object): Promise<StageRun> =>
  runStageOn(selectDiagnoses, {
    inputs: inputsOf(selectDiagnoses.inputs, side.loaded, {
      cohort: table(side.cohort, 'cohort'),
      features: table(side.features, 'features'),
    }),
    config: { min_positives: 20, ...config },
  });

async function runSide(profile: 'dirty' | 'clean'): Promise<Side> {
  const made = await runStageOn(synthMimic, { config: { stays: STAYS, profile } });
  const loaded = await runStageOn(loadMimic, {
    inputs: { extract: { folder: join(made.dir, 'extract') } },
    workers: 2,
  });
  const cohort = await chooseStays(loaded);
  const inputs = inputsOf(buildFeatures.inputs, loaded, { cohort: table(cohort, 'cohort') });
  const features = await runStageOn(buildFeatures, { inputs, workers: 2 });
  const values = new Values(await features.table('features'));
  const side = { made, loaded, cohort, features, values };
  return { ...side, selected: await select(side, {}) };
}

function readLedger(made: StageRun): Fault[] {
  const text = readFileSync(join(made.dir, 'truth/dirty_ledger.csv'), 'utf8');
  const orNull = (value: string | undefined): string | null => (value === '' ? null : value!);
  return parseCsv(text, 'dirty_ledger.csv').map((r) => ({
    id: r.dirty_id!,
    subject_id: Number(r.subject_id),
    stay_id: Number(r.stay_id),
    key: Object.fromEntries(r.key!.split(';').map((part) => part.split('=', 2) as [string, string])),
    column: r.column!,
    clean: orNull(r.clean_value),
    dirty: orNull(r.dirty_value),
    expectation: r.expectation!,
  }));
}

/** Makes both extracts and runs the stages on them. */
export async function buildWorld(): Promise<World> {
  const dirty = await runSide('dirty');
  const clean = await runSide('clean');
  const session = await DuckDbSession.create({
    threads: 2,
    memoryLimit: '2GB',
    spillDir: join(dirname(dirty.made.dir), 'spill'),
  });
  for (const [name, side] of Object.entries({ dirty, clean })) {
    for (const run of [side.loaded, side.cohort, side.features, side.selected]) {
      for (const t of Object.keys(run.result.outputs)) {
        const path = join(run.dir, `${t}.parquet`);
        // All stages have rejects; those of load-mimic come first and stay.
        await session.run(
          `create view if not exists ${name}_${t} as select * from read_parquet(${quoteText(path)})`,
        );
      }
    }
  }
  const stays = new Map(
    (await dirty.cohort.table('cohort')).map((r) => [r.subject_id as number, r.stay_id as number]),
  );
  const runs = [dirty, clean].flatMap((s) => [s.made, s.loaded, s.cohort, s.features, s.selected]);
  const kept = (run: StageRun): StageRun => {
    runs.push(run);
    return run;
  };
  const featuresWith = async (config: object, inputs: Record<string, TestInput> = {}): Promise<StageRun> =>
    kept(
      await runStageOn(buildFeatures, {
        inputs: inputsOf(buildFeatures.inputs, dirty.loaded, {
          cohort: table(dirty.cohort, 'cohort'),
          ...inputs,
        }),
        config,
        workers: 1,
      }),
    );
  const cached = new Map<string, Promise<Values>>();
  const valuesWith = (config: object): Promise<Values> => {
    const key = JSON.stringify(config);
    const read = async (): Promise<Values> =>
      new Values(await (await featuresWith(config)).table('features'));
    if (!cached.has(key)) cached.set(key, read());
    return cached.get(key)!;
  };
  return {
    dirty,
    clean,
    faults: readLedger(dirty.made),
    sql: (query) => session.rows(query),
    stayOf: (fault) => stays.get(fault.subject_id),
    cohortWith: async (config) => kept(await chooseStays(dirty.loaded, config)),
    featuresWith,
    valuesWith,
    selectWith: async (config) => kept(await select(dirty, config)),
    shuffled: async (name) => {
      const parquet = join(dirname(dirty.made.dir), `${name}.parquet`);
      await session.run(
        `copy (from dirty_${name} order by hash(stay_id, itemid, charttime)) to ${quoteText(parquet)} (format parquet)`,
      );
      return { parquet };
    },
    close: async () => {
      session.close();
      for (const run of runs) await rm(dirname(run.dir), { recursive: true, force: true });
    },
  };
}

/** What is asserted of one dirty_id of dirty_rows.csv. */
export interface Check {
  /** How the fault is answered, in words. */
  readonly says: string;
  run(w: World, faults: readonly Fault[]): Promise<void> | void;
}
export type Checks = Readonly<Record<string, Check>>;

/** The faults whose patient is in the cohort, with the stay; most have to be. */
export function inCohort(w: World, faults: readonly Fault[]): { fault: Fault; stay: number }[] {
  const out = faults.flatMap((fault) => {
    const stay = w.stayOf(fault);
    return stay === undefined ? [] : [{ fault, stay }];
  });
  expect(out.length).toBeGreaterThanOrEqual(Math.floor(faults.length * 0.9));
  return out;
}

/** Numbers that must agree up to the last digits of double arithmetic. */
export function isSame(a: number | null, b: number | null, tolerance = 1e-9): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b));
}

/** Counts of the ledger by a property of the fault, for comparison with counters. */
export function tally(faults: readonly Fault[], by: (fault: Fault) => string): Record<string, number> {
  const out: Record<string, number> = {};
  for (const fault of faults) out[by(fault)] = (out[by(fault)] ?? 0) + 1;
  return out;
}
