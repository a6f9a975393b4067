/**
 * Every attempt at a model, one JSON line each, written before its answer is used. `answers.jsonl` holds accepted answers,
 * `failures.jsonl` everything else, so that no refusal can ever be taken for an answer.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { existsSync, fileError, mkdir } from './files.js';
import { releaseLock, takeLock } from './folder-lock.js';
import { type AttemptRecord, damaged, line, readLines, setAside } from './llm-lines.js';

export const ANSWERS_FILE = 'answers.jsonl';
export const FAILURES_FILE = 'failures.jsonl';
const LOCK_FILE = 'lock';

/** A record and its place in the order of writing. */
export interface Stored extends AttemptRecord {
  readonly order: number;
}

export interface AnswerStore {
  /** The first accepted answer of a key. */
  accepted(key: string): Stored | undefined;
  /** The last failure of a key. */
  failed(key: string): Stored | undefined;
  /** Writes a line and waits until the disk has it. */
  append(record: AttemptRecord): Promise<void>;
  /** Lines that a killed process left half written; they were set aside. */
  readonly torn: number;
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly dir: string;
  /** Files with recorded answers or failures, read only; they are taken before the folder's own. */
  readonly recorded: readonly string[];
  /** Without it the folder may be absent, is not locked and not repaired. */
  readonly is_writable: boolean;
}

/** Opens the store. Damage other than a half-written last line is a DataError with file and line. */
export async function openStore(options: StoreOptions): Promise<AnswerStore> {
  const { dir, recorded, is_writable } = options;
  if (is_writable) {
    await mkdir(dir, { recursive: true });
    takeLock(join(dir, LOCK_FILE));
  }
  try {
    return await readStore(dir, recorded, is_writable);
  } catch (error) {
    if (is_writable) await releaseLock(join(dir, LOCK_FILE));
    throw error;
  }
}

async function readStore(
  dir: string,
  recorded: readonly string[],
  is_writable: boolean,
): Promise<AnswerStore> {
  const accepted = new Map<string, Stored>();
  const failed = new Map<string, Stored>();
  let order = 0;
  const add = (record: AttemptRecord): void => {
    const stored = { ...record, order: order++ };
    if (record.outcome !== 'accepted') failed.set(record.key, stored);
    else if (!accepted.has(record.key)) accepted.set(record.key, stored);
  };
  for (const file of recorded) {
    const { records, tail } = readLines(file);
    if (tail) throw damaged(file, records.length + 1, 'a line without its end');
    records.forEach(add);
  }
  let torn = 0;
  for (const file of [ANSWERS_FILE, FAILURES_FILE].map((f) => join(dir, f)).filter(existsSync)) {
    const { records, tail, start } = readLines(file);
    records.forEach(add);
    if (!tail) continue;
    torn++;
    if (is_writable) await setAside(file, tail, start);
  }
  const writers = new Map<string, FileHandle>();
  let queue: Promise<void> = Promise.resolve();
  const write = async (record: AttemptRecord): Promise<void> => {
    const path = join(dir, record.outcome === 'accepted' ? ANSWERS_FILE : FAILURES_FILE);
    try {
      const handle = writers.get(path) ?? (await open(path, 'a'));
      writers.set(path, handle);
      await handle.appendFile(line(record));
      await handle.datasync();
    } catch (error) {
      throw fileError(error, path);
    }
    add(record);
  };
  return {
    accepted: (key) => accepted.get(key),
    failed: (key) => failed.get(key),
    append: (record) => {
      if (!is_writable) throw new Error('the store of answers is read only');
      // One line after the other: two appends must never mix.
      const done = queue.then(() => write(record));
      queue = done.catch(() => undefined);
      return done;
    },
    torn,
    close: async () => {
      await queue;
      for (const handle of writers.values()) await handle.close();
      if (is_writable) await releaseLock(join(dir, LOCK_FILE));
    },
  };
}
