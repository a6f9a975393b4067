/** The list of benchmarks; each is loaded when it is used, so that help and mistakes answer at once. */
import { nearest } from '../stages/lib/nearest.js';
import type { Benchmark } from './benchmark.js';
import { UsageError } from './engine/errors.js';

const BENCHMARKS: Readonly<Record<string, () => Promise<Benchmark>>> = {
  medpic: async () => (await import('./medpic/benchmark.js')).medpic,
  rxeval: async () => (await import('./rxeval/benchmark.js')).rxeval,
  supmimic: async () => (await import('./supmimic/benchmark.js')).supmimic,
};

export const benchmarkNames: readonly string[] = Object.keys(BENCHMARKS);

/** The benchmark of a name; an unknown one is a UsageError with the nearest name. */
export async function findBenchmark(name: string): Promise<Benchmark> {
  const load = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
  if (load) return load();
  const near = nearest(name, benchmarkNames);
  throw new UsageError({
    message: 'unknown benchmark',
    got: name,
    expected: benchmarkNames.join(', '),
    ...(near ? { next: `did you mean ${near}?` } : {}),
  });
}
