/** One pass over the bytes of a csv text: records, fields and physical lines, with everything DuckDB could misread refused. */
import { isUtf8 } from 'node:buffer';
import { incompleteTail, invalidAt } from './utf8.js';

const NUL = 0;
const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
/** DuckDB's own limit of one record; nothing that is read here comes near it, but an unclosed quote does. */
const MAX_RECORD_BYTES = 2_000_000;

const START = 0;
const PLAIN = 1;
const QUOTED = 2;
/** After a quote inside a quoted field: its end, or the first half of a doubled quote. */
const CLOSED = 3;
const RETURN = 4;
/** Only blanks since the field began. DuckDB drops them when a quote follows, so that is refused. */
const BLANK = 5;

/** What is wrong with a csv text and where. */
export class CsvDamage extends Error {
  readonly row: string;
  readonly got: string;
  readonly expected: string;
  constructor(message: string, at: { row: string; got: string; expected: string }) {
    super(message);
    this.row = at.row;
    this.got = at.got;
    this.expected = at.expected;
  }
}

/** Feed it the text in pieces of any size with `push`, then call `end`. */
export class CsvScanner {
  /** Data records so far; the header is not one. */
  records = 0;
  header: string[] = [];
  newline: 'lf' | 'crlf' | 'none' = 'none';
  has_bom = false;
  readonly multiline: { record: number; extra: number }[] = [];

  private state = START;
  private fields = 1;
  private line = 1;
  private recordLine = 1;
  private quoteLine = 0;
  private seen = 0;
  private recordStart = 0;
  private inHeader = true;
  private headerPieces: Buffer[] = [];
  private head: Buffer | undefined = Buffer.alloc(0);
  private tail: Buffer = Buffer.alloc(0);

  /** Takes the next bytes. */
  push(chunk: Buffer): void {
    if (!this.head) {
      this.checked(chunk);
      return;
    }
    this.head = Buffer.concat([this.head, chunk]);
    if (this.head.length >= 2 * BOM.length) this.begin();
  }

  /** Says that no bytes follow. */
  end(): void {
    if (this.head) this.begin();
    if (this.tail.length > 0) this.fail('the text ends inside a UTF-8 character', 'cut bytes', 'valid UTF-8');
    if (this.state === QUOTED) {
      this.fail('a quoted field is never closed', `an opening quote on line ${this.quoteLine}`, 'its end');
    }
    if (this.state === RETURN) this.fail('a carriage return ends the text', 'CR', 'CRLF or LF');
    if (this.seen > this.recordStart) this.endRecord(Buffer.alloc(0), 0);
    if (this.inHeader) this.fail('the file is empty', 'no header', 'a header line');
  }

  /** Takes off one byte order mark; a second one is refused. */
  private begin(): void {
    let text = this.head ?? Buffer.alloc(0);
    this.head = undefined;
    if (text.subarray(0, 3).equals(BOM)) {
      this.has_bom = true;
      text = text.subarray(3);
      if (text.subarray(0, 3).equals(BOM)) {
        this.fail('the text begins with two byte order marks', 'EF BB BF EF BB BF', 'at most one');
      }
    }
    this.checked(text);
  }

  /** Looks for bytes that are no text, then scans. */
  private checked(chunk: Buffer): void {
    const bad = this.badUtf8(chunk);
    const nul = chunk.indexOf(NUL);
    if (bad === -1 && nul === -1) {
      this.scan(chunk);
      return;
    }
    const is_nul = bad === -1 || (nul !== -1 && nul < bad);
    const at = is_nul ? nul : bad;
    this.scan(chunk.subarray(0, at));
    if (is_nul) this.fail('the text holds a NUL byte', '0x00', 'text');
    this.fail('the text is not valid UTF-8', `byte 0x${chunk[at]!.toString(16)}`, 'valid UTF-8');
  }

  /** Offset of the first invalid byte, or -1; a character that is cut by the end of the piece waits for the next one. */
  private badUtf8(chunk: Buffer): number {
    const all = this.tail.length === 0 ? chunk : Buffer.concat([this.tail, chunk]);
    const carried = this.tail.length;
    const cut = incompleteTail(all);
    const whole = all.subarray(0, all.length - cut);
    if (!isUtf8(whole)) return Math.max(0, invalidAt(whole) - carried);
    this.tail = Buffer.from(all.subarray(all.length - cut));
    return -1;
  }

