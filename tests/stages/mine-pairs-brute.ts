/** Pair mining written the obvious way: all pairs in a list, sorted, walked. */
import type { MinedDiagnosis, MiningTask } from '../../stages/lib/mining.js';

interface Pair {
  key: number;
  i: number;
  j: number;
}

/** What `mineDiagnosis` must return, to the bit. */
export function mineByBruteForce(task: MiningTask): MinedDiagnosis {
  const { data, settings, features, positives } = task;
  const k = features.length;
  const observed = (r: number): number =>
    [...features].filter((f) => data.filled[f * data.rows + r] === 0).length;
  const all = Array.from({ length: data.rows }, (_, r) => r);
  const isEligible = (r: number): boolean => observed(r) / k >= settings.min_observed_share;
  const positive = all.filter((r) => positives.includes(r) && isEligible(r));
  const negative = all.filter((r) => !positives.includes(r) && isEligible(r));
  const keyOf = (a: number, b: number): number => {
    let key = 0;
    for (const f of features) {
      const d = data.scaled[f * data.rows + a]! - data.scaled[f * data.rows + b]!;
      key += settings.metric === 'gower' ? Math.abs(d) : d * d;
    }
    return key;
  };
  const distance = (key: number): number => (settings.metric === 'gower' ? key / k : Math.sqrt(key));
  const pairsOf = (as: number[], bs: number[], within: boolean): Pair[] =>
    as.flatMap((i) =>
      bs
        .filter((j) => data.patient[i] !== data.patient[j] && (!within || i < j))
        .map((j) => ({ key: keyOf(i, j), i, j })),
    );
  const positivePairs = pairsOf(positive, positive, true);
  const sorted = positivePairs.map((p) => distance(p.key)).sort((a, b) => a - b);
  const theta = numpyPercentile(sorted, settings.theta_quantile);
  const phi = numpyPercentile(sorted, settings.phi_quantile);
  const choose = (candidates: Pair[], direction: 1 | -1): Pair[] => {
    candidates.sort((a, b) => direction * (a.key - b.key) || a.i - b.i || a.j - b.j);
    const uses: Record<number, number> = {};
    const taken: Pair[] = [];
    for (const p of candidates) {
      const a = data.patient[p.i]!;
      const b = data.patient[p.j]!;
      const limit = settings.cap === 'none' ? Number.POSITIVE_INFINITY : settings.cap;
      if (taken.length === settings.top_m || (uses[a] ?? 0) >= limit || (uses[b] ?? 0) >= limit) continue;
      taken.push(p);
      uses[a] = (uses[a] ?? 0) + 1;
      uses[b] = (uses[b] ?? 0) + 1;
    }
    return taken;
  };
  const pairs: MinedDiagnosis['pairs'][number][] = [];
  for (let split = 0; split < data.splitsN; split++) {
    const inSplit = (rows: number[]): number[] => rows.filter((r) => data.split[r] === split);
    const near = pairsOf(inSplit(positive), inSplit(negative), false).filter(
      (p) => !settings.apply_thresholds || (theta !== null && distance(p.key) < theta),
    );
    const far = pairsOf(inSplit(positive), inSplit(positive), true).filter(
      (p) => !settings.apply_thresholds || (phi !== null && distance(p.key) > phi),
    );
    for (const [name, list] of [
      ['ddt', choose(near, 1)],
      ['dct', choose(far, -1)],
    ] as const) {
      list.forEach((p, n) => {
        pairs.push({ task: name, split, rank: n + 1, i: p.i, j: p.j, distance: distance(p.key) });
      });
    }
  }
  return {
    theta,
    phi,
    positive_pairs_n: positivePairs.length,
    eligible_positives_n: positive.length,
    eligible_negatives_n: negative.length,
    ineligible_positives_n: positives.length - positive.length,
    ineligible_negatives_n: data.rows - positives.length - negative.length,
    pairs,
  };
}

/** numpy.percentile, method 'linear', of ascending values. */
export function numpyPercentile(sorted: readonly number[], q: number): number | null {
  if (sorted.length === 0) return null;
  const h = (sorted.length - 1) * q;
  const a = sorted[Math.floor(h)]!;
  const b = sorted[Math.min(Math.floor(h) + 1, sorted.length - 1)]!;
  const t = h - Math.floor(h);
  return t >= 0.5 ? b - (b - a) * (1 - t) : a + (b - a) * t;
}
