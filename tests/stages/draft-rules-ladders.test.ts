/** Dose ladders of the real rows: bands, edges and holes as the tables print them. */
import { describe, expect, it } from 'vitest';
import { SOURCES } from '../../stages/draft-rules/sources.js';
import { bandAt, type Ladder, ladders } from '../../stages/lib/rules/bands.js';
import { wordBounds } from '../../stages/lib/rules/bounds.js';
import { printRef } from '../../stages/lib/rules/expression.js';
import { lexicon, rulesOf, sourceRows } from '../support/draft-rules.js';

const rulesOfTable = (file: string, table: string) => {
  const source = SOURCES.find((s) => s.table.name === table)!;
  return sourceRows(file).flatMap((row) => rulesOf(row, source.parse(row, lexicon)));
};
const rules = [...rulesOfTable('beers2023', 'beers_rows'), ...rulesOfTable('fda-labels', 'label_rows')];
const made = ladders(rules);

/** The ladders of a drug in a source, without the unit. */
function shown(source_id: string, drug: string): string[] {
  return made
    .filter((l) => l.source_id === source_id && printRef(l.drug) === drug)
    .map((l) => [l.measure, ...l.use, ...l.state, '|', ...l.bands.map((b) => bandWords(l, b))].join(' '));
}
const bandWords = (l: Ladder, b: Ladder['bands'][number]): string =>
  `${wordBounds(b.bounds).replace(` ${l.unit}`, '')}: ${b.rule_id}${b.is_usual ? ' usual' : ''},`;
const find = (source_id: string, drug: string, measure: Ladder['measure'], use = ''): Ladder =>
  made.find(
    (l) =>
      l.source_id === source_id &&
      l.drug.name === drug &&
      l.measure === measure &&
      l.state.length === 0 &&
      l.use.join('; ').includes(use),
  )!;

const AF = 'use indication=atrial_fibrillation_nonvalvular';
const AF_FLUTTER = 'any(use indication=atrial_fibrillation, use indication=atrial_flutter)';
const VTE = 'use indication=venous_thromboembolism use purpose=treatment';

describe('ladders of labels', () => {
  it.each([
    ['rivaroxaban', [`CrCl ${AF} | <= 50: FDA-005, > 50: FDA-004 usual,`, `CrCl ${VTE} | < 15: FDA-006,`]],
    [
      'dofetilide',
      [
        `CrCl ${AF_FLUTTER} | < 20: FDA-030, >= 20 and < 40: FDA-029, >= 40 and <= 60: FDA-028, > 60: FDA-027 usual,`,
        'QTc | > 440: FDA-031,',
      ],
    ],
    [
      'sotalol',
      [
        `CrCl ${AF_FLUTTER} | < 40: FDA-034, >= 40 and <= 60: FDA-033, > 60: FDA-032 usual,`,
        `QT ${AF_FLUTTER} | > 450: FDA-035,`,
      ],
    ],
    [
      'gabapentin',
      [
        'CrCl | >= 15 and <= 15: FDA-056, > 15 and <= 29: FDA-055, > 30 and <= 59: FDA-054, >= 60: FDA-053 usual,',
      ],
    ],
    [
      'pregabalin',
      ['CrCl | < 15: FDA-060, >= 15 and <= 30: FDA-059, >= 30 and <= 60: FDA-058, >= 60: FDA-057 usual,'],
    ],
    [
      'levetiracetam',
      [
        'CrCl_per_area | < 30: FDA-064, >= 30 and <= 50: FDA-063, >= 50 and <= 80: FDA-062, > 80: FDA-061 usual,',
      ],
    ],
    [
      'sitagliptin',
      ['eGFR use indication=type_2_diabetes | < 30: FDA-047, >= 30 and < 45: FDA-046, >= 45: FDA-045 usual,'],
    ],
    [
      'enoxaparin',
      ['CrCl use purpose=prophylaxis | < 30: FDA-019,', 'CrCl use purpose=treatment | < 30: FDA-020,'],
    ],
    [
      'edoxaban',
      ['CrCl | < 15: FDA-017,', `CrCl ${AF} | < 15: FDA-017, >= 15 and <= 50: FDA-016, > 95: FDA-015,`],
    ],
    ['combination:sulfamethoxazole-trimethoprim', ['CrCl | < 15: FDA-092, >= 15 and <= 30: FDA-091,']],
    ['ciprofloxacin', ['CrCl | >= 5 and <= 29: FDA-095, >= 30 and <= 50: FDA-094,']],
    ['levofloxacin', ['CrCl use regimen=750_mg_daily | >= 10 and <= 19: FDA-098, >= 20 and <= 49: FDA-097,']],
    [
      'dabigatran',
      [
        `CrCl ${AF} with class:pgp_inhibitors | < 30: FDA-011,`,
        `CrCl ${VTE} with class:pgp_inhibitors | < 50: FDA-013,`,
        `CrCl ${AF} with dronedarone | ketoconazole {oral} | >= 30 and <= 50: FDA-010,`,
        `CrCl ${AF} | < 15: FDA-009, >= 15 and <= 30: FDA-008, > 30: FDA-007 usual,`,
        `CrCl ${VTE} | <= 30: FDA-012,`,
      ],
    ],
    [
      'metformin',
      [
        'eGFR use indication=type_2_diabetes fact iodinated_contrast | >= 30 and <= 60: FDA-044,',
        'eGFR use indication=type_2_diabetes | < 30: FDA-040,',
        'eGFR use indication=type_2_diabetes use phase=continuing | < 30: FDA-040, < 30: FDA-043, < 45: FDA-042,',
        'eGFR use indication=type_2_diabetes use phase=starting | < 30: FDA-040, >= 30 and <= 45: FDA-041,',
      ],
    ],
  ])('%s', (drug, expected) => {
    expect(shown('fda-labels', drug)).toEqual(expected);
  });
});

