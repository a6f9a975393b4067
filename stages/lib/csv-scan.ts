/** Walks over a CSV text once and refuses whatever a reader could take in two ways. */
import type { Problem } from '../contract.js';

/** Where a record stands: its first physical line, and the 1-based column at which each field begins. */
export interface CsvShape {
  readonly line: number;
  readonly fields: number;
  readonly starts: readonly number[];
}

interface Damage {
  readonly message: string;
  readonly got: string;
  readonly expected: string;
  /** The place that is read now when left out. */
  readonly where?: { readonly line: number; readonly column: number };
  readonly next?: string;
}

type Report = (problem: Problem) => never;

const NEXT = 'get the file back from its source; if it was edited, save it in the declared form';
const END_WORDS: Readonly<Record<string, string>> = {
  '\r\n': 'CRLF',
  '\r': 'CR alone',
  '\n': 'LF alone',
};

/** Records of a text, the header included; every damage is given to `report` with line and column. */
export function scanCsv(text: string, newline: 'crlf' | 'lf', report: Report): CsvShape[] {
  const scan = new Scan(text, newline === 'crlf' ? '\r\n' : '\n', report);
  scan.refuseStrayCharacters();
  if (text.trim() === '')
    scan.fail({ message: 'the file is empty', got: 'no header', expected: 'a header and its rows' });
  const shapes: CsvShape[] = [];
  while (!scan.isAtEnd()) {
    const shape = scan.record();
    const width = shapes[0]?.fields ?? shape.fields;
    if (shape.fields !== width) {
      scan.fail({
        message: 'a row has another number of fields than the header',
        got: `${shape.fields} fields`,
        expected: `${width} fields`,
        where: { line: shape.line, column: 1 },
      });
    }
    shapes.push(shape);
  }
  return shapes;
}

class Scan {
  private at = 0;
  private line = 1;
  private lineStart = 0;
  private readonly text: string;
  private readonly end: string;
  private readonly report: Report;

  constructor(text: string, end: string, report: Report) {
    this.text = text;
    this.end = end;
    this.report = report;
  }

  isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  refuseStrayCharacters(): void {
    const strays = { '\ufeff': 'a stray byte-order mark', '\0': 'a NUL character' };
    for (const [character, name] of Object.entries(strays)) {
      const found = this.text.indexOf(character);
      if (found < 0) continue;
      const before = this.text.slice(0, found).split('\n');
      const where = { line: before.length, column: before.at(-1)!.length + 1 };
      this.fail({ message: `${name} in the file`, got: name, expected: 'none', where });
    }
  }

  record(): CsvShape {
    const line = this.line;
    const starts: number[] = [];
    do {
      starts.push(this.at - this.lineStart + 1);
      if (this.text[this.at] === '"') this.quoted();
      else this.unquoted();
    } while (this.take(','));
    this.lineEnd();
    return { line, fields: starts.length, starts };
  }

  private unquoted(): void {
    for (; !this.isAtEnd(); this.at++) {
      const c = this.text[this.at]!;
      if (c === ',' || c === '\r' || c === '\n') return;
      if (c !== '"') continue;
      this.fail({
        message: 'a quote inside an unquoted field',
        got: this.around(),
        expected: 'the whole field in quotes, quotes doubled',
      });
    }
  }

  /** A quoted field; line ends inside it are text, whatever their kind. */
  private quoted(): void {
    const where = this.position();
    do {
      this.at++;
      const close = this.text.indexOf('"', this.at);
      if (close < 0) {
        const [got, expected] = ['the end of the file', 'a closing quote'];
        this.fail({ message: 'a quote is never closed', got, expected, where });
      }
      this.countLines(close);
      this.at = close + 1;
    } while (this.text[this.at] === '"');
    if (this.isAtEnd() || [',', '\r', '\n'].includes(this.text[this.at]!)) return;
    const expected = 'a comma or the end of the line';
    this.fail({ message: 'text after a closing quote', got: this.around(), expected });
  }

  private lineEnd(): void {
    const expected = END_WORDS[this.end]!;
    if (this.isAtEnd()) {
      const next = 'the file may be cut; get it again';
      this.fail({ message: 'the last line has no line end', got: 'the end of the file', expected, next });
    }
    const found = this.text.startsWith('\r\n', this.at) ? '\r\n' : this.text[this.at]!;
    if (found !== this.end)
      this.fail({ message: 'another kind of line end', got: END_WORDS[found]!, expected });
    this.at += this.end.length;
    this.line++;
    this.lineStart = this.at;
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private countLines(to: number): void {
    for (let i = this.at; i < to; i++) {
      if (this.text[i] !== '\n') continue;
      this.line++;
      this.lineStart = i + 1;
    }
  }

  private position(): { line: number; column: number } {
    return { line: this.line, column: this.at - this.lineStart + 1 };
  }

  private around(): string {
    return JSON.stringify(this.text.slice(Math.max(this.lineStart, this.at - 20), this.at + 10));
  }

  fail(damage: Damage): never {
    const { where = this.position(), next = NEXT, ...problem } = damage;
    return this.report({ ...problem, row: `line ${where.line}, column ${where.column}`, next });
  }
}
