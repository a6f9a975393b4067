/** The product's side of the ingest cases: csv.gz to the Parquet cache by load-mimic, and from the cache to a matrix. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { inspectCsv } from '../../pipelines/engine/adapters/csv-integrity.js';
import { DuckDbSession, quoteText } from '../../pipelines/engine/adapters/duckdb.js';
import { hashFolder } from '../../pipelines/engine/adapters/files.js';
import { hashFiles } from '../../pipelines/engine/outputs.js';
import { runStage } from '../../pipelines/engine/run-stage.js';
import type { FolderFile, IntegrityReport, StageContext, StageSpec } from '../../stages/contract.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { sha256 } from '../../stages/lib/hash.js';
import { loadMimic } from '../../stages/load-mimic/stage.js';
import { LOADED } from '../../stages/load-mimic/tables.js';
import type { Part, Run } from './child.js';

export interface IngestArgs {
  /** Holds the folder `extract`; results go beside it. */
  readonly dir: string;
  readonly workers: number;
  /** Which rows are kept: those of the feature registry, as in a build, or all items with numbers. */
  readonly items: 'registry' | 'numbers';
  readonly memoryLimit: string;
}

/** Stays and items in ascending order; `file` holds stays x items x 5 float64 values, NaN where nothing was charted. */
export interface IngestResult {
  readonly stays: readonly number[];
  readonly items: readonly number[];
  readonly file: string;
  readonly matrix: string;
  readonly chartevents: string;
}

const STATISTICS = 5;

export async function ingest(args: IngestArgs): Promise<Run> {
  const { dir, workers, memoryLimit } = args;
  const files = await hashFolder(join(dir, 'extract'));
  const paths = LOADED.map((t) => `${t.source.replace('.', '/')}.csv.gz`);
  const config = loadMimic.config.parse({
    extra_chart_items: args.items === 'numbers' ? numericItems(dir) : [],
  });
  const out = join(dir, `loaded-${args.items}-${workers}`);
  return async (part: Part) => {
    rmSync(out, { recursive: true, force: true });
    const { signal } = new AbortController();
    const reports = await part('integrity read', async () => {
      const read = new Map<string, IntegrityReport>();
      for (const f of files.filter((x) => paths.includes(x.path)))
        read.set(f.path, await inspectCsv(f, signal));
      return read;
    });
    const loaded = await part('csv.gz to cache', () =>
      runStage({
        stage: withReports(reports),
        inputs: { extract: { kind: 'folder', files, sha256: hashFiles(files) } },
        config,
        access: 'open',
        seed: 0,
        workers,
        memoryLimit,
        dir: out,
        signal,
      }),
    );
    const { data, ...rest } = await part('cache to matrix', () => firstDay(out, workers, memoryLimit));
    const file = join(dir, `matrix-${args.items}.f64`);
    const bytes = new Uint8Array(data.buffer);
    writeFileSync(file, bytes);
    const result: IngestResult = {
      ...rest,
      file,
      matrix: sha256(bytes),
      chartevents: loaded.outputs.chartevents!.sha256,
    };
    return result;
  };
}

/** load-mimic with the first read done before, so that the two reads are timed apart. */
function withReports(reports: ReadonlyMap<string, IntegrityReport>): StageSpec {
  const stage = loadMimic as StageSpec;
  const inspect = { value: async (f: FolderFile) => reports.get(f.path)! };
  return {
    ...stage,
    run: (ctx, config) => stage.run(Object.create(ctx, { inspectCsv: inspect }) as StageContext, config),
  };
}

/** Items of the generator that carry numbers and are not of the registry. */
function numericItems(dir: string): number[] {
  const text = gunzipSync(readFileSync(join(dir, 'extract/icu/d_items.csv.gz'))).toString();
  return parseCsv(text, 'd_items')
    .filter((r) => r.label!.startsWith('Charted number'))
    .map((r) => Number(r.itemid));
}

/**
 * Five statistics of the first 24 hours of every stay and item. Deterministic forms only: an exact decimal mean, first
 * and last by a key that is total.
 */
async function firstDay(
  dir: string,
  threads: number,
  memoryLimit: string,
): Promise<{ stays: number[]; items: number[]; data: Float64Array }> {
  const session = await DuckDbSession.create({ threads, memoryLimit, spillDir: join(dir, 'spill') });
  try {
    for (const t of ['chartevents', 'icustays']) {
      await session.run(
        `create view ${t} as select * from read_parquet(${quoteText(join(dir, `${t}.parquet`))})`,
      );
    }
    const ids = async (sql: string): Promise<number[]> =>
      (await session.rows<{ id: number }>(sql)).map((r) => r.id);
    const stays = await ids('select stay_id as id from icustays order by 1');
    const long = await session.matrix(`
      select stay_id::double as stay, itemid::double as item, min(valuenum) as low, max(valuenum) as high,
        sum(valuenum::decimal(18, 6))::double / count(*) as mean,
        arg_min(valuenum, place) as first, arg_max(valuenum, place) as last
      from (
        select c.stay_id, c.itemid, c.valuenum, struct_pack(c.charttime, c.storetime, c.valuenum) as place
        from chartevents c join icustays s using (stay_id)
        where c.valuenum is not null and c.charttime >= s.intime and c.charttime < s.intime + interval 24 hour
      ) group by stay_id, itemid`);
    const [stay, item, ...statistics] = Array.from({ length: 2 + STATISTICS }, (_, j) =>
      long.data.subarray(j * long.rows, (j + 1) * long.rows),
    );
    const items = [...new Set(item)].sort((x, y) => x - y);
    const [rowOf, placeOf] = [stays, items].map((list) => new Map(list.map((id, i) => [id, i])));
    const data = new Float64Array(stays.length * items.length * STATISTICS).fill(Number.NaN);
    for (let i = 0; i < long.rows; i++) {
      const cell = rowOf!.get(stay![i]!)! * items.length + placeOf!.get(item![i]!)!;
      for (let k = 0; k < STATISTICS; k++) data[cell * STATISTICS + k] = statistics[k]![i]!;
    }
    return { stays, items, data };
  } finally {
    session.close();
  }
}
