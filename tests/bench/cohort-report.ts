/**
 * The largest case (T6) and how time and memory grow. These run once each, so they are no BenchCase: the whole run by
 * the product for several worker counts, the peers on ten diagnoses, then smaller cohorts.
 */
import type { Metric } from '../../stages/lib/distance.js';
import type { Outcome, Time } from './case.js';
import type { CohortSpec } from './cohort.js';
import { chosenOf, extrapolate, measurePeers, type PeerRun } from './cohort-peer.js';
import type { CohortArgs, CohortResult } from './cohort-product.js';
import { type Setting, settingLabel } from './context.js';
import { looseDifference } from './oracle.js';
import { productSide } from './sides.js';
import type { Row, SideNumbers } from './table.js';

export const FULL: CohortSpec = { stays: 94_000, diagnoses: 200, seed: 1 };
const METRICS: readonly Metric[] = ['euclidean', 'gower'];
const TARGET = { id: 'T6', ratio: 7 };
const PEAK_MB = 1536;
/** The first is compared with the peers; all must give its hashes. */
const SETTINGS: readonly Setting[] = [
  { engine: 'wasm', workers: 2 },
  { engine: 'wasm', workers: 1 },
  { engine: 'wasm', workers: 3 },
  { engine: 'wasm', workers: 7 },
  { engine: 'js', workers: 2 },
];

export interface CohortRun {
  readonly spec: CohortSpec;
  readonly setting: Setting;
  readonly positives: readonly number[];
  readonly times: Outcome['times'];
  readonly peak_mb: number;
  readonly hashes: CohortResult['hashes'];
}

/** One run in a process of its own. */
export async function runCohort(spec: CohortSpec, setting: Setting, sample: readonly number[] = []) {
  const args: CohortArgs = { ...spec, ...setting, metrics: METRICS, sample };
  const side = await productSide('./cohort-product.js', 'rankAndMine', args);
  const { times, peak_mb, result } = await side.run();
  side.close();
  const found = result as CohortResult;
  const { hashes, positives } = found;
  const run: CohortRun = { spec, setting, positives, times, peak_mb: peak_mb!, hashes };
  return { run, found };
}

/** Times of ranking and of mining one metric together, as a build with that distance has them. */
export const timeOf = (times: Outcome['times'], metric: Metric): Time => {
  const parts = ['bin', 'rank', `scale ${metric}`, `mine ${metric}`].map((name) => times[name]!);
  return {
    wall_s: parts.reduce((s, t) => s + t.wall_s, 0),
    cpu_s: parts.reduce((s, t) => s + t.cpu_s, 0),
  };
};

export interface CohortReport {
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
  readonly failure: string | null;
  readonly runs: readonly CohortRun[];
  readonly peers: PeerRun | null;
}

/** The whole cohort by all settings, against the peers. */
export async function cohortReport(spec: CohortSpec, say: (text: string) => void): Promise<CohortReport> {
  const chosen = chosenOf(spec.diagnoses);
  say(`product: ${settingLabel(SETTINGS[0]!)}`);
  const { run: first, found } = await runCohort(spec, SETTINGS[0]!, chosen);
  const runs = [first];
  for (const setting of SETTINGS.slice(1)) {
    say(`product: ${settingLabel(setting)}`);
    runs.push((await runCohort(spec, setting)).run);
  }
  const peers = await measurePeers(spec, found.features, say);
  const failure = differenceOf(runs) ?? (peers && differenceToPeers(found, peers));
  const rows = METRICS.flatMap((metric) => runs.map((run) => rowOf(run, metric, peers, failure)));
  return { rows, notes: notesOf(spec, runs, peers), failure, runs, peers };
}

function differenceOf(runs: readonly CohortRun[]): string | null {
  for (const run of runs) {
    const name = Object.keys(run.hashes).find((h) => run.hashes[h] !== runs[0]!.hashes[h]);
    if (name)
      return `${settingLabel(run.setting)} gives other ${name} than ${settingLabel(runs[0]!.setting)}`;
  }
  return null;
}

function differenceToPeers(found: CohortResult, peers: PeerRun): string | null {
  for (const metric of METRICS) {
    for (const [n, answer] of peers.answers[metric].entries()) {
      const difference = looseDifference(answer, found.sample[metric]![n]!);
      if (difference) return `diagnosis ${n + 1} of the compared ones, ${metric}: scipy's ${difference}`;
    }
  }
  return null;
}

const single = (time: Time, peak_mb: number): SideNumbers => ({
  wall_s: { median: time.wall_s, min: time.wall_s },
  cpu_s: { median: time.cpu_s, min: time.cpu_s },
  peak_mb,
});

function rowOf(run: CohortRun, metric: Metric, peers: PeerRun | null, failure: string | null): Row {
  const time = timeOf(run.times, metric);
  const theirs = peers && extrapolate(peers, run.positives, metric);
  const ratio = theirs && failure === null ? (theirs.rank + theirs.mine) / time.cpu_s : null;
  const isMain = run.setting.engine === 'wasm';
  const cpu_s = theirs ? theirs.rank + theirs.mine : 0;
  return {
    case: `${run.spec.diagnoses} diagnoses x ${run.spec.stays} stays`,
    measure: `rank + ${metric}`,
    product: { label: settingLabel(run.setting), ...single(time, run.peak_mb) },
    peer: theirs
      ? { label: 'sklearn + scipy~', cpu_s: { median: cpu_s, min: cpu_s }, peak_mb: peers.peak_mb }
      : { label: 'sklearn + scipy~' },
    note: failure !== null ? 'FAIL' : peers ? null : 'not installed',
    cpu_ratios: ratio === null ? [] : [ratio],
    wall_ratios: [],
    by: 'cpu',
    target: isMain ? TARGET : null,
    is_met: isMain && ratio !== null ? ratio >= TARGET.ratio : null,
  };
}

function notesOf(spec: CohortSpec, runs: readonly CohortRun[], peers: PeerRun | null): string[] {
  const peak = Math.max(...runs.map((r) => r.peak_mb));
  const hashes = Object.entries(runs[0]!.hashes).map(([name, hash]) => `SHA-256 of ${name}: ${hash}`);
  const pairs = runs[0]!.positives.reduce((sum, n) => sum + n, 0);
  return [
    `${spec.diagnoses} diagnoses with ${pairs} positives in all; one run of each setting, not warmed up`,
    `peak memory over all settings ${peak} MB, T6 at most ${PEAK_MB} MB: ${peak <= PEAK_MB ? 'met' : 'MISSED'}`,
    ...hashes,
    ...(peers
      ? [
          `~ CPU of the peers measured on ${peers.costs.length} diagnoses, interpolated over all sizes by logarithms`,
        ]
      : []),
  ];
}
