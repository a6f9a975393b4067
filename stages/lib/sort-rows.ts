/** Rows of a column in ascending order of their values, by radix sort: three passes instead of n log n comparisons. */
import { sortableBits, sortByDigit } from './radix.js';

/** Bits of the key that one pass looks at. */
const DIGIT = 11;
/** Which 32-bit word of a float64 holds its sign, exponent and the first 20 bits of its fraction. */
const HIGH_WORD = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;

/** Row numbers by value, ascending; -0 before 0. Values must not be NaN. */
export function sortRows(values: Float64Array): Int32Array {
  const keys = highKeys(values);
  let order = new Int32Array(values.length);
  for (let r = 0; r < order.length; r++) order[r] = r;
  let spare = new Int32Array(values.length);
  for (let shift = 0; shift < 32; shift += DIGIT) {
    const pass = { keys, from: 0, to: order.length, shift, bits: DIGIT };
    if (sortByDigit(pass, order, spare)) [order, spare] = [spare, order];
  }
  sortTies(values, keys, order);
  return order;
}

/** Unsigned keys that ascend with the values, as far as their high words tell them apart. */
function highKeys(values: Float64Array): Uint32Array {
  const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  const keys = new Uint32Array(values.length);
  for (let r = 0; r < keys.length; r++) {
    keys[r] = sortableBits(words[2 * r + HIGH_WORD]!);
  }
  return keys;
}

/** Puts rows of equal keys but different values in order; 0 and -0 have different keys. */
function sortTies(values: Float64Array, keys: Uint32Array, order: Int32Array): void {
  let start = 0;
  let isEven = true;
  for (let i = 1; i <= order.length; i++) {
    if (i < order.length && keys[order[i]!] === keys[order[i - 1]!]) {
      isEven &&= values[order[i]!] === values[order[i - 1]!];
      continue;
    }
    if (!isEven) order.subarray(start, i).sort((a, b) => values[a]! - values[b]!);
    start = i;
    isEven = true;
  }
}
