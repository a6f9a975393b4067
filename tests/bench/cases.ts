/** All cases of `make bench`, and the larger ones of `make bench-full`. */
import type { Metric } from '../../stages/lib/distance.js';
import { UNIT_KINDS } from '../stages/pair-cases.js';
import { isPythonHere } from '../support/python.js';
import type { BenchCase } from './case.js';
import { forestCase, libraryForestCase } from './forest.js';
import { ingestCase } from './ingest.js';
import { matrixCase } from './matrix.js';
import { pairCase, storedCase, tieCase } from './pairs.js';
import { pdfCase } from './pdf.js';

const METRICS: readonly Metric[] = ['euclidean', 'gower'];
const STAYS = 94_000;
const LARGEST = 20_000;
/** Besides 1 and 2, for the largest cases. */
const MORE_WORKERS = [3, 7];
const TIES = ['grid', 'dup', 'onehot', 'heavy', 'tiny'];

/** Exactness on data that breaks a miner. */
const exactCases = (metric: Metric, isFull: boolean): BenchCase[] =>
  isPythonHere()
    ? TIES.map((kind) => tieCase(kind, metric, isFull))
    : Object.keys(UNIT_KINDS).map((kind) => storedCase(kind, metric));

/** What a build keeps, and all that pandas keeps; the full bench shows that memory does not follow the rows. */
const ingestCases = (isFull: boolean): BenchCase[] => [
  ingestCase(2, 'registry', [1, 2]),
  ...(isFull ? [5, 20].map((millions) => ingestCase(millions, 'registry', [2])) : []),
  ingestCase(isFull ? 20 : 2, 'numbers', [2]),
];

/** Small to large. */
export function casesOf(isFull: boolean): BenchCase[] {
  const forests = [forestCase(200, 4), libraryForestCase(), forestCase(1000, 4), forestCase(4000, 3)];
  const sizes = [100, 1000, 4000, ...(isFull ? [LARGEST] : [])];
  const pdf = pdfCase();
  return [
    ...(pdf ? [pdf] : []),
    ...METRICS.flatMap((metric) => exactCases(metric, isFull)),
    ...forests,
    ...(isFull ? [forestCase(40_000, 2, MORE_WORKERS)] : []),
    ...METRICS.flatMap((metric) =>
      sizes.map((nA) => pairCase(nA, STAYS - nA, metric, nA === LARGEST ? MORE_WORKERS : [])),
    ),
    ...ingestCases(isFull),
    matrixCase(STAYS),
  ];
}
