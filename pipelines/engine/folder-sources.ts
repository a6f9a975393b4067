/** Folders of documents that raw/lock.json, or a lock of their own, knows by the hash of every file; and recorded answers. */
import { basename, join, relative } from 'node:path';
import { LOCK_FILE, type LockEntry, parseLock } from '../../schemas/lock.js';
import type { FolderFile } from '../../stages/contract.js';
import { existsSync, hashFolder, readFileSync } from './adapters/files.js';
import { DataError, UsageError } from './errors.js';
import { hashFiles } from './outputs.js';
import { highest } from './policy.js';
import { checkDirectory, type LockedSource, readLock, type Source, superseded } from './sources.js';

/** Entries for documents that the project may not list, beside them; what raw/lock.json says of a hash stands above it. */
export const OWN_LOCK = 'lock.json';

/** Which files of a folder are documents. */
export interface DocumentKind {
  /** In words, for messages. */
  readonly called: string;
  readonly pattern: RegExp;
}

/**
 * Every document of a folder, known by its SHA-256 and named as its lock entry names it. A file without entry, a
 * superseded edition, another kind of file and a folder without documents are errors; notes (*.md) are passed over.
 */
export async function documentFolder(dir: string, kind: DocumentKind): Promise<LockedSource> {
  checkDirectory(dir, `name the folder that holds the ${kind.called}`);
  const known = new Map([...ownLock(dir), ...readLock()].map((e) => [e.sha256, e]));
  const found: { file: FolderFile; entry: LockEntry }[] = [];
  for (const file of await hashFolder(dir)) {
    if (file.path === OWN_LOCK || file.path.endsWith('.md')) continue;
    if (!kind.pattern.test(file.path)) throw strange(dir, file.path, kind);
    const entry = known.get(file.sha256) ?? throwUnknown(dir, file);
    if (entry.superseded_by) throw superseded(entry, entry.superseded_by);
    found.push({ file: { ...file, path: entry.path }, entry });
  }
  if (found.length === 0) throw empty(dir, kind);
  found.sort((a, b) => (a.file.path < b.file.path ? -1 : 1));
  const files = found.map((f) => f.file);
  const entries = found.map((f) => f.entry);
  return {
    files,
    entries,
    skipped: [],
    sha256: hashFiles(files),
    access: highest(entries.map((e) => e.access_class)),
  };
}

function ownLock(dir: string): LockEntry[] {
  const file = join(dir, OWN_LOCK);
  if (!existsSync(file)) return [];
  try {
    return parseLock(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new DataError({
      message: `the lock of a folder cannot be read: ${(error as Error).message.split('\n')[0]}`,
      file,
      expected: `entries of the same form as in ${LOCK_FILE}`,
      next: 'correct the entry',
    });
  }
}

function strange(dir: string, path: string, kind: DocumentKind): DataError {
  return new DataError({
    message: 'a folder of documents holds another kind of file',
    file: join(dir, path),
    expected: kind.called,
    next: 'move the file elsewhere, so that it is plain that nothing is read from it',
  });
}

function empty(dir: string, kind: DocumentKind): UsageError {
  return new UsageError({
    message: 'the folder holds no document',
    file: dir,
    expected: kind.called,
    next: 'name another folder, or leave the option out',
  });
}

function throwUnknown(dir: string, file: FolderFile): never {
  throw new DataError({
    message: 'a document is not the file of any lock entry',
    file: join(dir, file.path),
    got: `sha256 ${file.sha256}`,
    expected: `an entry with this sha256 in ${LOCK_FILE} or in ${OWN_LOCK} beside the file`,
    next: 'get the locked file back, or add an entry once source, licence, access class, edition and coverage are known',
  });
}

/**
 * Answers of models that a build has recorded (`build/answers`: a folder for each access class). Their class is the
 * highest of these folders.
 */
export async function recordedAnswers(dir: string): Promise<Source> {
  checkDirectory(dir, 'name the folder answers of a build folder');
  const files = (await hashFolder(dir)).filter((f) => basename(f.path).endsWith('.jsonl'));
  const classes = ['open', 'restricted', 'credentialed'] as const;
  const strangers = files.filter((f) => !classes.some((c) => f.path.startsWith(`${c}/`)));
  if (files.length === 0 || strangers.length > 0)
    throw new UsageError({
      message: 'these are not the recorded answers of a build',
      file: dir,
      got: strangers.map((f) => relative(dir, f.location)).join(', ') || 'no .jsonl file',
      expected: 'open/, restricted/ or credentialed/ with the answers in them',
      next: 'name the folder answers of a build folder, for example build/answers',
    });
  const access = highest(classes.filter((c) => files.some((f) => f.path.startsWith(`${c}/`))));
  return { files, sha256: hashFiles(files), access };
}
