/** Ways to bring a wide Parquet file of doubles into one typed array: the product's, the fastest known, the plain one. */
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { DuckDbSession, quoteText } from '../../pipelines/engine/adapters/duckdb.js';
import { FEATURE_IDS } from '../../schemas/supmimic.js';
import { sha256 } from '../../stages/lib/hash.js';
import type { Part, Run } from './child.js';

export interface MatrixArgs {
  /** A table like the output of build-features. */
  readonly path: string;
  readonly rows: number;
  readonly threads: number;
}

const P = FEATURE_IDS.length;
const names = FEATURE_IDS.join(', ');

/** Times a way to load; the answer is the hash of all values, null as NaN, which the clock does not see. */
const loading =
  (load: () => Promise<Float64Array>): Run =>
  async (part: Part) => {
    const data = await part('load', load);
    return sha256(new Uint8Array(data.buffer));
  };

/** `ctx.sql.matrix` with a key, as the stages call it. */
export async function product({ path, threads }: MatrixArgs): Promise<Run> {
  const session = await DuckDbSession.create({
    threads,
    memoryLimit: '4GB',
    spillDir: join(path, '../spill'),
  });
  await session.run(`create view features as select * from read_parquet(${quoteText(path)})`);
  return loading(async () => {
    const m = await session.matrix(`select stay_id, ${names} from features`, 'stay_id');
    return m.data;
  });
}

/** performance.md, section 7: whole vectors, nothing sorted, nothing checked. */
export async function fastest({ path, rows, threads }: MatrixArgs): Promise<Run> {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(threads) });
  const columns = FEATURE_IDS.map((f) => `coalesce(${f}, 'NaN'::double)`).join(', ');
  return loading(async () => {
    const connection = await instance.connect();
    const result = await connection.stream(`select ${columns} from read_parquet(${quoteText(path)})`);
    const out = new Float64Array(new SharedArrayBuffer(rows * P * 8));
    let offset = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (!chunk || chunk.rowCount === 0) break;
      for (let j = 0; j < P; j++) {
        const { items } = chunk.getColumnVector(j) as unknown as { items: Float64Array };
        out.set(items, j * rows + offset);
      }
      offset += chunk.rowCount;
    }
    connection.closeSync();
    return out;
  });
}

/** What the library's own reader offers: one JavaScript value a cell. */
export async function getColumns({ path, rows, threads }: MatrixArgs): Promise<Run> {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(threads) });
  const connection = await instance.connect();
  return loading(async () => {
    const reader = await connection.runAndReadAll(
      `select ${names} from read_parquet(${quoteText(path)}) order by stay_id`,
    );
    const out = new Float64Array(new SharedArrayBuffer(rows * P * 8));
    for (const [j, column] of reader.getColumns().entries()) {
      for (let i = 0; i < rows; i++) out[j * rows + i] = (column[i] as number | null) ?? Number.NaN;
    }
    return out;
  });
}
