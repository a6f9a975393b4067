/** Ranking cases: the forest against scikit-learn's, first its agreement, then its speed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StageSpec } from '../../stages/contract.js';
import { rankColumns } from '../../stages/lib/importance.js';
import { rankFeatures } from '../../stages/rank-features/stage.js';
import { isPythonHere, PYTHON } from '../support/python.js';
import type { BenchCase, Comparison, Outcome, Side, StartSide } from './case.js';
import { possible, type Setting, settingLabel } from './context.js';
import { makeData } from './data.js';
import { inputDir, readMeta } from './files.js';
import type { ForestArgs } from './forest-product.js';
import type { LibraryForestArgs } from './npm-peers.js';
import { peerEnvironment } from './python.js';
import { productSide, pythonSide, runCommand } from './sides.js';
import { checkSmallForest } from './small-cases.js';

const TREES = 100;
const SETTINGS = possible(rankFeatures as StageSpec, [
  { engine: 'js', workers: 1 },
  { engine: 'wasm', workers: 1 },
  { engine: 'wasm', workers: 2 },
]);
/** T1 by engine; only from 1,000 rows on. */
const TARGETS = { js: 4, wasm: 7 };

interface ForestRuns {
  readonly runs: readonly { fit_s: number; cpu_s: number }[];
  readonly env: { readonly peak_rss_mb: number };
}

/**
 * A ranking of `n` rows x 448 columns; `seeds` is how many forests of each side are compared, `more` are worker counts
 * whose result must be the same besides.
 */
export function forestCase(n: number, seeds: number, more: readonly number[] = []): BenchCase {
  const products = [...SETTINGS, ...more.map((workers): Setting => ({ engine: 'wasm', workers }))];
  const dir = inputDir(`rf-${n}`);
  const start = (setting: Setting): StartSide => {
    const args: ForestArgs = { ...setting, dir, trees: TREES, seeds: [0] };
    return () => productSide('./forest-product.js', 'rankForest', args);
  };
  return {
    name: `rank ${n} x 448`,
    prepare: () => makeData(dir, ['rf', '--n', String(n)]),
    products: Object.fromEntries(products.map((s) => [settingLabel(s), start(s)])),
    peers: { [peerLabel(1)]: () => scikitLearn(dir, n, 1), [peerLabel(2)]: () => scikitLearn(dir, n, 2) },
    comparisons: SETTINGS.flatMap((s) => comparisonsOf(s, n)),
    check: async () => {
      if (!isPythonHere()) return checkSmallForest(SETTINGS);
      const { self, cross } = await agreementOf(dir, seeds);
      return cross >= self - 1 ? null : `T2: top 20 in common with scikit-learn: ${cross}, its own: ${self}`;
    },
    notes: async () => {
      if (!isPythonHere()) return ['T2 was checked on small data with stored answers'];
      const { self, cross } = await agreementOf(dir, seeds);
      return [`T2 met: of the top 20, ${cross} in common with scikit-learn, which has ${self} with itself`];
    },
  };
}

/** The npm library on 200 rows and 20 trees; more would take it minutes. */
export function libraryForestCase(): BenchCase {
  const [n, trees, dir] = [200, 20, inputDir('rf-200')];
  const product = (setting: Setting): StartSide => {
    const args: ForestArgs = { ...setting, dir, trees, seeds: [0] };
    return () => productSide('./forest-product.js', 'rankForest', args);
  };
  const library = (importance: LibraryForestArgs['importance']): StartSide => {
    const args: LibraryForestArgs = { dir, trees, importance };
    return () => productSide('./npm-peers.js', 'libraryForest', args);
  };
  const settings = SETTINGS.filter((s) => s.workers === 1);
  const peers = { 'ml-random-forest': library('own'), 'the same, corrected': library('corrected') };
  return {
    name: `rank ${n} x 448, ${trees} trees`,
    prepare: () => makeData(dir, ['rf', '--n', String(n)]),
    products: Object.fromEntries(settings.map((s) => [settingLabel(s), product(s)])),
    peers,
    comparisons: settings.flatMap((s) =>
      Object.keys(peers).map((peer) => ({ measure: 'forest', product: settingLabel(s), peer })),
    ),
    // A wrong ranking of the peer is a finding; the product's is checked by the case before.
    check: async () => null,
    notes: async (results) =>
      Object.entries(results).map(
        ([label, forests]) => `${label}: ${describeImportances(dir, (forests as number[][])[0]!)}`,
      ),
  };
}

