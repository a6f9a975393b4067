/** Strict CSV: what it gives for sound files, and that damage is an error at the right place, never another table. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { CsvDamage, type CsvDialect, parseStrictCsv } from '../../stages/lib/strict-csv.js';

const dialect = (columns: string, more: Partial<CsvDialect> = {}): CsvDialect => ({
  columns: columns.split(','),
  newline: 'crlf',
  ...more,
});
const crlf = (...lines: string[]): string => lines.map((l) => `${l}\r\n`).join('');

function damage(text: string, d: CsvDialect): CsvDamage['problem'] {
  try {
    parseStrictCsv(text, 'raw/t.csv', d);
  } catch (error) {
    expect(error).toBeInstanceOf(CsvDamage);
    return (error as CsvDamage).problem;
  }
  throw new Error('no error');
}

describe('sound tables', () => {
  it('gives cells as they stand, with record and physical line', () => {
    const text = crlf('a,b', '0042, x ', '"two', 'lines, ""q""",', '007,1e5');
    expect(parseStrictCsv(text, 't', dialect('a,b'))).toEqual([
      { row: 1, line: 2, values: { a: '0042', b: ' x ' } },
      { row: 2, line: 3, values: { a: 'two\r\nlines, "q"', b: '' } },
      { row: 3, line: 5, values: { a: '007', b: '1e5' } },
    ]);
  });

  it('goes by column names, not by their order', () => {
    const [row] = parseStrictCsv(crlf('b,a', '1,2'), 't', dialect('a,b'));
    expect(row!.values).toEqual({ a: '2', b: '1' });
  });

  it('takes a table without rows and LF where it is declared', () => {
    expect(parseStrictCsv(crlf('a,b'), 't', dialect('a,b'))).toEqual([]);
    expect(parseStrictCsv('a,b\n1,2\n', 't', dialect('a,b', { newline: 'lf' }))).toHaveLength(1);
  });

  it('strips one byte-order mark where it is declared', () => {
    const d = dialect('itemid,label', { may_have_bom: true });
    expect(parseStrictCsv(`\ufeff${crlf('itemid,label', '1,x')}`, 't', d)).toEqual([
      { row: 1, line: 2, values: { itemid: '1', label: 'x' } },
    ]);
  });

  it('keeps a column called __proto__ apart from the prototype', () => {
    const [row] = parseStrictCsv(crlf('__proto__,b', '1,2'), 't', dialect('__proto__,b'));
    expect(Object.entries(row!.values)).toEqual([
      ['__proto__', '1'],
      ['b', '2'],
    ]);
  });
});

describe('damage', () => {
  it.each([
    ['duplicate header', crlf('a,b,a', '1,2,3'), 'line 1, column 5', /twice.*"a" as field 1 and as field 3/],
    ['unknown column', crlf('a,bb,c', '1,2,3'), 'line 1, column 3', /unknown column.*"bb"/],
    ['missing column', crlf('a,b', '1,2'), 'line 1', /columns are missing.*a, b.*c/],
    ['short row', crlf('a,b,c', '1,2,3', '5,6'), 'line 3, column 1', /2 fields.*3 fields/],
    ['long row', crlf('a,b,c', '1,2,3,4'), 'line 2, column 1', /4 fields.*3 fields/],
    ['blank line', crlf('a,b,c', '', '1,2,3'), 'line 2, column 1', /1 fields/],
    ['byte-order mark', `\ufeff${crlf('a,b,c')}`, 'line 1, column 1', /byte-order mark/],
    ['second mark', crlf('a,b,c', '1,\ufeff2,3'), 'line 2, column 3', /byte-order mark/],
    ['NUL', crlf('a,b,c', '1,2,3', 'x,y\0,z'), 'line 3, column 4', /NUL/],
    ['text after quote', crlf('a,b,c', '1,"2"x,3'), 'line 2, column 6', /after a closing quote/],
    ['space after quote', crlf('a,b,c', '1,"2" ,3'), 'line 2, column 6', /after a closing quote/],
    ['quote in the middle', crlf('a,b,c', '1,2"3,4'), 'line 2, column 4', /inside an unquoted field/],
    ['space before quote', crlf('a,b,c', '1, "2",3'), 'line 2, column 4', /inside an unquoted field/],
    ['open quote', crlf('a,b,c', '1,"2,3', '4,5,6'), 'line 2, column 3', /never closed/],
    ['open quote late', crlf('a,b,c', '"1', '2",2,3', '"4,5,6'), 'line 4, column 1', /never closed/],
    ['LF among CRLF', 'a,b,c\r\n1,2,3\n4,5,6\r\n', 'line 2, column 6', /LF alone.*CRLF/],
    ['CR among CRLF', 'a,b,c\r\n1,2,3\r4,5,6\r\n', 'line 2, column 6', /CR alone.*CRLF/],
    ['LF file', 'a,b,c\n1,2,3\n', 'line 1, column 6', /LF alone.*CRLF/],
    ['cut', 'a,b,c\r\n1,2,3', 'line 2, column 6', /no line end/],
    ['cut in CRLF', 'a,b,c\r\n1,2,3\r', 'line 2, column 6', /CR alone/],
    ['empty', '', 'line 1, column 1', /empty/],
    ['blank', '\r\n \r\n', 'line 1, column 1', /empty/],
  ])('%s is an error with its place', (_, text, row, words) => {
    const problem = damage(text, dialect('a,b,c'));
    expect(problem).toMatchObject({ file: 'raw/t.csv', row });
    expect(`${problem.message} ${problem.got} ${problem.expected}`).toMatch(words);
    expect(problem.expected).toBeTruthy();
  });

  it('refuses a second mark also where one is declared, and CRLF where LF is', () => {
    const d = dialect('a,b', { may_have_bom: true });
    expect(damage(`\ufeff\ufeff${crlf('a,b')}`, d).row).toBe('line 1, column 1');
    const lf = damage(crlf('a,b'), dialect('a,b', { newline: 'lf' }));
    expect(lf).toMatchObject({ row: 'line 1, column 4', got: 'CRLF', expected: 'LF alone' });
  });

  it('names the column that was meant', () => {
    expect(damage(crlf('row_id,confidance'), dialect('row_id,confidence')).next).toBe(
      'did you mean confidence?',
    );
  });

  it('shows a little of the line, not the file', () => {
    const text = crlf('a,b,c', `1,"2"${'x'.repeat(5000)},3`);
    expect(damage(text, dialect('a,b,c')).got!.length).toBeLessThan(60);
  });
});

/** Cells with everything that matters to CSV; NUL and byte-order marks are errors of their own. */
const cell = fc.string({
  unit: fc.constantFrom('"', ',', '\r', '\n', ' ', 'a', '0', 'é', '<', ';', '😀'),
  maxLength: 6,
});
const table = fc
  .integer({ min: 2, max: 4 })
  .chain((width) =>
    fc.tuple(
      fc.constant(['alpha', 'beta', 'gamma', 'delta'].slice(0, width)),
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }),
      fc.boolean(),
    ),
  );
