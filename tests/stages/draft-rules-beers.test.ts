/** The 150 Beers rows as rules: labels, spans, and the pitfalls of reading them. */
import { describe, expect, it } from 'vitest';
import { RuleBody } from '../../schemas/rule.js';
import { parseBeers } from '../../stages/draft-rules/parser/beers.js';
import { missingSpans, spanFields, wrongQuotes } from '../../stages/draft-rules/spans.js';
import { printCondition, printRef } from '../../stages/lib/rules/expression.js';
import { bodyFields } from '../../stages/lib/rules/fields.js';
import { lexicon, rulesOf, sourceRows } from '../support/draft-rules.js';
import { guidelineRows } from '../support/guidelines.js';

const rows = sourceRows('beers2023');
const rules = rows.flatMap((row) => rulesOf(row, parseBeers(row as never, lexicon)));
const rule = (id: string) => rules.find((r) => r.rule_id === `B23-${id}`)!;
const when = (id: string): string => printCondition(rule(id).when);
const targets = (id: string): string[] => rule(id).target.map(printRef);
const unless = (id: string): string[] => rule(id).unless.map((u) => printCondition(u.when));

describe('Beers rows', () => {
  it('all become rules', () => {
    expect(rows).toHaveLength(150);
    expect(rules).toHaveLength(154);
    expect(new Set(rules.map((r) => r.rule_id)).size).toBe(rules.length);
    for (const r of rules) expect(RuleBody.safeParse(bodyOf(r)).success).toBe(true);
  });

  it('have the labels of the expected answers', () => {
    const main = new Map(rules.map((r) => [r.rule_id, r]));
    const different = guidelineRows('classification')
      .filter((c) => c.file === 'beers2023.csv')
      .filter((c) => {
        const r = main.get(c.row_id!)!;
        return !(
          r.patient_information_type === c.patient_information_type &&
          r.action.kind === c.action_kind &&
          r.special_population === c.special_population &&
          r.operations.join(';') === c.operations
        );
      });
    expect(different).toEqual([]);
  });

  it('have a verbatim span for every field', () => {
    for (const r of rules) {
      const row = rows.find((x) => x.row_id === r.row_id)!;
      expect(missingSpans(r, r.spans), r.rule_id).toEqual([]);
      expect(wrongQuotes(row, r.spans), r.rule_id).toEqual([]);
      const signed = bodyFields(bodyOf(r)).filter((f) => f.needs_span);
      for (const { field } of signed)
        expect(spanFields(r).some((f) => f === field || f.startsWith(`${field}/`))).toBe(true);
    }
  });

  it('print every number of a rule in one of its spans', () => {
    for (const r of rules) {
      const said = new Set(r.spans.flatMap((s) => s.quote.match(/\d+(\.\d+)?/g) ?? []));
      const { patient_information_type: _t, ...body } = bodyOf(r);
      const text = [
        ...body.target.map(printRef),
        printCondition(body.population),
        printCondition(body.when),
        ...body.unless.map((u) => printCondition(u.when)),
        body.action.dose_text ?? '',
      ].join(' ');
      // Units and counts of drugs are words in the rows; only limits are looked at.
      const limits = [...text.matchAll(/[<>]=? (\d+(?:\.\d+)?) [a-zA-Z]/g)].map((m) => m[1]!);
      for (const n of limits) expect([...said], r.rule_id).toContain(n);
    }
  });

  it('are for people of 65 or older who are not in hospice care', () => {
    const populations = new Set(rules.map((r) => printCondition(r.population)));
    expect([...populations].sort()).toEqual([
      'all(age >= 65 a, female, not(fact hospice_care))',
      'all(age >= 65 a, male, not(fact hospice_care))',
      'all(age >= 65 a, not(fact hospice_care))',
    ]);
  });
});

const bodyOf = ({
  rule_id: _i,
  source_id: _s,
  row_id: _r,
  label: _l,
  status: _t,
  is_usable: _u,
  spans: _p,
  ...body
}: (typeof rules)[number]) => body as RuleBody;

