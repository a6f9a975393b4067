/** Files from outside: which ones are used, their hashes, and their access class. */
import { join } from 'node:path';
import { LOCK_FILE, type LockEntry, parseLock } from '../../schemas/lock.js';
import type { AccessClass, FolderFile } from '../../stages/contract.js';
import {
  existsSync,
  fileError,
  hashFile,
  hashFolder,
  listFiles,
  PROJECT_ROOT,
  readFileSync,
  statSync,
} from './adapters/files.js';
import { DataError, UsageError } from './errors.js';
import { hashFiles } from './outputs.js';
import { highest } from './policy.js';

/** A folder source, ready to be bound to a stage input. */
export interface Source {
  readonly files: readonly FolderFile[];
  readonly sha256: string;
  readonly access: AccessClass;
}

/** A list of checksums is no data: it says nothing about the class. */
const CHECKSUMS = 'SHA256SUMS.txt';

/**
 * Collects the wanted files, and the optional ones that are there, from directories; the first directory that has a file
 * wins. The class is `credentialed` unless every file is an `open` entry of raw/lock.json by its SHA-256.
 */
export async function folderSource(
  directories: readonly string[],
  wanted: readonly string[],
  optional: readonly string[],
): Promise<Source> {
  const open = openHashes();
  const files: FolderFile[] = [];
  for (const dir of directories) checkDirectory(dir, 'name the folder that holds hosp/ and icu/');
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
  const is_open = files.filter((f) => f.path !== CHECKSUMS).every((f) => open.has(f.sha256));
  return { files, sha256: hashFiles(files), access: is_open ? 'open' : 'credentialed' };
}

/** A source of files that raw/lock.json knows one by one. */
export interface LockedSource extends Source {
  /** The lock entries of `files`, in the same order. */
  readonly entries: readonly LockEntry[];
  /** Mounted files that are absent; whoever builds is told. */
  readonly skipped: readonly string[];
}

export interface LockedOptions {
  /** Where mounted files lie; `../shared/data` beside the project when left out. */
  readonly mountDir?: string;
  /** True for edition tests: superseded files are taken too. */
  readonly allowSuperseded?: boolean;
  /** Another project folder, for tests. */
  readonly root?: string;
}

/**
 * Files by their path in raw/lock.json. A path without entry, a file that differs from its entry (both hashes named), a
 * superseded edition and a missing project file are a DataError; a mounted file that is absent is skipped.
 */
export async function lockedSource(
  names: readonly string[],
  options: LockedOptions = {},
): Promise<LockedSource> {
  const root = options.root ?? PROJECT_ROOT;
  const lock = new Map(readLock(root).map((e) => [e.path, e]));
  if (options.mountDir !== undefined) checkDirectory(options.mountDir, 'name the folder of mounted files');
  const mount = options.mountDir ?? join(root, '../shared/data');
  const found: { file: FolderFile; entry: LockEntry }[] = [];
  const skipped: string[] = [];
  for (const path of [...new Set(names)].sort()) {
    const entry = lock.get(path) ?? (await throwUnlocked(path, join(root, path)));
    if (entry.superseded_by && !options.allowSuperseded) throw superseded(entry, entry.superseded_by);
    const location = join(entry.is_mounted ? mount : root, path);
    if (entry.is_mounted && !existsSync(location)) skipped.push(path);
    else found.push({ file: await checkedFile(entry, location), entry });
  }
  const files = found.map((f) => f.file);
  const entries = found.map((f) => f.entry);
  return {
    files,
    entries,
    skipped,
    sha256: hashFiles(files),
    access: highest(entries.map((e) => e.access_class)),
  };
}

/** Files of a project folder (`raw/guidelines`) that raw/lock.json does not know; passed to `lockedSource` they are refused. */
export function unlockedFiles(folder: string, root = PROJECT_ROOT): string[] {
  const known = new Set(readLock(root).map((e) => e.path));
  const paths = listFiles(join(root, folder)).map((path) => `${folder}/${path}`);
  return paths.filter((path) => !known.has(path) && !path.endsWith('.md'));
}

/** Every file of a project folder by its path in it: inputs of people, which grow, so that no lock knows their hash. */
export async function projectFolder(folder: string, root = PROJECT_ROOT): Promise<Source> {
  const dir = join(root, folder);
  checkDirectory(dir, `the project has a folder ${folder}, get it back`);
  const files = await hashFolder(dir);
  return { files, sha256: hashFiles(files), access: 'open' };
}

async function checkedFile(entry: LockEntry, location: string): Promise<FolderFile> {
  const sha256 = await hashFile(location);
  if (sha256 !== entry.sha256) {
    throw new DataError({
      message: 'a file differs from its entry in raw/lock.json',
      file: entry.path,
      got: `sha256 ${sha256}`,
      expected: `sha256 ${entry.sha256} (${entry.edition})`,
      next: `get the file back, or, if it was changed on purpose, give its entry in ${LOCK_FILE} the new hash and edition`,
    });
  }
  return { path: entry.path, location, bytes: statSync(location).size, sha256 };
}

async function throwUnlocked(path: string, location: string): Promise<never> {
  const got = existsSync(location) ? `sha256 ${await hashFile(location)}` : 'no such file either';
  throw new DataError({
    message: 'a file has no entry in raw/lock.json',
    file: path,
    got,
    expected: 'an entry with its sha256, source, licence, access class and edition',
    next: `add the entry to ${LOCK_FILE} once source and licence are known`,
  });
}

/** The refusal of a superseded edition. */
export function superseded(entry: LockEntry, by: string): DataError {
  return new DataError({
    message: 'a superseded edition must not be built from',
    file: entry.path,
    got: entry.edition,
    expected: by,
    next: 'use the file of the newer edition; only edition tests may ask for superseded ones',
  });
}

/** A UsageError with the next step where a path is no directory. */
export function checkDirectory(dir: string, next: string): void {
  try {
    if (statSync(dir).isDirectory()) return;
  } catch (error) {
    throw fileError(error, dir);
  }
  throw new UsageError({
    message: 'not a directory',
    file: dir,
    next,
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
  return new Set(
    readLock(PROJECT_ROOT)
      .filter((e) => e.access_class === 'open')
      .map((e) => e.sha256),
  );
}

/** The entries of raw/lock.json. */
export function readLock(root = PROJECT_ROOT): LockEntry[] {
  return parseLock(readFileSync(join(root, LOCK_FILE), 'utf8'));
}
