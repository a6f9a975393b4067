/** Sorts row numbers by float32 values: three counting passes of 11 bits over the bit patterns. */

const DIGIT = 2048;
const counts = new Int32Array(DIGIT);

/** The bits of a float32 as an unsigned number in the same order as the floats; NaN is not expected. */
export const sortableBits = (bits: number): number => (bits ^ ((bits >> 31) | 0x80000000)) >>> 0;

/** Sorts order[from, to) by `keys[order[i]]`; stable. `spare` is as long as `order`. */
export function sortByKeys(
  order: Int32Array,
  from: number,
  to: number,
  keys: Uint32Array,
  spare: Int32Array,
): void {
  let source = order;
  let target = spare;
  for (let shift = 0; shift < 33; shift += 11) {
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
      target[counts[digit]!] = row;
      counts[digit] = counts[digit]! + 1;
    }
    [source, target] = [target, source];
  }
  // After three passes the result stands in `spare`.
  order.set(spare.subarray(from, to), from);
}
