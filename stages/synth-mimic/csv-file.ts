/** One csv.gz of the extract: rows become text, blocks of fixed size become gzip members with fixed settings. */
import { Gzip } from 'fflate';
import type { MimicColumn } from '../../schemas/mimic-files.js';
import type { FileSink } from '../contract.js';
import { sha256Stream } from '../lib/hash.js';
import type { Row } from './rows.js';
import { dateText, timeText } from './time.js';

/** Text handed to the compressor at once; part of what fixes the bytes. */
const CHUNK = 1 << 18;
const LEVEL = 4;

/** How a file is written; the odd ones are D91 and D92. */
export interface FileStyle {
  /** Rows of a gzip member; 0 for one member. */
  readonly memberRows: number;
  readonly hasBom: boolean;
  readonly isCrlf: boolean;
}

export const PLAIN: FileStyle = { memberRows: 0, hasBom: false, isCrlf: false };

const encoder = new TextEncoder();
const NEEDS_QUOTES = /[",\n\r]/;

/** A text as a cell of csv; an empty text is a quoted empty field (D90), other than null. */
export const cellOf = (text: string): string =>
  text === '' || NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Writes rows in order, counting them and hashing the bytes. */
export class CsvFile {
  rows = 0;
  members = 0;
  private text = '';
  private gzip: Gzip | undefined;
  private readonly pending: Uint8Array[] = [];
  private readonly hash = sha256Stream();
  private readonly newline: string;

  readonly path: string;
  private readonly sink: FileSink;
  private readonly columns: readonly MimicColumn[];
  private readonly style: FileStyle;

  constructor(path: string, sink: FileSink, columns: readonly MimicColumn[], style: FileStyle) {
    this.path = path;
    this.sink = sink;
    this.columns = columns;
    this.style = style;
    this.newline = style.isCrlf ? '\r\n' : '\n';
    this.text = `${style.hasBom ? '\ufeff' : ''}${columns.map((c) => c.name).join(',')}${this.newline}`;
  }

  /** Appends rows; call `flush` now and then. */
  add(rows: readonly Row[]): void {
    for (const row of rows) {
      if (this.style.memberRows > 0 && this.rows > 0 && this.rows % this.style.memberRows === 0) {
        this.push(true);
      }
      this.text += this.line(row);
      this.rows++;
      if (this.text.length >= CHUNK) this.push(false);
    }
  }

  /** Appends whole lines that are ready, `rows` of them; the bytes are copied. */
  addLines(lines: Uint8Array, rows: number): void {
    if (this.text !== '') this.push(false);
    this.opened().push(lines, false);
    this.rows += rows;
  }

  private line(row: Row): string {
    let out = '';
    for (let k = 0; k < this.columns.length; k++) {
      const { name, type } = this.columns[k]!;
      const value = row[name];
      if (value === undefined) throw new Error(`${this.path}: a row has no ${name}`);
      if (k > 0) out += ',';
      if (value === null) continue;
      if (typeof value === 'number') {
        out += type === 'timestamp' ? timeText(value) : type === 'date' ? dateText(value) : value;
      } else out += cellOf(value);
    }
    return out + this.newline;
  }

  private push(endsMember: boolean): void {
    this.opened().push(encoder.encode(this.text), endsMember);
    this.text = '';
    if (endsMember) this.gzip = undefined;
  }

  /** The compressor of the running member; begins one when there is none. */
  private opened(): Gzip {
    if (!this.gzip) {
      this.gzip = new Gzip({ level: LEVEL, mtime: 0 }, (chunk) => {
        if (chunk.length > 0) this.pending.push(chunk);
      });
      this.members++;
    }
    return this.gzip;
  }

  /** Hands compressed bytes to the sink. */
  async flush(): Promise<void> {
    if (this.pending.length === 0) return;
    const bytes = joined(this.pending.splice(0));
    this.hash.update(bytes);
    await this.sink.write(bytes);
  }

  /** Ends the last member and returns the sha256 of the file. */
  async close(): Promise<string> {
    this.push(true);
    await this.flush();
    await this.sink.close();
    return this.hash.hex();
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, x) => sum + x.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
