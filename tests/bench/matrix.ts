/** The matrix case: 94,000 stays x 448 features from the cache into a typed array, compared value by value. */
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDbSession, quoteText } from '../../pipelines/engine/adapters/duckdb.js';
import { FEATURE_IDS } from '../../schemas/supmimic.js';
import type { BenchCase } from './case.js';
import { BENCH_DIR } from './files.js';
import type { MatrixArgs } from './matrix-product.js';
import { productSide } from './sides.js';

const PRODUCT = 'by key';
const PEERS = { 'fastest path': 'fastest', 'getColumns()': 'getColumns' };

/** `rows` stays; the product has to be at most 1.5 times as slow as the fastest path (T8). */
export function matrixCase(rows: number): BenchCase {
  const dir = join(BENCH_DIR, 'data', `matrix-${rows}`);
  const path = join(dir, 'features.parquet');
  const args: MatrixArgs = { path, rows, threads: 2 };
  const start = (name: string) => () => productSide('./matrix-product.js', name, args);
  return {
    name: `matrix ${rows} x ${FEATURE_IDS.length}`,
    prepare: () => writeFeatures(dir, path, rows),
    products: { [PRODUCT]: start('product') },
    peers: Object.fromEntries(Object.entries(PEERS).map(([label, name]) => [label, start(name)])),
    comparisons: [
      {
        measure: 'load',
        product: PRODUCT,
        peer: 'fastest path',
        by: 'wall',
        target: { id: 'T8', ratio: 1 / 1.5 },
      },
      { measure: 'load', product: PRODUCT, peer: 'getColumns()', by: 'wall' },
    ],
    check: async (results) => {
      const other = Object.keys(PEERS).find((label) => results[label] !== results[PRODUCT]);
      return other ? `the values differ from those of ${other}` : null;
    },
  };
}

/** A table with the columns of build-features, written as the engine writes tables; a third of the columns has holes. */
async function writeFeatures(dir: string, path: string, rows: number): Promise<void> {
  if (existsSync(path)) return;
  mkdirSync(dir, { recursive: true });
  const session = await DuckDbSession.create({
    threads: 2,
    memoryLimit: '4GB',
    spillDir: join(dir, 'spill'),
  });
  const columns = FEATURE_IDS.map((id, k) => {
    const value = `round((hash(i, ${k}) % 1000000) / 1e6 * ${k + 1}, ${k % 4})`;
    return `${k % 3 === 0 ? `case when hash(i, ${k}, 1) % 10 >= 3 then ${value} end` : value} as ${id}`;
  });
  await session.run(`
    copy (select (30000000 + i * 99)::integer as stay_id, ${columns.join(', ')} from range(${rows}) r(i) order by i)
    to ${quoteText(`${path}.partial`)} (format parquet, compression zstd, row_group_size 122880)`);
  session.close();
  renameSync(`${path}.partial`, path);
}
