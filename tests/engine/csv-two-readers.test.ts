/** What the first reader lets through, DuckDB reads the same way: records and values of random texts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectCsv } from '../../pipelines/engine/adapters/csv-integrity.js';
import { DuckDbSession } from '../../pipelines/engine/adapters/duckdb.js';
import { readCsv } from '../../stages/lib/load/values.js';
import { temporaryFolder } from '../support/stage.js';

/** Values of an accepted text: quotes open only at the start of a field, empty means null. */
function values(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  const fields = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/gy;
  let row: (string | null)[] = [];
  while (fields.lastIndex < text.length) {
    const [, quoted, plain, end] = fields.exec(text)!;
    row.push((quoted?.replaceAll('""', '"') ?? plain) || null);
    if (end === ',') {
      if (fields.lastIndex === text.length) row.push(null);
      else continue;
    }
    rows.push(row);
    row = [];
  }
  return rows;
}

describe('two readers', () => {
  it('agree on every text that the first one accepts', async () => {
    const dir = temporaryFolder();
    const session = await DuckDbSession.create({
      threads: 2,
      memoryLimit: '500MB',
      spillDir: join(dir, 'spill'),
    });
    const signal = new AbortController().signal;
    let accepted = 0;
    const piece = fc.constantFrom(
      'a',
      '7',
      '"',
      '""',
      '"x"',
      ' ',
      '\t',
      "'",
      '\\',
      '#',
      ';',
      'é',
      'null',
      ',',
      ',',
      ',',
    );
    const line = fc.array(piece, { maxLength: 8 }).map((p) => p.join(''));
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(line, { maxLength: 6 }),
          fc.constantFrom('\n', '\r\n'),
          fc.boolean(),
          fc.boolean(),
          async (lines, newline, ends, packed) => {
            const body = lines.join(newline) + (ends && lines.length > 0 ? newline : '');
            const text = `h1,h2${newline}${body}`;
            const location = join(dir, packed ? 'a.csv.gz' : 'a.csv');
            writeFileSync(location, packed ? gzipSync(text) : text);
            const file = { path: location, location, bytes: 0, sha256: '' };
            const report = await inspectCsv(file, signal).catch(() => undefined);
            if (!report) return;
            accepted++;
            const rows = await session.rows(
              `select * from ${readCsv({ file, report, columns: ['h1', 'h2'] })}`,
              {
                path: location,
              },
            );
            expect(rows).toHaveLength(report.records);
            const expected = values(text).slice(1);
            expect(rows.map((r) => [r.h1, r.h2])).toEqual(expected);
          },
        ),
        { numRuns: 3000 },
      );
      expect(accepted).toBeGreaterThan(200);
    } finally {
      session.close();
    }
  });
});
