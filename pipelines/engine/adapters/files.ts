/** Files of the world: hashing, folders, atomic publication. The only module besides its neighbours that imports node:fs. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { copyFile, mkdir as makeFolder, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileSink, FolderFile, FolderWriter } from '../../../stages/contract.js';
import { DataError } from '../errors.js';

/** The folder that holds package.json, seen from the running code. */
export const PROJECT_ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

function findRoot(from: string): string {
  if (existsSync(join(from, 'package.json')) && existsSync(join(from, 'Makefile'))) return from;
  const up = dirname(from);
  if (up === from) throw new Error('the project root was not found');
  return findRoot(up);
}

/** SHA-256 of a file, read as a stream. Unreadable files are a DataError. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }))
      hash.update(chunk as Buffer);
  } catch (error) {
    throw fileError(error, path);
  }
  return hash.digest('hex');
}

/** Turns a system error into one that says what to do; others pass through. */
export function fileError(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  const next: Record<string, string> = {
    ENOENT: 'check the path',
    EACCES: 'give the current user the right to read and write it',
    EPERM: 'give the current user the right to read and write it',
    ENOSPC: 'free disk space and run the same command again; finished stages are kept',
    EISDIR: 'name a file, not a folder',
    ENOTDIR: 'a part of this path is a file; name a folder',
    ENAMETOOLONG: 'choose a shorter path',
    EROFS: 'choose a folder that can be written',
  };
  if (!code || !next[code]) return error;
  return new DataError({ message: `the file system refused (${code})`, file: path, next: next[code] });
}

/** Makes a folder and the folders above it; what the file system refuses is a DataError. */
export async function mkdir(path: string, options: { readonly recursive: true }): Promise<void> {
  try {
    await makeFolder(path, options);
  } catch (error) {
    throw fileError(error, path);
  }
}

/** All files below a folder, as sorted relative paths with forward slashes. */
export function listFiles(root: string): string[] {
  const out: string[] = [];
  const walk = (dir: string): void => {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) walk(path);
      else out.push(relative(root, path).split(sep).join('/'));
    }
  };
  walk(root);
  return out.sort();
}

/** Names of the folders directly below a folder, sorted. */
export function listFolders(root: string): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** True while a process with this id runs on this machine. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a file was last written, in milliseconds. */
export const modifiedAt = (path: string): number => statSync(path).mtimeMs;

/** Hashes every file of a folder. */
export async function hashFolder(root: string): Promise<FolderFile[]> {
  const out: FolderFile[] = [];
  for (const path of listFiles(root)) {
    const location = join(root, path);
    out.push({ path, location, bytes: statSync(location).size, sha256: await hashFile(location) });
  }
  return out;
}

/** Writes text through a temporary name, so that a reader never sees half a file. */
export async function writeAtomic(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await makeFolder(dirname(path), { recursive: true });
    await writeFile(temporary, content);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw fileError(error, path);
  }
}

/** Renames unless the target is there, also when another process makes it in the same moment. */
export async function renameNew(from: string, to: string): Promise<boolean> {
  if (existsSync(to)) return false;
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    throw error;
  }
}

/** A writer for the files of an output folder. */
export function folderWriter(root: string): FolderWriter {
  return {
    open: (path) => fileSink(join(root, path)),
    text: async (path, content) => {
      const sink = fileSink(join(root, path));
      await sink.write(Buffer.from(content));
      await sink.close();
    },
  };
}

function fileSink(path: string): FileSink {
  let stream: ReturnType<typeof createWriteStream> | undefined;
  let failure: unknown;
  const opened = async (): Promise<ReturnType<typeof createWriteStream>> => {
    if (!stream) {
      await mkdir(dirname(path), { recursive: true });
      stream = createWriteStream(path);
      stream.on('error', (error) => {
        failure = error;
      });
    }
    if (failure) throw fileError(failure, path);
    return stream;
  };
  return {
    write: async (bytes) => {
      const out = await opened();
      if (!out.write(bytes)) await drained(out);
      if (failure) throw fileError(failure, path);
    },
    close: async () => {
      const out = await opened();
      out.end();
      if (!out.closed) await once(out, 'close').catch(() => undefined);
      if (failure) throw fileError(failure, path);
    },
  };
}

/** Waits until a stream takes more bytes or has ended; leaves no listener behind, however often it is called. */
async function drained(out: ReturnType<typeof createWriteStream>): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  await Promise.race([once(out, 'drain', { signal }), once(out, 'close', { signal })]);
  done.abort();
}

/** A folder name of the operating system's temporary space, for spill files. */
export const scratchFolder = (use: string): string => join(tmpdir(), `benchwright-${use}-${process.pid}`);

export { copyFile, existsSync, readFile, readFileSync, rename, rm, statSync };
