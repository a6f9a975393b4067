/** Chi-square test of counts against a uniform distribution. */

export interface ChiSquare {
  readonly chi_square: number;
  readonly df: number;
  /** Probability of a statistic at least as large under uniformity; 1 without degrees of freedom. */
  readonly p_value: number;
}

/** Tests whether counts could come from equally likely cells; no counts at all give 0 and p = 1. */
export function uniformity(counts: readonly number[]): ChiSquare {
  const total = counts.reduce((a, b) => a + b, 0);
  const df = Math.max(0, counts.length - 1);
  if (total === 0 || df === 0) return { chi_square: 0, df, p_value: 1 };
  const expected = total / counts.length;
  const chi_square = counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
  return { chi_square, df, p_value: upperTail(chi_square, df) };
}

/**
 * P(X >= x) for a chi-square variable with `df` whole degrees of freedom: Q(1/2, x/2) = erfc(sqrt(x/2)) or
 * Q(1, x/2) = exp(-x/2), then Q(a + 1, h) = Q(a, h) + h^a e^-h / Gamma(a + 1) up to a = df/2.
 */
export function upperTail(x: number, df: number): number {
  if (x <= 0) return 1;
  const h = x / 2;
  const is_odd = df % 2 === 1;
  let a = is_odd ? 0.5 : 1;
  let q = is_odd ? erfc(Math.sqrt(h)) : Math.exp(-h);
  // h^a e^-h / Gamma(a + 1) at the first a: Gamma(3/2) = sqrt(pi)/2, Gamma(2) = 1.
  let term = (is_odd ? Math.sqrt(h) / (Math.sqrt(Math.PI) / 2) : h) * Math.exp(-h);
  while (2 * a < df) {
    q += term;
    a += 1;
    term *= h / a;
  }
  return Math.min(1, q);
}

/** Complementary error function, by its continued fraction or its series; relative error below 1e-13. */
function erfc(z: number): number {
  return z < 2 ? 1 - series(z) : fraction(z);
}

function series(z: number): number {
  let term = z;
  let sum = z;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= (-z * z) / n;
    sum += term / (2 * n + 1);
    if (n > 200) break;
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

function fraction(z: number): number {
  let f = 0;
  for (let n = 120; n >= 1; n--) f = n / 2 / (z + f);
  return Math.exp(-z * z) / Math.sqrt(Math.PI) / (z + f);
}
