/** Recomputes eligibility, theta, phi, every distance and the whole selection of pairs, diagnosis by diagnosis. */
import { drawBaseline } from '../../../stages/lib/baseline.js';
import { randomStream } from '../../../stages/lib/random.js';
import type { MinePairsConfig } from '../../../stages/mine-pairs/config.js';
import { Check, type CheckResult } from '../../engine/verify-release.js';
import type { OpenRelease } from './open.js';
import { type Candidate, distanceOf, keyOf, quantileOfSorted } from './plain-math.js';

interface Range {
  readonly lo: number;
  readonly hi: number;
  readonly mean: number;
  readonly sd: number;
}

/** One diagnosis, with the scaled F_k values of every stay. */
interface Anchor {
  readonly dx_code: string;
  readonly k: number;
  readonly vectors: readonly Float64Array[];
  readonly is_positive: readonly boolean[];
  readonly is_eligible: readonly boolean[];
}

interface Checks {
  readonly eligibility: Check;
  readonly thresholds: Check;
  readonly pairs: Check;
  readonly baseline: Check;
}

/** All four checks in one walk over the diagnoses. */
export async function checkMining(
  r: OpenRelease,
  onDone: (done: number, total: number) => void,
): Promise<CheckResult[]> {
  const config = r.config<MinePairsConfig>('mine-pairs');
  const checks: Checks = {
    eligibility: new Check('eligibility follows from what was observed of F_k'),
    thresholds: new Check('theta and phi are the stated percentiles of all eligible positive pairs'),
    pairs: new Check('every pair is the next best one, none is missing'),
    baseline: new Check('BA holds the seeded draw, each patient once per diagnosis'),
  };
  const ranges = new Map(
    (await r.session.rows<Range & { feature_id: string }>('select * from ranges')).map((x) => [
      x.feature_id,
      x,
    ]),
  );
  const codes = await r.session.rows<{ dx_code: string }>(
    'select dx_code from diagnoses where is_selected order by dx_code',
  );
  for (const [done, { dx_code }] of codes.entries()) {
    const anchor = await openAnchor(r, config, dx_code, ranges);
    await checkEligibility(r, anchor, checks.eligibility);
    const limits = await checkThresholds(r, config, anchor, checks.thresholds);
    for (const split of new Set(r.stays.map((s) => s.split))) {
      await checkPairs(r, config, anchor, split, limits, checks.pairs);
      await checkBaseline(r, config, anchor, split, checks.baseline);
    }
    onDone(done + 1, codes.length);
  }
  return Object.values(checks).map((c) => c.result());
}

async function openAnchor(
  r: OpenRelease,
  config: MinePairsConfig,
  dx_code: string,
  ranges: ReadonlyMap<string, Range>,
): Promise<Anchor> {
  const f_k = (
    await r.session.rows<{ feature_id: string }>(
      'select feature_id from ranks where dx_code = $dx_code and rank <= (select k from thresholds where dx_code = $dx_code) order by rank',
      { dx_code },
    )
  ).map((x) => x.feature_id);
  const positives = await r.session.rows<{ stay_id: number }>(
    'select stay_id from labels where dx_code = $dx_code',
    { dx_code },
  );
  const has = new Set(positives.map((p) => p.stay_id));
  const scaled = f_k.map((id) => r.imputed.get(id)!.map((x) => scale(config, x, ranges.get(id)!)));
  const observed = r.stays.map((_, i) => f_k.filter((id) => r.flags.get(id)![i] === 0).length);
  return {
    dx_code,
    k: f_k.length,
    vectors: r.stays.map((_, i) => Float64Array.from(scaled, (column) => column[i]!)),
    is_positive: r.stays.map((s) => has.has(s.stay_id)),
    is_eligible: observed.map((n) => n / f_k.length >= config.min_observed_share),
  };
}

function scale(config: MinePairsConfig, x: number, range: Range): number {
  if (config.distance === 'gower') {
    if (range.hi <= range.lo) return 0;
    return (Math.min(range.hi, Math.max(range.lo, x)) - range.lo) / (range.hi - range.lo);
  }
  const z = (x - range.mean) / range.sd;
  return config.z_clip === null ? z : Math.max(-config.z_clip, Math.min(config.z_clip, z));
}

