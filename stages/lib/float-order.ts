/** Sorts row numbers roughly by float32 values: by sign, exponent and the first 7 bits behind the point. */

const DIGIT = 256;
const counts = new Int32Array(DIGIT);

/** The upper half of a float32's bits as a number in the order of the floats. NaN is not expected. */
export const roughKey = (bits: number): number => ((bits ^ ((bits >> 31) | 0x80000000)) >>> 16) & 0xffff;

/** Sorts order[from, to) by `keys[order[i]]` in two counting passes; stable. `spare` is as long as `order`. */
export function sortByKeys(
  order: Int32Array,
  from: number,
  to: number,
  keys: Uint16Array,
  spare: Int32Array,
): void {
  countingPass(order, spare, from, to, keys, 0);
  countingPass(spare, order, from, to, keys, 8);
}

function countingPass(
  source: Int32Array,
  target: Int32Array,
  from: number,
  to: number,
  keys: Uint16Array,
  shift: number,
): void {
  counts.fill(0);
  for (let i = from; i < to; i++) {
    const digit = (keys[source[i]!]! >>> shift) & (DIGIT - 1);
    counts[digit] = counts[digit]! + 1;
  }
  let start = from;
  for (let d = 0; d < DIGIT; d++) {
    const n = counts[d]!;
    counts[d] = start;
    start += n;
  }
  for (let i = from; i < to; i++) {
    const row = source[i]!;
    const digit = (keys[row]! >>> shift) & (DIGIT - 1);
    const slot = counts[digit]!;
    target[slot] = row;
    counts[digit] = slot + 1;
  }
}
