/** Replies of a model against their passages, on the project's own drug, class, fact and definition tables. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rule, RuleBody, Span } from '../../schemas/rule.js';
import type { Sources } from '../../stages/check-rules/checks/check.js';
import { checkNumbers } from '../../stages/check-rules/checks/numbers.js';
import { checkSpans } from '../../stages/check-rules/checks/spans.js';
import { Places } from '../../stages/check-rules/places.js';
import type { Passage } from '../../stages/draft-rules-from-prose/draft.js';
import { messagesFor } from '../../stages/draft-rules-from-prose/prompt.js';
import { fold } from '../../stages/draft-rules-from-prose/quotes.js';
import type { ReplyRule } from '../../stages/draft-rules-from-prose/reply.js';
import { printRef } from '../../stages/lib/rules/expression.js';
import { draft, known, passage, rule, when } from './draft-rules-from-prose.fixture.js';

describe('grounds', () => {
  it.each<[string, string, string]>([
    ['CrCl less than 30 mL/min', 'CrCl < 30 mL/min', 'CrCl < 30 mL/min'],
    ['creatinine clearance 15 to 29 mL/min', 'CrCl 15..29 mL/min', 'CrCl [15..29] mL/min'],
    ['eGFR below 45 mL/min/1.73 m^2', 'eGFR < 45 mL/min/{1.73_m2}', 'eGFR < 45 mL/min/{1.73_m2}'],
    ['serum creatinine ≥1.5 mg/dL', 'serum_creatinine >= 1.5 mg/dL', 'serum_creatinine >= 1.5 mg/dL'],
    ['at least 80 years', 'age >= 80 a', 'age >= 80 a'],
    ['between 12 and 18 years', 'age 12..18 a', 'age [12..18] a'],
    ['from 20 to 30 weeks of gestation', 'gestation [20..30) wk', 'gestation [20..30) wk'],
    ['in the third trimester', 'gestation >= 28 wk', 'gestation >= 28 wk'],
    ['in neonates', 'age <= 28 d', 'age <= 28 d'],
    ['more than 6 mg daily', 'dose > 6 mg/d', 'dose > 6 mg/d'],
    ['while breastfeeding', 'fact breastfeeding', 'fact breastfeeding'],
    ['with codeine over 60 mg daily', 'with codeine {> 60 mg/d}', 'with codeine {> 60 mg/d}'],
    ['with paracetamol', 'with paracetamol', 'with acetaminophen'],
    [
      'with inhibitors of CYP3A4 that are strong',
      'with class:cyp3a4_strong_inhibitors',
      'with class:cyp3a4_strong_inhibitors',
    ],
    ['with two opioids', 'with 2 of class:opioids', 'with 2 of class:opioids'],
    [
      'two of: 80 years or older, weight 60 kg or less, creatinine 1.5 mg/dL or more',
      'at_least(2; age >= 80 a, weight <= 60 kg, serum_creatinine >= 1.5 mg/dL)',
      'at_least(2; age >= 80 a, weight <= 60 kg, serum_creatinine >= 1.5 mg/dL)',
    ],
  ])('%s is read', (text, condition, expected) => {
    expect(when(text, condition)).toBe(expected);
    const found = draft(`Avoid. ${text}`, rule({ when: [{ condition, quote: text }] }));
    if ('reject' in found) throw new Error(found.reject.reason);
    expect(independentFindings(found.body, found.spans, `Avoid. ${text}`)).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['CrCl less than 30 mL/min', 'CrCl < 50 mL/min', 'number_not_in_quote'],
    ['CrCl 15 to 29 mL/min', 'CrCl 15..30 mL/min', 'number_not_in_quote'],
    ['CrCl less than 30 mL/min', 'eGFR < 30 mL/min/{1.73_m2}', 'unit_not_in_quote'],
    ['eGFR less than 30 mL/min/1.73 m2', 'CrCl < 30 mL/min', 'unit_not_in_quote'],
    ['under 12 months', 'age < 12 a', 'unit_not_in_quote'],
    ['6 mg', 'dose > 6 mg/d', 'unit_not_in_quote'],
    ['CrCl less than 30 mL/min', 'CrCl > 30 mL/min', 'direction_not_in_quote'],
    ['80 years and older', 'age < 80 a', 'direction_not_in_quote'],
    ['late in the second trimester', 'gestation >= 28 wk', 'number_not_in_quote'],
    ['in children', 'age < 16 a', 'number_not_in_quote'],
    ['three of four', 'at_least(2; age >= 80 a, weight <= 60 kg)', 'number_not_in_quote'],
    ['CKD stage 3', 'ckd_stage >= 4', 'number_not_in_quote'],
    ['with ketoconazole', 'with itraconazole', 'drug_not_in_quote'],
    ['with ketoconazol', 'with ketoconazol', 'unknown_drug'],
    ['with painkillers', 'with class:opioids', 'class_not_in_quote'],
    ['with opioids', 'with class:opiods', 'unknown_class'],
    ['with strong inhibitors', 'with class:cyp3a4_strong_inhibitors', 'class_not_in_quote'],
    ['with a CYP3A4 inhibitor', 'with class:cyp3a4_strong_inhibitors', 'class_not_in_quote'],
    ['with opioids', 'with 2 of class:opioids', 'number_not_in_quote'],
    ['with codeine over 60 mg daily', 'with codeine {> 50 mg/d}', 'number_not_in_quote'],
    ['with codeine over 60 mg', 'with codeine {> 60 mg/d}', 'unit_not_in_quote'],
    ['when frail', 'fact frailty_of_some_kind', 'unknown_fact'],
    ['at the start', 'use phase=begin', 'unknown_use'],
    ['on the skin', 'route skin', 'unknown_use'],
    ['renal failure', 'kidneys are bad', 'unreadable_condition'],
    ['CrCl < 30 mL/min', 'CrCl < 30', 'unreadable_condition'],
    ['CrCl < 30 mL/min', 'all(CrCl < 30 mL/min', 'unreadable_condition'],
  ])('%s as "%s" is refused', (text, condition, reason) => {
    expect(when(text, condition)).toBe(`${reason} when.0.condition`);
  });

  it('whose quote is not in the passage name field and quote', () => {
    const found = draft(
      'Avoid. CrCl below 30 mL/min.',
      rule({ when: [{ condition: 'CrCl < 30 mL/min', quote: 'CrCl under 30 mL/min' }] }),
    );
    expect(found).toEqual({
      reject: {
        reason: 'quote_not_in_passage',
        field: 'when.0.quote',
        got: 'CrCl under 30 mL/min',
        expected: expect.stringContaining('letter by letter'),
      },
    });
  });

  it('of every number that is not printed are refused, at any place of the condition', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 }), (printed, claimed) => {
        const text = `CrCl below ${printed} mL/min and 40 years or older`;
        const read = when(text, `all(age >= 40 a, CrCl < ${claimed} mL/min)`);
        expect(read.startsWith('all(')).toBe(claimed === printed || claimed === 40);
      }),
      { seed: 2, numRuns: 300 },
    );
  });
});

/** What check-rules, which knows nothing of this stage, finds in a rule whose passage it is given. */
function independentFindings(body: RuleBody, spans: readonly Span[], text: string): unknown[] {
  const texts = new Map([
    ['label:d#s1', text],
    ['label:d#generic_name', 'APIXABAN'],
  ]);
  const sources = { places: new Places(texts, known.definitions), definitions: known.definitions } as Sources;
  const one = {
    ...body,
    spans,
    rule_id: 'R',
    source_id: 's',
    row_id: 'P',
    label: '',
    status: 'draft',
    is_usable: false,
  };
  return [...checkSpans(one as Rule, sources), ...checkNumbers(one as Rule, sources)];
}

