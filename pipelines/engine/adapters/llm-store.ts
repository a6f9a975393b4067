/**
 * Every attempt at a model, one JSON line each, written before its answer is used. `answers.jsonl` holds accepted answers,
 * `failures.jsonl` everything else, so that no refusal can ever be taken for an answer.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { canonicalJson } from '../../../stages/lib/canonical-json.js';
import { sha256 } from '../../../stages/lib/hash.js';
import { DataError, UsageError } from '../errors.js';
import { existsSync, fileError, isAlive, mkdir } from './files.js';

export const ANSWERS_FILE = 'answers.jsonl';
export const FAILURES_FILE = 'failures.jsonl';
const LOCK_FILE = 'lock';

const HASH = /^[0-9a-f]{64}$/;

/** One attempt. `subject` is an id; `text` is what the model wrote, so the file has the class of the rows it speaks of. */
export const AttemptRecord = z.strictObject({
  key: z.string().regex(HASH),
  stage: z.string(),
  purpose: z.string(),
  subject: z.string(),
  sample: z.int().min(0),
  provider: z.string(),
  model: z.string(),
  served_model: z.string().nullable(),
  outcome: z.string(),
  detail: z.string(),
  finish_reason: z.string().nullable(),
  text: z.string().nullable(),
  refusal: z.string().nullable(),
  response_id: z.string().nullable(),
  usage: z.strictObject({ prompt_tokens: z.int().min(0), completion_tokens: z.int().min(0) }).nullable(),
  status: z.int().nullable(),
  limit: z.int().min(1),
});
export type AttemptRecord = z.infer<typeof AttemptRecord>;

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

/** The line of a record: canonical JSON with a checksum of itself. */
const line = (record: AttemptRecord): string => `${canonicalJson({ ...record, check: checksum(record) })}\n`;

const checksum = (record: AttemptRecord): string => sha256(canonicalJson(record)).slice(0, 16);

/** The record of a line, or undefined when the line is not whole. */
function readLine(text: string): AttemptRecord | undefined {
  try {
    const { check, ...rest } = JSON.parse(text) as { check?: string };
    const record = AttemptRecord.parse(rest);
    return check === checksum(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

interface Lines {
  readonly records: readonly AttemptRecord[];
  /** Bytes after the last line end. */
  readonly tail: Buffer | undefined;
  /** Where the tail starts. */
  readonly start: number;
}

function readLines(file: string): Lines {
  const bytes = readFileSync(file);
  const start = bytes.lastIndexOf(10) + 1;
  const lines = start === 0 ? [] : bytes.toString('utf8', 0, start - 1).split('\n');
  const records = lines.map((text, i) => {
    const record = readLine(text);
    if (!record) throw damaged(file, i + 1, 'a line whose checksum or fields do not fit');
    return record;
  });
  return { records, tail: start < bytes.length ? bytes.subarray(start) : undefined, start };
}

const damaged = (file: string, row: number, got: string): DataError =>
  new DataError({
    message: 'the store of model answers is damaged',
    file,
    row,
    got,
    expected: 'whole lines as they were written',
    next: 'restore the file from a copy, or delete this line: its answer is then asked for again',
  });

/** Moves a half-written line to a file of its own, named by its content, and cuts it off. */
async function setAside(file: string, tail: Buffer, start: number): Promise<void> {
  await writeFile(`${file}.torn-${sha256(tail).slice(0, 8)}`, tail);
  await truncate(file, start);
}

/** Locks that this process holds: its own id in a lock file proves nothing, since ids come round again. */
const held = new Set<string>();

function takeLock(path: string): void {
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

async function releaseLock(path: string): Promise<void> {
  held.delete(path);
  await rm(path, { force: true });
}
