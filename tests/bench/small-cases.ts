/** The correctness half on small data, which needs no Python: answers of the oracles are stored. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metric } from '../../stages/lib/distance.js';
import { rankColumns } from '../../stages/lib/importance.js';
import { M, type PairAnswer, pairCase, UNIT_KINDS } from '../stages/pair-cases.js';
import { askOracle } from '../stages/python-oracle.js';
import { measure } from './child.js';
import { drawDiagnoses, drawFactors, fillColumn } from './cohort.js';
import type { Setting } from './context.js';
import { rankForest } from './forest-product.js';
import { exactDifference } from './oracle.js';
import { mineEverySetting } from './pairs-product.js';

type Files = Readonly<Record<string, string | ArrayBufferView>>;

/** Runs on input files in a folder that disappears afterwards. */
async function withFiles<T>(files: Files, run: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-'));
  mkdirSync(dir, { recursive: true });
  try {
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(dir, name), content as Uint8Array);
    return await run(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Null when all settings find what numpy finds in rows of this kind, to the bit. */
export async function checkPairKind(
  name: keyof typeof UNIT_KINDS,
  metric: Metric,
  settings: readonly Setting[],
): Promise<string | null> {
  const { files, answer } = pairCase(name, UNIT_KINDS[name]!, metric, 'pairs-bench');
  const { result } = await withFiles(files, (dir) =>
    measure(mineEverySetting({ dir, metric, m: M, settings })),
  );
  return exactDifference(result as PairAnswer, answer);
}

const ROWS = 200;
const COLUMNS = 60;
const TREES = 100;
const SEEDS = [0, 1, 2, 3];
const TOP = 20;

/** Half positives of a diagnosis and half other stays, all columns observed or filled with their mean. */
function forestFiles(): Files {
  const spec = { stays: 1000, diagnoses: 1, seed: 3 };
  const factors = drawFactors(spec);
  const positives = drawDiagnoses(spec, factors)[0]!.positives;
  const isPositive = new Set(positives);
  const half = Math.min(ROWS / 2, positives.length);
  const others = Array.from({ length: spec.stays }, (_, r) => r).filter((r) => !isPositive.has(r));
  const rows = [...positives.subarray(0, half), ...others.slice(0, half)].sort((a, b) => a - b);
  const values = new Float64Array(rows.length * COLUMNS);
  const column = new Float64Array(spec.stays);
  for (let f = 0; f < COLUMNS; f++) {
    fillColumn(spec, factors, f, column, new Uint8Array(spec.stays));
    rows.forEach((r, i) => {
      values[i * COLUMNS + f] = column[r]!;
    });
  }
  return {
    'meta.json': JSON.stringify({ n: rows.length, p: COLUMNS }),
    'X.f64': values,
    'y.u8': Uint8Array.from(rows, (r) => (isPositive.has(r) ? 1 : 0)),
  };
}

function meanOverlap(a: readonly number[][], b: readonly number[][], isSame: boolean): number {
  const top = (v: readonly number[]): number[] => rankColumns(Float64Array.from(v)).slice(0, TOP);
  const pairs = a.flatMap((x, i) => b.flatMap((y, j) => (isSame && j <= i ? [] : [[x, y] as const])));
  const common = pairs.map(([x, y]) => top(x).filter((f) => top(y).includes(f)).length);
  return common.reduce((s, n) => s + n, 0) / common.length;
}

/** Null when all settings give one ranking, and it agrees with scikit-learn as well as that with itself, minus one. */
export async function checkSmallForest(settings: readonly Setting[]): Promise<string | null> {
  const files = forestFiles();
  const { importances } = askOracle<{ importances: number[][] }>({
    script: 'ref_rf.py',
    args: ['--trees', String(TREES), '--seeds', String(SEEDS.length), '--jobs', '1'],
    files,
    stored: 'forest-bench',
    keep: ['importances'],
  });
  return withFiles(files, async (dir) => {
    let first: number[][] | undefined;
    for (const setting of settings) {
      const { result } = await measure(rankForest({ ...setting, dir, trees: TREES, seeds: SEEDS }));
      first ??= result as number[][];
      if (JSON.stringify(result) !== JSON.stringify(first)) return 'the settings give different rankings';
    }
    const self = meanOverlap(importances, importances, true);
    const cross = meanOverlap(importances, first!, false);
    return cross >= self - 1 ? null : `top 20 in common with scikit-learn: ${cross}, its own: ${self}`;
  });
}