describe('rules', () => {
  const TEXT =
    'In adults Eliquis is not recommended with strong CYP3A4 inhibitors such as ketoconazole, unless no other drug helps. Reduce to 2.5 mg twice daily. Monitor for bleeding. Do not stop abruptly. Edoxaban may be used.';
  it('have a span for every field, each verbatim in the passage or a definition', () => {
    const found = draft(
      TEXT,
      rule(
        {
          targets: [{ drug: 'apixaban', quote: 'Eliquis' }],
          population: { condition: 'age >= 18 a', quote: 'In adults' },
          when: [{ condition: 'with ketoconazole', quote: 'such as  ketoconazole' }],
          unless: [
            {
              condition: 'fact alternatives_inadequate',
              text: 'no other drug helps',
              quote: 'unless no other drug helps',
            },
          ],
        },
        {
          kind: 'avoid combination',
          quote: 'is not recommended with',
          dose_text: { text: '2.5 mg twice a day', quote: 'Reduce to 2.5 mg twice daily' },
          monitoring: { text: 'bleeding', quote: 'Monitor for bleeding' },
          act: { text: 'stopping abruptly', quote: 'Do not stop abruptly' },
          alternative: { drug: 'edoxaban', quote: 'Edoxaban may be used' },
        },
      ),
    );
    if ('reject' in found) throw new Error(JSON.stringify(found.reject));
    const { body, spans } = found;
    expect(body.target.map(printRef)).toEqual(['apixaban']);
    expect(body).toMatchObject({
      action: {
        kind: 'avoid combination',
        polarity: 'restrict',
        object: 'act',
        dose_text: '2.5 mg twice a day',
        alternative: 'edoxaban',
      },
      patient_information_type: 'composite clinical context',
      special_population: 'none',
    });
    expect(independentFindings(body, spans, TEXT)).toEqual([]);
    const fields = spans.map((s: Span) => s.field);
    for (const field of [
      '/target/0',
      '/population',
      '/when',
      '/unless/0',
      '/action/kind',
      '/action/act',
      '/action/dose_text',
      '/action/monitoring',
      '/action/alternative',
    ])
      expect(fields).toContain(field);
    const own = spans.filter((s) => s.ref === 'label:d#s1');
    expect(own.every((s) => fold(TEXT).includes(s.quote))).toBe(true);
    expect(spans.filter((s) => s.ref !== 'label:d#s1')).toEqual([
      { field: '/population', ref: 'definition:adult', quote: expect.stringContaining('18') },
    ]);
  });

  it('about the drug of the label may leave its name out, others may not', () => {
    const own = draft('Avoid.', rule());
    expect(own).toMatchObject({
      spans: [{ field: '/target/0', ref: 'label:d#generic_name', quote: 'APIXABAN' }, {}],
    });
    const reason = (r: ReplyRule, more: Partial<Passage> = {}) =>
      (draft('Avoid Eliquis.', r, more) as { reject: { reason: string } }).reject?.reason;
    expect(reason(rule({ targets: [{ drug: 'edoxaban', quote: null }] }))).toBe('drug_not_in_quote');
    expect(reason(rule(), { generic_names: [] })).toBe('drug_not_in_quote');
    expect(reason(rule(), { generic_names: ['APIXABAN', 'EDOXABAN'] })).toBe('drug_not_in_quote');
    expect(reason(rule({ targets: [{ drug: 'class:opioids', quote: null }] }))).toBe('drug_not_in_quote');
    // A trade name stands for the drug of the label alone.
    expect(reason(rule({ targets: [{ drug: 'edoxaban', quote: 'Eliquis' }] }))).toBe('drug_not_in_quote');
    expect(reason(rule({ targets: [{ drug: 'apixaban', quote: 'Eliquis' }] }))).toBeUndefined();
    expect(reason(rule({ targets: [{ drug: 'apixaban {> 5 mg/d}', quote: 'Eliquis' }] }))).toBe(
      'number_not_in_quote',
    );
    expect(reason(rule({ targets: [{ drug: 'apixaban {by mouth}', quote: 'Eliquis' }] }))).toBe(
      'unknown_use',
    );
  });

  it('with numbers of ours in words of ours are refused', () => {
    const dose = { text: '5 mg', quote: 'Avoid more than 2.5 mg' };
    expect(draft('Avoid more than 2.5 mg.', rule({}, { dose_text: dose }))).toMatchObject({
      reject: { reason: 'number_not_in_quote', field: 'action.dose_text.text', got: '5' },
    });
    expect(draft('Avoid.', rule({}, { monitoring: { text: ' ', quote: 'Avoid' } }))).toMatchObject({
      reject: { reason: 'empty_text' },
    });
  });

  it.each<[ReplyRule['action']['kind'], string, string]>([
    ['contraindicate', 'Avoid', 'restrict'],
    ['not recommended', 'Avoid', 'restrict'],
    ['stop or interrupt', 'Stop', 'restrict'],
    ['stop or interrupt', 'Withhold', 'change'],
    ['reduce dose', 'Avoid', 'change'],
    ['caution, weigh or monitor', 'Avoid', 'watch'],
    ['no restriction', 'Avoid', 'neutral'],
    ['prefer or allow', 'Avoid', 'neutral'],
  ])('of kind %s ("%s") are %s', (kind, quote, polarity) => {
    const found = draft('Avoid. Stop. Withhold.', rule({}, { kind, quote }));
    expect(found).toMatchObject({ body: { action: { kind, polarity } } });
  });

  it('that lack what their kind needs are refused', () => {
    expect(draft('Avoid.', rule({}, { kind: 'avoid with exception' }))).toMatchObject({
      reject: { reason: 'exception_missing' },
    });
    expect(draft('Avoid.', rule({}, { kind: 'avoid combination' }))).toMatchObject({
      reject: { reason: 'partner_missing' },
    });
  });
});

