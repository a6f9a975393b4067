/** Masks small counts of people, so that a report on data that are not open tells no single case. */

/** A count, or the words that stand for a small one. */
export type Count = number | string;

export interface Mask {
  readonly is_on: boolean;
  /** Counts below it (but 0) are masked. */
  readonly limit: number;
  count(n: number): Count;
  /** A share whose numerator is small is masked too. */
  share(n: number, of: number): number | null;
  isSmall(n: number): boolean;
}

/** The mask of a report; `is_on` is false for open data. */
export function createMask(is_on: boolean, limit: number): Mask {
  const isSmall = (n: number): boolean => is_on && n > 0 && n < limit;
  return {
    is_on,
    limit,
    isSmall,
    count: (n) => (isSmall(n) ? `1 to ${limit - 1}` : n),
    share: (n, of) => (isSmall(n) || of === 0 ? null : n / of),
  };
}

export interface FlowStep {
  readonly reasons: readonly string[];
  readonly excluded_stays_n: number;
  readonly stays_n: number;
  readonly patients_n: number;
}

/**
 * Joins steps that excluded few stays with their neighbours until every difference between two lines is 0 or at least
 * the limit: masking the small number alone would not hide it, because it is the difference of two totals. The first
 * step is the start and excludes nothing.
 */
export function joinSmallSteps(steps: readonly FlowStep[], mask: Mask): FlowStep[] {
  const out: FlowStep[] = [];
  for (const step of steps) {
    const last = out.at(-1);
    const open = last !== undefined && mask.isSmall(last.excluded_stays_n);
    if (open) out[out.length - 1] = join(last, step);
    else out.push(step);
  }
  while (out.length > 2 && mask.isSmall(out.at(-1)!.excluded_stays_n)) {
    const last = out.pop()!;
    out[out.length - 1] = join(out.at(-1)!, last);
  }
  return out;
}

function join(a: FlowStep, b: FlowStep): FlowStep {
  return {
    reasons: [...a.reasons, ...b.reasons],
    excluded_stays_n: a.excluded_stays_n + b.excluded_stays_n,
    stays_n: b.stays_n,
    patients_n: b.patients_n,
  };
}