  private scan(chunk: Buffer): void {
    const n = chunk.length;
    let state = this.state;
    let from = 0;
    for (let i = 0; i < n; i++) {
      const c = chunk[i]!;
      if (state === QUOTED) {
        if (c === QUOTE) state = CLOSED;
        else if (c === LF) this.line++;
        continue;
      }
      if (c > COMMA && state <= PLAIN) {
        state = PLAIN;
        continue;
      }
      if (state === CLOSED && c !== COMMA && c !== LF && c !== CR) {
        if (c !== QUOTE)
          this.fail('text follows a closing quote', 'text', 'a comma, a line end or a doubled quote');
        state = QUOTED;
      } else if (state === RETURN && c !== LF) {
        this.fail('a carriage return stands alone outside quotes', 'CR', 'CRLF or LF');
      } else if (c === COMMA) {
        this.fields++;
        state = START;
      } else if (c === LF) {
        this.checkStyle(state === RETURN ? 'crlf' : 'lf');
        this.seen += i + 1 - from;
        this.endRecord(chunk.subarray(from, i + 1), state === RETURN ? 2 : 1);
        from = i + 1;
        state = START;
      } else if (c === CR) {
        state = RETURN;
      } else if (c === QUOTE && state === START) {
        state = QUOTED;
        this.quoteLine = this.line;
      } else if (c === QUOTE && state === BLANK) {
        this.fail(
          'a quote follows blanks at the start of a field',
          '" after blanks',
          'no blanks before a quote',
        );
      } else {
        state = c === SPACE && (state === START || state === BLANK) ? BLANK : PLAIN;
      }
    }
    this.state = state;
    this.seen += n - from;
    if (this.inHeader) this.headerPieces.push(Buffer.from(chunk.subarray(from)));
    this.checkLength();
  }

  private checkStyle(style: 'lf' | 'crlf'): void {
    if (this.newline === 'none') this.newline = style;
    if (style === this.newline) return;
    this.fail(
      'line ends are mixed',
      style.toUpperCase(),
      `${this.newline.toUpperCase()} as on the first line`,
    );
  }

  /** `lineEnd` is the size of the line end in bytes, 0 at the end of a text without one. */
  private endRecord(piece: Buffer, lineEnd: number): void {
    this.checkLength();
    if (this.seen - this.recordStart === lineEnd) this.fail('a line is empty', 'no text', 'fields');
    if (this.inHeader) {
      this.header = splitHeader(Buffer.concat([...this.headerPieces, piece]).toString('utf8'));
      this.headerPieces = [];
    }
    if (this.fields !== this.header.length) this.failFields();
    if (!this.inHeader) {
      this.records++;
      if (this.line > this.recordLine)
        this.multiline.push({ record: this.records, extra: this.line - this.recordLine });
    }
    this.line++;
    this.inHeader = false;
    this.fields = 1;
    this.recordLine = this.line;
    this.recordStart = this.seen;
  }

  private checkLength(): void {
    if (this.seen - this.recordStart <= MAX_RECORD_BYTES) return;
    this.fail(
      'a record is too long: perhaps a quote is not closed',
      `more than ${MAX_RECORD_BYTES} bytes`,
      `at most ${MAX_RECORD_BYTES} bytes`,
    );
  }

  private failFields(): never {
    const what = this.fields < this.header.length ? 'short' : 'long';
    return this.fail(`a record is too ${what}`, `${this.fields} fields`, `${this.header.length} fields`);
  }

  private fail(message: string, got: string, expected: string): never {
    const record = this.inHeader ? 'header' : `record ${this.records + 1}`;
    throw new CsvDamage(message, { row: `${record}, line ${this.line}`, got, expected });
  }
}

/** The names of a header line; quoted names are unquoted. */
function splitHeader(text: string): string[] {
  const names = [''];
  let is_quoted = false;
  for (const [i, c] of [...text.replace(/\r?\n$/, '')].entries()) {
    if (c === '"') {
      if (!is_quoted && i > 0 && text[i - 1] === '"') names[names.length - 1] += '"';
      is_quoted = !is_quoted;
    } else if (c === ',' && !is_quoted) names.push('');
    else names[names.length - 1] += c;
  }
  return names;
}