async function checkEligibility(r: OpenRelease, anchor: Anchor, check: Check): Promise<void> {
  const rows = await r.session.rows<{ stay_id: number; is_eligible: boolean }>(
    'select stay_id, is_eligible from eligibility where dx_code = $dx_code order by stay_id',
    { dx_code: anchor.dx_code },
  );
  check.expect(
    rows.length === r.stays.length,
    () => `${anchor.dx_code}: ${rows.length} stays, expected ${r.stays.length}`,
  );
  for (const { stay_id, is_eligible } of rows) {
    const expected = anchor.is_eligible[r.rowOf.get(stay_id)!];
    check.expect(
      is_eligible === expected,
      () => `${anchor.dx_code}, stay ${stay_id}: ${is_eligible}, expected ${expected}`,
    );
  }
}

interface Limits {
  readonly theta: number | null;
  readonly phi: number | null;
}

async function checkThresholds(
  r: OpenRelease,
  config: MinePairsConfig,
  anchor: Anchor,
  check: Check,
): Promise<Limits> {
  const rows = eligibleRows(anchor, true);
  const all = new Float64Array((rows.length * (rows.length - 1)) / 2);
  let n = 0;
  for (const [a, i] of rows.entries()) {
    for (let b = a + 1; b < rows.length; b++) {
      const j = rows[b]!;
      if (r.stays[i]!.subject_id === r.stays[j]!.subject_id) continue;
      all[n++] = distanceOf(
        config.distance,
        keyOf(config.distance, anchor.vectors[i]!, anchor.vectors[j]!),
        anchor.k,
      );
    }
  }
  const distances = all.subarray(0, n).sort();
  const at = (percentile: number): number | null =>
    n === 0 ? null : quantileOfSorted(distances, percentile / 100);
  const limits = { theta: at(config.theta_percentile), phi: at(config.phi_percentile) };
  const [given] = await r.session.rows<Limits & { positive_pairs_n: number }>(
    'select theta, phi, positive_pairs_n from thresholds where dx_code = $dx_code',
    { dx_code: anchor.dx_code },
  );
  for (const name of ['theta', 'phi'] as const) {
    check.expect(
      given?.[name] === limits[name],
      () => `${anchor.dx_code}: ${name} ${given?.[name]}, expected ${limits[name]}`,
    );
  }
  check.expect(
    given?.positive_pairs_n === distances.length,
    () => `${anchor.dx_code}: ${given?.positive_pairs_n} pairs, expected ${distances.length}`,
  );
  return limits;
}

function eligibleRows(anchor: Anchor, is_positive: boolean): number[] {
  return [...anchor.vectors.keys()].filter(
    (i) => anchor.is_eligible[i] && anchor.is_positive[i] === is_positive,
  );
}

async function checkPairs(
  r: OpenRelease,
  config: MinePairsConfig,
  anchor: Anchor,
  split: string,
  limits: Limits,
  check: Check,
): Promise<void> {
  const inSplit = (i: number): boolean => r.stays[i]!.split === split;
  const positives = eligibleRows(anchor, true).filter(inSplit);
  const negatives = eligibleRows(anchor, false).filter(inSplit);
  for (const task of ['ddt', 'dct'] as const) {
    const expected = select(r, config, anchor, task, positives, negatives, limits);
    const given = await r.session.rows<{
      stay_i: number;
      stay_j: number;
      distance: number;
      pair_rank: number;
    }>(
      'select stay_i, stay_j, distance, pair_rank from pairs where dx_code = $dx_code and task = $task and split = $split order by pair_rank',
      { dx_code: anchor.dx_code, task, split },
    );
    const where = `${anchor.dx_code} ${task} ${split}`;
    check.expect(
      given.length === expected.length,
      () => `${where}: ${given.length} pairs, expected ${expected.length}`,
    );
    given.forEach((g, n) => {
      const e = expected[n];
      const is_right =
        e !== undefined &&
        g.pair_rank === n + 1 &&
        g.stay_i === r.stays[e.i]!.stay_id &&
        g.stay_j === r.stays[e.j]!.stay_id &&
        g.distance === distanceOf(config.distance, e.key, anchor.k);
      check.expect(is_right, () => `${where}: pair ${n + 1} (${g.stay_i}, ${g.stay_j}) is not the next best`);
    });
  }
}

/** How many of the best pairs are held at first; more when the cap uses them up. */
const HELD = 100_000;

