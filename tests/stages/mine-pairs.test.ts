import { readFileSync } from 'node:fs';
import { distance as mlDistance } from 'ml-distance';
import { beforeAll, describe, expect, it } from 'vitest';
import { FEATURE_IDS } from '../../schemas/supmimic.js';
import type { SqlRow } from '../../stages/contract.js';
import { drawBaseline } from '../../stages/lib/baseline.js';
import { randomStream } from '../../stages/lib/random.js';
import { parseRegistry, REGISTRY_FILE } from '../../stages/lib/registry.js';
import { cutWork } from '../../stages/mine-pairs/diagnoses.js';
import { minePairs } from '../../stages/mine-pairs/stage.js';
import { runStageOn, type StageRun } from '../support/stage.js';
import { numpyPercentile } from './mine-pairs-brute.js';
import { mineInputs, plainRanks, type SmallCohort, smallCohort } from './small-cohort.js';

const registry = parseRegistry(readFileSync(REGISTRY_FILE, 'utf8'));
const cohort = smallCohort({ stays: 150, diagnoses: { A01: 0.25, B02: 0.4, C03: 0.1 }, filledShare: 0.2 });
const ranks = plainRanks(cohort, 20);
const inputs = mineInputs(cohort, ranks);
const byStay = (rows: SqlRow[]): Map<number, SqlRow> => new Map(rows.map((r) => [r.stay_id as number, r]));
const imputed = byStay(cohort.imputed);
const flags = byStay(cohort.imputed_flags);
const fk = (dx: string): string[] => ranks.filter((r) => r.dx_code === dx).map((r) => r.feature_id as string);
const isPositive = (dx: unknown, stay: unknown): boolean =>
  cohort.labels.some((l) => l.dx_code === dx && l.stay_id === stay);
const isEligible = (dx: string, stay: number): boolean =>
  fk(dx).filter((f) => flags.get(stay)![f] === 0).length >= 14;

