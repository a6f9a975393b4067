/** Runs every stages/<stage>/examples/<case> in four modes; examples are test and documentation. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { purposesOf } from '../pipelines/engine/models.js';
import { sqlColumns, type Table } from '../schemas/table.js';
import type { SqlRow, SqlValue, StageSpec } from '../stages/contract.js';
import { parseCsv } from '../stages/lib/csv.js';
import { randomStream } from '../stages/lib/random.js';
import { scriptedModels } from './support/example-models.js';
import { runStageOn, type StageRun, type TestInput } from './support/stage.js';

const folders = (dir: string): string[] =>
  existsSync(dir)
    ? readdirSync(dir, { withFileTypes: true })
        .filter((e) => e.isDirectory())
        .map((e) => e.name)
        .sort()
    : [];

/** Text of a cell as the value that the table declares; an empty cell is null. */
function cell(text: string, type: string): SqlValue {
  if (text === '') return null;
  if (type === 'BOOLEAN') return text === 'true';
  return ['INTEGER', 'BIGINT', 'DOUBLE', 'UTINYINT'].includes(type) ? Number(text) : text;
}

function readRows(path: string, table: Table): SqlRow[] {
  const types = new Map(sqlColumns(table).map((c) => [c.name, c.type]));
  return parseCsv(readFileSync(path, 'utf8'), path).map((record) =>
    Object.fromEntries(
      Object.entries(record).map(([name, text]) => {
        const type = types.get(name);
        if (!type) throw new Error(`${path}: ${table.name} has no column ${name}`);
        return [name, cell(text, type)];
      }),
    ),
  );
}

function readInputs(stage: StageSpec, dir: string): Record<string, TestInput> {
  const inputs: Record<string, TestInput> = {};
  for (const [name, declared] of Object.entries(stage.inputs)) {
    const path = join(dir, 'input', declared.kind === 'folder' ? name : `${name}.csv`);
    if (declared.kind === 'folder') inputs[name] = { folder: path };
    else inputs[name] = existsSync(path) ? complete(readRows(path, declared), declared) : [];
  }
  return inputs;
}

/** Examples may leave out columns that are null in every row. */
function complete(rows: SqlRow[], table: Table): SqlRow[] {
  const names = sqlColumns(table).map((c) => c.name);
  return rows.map((row) => Object.fromEntries(names.map((n) => [n, row[n] ?? null])));
}

function shuffled(inputs: Record<string, TestInput>): Record<string, TestInput> {
  const random = randomStream(0, 'shuffle-examples');
  return Object.fromEntries(
    Object.entries(inputs).map(([name, given]) => {
      if (!Array.isArray(given)) return [name, given];
      const rows = [...(given as SqlRow[])];
      for (let i = rows.length - 1; i > 0; i--) {
        const j = random.below(i + 1);
        [rows[i], rows[j]] = [rows[j]!, rows[i]!];
      }
      return [name, rows];
    }),
  );
}

const hashes = (run: StageRun): Record<string, string> =>
  Object.fromEntries(Object.entries(run.result.outputs).map(([name, o]) => [name, o.sha256]));

/** Documents hold at least what the expected JSON holds. */
function compareDocuments(run: StageRun, dir: string): void {
  for (const file of readdirSync(join(dir, 'expected')).filter((f) => f.endsWith('.json'))) {
    const expected = JSON.parse(readFileSync(join(dir, 'expected', file), 'utf8')) as object;
    expect(JSON.parse(run.document(file)), `${dir}: ${file}`).toMatchObject(expected);
  }
}

async function compare(run: StageRun, stage: StageSpec, dir: string): Promise<void> {
  compareDocuments(run, dir);
  for (const file of readdirSync(join(dir, 'expected')).filter((f) => f.endsWith('.csv'))) {
    const name = file.slice(0, -4);
    const { rejects } = await import('../schemas/engine.js');
    const table = name === 'rejects' ? rejects : (stage.outputs[name] as Table);
    const expected = readRows(join(dir, 'expected', file), table);
    const columns = Object.keys(
      expected[0] ??
        Object.fromEntries(
          readFileSync(join(dir, 'expected', file), 'utf8')
            .trim()
            .split(',')
            .map((c) => [c, null]),
        ),
    );
    const got = (await run.table(name)).map((row) =>
      Object.fromEntries(columns.map((c) => [c, row[c] ?? null])),
    );
    const order = (rows: SqlRow[]): string[] => rows.map((r) => JSON.stringify(r)).sort();
    expect(order(got), `${dir}: ${name}`).toEqual(order(expected));
  }
}

for (const name of folders('stages').filter((n) => n !== 'lib')) {
  describe(`examples of ${name}`, async () => {
    const module = (await import(`../stages/${name}/stage.ts`)) as Record<string, StageSpec>;
    const stage = Object.values(module).find((value) => value?.name === name)!;
    const cases = folders(`stages/${name}/examples`);
    it('has a typical, a boundary and a rejected or dropped case', () => {
      expect(cases.length).toBeGreaterThanOrEqual(3);
    });
    it('estimates what it asks of models for purposes and tables that it has', () => {
      for (const example of cases) {
        const given = JSON.parse(readFileSync(`stages/${name}/examples/${example}/config.json`, 'utf8'));
        const { data: config } = stage.config.safeParse(given);
        // Some examples are of configs that are refused.
        if (config === undefined) continue;
        for (const { purpose, per_row_of, calls, calls_at_most } of stage.estimate?.(config) ?? []) {
          expect(purposesOf(stage, config)).toContain(purpose);
          expect(stage.inputs[per_row_of]?.kind).toBe('table');
          expect(calls_at_most).toBeGreaterThanOrEqual(calls);
        }
      }
    });
    for (const example of cases) {
      const dir = `stages/${name}/examples/${example}`;
      it(example, async () => {
        const config = JSON.parse(readFileSync(`${dir}/config.json`, 'utf8'));
        const inputs = readInputs(stage, dir);
        const models = await scriptedModels(stage, dir, config);
        const run = (more: object, given = inputs) =>
          runStageOn(stage, { inputs: given, config, ...models, ...more });
        if (existsSync(`${dir}/expected/error.txt`)) {
          const pattern = new RegExp(readFileSync(`${dir}/expected/error.txt`, 'utf8').trim());
          await expect(run({})).rejects.toThrow(pattern);
          return;
        }
        const first = await run({});
        await compare(first, stage, dir);
        const others = [
          await run({}, shuffled(inputs)),
          await run({ workers: 3 }),
          await run({ workers: 7 }),
        ];
        for (const other of others) expect(hashes(other)).toEqual(hashes(first));
      });
    }
  });
}
