/** Triggers and conditions of the indication tables: every row is read, and what is wrong is named with its place. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../stages/lib/csv.js';
import { KEYED, parseTerms, STATES, type Term, termText } from '../../stages/lib/rule-terms.js';

const PLACE = { file: 'some.csv', row: 'R001', field: 'condition' };
const tableOf = (name: string): Record<string, string>[] =>
  parseCsv(readFileSync(`raw/mimic/synthetic/${name}.csv`, 'utf8'), name);
const keysOf = (name: string, column: string, more: readonly string[] = []): Set<string> =>
  new Set([...tableOf(name).map((r) => r[column]!), ...more]);

/** The keys that README of raw/mimic/synthetic allows beside the tables. */
const KNOWN = {
  dx: keysOf('diagnoses', 'dx_key'),
  drug: keysOf('drugs', 'drug_key'),
  proc: keysOf('procedures', 'proc_key', ['extubation', 'surgery']),
  allergy: keysOf('allergies', 'rule_tag'),
  micro: new Set(['gpc_blood', 'mssa_blood', 'yeast_blood', 'yeast_urine', 'esbl', 'negative_48h']),
  rad: new Set(['pulmonary_edema']),
  item: keysOf('items', 'item_key', ['age', 'onset']),
};

describe('the tables', () => {
  it('are read whole, every key is known, and each term is written back as it stands', () => {
    const cells = [
      ...tableOf('drug_indications').flatMap((r) => [
        { row: r.rule_id!, field: 'trigger', text: r.trigger! },
        { row: r.rule_id!, field: 'condition', text: r.condition! },
      ]),
      ...tableOf('contraindications').map((r) => ({
        row: r.rule_id!,
        field: 'condition',
        text: r.condition!,
      })),
    ];
    expect(cells.length).toBeGreaterThan(600);
    for (const { row, field, text } of cells) {
      const terms = parseTerms(text, { file: 'table', row, field }, KNOWN);
      expect(terms.map(termText).join('; ')).toBe(text);
    }
  });
});

const key = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const question = fc.oneof(
  fc.record({ kind: fc.constant('has' as const), of: fc.constantFrom(...KEYED), key }),
  fc.record({ kind: fc.constant('is' as const), state: fc.constantFrom(...STATES) }),
  fc.record({
    kind: fc.constant('compare' as const),
    item: key.filter((k) => !STATES.some((s) => s === k)),
    sign: fc.constantFrom('<' as const, '>' as const),
    limit: fc.integer({ min: -9999, max: 9999 }).map((n) => n / 100),
  }),
);
const term: fc.Arbitrary<Term> = fc
  .tuple(question, fc.boolean())
  .map(([q, isNegated]) => ({ ...q, isNegated }));

describe('terms', () => {
  it('come back from their text, whatever the blanks', () => {
    fc.assert(
      fc.property(fc.array(term, { maxLength: 5 }), fc.constantFrom('; ', ';', ' ;  '), (terms, join) => {
        expect(parseTerms(terms.map(termText).join(join), PLACE)).toEqual(terms);
      }),
    );
  });

  it.each([
    ['k <', /some\.csv, row R001, field condition: got "k <"/],
    ['dx:afib; ', /got ""/],
    ['k <= 3', /got "k <= 3"/],
    ['dx:afib and hr > 3', /got/],
    ['virus:flu', /got "virus:flu"/],
    ['dx:afip', /no dx is called "afip", did you mean "afib"/],
    ['not kk > 3', /no item is called "kk"/],
  ])('"%s" is refused with its place', (text, message) => {
    expect(() => parseTerms(text, PLACE, KNOWN)).toThrow(message);
  });
});