/** How many of the columns that carry signal are in the top 20, where that is known, and what cannot be right. */
function describeImportances(dir: string, importance: readonly number[]): string {
  const { informative } = readMeta<{ informative: readonly number[] }>(dir);
  const top = rankColumns(Float64Array.from(importance)).slice(0, 20);
  const found = informative.filter((f) => top.includes(f)).length;
  const negative = `${importance.filter((x) => x < 0).length} negative importances`;
  if (informative.length === 0) return negative;
  return `${found} of ${informative.length} informative columns in the top 20, ${negative}`;
}

const peerLabel = (jobs: number): string => `scikit-learn, ${jobs} ${jobs === 1 ? 'job' : 'jobs'}`;

/** `forest` is what a diagnosis costs in a run: bins are made once for the cohort. With them: `total`. */
function comparisonsOf(setting: Setting, n: number): Comparison[] {
  const sides = { product: settingLabel(setting), peer: peerLabel(setting.workers) };
  const target = n < 1000 ? {} : { target: { id: 'T1', ratio: TARGETS[setting.engine] } };
  return [
    { ...sides, measure: 'forest', ...target },
    { ...sides, measure: 'total' },
  ];
}

/** Short fits are repeated in the process and the last one counts, so that the first use of a library is not in it. */
function scikitLearn(dir: string, n: number, jobs: number): Promise<Side | null> {
  const args = [dir, '--trees', String(TREES), '--jobs', String(jobs), '--seeds', n < 2000 ? '2' : '1'];
  return pythonSide('ref_rf.py', args, jobs, ({ runs, env }: ForestRuns): Outcome => {
    const time = { wall_s: runs.at(-1)!.fit_s, cpu_s: runs.at(-1)!.cpu_s };
    return { times: { forest: time, total: time }, peak_mb: env.peak_rss_mb, result: null };
  });
}

interface Agreement {
  readonly self: number;
  readonly cross: number;
}
interface Printed {
  readonly agreement: Record<keyof Agreement, { readonly top_overlap: number }>;
}

const agreements = new Map<string, Promise<Agreement>>();

/** Mean number of columns that two top 20s share: of scikit-learn with itself by seed, and with the product. */
function agreementOf(dir: string, seeds: number): Promise<Agreement> {
  const known = agreements.get(dir) ?? compareRankings(dir, seeds);
  agreements.set(dir, known);
  return known;
}

async function compareRankings(dir: string, seeds: number): Promise<Agreement> {
  const args: ForestArgs = {
    ...SETTINGS.at(-1)!,
    dir,
    trees: TREES,
    seeds: Array.from({ length: seeds }, (_, s) => s),
  };
  const side = await productSide('./forest-product.js', 'rankForest', args);
  const { result } = await side.run();
  side.close();
  const scratch = mkdtempSync(join(tmpdir(), 'bench-'));
  const file = join(scratch, 'importances.json');
  writeFileSync(file, JSON.stringify({ importances: result }));
  const script = ['tests/oracles/ref_rf.py', dir, '--trees', String(TREES), '--seeds', String(seeds)];
  const command = [...script, '--jobs', '2', '--compare', file];
  const { stdout } = await runCommand(PYTHON, command, peerEnvironment(2));
  rmSync(scratch, { recursive: true });
  const { self, cross } = (JSON.parse(stdout) as Printed).agreement;
  return { self: self.top_overlap, cross: cross.top_overlap };
}
