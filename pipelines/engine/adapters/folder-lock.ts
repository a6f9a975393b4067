/** One writer a folder: a lock file with the id of the process, which outlives no process. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { UsageError } from '../errors.js';
import { fileError, isAlive } from './files.js';

/** Locks that this process holds: its own id in a lock file proves nothing, since ids come round again. */
const held = new Set<string>();

/** Takes the lock; another living process that holds it is a UsageError. */
export function takeLock(path: string): void {
  if (createLock(path)) return;
  const owner = Number(readFileSync(path, 'utf8'));
  const is_taken = owner === process.pid ? held.has(path) : isAlive(owner);
  if (is_taken) throw locked(path, owner);
  // Left by a process that was killed. Another one may replace it in the same moment: then its lock is put back.
  const aside = `${path}.${process.pid}`;
  renameSync(path, aside);
  const found = Number(readFileSync(aside, 'utf8'));
  if (found !== owner) {
    renameSync(aside, path);
    throw locked(path, found);
  }
  rmSync(aside);
  if (!createLock(path)) throw locked(path, Number(readFileSync(path, 'utf8')));
}

function createLock(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    held.add(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fileError(error, path);
  }
}

const locked = (path: string, owner: number): UsageError =>
  new UsageError({
    message: 'another build is asking models with this build folder',
    file: path,
    got: `process ${owner}`,
    next: 'wait for it to end, or give another folder with --build-dir',
  });

/** Gives the lock back. */
export async function releaseLock(path: string): Promise<void> {
  held.delete(path);
  await rm(path, { force: true });
}
