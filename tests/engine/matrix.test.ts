/** Matrices come value by value as the rows do, whatever the order in which DuckDB sends them. */
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuckDbSession } from '../../pipelines/engine/adapters/duckdb.js';
import { temporaryFolder } from '../support/stage.js';

let session: DuckDbSession;
let dir: string;
beforeAll(async () => {
  dir = temporaryFolder();
  session = await DuckDbSession.create({ threads: 3, memoryLimit: '1GB', spillDir: join(dir, 'spill') });
});
afterAll(() => session.close());

/** Rows with an odd order, nulls and zeros of both signs; `order` sorts the file. */
async function write(rows: number, order: string): Promise<string> {
  const path = join(dir, `t-${rows}-${order.replace(/\W/g, '')}.parquet`);
  await session.run(`
    copy (
      select (i * 7)::integer as id, case when i % 3 = 0 then null else i / 7.0 end::double as a,
        case when i < 64 then null else -i end::double as b,
        case i % 4 when 0 then 0.0 when 1 then -0.0 when 2 then 1e308 else i end::double as c,
        (i % 251)::utinyint as d, i % 2 = 0 as e
      from range(${rows}) r(i) order by ${order}
    ) to '${path}' (format parquet, row_group_size 2048)`);
  return `read_parquet('${path}')`;
}

const SIZES = [0, 1, 63, 64, 2047, 2048, 2049, 10_000];
const ORDERS = ['i', 'i desc', 'hash(i)', 'i // 100 desc, i'];

describe('a matrix by key', () => {
  it.each(SIZES)('of %d rows has the values of the sorted rows', async (n) => {
    for (const order of ORDERS) {
      const table = await write(n, order);
      const rows = await session.rows<Record<string, number | null>>(`select * from ${table} order by id`);
      const m = await session.matrix(`select c, id, a, b from ${table}`, 'id');
      expect([m.rows, m.columns, m.data.length]).toEqual([n, ['c', 'a', 'b'], 3 * n]);
      const expected = ['c', 'a', 'b'].flatMap((name) => rows.map((r) => r[name] ?? Number.NaN));
      expect(m.data).toEqual(Float64Array.from(expected));
      const bytes = await session.bytes(`select id, d, e from ${table}`, 'id');
      expect(bytes.columns).toEqual(['d', 'e']);
      expect(bytes.data).toEqual(
        Uint8Array.from([...rows.map((r) => r.d!), ...rows.map((r) => Number(r.e))]),
      );
      const sorted = await session.matrix(`select c, a, b from ${table} order by id`);
      expect(sorted.data).toEqual(m.data);
    }
  });

  it('finds the place of every row of any permutation', async () => {
    const key = fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(key, async (keys) => {
        const values = keys.map((k, i) => `(${k}, ${i}::double)`).join(', ');
        const m = await session.matrix(`select * from (values ${values}) t(k, x)`, 'k');
        const expected = keys.map((k, i) => [k, i] as const).sort((a, b) => a[0] - b[0]);
        expect([...m.data]).toEqual(expected.map((x) => x[1]));
      }),
      { numRuns: 100 },
    );
  });

  it('refuses a key that does not tell the rows apart', async () => {
    const twice = 'select * from (values (1, 0.5::double), (2, 0.1), (1, 0.2)) t(k, x)';
    await expect(session.matrix(twice, 'k')).rejects.toThrow(/null or repeated value \(1\)/);
    const hole = 'select * from (values (1, 0.5::double), (null, 0.1)) t(k, x)';
    await expect(session.matrix(hole, 'k')).rejects.toThrow(/null or repeated value/);
  });

  it('refuses columns of another type, and a null among bytes', async () => {
    await expect(session.matrix('select 1 as k, 2 as x', 'k')).rejects.toThrow(/x is INTEGER/);
    await expect(session.matrix("select 'a' as x")).rejects.toThrow(/x is VARCHAR/);
    await expect(session.bytes('select 1 as k, 2.5::double as x', 'k')).rejects.toThrow(/x is DOUBLE/);
    await expect(session.bytes('select 1 as k, null::utinyint as x', 'k')).rejects.toThrow(/holds a null/);
  });
});