describe('pitfalls of Beers rows', () => {
  it('1: unlisted members of a class are inferred, listed ones are not', () => {
    expect(targets('T2-020')).toEqual([
      'aripiprazole',
      'haloperidol',
      'olanzapine',
      'quetiapine',
      'risperidone',
      'class:antipsychotics minus aripiprazole minus haloperidol minus olanzapine minus quetiapine minus risperidone {inferred}',
    ]);
    expect(targets('T4-006')).toEqual(['duloxetine', 'venlafaxine', 'desvenlafaxine']);
    expect(targets('T3-018')).toEqual(['class:benzodiazepines']);
  });

  it('2: carve-outs are taken out again', () => {
    expect(targets('T3-037')).toEqual([
      'class:antipsychotics minus clozapine minus pimavanserin minus quetiapine',
    ]);
    expect(targets('T3-042')).toEqual(['class:strong_anticholinergics minus bladder_antimuscarinics']);
    expect(when('T5-015')).toBe('with class:macrolides_minus_azithromycin');
  });

  it('3: exceptions count wherever they stand', () => {
    expect(unless('T2-022')).toHaveLength(6);
    expect(unless('T2-005')).toEqual([
      'fact doac_barrier',
      'all(use phase=continuing, fact inr_well_controlled)',
    ]);
    expect(unless('T2-020')).toContain(
      'all(use indication=behavioral_problems_of_dementia_or_delirium, fact non_drug_measures_failed, fact threat_of_substantial_harm)',
    );
    expect(rule('T2-020').spans.some((s) => s.ref.endsWith('/criterion_text'))).toBe(true);
    expect(unless('T2-001.diphenhydramine')).toEqual(['use indication=severe_allergic_reaction']);
    expect(unless('T2-001')).toEqual([]);
    expect(targets('T2-001')).not.toContain('diphenhydramine {oral}');
  });

  it('4: exception parts are joined by AND where the row says so', () => {
    const both =
      'all(fact other_options_failed, any(with class:gastroprotective_agents, fact gastroprotection_possible))';
    for (const id of ['T2-040', 'T2-041', 'T3-038', 'T3-039']) expect(unless(id)).toEqual([both]);
    expect(unless('T2-036')).toEqual(['all(use indication=gastroparesis, duration <= 12 wk)']);
    expect(when('T2-036')).toBe('always');
    expect(unless('T3-017')[0]).toMatch(/^all\(/);
    expect(unless('T3-024')[0]).toContain(
      'any(fact non_drug_measures_failed, fact threat_of_substantial_harm)',
    );
  });

  it('5: OR-ed triggers are rules of their own', () => {
    expect(when('T2-002')).toBe('CrCl < 30 mL/min');
    expect(when('T2-003')).toBe('any(use pattern=suppressive, use pattern=chronic)');
  });

  it('7: one row is on eGFR, in its own unit', () => {
    expect(when('T6-019')).toBe('eGFR < 60 mL/min/{1.73_m2}');
    expect(rules.filter((r) => printCondition(r.when).includes('eGFR'))).toHaveLength(1);
  });

  it('9 and 10: edges are as printed, thresholds may be on the high side', () => {
    expect(when('T6-022')).toBe('CrCl <= 80 mL/min');
    expect(when('T6-003')).toBe('CrCl [15..29] mL/min');
    expect(when('T6-010')).toBe('CrCl [15..50] mL/min');
    expect(when('T6-012')).toBe('CrCl > 95 mL/min');
    expect(when('T6-007')).toBe('all(with class:pgp_inhibitors, CrCl > 30 mL/min)');
  });

  it('11: bands of one drug keep their own action', () => {
    expect(rule('T6-003').action).toMatchObject({ kind: 'reduce dose', polarity: 'change' });
    expect(rule('T6-004').action).toMatchObject({ kind: 'avoid', polarity: 'restrict' });
  });

  it('12: form and route limit the target', () => {
    expect(targets('T6-025')).toEqual(['tramadol {immediate_release}']);
    expect(targets('T6-026')).toEqual(['tramadol {extended_release}']);
    expect(targets('T2-011')).toEqual(['nifedipine {immediate_release}']);
    expect(targets('T2-007')).toEqual(['dipyridamole {immediate_release; oral}']);
    expect(targets('T2-038')).toEqual(['mineral oil {oral}']);
    expect(targets('T2-028')[0]).toBe('estradiol {intravaginal}');
    expect(targets('T2-027')[0]).toBe('estradiol {oral/transdermal}');
    expect(targets('T2-037')[0]).not.toContain('ophthalmic');
    expect(targets('T2-040').every((t) => t.includes('oral'))).toBe(true);
    expect(targets('T2-019')).toContain('benztropine {oral}');
    expect(targets('T2-019')).toContain('trihexyphenidyl');
  });

  it('12: a dose limit binds its own member only', () => {
    expect(targets('T2-018').filter((t) => t.includes('>'))).toEqual(['doxepin {> 6 mg/d}']);
    expect(targets('T2-040')[0]).toBe('aspirin {oral; > 325 mg/d}');
    expect(targets('T6-023')[0]).toMatch(/^class:nsaids minus aspirin /);
    expect(targets('T6-023')[1]).toMatch(/^aspirin .*> 325 mg\/d/);
    expect(targets('T3-038')).toEqual(['aspirin']);
  });

  it('13: patterns and lengths of use are conditions', () => {
    expect(when('T2-040')).toBe('use pattern=chronic');
    expect(when('T2-041')).toContain('use pattern=short_term_scheduled');
    expect(when('T2-035')).toContain('duration > 8 wk');
    expect(when('T3-024')).toContain('any(use pattern=chronic, use pattern=persistent_as_needed)');
  });

  it('14: starting is not continuing', () => {
    for (const id of ['T2-004', 'T2-005', 'T2-006', 'T2-027'])
      expect(when(id)).toContain('use phase=starting');
    expect(rule('T2-004.continuing').action.polarity).toBe('watch');
    expect(when('T2-027.continuing')).toBe('use phase=continuing');
  });

  it('15: an indication in the label is a condition', () => {
    expect(when('T2-005')).toContain(
      'any(use indication=atrial_fibrillation_nonvalvular, use indication=venous_thromboembolism)',
    );
    expect(when('T2-008')).toBe('use indication=hypertension');
    expect(when('T2-015')).toBe('all(use line_of_therapy=first, use indication=atrial_fibrillation)');
    expect(when('T2-017')).toBe(
      'all(any(use indication=atrial_fibrillation, use indication=heart_failure), dose > 0.125 mg/d)',
    );
    expect(when('T2-039')).toBe('use indication=nocturia');
  });

  it('17: positive rows restrict nothing', () => {
    expect(rule('T2-028').action).toMatchObject({ kind: 'prefer or allow', polarity: 'neutral' });
    expect(rule('T2-031').action).toMatchObject({
      kind: 'prefer or allow',
      polarity: 'watch',
      alternative: 'glipizide',
    });
  });

  it('20: sex limits the population', () => {
    for (const id of ['T2-027', 'T2-028', 'T3-040', 'T3-041', 'T5-009'])
      expect(printCondition(rule(id).population)).toContain('female');
    expect(printCondition(rule('T3-042').population)).toContain(', male');
  });

  it('21: counts count drugs', () => {
    expect(when('T5-005')).toBe('count >= 2 of class:strong_anticholinergics');
    expect(when('T5-006')).toMatch(/^count >= 3 of (class:\w+( \| )?){7}$/);
  });

  it('22: a third condition stays beside the pair', () => {
    expect(when('T5-001')).toBe('all(with class:ras_inhibitors, ckd_stage >= 3a)');
    expect(when('T5-002')).toBe('all(with amiloride | triamterene, ckd_stage >= 3a)');
    expect(when('T4-014')).toBe(
      'all(with class:ace_inhibitors | class:arbs | class:arni, fact renal_impairment)',
    );
    expect(rule('T4-014').action.object).toBe('drug');
  });

  it('23: split ratings are kept apart', () => {
    expect(rule('T2-030').ratings).toEqual([
      { scope: 'Hypoglycemia', quality: 'High', strength: 'Strong' },
      { scope: 'CV events and all-cause mortality', quality: 'Moderate', strength: 'Strong' },
      { scope: 'CV death and ischemic stroke', quality: 'Low', strength: 'Strong' },
    ]);
    expect(rule('T3-012').ratings).toEqual([{ scope: '', quality: null, strength: 'Weak' }]);
  });

  it('age 75 is a limit in one row and an emphasis in two', () => {
    expect(when('T4-003')).toBe('age >= 75 a');
    expect([when('T4-002'), when('T4-004')]).toEqual(['always', 'always']);
  });
});
