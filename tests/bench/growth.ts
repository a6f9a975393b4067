/** How time and memory grow with stays and with diagnoses: runs of smaller cohorts and the exponents fitted to them. */
import type { CohortSpec } from './cohort.js';
import { type CohortRun, runCohort, timeOf } from './cohort-report.js';
import type { Setting } from './context.js';

const SETTING: Setting = { engine: 'wasm', workers: 2 };
const STAYS = [10_000, 30_000, 94_000];
const DIAGNOSES = [20, 60, 200];
/** Diagnoses while stays grow. Their frequency is a share of the stays, so positives grow with them. */
const MIDDLE = 60;

/** One measured point of a line. */
export interface GrowthPoint {
  readonly along: 'stays' | 'diagnoses';
  readonly size: number;
  readonly what: (typeof MEASURES)[number];
  /** CPU seconds, or MB. */
  readonly value: number;
}

export interface Growth {
  readonly points: readonly GrowthPoint[];
  /** Slope of the logarithms: 1 is linear, 2 quadratic. */
  readonly exponents: readonly (Pick<GrowthPoint, 'along' | 'what'> & { readonly exponent: number })[];
}

export const MEASURES = ['rank', 'mine euclidean', 'mine gower', 'rank + mine gower', 'peak MB'] as const;

/** Runs what `known` does not hold already. */
export async function measureGrowth(
  known: readonly CohortRun[],
  say: (text: string) => void,
): Promise<Growth> {
  const runs = [...known.filter((r) => r.setting.engine === 'wasm' && r.setting.workers === SETTING.workers)];
  const get = async (stays: number, diagnoses: number): Promise<CohortRun> => {
    const found = runs.find((r) => r.spec.stays === stays && r.spec.diagnoses === diagnoses);
    if (found) return found;
    say(`growth: ${diagnoses} diagnoses, ${stays} stays`);
    const spec: CohortSpec = { stays, diagnoses, seed: 1 };
    const { run } = await runCohort(spec, SETTING);
    runs.push(run);
    return run;
  };
  const points: GrowthPoint[] = [];
  for (const stays of STAYS) points.push(...pointsOf('stays', stays, await get(stays, MIDDLE)));
  for (const n of DIAGNOSES) points.push(...pointsOf('diagnoses', n, await get(STAYS.at(-1)!, n)));
  return { points, exponents: fitAll(points) };
}

function pointsOf(along: GrowthPoint['along'], size: number, { times, peak_mb }: CohortRun): GrowthPoint[] {
  const values: Record<GrowthPoint['what'], number> = {
    rank: times.bin!.cpu_s + times.rank!.cpu_s,
    'mine euclidean': times['mine euclidean']!.cpu_s,
    'mine gower': times['mine gower']!.cpu_s,
    'rank + mine gower': timeOf(times, 'gower').cpu_s,
    'peak MB': peak_mb,
  };
  return MEASURES.map((what) => ({ along, size, what, value: values[what] }));
}

/** Exponent of a power law by least squares on the logarithms. */
export function fitExponent(points: readonly (readonly [number, number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const mean = (i: 0 | 1): number => logs.reduce((s, p) => s + p[i], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const covariance = logs.reduce((s, [x, y]) => s + (x - mx) * (y - my), 0);
  return covariance / logs.reduce((s, [x]) => s + (x - mx) ** 2, 0);
}

/** The exponents of all lines. */
export function fitAll(points: readonly GrowthPoint[]): Growth['exponents'] {
  return (['stays', 'diagnoses'] as const).flatMap((along) =>
    MEASURES.map((what) => {
      const own = points.filter((p) => p.along === along && p.what === what);
      return { along, what, exponent: fitExponent(own.map((p) => [p.size, p.value] as const)) };
    }),
  );
}

/** One sentence per direction. */
export function describeGrowth({ exponents }: Growth): string[] {
  return (['stays', 'diagnoses'] as const).map((along) => {
    const own = exponents.filter((e) => e.along === along);
    const list = own.map((e) => `${e.what} ${e.exponent.toFixed(2)}`).join(', ');
    const fixed = along === 'stays' ? `${MIDDLE} diagnoses` : `${STAYS.at(-1)} stays`;
    return `exponent by ${along} (${fixed}, CPU time and memory): ${list}`;
  });
}
