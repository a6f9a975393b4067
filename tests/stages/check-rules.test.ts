import { describe, expect, it } from 'vitest';
import { ERRORS, NOTES } from '../../schemas/check.js';
import type { Rule } from '../../schemas/rule.js';
import type { Sources } from '../../stages/check-rules/checks/check.js';
import { LEGAL_UNITS } from '../../stages/check-rules/checks/units.js';
import { checkAll } from '../../stages/check-rules/run.js';
import { parseCondition, parseRef } from '../../stages/lib/rules/expression.js';
import { isUcumCode } from '../../stages/lib/units.js';
import { real, realRules, sources, withCell } from './check-rules.support.js';

const all = checkAll(realRules, sources);
const found = (rules: readonly Rule[], given: Sources = sources) =>
  checkAll(rules, given).findings.map((f) => [f.rule_id, f.check_name, f.field, f.got]);
const errors: readonly string[] = ERRORS;
/** What is found in a changed rule beside what was found before. */
const broken = (rule_id: string, change: Partial<Rule>, given?: Sources) => {
  const before = new Set(found([real(rule_id)]).map((f) => JSON.stringify(f)));
  return found([{ ...real(rule_id), ...change }], given).filter((f) => !before.has(JSON.stringify(f)));
};
const link = (a: string, b: string) =>
  all.links.find((l) => [l.rule_id, l.other_rule_id].sort().join() === [a, b].sort().join());

describe('the rules of the tables', () => {
  it('have no error', () => {
    expect(all.findings.filter((f) => errors.includes(f.check_name))).toEqual([]);
  });

  it('have edges that two bands of one source print as theirs', () => {
    const edges = all.edges.map((e) => `${e.drug} ${e.measure} ${e.value} ${e.unit}`);
    expect(edges.sort()).toEqual([
      'levetiracetam CrCl_per_area 50 mL/min/{1.73_m2}',
      'pregabalin CrCl 30 mL/min',
      'pregabalin CrCl 60 mL/min',
    ]);
    expect(new Set(all.edges.map((e) => e.edge_id)).size).toBe(all.edges.length);
  });

  it.each([
    ['B23-T2-002', 'B23-T6-002', 'same', ['nitrofurantoin'], false],
    // Severe heart failure is a kind of symptomatic heart failure: the narrower row lies in the wider one.
    ['B23-T2-014', 'B23-T3-004', 'nested', ['dronedarone'], false],
    ['B23-T5-003', 'B23-T2-044', 'nested', ['meperidine'], true],
    ['FDA-043', 'FDA-040', 'nested', ['metformin'], false],
  ])('%s and %s are linked: %s', (a, b, kind, shared, is_class_and_member) => {
    expect(link(a, b)).toMatchObject({ link: kind, shared, is_class_and_member });
    if (kind === 'nested') expect(link(a, b)!.rule_id).toBe(a);
  });

  it.each([
    ['B23-T2-002', 'FDA-088', /CrCl < 30 mL\/min: avoid \(beers2023\); < 60 mL\/min: contraindicate/],
    ['B23-T6-006', 'FDA-008', /CrCl < 30 mL\/min: avoid .*>= 15 and <= 30 mL\/min: reduce dose/],
  ])('%s and %s differ between sources, and both are kept', (a, b, words) => {
    expect(link(a, b)).toMatchObject({ link: 'other_source' });
    expect(link(a, b)!.difference).toMatch(words);
  });

  it('are not linked for bands that no patient shares', () => {
    expect(link('B23-T6-011', 'FDA-015')).toBeUndefined();
    expect(link('B23-T6-003', 'B23-T6-004')).toBeUndefined();
  });

  it('say where a source contradicts itself', () => {
    const pairs = all.findings.filter((f) => f.check_name === 'contradiction_in_source');
    expect(pairs.map((f) => [f.rule_id, f.other_rule_id])).toContainEqual(['TGA-136', 'TGA-137']);
    // A usual dose and a dose for another number are no contradiction.
    expect(pairs.filter((f) => f.rule_id.startsWith('FDA'))).toEqual([]);
  });

  it('say which numbers a ladder leaves out', () => {
    const gaps = all.findings.filter((f) => f.check_name === 'band_gap').map((f) => f.got);
    expect(gaps).toContain('CrCl > 29 and <= 30 mL/min for gabapentin');
    expect(gaps).toContain('CrCl > 50 and <= 95 mL/min for edoxaban');
  });

  it('do not depend on the order they come in', () => {
    const turned = checkAll([...realRules].reverse(), sources);
    const sorted = (list: readonly object[]) => list.map((x) => JSON.stringify(x)).sort();
    expect(sorted(turned.findings)).toEqual(sorted(all.findings));
    expect(sorted(turned.links)).toEqual(sorted(all.links));
    expect(sorted(turned.edges)).toEqual(sorted(all.edges));
  });
});

