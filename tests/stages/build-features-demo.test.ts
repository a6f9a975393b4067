/**
 * build-features on the open MIMIC-IV demo 2.2 (140 stays), loaded by load-mimic: values of the public mimic-code concepts in the
 * oracle profile, row counts of every feature, and every feature of some stays traced to its rows and back.
 * The scores have their own test.
 */
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuckDbSession, quoteText } from '../../pipelines/engine/adapters/duckdb.js';
import { FEATURE_IDS } from '../../schemas/supmimic.js';
import { buildCohort } from '../../stages/build-cohort/stage.js';
import { buildFeaturesConfig } from '../../stages/build-features/config.js';
import { buildFeatures } from '../../stages/build-features/stage.js';
import { featureTrace, prepareTrace } from '../../stages/build-features/trace.js';
import type { SqlRow } from '../../stages/contract.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { loadMimic } from '../../stages/load-mimic/stage.js';
import { DEMO_DIRS, hasDemo } from '../support/extract.js';
import { runStageOn, type StageRun, type TestInput, temporaryFolder } from '../support/stage.js';

const read = (path: string): string => readFileSync(path, 'utf8');
const records = (path: string): Record<string, string>[] => parseCsv(read(path), path);
/** Scores (F070, F340 to F363) are compared in build-features-scores-demo.test.ts. */
const is_score = (id: string): boolean => id === 'F070' || (id >= 'F340' && id <= 'F363');
/** The concept rounds temperatures to two decimals. */
const tolerance = (id: string): number => (['F116', 'F117', 'F118'].includes(id) ? 0.006 : 1e-6);

/** Both folders of the demo as one: the first that has a file wins. */
function joinedDemo(): string {
  const root = temporaryFolder();
  for (const part of ['hosp', 'icu']) {
    mkdirSync(join(root, part));
    const found = new Map<string, string>();
    for (const dir of DEMO_DIRS) {
      for (const name of namesIn(join(dir, part)))
        if (!found.has(name)) found.set(name, join(dir, part, name));
    }
    for (const [name, path] of found) symlinkSync(resolve(path), join(root, part, name));
  }
  symlinkSync(resolve(DEMO_DIRS[0]!, 'SHA256SUMS.txt'), join(root, 'SHA256SUMS.txt'));
  return root;
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => name.endsWith('.csv.gz'));
  } catch {
    return [];
  }
}

