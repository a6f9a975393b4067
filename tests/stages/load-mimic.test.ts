import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MIMIC_FILES, type MimicTable } from '../../schemas/mimic-files.js';
import {
  contents,
  csvText,
  HEART_RATE,
  load,
  loadWith,
  type Row,
  sampleExtract,
  writeExtract,
} from './mimic-extract.js';

/** A key of its own for one more row of a table. */
const UNIQUE: Partial<Record<MimicTable, (i: number) => Row>> = {
  'hosp.patients': (i) => ({ subject_id: 19_000_000 + i }),
  'hosp.admissions': (i) => ({ hadm_id: 29_000_000 + i }),
  'hosp.labevents': (i) => ({ labevent_id: 9000 + i }),
  'hosp.diagnoses_icd': (i) => ({ seq_num: 100 + i }),
};
describe('a sound extract', () => {
  it('is loaded whole, typed and accounted for', async () => {
    const run = await load(writeExtract(sampleExtract()));
    expect(await run.table('rejects')).toEqual([]);
    const report = await run.table('load_report');
    expect(report).toHaveLength(14);
    for (const r of report) {
      expect(r.records).toBe(
        (r.loaded as number) + (r.rejected as number) + (r.duplicates as number) + (r.dropped as number),
      );
      expect(r).toMatchObject({ mimic_version: '3.x', version_source: 'vocabulary' });
      expect(r.truncation_check).toMatch(/^none: neither hash nor row count is known/);
    }
    expect((await run.table('labevents'))[0]).toEqual({
      labevent_id: 0,
      subject_id: 10_000_001,
      hadm_id: null,
      specimen_id: 7000,
      itemid: 50971,
      charttime: '2150-03-01 12:00:00',
      storetime: '2150-03-01 13:00:00',
      value: '4.1',
      valuenum: 4.1,
      valueuom: 'mEq/L',
      ref_range_lower: null,
      ref_range_upper: null,
      flag: null,
      comments: null,
    });
    expect((await run.table('procedureevents'))[0]!.storetime).toBe('2150-03-01 13:00:00.123');
    expect(run.result.counts.files_of_unknown_length).toBe(14);
  });

  it('gives the same bytes packed, in members, with BOM, CRLF and other column order', async () => {
    const plain = contents(await load(writeExtract(sampleExtract())));
    const reversed = Object.fromEntries(
      Object.entries(MIMIC_FILES).map(([t, f]) => [t, f.columns.map((c) => c.name.toUpperCase()).reverse()]),
    ) as Record<MimicTable, string[]>;
    for (const options of [
      { members: 1 },
      { members: 3, bom: true },
      { newline: '\r\n' as const, bom: true },
      { members: 2, newline: '\r\n' as const },
      { columns: reversed },
      { folder: "it's [a] 100% *odd* path?" },
    ]) {
      expect(contents(await load(writeExtract(sampleExtract(), options))), JSON.stringify(options)).toEqual(
        plain,
      );
    }
  });

  it('gives the same bytes with rows in any order', async () => {
    const extract = sampleExtract();
    extract['icu.chartevents']!.push(HEART_RATE, HEART_RATE, { ...HEART_RATE, stay_id: 39_999_999 });
    extract['hosp.omr']!.push({ ...extract['hosp.omr']![0]!, result_value: '160' });
    const expected = contents(await load(writeExtract(extract)));
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const shuffled = Object.fromEntries(
          Object.entries(extract).map(([t, rows]) => [t, shuffle(rows, seed)]),
        );
        expect(contents(await load(writeExtract(shuffled, { members: 1 })))).toEqual(expected);
      }),
      { numRuns: 4 },
    );
  });
});

function shuffle<T>(rows: readonly T[], seed: number): T[] {
  return fc.sample(fc.shuffledSubarray([...rows], { minLength: rows.length }), { numRuns: 1, seed })[0]!;
}

