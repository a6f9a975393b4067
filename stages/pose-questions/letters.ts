/** Letters: keys fall on every position alike, for each number of options; None is placed like any option. */
import type { RandomStream } from '../contract.js';
import type { Draft } from './item.js';
import { shuffled } from './literals.js';

const TRIES = 24;

export class Letters {
  readonly #random: (label: string) => RandomStream;
  /** How often a key stood at a position, by number of options; and how often None stood there. */
  readonly #keys = new Map<number, number[]>();
  readonly #none = new Map<number, number[]>();

  constructor(random: (label: string) => RandomStream) {
    this.#random = random;
  }

  /** An order of the options (indices of candidates, `texts.length` for None): of several draws the most even one. */
  place(draft: Draft): number[] {
    const n = draft.texts.length + 1;
    const random = this.#random(`letters ${draft.label}`);
    const all = Array.from({ length: n }, (_, i) => i);
    const keys = draft.members.flatMap((m) => (m.keys.length > 0 ? m.keys : [n - 1]));
    let best: number[] = [];
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < TRIES; i++) {
      const order = shuffled(all, random);
      const at = (option: number): number => order.indexOf(option);
      const cost =
        keys.reduce((sum, k) => sum + this.#count(this.#keys, n)[at(k)]!, 0) +
        this.#count(this.#none, n)[at(n - 1)]!;
      if (cost < least) [best, least] = [order, cost];
    }
    for (const k of keys) this.#count(this.#keys, n)[best.indexOf(k)]! += 1;
    this.#count(this.#none, n)[best.indexOf(n - 1)]! += draft.members.length;
    return best;
  }

  #count(counts: Map<number, number[]>, n: number): number[] {
    const found = counts.get(n) ?? Array<number>(n).fill(0);
    counts.set(n, found);
    return found;
  }
}
