import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectCsv } from '../../pipelines/engine/adapters/csv-integrity.js';
import { CsvScanner } from '../../pipelines/engine/adapters/csv-scanner.js';
import { GzipMembers } from '../../pipelines/engine/adapters/gzip-members.js';
import { incompleteTail, invalidAt } from '../../pipelines/engine/adapters/utf8.js';
import { DataError } from '../../pipelines/engine/errors.js';
import { sha256 } from '../../stages/lib/hash.js';
import { temporaryFolder } from '../support/stage.js';

const signal = new AbortController().signal;

function inspect(bytes: Uint8Array | string, name = 'a.csv') {
  const location = join(temporaryFolder(), name);
  writeFileSync(location, bytes);
  return inspectCsv({ path: `hosp/${name}`, location, bytes: 0, sha256: '' }, signal);
}

/** Cuts a buffer at the given places (any numbers; they are taken modulo the length). */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.map((c) => c % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return at.slice(1).map((to, i) => bytes.subarray(at[i]!, to));
}

function scan(chunks: readonly Buffer[]): CsvScanner {
  const scanner = new CsvScanner();
  for (const chunk of chunks) scanner.push(chunk);
  scanner.end();
  return scanner;
}

/** The reference: a character by character reader of a sound csv text, written for clarity only. */
function reference(text: string): { rows: string[][]; extra: number[] } {
  const rows: string[][] = [];
  const extra: number[] = [];
  let row: string[] = [];
  let value = '';
  let lines = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === '"') {
      for (i++; text[i] !== '"' || text[i + 1] === '"'; i++) {
        if (text[i] === '"') i++;
        if (text[i] === '\n') lines++;
        value += text[i];
      }
    } else if (c === ',') {
      row.push(value);
      value = '';
    } else if (c === '\n') {
      rows.push([...row, value]);
      extra.push(lines);
      [row, value, lines] = [[], '', 0];
    } else if (c !== '\r') value += c;
  }
  if (row.length > 0 || value !== '') {
    rows.push([...row, value]);
    extra.push(lines);
  }
  return { rows, extra };
}

const CHARACTERS = ['a', 'B', '7', '.', '-', ' ', ',', '"', '\n', '\r\n', '\r', 'é', '°', '☃', '😀', '\t'];
const value = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 6 }).map((c) => c.join(''));
const quote = (text: string, always: boolean): string =>
  always || /[",\r\n]|^ /.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const tables = fc.integer({ min: 2, max: 4 }).chain((n) =>
  fc.record({
    rows: fc.array(fc.array(fc.tuple(value, fc.boolean()), { minLength: n, maxLength: n }), { maxLength: 8 }),
    newline: fc.constantFrom('\n', '\r\n'),
    bom: fc.boolean(),
    ends: fc.boolean(),
  }),
);
type Generated = typeof tables extends fc.Arbitrary<infer T> ? T : never;

function textOf({ rows, newline, bom, ends }: Generated): string {
  const header = Array.from({ length: rows[0]?.length ?? 2 }, (_, i) => `c${i}`).join(',');
  const lines = [header, ...rows.map((r) => r.map(([v, q]) => quote(v, q)).join(','))];
  const text = lines.join(newline) + (ends || lines.length === 1 ? newline : '');
  return (bom ? '\ufeff' : '') + text;
}

describe('records of a csv', () => {
  it('are counted like a simple parser counts them, however the bytes are cut', () => {
    fc.assert(
      fc.property(tables, fc.array(fc.nat(), { maxLength: 12 }), (generated, cuts) => {
        const text = textOf(generated);
        const { rows, extra } = reference(text.replace('\ufeff', ''));
        const found = scan(pieces(Buffer.from(text), cuts));
        expect(found.records).toBe(rows.length - 1);
        expect(found.header).toEqual(rows[0]);
        expect(found.has_bom).toBe(generated.bom);
        const multiline = extra.slice(1).flatMap((n, i) => (n > 0 ? [{ record: i + 1, extra: n }] : []));
        expect(found.multiline).toEqual(multiline);
      }),
      { numRuns: 500 },
    );
  });

  it('are the same for one byte at a time', () => {
    fc.assert(
      fc.property(tables, (generated) => {
        const bytes = Buffer.from(textOf(generated));
        const whole = scan([bytes]);
        const single = scan([...bytes].map((b) => Buffer.from([b])));
        expect(single.records).toBe(whole.records);
        expect(single.multiline).toEqual(whole.multiline);
      }),
      { numRuns: 100 },
    );
  });

  it('come with hash, size, header, line ends and members', async () => {
    const text = '\ufeffsubject_id,"a ""b""",c\r\n1,"x\r\ny\nz",\r\n2,,\r\n';
    const packed = Buffer.concat([gzipSync(text.slice(0, 20)), gzipSync(text.slice(20))]);
    expect(await inspect(packed, 'a.csv.gz')).toEqual({
      sha256: sha256(packed),
      bytes: packed.length,
      members: 2,
      records: 2,
      header: ['subject_id', 'a "b"', 'c'],
      newline: 'crlf',
      has_bom: true,
      multiline: [{ record: 1, extra: 2 }],
    });
  });

  it('may end without a line end and may be none', async () => {
    expect(await inspect('a,b\n1,2')).toMatchObject({ records: 1, newline: 'lf', members: 0 });
    expect(await inspect('a,b')).toMatchObject({ records: 0, newline: 'none' });
  });
});

