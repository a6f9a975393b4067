/** Rows of US labels as rules: every row, its spans, its labels against classification.csv, and what is refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../schemas/condition.js';
import type { Rule } from '../../schemas/rule.js';
import { numbersOf } from '../../stages/draft-rules/definition-spans.js';
import type { Draft } from '../../stages/draft-rules/draft.js';
import { predicatesOf } from '../../stages/draft-rules/information-type.js';
import type { LabelRow } from '../../stages/draft-rules/parser/label-row.js';
import { parseLabel } from '../../stages/draft-rules/parser/labels.js';
import type { SourceRow } from '../../stages/draft-rules/sources.js';
import { missingSpans, wrongQuotes } from '../../stages/draft-rules/spans.js';
import { printCondition, printRef } from '../../stages/lib/rules/expression.js';
import {
  classes,
  drugs,
  knowledge,
  lexicon,
  phraseRows,
  rulesOf,
  sourceRows,
  useRows,
} from '../support/draft-rules.js';
import { guidelineRows } from '../support/guidelines.js';

const draftOf = (row: SourceRow): Draft => parseLabel(row as unknown as LabelRow, lexicon);
const checked = sourceRows('fda-labels');
const unchecked = sourceRows('fda-labels-unchecked');
const rules = new Map(checked.map((row) => [row.row_id, rulesOf(row, draftOf(row))]));
const all = [...rules.values()].flat();
const rowOf = (rule: Rule): SourceRow => checked.find((r) => r.row_id === rule.row_id)!;

describe('every label row', () => {
  it('gives rules: one each, but for a further ground and a time that holds both ways', () => {
    expect(rules.size).toBe(140);
    const several = [...rules.values()].filter((r) => r.length > 1).flat();
    expect(several.map((r) => r.rule_id)).toEqual([
      'FDA-117',
      'FDA-117.acute_renal_impairment',
      'FDA-132.ace_inhibitors',
      'FDA-132.neprilysin_inhibitors',
    ]);
    expect(all).toHaveLength(142);
  });

  it('has a span for every field, verbatim in its cell', () => {
    for (const rule of all) {
      expect([rule.rule_id, missingSpans(rule, rule.spans)]).toEqual([rule.rule_id, []]);
      expect([rule.rule_id, wrongQuotes(rowOf(rule), rule.spans)]).toEqual([rule.rule_id, []]);
    }
  });

  it('prints every number of a condition in its spans, or a definition says it', () => {
    const fields = (rule: Rule): [string, Condition][] => [
      ['/population', rule.population],
      ['/when', rule.when],
      ...rule.unless.map((u, i): [string, Condition] => [`/unless/${i}`, u.when]),
    ];
    for (const rule of all) {
      for (const [field, condition] of fields(rule)) {
        const spans = rule.spans.filter((s) => s.field === field);
        const defined = spans.map((s) => /^definition:(.*)$/.exec(s.ref)?.[1]).filter((n) => n !== undefined);
        const printed = [
          ...spans.flatMap((s) => s.quote.match(/\d+(\.\d+)?/g) ?? []).map(Number),
          ...defined.flatMap((name) => numbersOf(lexicon.definitions.get(name)!.condition)),
        ];
        const bare = numbersOf(condition).filter((n) => !printed.includes(n));
        expect([rule.rule_id, field, bare]).toEqual([rule.rule_id, field, []]);
      }
    }
  });

  it('names known facts, uses, drugs and classes only', () => {
    const uses = new Set(useRows().map((u) => `${u.facet}=${u.value}`));
    for (const rule of all) {
      const conditions = [rule.population, rule.when, ...rule.unless.map((u) => u.when)].flatMap(
        predicatesOf,
      );
      for (const p of conditions) {
        if (p.type === 'fact') expect(knowledge.concepts.has(p.concept), p.concept).toBe(true);
        if (p.type === 'use' && p.facet === 'indication')
          expect(knowledge.concepts.has(p.value), p.value).toBe(true);
        else if (p.type === 'use') expect(uses, rule.rule_id).toContain(`${p.facet}=${p.value}`);
        if (p.type === 'route') for (const r of p.any_of) expect(uses).toContain(`route=${r}`);
      }
      const refs = [...rule.target, ...conditions.flatMap((p) => ('drugs' in p ? p.drugs : []))];
      for (const ref of refs) {
        expect(ref.kind === 'class' ? classes.has(ref.name) : drugs.has(ref.name), ref.name).toBe(true);
        for (const r of ref.routes ?? []) expect(uses).toContain(`route=${r}`);
      }
    }
  });
});

/**
 * Rows whose expected label we do not follow. "adults and children 12 years or older" is everybody from 12 on; the word
 * "older" does not make it a row for older adults.
 */
