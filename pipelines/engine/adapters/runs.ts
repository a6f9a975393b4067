/** What happened in one run: the only place where times, paths, hosts and worker counts are written. */
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { arch, cpus, hostname, platform } from 'node:os';
import { join } from 'node:path';
import { mkdir, writeAtomic } from './files.js';

export interface RunLog {
  readonly dir: string;
  line(fields: object): void;
  close(outcome: object): Promise<void>;
}

/** Opens build/runs/<time>-<pid>-<random>/ with run.json and log.jsonl. */
export async function openRun(buildDir: string, command: object): Promise<RunLog> {
  const started = new Date();
  const id = `${started.toISOString().replace(/[:.]/g, '-')}-${process.pid}-${randomUUID().slice(0, 4)}`;
  const dir = join(buildDir, 'runs', id);
  await mkdir(dir, { recursive: true });
  const log = join(dir, 'log.jsonl');
  const run = {
    run_id: id,
    started_at: started.toISOString(),
    command,
    node: process.version,
    platform: `${platform()}-${arch()}`,
    host: hostname(),
    cores: cpus().length,
    working_directory: process.cwd(),
  };
  const write = (more: object): Promise<void> =>
    writeAtomic(join(dir, 'run.json'), `${JSON.stringify({ ...run, ...more }, null, 2)}\n`);
  await write({ outcome: 'running' });
  return {
    dir,
    line: (fields) => appendFileSync(log, `${JSON.stringify({ at: new Date().toISOString(), ...fields })}\n`),
    close: (outcome) =>
      write({
        ...outcome,
        finished_at: new Date().toISOString(),
        seconds: (Date.now() - started.getTime()) / 1000,
        peak_memory_mb: Math.round(process.resourceUsage().maxRSS / 1024),
      }),
  };
}
