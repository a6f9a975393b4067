/** A small seeded generator for invented rows (mulberry32). */
export interface Dice {
  /** In [0, 1). */
  unit(): number;
  /** Whole number, both ends included. */
  whole(from: number, to: number): number;
  chance(share: number): boolean;
  pick<T>(values: readonly T[]): T;
}

/** Dice of a seed. */
export function dice(seed: number): Dice {
  let state = seed >>> 0;
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4_294_967_296;
  };
  const whole = (from: number, to: number): number => from + Math.floor(unit() * (to - from + 1));
  return {
    unit,
    whole,
    chance: (share) => unit() < share,
    pick: (values) => values[whole(0, values.length - 1)]!,
  };
}
