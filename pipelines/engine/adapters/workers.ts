/** The worker pool: declared worker modules on threads, results in task order. */
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { Piscina } from 'piscina';
import type { Workers } from '../../../stages/contract.js';
import { UsageError } from '../errors.js';
import { existsSync, PROJECT_ROOT } from './files.js';

export interface WorkerPool extends Workers {
  close(): Promise<void>;
}

/** A pool of `count` threads that may load only the `allowed` modules (paths of .ts files in the project). */
export function createWorkers(count: number, allowed: readonly string[], signal: AbortSignal): WorkerPool {
  let pool: Piscina | undefined;
  // Every task listens for an interruption.
  setMaxListeners(0, signal);
  return {
    count,
    async map({ module, name, tasks, onDone }) {
      if (!allowed.includes(module)) throw new Error(`${module} is not a declared worker module`);
      const filename = join(PROJECT_ROOT, 'build/dist', module.replace(/\.ts$/, '.js'));
      if (!existsSync(filename)) {
        throw new UsageError({
          message: 'the compiled workers are missing',
          file: module,
          next: 'npm run compile',
        });
      }
      pool ??= new Piscina({ minThreads: count, maxThreads: count, idleTimeout: 60_000 });
      let done = 0;
      return Promise.all(
        tasks.map(async (task) => {
          const result = await pool!.run(task, { filename, name, signal });
          onDone?.(++done);
          return result;
        }),
      );
    },
    close: async () => {
      await pool?.destroy();
      pool = undefined;
    },
  };
}