const print = ([header, rows, quotes]: [string[], string[][], boolean], newline: string): string =>
  Papa.unparse([header, ...rows], { newline, quotes }) + newline;
const cellsOf = (text: string, columns: readonly string[], newline: CsvDialect['newline']): string[][] =>
  parseStrictCsv(text, 't', { columns, newline }).map((r) => columns.map((c) => r.values[c]!));

describe('properties', () => {
  it('gives back what was printed', () => {
    fc.assert(
      fc.property(table, fc.constantFrom('crlf' as const, 'lf' as const), (t, newline) => {
        const text = print(t, newline === 'crlf' ? '\r\n' : '\n');
        expect(cellsOf(text, t[0], newline)).toEqual(t[1]);
        const lines = parseStrictCsv(text, 't', { columns: t[0], newline }).map((r) => r.line);
        expect(lines).toEqual([...lines].sort((a, b) => a - b));
      }),
      { numRuns: 500 },
    );
  });

  // A changed character inside a cell is another cell, and no reader can tell; nothing else may change.
  it('turns no damage of one character into another table', () => {
    const hit = fc.record({
      at: fc.nat(),
      how: fc.constantFrom('drop', 'insert', 'replace'),
      by: fc.constantFrom('"', ',', '\r', '\n', '\0', '\ufeff', 'x', ' '),
    });
    fc.assert(
      fc.property(
        table,
        hit,
        fc.constantFrom('crlf' as const, 'lf' as const),
        (t, { at, how, by }, newline) => {
          const text = print(t, newline === 'crlf' ? '\r\n' : '\n');
          const i = at % text.length;
          const kept = how === 'insert' ? i : i + 1;
          const damaged = text.slice(0, i) + (how === 'drop' ? '' : by) + text.slice(kept);
          let got: string[][];
          try {
            got = cellsOf(damaged, t[0], newline);
          } catch (error) {
            expect(error).toBeInstanceOf(CsvDamage);
            return;
          }
          expect(got.length).toBe(t[1].length);
          const changed = got.flatMap((row, r) => row.filter((c, j) => c !== t[1][r]![j]));
          expect(changed.length).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('refuses every file with one quote more or less', () => {
    fc.assert(
      fc.property(table, fc.nat(), fc.boolean(), (t, at, more) => {
        const text = print(t, '\r\n');
        const quotes = [...text.matchAll(/"/g)].map((m) => m.index);
        const i = more || quotes.length === 0 ? at % text.length : quotes[at % quotes.length]!;
        const damaged =
          more || quotes.length === 0
            ? `${text.slice(0, i)}"${text.slice(i)}`
            : text.slice(0, i) + text.slice(i + 1);
        expect(() => cellsOf(damaged, t[0], 'crlf')).toThrow(CsvDamage);
      }),
      { numRuns: 1000 },
    );
  });

  it('refuses every cut inside a table of our own', () => {
    const text = readFileSync('raw/guidelines/kids2025.csv', 'utf8');
    const columns = text.slice(0, text.indexOf('\r\n')).split(',');
    const whole = parseStrictCsv(text, 't', { columns, newline: 'crlf' });
    for (let n = 0; n < text.length; n++) {
      let rows: number;
      try {
        rows = parseStrictCsv(text.slice(0, n), 't', { columns, newline: 'crlf' }).length;
      } catch (error) {
        expect(error).toBeInstanceOf(CsvDamage);
        continue;
      }
      // Only a cut at the end of a record leaves a sound file; its hash tells.
      expect(text.slice(n - 2, n)).toBe('\r\n');
      expect(rows).toBeLessThan(whole.length);
    }
  });
});
