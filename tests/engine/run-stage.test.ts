import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { source, wire } from '../../pipelines/engine/pipeline.js';
import { col, table } from '../../schemas/table.js';
import { defineStage, type StageSpec } from '../../stages/contract.js';
import { runStageOn } from '../support/stage.js';

const numbers = table({
  name: 'numbers',
  doc: 'numbers for the test',
  key: ['id'],
  row: {
    id: col.int(),
    x: col.double().nullable(),
    at: col.timestamp().nullable(),
    big: col.bigint(),
    name: col.text(),
    ok: col.bool(),
    b: col.byte(),
    day: col.date().nullable(),
  },
});
const rows = [
  {
    id: 2,
    x: null,
    at: '2150-01-02 03:04:05',
    big: 9007199254740991,
    name: "it's",
    ok: true,
    b: 255,
    day: null,
  },
  { id: 1, x: 0.1, at: null, big: -1, name: '', ok: false, b: 0, day: '2150-02-28' },
];

function stage(run: StageSpec<unknown>['run'], more: Partial<StageSpec<unknown>> = {}): StageSpec<unknown> {
  return defineStage<unknown>({
    name: 'copy-numbers',
    version: 1,
    summary: 'copies numbers',
    inputs: { source: numbers },
    outputs: { copied: numbers },
    config: z.strictObject({}),
    conserve: [{ input: 'source', output: 'copied', drops: ['even'] }],
    run,
    ...more,
  });
}

describe('runStage', () => {
  it('carries every column type through Parquet and back, sorted by key', async () => {
    const run = await runStageOn(
      stage((ctx) => ctx.sql.run('create table copied as select * from source')),
      { inputs: { source: rows } },
    );
    expect(await run.table('copied')).toEqual([rows[1], rows[0]]);
    expect(run.result.rows_in).toEqual({ source: 2 });
  });

  it('refuses a stage that loses a row without saying so', async () => {
    const lossy = stage((ctx) => ctx.sql.run('create table copied as select * from source where id = 1'));
    await expect(runStageOn(lossy, { inputs: { source: rows } })).rejects.toThrow(
      /lost rows: source 2 is not copied 1/,
    );
  });

  it('accepts a declared and counted drop', async () => {
    const honest = stage(async (ctx) => {
      await ctx.sql.run('create table copied as select * from source where id = 1');
      ctx.drop('source', 'even', 1);
    });
    const run = await runStageOn(honest, { inputs: { source: rows } });
    expect(run.result.dropped).toEqual({ source: { even: 1 } });
  });

  it('refuses duplicate keys, nulls in filled columns and unknown columns', async () => {
    const twice = stage((ctx) =>
      ctx.sql.run('create table copied as select * from source union all select * from source'),
    );
    await expect(runStageOn(twice, { inputs: { source: rows } })).rejects.toThrow(
      /2 keys of copied \("id"\) are not unique/,
    );
    const hole = stage((ctx) =>
      ctx.sql.run('create table copied as select * replace (null::VARCHAR as name) from source'),
    );
    await expect(runStageOn(hole, { inputs: { source: rows } })).rejects.toThrow(
      /copied.name is null in 2 rows/,
    );
    const extra = stage((ctx) => ctx.sql.run('create table copied as select *, 1 as y from source'));
    await expect(runStageOn(extra, { inputs: { source: rows } })).rejects.toThrow(/unexpected y INTEGER/);
  });

  it('fails a stage whose audit finds rows', async () => {
    const audited = stage((ctx) => ctx.sql.run('create table copied as select * from source'), {
      audits: [{ name: 'x is known', sql: 'select id from copied where x is null' }],
    });
    await expect(runStageOn(audited, { inputs: { source: rows } })).rejects.toThrow(/audit "x is known"/);
  });

  it('reads doubles as a matrix with NaN for null', async () => {
    const seen: unknown[] = [];
    const reading = stage(async (ctx) => {
      const m = await ctx.sql.matrix('select x, 2 * x as y from source order by id');
      seen.push(m.rows, [...m.columns], [...m.data]);
      await ctx.sql.run('create view copied as select * from source');
    });
    await runStageOn(reading, { inputs: { source: rows } });
    expect(seen).toEqual([2, ['x', 'y'], [0.1, Number.NaN, 0.2, Number.NaN]]);
  });

  it('never quotes a value of credentialed rows in an error', async () => {
    const failing = stage((ctx) =>
      ctx.sql.run('create table copied as select cast(name as INTEGER) as id from source'),
    );
    const message = (access: 'open' | 'credentialed'): Promise<string> =>
      runStageOn(failing, { inputs: { source: rows }, access }).then(
        () => 'no error',
        (error: Error) => `${error.message} ${error.stack}`,
      );
    expect(await message('open')).toContain("it's");
    expect(await message('credentialed')).not.toContain("it's");
    expect(await message('credentialed')).toMatch(/Conversion Error in DuckDB/);
  });
});

describe('optional inputs', () => {
  const other = table({ name: 'other', doc: 'o', key: ['id'], row: { id: col.int(), name: col.text() } });
  const count = table({ name: 'count', doc: 'c', key: ['n'], row: { n: col.bigint() } });
  const counter = (optional: string[]) =>
    defineStage<unknown>({
      name: 'count-other',
      version: 1,
      summary: 'counts',
      inputs: { numbers, other },
      optional,
      outputs: { count },
      config: z.strictObject({}),
      run: (ctx) =>
        ctx.sql.run('create table count as select count(*) as n from other where name is not null'),
    });

  it('are empty tables with their columns where nothing is bound, and what is bound otherwise', async () => {
    const inputs = { numbers: rows };
    const empty = await runStageOn(counter(['other']), { inputs });
    expect(await empty.table('count')).toEqual([{ n: 0 }]);
    const bound = await runStageOn(counter(['other']), {
      inputs: { ...inputs, other: [{ id: 1, name: 'a' }] },
    });
    expect(await bound.table('count')).toEqual([{ n: 1 }]);
    await expect(runStageOn(counter([]), { inputs })).rejects.toThrow(/input other is not bound/);
    await expect(runStageOn(counter(['other']), { inputs: {} })).rejects.toThrow(
      /input numbers is not bound/,
    );
  });

  it('are left out by the wiring when no stage writes them', () => {
    const given = { numbers: source('numbers') };
    expect(wire([counter(['other']) as StageSpec], given)[0]!.inputs).toEqual(given);
    expect(() => wire([counter([]) as StageSpec], given)).toThrow(
      /no stage before count-other writes its input other/,
    );
    const both = { ...given, other: source('other') };
    expect(wire([counter(['other']) as StageSpec], both)[0]!.inputs).toEqual(both);
  });
});
