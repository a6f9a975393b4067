/** The forest's ranking against scikit-learn's: no further from it than scikit-learn is from itself with another seed. */
import { describe, expect, it } from 'vitest';
import { fillBins, sharedBins } from '../../stages/lib/binning.js';
import { gatherRows, growTrees } from '../../stages/lib/forest.js';
import { emptySums, foldTrees, rankColumns } from '../../stages/lib/importance.js';
import { randomStream } from '../../stages/lib/random.js';
import { kernel } from '../support/kernels.js';
import { askOracle, ORACLE_SOURCE } from './python-oracle.js';

interface Answer {
  importances: number[][];
}

const TREES = 200;
const SEEDS = [0, 1, 2, 3];
const INFORMATIVE = 10;

/** Columns of several kinds: skewed, rounded, 0/1; the first ones carry signal of falling strength. */
function makeData(n: number, p: number): { x: Float64Array; y: Uint8Array } {
  const random = randomStream(11, 'sklearn', n);
  const y = Uint8Array.from({ length: n }, (_, i) => i % 2);
  const x = new Float64Array(n * p);
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < p; f++) {
      const shift = f < INFORMATIVE ? y[i]! * (1.3 - f * 0.1) : 0;
      const bell = random.float() + random.float() + random.float() + random.float() - 2 + shift * 0.577;
      const kind = f % 3;
      x[i * p + f] =
        kind === 0 ? (bell + 3) ** 3 : kind === 1 ? Math.round(bell * 10) / 10 : bell > 0.3 ? 1 : 0;
    }
  }
  return { x, y };
}

function ownImportances(
  { x, y }: { x: Float64Array; y: Uint8Array },
  n: number,
  p: number,
  seed: number,
  module: WebAssembly.Module | null,
): Float64Array {
  const columns = new Float64Array(n * p);
  for (let f = 0; f < p; f++) for (let i = 0; i < n; i++) columns[f * n + i] = x[i * p + f]!;
  const bins = sharedBins(n, p);
  fillBins(columns, bins, 0, p, 256);
  const all = (size: number): Int32Array => Int32Array.from({ length: size }, (_, i) => i);
  const sums = emptySums(p);
  const set = gatherRows(bins, all(n), all(p), y, module);
  foldTrees(sums, growTrees(set, seed, 0, TREES), 0, TREES);
  return sums.all.map((v) => v / TREES);
}

const overlap = (a: ArrayLike<number>, b: ArrayLike<number>, k: number): number => {
  const top = rankColumns(Float64Array.from(a)).slice(0, k);
  return rankColumns(Float64Array.from(b))
    .slice(0, k)
    .filter((f) => top.includes(f)).length;
};
const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const meanVector = (vectors: readonly ArrayLike<number>[], p: number): number[] =>
  Array.from({ length: p }, (_, f) => mean(vectors.map((v) => v[f]!)));

function correlation(a: readonly number[], b: readonly number[]): number {
  const [ma, mb] = [mean(a), mean(b)];
  const product = (u: readonly number[], v: readonly number[], mu: number, mv: number): number =>
    u.reduce((s, x, i) => s + (x - mu) * (v[i]! - mv), 0);
  return product(a, b, ma, mb) / Math.sqrt(product(a, a, ma, ma) * product(b, b, mb, mb));
}

const ENGINES = { js: null, wasm: kernel('forest') };

describe(`the forest and scikit-learn (${ORACLE_SOURCE})`, () => {
  it.each([
    [120, 60, 'js'],
    [120, 60, 'wasm'],
    [800, 90, 'js'],
    [800, 90, 'wasm'],
  ] as const)('rank alike on %i rows of %i columns, engine %s', (n, p, engine) => {
    const data = makeData(n, p);
    const { x, y } = data;
    const answer = askOracle<Answer>({
      script: 'ref_rf.py',
      args: ['--trees', String(TREES), '--seeds', String(SEEDS.length), '--jobs', '1'],
      files: { 'meta.json': JSON.stringify({ n, p }), 'X.f64': x, 'y.u8': y },
      stored: 'forest-sklearn',
      keep: ['importances'],
    });
    const theirs = answer.importances;
    const ours = SEEDS.map((seed) => ownImportances(data, n, p, seed, ENGINES[engine]));
    const k = 20;
    const self = mean(theirs.flatMap((a, i) => theirs.slice(i + 1).map((b) => overlap(a, b, k))));
    const cross = mean(theirs.flatMap((a) => ours.map((b) => overlap(a, b, k))));
    expect(cross).toBeGreaterThanOrEqual(self - 1);
    // The informative columns stand out alike, and by the same amount (four seeds leave noise of about 0.01).
    const [a, b] = [meanVector(theirs, p), meanVector(ours, p)];
    expect(correlation(a, b)).toBeGreaterThan(0.98);
    for (let f = 0; f < p; f++) expect(Math.abs(a[f]! - b[f]!)).toBeLessThan(0.02);
  });
});
