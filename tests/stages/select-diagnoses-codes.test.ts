/** select-diagnoses: which label and which chapter a code gets. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHAPTERS_FILE, findRange, parseRanges } from '../../stages/lib/code-ranges.js';
import { ICD9_MAP_FILE, mapCode, parseIcd9Map } from '../../stages/select-diagnoses/code-map.js';
import { COMPLICATIONS_FILE } from '../../stages/select-diagnoses/files.js';

const text = (path: string): string => readFileSync(path, 'utf8');
const icd9 = parseIcd9Map(text(ICD9_MAP_FILE));
const chapters = parseRanges(text(CHAPTERS_FILE), CHAPTERS_FILE);
const complications = parseRanges(text(COMPLICATIONS_FILE), COMPLICATIONS_FILE);
const map = (code: string, native: Record<string, number> = {}): string => {
  const [version, icd_code] = code.split(':') as [string, string];
  const vocabulary = { icd9, native: new Map(Object.entries(native)) };
  const { dx_code, rule } = mapCode({ icd_version: Number(version), icd_code }, vocabulary);
  return `${dx_code} ${rule}`;
};
const categoryOf = (dx: string): number | null => {
  const range = findRange(chapters, dx);
  return range ? Number(range.row.category) : null;
};

describe('code mapping', () => {
  it('takes the category of a native ICD-10 code', () => {
    expect(map('10:I5023')).toBe('I50 native_icd10');
    expect(map('10:I10')).toBe('I10 native_icd10');
    expect(map('10:C7A00')).toBe('C7A native_icd10');
  });

  it('keeps 0042, 042 and 42 apart under both versions', () => {
    expect(map('9:0042')).toBe('ICD9:0042 unknown_icd9');
    expect(map('9:0041')).toBe('A03 single_category');
    expect(map('9:042')).toBe('B20 single_category');
    expect(map('9:42')).toBe('ICD9:42 unknown_icd9');
    expect(map('10:0042')).toBe('ICD10:0042 not_icd10');
    expect(map('10:042')).toBe('ICD10:042 not_icd10');
    expect(map('10:42')).toBe('ICD10:42 not_icd10');
  });

  it('reads 0029 as the diagnosis 002.9, never as the procedure 00.29', () => {
    expect(map('9:0029')).toBe('A01 single_category');
  });

  it('reads one text differently under each version', () => {
    expect([map('9:V140'), map('10:V140')]).toEqual(['Z88 single_category', 'V14 native_icd10']);
    expect([map('9:V103'), map('10:V103')]).toEqual(['Z85 single_category', 'V10 native_icd10']);
    expect([map('9:E8889'), map('10:E8889')]).toEqual(['W19 single_category', 'E88 native_icd10']);
    expect([map('9:E8339'), map('10:E8339')]).toEqual(['V93 single_category', 'E83 native_icd10']);
  });

  it('decides several targets by native frequency, then by the smallest code', () => {
    expect(map('9:0340', { J02: 1, J03: 2 })).toBe('J03 several_by_frequency');
    expect(map('9:0340', { J02: 2, J03: 1 })).toBe('J02 several_by_frequency');
    expect(map('9:0340', { J02: 2, J03: 2 })).toBe('J02 several_by_smallest');
    expect(map('9:0340')).toBe('J02 several_by_smallest');
    expect(map('9:0399', { A42: 1, A43: 3, B47: 3 })).toBe('A43 several_by_smallest');
    expect(map('9:11501', { G02: 5, B39: 1 })).toBe('G02 several_by_frequency+combination');
  });

  it('takes the exact target, and keeps codes without one', () => {
    expect(map('9:30593', { F19: 99 })).toBe('F18 exact_target');
    expect(map('9:36570')).toBe('ICD9:36570 no_target');
  });

  it('does not guess from neighbours: 25001 is type 1 diabetes, 25000 and 25002 are type 2', () => {
    expect([map('9:25000'), map('9:25001'), map('9:25002')]).toEqual([
      'E11 single_category',
      'ICD9:25001 unknown_icd9',
      'E11 single_category',
    ]);
  });

  it('gives a label and a chapter to every ICD-9 code of the table', () => {
    for (const code of icd9.keys()) {
      // A row of the conversion tables that is not a code.
      if (code === 'NKP') continue;
      const dx = map(`9:${code}`).split(' ')[0]!;
      expect(dx, code).toMatch(/^([A-Z][0-9][0-9A-Z]|ICD9:[0-9VE][0-9]{2,4})$/);
      expect(categoryOf(dx), dx).not.toBeNull();
    }
  });
});

describe('chapters', () => {
  it('maps ICD-10 letters to the 17 chapters, and status and causes beside them', () => {
    const cases: [string, number | null][] = [
      ...([
        'A00:1',
        'B99:1',
        'U07:1',
        'C00:2',
        'C7A:2',
        'D00:2',
        'D3A:2',
        'D49:2',
        'D50:4',
        'D89:4',
      ] as const),
      ...([
        'E11:3',
        'F05:5',
        'G93:6',
        'H40:6',
        'I50:7',
        'J96:8',
        'K70:9',
        'N17:10',
        'O9A:11',
        'L89:12',
      ] as const),
      ...(['M1A:13', 'Q21:14', 'P07:15', 'R65:16', 'S72:17', 'T88:17', 'Z66:18', 'Z3A:18'] as const),
      ...(['V43:19', 'W19:19', 'X58:19', 'Y83:19'] as const),
    ].map((c) => [c.split(':')[0]!, Number(c.split(':')[1])]);
    for (const [dx, category] of [...cases, ['U09', null], ['D90', null]] as [string, number | null][]) {
      expect(categoryOf(dx), dx).toBe(category);
    }
  });

  it('maps unmapped ICD-9 codes by their number, and nothing else', () => {
    const cases: Record<string, number | null> = {
      'ICD9:001': 1,
      'ICD9:1398': 1,
      'ICD9:140': 2,
      'ICD9:36570': 6,
      'ICD9:79999': 16,
      'ICD9:999': 17,
      'ICD9:V140': 18,
      'ICD9:E8889': 19,
      'ICD9:42': null,
      'ICD9:000': null,
      'ICD10:0042': null,
      'ICD10:42': null,
    };
    for (const [dx, category] of Object.entries(cases)) expect(categoryOf(dx), dx).toBe(category);
  });

  it('has one name per category, and ranges that do not overlap but for U07', () => {
    const names = new Map<string, Set<string>>();
    for (const { row } of chapters) {
      names.set(row.category!, (names.get(row.category!) ?? new Set()).add(row.category_name!));
    }
    expect([...names.keys()].map(Number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 19 }, (_, i) => i + 1),
    );
    for (const [category, set] of names) expect(set.size, category).toBe(1);
  });

  it('marks care-acquired labels', () => {
    const is = (dx: string): boolean => findRange(complications, dx) !== undefined;
    expect(['J95', 'T80', 'T88', 'L89', 'K91', 'ICD9:9999'].every(is)).toBe(true);
    expect(['J96', 'T79', 'L88', 'T89', 'I50', 'ICD9:995', 'ICD10:996'].some(is)).toBe(false);
  });
});
