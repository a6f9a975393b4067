/** Ranking cases: the forest against scikit-learn's, first its agreement, then its speed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StageSpec } from '../../stages/contract.js';
import { rankFeatures } from '../../stages/rank-features/stage.js';
import { PYTHON } from '../support/python.js';
import type { BenchCase, Comparison, Outcome, Side, StartSide } from './case.js';
import { possible, type Setting, settingLabel } from './context.js';
import { makeData } from './data.js';
import type { ForestArgs } from './forest-product.js';
import { peerEnvironment } from './python.js';
import { productSide, pythonSide, runCommand } from './sides.js';

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

/** A ranking of `n` rows x 448 columns; `seeds` is how many forests of each side are compared. */
export function forestCase(n: number, seeds: number): BenchCase {
  const dir = `build/bench/data/rf-${n}`;
  const start = (setting: Setting): StartSide => {
    const args: ForestArgs = { ...setting, dir, trees: TREES, seeds: [0] };
    return () => productSide('./forest-product.js', 'rankForest', args);
  };
  return {
    name: `rank ${n} x 448`,
    prepare: () => makeData(dir, ['rf', '--n', String(n)]),
    products: Object.fromEntries(SETTINGS.map((s) => [settingLabel(s), start(s)])),
    peers: { [peerLabel(1)]: () => scikitLearn(dir, n, 1), [peerLabel(2)]: () => scikitLearn(dir, n, 2) },
    comparisons: SETTINGS.flatMap((s) => comparisonsOf(s, n)),
    check: () => checkAgreement(dir, seeds),
  };
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
  readonly agreement: Record<'self' | 'cross', { readonly top_overlap: number }>;
}

/** The top 20 of both overlap as much as scikit-learn's own with another seed, minus one column (T2). */
async function checkAgreement(dir: string, seeds: number): Promise<string | null> {
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
  const { self, cross } = (JSON.parse(stdout) as Agreement).agreement;
  if (cross.top_overlap >= self.top_overlap - 1) return null;
  return `top 20: ${cross.top_overlap} in common with scikit-learn, which has ${self.top_overlap} with itself`;
}
