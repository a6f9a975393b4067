/** The list of benchmarks. */
import { nearest } from '../stages/lib/nearest.js';
import type { Benchmark } from './benchmark.js';
import { UsageError } from './engine/errors.js';
import { supmimic } from './supmimic/benchmark.js';

export const benchmarks: readonly Benchmark[] = [supmimic];

/** The benchmark of a name; an unknown one is a UsageError with the nearest name. */
export function findBenchmark(name: string): Benchmark {
  const found = benchmarks.find((b) => b.name === name);
  if (found) return found;
  const names = benchmarks.map((b) => b.name);
  const near = nearest(name, names);
  throw new UsageError({
    message: 'unknown benchmark',
    got: name,
    expected: names.join(', '),
    ...(near ? { next: `did you mean ${near}?` } : {}),
  });
}
