/** Sorts row numbers roughly by float32 values: by sign, exponent and the first 7 bits behind the point. */
import { sortableBits, sortByDigit } from './radix.js';

/** The upper half of a float32's bits as a number in the order of the floats. NaN is not expected. */
export const roughKey = (bits: number): number => sortableBits(bits) >>> 16;

/** Sorts order[from, to) by `keys[order[i]]` in at most two passes; stable. `spare` is as long as `order`. */
export function sortByKeys(
  order: Int32Array,
  from: number,
  to: number,
  keys: Uint16Array,
  spare: Int32Array,
): void {
  let [source, target] = [order, spare];
  for (const shift of [0, 8]) {
    const pass = { keys, from, to, shift, bits: 8 };
    if (sortByDigit(pass, source, target)) [source, target] = [target, source];
  }
  if (source !== order) order.set(source.subarray(from, to), from);
}
