/** The npm libraries for the same tasks, in Node processes of their own. */
import { join } from 'node:path';
import { distance } from 'ml-distance';
import { RandomForestClassifier } from 'ml-random-forest';
import type { Metric } from '../../stages/lib/distance.js';
import { emptySums, foldTrees } from '../../stages/lib/importance.js';
import { PairHeap } from '../../stages/lib/pair-heap.js';
import { quantileSorted } from '../../stages/lib/quantile.js';
import { libraryTrees } from '../../stages/rank-features/library.js';
import type { PairAnswer } from '../stages/pair-cases.js';
import type { Part, Run } from './child.js';
import { readBytes, readFloats, readMeta, readWords, toColumns } from './files.js';

export interface LibraryForestArgs {
  readonly dir: string;
  readonly trees: number;
  /** `own`: its featureImportance(); `corrected`: the same trees, gains summed as mean decrease of impurity. */
  readonly importance: 'own' | 'corrected';
}

/** One importance vector by ml-random-forest. */
export function libraryForest({ dir, trees, importance }: LibraryForestArgs): Run {
  const { n, p } = readMeta<{ n: number; p: number }>(dir);
  const values = readFloats(join(dir, 'X.f64'));
  const labels = readBytes(join(dir, 'y.u8'));
  const all = (size: number): Int32Array => Int32Array.from({ length: size }, (_, i) => i);
  if (importance === 'corrected') {
    const data = toColumns(values, n, p);
    const task = { data, cohortN: n, columns: all(p), rows: all(n), labels, seed: 0, trees };
    return (part: Part) => {
      const vectors = part('forest', () => libraryTrees(task));
      const sums = emptySums(p);
      foldTrees(sums, vectors, 0, trees);
      return [Array.from(sums.all, (x) => x / trees)];
    };
  }
  const rows = Array.from({ length: n }, (_, r) => Array.from(values.subarray(r * p, (r + 1) * p)));
  return (part: Part) =>
    part('forest', () => {
      const forest = new RandomForestClassifier({
        seed: 0,
        nEstimators: trees,
        maxFeatures: Math.floor(Math.sqrt(p)),
        replacement: false,
        useSampleBagging: true,
        noOOB: true,
        isClassifier: true,
        treeOptions: { minNumSamples: 1, gainThreshold: 0 },
      });
      forest.train(rows, Array.from(labels));
      // Its type declarations leave this method out.
      return [(forest as unknown as { featureImportance(): number[] }).featureImportance()];
    });
}

interface Rows {
  readonly rows: Float64Array[];
  readonly ids: Uint32Array;
}

function readRows(dir: string, side: 'A' | 'B', k: number): Rows {
  const values = readFloats(join(dir, `${side}.f64`));
  const rows = Array.from({ length: values.length / k }, (_, r) => values.subarray(r * k, (r + 1) * k));
  return { rows, ids: readWords(join(dir, `ids${side}.u32`)) };
}

/** Thresholds and pairs by ml-distance in a double loop, with the product's heap for the first m. */
export function doubleLoop({ dir, metric, m }: { dir: string; metric: Metric; m: number }): Run {
  const { K } = readMeta<{ K: number }>(dir);
  const [a, b] = [readRows(dir, 'A', K), readRows(dir, 'B', K)];
  // Typed arrays are not arrays of numbers to the library's types, but it only reads elements and length.
  const between = (metric === 'gower' ? distance.gower : distance.euclidean) as unknown as Between;
  return (part: Part): PairAnswer => {
    const { theta, phi, dct } = part('within', () => within(a, between, m));
    return { theta, phi, dct, ddt: part('ddt', () => near(a, b, between, m, theta)) };
  };
}

type Between = (a: Float64Array, b: Float64Array) => number;

function within({ rows, ids }: Rows, between: Between, m: number) {
  const n = rows.length;
  const distances = new Float64Array((n * (n - 1)) / 2);
  const heap = new PairHeap(m);
  for (let i = 0, at = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++, at++) {
      const d = between(rows[i]!, rows[j]!);
      distances[at] = d;
      if (-d <= heap.bound) heap.push(-d, Math.min(ids[i]!, ids[j]!), Math.max(ids[i]!, ids[j]!));
    }
  }
  distances.sort();
  const [theta, phi] = [0.25, 0.75].map((q) => quantileSorted(distances, q)) as [number, number];
  const dct = heap.sorted().flatMap((p) => (-p.key > phi ? [[p.i, p.j, -p.key]] : []));
  return { theta, phi, dct };
}

function near(a: Rows, b: Rows, between: Between, m: number, theta: number): number[][] {
  const heap = new PairHeap(m);
  for (let i = 0; i < a.rows.length; i++) {
    for (let j = 0; j < b.rows.length; j++) {
      const d = between(a.rows[i]!, b.rows[j]!);
      if (d < theta && d <= heap.bound) heap.push(d, a.ids[i]!, b.ids[j]!);
    }
  }
  return heap.sorted().map((p) => [p.i, p.j, p.key]);
}
