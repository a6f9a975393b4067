/** Counting sort by digits of unsigned keys: the step that the exact and the rough sort of floats are made of. */

/**
 * The bits of a float (or of its upper half) as a signed integer become a number in the order of the floats. -0 comes
 * before 0; NaN is not expected.
 */
export const sortableBits = (bits: number): number => (bits ^ ((bits >> 31) | 0x80000000)) >>> 0;

/** A range of row numbers that is sorted by `keys[row]`. */
export interface Pass {
  readonly keys: Uint16Array | Uint32Array;
  readonly from: number;
  readonly to: number;
  /** Number of the first bit of the digit, and how many bits it has. */
  readonly shift: number;
  readonly bits: number;
}

/**
 * Writes the rows source[from, to) to `target` at the same places, by one digit of their keys; stable. False, and
 * nothing written, when all have the same digit.
 */
export function sortByDigit(
  { keys, from, to, shift, bits }: Pass,
  source: Int32Array,
  target: Int32Array,
): boolean {
  const mask = (1 << bits) - 1;
  const slots = new Int32Array(1 << bits);
  for (let i = from; i < to; i++) slots[(keys[source[i]!]! >>> shift) & mask]!++;
  let start = from;
  for (let d = 0; d <= mask; d++) {
    const n = slots[d]!;
    if (n === to - from) return false;
    slots[d] = start;
    start += n;
  }
  for (let i = from; i < to; i++) {
    const row = source[i]!;
    target[slots[(keys[row]! >>> shift) & mask]!++] = row;
  }
  return true;
}