describe('mine-pairs, gower', () => {
  let run: StageRun;
  let ranges: Map<string, SqlRow>;
  beforeAll(async () => {
    run = await runStageOn(minePairs, { inputs });
    ranges = new Map((await run.table('ranges')).map((r) => [r.feature_id as string, r]));
  });
  const unit = (stay: number, f: string): number => {
    const { lo, hi } = ranges.get(f) as { lo: number; hi: number };
    const x = Math.min(Math.max(imputed.get(stay)![f] as number, lo), hi);
    return hi > lo ? (x - lo) / (hi - lo) : 0;
  };
  const vector = (dx: string, stay: number): number[] => fk(dx).map((f) => unit(stay, f));
  const gower = (dx: string, a: number, b: number): number =>
    mlDistance.manhattan(vector(dx, a), vector(dx, b)) / 20;

  it('takes ranges from observed values, and limits of the registry for 0/1 and bounded ordinal features', () => {
    for (const feature of registry) {
      const range = ranges.get(feature.feature_id)!;
      expect(range.scale).toBe(feature.scale);
      if (feature.scale !== 'continuous') {
        expect([range.lo, range.hi]).toEqual([feature.plausible_low, feature.plausible_high]);
        continue;
      }
      const observed = cohort.cohort
        .map((c) => c.stay_id as number)
        .filter((s) => flags.get(s)![feature.feature_id] === 0)
        .map((s) => imputed.get(s)![feature.feature_id] as number)
        .sort((a, b) => a - b);
      expect([range.lo, range.hi]).toEqual([
        numpyPercentile(observed, 0.01),
        numpyPercentile(observed, 0.99),
      ]);
    }
  });

  it('lists distances that ml-distance computes too', async () => {
    const pairs = await run.table('pairs');
    expect(pairs.length).toBeGreaterThan(20);
    for (const p of pairs) {
      const d = gower(p.dx_code as string, p.stay_i as number, p.stay_j as number);
      expect(p.distance).toBeCloseTo(d, 12);
    }
  });

  it('has thresholds that are percentiles of all distances between eligible positive stays', async () => {
    for (const t of await run.table('thresholds')) {
      const dx = t.dx_code as string;
      const stays = cohort.cohort
        .map((c) => c.stay_id as number)
        .filter((s) => isPositive(dx, s) && isEligible(dx, s));
      const all = stays
        .flatMap((a, n) => stays.slice(n + 1).map((b) => gower(dx, a, b)))
        .sort((a, b) => a - b);
      expect(t.eligible_positives_n).toBe(stays.length);
      expect(t.positive_pairs_n).toBe(all.length);
      expect(t.theta).toBeCloseTo(numpyPercentile(all, 0.25)!, 12);
      expect(t.phi).toBeCloseTo(numpyPercentile(all, 0.75)!, 12);
    }
  });

  it('keeps DDT below theta and DCT above phi, each patient once per diagnosis and task', async () => {
    const pairs = await run.table('pairs');
    for (const t of await run.table('thresholds')) {
      const own = pairs.filter((p) => p.dx_code === t.dx_code);
      const ddt = own.filter((p) => p.task === 'ddt');
      const dct = own.filter((p) => p.task === 'dct');
      expect([ddt.length, dct.length]).toEqual([t.ddt_n, t.dct_n]);
      for (const p of ddt) expect(p.distance).toBeLessThan(t.theta as number);
      for (const p of dct) expect(p.distance).toBeGreaterThan(t.phi as number);
      for (const task of [ddt, dct]) {
        const stays = task.flatMap((p) => [p.stay_i, p.stay_j]);
        expect(new Set(stays).size).toBe(stays.length);
      }
    }
  });

  it('says for every stay and diagnosis how much of F_k was observed', async () => {
    const rows = await run.table('eligibility');
    expect(rows).toHaveLength(450);
    for (const r of rows) {
      const n = fk(r.dx_code as string).filter((f) => flags.get(r.stay_id as number)![f] === 0).length;
      expect([r.observed_n, r.is_eligible]).toEqual([n, n >= 14]);
    }
  });

  it('draws ten positive and ten negative stays for BA', async () => {
    const rows = await run.table('baseline');
    for (const dx of ['A01', 'B02', 'C03']) {
      const own = rows.filter((r) => r.dx_code === dx);
      const positives = cohort.labels.filter((l) => l.dx_code === dx).length;
      expect(own.filter((r) => r.label === 1)).toHaveLength(Math.min(10, positives));
      expect(own.filter((r) => r.label === 0)).toHaveLength(10);
      for (const r of own) expect(isPositive(dx, r.stay_id)).toBe(r.label === 1);
    }
  });
});