describe('ladders of the Beers Criteria', () => {
  it.each([
    ['rivaroxaban', ['CrCl | < 15: B23-T6-015, >= 15 and <= 50: B23-T6-016,']],
    ['dofetilide', ['CrCl | < 20: B23-T6-009, >= 20 and <= 59: B23-T6-008,']],
    ['edoxaban', ['CrCl | < 15: B23-T6-011, >= 15 and <= 50: B23-T6-010, > 95: B23-T6-012,']],
    ['enoxaparin', ['CrCl | < 30: B23-T6-013,']],
    ['gabapentin', ['CrCl | < 60: B23-T6-021,']],
    ['levetiracetam', ['CrCl | <= 80: B23-T6-022,']],
    ['ciprofloxacin', ['CrCl | < 30: B23-T6-001,']],
    ['combination:sulfamethoxazole-trimethoprim', ['CrCl | < 15: B23-T6-004, >= 15 and <= 29: B23-T6-003,']],
    ['tramadol {immediate_release}', ['CrCl | < 30: B23-T6-025,']],
    ['tramadol {extended_release}', ['CrCl | < 30: B23-T6-026,']],
    ['baclofen', ['eGFR | < 60: B23-T6-019,']],
  ])('%s', (drug, expected) => {
    expect(shown('beers2023', drug)).toEqual(expected);
  });
});

describe('edges of real ladders', () => {
  it.each([
    ['pregabalin', 'CrCl', [30, 60], [15]],
    ['levetiracetam', 'CrCl_per_area', [50], [30, 80]],
    ['dofetilide', 'CrCl', [], [20, 40, 60]],
    ['gabapentin', 'CrCl', [], [15]],
    ['sitagliptin', 'eGFR', [], [30, 45]],
  ] as const)('%s: shared %s', (drug, measure, ambiguous, touching) => {
    const l = find('fda-labels', drug, measure);
    expect([l.ambiguous, l.touching]).toEqual([ambiguous, touching]);
  });

  it('only these holes have a whole number in them', () => {
    const holes = made.flatMap((l) =>
      l.holes
        .filter((h) => h.has_whole_number)
        .map((h) => `${l.source_id} ${printRef(l.drug)} ${wordBounds(h.bounds)}`),
    );
    expect(holes).toEqual([
      'beers2023 edoxaban > 50 and <= 95 mL/min',
      'fda-labels edoxaban > 50 and <= 95 mL/min',
      'fda-labels gabapentin > 29 and <= 30 mL/min',
    ]);
  });

  it('only nested rows overlap', () => {
    const overlaps = made.flatMap((l) => l.overlaps.map((o) => o.rule_ids.join(' ')));
    expect([...new Set(overlaps)].sort()).toEqual([
      'B23-T2-002 B23-T6-002',
      'FDA-040 FDA-042',
      'FDA-040 FDA-043',
      'FDA-043 FDA-042',
    ]);
  });

  it('a value picks one handling, or none', () => {
    const texts = (l: Ladder, values: number[]) => values.map((v) => bandAt(l, v)?.dose_text ?? null);
    expect(texts(find('fda-labels', 'rivaroxaban', 'CrCl', 'fibrillation'), [40, 50, 60])).toEqual([
      '15 mg once daily with the evening meal',
      '15 mg once daily with the evening meal',
      '20 mg once daily with the evening meal',
    ]);
    expect(texts(find('fda-labels', 'pregabalin', 'CrCl'), [10, 20, 30, 45, 60, 90])).toEqual([
      '25 to 75 mg once daily',
      '25 to 150 mg per day',
      null,
      '75 to 300 mg per day',
      null,
      '150 to 600 mg per day',
    ]);
    expect(texts(find('fda-labels', 'gabapentin', 'CrCl'), [14, 15, 22, 30, 45])).toEqual([
      null,
      '100 to 300 mg once daily',
      '200 to 700 mg once daily',
      null,
      '400 to 1400 mg per day in two doses',
    ]);
  });
});