describe('a damaged csv is refused with its place', () => {
  const cases: [string, string | Uint8Array, RegExp][] = [
    ['no text', '', /file is empty/],
    ['an unterminated quote', 'a,b\n1,2\n3,"4\n5,6\n', /never closed[\s\S]*opening quote on line 3/],
    ['text after a closing quote', 'a,b\n"1"x,2\n', /text follows a closing quote[\s\S]*record 1, line 2/],
    ['a quote after blanks', 'a,b\n1, "2"\n', /quote follows blanks[\s\S]*record 1, line 2/],
    ['a short row', 'a,b\n1,2\n3\n', /too short[\s\S]*record 2, line 3[\s\S]*1 fields[\s\S]*2 fields/],
    ['a long row', 'a,b\n1,2,3\n', /too long[\s\S]*record 1, line 2[\s\S]*3 fields/],
    ['a short row after a value with line ends', 'a,b\n"1\n\n",2\n3\n', /too short[\s\S]*record 2, line 5/],
    ['an empty line', 'a,b\n1,2\n\n3,4\n', /line is empty[\s\S]*record 2, line 3/],
    ['an empty line at the end', 'a,b\n1,2\n\n', /line is empty[\s\S]*line 3/],
    ['mixed line ends', 'a,b\r\n1,2\r\n3,4\n5,6\r\n', /line ends are mixed[\s\S]*record 2, line 3[\s\S]*LF/],
    ['a carriage return alone', 'a,b\n1,2\r3\n', /carriage return[\s\S]*record 1, line 2/],
    ['old line ends', 'a,b\r1,2\r', /carriage return[\s\S]*header, line 1/],
    ['a carriage return at the end', 'a,b\n1,2\r', /carriage return ends the text/],
    ['a NUL byte', 'a,b\n1,2\n3,\0\n', /NUL byte[\s\S]*record 2, line 3/],
    ['two byte order marks', '\ufeff\ufeffa,b\n', /two byte order marks/],
    [
      'invalid UTF-8',
      Buffer.from('a,b\n1,\xe9\n', 'latin1'),
      /not valid UTF-8[\s\S]*record 1, line 2[\s\S]*0xe9/,
    ],
    ['a cut character', Buffer.from('a,b\n1,€').subarray(0, -1), /ends inside a UTF-8 character/],
  ];
  it.each(cases)('%s', async (_, text, message) => {
    await expect(inspect(text)).rejects.toThrow(message);
    await expect(inspect(text)).rejects.toBeInstanceOf(DataError);
    await expect(inspect(text)).rejects.toThrow(/hosp\/a\.csv[\s\S]*next: /);
    await expect(inspect(gzipSync(text), 'a.csv.gz')).rejects.toThrow(message);
  });

  it('a record longer than DuckDB reads', async () => {
    await expect(inspect(`a,b\n1,${'x'.repeat(2_000_001)}\n`)).rejects.toThrow(/too long: perhaps a quote/);
    const open = `a,b\n1,"2\n${'3,4\n'.repeat(600_000)}`;
    await expect(inspect(open)).rejects.toThrow(/record 1, .*[\s\S]*more than 2000000 bytes/);
  });

  it('one invalid byte is found on its line, however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'é', '☃', '😀', '\n'), { maxLength: 30 }),
        fc.nat(),
        fc.constantFrom(0x80, 0xc0, 0xff, 0xed, 0xf5),
        fc.array(fc.nat(), { maxLength: 8 }),
        (characters, where, byte, cuts) => {
          const at = where % (characters.length + 1);
          const before = `a,b\n1,"${characters.slice(0, at).join('')}`;
          const after = `${characters.slice(at).join('')}"\n`;
          const bytes = Buffer.concat([Buffer.from(before), Buffer.from([byte]), Buffer.from(after)]);
          const line = before.split('\n').length;
          expect(() => scan(pieces(bytes, cuts))).toThrow(
            expect.objectContaining({
              row: `record 1, line ${line}`,
              message: 'the text is not valid UTF-8',
            }),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('its bytes are judged as the platform judges them', () => {
    const lead = fc.constantFrom(
      0x41,
      0x80,
      0xbf,
      0xc1,
      0xc2,
      0xdf,
      0xe0,
      0xed,
      0xef,
      0xf0,
      0xf4,
      0xf5,
      0x9f,
      0xa0,
      0x90,
      0x8f,
    );
    fc.assert(
      fc.property(fc.array(lead, { maxLength: 12 }), (list) => {
        const bytes = Uint8Array.from(list);
        const is_valid = (b: Uint8Array): boolean => {
          try {
            new TextDecoder('utf-8', { fatal: true }).decode(b);
            return true;
          } catch {
            return false;
          }
        };
        const at = invalidAt(bytes);
        expect(at === -1).toBe(is_valid(bytes));
        if (at >= 0) expect(is_valid(bytes.subarray(0, at))).toBe(true);
        expect(incompleteTail(bytes)).toBeLessThanOrEqual(3);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('gzip', () => {
  const text = Buffer.from(`a,b\n${Array.from({ length: 300 }, (_, i) => `${i},"é ${i * i}"\n`).join('')}`);
  const members = [text.subarray(0, 1000), text.subarray(1000, 1001), Buffer.alloc(0), text.subarray(1001)];

  async function gunzip(chunks: readonly Buffer[]): Promise<{ text: Buffer; members: number }> {
    const out: Buffer[] = [];
    const reader = new GzipMembers((piece) => out.push(Buffer.from(piece)));
    try {
      for (const chunk of chunks) await reader.push(chunk);
      reader.end();
    } finally {
      reader.close();
    }
    return { text: Buffer.concat(out), members: reader.members };
  }

  it('gives back every member, however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...members), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        async (parts, cuts) => {
          const packed = Buffer.concat(parts.map((p) => gzipSync(p)));
          expect(await gunzip(pieces(packed, cuts))).toEqual({
            text: Buffer.concat(parts),
            members: parts.length,
          });
        },
      ),
      { numRuns: 100 },
    );
  });

  it('reads optional header fields', async () => {
    const plain = gzipSync(text);
    const header = Buffer.from(plain.subarray(0, 10));
    header[3] = 2 | 4 | 8 | 16;
    const fields = Buffer.concat([
      Buffer.from([3, 0, 1, 2, 3]),
      Buffer.from('name\0note\0'),
      Buffer.from([9, 9]),
    ]);
    const packed = Buffer.concat([header, fields, plain.subarray(10)]);
    for (let cut = 1; cut < 30; cut++) {
      expect((await gunzip([packed.subarray(0, cut), packed.subarray(cut)])).text).toEqual(text);
    }
  });

  it('cut anywhere is refused, but at the border of two members the rest is simply missing', async () => {
    const first = gzipSync(text.subarray(0, 1000));
    const packed = Buffer.concat([first, gzipSync(text.subarray(1000))]);
    for (let cut = 0; cut < packed.length; cut++) {
      const run = gunzip([packed.subarray(0, cut)]);
      if (cut === first.length) expect((await run).text).toEqual(text.subarray(0, 1000));
      else await expect(run, `cut at ${cut}`).rejects.toThrow(/cut off|bytes follow gzip member 1/);
    }
  });

  it('with one changed bit is refused, or gives the same text', async () => {
    const packed = gzipSync(text, { level: constants.Z_BEST_COMPRESSION });
    for (let bit = 0; bit < packed.length * 8; bit += 7) {
      const changed = Buffer.from(packed);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      const got = await gunzip([changed]).catch((error: Error) => error.message);
      if (typeof got === 'string') expect(got).toMatch(/gzip/);
      else expect(got.text).toEqual(text);
    }
  });

  it.each([
    ['zeros', Buffer.alloc(512)],
    ['a line', Buffer.from('x\n')],
    ['half a magic number', Buffer.from([0x1f])],
    ['another kind of member', Buffer.from([0x1f, 0x8b, 7, 0])],
  ])('with %s after the last member is refused', async (_, tail) => {
    await expect(inspect(Buffer.concat([gzipSync(text), tail]), 'a.csv.gz')).rejects.toThrow(
      /compressed file is damaged[\s\S]*follow/,
    );
  });

  it('that is none is refused', async () => {
    await expect(inspect(text, 'a.csv.gz')).rejects.toThrow(/does not begin like a gzip file/);
    await expect(inspect('', 'a.csv.gz')).rejects.toThrow(/cut off/);
    await expect(inspect(gzipSync(text), 'a.csv')).rejects.toThrow(DataError);
  });

  it('stops when asked to', async () => {
    const location = join(temporaryFolder(), 'a.csv.gz');
    writeFileSync(location, gzipSync(text));
    const run = inspectCsv({ path: 'a.csv.gz', location, bytes: 0, sha256: '' }, AbortSignal.abort());
    await expect(run).rejects.toThrow(/stopped/);
  });

  it('that cannot be opened says so', async () => {
    const run = inspectCsv({ path: 'a.csv', location: '/nowhere/a.csv', bytes: 0, sha256: '' }, signal);
    await expect(run).rejects.toThrow(/ENOENT[\s\S]*check the path/);
  });
});