describe('mine-pairs', () => {
  it('gives the same bytes with 1, 2, 3 and 7 workers, compiled or not, and with shuffled input rows', async () => {
    const spec = {
      stays: 240,
      // The last is large enough to be cut into parts.
      diagnoses: { A01: 0.3, B02: 0.3, C03: 0.9 },
      staysPerPatient: 2,
      splits: ['test', 'train'],
      levels: 4,
    };
    const shuffled = smallCohort(spec);
    const plain = smallCohort(spec);
    for (const rows of Object.values(shuffled)) rows.reverse();
    const given = plainRanks(plain, 20);
    const order = (data: SmallCohort): SqlRow[] => (data === plain ? given : given.toReversed());
    const runs = [];
    for (const [workers, data, engine] of [
      [1, plain, 'js'],
      [1, plain, 'wasm'],
      [2, plain, 'wasm'],
      [3, plain, 'js'],
      [7, plain, 'wasm'],
      [2, shuffled, 'wasm'],
    ] as const) {
      const run = await runStageOn(minePairs, { inputs: mineInputs(data, order(data)), workers, engine });
      runs.push(Object.entries(run.result.outputs).map(([name, o]) => `${name} ${o.sha256}`));
    }
    for (const other of runs.slice(1)) expect(other).toEqual(runs[0]);
  });

  it('euclidean: z-scores over the whole cohort, clipped on request, as ml-distance has it', async () => {
    for (const z_clip of [null, 1.5]) {
      const run = await runStageOn(minePairs, { inputs, config: { distance: 'euclidean', z_clip } });
      const ranges = new Map((await run.table('ranges')).map((r) => [r.feature_id as string, r]));
      const values = (f: string): number[] => cohort.imputed.map((r) => r[f] as number);
      const mean = (x: number[]): number => x.reduce((a, b) => a + b, 0) / x.length;
      for (const f of FEATURE_IDS) {
        const m = mean(values(f));
        const sd = Math.sqrt(mean(values(f).map((x) => (x - m) ** 2)));
        expect(ranges.get(f)!.mean).toBeCloseTo(m, 12);
        expect(ranges.get(f)!.sd).toBeCloseTo(sd === 0 ? 1 : sd, 12);
      }
      const z = (stay: number, f: string): number => {
        const { mean: m, sd } = ranges.get(f) as { mean: number; sd: number };
        const raw = ((imputed.get(stay)![f] as number) - m) / sd;
        return z_clip === null ? raw : Math.min(Math.max(raw, -z_clip), z_clip);
      };
      const pairs = await run.table('pairs');
      expect(pairs.length).toBeGreaterThan(10);
      for (const p of pairs) {
        const vector = (stay: unknown): number[] => fk(p.dx_code as string).map((f) => z(stay as number, f));
        expect(p.distance).toBeCloseTo(mlDistance.euclidean(vector(p.stay_i), vector(p.stay_j)), 10);
      }
    }
  });

  it('mines and draws inside splits, never across', async () => {
    const data = smallCohort({
      stays: 200,
      diagnoses: { A01: 0.4 },
      splits: ['test', 'train', 'validation'],
    });
    const run = await runStageOn(minePairs, { inputs: mineInputs(data, plainRanks(data, 20)) });
    const patient = new Map(data.cohort.map((c) => [c.stay_id, c.subject_id]));
    const splitOf = new Map(data.splits.map((s) => [s.subject_id, s.split]));
    const split = (stay: unknown): unknown => splitOf.get(patient.get(stay as number)!);
    const pairs = await run.table('pairs');
    expect(new Set(pairs.map((p) => p.split))).toEqual(new Set(['test', 'train', 'validation']));
    for (const p of pairs) expect([split(p.stay_i), split(p.stay_j)]).toEqual([p.split, p.split]);
    for (const b of await run.table('baseline')) expect(split(b.stay_id)).toBe(b.split);
  });

  it('takes choices of the published script: no thresholds, no cap, complete rows, K = 25, positives-only BA', async () => {
    const data = smallCohort({ stays: 120, diagnoses: { A01: 0.3 }, filledShare: 0.01 });
    const run = await runStageOn(minePairs, {
      inputs: mineInputs(data, plainRanks(data, 25)),
      config: {
        distance: 'euclidean',
        top_k: 25,
        apply_thresholds: false,
        cap_per_patient: 'none',
        min_observed_share: 1,
        ba_classes: 'positives-only',
      },
    });
    expect((await run.table('pairs')).map((p) => p.task)).toEqual([
      ...Array(5).fill('dct'),
      ...Array(5).fill('ddt'),
    ]);
    expect(new Set((await run.table('baseline')).map((b) => b.label))).toEqual(new Set([1]));
    for (const e of await run.table('eligibility')) expect(e.is_eligible).toBe(e.observed_n === 25);
  });

  it('changes the BA draw with the seed, and nothing else', async () => {
    const a = await runStageOn(minePairs, { inputs, seed: 0 });
    const b = await runStageOn(minePairs, { inputs, seed: 1 });
    const same = (name: string): boolean => a.result.outputs[name]!.sha256 === b.result.outputs[name]!.sha256;
    expect(['ranges', 'eligibility', 'thresholds', 'pairs'].map(same)).toEqual([true, true, true, true]);
    expect(same('baseline')).toBe(false);
  });

  it('refuses too few ranks, a patient without a split and a label outside the cohort', async () => {
    const few = { ...inputs, ranks: ranks.filter((r) => (r.rank as number) < 20) };
    await expect(runStageOn(minePairs, { inputs: few })).rejects.toThrow(/A01 has too few ranked features/);
    const homeless = { ...inputs, splits: cohort.splits.slice(1) };
    await expect(runStageOn(minePairs, { inputs: homeless })).rejects.toThrow(/has no split/);
    const strange = { ...inputs, labels: [...cohort.labels, { dx_code: 'A01', stay_id: 1 }] };
    await expect(runStageOn(minePairs, { inputs: strange })).rejects.toThrow(/outside the cohort/);
    const lost = { ...inputs, imputed: cohort.imputed.slice(1) };
    await expect(runStageOn(minePairs, { inputs: lost })).rejects.toThrow(/hold different stays/);
  });
});

