/** Rows of a column in ascending order of their values, by radix sort: three passes instead of n log n comparisons. */

/** Bits of the key that one pass looks at. */
const DIGIT = 11;
const BUCKETS = 1 << DIGIT;
/** Which 32-bit word of a float64 holds its sign, exponent and the first 20 bits of its fraction. */
const HIGH_WORD = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;

/** Row numbers by value, ascending; -0 before 0. Values must not be NaN. */
export function sortRows(values: Float64Array): Int32Array {
  const keys = highKeys(values);
  let order = new Int32Array(values.length);
  for (let r = 0; r < order.length; r++) order[r] = r;
  let spare = new Int32Array(values.length);
  for (let shift = 0; shift < 32; shift += DIGIT) {
    if (scatter(keys, shift, order, spare)) [order, spare] = [spare, order];
  }
  sortTies(values, keys, order);
  return order;
}

/** Unsigned keys that ascend with the values, as far as their high words tell them apart. */
function highKeys(values: Float64Array): Uint32Array {
  const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  const keys = new Uint32Array(values.length);
  for (let r = 0; r < keys.length; r++) {
    const high = words[2 * r + HIGH_WORD]!;
    keys[r] = high ^ ((high >> 31) | 0x80000000);
  }
  return keys;
}

/** One stable pass by the digit at `shift`; false, and nothing written, when all rows have the same digit. */
function scatter(keys: Uint32Array, shift: number, from: Int32Array, to: Int32Array): boolean {
  const starts = new Int32Array(BUCKETS + 1);
  for (let r = 0; r < keys.length; r++) starts[((keys[r]! >>> shift) & (BUCKETS - 1)) + 1]!++;
  if (starts.includes(keys.length, 1)) return false;
  for (let b = 0; b < BUCKETS; b++) starts[b + 1] = starts[b + 1]! + starts[b]!;
  for (let i = 0; i < from.length; i++) {
    const digit = (keys[from[i]!]! >>> shift) & (BUCKETS - 1);
    to[starts[digit]!++] = from[i]!;
  }
  return true;
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
