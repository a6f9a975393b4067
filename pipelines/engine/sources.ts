/** Files from outside: which ones are used, their hashes, and their access class. */
import { join } from 'node:path';
import { LOCK_FILE, parseLock } from '../../schemas/lock.js';
import type { AccessClass, FolderFile } from '../../stages/contract.js';
import { existsSync, fileError, hashFile, PROJECT_ROOT, readFileSync, statSync } from './adapters/files.js';
import { UsageError } from './errors.js';
import { hashFiles } from './outputs.js';

/** A folder source, ready to be bound to a stage input. */
export interface Source {
  readonly files: readonly FolderFile[];
  readonly sha256: string;
  readonly access: AccessClass;
}

/**
 * Collects the wanted files from directories; the first directory that has a file wins.
 * The class is `credentialed` unless every file is an `open` entry of raw/lock.json by its SHA-256.
 */
export async function folderSource(
  directories: readonly string[],
  wanted: readonly string[],
  optional: readonly string[],
): Promise<Source> {
  const open = openHashes();
  const files: FolderFile[] = [];
  for (const dir of directories) checkDirectory(dir);
  for (const name of [...wanted, ...optional]) {
    const found = directories.flatMap((d) =>
      [`${name}.gz`, name].map((path) => ({ path, location: join(d, path) })),
    );
    const file = found.find((f) => existsSync(f.location));
    if (file)
      files.push({ ...file, bytes: statSync(file.location).size, sha256: await hashFile(file.location) });
    else if (wanted.includes(name)) throw missing(name, directories);
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const is_open = files.filter((f) => !optional.includes(f.path)).every((f) => open.has(f.sha256));
  return { files, sha256: hashFiles(files), access: is_open ? 'open' : 'credentialed' };
}

function checkDirectory(dir: string): void {
  try {
    if (statSync(dir).isDirectory()) return;
  } catch (error) {
    throw fileError(error, dir);
  }
  throw new UsageError({
    message: 'not a directory',
    file: dir,
    next: 'name the folder that holds hosp/ and icu/',
  });
}

function missing(name: string, directories: readonly string[]): UsageError {
  return new UsageError({
    message: 'a table of the extract is missing',
    file: `${name}.gz`,
    got: `looked in ${directories.join(' and ')}`,
    expected: `${name}.gz or ${name} in one of them`,
    next: 'name the folder that holds hosp/ and icu/, or several joined with ":"',
  });
}

/** SHA-256 of every file that raw/lock.json calls open. */
function openHashes(): Set<string> {
  const entries = parseLock(readFileSync(join(PROJECT_ROOT, LOCK_FILE), 'utf8'));
  return new Set(entries.filter((e) => e.access_class === 'open').map((e) => e.sha256));
}
