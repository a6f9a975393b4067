/** A build for report-quality, made from random vectors and a plain recomputation of distances. */
import { readFileSync } from 'node:fs';
import { loadReport } from '../../schemas/mimic.js';
import { cohort, diagnoses, FEATURE_IDS, featureReport, thresholds } from '../../schemas/supmimic.js';
import type { SqlRow } from '../../stages/contract.js';
import { quantile } from '../../stages/lib/quantile.js';
import { randomStream } from '../../stages/lib/random.js';
import { parseRegistry, REGISTRY_FILE } from '../../stages/lib/registry.js';
import { complete } from './complete.js';

const registry = parseRegistry(readFileSync(REGISTRY_FILE, 'utf8'));
const K = 20;
const KEPT = 50;
const TITLES = [
  'Sepsis',
  'Acute kidney failure',
  'Heart failure',
  'Pneumonia',
  'Respiratory failure',
  'Liver cirrhosis',
];

export interface ReportFixtureOptions {
  readonly stays?: number;
  readonly diagnoses?: number;
  readonly metric?: 'gower' | 'euclidean';
}

export interface ReportFixture {
  readonly inputs: Record<string, SqlRow[]>;
  readonly values: ReadonlyMap<number, readonly number[]>;
}

/** Deterministic inputs. Stays 1, 2 share a patient; stay i has diagnosis j when a hidden number says so. */
export function reportInputs(options: ReportFixtureOptions = {}): ReportFixture {
  const { stays: n = 60, diagnoses: m = 4, metric = 'gower' } = options;
  const random = randomStream(1, 'report');
  const stays = Array.from({ length: n }, (_, i) => 30_000_001 + i);
  const subject = (stay: number): number => (stay === stays[1] ? 14_000_000 : 14_000_000 + stay - stays[0]!);
  const values = new Map(stays.map((s) => [s, FEATURE_IDS.map(() => random.float() * random.float())]));
  const codes = Array.from({ length: m }, (_, i) => `${'AEIJKN'[i % 6]}${String(10 + i)}`);
  const has = new Map(
    codes.map((dx, i) => [dx, new Set(stays.filter(() => random.float() < 0.3 / (1 + i / 8)))]),
  );
  const f_k = new Map(
    codes.map((dx, i) => [dx, Array.from({ length: KEPT }, (_, r) => (i * 11 + r * 7) % 448)]),
  );
  const distance = (dx: string, a: number, b: number): number => {
    let key = 0;
    for (const f of f_k.get(dx)!.slice(0, K)) {
      const d = values.get(a)![f]! - values.get(b)![f]!;
      key += metric === 'gower' ? Math.abs(d) : d * d;
    }
    return metric === 'gower' ? key / K : Math.sqrt(key);
  };
  const mined = codes.map((dx) => mine(dx, stays, has.get(dx)!, subject, distance));
  const labelled = codes.flatMap((dx_code) =>
    [...has.get(dx_code)!].map((stay_id) => ({ dx_code, stay_id })),
  );
  const inputs: Record<string, SqlRow[]> = {
    load_report: complete(
      loadReport,
      ['hosp/patients', 'hosp/admissions', 'icu/icustays', 'hosp/labevents', 'icu/chartevents'].map(
        (table, i) => ({
          table,
          sha256: 'a'.repeat(64),
          bytes: 1000,
          records: 10 ** (3 + i) + 57,
          loaded: 10 ** (3 + i),
          rejected: i === 3 ? 12 : 0,
          duplicates: i === 3 ? 5 : 17,
          dropped: 40,
          truncation_check: i < 3 ? 'sha256' : 'record count',
        }),
      ),
    ),
    cohort: complete(
      cohort,
      stays.map((stay_id) => ({ stay_id, subject_id: subject(stay_id), hadm_id: stay_id })),
    ),
    cohort_flow: flowRows(n),
    feature_report: complete(
      featureReport,
      FEATURE_IDS.map((feature_id, i) => ({
        feature_id,
        stays_n: i === 266 ? 0 : Math.round(n * Math.min(1, 0.1 + random.float() ** (i > 170 ? 2 : 0.3))),
        rows_n: 1000 + i,
        implausible_n: i % 37 === 0 ? i + 1 : 0,
      })),
    ),
    impute_values: [],
    imputed: stays.map((stay_id) => ({
      stay_id,
      ...Object.fromEntries(FEATURE_IDS.map((id, f) => [id, values.get(stay_id)![f]!])),
    })),
    splits: [...new Set(stays.map(subject))].map((subject_id) => ({ subject_id, split: 'test' })),
    diagnoses: complete(diagnoses, [
      ...codes.map((dx_code, i) => ({
        dx_code,
        title: TITLES[i % 6]!,
        category: (i % 6) + 1,
        category_name: `Category ${(i % 6) + 1}`,
        positives_n: has.get(dx_code)!.size,
        prevalence: has.get(dx_code)!.size / n,
        status: 'selected',
        is_selected: true,
      })),
      { dx_code: 'Z99', title: 'Too rare', positives_n: 1, status: 'too_few_positives' },
    ]),
    selection_steps: ['min_positives', 'top_share', 'completeness', 'max_labels'].map((name, i) => ({
      step: i + 1,
      name,
      doc: `step ${name.replaceAll('_', ' ')}`,
      labels_before: m + 40 - i * 10,
      labels_after: m + 30 - i * 10,
    })),
    code_map: codes.map((dx_code) => ({
      icd_version: 10,
      icd_code: `${dx_code}0`,
      dx_code,
      rule: 'native',
      title: null,
      stays_n: 9,
    })),
    labels: labelled,
    ranks: codes.flatMap((dx_code) =>
      f_k
        .get(dx_code)!
        .map((f, r) => ({ dx_code, rank: r + 1, feature_id: FEATURE_IDS[f]!, importance: 1 / (r + 1) })),
    ),
    rank_summary: codes.map((dx_code, i) => ({
      dx_code,
      positives_n: has.get(dx_code)!.size,
      negatives_n: has.get(dx_code)!.size,
      trees_n: 1000,
      half_overlap_n: 20 - (i % 14),
    })),
    k_sweep: [5, 10, 15, 20, 25, 30].map((k) => ({
      k,
      union_n: Math.min(448, k * 9),
      utilisation: Math.min(448, k * 9) / 448,
    })),
    ranges: FEATURE_IDS.map((feature_id, f) => ({
      feature_id,
      scale: registry[f]!.scale,
      lo: 0,
      hi: 1,
      mean: 0,
      sd: 1,
    })),
    eligibility: codes.flatMap((dx_code) =>
      stays.map((stay_id) => ({ dx_code, stay_id, observed_n: 20, is_eligible: true })),
    ),
    thresholds: mined.map((x) => x.threshold),
    pairs: mined.flatMap((x) => x.pairs),
    baseline: codes.flatMap((dx_code) => [
      ...[...has.get(dx_code)!].slice(0, 5).map((stay_id) => ({ dx_code, split: 'test', stay_id, label: 1 })),
      ...stays
        .filter((s) => !has.get(dx_code)!.has(s))
        .slice(0, 5)
        .map((stay_id) => ({ dx_code, split: 'test', stay_id, label: 0 })),
    ]),
  };
  inputs.impute_values = inputs.feature_report!.map((f, i) => ({
    feature_id: f.feature_id!,
    scale: registry[i]!.scale,
    method: f.stays_n === 0 ? 'none' : registry[i]!.scale === 'continuous' ? 'mean' : 'mode',
    value: 0,
    observed_n: f.stays_n!,
    imputed_n: n - Number(f.stays_n),
  }));
  inputs.thresholds = complete(thresholds, inputs.thresholds!);
  return { inputs, values };
}