describe('nothing is rounded, trimmed or guessed', () => {
  const cases: [MimicTable, string, string, string][] = [
    ['hosp.patients', 'anchor_age', '60.5', 'not_an_integer'],
    ['hosp.patients', 'anchor_age', '2.5', 'not_an_integer'],
    ['hosp.patients', 'anchor_age', '007', 'not_an_integer'],
    ['hosp.patients', 'anchor_age', ' 5', 'not_an_integer'],
    ['hosp.patients', 'anchor_age', '5 ', 'not_an_integer'],
    ['hosp.patients', 'anchor_age', '+5', 'not_an_integer'],
    ['hosp.patients', 'anchor_age', '-0', 'not_an_integer'],
    ['hosp.patients', 'anchor_age', '1e3', 'not_an_integer'],
    ['hosp.patients', 'anchor_age', '0x1F', 'not_an_integer'],
    ['hosp.patients', 'anchor_age', '1_000', 'not_an_integer'],
    ['hosp.patients', 'anchor_age', 'true', 'not_an_integer'],
    ['hosp.patients', 'anchor_age', '60\n', 'not_an_integer'],
    ['hosp.patients', 'anchor_age', '2147483648', 'impossible_value'],
    ['hosp.patients', 'anchor_age', '', 'missing_value'],
    ['hosp.patients', 'gender', 'm', 'unknown_code'],
    ['hosp.patients', 'dod', '2150-03-01 10:00:00', 'not_a_date'],
    ['hosp.patients', 'dod', '2150-02-30', 'impossible_value'],
    ['hosp.patients', 'dod', '1970-01-01', 'not_a_date'],
    ['hosp.admissions', 'dischtime', '2150-03-01', 'not_a_timestamp'],
    ['hosp.admissions', 'dischtime', '2150-03-01T10:00:00', 'not_a_timestamp'],
    ['hosp.admissions', 'dischtime', '2150-03-01 24:00:00', 'not_a_timestamp'],
    ['hosp.admissions', 'dischtime', '2150-03-01 10:00:00+02', 'not_a_timestamp'],
    ['hosp.admissions', 'dischtime', '4133980800', 'not_a_timestamp'],
    ['hosp.admissions', 'hospital_expire_flag', '2', 'unknown_code'],
    ['hosp.labevents', 'valuenum', 'inf', 'not_a_number'],
    ['hosp.labevents', 'valuenum', '-Infinity', 'not_a_number'],
    ['hosp.labevents', 'valuenum', 'nan', 'not_a_number'],
    ['hosp.labevents', 'valuenum', '1e3', 'not_a_number'],
    ['hosp.labevents', 'valuenum', '1e+999', 'impossible_value'],
    ['hosp.labevents', 'valuenum', '1,5', 'not_a_number'],
    ['hosp.labevents', 'valuenum', '.5', 'not_a_number'],
    ['hosp.labevents', 'valuenum', '5.', 'not_a_number'],
    ['hosp.labevents', 'valuenum', '04.1', 'not_a_number'],
    ['hosp.labevents', 'valuenum', '<5', 'not_a_number'],
    ['hosp.labevents', 'subject_id', '1e7', 'not_an_integer'],
    ['icu.chartevents', 'itemid', '220045.0', 'not_an_integer'],
    ['hosp.diagnoses_icd', 'icd_version', '11', 'unknown_code'],
  ];
  it('every odd value is one reject with its reason, field, text and line', async () => {
    const extract = sampleExtract();
    const places = cases.map(([table, column, text]) => {
      const rows = extract[table]!;
      rows.push({ ...rows.at(0)!, ...UNIQUE[table]?.(rows.length), [column]: text });
      return rows.length;
    });
    const lines = cases.map(([table], i) => {
      const before = csvText(table, extract[table]!.slice(0, places[i]! - 1));
      return before.split('\n').length;
    });
    const run = await load(writeExtract(extract), { free_rejects: 100 });
    const rejects = (await run.table('rejects')).map((r) => [r.where, r.field, r.got, r.reason]);
    const expected = cases.map(([table, column, text, reason], i) => [
      `${table.replace('.', '/')}.csv line ${lines[i]}`,
      column,
      text,
      reason,
    ]);
    expect(rejects.sort()).toEqual(expected.sort());
    expect(contents(run)).toEqual(contents(await load(writeExtract(sampleExtract()))));
  });

  it('numbers keep all their digits, and only the shortest form of a double may have an exponent', async () => {
    const values = ['0.1', '-12.5', '1e-05', '1.5e+20', '123456789012345680', '-0', '0.30000000000000004'];
    const run = await loadWith({
      'hosp.labevents': (rows) => values.map((valuenum, i) => ({ ...rows[0]!, labevent_id: i, valuenum })),
    });
    const got = (await run.table('labevents')).map((r) => r.valuenum);
    expect(got).toEqual([0.1, -12.5, 1e-5, 1.5e20, 123456789012345680, 0, 0.30000000000000004]);
    expect(Object.is(got[5], -0)).toBe(false);
  });

  it('ICD codes stay text, trimmed, with leading zeros, under their version', async () => {
    const codes: [string, number][] = [
      ['0042', 9],
      ['042', 9],
      ['42', 9],
      ['42 ', 10],
      ['  V140  ', 9],
      ['V140', 10],
    ];
    const run = await loadWith(
      {
        'hosp.diagnoses_icd': (rows) =>
          codes.map(([icd_code, icd_version], i) => ({ ...rows[0]!, seq_num: i + 1, icd_code, icd_version })),
        'hosp.d_icd_diagnoses': () =>
          codes.slice(0, 3).map(([icd_code, icd_version]) => ({ icd_code, icd_version })),
      },
      { min_match: 0.5 },
    );
    expect((await run.table('diagnoses_icd')).map((r) => [r.icd_code, r.icd_version])).toEqual([
      ['0042', 9],
      ['042', 9],
      ['42', 9],
      ['42', 10],
      ['V140', 9],
      ['V140', 10],
    ]);
    expect(run.result.counts.icd_without_dictionary).toBe(3);
  });

  it('empty and quoted empty are both null, and a quoted value may hold anything', async () => {
    const root = writeExtract(sampleExtract());
    const path = join(root, 'hosp/labevents.csv');
    const [header, first] = readFileSync(path, 'utf8').split('\n');
    const cells = first!.split(',');
    const names = header!.split(',');
    cells[names.indexOf('value')] = '""';
    cells[names.indexOf('comments')] = '"4 x 4 ""or less"", then\nNEG.\r\n°F"';
    writeFileSync(path, `${header}\n${cells.join(',')}\n`);
    const [row] = await (await load(root)).table('labevents');
    expect(row).toMatchObject({ value: null, comments: '4 x 4 "or less", then\nNEG.\r\n°F' });
  });
});

describe('the line of a reject is the physical line', () => {
  it('when earlier values hold line ends, packed or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('NEG.', 'two\nlines', 'a\r\n\r\nb', '"\n"\n""'), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.boolean(),
        async (comments, packed) => {
          const extract = sampleExtract();
          const base = extract['hosp.labevents']![0]!;
          const bad = { ...base, labevent_id: 99, valuenum: 'x' };
          const rows = [...comments.map((c, i) => ({ ...base, labevent_id: 100 + i, comments: c })), bad];
          extract['hosp.labevents'] = rows;
          const run = await load(writeExtract(extract, packed ? { members: 2 } : {}));
          const line = csvText('hosp.labevents', rows.slice(0, -1)).split('\n').length;
          const [reject] = await run.table('rejects');
          expect(reject).toMatchObject({
            where: `hosp/labevents.csv${packed ? '.gz' : ''} line ${line}`,
            key: 'labevent_id=99',
            reason: 'not_a_number',
          });
        },
      ),
      { numRuns: 6 },
    );
  });
});
