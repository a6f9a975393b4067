/** A strict, dependency-free reader of MIMIC-IV CSV files, so that the recomputation shares nothing with the product. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export type Num = number | null;
export type Text = string | null;

/** Reads a column of the record at hand; an empty field is null. */
export type Field = (column: string) => Text;

/** Reads `hosp/labevents.csv` or `.csv.gz` from the first folder that has it; `make` returns null for a record to leave out. */
export function readTable<T>(dirs: readonly string[], table: string, make: (field: Field) => T | null): T[] {
  const text = textOf(dirs, table).replace(/^\uFEFF/, '');
  const records = recordsOf(text);
  const header = records.next().value?.map((name) => name.toLowerCase()) ?? [];
  const position = new Map(header.map((name, index) => [name, index]));
  let record: string[] = [];
  const field: Field = (column) => {
    const index = position.get(column);
    if (index === undefined) throw new Error(`${table}: no column ${column}`);
    return record[index] === '' ? null : record[index]!;
  };
  const rows: T[] = [];
  for (record of records) {
    if (record.length !== header.length)
      throw new Error(`${table}: ${record.length} fields, not ${header.length}`);
    const row = make(field);
    if (row !== null) rows.push(row);
  }
  return rows;
}

function textOf(dirs: readonly string[], table: string): string {
  for (const dir of dirs) {
    const plain = join(dir, `${table}.csv`);
    if (existsSync(`${plain}.gz`)) return gunzipSync(readFileSync(`${plain}.gz`)).toString('utf8');
    if (existsSync(plain)) return readFileSync(plain, 'utf8');
  }
  throw new Error(`${table} is in none of ${dirs.join(', ')}`);
}

/** Splits at commas and line ends outside quotes; a doubled quote inside quotes is one quote. */
function* recordsOf(text: string): Generator<string[], undefined> {
  let at = 0;
  while (at < text.length) {
    let end = lineEnd(text, at);
    while (isOpen(text.slice(at, end)) && end < text.length) end = lineEnd(text, end + 1);
    const line = text.slice(at, end).replace(/\r$/, '');
    if (line !== '') yield line.includes('"') ? quotedFields(line) : line.split(',');
    at = end + 1;
  }
  return undefined;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function isOpen(line: string): boolean {
  return line.includes('"') && line.split('"').length % 2 === 0;
}

function quotedFields(line: string): string[] {
  const fields: string[] = [];
  let current = '';
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const char = line[i]!;
    if (char === '"' && quoted && line[i + 1] === '"') {
      current += '"';
      i++;
    } else if (char === '"') quoted = !quoted;
    else if (char === ',' && !quoted) {
      fields.push(current);
      current = '';
    } else current += char;
  }
  return [...fields, current];
}

/** A number written plainly; anything else is an error, never a guess. */
export function numberOf(text: Text): Num {
  if (text === null) return null;
  if (!/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())) throw new Error(`not a number: ${text}`);
  return Number(text);
}

/** `2150-01-31 23:59:00` (or a bare date, its midnight) as milliseconds. */
export function timeOf(text: Text): Num {
  if (text === null) return null;
  const found = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d):(\d\d(?:\.\d+)?))?$/.exec(text);
  if (!found) throw new Error(`not a time: ${text}`);
  const [year, month, day, hour, minute, second] = found.slice(1).map((part) => Number(part ?? 0));
  return Date.UTC(year!, month! - 1, day!, hour!, minute!) + Math.round(second! * 1000);
}

/** A number, or null where the field is no plain number (a dirty row of the source). */
export function lenientNumberOf(text: Text): Num {
  try {
    return numberOf(text);
  } catch {
    return null;
  }
}