function flowRows(n: number): SqlRow[] {
  const step = (index: number, doc: string, excluded: number, left: number): SqlRow => ({
    step: index,
    reason: doc.replaceAll(' ', '_'),
    doc,
    excluded_stays_n: excluded,
    stays_n: left,
    patients_n: left - 1,
  });
  return [
    step(0, 'all ICU stays', 0, n + 53),
    step(1, 'younger than 18 years', 3, n + 50),
    step(2, 'no first day in the ICU', 5, n + 45),
    step(3, 'not the first ICU stay of the patient', 40, n + 5),
    step(4, 'admission without diagnosis codes', 5, n),
  ];
}

function mine(
  dx_code: string,
  stays: readonly number[],
  positives: ReadonlySet<number>,
  subject: (stay: number) => number,
  distance: (dx: string, a: number, b: number) => number,
) {
  const yes = [...positives];
  const all = yes.flatMap((a, i) =>
    yes
      .slice(i + 1)
      .filter((b) => subject(a) !== subject(b))
      .map((b) => ({ stay_i: a, stay_j: b, distance: distance(dx_code, a, b) })),
  );
  const cross = yes.flatMap((a) =>
    stays
      .filter((b) => !positives.has(b) && subject(a) !== subject(b))
      .map((b) => ({ stay_i: a, stay_j: b, distance: distance(dx_code, a, b) })),
  );
  const theta = quantile(
    all.map((p) => p.distance),
    0.25,
  );
  const phi = quantile(
    all.map((p) => p.distance),
    0.75,
  );
  const ddt = cross
    .filter((p) => p.distance < theta)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 5);
  const dct = all
    .filter((p) => p.distance > phi)
    .sort((a, b) => b.distance - a.distance)
    .slice(0, 5);
  const rows = (task: string, list: typeof all): SqlRow[] =>
    list.map((p, i) => ({ dx_code, task, split: 'test', pair_rank: i + 1, ...p }));
  return {
    pairs: [...rows('ddt', ddt), ...rows('dct', dct)],
    threshold: {
      dx_code,
      k: K,
      theta,
      phi,
      positive_pairs_n: all.length,
      eligible_positives_n: yes.length,
      eligible_negatives_n: stays.length - yes.length,
      ddt_n: ddt.length,
      dct_n: dct.length,
      ba_positives_n: 5,
      ba_negatives_n: 5,
    } as SqlRow,
  };
}
