/** Ingest cases: chartevents as csv.gz into the cache and from the cache into a matrix, against pandas and `zcat | wc -l`. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { plainProgress } from '../../pipelines/engine/progress.js';
import { writeSyntheticExtract } from '../../pipelines/supmimic/synth.js';
import { isPythonHere, PYTHON } from '../support/python.js';
import type { BenchCase, Outcome, Side, StartSide, Time } from './case.js';
import { BENCH_DIR, readFloats } from './files.js';
import type { IngestArgs, IngestResult } from './ingest-product.js';
import { productSide, pythonSide, runCommand, shellSide } from './sides.js';

const CACHE = 'csv.gz to cache';
const MATRIX = 'cache to matrix';
/** What MIMIC-IV has on average. */
const ROWS_A_STAY = 3688;
const MEMORY = '800MB';
const STATISTICS = ['min', 'max', 'mean', 'first', 'last'];

/** A chartevents of `millions` of rows. A build keeps the rows of the feature registry; `numbers` keeps all that pandas keeps. */
export function ingestCase(
  millions: number,
  items: IngestArgs['items'],
  threads: readonly number[],
): BenchCase {
  const dir = join(BENCH_DIR, 'data', `chartevents-${millions}m`);
  const events = join(dir, 'extract/icu/chartevents.csv.gz');
  const label = (n: number): string => `${n} ${n === 1 ? 'thread' : 'threads'}`;
  const product = (workers: number): StartSide => {
    const args: IngestArgs = { dir, workers, items, memoryLimit: MEMORY };
    return () => productSide('./ingest-product.js', 'ingest', args);
  };
  const most = label(Math.max(...threads));
  const by = 'wall' as const;
  return {
    name: `chartevents ${millions} M rows, ${items === 'registry' ? 'registry items' : 'all numbers'}`,
    prepare: () => makeExtract(dir, millions),
    products: Object.fromEntries(threads.map((n) => [label(n), product(n)])),
    peers: {
      pandas: () => pandas(events, dir),
      'zcat | wc -l': async () => renamed(await shellSide(`zcat ${events} | wc -l`)),
    },
    comparisons: [
      { measure: CACHE, product: most, peer: 'pandas', by, target: { id: 'T7', ratio: 1.8 } },
      { measure: CACHE, product: most, peer: 'zcat | wc -l', by, target: { id: 'T7', ratio: 1 / 1.5 } },
      { measure: MATRIX, product: most, peer: 'pandas', by, target: { id: 'T7', ratio: 8 } },
    ],
    check: async (results) =>
      isPythonHere() ? difference(dir, results[most] as IngestResult, events) : null,
    notes: async () =>
      isPythonHere()
        ? ['min, max, first and last are those of pandas, means within 1e-12']
        : ['not compared with pandas, which is not installed'],
  };
}

/** Writes the extract unless it is there; the folder appears when it is complete. */
async function makeExtract(dir: string, millions: number): Promise<void> {
  if (existsSync(dir)) return;
  const partial = `${dir}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(dirname(dir), { recursive: true });
  const chartevents_rows = millions * 1_000_000;
  const stays = Math.max(200, Math.round(chartevents_rows / ROWS_A_STAY));
  const { signal } = new AbortController();
  const config = { stays, profile: 'clean', chartevents_rows };
  await writeSyntheticExtract(
    partial,
    config,
    0,
    signal,
    plainProgress(() => undefined),
  );
  const packed = readFileSync(join(partial, 'extract/icu/icustays.csv.gz'));
  writeFileSync(join(partial, 'icustays.csv'), gunzipSync(packed));
  renameSync(partial, dir);
}

interface Printed {
  readonly total_s: number;
  readonly cpu_s: number;
  readonly peak_rss_mb: number;
}

/** The peer has one way, from the csv.gz to the matrix; both steps of the product are compared with it. */
const bothSteps = (time: Time): Outcome['times'] => ({ total: time, [CACHE]: time, [MATRIX]: time });

function pandas(events: string, dir: string): Promise<Side | null> {
  return pythonSide('ref_ingest.py', [events, join(dir, 'icustays.csv')], 1, (p: Printed): Outcome => {
    return {
      times: bothSteps({ wall_s: p.total_s, cpu_s: p.cpu_s }),
      peak_mb: p.peak_rss_mb,
      result: null,
    };
  });
}

function renamed(side: Side): Side {
  const run = async (): Promise<Outcome> => {
    const outcome = await side.run();
    return { ...outcome, times: bothSteps(outcome.times.total!) };
  };
  return { ...side, run };
}

/** Compares every value with pandas' matrix: null when they agree. */
async function difference(dir: string, product: IngestResult, events: string): Promise<string | null> {
  const path = join(dir, 'pandas.csv');
  if (!existsSync(path)) {
    const partial = `${path}.partial`;
    await runCommand(PYTHON, [
      'tests/oracles/ref_ingest.py',
      events,
      join(dir, 'icustays.csv'),
      '--out',
      partial,
    ]);
    renameSync(partial, path);
  }
  const [itemLine, statLine, , ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const stats = statLine!.split(',');
  const column = new Map(itemLine!.split(',').map((item, j) => [`${item} ${stats[j]}`, j]));
  const values = readFloats(product.file);
  const peer = new Map(lines.map((line) => [Number(line.slice(0, line.indexOf(','))), line.split(',')]));
  let seen = 0;
  for (const [i, stay] of product.stays.entries()) {
    const cells = peer.get(stay);
    for (const [k, item] of product.items.entries()) {
      for (const [s, statistic] of STATISTICS.entries()) {
        const text = cells?.[column.get(`${item} ${statistic}`)!] ?? '';
        const ours = values[(i * product.items.length + k) * STATISTICS.length + s]!;
        const theirs = text === '' ? Number.NaN : Number(text);
        if (!isSame(ours, theirs, statistic))
          return `${statistic} of item ${item}, stay ${stay}: ${ours}, pandas ${theirs}`;
        if (text !== '') seen++;
      }
    }
  }
  return seen > 0 ? null : 'pandas has no value of these items';
}

const isSame = (a: number, b: number, statistic: string): boolean =>
  Object.is(a, b) || (statistic === 'mean' ? Math.abs(a - b) <= 1e-12 * Math.abs(b) : a === b);