describe('the BA draw', () => {
  const patient = [0, 0, 1, 1, 2, 3, 4, 4, 5];
  const draw = (seed: number, perClass: number) =>
    drawBaseline({
      positives: [0, 2, 4, 6],
      negatives: [1, 3, 5, 7, 8],
      perClass,
      patient,
      random: randomStream(seed, 'ba'),
    });

  it('takes each patient once over both labels, and fewer stays when patients run out', () => {
    for (let seed = 0; seed < 200; seed++) {
      const { positives, negatives } = draw(seed, 3);
      const patients = [...positives, ...negatives].map((r) => patient[r]);
      expect(new Set(patients).size).toBe(patients.length);
      expect(positives).toHaveLength(3);
      expect(negatives.length).toBeGreaterThanOrEqual(2);
    }
    expect(draw(0, 9)).toEqual({ positives: [0, 2, 4, 6], negatives: [5, 8] });
  });

  it('draws every stay about equally often', () => {
    const seen = new Map<number, number>();
    for (let seed = 0; seed < 4000; seed++) {
      for (const r of draw(seed, 1).positives) seen.set(r, (seen.get(r) ?? 0) + 1);
    }
    for (const r of [0, 2, 4, 6]) expect(Math.abs(seen.get(r)! - 1000)).toBeLessThan(150);
  });
});

describe('cutWork', () => {
  const inWords = (positives: number[], stays: number, workers: number): string[] =>
    cutWork(positives, stays, workers).map(({ anchor, part }) => `${anchor}: ${part.part} of ${part.of}`);

  it('hands out whole diagnoses, largest first, and cuts what would keep one worker busy alone', () => {
    expect(inWords([500, 900, 700, 600, 400, 300, 800, 200], 90_000, 2)).toEqual(
      [1, 6, 2, 3, 0, 4, 5, 7].map((a) => `${a}: 0 of 1`),
    );
    expect(inWords([200, 20_000], 90_000, 2)).toEqual(['1: 0 of 2', '1: 1 of 2', '0: 0 of 1']);
    expect(inWords([20_000], 90_000, 3)).toEqual(['0: 0 of 3', '0: 1 of 3', '0: 2 of 3']);
  });

  it('cuts nothing for one worker, and no diagnosis that is cheaper than packing its negatives again', () => {
    expect(inWords([200, 20_000], 90_000, 1)).toEqual(['1: 0 of 1', '0: 0 of 1']);
    expect(inWords([300], 90_000, 7)).toEqual(['0: 0 of 1']);
  });
});

it('refuses a K that a byte cannot count', () => {
  expect(() => minePairs.config.parse({ top_k: 256 })).toThrow(/<=255/);
  expect(minePairs.config.parse({ top_k: 255 }).top_k).toBe(255);
});
