/** Debian's Python with scikit-learn, scipy and pandas: the oracles and the benchmark's peers. */
import { spawnSync } from 'node:child_process';

export const PYTHON = '/usr/bin/python3';
const PACKAGES = ['numpy', 'scipy', 'sklearn', 'pandas'];
const FIND = `import importlib.util as u, sys; sys.exit(not all(u.find_spec(p) for p in ${JSON.stringify(PACKAGES)}))`;

let isHere: boolean | undefined;

/** Whether the scripts of tests/oracles can run. ORACLES=stored says no. */
export function isPythonHere(): boolean {
  isHere ??= process.env.ORACLES !== 'stored' && spawnSync(PYTHON, ['-c', FIND]).status === 0;
  return isHere;
}

/** Where the answers of the oracles come from in this run. */
export const oracleSource = (): string =>
  isPythonHere() ? 'scikit-learn and numpy, run now' : 'stored answers';
