/** The labels of all 543 rule rows against the expected answers, with the differences named. */
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../schemas/rule.js';
import { SOURCES } from '../../stages/draft-rules/sources.js';
import { lexicon, rulesOf, sourceRows } from '../support/draft-rules.js';
import { guidelineRows } from '../support/guidelines.js';

const FILES: Readonly<Record<string, readonly string[]>> = {
  beers_rows: ['beers2023'],
  kids_rows: ['kids2025', 'kids2020-superseded'],
  tga_rows: ['tga-pregnancy'],
  label_rows: ['fda-labels'],
};

/** The first rule of each row says what the row says; the others are further statements of its cells. */
const main = new Map<string, Rule>(
  SOURCES.flatMap((source) =>
    FILES[source.table.name]!.flatMap((file) =>
      sourceRows(file).map((row) => [row.row_id, rulesOf(row, source.parse(row, lexicon))[0]!] as const),
    ),
  ),
);

/**
 * Gabapentin bands are for "adults and children 12 years or older". Nobody in them is an older adult: the expected answer
 * took the word "older" for one.
 */
const GABAPENTIN = ['FDA-053', 'FDA-054', 'FDA-055', 'FDA-056'];

const COLUMNS = {
  patient_information_type: (r: Rule) => r.patient_information_type,
  action_kind: (r: Rule) => r.action.kind,
  special_population: (r: Rule) => r.special_population,
  operations: (r: Rule) => r.operations.join(';'),
} as const;

describe('labels of all rows', () => {
  const expected = guidelineRows('classification');

  it.each([
    ['patient_information_type', []],
    ['action_kind', []],
    ['special_population', GABAPENTIN],
    ['operations', []],
  ] as const)('%s', (column, different) => {
    expect(expected).toHaveLength(543);
    const found = expected.filter((c) => COLUMNS[column](main.get(c.row_id!)!) !== c[column]);
    expect(found.map((c) => c.row_id)).toEqual(different);
    for (const id of different) expect(main.get(id)!.special_population).toBe('none');
  });
});
