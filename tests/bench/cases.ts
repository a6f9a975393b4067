/** All cases of `make bench`, and the larger ones of `make bench-full`. */
import type { BenchCase } from './case.js';
import { forestCase } from './forest.js';

/** Small to large. */
export function casesOf(isFull: boolean): BenchCase[] {
  const forests = [forestCase(200, 4), forestCase(1000, 4), forestCase(4000, 3)];
  return [...forests, ...(isFull ? [forestCase(40_000, 2)] : [])];
}