describe('rows of a table', () => {
  const cell = (c: number, name: string, text: string) => ({ ref: `pdf:g#t1r2c${c}`, name, text });
  const cells = [
    cell(0, 'Drug', 'Tramadol'),
    cell(1, 'CrCl (mL/min)', '<30'),
    cell(2, 'Advice', 'Reduce\n the dose'),
  ];
  const asked = (more: Partial<ReplyRule> = {}) =>
    draft(
      '',
      rule(
        {
          targets: [{ drug: 'tramadol', quote: 'Tramadol' }],
          when: [{ condition: 'CrCl < 30 mL/min', quote: '<30' }],
          ...more,
        },
        { kind: 'reduce dose', quote: 'Reduce the dose' },
      ),
      { parts: cells, generic_names: [] },
    );

  it('give each field the place of its own cell, and take the unit from the head of the column', () => {
    const found = asked();
    if ('reject' in found) throw new Error(JSON.stringify(found.reject));
    expect(found.spans).toEqual([
      { field: '/target/0', ref: 'pdf:g#t1r2c0', quote: 'Tramadol' },
      { field: '/when', ref: 'pdf:g#t1r2c1', quote: '<30' },
      { field: '/action/kind', ref: 'pdf:g#t1r2c2', quote: 'Reduce the dose' },
    ]);
    expect(messagesFor('', passage('', { parts: cells }))[1]!.content).toContain(
      '<<<\nDrug: Tramadol\nCrCl (mL/min): <30\nAdvice: Reduce\n the dose\n>>>',
    );
  });

  it.each<[string, Partial<ReplyRule>, string]>([
    [
      'a quote over two cells',
      { when: [{ condition: 'CrCl < 30 mL/min', quote: 'Tramadol <30' }] },
      'quote_not_in_passage',
    ],
    [
      'a head as a quote',
      { when: [{ condition: 'CrCl < 30 mL/min', quote: 'CrCl (mL/min): <30' }] },
      'quote_not_in_passage',
    ],
    [
      'another unit than the head',
      { when: [{ condition: 'age < 30 a', quote: '<30' }] },
      'unit_not_in_quote',
    ],
    ['a drug of another cell', { targets: [{ drug: 'codeine', quote: 'Tramadol' }] }, 'drug_not_in_quote'],
    ['a drug without a quote', { targets: [{ drug: 'tramadol', quote: null }] }, 'drug_not_in_quote'],
  ])('refuse %s', (_, more, reason) => {
    expect(asked(more)).toMatchObject({ reject: { reason } });
  });
});
