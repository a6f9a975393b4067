/**
 * What scikit-learn and scipy need for the same 200 diagnoses: measured on ten of them, spread over all sizes, and
 * interpolated between those by the logarithms of size and time. All of it would take them half an hour and more.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Metric } from '../../stages/lib/distance.js';
import type { PairAnswer } from '../stages/pair-cases.js';
import { isPythonHere, PYTHON } from '../support/python.js';
import { COHORT_M, COHORT_TREES } from './cohort-product.js';
import { BENCH_DIR } from './files.js';
import { peerEnvironment } from './python.js';
import { productSide, runCommand } from './sides.js';

export const PEERS_N = 10;

/** Numbers of the measured diagnoses among `n`, most frequent first. */
export const chosenOf = (n: number): number[] =>
  Array.from({ length: Math.min(PEERS_N, n) }, (_, i) =>
    Math.round((i * (n - 1)) / Math.max(1, Math.min(PEERS_N, n) - 1)),
  );

/** CPU seconds of one diagnosis. `ddt` is by the faster peer of the metric: scikit-learn's brute force, scipy's cdist. */
export interface PeerCosts {
  readonly positives: number;
  readonly rank: number;
  readonly within: Readonly<Record<Metric, number>>;
  readonly ddt: Readonly<Record<Metric, number>>;
}

export interface PeerRun {
  readonly costs: readonly PeerCosts[];
  readonly peak_mb: number;
  /** Thresholds and pairs of each measured diagnosis, to compare with the product's. */
  readonly answers: Readonly<Record<Metric, readonly PairAnswer[]>>;
}

export interface ExportArgs {
  readonly spec: { readonly stays: number; readonly diagnoses: number; readonly seed: number };
  readonly dir: string;
  readonly chosen: readonly number[];
  /** F_k of each chosen diagnosis, as the product ranked it. */
  readonly features: readonly (readonly number[])[];
}

/** Runs the peers on the chosen diagnoses, one thread each; null without Python. */
export async function measurePeers(
  spec: ExportArgs['spec'],
  features: readonly (readonly number[])[],
  say: (text: string) => void,
): Promise<PeerRun | null> {
  if (!isPythonHere()) return null;
  const dir = join(BENCH_DIR, 'data', 'cohort');
  const chosen = chosenOf(features.length);
  const args: ExportArgs = { spec, dir, chosen, features: chosen.map((d) => features[d]!) };
  const side = await productSide('./cohort-export.js', 'exportCohort', args);
  const sizes = (await side.run()).result as number[];
  side.close();
  const costs: PeerCosts[] = [];
  const answers: Record<Metric, PairAnswer[]> = { euclidean: [], gower: [] };
  let peak_mb = 0;
  for (const [n, positives] of sizes.entries()) {
    say(`peers: ${positives} positives`);
    const rank = await runRank(join(dir, `rf-${n}`));
    const euclidean = await runPairs(join(dir, `euclidean-${n}`), 'euclidean', ['scipy', 'sklearn-brute']);
    const gower = await runPairs(join(dir, `gower-${n}`), 'gower', ['scipy']);
    answers.euclidean.push(euclidean.answer);
    answers.gower.push(gower.answer);
    costs.push({
      positives,
      rank: rank.cpu_s,
      within: { euclidean: euclidean.within, gower: gower.within },
      ddt: { euclidean: euclidean.ddt, gower: gower.ddt },
    });
    peak_mb = Math.max(peak_mb, rank.peak_mb, euclidean.peak_mb, gower.peak_mb);
  }
  rmSync(dir, { recursive: true, force: true });
  return { costs, peak_mb, answers };
}

interface RankPrinted {
  readonly runs: readonly { readonly cpu_s: number }[];
  readonly env: { readonly peak_rss_mb: number };
}

async function runRank(dir: string): Promise<{ cpu_s: number; peak_mb: number }> {
  const args = [
    'tests/oracles/ref_rf.py',
    dir,
    '--trees',
    String(COHORT_TREES),
    '--seeds',
    '1',
    '--jobs',
    '1',
  ];
  const { stdout } = await runCommand(PYTHON, args, peerEnvironment(1));
  const { runs, env } = JSON.parse(stdout) as RankPrinted;
  return { cpu_s: runs[0]!.cpu_s, peak_mb: env.peak_rss_mb };
}

interface PairsPrinted {
  readonly timings_s: Record<string, Record<string, { cpu: number }>>;
  readonly results: Record<string, PairAnswer>;
  readonly env: { readonly peak_rss_mb: number };
}

async function runPairs(dir: string, metric: Metric, methods: readonly string[]) {
  const options = [
    '--metric',
    metric,
    '--m',
    String(COHORT_M),
    '--methods',
    methods.join(','),
    '--jobs',
    '1',
  ];
  const { stdout } = await runCommand(
    PYTHON,
    ['tests/oracles/ref_pairs.py', dir, ...options],
    peerEnvironment(1),
  );
  const { timings_s, results, env } = JSON.parse(stdout) as PairsPrinted;
  const { within_distances, select, dct } = timings_s.scipy!;
  return {
    within: within_distances!.cpu + select!.cpu + dct!.cpu,
    ddt: timings_s[methods.at(-1)!]!.ddt!.cpu,
    answer: results.scipy!,
    peak_mb: env.peak_rss_mb,
  };
}

const meanOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** Seconds at size `x` from measured (size, seconds), straight lines between logarithms, extended at both ends. */
export function interpolate(points: readonly (readonly [number, number])[], x: number): number {
  const logs = [...new Set(points.map(([n]) => n))]
    .sort((a, b) => a - b)
    .map((n) => [Math.log(n), Math.log(meanOf(points.filter((p) => p[0] === n).map((p) => p[1])))] as const);
  if (logs.length === 1) return Math.exp(logs[0]![1]);
  let at = logs.findIndex(([n]) => n >= Math.log(x));
  at = Math.min(Math.max(at < 0 ? logs.length - 1 : at, 1), logs.length - 1);
  const [[x0, y0], [x1, y1]] = [logs[at - 1]!, logs[at]!];
  return Math.exp(y0 + ((y1 - y0) * (Math.log(x) - x0)) / (x1 - x0));
}

/** CPU seconds of the peers over all sizes: ranking, and thresholds with pairs of a metric. */
export function extrapolate(
  run: PeerRun,
  sizes: readonly number[],
  metric: Metric,
): { rank: number; mine: number } {
  const total = (cost: (c: PeerCosts) => number): number => {
    const points = run.costs.map((c) => [c.positives, cost(c)] as const);
    return sizes.reduce((sum, n) => sum + interpolate(points, n), 0);
  };
  return { rank: total((c) => c.rank), mine: total((c) => c.within[metric]) + total((c) => c.ddt[metric]) };
}
