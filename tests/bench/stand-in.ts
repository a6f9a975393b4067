/** Inputs of the shapes of make_data.py for machines without numpy: other values, so other times, but the same work. */
import { columnMoments, type Metric, scaleColumn } from '../../stages/lib/distance.js';
import { quantileSorted } from '../../stages/lib/quantile.js';
import { COLUMNS, drawFactors, drawPositives, fillColumn } from './cohort.js';
import { gather, writeFiles } from './cohort-export.js';

/** `options` as make_data.py takes them: `--name value` pairs. */
export function writeStandIn(dir: string, what: string, options: readonly string[]): void {
  const option = (name: string): string => options[options.indexOf(`--${name}`) + 1]!;
  if (what === 'rf') writeRanking(dir, Number(option('n')));
  else
    writePairs(
      dir,
      Number(option('na')),
      Number(option('nb')),
      option('scale') === 'unit' ? 'gower' : 'euclidean',
    );
}

function drawColumns(stays: number, columns: number) {
  const spec = { stays, diagnoses: 1, seed: 7 };
  const factors = drawFactors(spec);
  const data = new Float64Array(stays * columns);
  const filled = new Uint8Array(stays);
  for (let f = 0; f < columns; f++)
    fillColumn(spec, factors, f, data.subarray(f * stays, (f + 1) * stays), filled);
  return { spec, factors, data };
}

/** Half positives, half others, as many stays as rows. */
function writeRanking(dir: string, n: number): void {
  const cohort = drawColumns(n, COLUMNS);
  const isPositive = new Uint8Array(n);
  for (const r of drawPositives(cohort.spec, cohort.factors, 'stand-in', n / 2)) isPositive[r] = 1;
  const rows = Int32Array.from(isPositive.keys());
  const all = Array.from({ length: COLUMNS }, (_, f) => f);
  const meta = JSON.stringify({ n, p: COLUMNS, informative: [] });
  writeFiles(dir, { 'meta.json': meta, 'X.f64': gather(cohort, rows, all), 'y.u8': isPositive });
}

function writePairs(dir: string, nA: number, nB: number, metric: Metric): void {
  const k = 20;
  const cohort = drawColumns(nA + nB, k);
  for (let f = 0; f < k; f++) {
    const column = cohort.data.subarray(f * (nA + nB), (f + 1) * (nA + nB));
    const sorted = Float64Array.from(column).sort();
    const [lo, hi] = [quantileSorted(sorted, 0.01), quantileSorted(sorted, 0.99)];
    scaleColumn(column, { lo, hi, ...columnMoments(column) }, metric, null);
  }
  const a = drawPositives(cohort.spec, cohort.factors, 'stand-in', nA);
  const isPositive = new Set(a);
  const b = Int32Array.from({ length: nA + nB }, (_, r) => r).filter((r) => !isPositive.has(r));
  const columns = Array.from({ length: k }, (_, f) => f);
  writeFiles(dir, {
    'meta.json': JSON.stringify({ K: k, nA, nB }),
    'A.f64': gather(cohort, a, columns),
    'B.f64': gather(cohort, b, columns),
    'idsA.u32': Uint32Array.from(a),
    'idsB.u32': Uint32Array.from(b),
  });
}