describe('a rule that breaks a check', () => {
  const nitro = real('B23-T2-002');
  const when = (text: string) => ({ when: parseCondition(text) });
  const span = (
    field: string,
    quote: string,
    ref = 'csv:beers2023.csv#B23-T2-002/recommendation_detail',
  ) => ({
    spans: [...nitro.spans, { field, ref, quote }],
  });

  it('superseded_edition', () => {
    expect(broken('B23-T2-002', { source_id: 'kids2020-superseded' })).toEqual([
      ['B23-T2-002', 'superseded_edition', '/', 'PPA KIDs List 2020'],
    ]);
  });

  it('unknown_document', () => {
    expect(broken('B23-T2-002', { source_id: 'beers2026' })).toEqual([
      ['B23-T2-002', 'unknown_document', '/', 'beers2026'],
    ]);
  });

  it.each([
    'csv:beers2023.csv#B23-T2-999/member_drugs',
    'csv:beers2023.csv#B23-T2-002/no_such_column',
    'definition:trimester_9',
    'pdf:unread#cell',
  ])('unknown_place: %s', (ref) => {
    expect(broken('B23-T2-002', span('/when', 'under 30', ref))).toEqual([
      ['B23-T2-002', 'unknown_place', '/when', ref],
    ]);
  });

  it('quote_not_in_place, to the letter', () => {
    for (const quote of ['under 31', 'creatinine  clearance', 'Creatinine clearance'])
      expect(broken('B23-T2-002', span('/when', quote))).toEqual([
        ['B23-T2-002', 'quote_not_in_place', '/when', quote],
      ]);
  });

  it('quote_not_in_place: a cell that changed after the rule was drafted', () => {
    const ref = nitro.spans.find((s) => s.field === '/action/kind')!.ref;
    expect(broken('B23-T2-002', {}, withCell(ref, 'use with care')).map((f) => f[1])).toEqual([
      'quote_not_in_place',
    ]);
  });

  it('field_without_span', () => {
    for (const field of ['/target/0', '/population', '/when', '/action/kind', '/ratings/0'])
      expect(broken('B23-T2-002', { spans: nitro.spans.filter((s) => s.field !== field) })).toContainEqual([
        'B23-T2-002',
        'field_without_span',
        field,
        'no span',
      ]);
  });

  it('number_not_in_span, in every field that holds numbers', () => {
    expect(broken('B23-T2-002', when('CrCl < 60 mL/min'))).toEqual([
      ['B23-T2-002', 'number_not_in_span', '/when', '60'],
    ]);
    expect(broken('B23-T2-002', { population: parseCondition('age >= 75 a') })).toEqual([
      ['B23-T2-002', 'number_not_in_span', '/population', '75'],
    ]);
    // 3 of 30 is no number of the span, nor is 0.
    expect(broken('B23-T2-002', when('CrCl < 3 mL/min'))).toEqual([
      ['B23-T2-002', 'number_not_in_span', '/when', '3'],
    ]);
    const apixaban = real('FDA-001');
    const three = { ...apixaban.when, n: 3 } as Rule['when'];
    expect(
      broken('FDA-001', { when: three, action: { ...apixaban.action, dose_text: '10 mg twice daily' } }),
    ).toEqual([['FDA-001', 'number_not_in_span', '/action/dose_text', '10']]);
    const one = {
      ...apixaban.when,
      n: 2,
      of: [...(apixaban.when as { of: Rule['when'][] }).of, parseCondition('age >= 7 a')],
    };
    expect(broken('FDA-001', { when: one as Rule['when'] })).toEqual([
      ['FDA-001', 'number_not_in_span', '/when', '7'],
    ]);
    const doxepin = real('B23-T2-018');
    const target = doxepin.target.map((t) => (t.dose === null ? t : { ...t, dose: { ...t.dose, low: 60 } }));
    expect(broken('B23-T2-018', { target }).map((f) => [f[1], f[3]])).toEqual([['number_not_in_span', '60']]);
  });

  it('number_not_in_span: a definition row gives its numbers, and no others', () => {
    const rule = realRules.find((r) =>
      r.spans.some((s) => s.field === '/when' && s.ref === 'definition:trimester_1'),
    )!;
    const numbers = found([rule]).filter((f) => f[1] === 'number_not_in_span');
    expect(numbers).toEqual([]);
    const spans = rule.spans.filter((s) => !s.ref.startsWith('definition:'));
    expect(
      found([{ ...rule, spans }])
        .filter((f) => f[1] === 'number_not_in_span')
        .map((f) => f[3]),
    ).toContain('14');
  });

  it.each([
    ['unknown_drug', { target: [parseRef('nitrofuranton')] }, '/target/0', 'nitrofuranton'],
    ['unknown_drug', { target: [parseRef('class:nsaids minus asprin')] }, '/target/0', 'asprin'],
    ['unknown_class', { target: [parseRef('class:nitrofurans')] }, '/target/0', 'nitrofurans'],
    ['unknown_use', { target: [parseRef('nitrofurantoin {nasal}')] }, '/target/0', 'nasal'],
    ['unknown_class', when('all(CrCl < 30 mL/min, with class:opiates)'), '/when', 'opiates'],
    ['unknown_concept', when('all(CrCl < 30 mL/min, fact frail)'), '/when', 'frail'],
    ['unknown_use', when('all(CrCl < 30 mL/min, use pattern=daily)'), '/when', 'daily'],
    ['unknown_use', when('all(CrCl < 30 mL/min, use indication=cystitis)'), '/when', 'cystitis'],
    ['unknown_use', when('all(CrCl < 30 mL/min, not(route nasal))'), '/when', 'nasal'],
    [
      'unknown_drug',
      { action: { ...nitro.action, alternative: 'fosfomicin' } },
      '/action/alternative',
      'fosfomicin',
    ],
  ] as const)('%s: %o', (check, change, field, got) => {
    expect(broken('B23-T2-002', change as Partial<Rule>)).toContainEqual(['B23-T2-002', check, field, got]);
  });

  it.each([
    ['CrCl < 30 mL/min/{1.73_m2}', 'CrCl in mL/min/{1.73_m2}'],
    ['eGFR < 30 mL/min', 'eGFR in mL/min'],
    ['CrCl_per_area < 30 mL/min', 'CrCl_per_area in mL/min'],
    ['serum_creatinine < 30 mmol/L', 'serum_creatinine in mmol/L'],
    ['weight < 30 mg', 'weight in mg'],
    ['QT < 30 d', 'QT in d'],
    ['age < 30 kg', 'age in kg'],
    ['gestation < 30 mL/min', 'gestation in mL/min'],
    ['dose < 30 mL/min', 'dose in mL/min'],
    ['duration < 30 mg', 'duration in mg'],
    ['since < 30 kg of aliskiren', 'since_last_dose in kg'],
    ['with aspirin {> 30 wk}', 'dose in wk'],
  ])('illegal_unit: %s', (text, got) => {
    expect(broken('B23-T2-002', when(text))).toContainEqual(['B23-T2-002', 'illegal_unit', '/when', got]);
  });

  it('exception_missing: a promise of the row that no rule of it keeps', () => {
    expect(
      broken('B23-T2-012', {
        unless: [],
        spans: real('B23-T2-012').spans.filter((s) => !s.field.startsWith('/unless')),
      }),
    ).toContainEqual(['B23-T2-012', 'exception_missing', '/unless', 'avoid as first-line unless']);
    const ref = 'csv:beers2023.csv#B23-T2-002/criterion_text';
    expect(
      broken('B23-T2-002', {}, withCell(ref, 'Harm outweighs gain, except in short courses.')).map(
        (f) => f[1],
      ),
    ).toEqual(['exception_missing']);
  });

  it('exception_missing looks at all rules of the row', () => {
    const row = realRules.filter((r) => r.row_id === 'TGA-143');
    expect(row.length).toBeGreaterThan(1);
    expect(row.some((r) => r.unless.length === 0)).toBe(true);
    expect(found(row).filter((f) => f[1] === 'exception_missing')).toEqual([]);
  });

  it('exception_cell_not_cited', () => {
    expect(found([nitro])).toEqual([
      [
        'B23-T2-002',
        'exception_cell_not_cited',
        '/unless',
        'Short course with adequate kidney function is outside the criterion.',
      ],
    ]);
    const cited = span('/when', 'Short course', 'csv:beers2023.csv#B23-T2-002/exceptions_text');
    expect(found([{ ...nitro, ...cited }])).toEqual([]);
  });

  it('bands_overlap: another handling for numbers that two bands hold', () => {
    const reduce = real('FDA-058');
    const wide = { ...reduce, when: parseCondition('CrCl 15..60 mL/min') };
    const got = found([real('FDA-057'), wide, real('FDA-059'), real('FDA-060')]);
    expect(
      got
        .filter((f) => f[1] === 'bands_overlap')
        .map((f) => [f[0], f[3]])
        .sort(),
    ).toEqual([
      ['FDA-058', 'CrCl >= 15 and <= 30 mL/min for pregabalin, also in FDA-059'],
      ['FDA-059', 'CrCl >= 15 and <= 30 mL/min for pregabalin, also in FDA-058'],
    ]);
    // As printed they share edges only.
    const printed = ['FDA-057', 'FDA-058', 'FDA-059', 'FDA-060'].map(real);
    expect(found(printed).filter((f) => f[1] === 'bands_overlap')).toEqual([]);
  });

  it('contradiction_in_source: one bars what the other frees, for one patient', () => {
    const free = {
      ...real('FDA-088'),
      rule_id: 'X',
      row_id: 'X',
      action: { ...real('FDA-088').action, kind: 'no restriction' as const, polarity: 'neutral' as const },
    };
    const pairs = (other: Rule) =>
      found([real('FDA-088'), other]).filter((f) => f[1] === 'contradiction_in_source');
    expect(pairs(free)).toHaveLength(1);
    expect(pairs({ ...free, when: parseCondition('CrCl >= 60 mL/min') })).toEqual([]);
    expect(pairs({ ...free, source_id: 'beers2023' })).toEqual([]);
    expect(pairs({ ...free, target: [parseRef('nitrofurantoin {topical}')] })).toHaveLength(1);
    const limited = { ...real('FDA-088'), target: [parseRef('nitrofurantoin {oral}')] };
    const other = { ...free, target: [parseRef('nitrofurantoin {topical}')] };
    expect(found([limited, other]).filter((f) => f[1] === 'contradiction_in_source')).toEqual([]);
    // An exception that the other rule needs makes room for both.
    const lifted = { ...real('FDA-088'), unless: [{ when: free.when, text: 'x' }] };
    expect(found([lifted, free]).filter((f) => f[1] === 'contradiction_in_source')).toEqual([]);
  });

  it('every check of the schema has a test above', async () => {
    const { readFileSync } = await import('node:fs');
    const text = readFileSync('tests/stages/check-rules.test.ts', 'utf8');
    for (const check of [...ERRORS, ...NOTES]) expect(text).toContain(`'${check}`);
  });
});

describe('units', () => {
  it('are UCUM codes', () => {
    for (const unit of Object.values(LEGAL_UNITS).flat()) expect(isUcumCode(unit), unit).toBe(true);
  });

  it('keep clearance and clearance for each body surface apart', () => {
    expect(LEGAL_UNITS.CrCl).toEqual(['mL/min']);
    expect(LEGAL_UNITS.eGFR).toEqual(['mL/min/{1.73_m2}']);
    expect(LEGAL_UNITS.CrCl_per_area).toEqual(['mL/min/{1.73_m2}']);
  });
});