const DIFFERENT: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  ['FDA-053', 'FDA-054', 'FDA-055', 'FDA-056'].map((id) => [
    id,
    ['special_population none, not older adults'],
  ]),
);

describe('labels of label rows', () => {
  const expected = guidelineRows('classification').filter((c) => c.file === 'fda-labels.csv');

  it.each(expected.map((c) => [c.row_id!, c] as const))('%s', (row_id, c) => {
    // What `also` adds is a rule of its own; the table has one line a row.
    for (const rule of rules.get(row_id)!.filter((r) => !r.rule_id.includes('acute_renal'))) {
      const got: Record<string, string> = {
        patient_information_type: rule.patient_information_type,
        action_kind: rule.action.kind,
        special_population: rule.special_population,
        operations: rule.operations.join(';'),
      };
      const differences = Object.keys(got)
        .filter((field) => got[field] !== c[field])
        .map((field) => `${field} ${got[field]}, not ${c[field]}`);
      expect(differences).toEqual(DIFFERENT[row_id] ?? []);
    }
  });

  it('covers all 140 rows', () => {
    expect(expected).toHaveLength(140);
  });
});

/** What rows say, in the text form. */
const SAYS: readonly (readonly [string, string, string, string?])[] = [
  [
    'FDA-001',
    'apixaban',
    'all(use indication=atrial_fibrillation_nonvalvular, at_least(2; age >= 80 a, weight <= 60 kg, serum_creatinine >= 1.5 mg/dL))',
  ],
  ['FDA-002', 'apixaban', 'all(with class:pgp_and_cyp3a4_strong_inhibitors, dose > 2.5 mg)'],
  [
    'FDA-009',
    'dabigatran',
    'all(use indication=atrial_fibrillation_nonvalvular, any(CrCl < 15 mL/min, fact dialysis))',
  ],
  [
    'FDA-010',
    'dabigatran',
    'all(use indication=atrial_fibrillation_nonvalvular, CrCl [30..50] mL/min, with dronedarone | ketoconazole {oral})',
  ],
  [
    'FDA-025',
    'prasugrel',
    'all(use indication=acute_coronary_syndrome, age >= 75 a)',
    'any(fact diabetes, fact myocardial_infarction_history)',
  ],
  ['FDA-031', 'dofetilide', 'QTc > 440 ms', 'all(fact ventricular_conduction_abnormality, QTc <= 500 ms)'],
  [
    'FDA-041',
    'metformin',
    'all(use indication=type_2_diabetes, use phase=starting, eGFR [30..45] mL/min/{1.73_m2})',
  ],
  ['FDA-055', 'gabapentin', 'CrCl (15..29] mL/min'],
  ['FDA-061', 'levetiracetam', 'CrCl_per_area > 80 mL/min/{1.73_m2}'],
  ['FDA-065', 'tramadol {immediate_release}', 'CrCl < 30 mL/min'],
  ['FDA-076', 'duloxetine', 'CrCl < 30 mL/min'],
  [
    'FDA-074',
    'tramadol',
    'all(any(fact obesity, fact sleep_apnea, fact severe_lung_disease), age [12..18] a)',
  ],
  [
    'FDA-086',
    'ketorolac {intramuscular/intravenous}',
    'any(age >= 65 a, fact renal_impairment, weight < 50 kg)',
  ],
  ['FDA-089', 'nitrofurantoin', 'any(fact in_labour, fact labour_imminent, gestation [38..42] wk)'],
  ['FDA-106', 'ceftriaxone', 'any(all(fact premature_newborn, pma <= 41 wk), fact hyperbilirubinemia)'],
  [
    'FDA-107',
    'doxycycline',
    'any(gestation >= 20 wk, age <= 8 a)',
    'fact severe_or_life_threatening_infection; fact other_drugs_failed_or_unsuitable',
  ],
  ['FDA-110', 'benzocaine {oromucosal}', 'age < 2 a'],
  ['FDA-132.ace_inhibitors', 'class:ace_inhibitors', 'since < 36 h of class:neprilysin_inhibitors'],
  ['FDA-132.neprilysin_inhibitors', 'class:neprilysin_inhibitors', 'since < 36 h of class:ace_inhibitors'],
  ['FDA-133', 'class:ace_inhibitors | class:arbs', 'all(fact diabetes, with aliskiren)'],
  ['FDA-136', 'acitretin', 'all(any(fact pregnant, fact planning_pregnancy), since < 3 a of acitretin)'],
  ['FDA-140', 'valproate', 'any(fact polg_disorder_known, all(age < 2 a, fact polg_disorder_suspected))'],
  ['FDA-141', 'methotrexate', 'all(not(use indication=neoplastic_disease), fact pregnant)'],
  ['FDA-155', 'topiramate', 'gestation < 14 wk', 'fact benefit_outweighs_risk'],
  [
    'FDA-163',
    'atorvastatin | simvastatin | rosuvastatin | pravastatin | class:statins {inferred}',
    'fact pregnant',
    'fact very_high_cardiovascular_risk',
  ],
];

