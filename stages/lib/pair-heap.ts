/** The best pairs seen so far, under a total order: (key, i, j) ascending. */

/** A pair of row numbers with its key. Farthest-first selection uses negated keys. */
export interface KeyedPair {
  readonly key: number;
  readonly i: number;
  readonly j: number;
}

/** Total order of pairs; negative when a comes first. */
export function comparePairs(a: KeyedPair, b: KeyedPair): number {
  return a.key - b.key || a.i - b.i || a.j - b.j;
}

/** The kept pairs as plain data, in no particular order. */
export interface PairHeapData {
  readonly capacity: number;
  readonly keys: Float64Array;
  readonly is: Int32Array;
  readonly js: Int32Array;
}

/** Keeps the first `capacity` pairs of everything pushed, whatever the order of pushing. */
export class PairHeap {
  /** Pairs with a larger key cannot enter. Equal keys still can, by their row numbers. */
  bound = Number.POSITIVE_INFINITY;
  private size = 0;
  private readonly keys: Float64Array;
  private readonly is: Int32Array;
  private readonly js: Int32Array;

  constructor(capacity: number) {
    this.keys = new Float64Array(capacity);
    this.is = new Int32Array(capacity);
    this.js = new Int32Array(capacity);
    if (capacity === 0) this.bound = Number.NEGATIVE_INFINITY;
  }

  /** True when at least `capacity` pairs were offered, so that more may exist. */
  get isFull(): boolean {
    return this.size === this.keys.length;
  }

  push(key: number, i: number, j: number): void {
    if (!this.isFull) {
      this.rise(this.size++, key, i, j);
    } else if (this.size > 0 && this.isBefore(key, i, j, 0)) {
      this.sink(key, i, j);
    } else return;
    if (this.isFull) this.bound = this.keys[0]!;
  }

  /** Pushes the pairs of another heap. */
  merge({ keys, is, js }: PairHeapData): void {
    for (let n = 0; n < keys.length; n++) this.push(keys[n]!, is[n]!, js[n]!);
  }

  toData(): PairHeapData {
    const n = this.size;
    return {
      capacity: this.keys.length,
      keys: this.keys.slice(0, n),
      is: this.is.slice(0, n),
      js: this.js.slice(0, n),
    };
  }

  /** The kept pairs in order. */
  sorted(): KeyedPair[] {
    return Array.from({ length: this.size }, (_, n) => ({
      key: this.keys[n]!,
      i: this.is[n]!,
      j: this.js[n]!,
    })).sort(comparePairs);
  }

  private isBefore(key: number, i: number, j: number, slot: number): boolean {
    const k = this.keys[slot]!;
    if (key !== k) return key < k;
    return i !== this.is[slot] ? i < this.is[slot]! : j < this.js[slot]!;
  }

  private put(slot: number, key: number, i: number, j: number): void {
    this.keys[slot] = key;
    this.is[slot] = i;
    this.js[slot] = j;
  }

  private move(from: number, to: number): void {
    this.put(to, this.keys[from]!, this.is[from]!, this.js[from]!);
  }

  /** Moves a new pair up from the end; the last pair in order stands at the root. */
  private rise(end: number, key: number, i: number, j: number): void {
    let slot = end;
    while (slot > 0) {
      const parent = (slot - 1) >> 1;
      if (this.isBefore(key, i, j, parent)) break;
      this.move(parent, slot);
      slot = parent;
    }
    this.put(slot, key, i, j);
  }

  /** Replaces the root and moves the new pair down. */
  private sink(key: number, i: number, j: number): void {
    let slot = 0;
    for (;;) {
      let child = 2 * slot + 1;
      if (child >= this.size) break;
      const right = child + 1;
      if (right < this.size && this.isBefore(this.keys[child]!, this.is[child]!, this.js[child]!, right)) {
        child = right;
      }
      if (!this.isBefore(key, i, j, child)) break;
      this.move(child, slot);
      slot = child;
    }
    this.put(slot, key, i, j);
  }
}