/** Pairs that pass the threshold, in order, taken one after the other while both patients are below the cap. */
function select(
  r: OpenRelease,
  config: MinePairsConfig,
  anchor: Anchor,
  task: 'ddt' | 'dct',
  positives: readonly number[],
  negatives: readonly number[],
  limits: Limits,
): Candidate[] {
  for (let held = HELD; ; held *= 8) {
    const best = bestPairs(r, config, anchor, task, positives, negatives, limits, held);
    const taken = takeBelowCap(r, config, best);
    if (taken.length === config.top_m || best.length < held) return taken;
  }
}

/** The first `held` pairs in order (all of them when there are fewer). */
function bestPairs(
  r: OpenRelease,
  config: MinePairsConfig,
  anchor: Anchor,
  task: 'ddt' | 'dct',
  positives: readonly number[],
  negatives: readonly number[],
  limits: Limits,
  held: number,
): Candidate[] {
  const sign = task === 'ddt' ? 1 : -1;
  const inOrder = (x: Candidate, y: Candidate): number => sign * (x.key - y.key) || x.i - y.i || x.j - y.j;
  let best: Candidate[] = [];
  let worst = sign * Number.POSITIVE_INFINITY;
  positives.forEach((i, a) => {
    for (const j of task === 'ddt' ? negatives : positives.slice(a + 1)) {
      if (r.stays[i]!.subject_id === r.stays[j]!.subject_id) continue;
      const key = keyOf(config.distance, anchor.vectors[i]!, anchor.vectors[j]!);
      if (sign * key > sign * worst) continue;
      if (config.apply_thresholds && !passes(task, distanceOf(config.distance, key, anchor.k), limits))
        continue;
      best.push({ key, i, j });
      if (best.length < 2 * held) continue;
      best = best.sort(inOrder).slice(0, held);
      worst = best[held - 1]!.key;
    }
  });
  return best.sort(inOrder).slice(0, held);
}

function takeBelowCap(r: OpenRelease, config: MinePairsConfig, inOrder: readonly Candidate[]): Candidate[] {
  const uses = new Map<number, number>();
  const taken: Candidate[] = [];
  for (const pair of inOrder) {
    if (taken.length === config.top_m) break;
    const patients = [r.stays[pair.i]!.subject_id, r.stays[pair.j]!.subject_id];
    const cap = config.cap_per_patient;
    if (cap !== 'none' && patients.some((p) => (uses.get(p) ?? 0) >= cap)) continue;
    taken.push(pair);
    for (const p of patients) uses.set(p, (uses.get(p) ?? 0) + 1);
  }
  return taken;
}

function passes(task: 'ddt' | 'dct', d: number, { theta, phi }: Limits): boolean {
  return task === 'ddt' ? theta !== null && d < theta : phi !== null && d > phi;
}

async function checkBaseline(
  r: OpenRelease,
  config: MinePairsConfig,
  anchor: Anchor,
  split: string,
  check: Check,
): Promise<void> {
  const { dx_code } = anchor;
  const rows = [...r.stays.keys()].filter((i) => r.stays[i]!.split === split);
  const drawn = drawBaseline({
    positives: rows.filter((i) => anchor.is_positive[i]),
    negatives: config.ba_classes === 'both' ? rows.filter((i) => !anchor.is_positive[i]) : [],
    perClass: config.ba_per_class,
    patient: Int32Array.from(r.stays, (s) => s.subject_id),
    random: randomStream(r.manifest.seed, 'mine-pairs', `ba.${dx_code}.${split}`),
  });
  const expected = [
    ...drawn.positives.map((i) => `${r.stays[i]!.stay_id} 1`),
    ...drawn.negatives.map((i) => `${r.stays[i]!.stay_id} 0`),
  ].sort();
  const given = await r.session.rows<{ stay_id: number; label: number }>(
    'select stay_id, label from baseline where dx_code = $dx_code and split = $split',
    { dx_code, split },
  );
  const found = given.map((g) => `${g.stay_id} ${g.label}`).sort();
  check.expect(
    found.join() === expected.join(),
    () => `${dx_code} ${split}: not the draw that the seed gives`,
  );
  const patients = given.map((g) => r.stays[r.rowOf.get(g.stay_id)!]!.subject_id);
  check.expect(
    new Set(patients).size === patients.length,
    () => `${dx_code} ${split}: a patient stands twice`,
  );
}
