/** Mining cases: thresholds, far and near pairs against scipy and scikit-learn, checked against the numpy oracle. */
import type { KernelEngine } from '../../pipelines/engine/adapters/kernels.js';
import type { Metric } from '../../stages/lib/distance.js';
import type { PairAnswer } from '../stages/pair-cases.js';
import { isPythonHere } from '../support/python.js';
import type { BenchCase, Comparison, Outcome, Rounds, Side, StartSide, Time } from './case.js';
import { type Setting, settingLabel } from './context.js';
import { makeData } from './data.js';
import { inputDir } from './files.js';
import { exactDifference, looseDifference, pairOracle } from './oracle.js';
import type { PairArgs } from './pairs-product.js';
import { productSide, pythonSide } from './sides.js';
import { checkPairKind } from './small-cases.js';
import { median, short } from './table.js';

/** ml-distance needs half a minute for larger ones. */
const LIBRARY_N = 1000;
const M = 500;
/** Each pass timed on one thread, and the whole over workers; `js, 1 thread` comes first. */
const THREADS: readonly KernelEngine[] = ['js', 'wasm'];
const WORKERS: readonly Setting[] = [{ engine: 'wasm', workers: 2 }];
/** Ties are checked with these; starting threads takes most of that time, so the short form has few. */
const tieSettings = (isFull: boolean): Setting[] =>
  (isFull ? [1, 2, 3, 7] : [2, 3]).flatMap((workers) => THREADS.map((engine) => ({ engine, workers })));
const threadLabel = (engine: KernelEngine): string => `${engine}, 1 thread`;
const LIBRARY = 'ml-distance';
const METHODS: Record<Metric, readonly string[]> = {
  euclidean: ['scipy', 'sklearn-brute', 'sklearn-chunked'],
  gower: ['scipy'],
};

/** T4 by number of positives; T3 belongs to 20,000. */
const NEAR_TARGETS: Record<number, number> = { 100: 1, 1000: 4, 4000: 8, 20000: 25 };
const WITHIN_TARGETS: Record<number, number> = { 20000: 5 };
const MOST_NS = 12;

/** One diagnosis of `nA` positives among `nB` others; `more` are worker counts whose result must be the same besides. */
export function pairCase(nA: number, nB: number, metric: Metric, more: readonly number[] = []): BenchCase {
  const scale = metric === 'gower' ? 'unit' : 'z';
  const dir = inputDir(`pairs-${scale}-${nA}`);
  const options = ['--na', String(nA), '--nb', String(nB), '--scale', scale];
  return {
    name: `${metric} ${nA} x ${nB}`,
    prepare: () => makeData(dir, ['pairs', ...options]),
    products: productsOf(dir, metric, more),
    peers: peersOf(dir, metric, nA),
    comparisons: [
      ...THREADS.flatMap((engine) =>
        Object.keys(peersOf(dir, metric, nA)).flatMap((m) => comparisonsOf(engine, m, nA, metric)),
      ),
      ...WORKERS.map((s) => ({ measure: 'total', product: settingLabel(s), peer: 'scipy' })),
    ],
    check: (results) => checkPairs(dir, metric, results),
    notes: async (_, rounds) => THREADS.map((engine) => timePerPair(engine, nA, nB, rounds)),
  };
}

/** CPU time of both passes by pair; T3 limits the first for the largest diagnosis. */
function timePerPair(engine: KernelEngine, nA: number, nB: number, rounds: Rounds): string {
  const own = rounds[threadLabel(engine)]!;
  const perPair = (part: string, pairs: number): number =>
    (1e9 * median(own.map((r) => r.times[part]!.cpu_s))) / pairs;
  const within = perPair('within', (nA * (nA - 1)) / 2);
  const isLimited = engine === 'wasm' && nA in WITHIN_TARGETS;
  const verdict = isLimited ? `, T3 at most ${MOST_NS} ns: ${within <= MOST_NS ? 'met' : 'MISSED'}` : '';
  return `${engine}: within ${short(within)} ns a pair${verdict}; ddt ${short(perPair('ddt', nA * nB))} ns a pair`;
}

