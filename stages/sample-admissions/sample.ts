/** Which of the eligible admissions are taken: a function of seed and ids, never of the order of rows. */
import { hashPoint } from '../lib/hash.js';

/** An admission that may be drawn. */
export interface Eligible {
  readonly hadm_id: number;
  readonly subject_id: number;
  readonly chapter: string;
}

const STAGE = 'sample-admissions';

/** Admissions in the order of their draw; equal draws by hadm_id. */
function byDraw<T extends Eligible>(seed: number, admissions: readonly T[]): T[] {
  return admissions
    .map((a) => ({ a, draw: hashPoint(seed, STAGE, a.hadm_id) }))
    .sort((x, y) => x.draw - y.draw || x.a.hadm_id - y.a.hadm_id)
    .map(({ a }) => a);
}

/** The first drawn admission of every patient. */
export function onePerPatient<T extends Eligible>(seed: number, admissions: readonly T[]): T[] {
  const first = new Map<number, T>();
  for (const a of byDraw(seed, admissions)) if (!first.has(a.subject_id)) first.set(a.subject_id, a);
  return [...first.values()];
}

/** `places` shared in proportion to sizes: whole places, then one each by largest remainder, larger chapters first. */
export function allocate(sizes: ReadonlyMap<string, number>, places: number): Map<string, number> {
  const total = [...sizes.values()].reduce((a, b) => a + b, 0);
  if (places >= total) return new Map(sizes);
  const shares = [...sizes].map(([chapter, size]) => {
    const quota = Math.floor((size * places) / total);
    return { chapter, size, quota, remainder: (size * places) % total };
  });
  const left = places - shares.reduce((sum, s) => sum + s.quota, 0);
  shares.sort((a, b) => b.remainder - a.remainder || b.size - a.size || (a.chapter < b.chapter ? -1 : 1));
  return new Map(shares.map((s, i) => [s.chapter, s.quota + (i < left ? 1 : 0)]));
}

/** At most `places` admissions, stratified by chapter; within a chapter the first drawn. */
export function drawStratified<T extends Eligible>(
  seed: number,
  admissions: readonly T[],
  places: number,
): T[] {
  const sizes = new Map<string, number>();
  for (const { chapter } of admissions) sizes.set(chapter, (sizes.get(chapter) ?? 0) + 1);
  const left = allocate(sizes, places);
  return byDraw(seed, admissions).filter(({ chapter }) => {
    const n = left.get(chapter)!;
    left.set(chapter, n - 1);
    return n > 0;
  });
}
