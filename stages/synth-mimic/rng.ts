/**
 * Counter-based random numbers (Philox4x32-10; Salmon, Moraes, Dror and Shaw, 2011). A stream is named by seed, stay
 * number and a word, so that a stay is the same in a set of 200 and of 100,000, and streams never disturb each other.
 */
import { probit } from './math.js';

const M0 = 0xd2511f53;
const M1 = 0xcd9e8d57;
const W0 = 0x9e3779b9;
const W1 = 0xbb67ae85;

/** Upper 32 bits of the product of two unsigned 32-bit integers. */
function mulHigh(a: number, b: number): number {
  const ah = a >>> 16;
  const al = a & 0xffff;
  const bh = b >>> 16;
  const bl = b & 0xffff;
  const mid = al * bh + ((al * bl) >>> 16);
  const mid2 = ah * bl + (mid & 0xffff);
  return (ah * bh + Math.floor(mid / 65536) + Math.floor(mid2 / 65536)) >>> 0;
}

/** FNV-1a, 32 bits: turns the name of a stream into a counter word. */
export function hash32(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

/** One stream; holds its position. */
export class Stream {
  private block = 0;
  private left = 0;
  private readonly out = new Uint32Array(4);
  private readonly key0: number;
  private readonly key1: number;
  private readonly stay: number;
  private readonly name: number;

  constructor(seed: number, stay: number, name: number) {
    this.key0 = seed >>> 0;
    this.key1 = Math.floor(seed / 4294967296) >>> 0;
    this.stay = stay >>> 0;
    this.name = name;
  }

  private refill(): void {
    let c0 = this.block++;
    let c1 = this.stay;
    let c2 = this.name;
    let c3 = 0;
    let k0 = this.key0;
    let k1 = this.key1;
    for (let round = 0; round < 10; round++) {
      const h0 = mulHigh(M0, c0);
      const h1 = mulHigh(M1, c2);
      const l0 = Math.imul(M0, c0);
      const l1 = Math.imul(M1, c2);
      c0 = (h1 ^ c1 ^ k0) >>> 0;
      c1 = l1 >>> 0;
      c2 = (h0 ^ c3 ^ k1) >>> 0;
      c3 = l0 >>> 0;
      k0 = (k0 + W0) >>> 0;
      k1 = (k1 + W1) >>> 0;
    }
    this.out[0] = c0;
    this.out[1] = c1;
    this.out[2] = c2;
    this.out[3] = c3;
    this.left = 4;
  }

  /** Next unsigned 32-bit integer. */
  u32(): number {
    if (this.left === 0) this.refill();
    return this.out[4 - this.left--]!;
  }

  /** Uniform in (0, 1), never an end point. */
  float(): number {
    return (this.u32() + 0.5) / 4294967296;
  }

  /** True with probability p. */
  chance(p: number): boolean {
    return this.float() < p;
  }

  /** Whole number in [low, high]. */
  int(low: number, high: number): number {
    return low + Math.floor(((high - low + 1) * this.u32()) / 4294967296);
  }

  /** Uniform in [low, high). */
  uniform(low: number, high: number): number {
    return low + (high - low) * this.float();
  }

  /** Standard normal deviate. */
  normal(): number {
    return probit(this.float());
  }

  /** One element of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)]!;
  }

  /** One element by weight. */
  weighted<T extends { readonly weight: number }>(list: readonly T[]): T {
    let total = 0;
    for (const x of list) total += x.weight;
    let at = this.float() * total;
    for (const x of list) {
      at -= x.weight;
      if (at < 0) return x;
    }
    return list[list.length - 1]!;
  }
}

/** Opens streams of one seed. */
export type Streams = (stay: number, name: string) => Stream;

/** All streams of a seed. */
export function streamsOf(seed: number): Streams {
  const names = new Map<string, number>();
  return (stay, name) => {
    let h = names.get(name);
    if (h === undefined) {
      h = hash32(name);
      names.set(name, h);
    }
    return new Stream(seed, stay, h);
  };
}
