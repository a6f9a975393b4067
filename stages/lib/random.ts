/** xoshiro128** (Blackman and Vigna, 2018), seeded from SHA-256 so that labelled streams are independent. */
import type { RandomStream } from '../contract.js';
import { sha256 } from './hash.js';

/** A stream from four 32-bit state words; an all-zero state is replaced, because it would stay zero. */
export function xoshiro128(seed: readonly [number, number, number, number]): RandomStream {
  let [a, b, c, d] = seed.map((w) => w >>> 0) as [number, number, number, number];
  if ((a | b | c | d) === 0) a = 1;
  const u32 = (): number => {
    const r = Math.imul(b, 5);
    const result = Math.imul((r << 7) | (r >>> 25), 9) >>> 0;
    const t = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = (d << 11) | (d >>> 21);
    return result;
  };
  return {
    u32,
    below: (n) => Math.floor((u32() * n) / 4294967296),
    float: () => ((u32() >>> 5) * 67108864 + (u32() >>> 6)) / 9007199254740992,
  };
}

/** The stream of a run seed and labels; seed 0 is a seed like any other. */
export function randomStream(seed: number, ...labels: readonly (string | number)[]): RandomStream {
  const hex = sha256([seed, ...labels].join('\u001f'));
  const word = (i: number): number => Number.parseInt(hex.slice(i * 8, i * 8 + 8), 16);
  return xoshiro128([word(0), word(1), word(2), word(3)]);
}
