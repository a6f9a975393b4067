/** Reviewable fields: they cover a body exactly once, and their hash moves with what is shown and with nothing else. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALWAYS } from '../../schemas/condition.js';
import { RuleBody, type Span } from '../../schemas/rule.js';
import { canonicalJson } from '../../stages/lib/canonical-json.js';
import {
  BODY_FIELDS,
  bodyFields,
  bodyHash,
  fieldValue,
  isBodyField,
  shownHash,
  shownSpans,
  withField,
} from '../../stages/lib/rules/fields.js';
import { body } from './rule-body.fixture.js';

/** Pointers to the parts of a value, two levels deep for `action`. */
const leaves = (b: RuleBody): string[] =>
  Object.entries(b).flatMap(([k, v]) =>
    k === 'action' ? Object.keys(v as object).map((p) => `/action/${p}`) : [`/${k}`],
  );

describe('fields of a body', () => {
  it('cover every part of the schema exactly once', () => {
    expect([...BODY_FIELDS].sort()).toEqual(leaves(body()).sort());
    expect(Object.keys(body()).sort()).toEqual(Object.keys(RuleBody.shape).sort());
    expect(new Set(BODY_FIELDS).size).toBe(BODY_FIELDS.length);
  });

  it('rebuild the body: writing every field of one rule over another gives the first', () => {
    const a = body();
    let b = body({ when: ALWAYS, unless: [], ratings: [], special_population: 'none', operations: [] });
    for (const { field, value } of bodyFields(a)) b = withField(b, field, value);
    expect(b).toEqual(a);
    expect(bodyHash(b)).toBe(bodyHash(a));
  });

  it('need a span where the source has to say it, not for absences and labels of ours', () => {
    const need = (b: RuleBody) =>
      bodyFields(b)
        .filter((f) => f.needs_span)
        .map((f) => f.field);
    expect(need(body())).toEqual(['/target', '/population', '/when', '/unless', '/action/kind', '/ratings']);
    expect(need(body({ when: ALWAYS, unless: [], ratings: [], population: ALWAYS }))).toEqual([
      '/target',
      '/action/kind',
    ]);
  });

  it('refuse a value that the schema refuses, and say where', () => {
    expect(() => withField(body(), '/action/kind', 'forbid')).toThrow(/^\/action\/kind: /);
    expect(() => withField(body(), '/target', [])).toThrow(/^\/target: /);
    expect(() => withField(body(), '/when', { type: 'fact' })).toThrow(/^\/when/);
    expect(isBodyField('/action')).toBe(false);
    expect(isBodyField('/unless/0')).toBe(false);
  });
});

describe('spans and hash of what is shown', () => {
  const span = (field: string, quote = field): Span => ({ field, ref: 'csv:beers2023.csv#B1/x', quote });

  it('take spans of the field, of its parts and of what it is a part of, and no neighbour', () => {
    const spans = [
      span('/unless/0'),
      span('/unless_not'),
      span('/action'),
      span('/action/kind'),
      span('/when'),
    ];
    expect(shownSpans('/unless', spans).map((s) => s.quote)).toEqual(['/unless/0']);
    expect(shownSpans('/action/kind', spans).map((s) => s.quote)).toEqual(['/action', '/action/kind']);
    expect(shownSpans('/action/act', spans).map((s) => s.quote)).toEqual(['/action']);
  });

  it('do not depend on the order of spans or of keys, nor on repeated spans', () => {
    const spans = fc.array(
      fc.record({
        field: fc.constantFrom('/when', '/when/of/0', '/unless', '/action'),
        ref: fc.constantFrom('csv:a.csv#1/x', 'csv:a.csv#2/x', 'definition:term'),
        quote: fc.constantFrom('a', 'b', 'a,b'),
      }),
    );
    fc.assert(
      fc.property(spans, fc.infiniteStream(fc.nat()), (list, keys) => {
        const order = new Map(list.map((s) => [s, keys.next().value]));
        const other = [...list, ...list].sort((a, b) => order.get(a)! - order.get(b)!);
        expect(shownSpans('/when', other)).toEqual(shownSpans('/when', list));
      }),
    );
  });

  it('differ for every difference that a person can see', () => {
    const when = fieldValue(body(), '/when');
    const shown = shownSpans('/when', [span('/when')]);
    const hashes = [
      shownHash('/when', when, shown),
      shownHash('/population', when, shown),
      shownHash('/when', ALWAYS, shown),
      shownHash('/when', when, []),
      shownHash('/when', when, [{ ...shown[0]!, quote: 'other' }]),
      shownHash('/when', when, [{ ...shown[0]!, ref: 'csv:beers2023.csv#B2/x' }]),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
    const turned = Object.fromEntries(Object.entries(when as object).reverse());
    expect(shownHash('/when', turned, shown)).toBe(hashes[0]);
    expect(canonicalJson(turned)).toBe(canonicalJson(when));
  });

  it('of a body changes with each field', () => {
    const base = body();
    const other = body({
      target: [{ ...base.target[0]!, name: 'digoxin' }],
      population: ALWAYS,
      when: ALWAYS,
      unless: [],
      action: {
        kind: 'caution, weigh or monitor',
        polarity: 'watch',
        object: 'act',
        act: 'stopping at once',
        dose_text: 'half',
        monitoring: 'potassium',
        alternative: 'sertraline',
      },
      ratings: [],
      patient_information_type: 'age threshold',
      special_population: 'none',
      operations: [],
    });
    for (const field of BODY_FIELDS) {
      expect(bodyHash(withField(base, field, fieldValue(other, field))), field).not.toBe(bodyHash(base));
    }
  });
});