describe.skipIf(!hasDemo())('the open demo', () => {
  const folders: string[] = [];
  let inputs: Record<string, { parquet: string }>;
  const run = async (
    stage: Parameters<typeof runStageOn>[0],
    given: Record<string, TestInput>,
    config = {},
  ) => {
    const result = await runStageOn(stage, { inputs: given, config, workers: 2 });
    folders.push(join(result.dir, '..'));
    return result;
  };

  beforeAll(async () => {
    const extract = joinedDemo();
    folders.push(extract);
    const loaded = await run(loadMimic as Parameters<typeof runStageOn>[0], { extract: { folder: extract } });
    const of = (r: StageRun, name: string) => ({ parquet: join(r.dir, `${name}.parquet`) });
    const names = Object.keys(buildFeatures.inputs).filter((name) => name !== 'cohort');
    inputs = Object.fromEntries(names.map((name) => [name, of(loaded, name)]));
    const { patients, admissions, icustays } = inputs;
    const cohort = await run(
      buildCohort as Parameters<typeof runStageOn>[0],
      { patients: patients!, admissions: admissions!, icustays: icustays! },
      { stays: 'all' },
    );
    inputs.cohort = of(cohort, 'cohort');
  }, 300_000);
  afterAll(async () => {
    for (const dir of folders) await rm(dir, { recursive: true, force: true });
  });

  const session = async (where = ''): Promise<DuckDbSession> => {
    const s = await DuckDbSession.create({ threads: 2, memoryLimit: '2GB', spillDir: temporaryFolder() });
    for (const [name, { parquet }] of Object.entries(inputs)) {
      const rows = `select * from read_parquet(${quoteText(parquet)})`;
      await s.run(`create view ${name} as ${rows} ${name === 'cohort' ? where : ''}`);
    }
    return s;
  };

  it('equals the public concepts in the oracle profile, but for the listed differences', async () => {
    const result = await run(buildFeatures as Parameters<typeof runStageOn>[0], inputs, {
      profile: 'oracle',
      lab_lookback_hours: 6,
    });
    const rows = await result.table('features');
    expect(rows).toHaveLength(140);
    const concept = new Map<string, number>();
    const compared = new Set<string>();
    for (const r of records('tests/oracles/demo-oracle-values.csv')) {
      concept.set(`${r.stay_id} ${r.feature_id}`, Number(r.value));
      if (!is_score(r.feature_id!)) compared.add(r.feature_id!);
    }
    const found = [...compared].sort().flatMap((id) => {
      const n = { only_concept: 0, only_here: 0, other_value: 0 };
      for (const row of rows) {
        const theirs = concept.get(`${row.stay_id} ${id}`) ?? null;
        const ours = row[id] as number | null;
        if (ours === null || theirs === null) {
          if (ours !== theirs) n[ours === null ? 'only_concept' : 'only_here'] += 1;
        } else if (Math.abs(ours - theirs) > tolerance(id)) n.other_value += 1;
      }
      return Object.values(n).some((k) => k > 0) ? [{ feature_id: id, ...n }] : [];
    });
    const listed = records('tests/oracles/demo-feature-differences.csv').map((r) => ({
      feature_id: r.feature_id,
      only_concept: Number(r.only_concept),
      only_here: Number(r.only_here),
      other_value: Number(r.other_value),
    }));
    expect(found).toEqual(listed);
    expect(compared.size).toBeGreaterThan(100);
  });

  it('finds as many stays and rows as the coverage table', async () => {
    const s = await session();
    await prepareTrace({ sql: s, file: read }, buildFeaturesConfig.parse({}));
    const counted = await s.rows<{ feature_id: string; stays_n: number; rows_n: number }>(COVERAGE_SQL);
    s.close();
    const by_id = new Map(counted.map((c) => [c.feature_id, c]));
    const off = records('raw/mimic/demo-coverage.csv').flatMap((r) => {
      const { stays_n, rows_n } = by_id.get(r.feature_id!) ?? { stays_n: 0, rows_n: 0 };
      const expected = Number(r.demo_rows) - (WITHOUT_TEXT[r.feature_id!] ?? 0);
      const is_same = stays_n === Number(r.demo_stays_with_rows) && rows_n === expected;
      return is_same
        ? []
        : [
            `${r.feature_id}: ${stays_n} stays, ${rows_n} rows; expected ${r.demo_stays_with_rows}, ${expected}`,
          ];
    });
    expect(off).toEqual([]);
  }, 120_000);

  it('traces every feature of two stays to rows whose aggregate is the released value', async () => {
    const released = await run(buildFeatures as Parameters<typeof runStageOn>[0], inputs);
    const rows = await released.table('features');
    for (const stay_id of [30057454, 32895909]) {
      const row = rows.find((r) => r.stay_id === stay_id)!;
      const s = await session(`where stay_id = ${stay_id}`);
      await prepareTrace({ sql: s, file: read }, buildFeaturesConfig.parse({}));
      for (const id of FEATURE_IDS) await checkTrace(s, stay_id, id, row[id] as number | null);
      s.close();
    }
  }, 300_000);
});

async function checkTrace(
  s: DuckDbSession,
  stay_id: number,
  id: string,
  released: number | null,
): Promise<void> {
  const trace = featureTrace({ file: read }, id);
  const [aggregate] = await s.rows<{ value: number }>(trace.aggregate, { stay_id });
  expect(aggregate?.value ?? null, id).toBe(released);
  // A value other than 0 stands on at least one row.
  if (released === null || released === 0) return;
  const rows = await s.rows<SqlRow>(trace.rows, { stay_id });
  expect(rows.filter((r) => r.why_not === null).length, id).toBeGreaterThan(0);
}

/** Rows of items with texts that are equal without their texts (80 of the 100 patients have none): load-mimic keeps one of them. */
const WITHOUT_TEXT: Record<string, number> = { F155: 29, F156: 29, F157: 29, F418: 34, F420: 34, F421: 34 };

/**
 * Rows of the feature's itemids in its window, whether they can be used or not. The table counts weight and height of derived
 * features in the plain window, although these use F003 and F004 with theirs.
 */
const COVERAGE_SQL = `
  with found as (
    select c.stay_id, c.itemid, true as is_window from chart c join stay s on s.stay_id = c.stay_id
    where c.charttime >= s.t0 and c.charttime < s.window_end
    union all select stay_id, itemid, false from height_row
    union all select stay_id, itemid, false from weight_row
    union all select stay_id, itemid, true from lab_row where in_window
    union all select stay_id, itemid, true from output_row
    union all select stay_id, itemid, true from input_row
    union all select stay_id, itemid, true from procedure_row
  )
  select i.feature_id, count(distinct f.stay_id) as stays_n, count(*) as rows_n
  from feature_item i join found f on f.itemid = i.itemid and f.is_window <> (i.feature_id in ('F003', 'F004'))
  group by i.feature_id`;
