import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { SqlRow } from '../../stages/contract.js';
import { randomStream } from '../../stages/lib/random.js';
import { parseRegistry, REGISTRY_FILE } from '../../stages/lib/registry.js';
import { rankFeaturesConfig } from '../../stages/rank-features/config.js';
import { treesFor } from '../../stages/rank-features/run.js';
import { rankFeatures } from '../../stages/rank-features/stage.js';
import { codedInThisAdmission, drawTrainingRows } from '../../stages/rank-features/training.js';
import { runStageOn } from '../support/stage.js';
import { rankInputs, smallCohort } from './small-cohort.js';

const registry = parseRegistry(readFileSync(REGISTRY_FILE, 'utf8'));
const cohort = smallCohort({ stays: 160, diagnoses: { A01: 0.3, B02: 0.2, C03: 0.5 } });
const top = (rows: SqlRow[], dx: string, k: number): string[] =>
  rows.filter((r) => r.dx_code === dx && (r.rank as number) <= k).map((r) => r.feature_id as string);
const number = (id: string): number => Number(id.slice(1)) - 1;

describe('rank-features', () => {
  it('puts the columns that carry the signal of a diagnosis first', async () => {
    const run = await runStageOn(rankFeatures, { inputs: rankInputs(cohort), config: { trees: 300 } });
    const ranks = await run.table('ranks');
    ['A01', 'B02', 'C03'].forEach((dx, d) => {
      const found = top(ranks, dx, 10).filter((id) => Math.floor(number(id) / 10) === d);
      expect(found.length, dx).toBeGreaterThanOrEqual(8);
    });
    expect(ranks).toHaveLength(150);
    expect((await run.table('rank_summary')).map((r) => r.dx_code)).toEqual(['A01', 'B02', 'C03']);
  });

  it('gives the same bytes with 1, 2 and 7 workers and with shuffled input rows', async () => {
    const shuffled = smallCohort({ stays: 160, diagnoses: { A01: 0.3, B02: 0.2, C03: 0.5 } });
    for (const rows of Object.values(shuffled)) rows.reverse();
    const runs = [];
    for (const [workers, data] of [
      [1, cohort],
      [2, cohort],
      [7, cohort],
      [2, shuffled],
    ] as const) {
      const run = await runStageOn(rankFeatures, {
        inputs: rankInputs(data),
        config: { trees: 60 },
        workers,
      });
      runs.push(Object.entries(run.result.outputs).map(([name, o]) => `${name} ${o.sha256}`));
    }
    for (const other of runs.slice(1)) expect(other).toEqual(runs[0]);
  });

  it('changes with the seed, but not the ranking of another diagnosis', async () => {
    const config = { trees: 60 };
    const rank = async (c: typeof cohort, seed: number) =>
      (await runStageOn(rankFeatures, { inputs: rankInputs(c), config, seed })).table('ranks');
    const [a, b] = [await rank(cohort, 0), await rank(cohort, 1)];
    expect(a.map((r) => r.importance)).not.toEqual(b.map((r) => r.importance));
    const alone = {
      ...cohort,
      labels: cohort.labels.filter((l) => l.dx_code === 'B02'),
      diagnoses: cohort.diagnoses.map((d) => ({ ...d, is_selected: d.dx_code === 'B02' })),
    };
    expect(await rank(alone, 0)).toEqual(a.filter((r) => r.dx_code === 'B02'));
  });

  it('sweeps K: the union grows and its share is of 448', async () => {
    const run = await runStageOn(rankFeatures, {
      inputs: rankInputs(cohort),
      config: { trees: 20, k_sweep: [5, 10, 50] },
    });
    const ranks = await run.table('ranks');
    const sweep = await run.table('k_sweep');
    expect(sweep.map((s) => s.k)).toEqual([5, 10, 50]);
    for (const { k, union_n, utilisation } of sweep) {
      const union = new Set(
        ranks.filter((r) => (r.rank as number) <= (k as number)).map((r) => r.feature_id),
      );
      expect(union_n).toBe(union.size);
      expect(utilisation).toBe(union.size / 448);
    }
  });

  it('never ranks an excluded feature', async () => {
    const config = { trees: 20, exclude_features: ['F001', 'F002', 'F003'] };
    const ranks = await (await runStageOn(rankFeatures, { inputs: rankInputs(cohort), config })).table(
      'ranks',
    );
    expect(ranks.filter((r) => config.exclude_features.includes(r.feature_id as string))).toEqual([]);
  });
});

describe('features of this admission’s codes', () => {
  it('are none in the registry', () => {
    expect(codedInThisAdmission(registry)).toEqual([]);
  });

  it('are found by their table, unless the window is earlier admissions', () => {
    const prior = registry.find((f) => f.source_tables.includes('hosp.diagnoses_icd'))!;
    const planted = (window: string, table: string) => ({ ...prior, window, source_tables: [table] });
    expect(codedInThisAdmission([planted('PRIOR', 'hosp.diagnoses_icd')])).toEqual([]);
    for (const table of ['hosp.diagnoses_icd', 'hosp.procedures_icd', 'hosp.drgcodes']) {
      expect(codedInThisAdmission([planted('ICU24', table)])).toEqual([prior.feature_id]);
    }
    expect(codedInThisAdmission([planted('ICU24', 'icu.chartevents')])).toEqual([]);
  });
});

describe('settings', () => {
  it('choose trees by training rows unless a number is given', () => {
    const trees = (given: 'auto' | number, ranker: 'forest' | 'ml-random-forest', n: number): number =>
      treesFor({ trees: given, ranker }, n);
    expect([trees('auto', 'forest', 1999), trees('auto', 'forest', 2000)]).toEqual([1000, 300]);
    expect([trees(7, 'forest', 10), trees('auto', 'ml-random-forest', 10)]).toEqual([7, 100]);
  });

  it('must keep enough ranks for K and the sweep', () => {
    const parse = (c: object) => rankFeaturesConfig.safeParse(c).error?.issues[0]?.message;
    expect(parse({ top_k: 60, ranks_kept: 50 })).toMatch(/at least top_k/);
    expect(parse({ k_sweep: [60] })).toMatch(/largest value of k_sweep/);
    expect(parse({})).toBeUndefined();
  });
});

describe('training rows', () => {
  it('are all positives and as many different negatives, in row order', () => {
    const positives = Int32Array.from([3, 5, 8]);
    const t = drawTrainingRows(20, positives, randomStream(0, 'x'));
    expect(t.rows).toHaveLength(6);
    expect([...t.rows]).toEqual([...new Set(t.rows)].sort((a, b) => a - b));
    expect([...t.rows].filter((_, i) => t.labels[i])).toEqual([3, 5, 8]);
  });

  it('draw every negative sooner or later', () => {
    const seen = new Set<number>();
    for (let s = 0; s < 200; s++) {
      for (const r of drawTrainingRows(10, Int32Array.from([0, 9]), randomStream(s, 'x')).rows) seen.add(r);
    }
    expect(seen.size).toBe(10);
  });

  it('take all negatives when there are fewer than positives', () => {
    const t = drawTrainingRows(5, Int32Array.from([0, 1, 3]), randomStream(0, 'x'));
    expect([...t.rows]).toEqual([0, 1, 2, 3, 4]);
    expect([t.positives_n, t.negatives_n]).toEqual([3, 2]);
  });
});
