/** Replies of a model against their passages, on the project's own drug, class, fact and definition tables. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Span } from '../../schemas/rule.js';
import { draftRule, type Passage } from '../../stages/draft-rules-from-prose/draft.js';
import { Known, type KnownTables } from '../../stages/draft-rules-from-prose/known.js';
import { instructions, messagesFor, PROMPT_FILE } from '../../stages/draft-rules-from-prose/prompt.js';
import { fold, isQuoted, numbersIn } from '../../stages/draft-rules-from-prose/quotes.js';
import { Reply, type ReplyRule } from '../../stages/draft-rules-from-prose/reply.js';
import {
  DEFINITION_WORDS_FILE,
  UNIT_WORDS_FILE,
  USES_FILE,
} from '../../stages/draft-rules-from-prose/run.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { CONCEPTS_FILE } from '../../stages/lib/rules/concepts.js';
import { DEFINITIONS_FILE } from '../../stages/lib/rules/definitions.js';
import { printCondition, printRef } from '../../stages/lib/rules/expression.js';
import { guidelineRows } from '../support/guidelines.js';

const csv = (file: string) => parseCsv(readFileSync(file, 'utf8'), file);
const known = new Known({
  drugNames: guidelineRows('drug-names'),
  classMembers: guidelineRows('classes'),
  classWords: guidelineRows('class-words'),
  concepts: csv(CONCEPTS_FILE),
  uses: csv(USES_FILE),
  definitions: csv(DEFINITIONS_FILE),
  definitionWords: csv(DEFINITION_WORDS_FILE),
  unitWords: csv(UNIT_WORDS_FILE),
} as unknown as KnownTables);

const passage = (text: string, more: Partial<Passage> = {}): Passage => ({
  passage_id: 'P-1',
  source_id: 's',
  document_id: 'd',
  ref: 'label:d#s1',
  heading: 'H',
  generic_names: ['APIXABAN'],
  brand_names: ['Eliquis'],
  text,
  ...more,
});
const rule = (more: Partial<ReplyRule> = {}, action: Partial<ReplyRule['action']> = {}): ReplyRule => ({
  targets: [{ drug: 'apixaban', quote: null }],
  population: null,
  when: [],
  unless: [],
  action: {
    kind: 'avoid',
    quote: 'Avoid',
    act: null,
    dose_text: null,
    monitoring: null,
    alternative: null,
    ...action,
  },
  ...more,
});
const draft = (text: string, r: ReplyRule, more: Partial<Passage> = {}) =>
  draftRule(known, passage(text, more), r);
/** The condition that a ground was read as, or the reason and field of the reject. */
const when = (text: string, condition: string, quote = text): string => {
  const found = draft(`Avoid. ${text}`, rule({ when: [{ condition, quote }] }));
  return 'reject' in found ? `${found.reject.reason} ${found.reject.field}` : printCondition(found.body.when);
};

describe('quotes', () => {
  it('stand in the text as whole words and numbers, white space folded', () => {
    const text = fold('Below 300 mg,\n or 2.5 mg twice;  (≥30 kg) 1,500 units.');
    for (const quote of ['300 mg, or 2.5 mg', '2.5', '(≥30 kg)', '≥30', '30 kg', '1,500 units.', 'Below'])
      expect(isQuoted(text, fold(quote)), quote).toBe(true);
    for (const quote of [
      '30 mg',
      '00 mg',
      '5 mg',
      '2',
      '500',
      '1',
      'elow',
      'Bel',
      'below',
      '300  mgs',
      '',
      ' ',
      '(',
      '≥',
    ])
      expect(isQuoted(text, fold(quote)), quote).toBe(false);
  });

  it('are found wherever they are cut out between words, and never with a letter changed', () => {
    const words = fc.array(
      fc.constantFrom('avoid', 'dose', '30', '2.5', 'mL/min', '(see', '7.1)', 'Über', 'µg', '≥', 'CrCl'),
      {
        minLength: 3,
        maxLength: 15,
      },
    );
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), (all, a, b) => {
        const from = a % all.length;
        const quote = all.slice(from, from + 1 + (b % (all.length - from))).join(' ');
        fc.pre(/[\p{L}\p{N}]/u.test(quote));
        const text = all.join(' ');
        expect(isQuoted(text, quote)).toBe(true);
        expect(isQuoted(text, `${quote}x`)).toBe(false);
        expect(isQuoted(text, quote.replace(/[\p{L}\p{N}]/u, '§'))).toBe(false);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('give their numbers, in digits and words', () => {
    expect([...numbersIn('1,500 mg, 2.5–5 mg, two of three; CYP3A4')].sort((a, b) => a - b)).toEqual([
      2, 2.5, 3, 4, 5, 1500,
    ]);
  });
});

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

describe('replies', () => {
  it('are rules or a reason, never neither and never both', () => {
    expect(Reply.safeParse({ rules: [], nothing_because: 'animal data' }).success).toBe(true);
    expect(Reply.safeParse({ rules: [rule()], nothing_because: null }).success).toBe(true);
    for (const bad of [
      { rules: [], nothing_because: null },
      { rules: [], nothing_because: '  ' },
      { rules: [rule()], nothing_because: 'but' },
      { rules: [rule({ targets: [] })], nothing_because: null },
      { rules: [{ ...rule(), note: 'x' }], nothing_because: null },
      { rules: [rule({}, { kind: 'forbid' as 'avoid' })], nothing_because: null },
    ])
      expect(Reply.safeParse(bad).success).toBe(false);
  });
});

describe('the prompt', () => {
  const system = instructions(readFileSync(PROMPT_FILE, 'utf8'), known);
  it('lists every fact, use, class and definition, and leaves no blank', () => {
    expect(system).not.toMatch(/\{\{/);
    for (const c of known.concepts.all()) expect(system).toContain(`- ${c.concept}: `);
    for (const key of known.classes.keys()) expect(system).toContain(`- ${key}: `);
    for (const d of known.definedBy) expect(system).toContain(d.definition.words);
  });
  it('gives the passage as it is, after the instructions, and no id of ours', () => {
    const text = 'A {{grammar}} >>> $& line\n two';
    const [first, last] = messagesFor(system, passage(text));
    expect(first!.role).toBe('system');
    expect(last!.content).toContain(`<<<\n${text}\n>>>`);
    expect(JSON.stringify([first, last])).not.toContain('P-1');
    expect(() => instructions('{{nothing}}', known)).toThrow(/unknown list nothing/);
  });
});
