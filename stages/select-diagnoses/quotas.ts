/** How M places are shared among categories: by the square root of their labels, with a minimum, largest remainder. */

/** A category and the number of its labels that passed every filter. */
export interface CategorySize {
  readonly category: number;
  readonly labels_n: number;
}

interface Share {
  readonly category: number;
  readonly weight: number;
  readonly lower: number;
  readonly upper: number;
  /** Places once the category is settled; -1 while it still shares in proportion. */
  fixed: number;
}

/** Places per category; they sum to `places`, or to all labels when there are fewer. */
export function shareQuotas(
  sizes: readonly CategorySize[],
  places: number,
  minimum: number,
): Map<number, number> {
  const shares = sizes
    .filter((s) => s.labels_n > 0)
    .map((s) => ({
      category: s.category,
      weight: Math.sqrt(s.labels_n),
      lower: Math.min(minimum, s.labels_n),
      upper: s.labels_n,
      fixed: -1,
    }))
    .sort((a, b) => a.category - b.category);
  const available = sum(shares.map((s) => s.upper));
  if (available <= places) return new Map(shares.map((s) => [s.category, s.upper]));
  if (sum(shares.map((s) => s.lower)) >= places) return dealMinimum(shares, places);
  settleBounds(shares, places);
  return roundRemainders(shares, places);
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Too few places for every minimum: one each, the largest category first, until they are gone. */
function dealMinimum(shares: readonly Share[], places: number): Map<number, number> {
  const order = [...shares].sort((a, b) => b.upper - a.upper || a.category - b.category);
  const quotas = new Map(shares.map((s) => [s.category, 0]));
  for (let left = places; left > 0; ) {
    for (const s of order) {
      const got = quotas.get(s.category)!;
      if (left > 0 && got < s.lower) {
        quotas.set(s.category, got + 1);
        left--;
      }
    }
  }
  return quotas;
}

/**
 * Fixes categories whose proportional share lies outside their bounds, until none does. Each round fixes the
 * side (too low or too high) whose bounds move more places, as the other side may fit once those are spent.
 */
function settleBounds(shares: readonly Share[], places: number): void {
  for (;;) {
    const ideal = proportional(shares, places);
    const low = ideal.filter((i) => i.share < i.of.lower);
    const high = ideal.filter((i) => i.share > i.of.upper);
    if (low.length + high.length === 0) return;
    const lacking = sum(low.map((i) => i.of.lower - i.share));
    const excess = sum(high.map((i) => i.share - i.of.upper));
    if (lacking >= excess) for (const i of low) i.of.fixed = i.of.lower;
    if (excess >= lacking) for (const i of high) i.of.fixed = i.of.upper;
  }
}

function proportional(shares: readonly Share[], places: number): { of: Share; share: number }[] {
  const open = shares.filter((s) => s.fixed < 0);
  const left = places - sum(shares.filter((s) => s.fixed >= 0).map((s) => s.fixed));
  const weight = sum(open.map((s) => s.weight));
  return open.map((of) => ({ of, share: (left * of.weight) / weight }));
}

/** Whole places first, then one each by largest remainder; equal remainders go to the smaller category number. */
function roundRemainders(shares: readonly Share[], places: number): Map<number, number> {
  const quotas = new Map(shares.map((s) => [s.category, Math.max(s.fixed, 0)]));
  const ideal = proportional(shares, places);
  for (const i of ideal) quotas.set(i.of.category, Math.floor(i.share));
  const left = places - sum([...quotas.values()]);
  const byRemainder = ideal
    .filter((i) => quotas.get(i.of.category)! < i.of.upper)
    .sort(
      (a, b) =>
        b.share - Math.floor(b.share) - (a.share - Math.floor(a.share)) || a.of.category - b.of.category,
    );
  for (const i of byRemainder.slice(0, left)) quotas.set(i.of.category, Math.floor(i.share) + 1);
  return quotas;
}