describe('what a row says', () => {
  it.each(SAYS)('%s', (rule_id, target, when, unless = '') => {
    const rule = all.find((r) => r.rule_id === rule_id)!;
    expect({
      target: rule.target.map(printRef).join(' | '),
      when: printCondition(rule.when),
      unless: rule.unless.map((u) => printCondition(u.when)).join('; '),
    }).toEqual({ target, when, unless });
  });

  it('hands on doses as printed, and only where the row is about a dose', () => {
    for (const rule of all) {
      const { recommendation, recommendation_detail } = rowOf(rule);
      const is_dose = rule.action.object === 'dose' || recommendation === 'no recommendation';
      if (is_dose) expect(rule.action.dose_text).toBe(recommendation_detail);
    }
  });

  it('is about the pair where only a pair breaks it', () => {
    const pairs = all.filter((r) => r.action.object === 'combination').map((r) => r.rule_id);
    expect(pairs).toEqual([
      'FDA-003',
      'FDA-011',
      'FDA-013',
      'FDA-082',
      'FDA-096',
      'FDA-132.ace_inhibitors',
      'FDA-132.neprilysin_inhibitors',
      'FDA-133',
    ]);
  });

  it('does not make a pair of a rule that another ground breaks as well', () => {
    const [eplerenone] = rulesOf(
      unchecked.find((r) => r.row_id === 'FDA-122')!,
      draftOf(unchecked.find((r) => r.row_id === 'FDA-122')!),
    );
    expect(printCondition(eplerenone!.when)).toBe(
      'any(all(use phase=starting, potassium > 5.5 mmol/L), CrCl <= 30 mL/min, with class:cyp3a4_strong_inhibitors)',
    );
    expect(eplerenone!.action.object).toBe('drug');
    // A cut of the dose is about the dose, also where another drug is the reason.
    expect(all.find((r) => r.rule_id === 'FDA-010')!.action.object).toBe('dose');
  });

  it('shows the word of the label that limits the drug', () => {
    const spans = all.find((r) => r.rule_id === 'FDA-065')!.spans.filter((s) => s.field === '/target/0');
    expect(spans.map((s) => s.quote)).toEqual(['tramadol', 'immediate release']);
  });

  it('a definition stands behind words without a number', () => {
    const refs = (id: string) =>
      all.find((r) => r.rule_id === id)!.spans.filter((s) => s.ref.startsWith('definition:'));
    expect(refs('FDA-155').map((s) => [s.field, s.ref])).toEqual([['/when', 'definition:trimester_1']]);
    expect(refs('FDA-074').map((s) => [s.field, s.ref])).toEqual([['/population', 'definition:adolescent']]);
    expect(refs('FDA-107').map((s) => [s.field, s.ref])).toEqual([['/when', 'definition:half_2']]);
  });
});

