/** What a small file cannot show: texts of every odd shape, and lines of rejects in a file that is read in parallel. */
import { cpSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SqlRow } from '../../stages/contract.js';
import { loadMimic } from '../../stages/load-mimic/stage.js';
import { synthMimic } from '../../stages/synth-mimic/stage.js';
import { runStageOn, type StageRun, temporaryFolder } from '../support/stage.js';
import { contents, loadWith, type Row, writeFile } from './mimic-extract.js';

/** The forms of the README, written a second time. */
const INTEGER = /^(0|-?[1-9][0-9]*)$/;
const DOUBLE = /^(-?(0|[1-9][0-9]*)(\.[0-9]+)?|-?[1-9](\.[0-9]+)?e[+-][0-9]{2,3})$/;
const TIMESTAMP =
  /^2(0[5-9]|1[0-9]|2[0-4])[0-9]-[0-9]{2}-[0-9]{2} ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?$/;

const isDate = (text: string): boolean => {
  const date = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text.slice(0, 10));
};
const fits = (text: string): boolean => Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;

/** A text that is nearly right: a good one with up to two characters taken out, put in or exchanged. */
const nearly = (good: fc.Arbitrary<string>, letters: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      good,
      fc.array(fc.tuple(fc.nat(30), fc.constantFrom(...letters), fc.constantFrom(0, 1, 2)), { maxLength: 2 }),
    )
    .map(([text, edits]) =>
      edits.reduce((t, [at, letter, kind]) => {
        const i = at % (t.length + 1);
        return t.slice(0, i) + (kind === 0 ? '' : letter) + t.slice(kind === 1 ? i : i + 1);
      }, text),
    )
    .filter((text) => text !== '' && !text.includes('"'));

const pad = (n: number, size = 2): string => String(n).padStart(size, '0');
const time = fc
  .tuple(fc.integer({ min: 2040, max: 2260 }), fc.nat(13), fc.nat(32), fc.nat(24), fc.nat(60), fc.nat(60))
  .map(([y, mo, d, h, mi, s]) => `${y}-${pad(mo)}-${pad(d)} ${pad(h)}:${pad(mi)}:${pad(s)}`);
const fraction = fc.constantFrom('', '', '', '.5', '.50', '.000', '.123456', '.1234567', '.');
const whole = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom('2147483647', '2147483648', '-2147483648', '-2147483649', '0', '-0', '00', '1e3', '0x1'),
);
const number = fc.oneof(
  whole,
  fc.tuple(fc.integer({ min: -2000, max: 2000 }), fc.nat(99_999)).map(([a, b]) => `${a}.${b}`),
  fc.constantFrom('1e-05', '1.5e+20', '1e+308', '9e+308', '1e400', 'inf', 'nan', '0.10', '-0.0', '1_0', '.5'),
);

const CASES = [
  {
    column: 'specimen_id',
    texts: nearly(whole, '0123 -+.e_x'),
    is: (t: string) => INTEGER.test(t) && fits(t),
  },
  {
    column: 'valuenum',
    texts: nearly(number, '0123 -+.e_,'),
    is: (t: string) => DOUBLE.test(t) && Number.isFinite(Number(t)),
  },
  {
    column: 'charttime',
    texts: nearly(
      fc.tuple(time, fraction).map((x) => x.join('')),
      '0123 -:.TZ/+',
    ),
    is: (t: string) => TIMESTAMP.test(t) && isDate(t),
  },
];

describe('a value is taken exactly when its text has the form of the README', () => {
  it.each(CASES)('$column', async ({ column, texts, is }) => {
    const drawn = fc.sample(texts, { numRuns: 4000, seed: 5 });
    const run = await loadWith(
      {
        'hosp.labevents': (rows) =>
          drawn.map((text, i): Row => ({ ...rows[0]!, labevent_id: i, [column]: text })),
      },
      { max_reject_share: 1, free_rejects: 10_000 },
    );
    const taken = new Set((await run.table('labevents')).map((r) => r.labevent_id));
    const differ = drawn.filter((text, i) => taken.has(i) !== is(text));
    expect(differ).toEqual([]);
    expect(taken.size).toBeGreaterThan(400);
    expect(taken.size).toBeLessThan(3600);
  });
});

describe('a file that DuckDB reads in parallel', () => {
  const ROWS = 500_000;
  /** What becomes of a row when a column holds this text. */
  const FAULTS: readonly [reason: string, column: number, text: string][] = [
    ['not_a_timestamp', 4, 'yesterday'],
    ['not_an_integer', 6, '220045.0'],
    ['orphan_stay', 2, '39999999'],
    ['stay_mismatch', 1, '29999999'],
  ];

  it('names the physical line of every reject, and gives the same bytes for any number of workers', async () => {
    const made = await runStageOn(synthMimic, {
      config: { stays: 200, profile: 'clean', chartevents_rows: ROWS },
    });
    const folder = join(temporaryFolder(), 'extract');
    cpSync(join(made.dir, 'extract'), folder, { recursive: true });
    const lines = gunzipSync(readFileSync(join(folder, 'icu/chartevents.csv.gz')))
      .toString()
      .split('\n');
    const expected: string[] = [];
    const places = fc.sample(fc.integer({ min: 1, max: ROWS }), { numRuns: 40, seed: 7 });
    for (const [i, at] of [...new Set([1, ROWS, ...places])].entries()) {
      const [reason, column, wrong] = FAULTS[i % FAULTS.length]!;
      const cells = lines[at]!.split(',');
      cells[6] = '220045';
      cells[7] = `fault ${i}`;
      cells[column] = wrong;
      lines[at] = cells.join(',');
      expected.push(`icu/chartevents.csv line ${at + 1} ${reason}`);
    }
    writeFile(join(folder, 'icu/chartevents.csv'), lines.join('\n'));
    for (const gone of ['icu/chartevents.csv.gz', 'SHA256SUMS.txt']) await rm(join(folder, gone));
    const loadBy = (workers: number): Promise<StageRun> =>
      runStageOn(loadMimic, { inputs: { extract: { folder } }, workers });
    const runs = [await loadBy(1), await loadBy(3)];
    await rm(join(folder, 'icu/chartevents.csv'));
    writeFile(join(folder, 'icu/chartevents.csv.gz'), gzipSync(lines.join('\n'), { level: 1 }));
    runs.push(await loadBy(3));
    for (const run of runs) {
      const rejects = (await run.table('rejects')).map(
        (r: SqlRow) => `${String(r.where).replace('.gz', '')} ${r.reason}`,
      );
      expect(rejects.sort()).toEqual(expected.sort());
      expect(contents(run)).toEqual(contents(runs[0]!));
    }
  }, 120_000);
});
