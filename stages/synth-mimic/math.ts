/**
 * Elementary functions from + - * / alone. Math.exp, Math.log and friends may differ in the last digit between
 * engines; these give the same bits wherever IEEE 754 doubles are used.
 */

const LN2_HI = 0.6931471803691238;
const LN2_LO = 1.9082149292705877e-10;

/** 2^n for whole n between -1074 and 1023. */
function power2(n: number): number {
  const base = n < 0 ? 0.5 : 2;
  let result = 1;
  for (let i = n < 0 ? -n : n; i > 0; i--) result *= base;
  return result;
}

/** e^x: the argument is cut to |r| <= ln(2)/2, then a Taylor sum of 14 terms. */
export function exp(x: number): number {
  if (x > 709) return Number.POSITIVE_INFINITY;
  if (x < -745) return 0;
  const k = Math.floor(x / (LN2_HI + LN2_LO) + 0.5);
  const r = x - k * LN2_HI - k * LN2_LO;
  let sum = 1;
  for (let n = 14; n >= 1; n--) sum = 1 + (r / n) * sum;
  return sum * power2(k);
}

/** Natural logarithm of a positive number: mantissa in [0.7, 1.4), then the series of artanh. */
export function ln(x: number): number {
  let m = x;
  let k = 0;
  while (m >= Math.SQRT2) {
    m /= 2;
    k++;
  }
  while (m < Math.SQRT1_2) {
    m *= 2;
    k--;
  }
  const z = (m - 1) / (m + 1);
  const z2 = z * z;
  let sum = 0;
  for (let n = 23; n >= 1; n -= 2) sum = sum * z2 + 1 / n;
  return 2 * z * sum + k * LN2_HI + k * LN2_LO;
}

/** Square root by Newton's method, started from a power of two. */
export function sqrt(x: number): number {
  if (x <= 0) return 0;
  let guess = 1;
  while (guess * guess > 4 * x) guess /= 2;
  while (guess * guess * 4 < x) guess *= 2;
  for (let i = 0; i < 7; i++) guess = (guess + x / guess) / 2;
  return guess;
}

/** 1 / (1 + e^-x). */
export function logistic(x: number): number {
  return 1 / (1 + exp(-x));
}

// Coefficients of Acklam's rational approximation of the inverse normal distribution (relative error 1.2e-9).
const A = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716,
  2.506628277459239,
];
const B = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572];
const C = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const D = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416];

const horner = (coefficients: readonly number[], x: number): number => {
  let sum = 0;
  for (const c of coefficients) sum = sum * x + c;
  return sum;
};

/** The standard normal deviate below which a share `p` (0 < p < 1) lies. */
export function probit(p: number): number {
  if (p < 0.02425) return lowerTail(p);
  if (p > 0.97575) return -lowerTail(1 - p);
  const q = p - 0.5;
  const r = q * q;
  return (horner(A, r) * q) / (horner(B, r) * r + 1);
}

function lowerTail(p: number): number {
  const q = sqrt(-2 * ln(p));
  return horner(C, q) / (horner(D, q) * q + 1);
}

/** Rounds half up to `decimals` places; the quotient is the double nearest to the decimal. */
export function round(x: number, decimals: number): number {
  let scale = 1;
  for (let i = 0; i < decimals; i++) scale *= 10;
  return Math.floor(x * scale + 0.5) / scale;
}

/** `x` moved into [low, high]. */
export function clamp(x: number, low: number, high: number): number {
  return x < low ? low : Math.min(x, high);
}