describe('rows that nobody has checked', () => {
  it('are read or refused with a reason, and make no question', () => {
    expect(unchecked).toHaveLength(27);
    const refused = unchecked.flatMap((row) => {
      expect(row.is_usable).toBe(false);
      const draft = draftOf(row);
      return 'reject' in draft ? [[row.row_id, draft.reject.reason, draft.reject.got]] : [];
    });
    expect(refused).toEqual([['FDA-123', 'unparsable_threshold', 'potassium supplement']]);
  });
});

describe('phrases', () => {
  it('every phrase of the labels stands in a row', () => {
    const cells = new Set(
      [...checked, ...unchecked].flatMap((r) => Object.entries(r).map(([k, v]) => `${k}: ${v}`)),
    );
    const thresholds = [...checked, ...unchecked].map((r) => String(r.threshold_expression));
    const unused = phraseRows()
      .filter((p) => p.source === 'fda-labels')
      .filter((p) =>
        p.column === 'threshold_expression'
          ? !thresholds.some((t) => t.includes(p.phrase!))
          : !cells.has(`${p.column}: ${p.phrase}`),
      );
    expect(unused).toEqual([]);
  });
});

describe('a row that cannot be read', () => {
  const base = checked.find((r) => r.row_id === 'FDA-004')!;
  it.each([
    [
      'threshold',
      { threshold_expression: 'CrCl around 50 mL/min' },
      'unparsable_threshold',
      'CrCl around 50 mL/min',
    ],
    [
      'mixed units',
      { threshold_expression: 'CrCl 15-30 mL/min/1.73 m2; CrCl < 15 mL/min' },
      'mixed_units',
      'CrCl 15-30 mL/min/1.73 m2; CrCl < 15 mL/min',
    ],
    [
      'a time without its drug',
      { threshold_expression: 'interval < 36 hours' },
      'unparsable_threshold',
      'interval < 36 hours',
    ],
    ['condition', { condition_text: 'Blue eyes' }, 'unread_phrase', 'Blue eyes'],
    ['population', { population: 'sailors' }, 'unread_phrase', 'sailors'],
    ['indication', { indication_context: 'headache' }, 'unread_phrase', 'headache'],
    ['exception', { exceptions_text: 'Unless it rains.' }, 'unread_phrase', 'Unless it rains.'],
    [
      'detail',
      { recommendation: 'avoid', recommendation_detail: 'Avoid on Mondays' },
      'unread_phrase',
      'Avoid on Mondays',
    ],
    ['recommendation', { recommendation: 'frown upon' }, 'unknown_word', 'frown upon'],
    ['drug', { member_drugs: 'rivaroxabam' }, 'unknown_drug', 'rivaroxabam'],
    ['open list of drugs', { member_drugs: 'rivaroxaban;others' }, 'unknown_drug', 'rivaroxaban;others'],
    [
      'printed label',
      { drug_label: 'Rivaroxaban, blue tablets' },
      'unread_phrase',
      'Rivaroxaban, blue tablets',
    ],
    ['count of grounds', { combine: 'at least 2 of 3' }, 'contradiction', 'at least 2 of 3'],
  ])('%s', (_, cells, reason, got) => {
    const draft = draftOf({ ...base, ...cells });
    expect('reject' in draft && draft.reject).toMatchObject({ reason, got });
  });

  const CELLS = [
    'member_drugs',
    'drug_label',
    'population',
    'indication_context',
    'condition_text',
    'threshold_expression',
    'combine',
    'exceptions_text',
    'recommendation',
  ];
  const garbage = fc.string({
    unit: fc.constantFrom(...'CrCl 0123456789<>=-;.() mLmin ANDor', 'é', '\n', '"'),
  });
  it('is refused whatever stands in a cell, and never breaks', () => {
    fc.assert(
      fc.property(fc.constantFrom(...checked), fc.constantFrom(...CELLS), garbage, (row, column, text) => {
        fc.pre(text.trim() !== '' && /[^0-9 ;]/.test(text));
        const draft = draftOf({ ...row, [column]: text });
        const is_read = 'rules' in draft;
        // Only a threshold may by chance be one.
        if (is_read) expect(column).toBe('threshold_expression');
      }),
      { numRuns: 300 },
    );
  });
});
