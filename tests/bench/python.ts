/** The environment in which the Python peers run. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { PYTHON } from '../support/python.js';

const threadsOf = (threads: number): NodeJS.ProcessEnv => ({
  ...process.env,
  OMP_NUM_THREADS: String(threads),
  OPENBLAS_NUM_THREADS: String(threads),
});

const BLAS = `import threadpoolctl, numpy, scipy.linalg
print(*[x.get("architecture") for x in threadpoolctl.threadpool_info() if x["user_api"] == "blas"])`;

let kernels: { found: string; chosen: string | null } | undefined;

/**
 * The matrix kernel that the peer's BLAS picks, and the one to ask for instead: an old OpenBLAS that does not know the
 * processor falls back to one of 2004 ("Prescott") and is several times slower, which would flatter the product.
 */
export function blasKernel(): { found: string; chosen: string | null } {
  if (kernels) return kernels;
  const found = spawnSync(PYTHON, ['-c', BLAS], { encoding: 'utf8' }).stdout.trim();
  const isOld = found.split(' ').includes('Prescott');
  const better = readFileSync('/proc/cpuinfo', 'utf8').includes('avx512f') ? 'SkylakeX' : 'Haswell';
  kernels = { found, chosen: isOld ? better : null };
  return kernels;
}

/** The environment of a peer with that many threads. */
export function peerEnvironment(threads: number): NodeJS.ProcessEnv {
  const { chosen } = blasKernel();
  return { ...threadsOf(threads), ...(chosen ? { OPENBLAS_CORETYPE: chosen } : {}) };
}
