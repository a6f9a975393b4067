/** A small build for stamp-release: twelve stays, two diagnoses, two DDT and two DCT pairs each. */

import { readFileSync } from 'node:fs';
import { diagnoses, FEATURE_IDS, thresholds } from '../../schemas/supmimic.js';
import type { SqlRow } from '../../stages/contract.js';
import { randomStream } from '../../stages/lib/random.js';
import { parseRegistry, REGISTRY_FILE } from '../../stages/lib/registry.js';
import { complete } from './complete.js';

const registry = parseRegistry(readFileSync(REGISTRY_FILE, 'utf8'));
const STAYS = Array.from({ length: 12 }, (_, i) => 30_000_001 + i * 7);
const DX = ['J18', 'N17'];
/** The first half of the stays has J18, every second one N17. */
const has = (dx: string, stay: number): boolean =>
  dx === 'J18' ? STAYS.indexOf(stay) < 6 : STAYS.indexOf(stay) % 2 === 0;

const subject = (stay: number): number => 10_000_000 + STAYS.indexOf(stay) * 3;
const hadm = (stay: number): number => 20_000_000 + STAYS.indexOf(stay) * 5;

function featureRow(stay: number): SqlRow {
  const stream = randomStream(7, stay);
  const row: SqlRow = { stay_id: stay };
  for (const f of registry) {
    const u = stream.float();
    const low = f.plausible_low ?? 0;
    const value = low + u * ((f.plausible_high ?? 100) - low);
    const is_whole = f.scale !== 'continuous' || f.unit === 'count';
    row[f.feature_id] = stream.float() < 0.3 ? null : is_whole ? Math.round(value) : value;
  }
  return row;
}

const pairsOf = (dx_code: string): SqlRow[] => {
  const yes = STAYS.filter((s) => has(dx_code, s));
  const no = STAYS.filter((s) => !has(dx_code, s));
  const row = (task: string, pair_rank: number, stay_i: number, stay_j: number): SqlRow => ({
    dx_code,
    task,
    split: 'test',
    pair_rank,
    stay_i,
    stay_j,
    distance: 0.0123456789 * pair_rank + (task === 'dct' ? 0.5 : 0),
  });
  return [
    row('ddt', 1, yes[0]!, no[0]!),
    row('ddt', 2, yes[5]!, no[1]!),
    row('dct', 1, yes[1]!, yes[2]!),
    row('dct', 2, yes[3]!, yes[4]!),
  ];
};

/** Fresh inputs; a test may change them before the run. */
export function stampInputs(): Record<string, SqlRow[]> {
  return {
    cohort: STAYS.map((stay_id) => ({
      stay_id,
      subject_id: subject(stay_id),
      hadm_id: hadm(stay_id),
      admittime: '2150-01-01 00:00:00',
      dischtime: null,
      intime: '2150-01-01 08:00:30',
      outtime: '2150-01-04 08:00:00',
      t0: '2150-01-01 08:00:00',
      hours_observed: 24,
    })),
    features: STAYS.map(featureRow),
    diagnoses: complete(diagnoses, [
      { dx_code: 'J18', title: 'Pneumonia, unspecified organism', is_selected: true },
      { dx_code: 'N17', title: 'Acute kidney failure', is_selected: true },
      { dx_code: 'I10', title: 'Hypertension', is_selected: false, status: 'too_frequent' },
    ]),
    ranks: DX.flatMap((dx_code, d) =>
      FEATURE_IDS.slice(d * 20, d * 20 + 50).map((feature_id, i) => ({
        dx_code,
        rank: i + 1,
        feature_id,
        importance: 1 / (i + 1),
      })),
    ),
    thresholds: complete(
      thresholds,
      DX.map((dx_code) => ({ dx_code, k: 20, theta: 0.1234567891, phi: 0.4567891234 })),
    ),
    pairs: DX.flatMap(pairsOf),
    baseline: DX.flatMap((dx_code) =>
      [
        ...STAYS.filter((s) => has(dx_code, s))
          .slice(2, 4)
          .map((stay_id) => ({ stay_id, label: 1 })),
        ...STAYS.filter((s) => !has(dx_code, s))
          .slice(2, 4)
          .map((stay_id) => ({ stay_id, label: 0 })),
      ].map((r) => ({ ...r, dx_code, split: 'test' })),
    ),
    label_rows: STAYS.flatMap((stay_id) =>
      DX.filter((dx) => has(dx, stay_id)).map((dx_code, i) => ({
        stay_id,
        hadm_id: hadm(stay_id),
        seq_num: i + 1,
        icd_code: dx_code === 'J18' ? 'J189' : 'N179',
        icd_version: 10,
        dx_code,
      })),
    ),
    splits: STAYS.map((s) => ({ subject_id: subject(s), split: 'test' })),
  };
}