/** One of the five kinds of data that break a miner; nothing is timed. */
export function tieCase(kind: string, metric: Metric, isFull: boolean): BenchCase {
  const settings = tieSettings(isFull);
  const scale = metric === 'gower' ? 'unit' : 'z';
  const dir = inputDir(`ties-${scale}-${kind}`);
  return {
    name: `${metric} ties: ${kind}`,
    prepare: () => makeData(dir, ['ties', '--kind', kind, '--scale', scale]),
    products: {
      [`js and wasm, ${isFull ? '1 to 7' : '1 to 3'} threads`]: () =>
        productSide('./pairs-product.js', 'mineEverySetting', { dir, metric, m: M, settings }),
    },
    peers: {},
    comparisons: [],
    check: (results) => checkPairs(dir, metric, results),
    correctnessOnly: true,
  };
}

/** The same check on small data with stored answers, for machines without Python. */
export function storedCase(kind: string, metric: Metric): BenchCase {
  const settings = tieSettings(false);
  const run = async (): Promise<Outcome> => ({ times: {}, peak_mb: null, result: null });
  return {
    name: `${metric}, stored: ${kind}`,
    products: { 'js and wasm, 1 to 3 threads': async () => ({ run, close: () => undefined }) },
    peers: {},
    comparisons: [],
    check: () => checkPairKind(kind, metric, settings),
    correctnessOnly: true,
  };
}

function productsOf(dir: string, metric: Metric, more: readonly number[]): Record<string, StartSide> {
  const workers = [...WORKERS, ...more.map((count): Setting => ({ engine: 'wasm', workers: count }))];
  const start = (name: 'minePasses' | 'mineWithWorkers', setting: Setting): StartSide => {
    const args: PairArgs = { ...setting, dir, metric, m: M };
    return () => productSide('./pairs-product.js', name, args);
  };
  return Object.fromEntries([
    ...THREADS.map((engine) => [threadLabel(engine), start('minePasses', { engine, workers: 1 })]),
    ...workers.map((s) => [settingLabel(s), start('mineWithWorkers', s)]),
  ]);
}

function peersOf(dir: string, metric: Metric, nA: number): Record<string, StartSide> {
  const scripts = METHODS[metric].map((m): [string, StartSide] => [m, () => pairPeer(dir, metric, m)]);
  const library = () => productSide('./npm-peers.js', 'doubleLoop', { dir, metric, m: M });
  return Object.fromEntries(nA === LIBRARY_N ? [...scripts, [LIBRARY, library]] : scripts);
}

function comparisonsOf(engine: KernelEngine, peer: string, nA: number, metric: Metric): Comparison[] {
  const sides = { product: threadLabel(engine), peer };
  const isMain = engine === 'wasm' && peer === (metric === 'gower' ? 'scipy' : 'sklearn-brute');
  const near = isMain ? NEAR_TARGETS[nA] : undefined;
  const within = engine === 'wasm' && peer === 'scipy' ? WITHIN_TARGETS[nA] : undefined;
  const parts: Comparison[] = [
    { ...sides, measure: 'within', ...(within ? { target: { id: 'T3', ratio: within } } : {}) },
    { ...sides, measure: 'ddt', ...(near ? { target: { id: 'T4', ratio: near } } : {}) },
  ];
  return peer === 'scipy' || peer === LIBRARY ? parts : parts.slice(1);
}

interface Printed {
  readonly timings_s: Record<string, Record<string, { wall: number; cpu: number }>>;
  readonly results: Record<string, PairAnswer>;
  readonly env: { readonly peak_rss_mb: number };
}

function pairPeer(dir: string, metric: Metric, method: string): Promise<Side | null> {
  const args = [dir, '--metric', metric, '--m', String(M), '--methods', method, '--jobs', '1'];
  return pythonSide('ref_pairs.py', args, 1, (printed: Printed): Outcome => {
    const steps = printed.timings_s[method]!;
    const sum = (...names: string[]): Time => ({
      wall_s: names.reduce((s, name) => s + (steps[name]?.wall ?? 0), 0),
      cpu_s: names.reduce((s, name) => s + (steps[name]?.cpu ?? 0), 0),
    });
    return {
      times: {
        within: sum('within_distances', 'select', 'dct'),
        ddt: sum('ddt'),
        total: sum('total'),
      },
      peak_mb: printed.env.peak_rss_mb,
      result: printed.results[method],
    };
  });
}

async function checkPairs(
  dir: string,
  metric: Metric,
  results: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  // The rows of small data with stored answers stand before these in the table.
  if (!isPythonHere()) return null;
  const expected = await pairOracle(dir, metric, M);
  for (const [label, result] of Object.entries(results)) {
    const isPeer = label === LIBRARY || METHODS[metric].includes(label);
    const difference = (isPeer ? looseDifference : exactDifference)(result as PairAnswer, expected);
    if (difference) return `${label}: ${difference}`;
  }
  return null;
}
