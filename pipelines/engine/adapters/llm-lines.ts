/** Lines of the store of answers: one record each, with a checksum of itself. */
import { readFileSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { canonicalJson } from '../../../stages/lib/canonical-json.js';
import { sha256 } from '../../../stages/lib/hash.js';
import { DataError } from '../errors.js';

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

/** The line of a record: canonical JSON with a checksum of itself. */
export const line = (record: AttemptRecord): string =>
  `${canonicalJson({ ...record, check: checksum(record) })}\n`;

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

/** A file of the store. */
export interface Lines {
  readonly records: readonly AttemptRecord[];
  /** Bytes after the last line end. */
  readonly tail: Buffer | undefined;
  /** Where the tail starts. */
  readonly start: number;
}

/** Reads a file; a whole line that is damaged is a DataError with its number. */
export function readLines(file: string): Lines {
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

/** Damage of the store. */
export const damaged = (file: string, row: number, got: string): DataError =>
  new DataError({
    message: 'the store of model answers is damaged',
    file,
    row,
    got,
    expected: 'whole lines as they were written',
    next: 'restore the file from a copy, or delete this line: its answer is then asked for again',
  });

/** Moves a half-written line to a file of its own, named by its content, and cuts it off. */
export async function setAside(file: string, tail: Buffer, start: number): Promise<void> {
  await writeFile(`${file}.torn-${sha256(tail).slice(0, 8)}`, tail);
  await truncate(file, start);
}
