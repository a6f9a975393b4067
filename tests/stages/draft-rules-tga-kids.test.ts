/** The parsers of the TGA and KIDs rows on every row of the project: rules, labels, spans, and what the engine makes of them. */
import { describe, expect, it } from 'vitest';
import { Patient, Use } from '../../schemas/patient.js';
import type { Rule } from '../../schemas/rule.js';
import { numbersOf } from '../../stages/draft-rules/definition-spans.js';
import type { Draft } from '../../stages/draft-rules/draft.js';
import { type KidsRow, parseKids } from '../../stages/draft-rules/parser/kids.js';
import { parseTga, type TgaRow } from '../../stages/draft-rules/parser/tga.js';
import { SOURCES, type SourceRow } from '../../stages/draft-rules/sources.js';
import { missingSpans, wrongQuotes } from '../../stages/draft-rules/spans.js';
import { applyRule } from '../../stages/lib/rules/apply.js';
import { printCondition } from '../../stages/lib/rules/expression.js';
import {
  conceptRows,
  drugs,
  knowledge,
  lexicon,
  rulesOf,
  sourceRows,
  useRows,
} from '../support/draft-rules.js';
import { guidelineRows } from '../support/guidelines.js';

const FILES = {
  'tga-pregnancy': (row: SourceRow): Draft => parseTga(row as unknown as TgaRow, lexicon),
  kids2025: (row: SourceRow): Draft => parseKids(row as unknown as KidsRow, lexicon),
  'kids2020-superseded': (row: SourceRow): Draft => parseKids(row as unknown as KidsRow, lexicon),
} as const;
type File = keyof typeof FILES;

const rowsOf = (file: File): SourceRow[] => sourceRows(file, file !== 'kids2020-superseded');
const rules = (Object.keys(FILES) as File[]).flatMap((file) =>
  rowsOf(file).map((row) => ({ file, row, rules: rulesOf(row, FILES[file](row)) })),
);
const rulesOfRow = (id: string): Rule[] => rules.find((r) => r.row.row_id === id)!.rules;
const rule = (id: string): Rule => {
  const found = rules.flatMap((r) => r.rules).find((r) => r.rule_id === id);
  if (!found) throw new Error(`no rule ${id}`);
  return found;
};

describe('every row', () => {
  it('gives rules: 253 rows, none refused', () => {
    const n = (file: File): number[] => {
      const mine = rules.filter((r) => r.file === file);
      return [mine.length, mine.flatMap((r) => r.rules).length];
    };
    expect([n('tga-pregnancy'), n('kids2025'), n('kids2020-superseded')]).toEqual([
      // 227 statements, 81 letters beside a timed statement, 17 further statements.
      [227, 325],
      [8, 8],
      [18, 18],
    ]);
  });

  it('has the labels of the classification on its own statement', () => {
    const expected = new Map(guidelineRows('classification').map((c) => [c.row_id, c]));
    for (const { row, rules: found } of rules) {
      const c = expected.get(row.row_id)!;
      const main = found.find((r) => r.rule_id === row.row_id)!;
      expect([
        row.row_id,
        main.patient_information_type,
        main.action.kind,
        main.special_population,
        main.operations,
      ]).toEqual([
        row.row_id,
        c.patient_information_type,
        c.action_kind,
        c.special_population,
        c.operations!.split(';'),
      ]);
    }
  });

  it('quotes its cells for every field that the source must say', () => {
    for (const { row, rules: found } of rules) {
      for (const r of found) {
        expect([r.rule_id, missingSpans(r, r.spans)]).toEqual([r.rule_id, []]);
        expect([r.rule_id, wrongQuotes(row as never, r.spans)]).toEqual([r.rule_id, []]);
      }
    }
  });

  it('prints or defines every number of its conditions', () => {
    for (const r of rules.flatMap((x) => x.rules)) {
      const spans = r.spans.filter((s) => s.field === '/when');
      const printed = spans.flatMap((s) => s.quote.match(/\d+(\.\d+)?/g) ?? []).map(Number);
      const defined = spans
        .filter((s) => s.ref.startsWith('definition:'))
        .flatMap((s) => numbersOf(lexicon.definitions.get(s.ref.slice('definition:'.length))!.condition));
      const missing = numbersOf(r.when).filter((n) => !printed.includes(n) && !defined.includes(n));
      expect([r.rule_id, missing]).toEqual([r.rule_id, []]);
    }
  });

  it('uses only known facts, values and routes', () => {
    const concepts = new Set(conceptRows().map((c) => c.concept));
    const values = new Set(useRows().map((u) => `${u.facet}=${u.value}`));
    for (const r of rules.flatMap((x) => x.rules)) {
      const texts = [r.population, r.when, ...r.unless.map((u) => u.when)].map(printCondition).join(' ');
      for (const [, concept] of texts.matchAll(/fact (\w+)/g)) expect(concepts).toContain(concept);
      for (const [, facet, value] of texts.matchAll(/use (\w+)=(\w+)/g))
        expect(facet === 'indication' ? concepts : values).toContain(
          facet === 'indication' ? value : `${facet}=${value}`,
        );
      for (const route of r.target.flatMap((t) => t.routes ?? [])) expect(values).toContain(`route=${route}`);
    }
  });

  it('is usable exactly where its row is', () => {
    const usable = rules.filter((r) => r.row.is_usable);
    expect(usable.length).toBe(219 + 6);
    for (const { row, rules: found } of rules)
      for (const r of found) expect([r.rule_id, r.is_usable]).toEqual([r.rule_id, row.is_usable]);
  });

  it('is read by the stage with the same parsers', () => {
    for (const { file, row, rules: found } of rules) {
      const source = SOURCES.find(
        (s) => s.table.name === (file.startsWith('kids') ? 'kids_rows' : 'tga_rows'),
      )!;
      const draft = source.parse(row, lexicon);
      expect('rules' in draft && draft.rules.length).toBe(found.length);
    }
  });
});

/** A pregnant woman of 30 with closed lists; `more` replaces parts. */
const woman = (gestation_weeks: number | null, facts: Record<string, boolean> = {}) =>
  Patient.parse({
    age: { value: 30, unit: 'a' },
    sex: 'female',
    gestation_weeks,
    facts: {
      pregnant: gestation_weeks !== null,
      could_be_pregnant: false,
      planning_pregnancy: false,
      ...facts,
    },
    closed: ['conditions', 'medications', 'allergies'],
  });
const child = (value: number, unit: 'a' | 'mo' | 'd', more: object = {}) =>
  Patient.parse({
    age: { value, unit },
    sex: 'male',
    closed: ['conditions', 'medications', 'allergies'],
    ...more,
  });
const use = (drug: string, more: object = {}) => Use.parse({ drug, ...more });
const truth = (id: string, patient: Patient, candidate: Use): string =>
  applyRule(rule(id), { patient, candidate }, knowledge).truth;

describe('TGA rules', () => {
  it('avoid doxycycline after 18 weeks, not at 18 and not before; the letter D stands throughout', () => {
    const doxycycline = use('doxycycline');
    expect([17, 18, 19, 26].map((w) => truth('TGA-032', woman(w), doxycycline))).toEqual([
      'false',
      'false',
      'true',
      'true',
    ]);
    const weighed = { benefit_outweighs_risk: false };
    expect(truth('TGA-032.letter', woman(10, weighed), doxycycline)).toBe('true');
    expect(truth('TGA-032.letter', woman(null, weighed), doxycycline)).toBe('false');
    expect(truth('TGA-032.letter', woman(10), doxycycline)).toBe('unknown');
    expect(rule('TGA-032.letter')).toMatchObject({
      action: { polarity: 'restrict' },
      ratings: [{ strength: 'D' }],
    });
  });

  it('lift the late warning of an NSAID only by sound indications, and not in the last days', () => {
    const naproxen = use('naproxen');
    const facts = (sound: boolean, days: boolean) => ({
      sound_indication_for_continuous_use: sound,
      birth_expected_in_days: days,
    });
    expect(truth('TGA-004', woman(33, facts(false, false)), naproxen)).toBe('true');
    expect(truth('TGA-004', woman(33, facts(true, false)), naproxen)).toBe('false');
    expect(truth('TGA-004', woman(39, facts(true, true)), naproxen)).toBe('true');
    expect(truth('TGA-004', woman(14, facts(false, false)), naproxen)).toBe('false');
    expect(rule('TGA-004.letter')).toMatchObject({ action: { polarity: 'watch' } });
  });

  it('bar category X also where pregnancy is possible', () => {
    const none = woman(null);
    const possible = woman(null, { could_be_pregnant: true });
    expect(truth('TGA-186', none, use('misoprostol'))).toBe('false');
    expect(truth('TGA-186', possible, use('misoprostol'))).toBe('true');
    const isotretinoin = (route: string) => use('isotretinoin', { route });
    const planned = woman(null, { planning_pregnancy: true });
    expect(truth('TGA-202', planned, isotretinoin('oral'))).toBe('true');
    expect(truth('TGA-202', planned, isotretinoin('topical'))).toBe('false');
    expect(truth('TGA-202', planned, use('isotretinoin'))).toBe('unknown');
  });

  it('keep the two listings of one drug apart by their use', () => {
    const chloroquine = (purpose?: string) => use('chloroquine', { facets: purpose ? { purpose } : {} });
    const patient = woman(20, { benefit_outweighs_risk: false });
    expect(truth('TGA-073', patient, chloroquine('prophylaxis'))).toBe('true');
    expect(truth('TGA-074', patient, chloroquine('prophylaxis'))).toBe('false');
    expect(truth('TGA-074', patient, chloroquine('treatment'))).toBe('true');
    expect(truth('TGA-074', patient, chloroquine())).toBe('unknown');
  });

  it('make a letter rule exactly where the statement is timed', () => {
    for (const { file, row, rules: found } of rules.filter((r) => r.file === 'tga-pregnancy')) {
      const is_timed = !/^(any trimester|from early pregnancy)/.test(String(row.timing_scope));
      expect([file, row.row_id, found.some((r) => r.rule_id.endsWith('.letter'))]).toEqual([
        file,
        row.row_id,
        is_timed,
      ]);
    }
    expect(rulesOfRow('TGA-077').map((r) => r.rule_id)).toEqual([
      'TGA-077',
      'TGA-077.found',
      'TGA-077.letter',
    ]);
  });

  it('restrict nothing in category A but for its timing', () => {
    for (const { row, rules: found } of rules.filter((r) => r.row.australian_category === 'A')) {
      const restrict = found.filter((r) => r.action.polarity === 'restrict');
      expect([row.row_id, restrict.every((r) => printCondition(r.when).includes('gestation'))]).toEqual([
        row.row_id,
        true,
      ]);
    }
  });

  it('name digoxin and the class of its row', () => {
    const id = rules.find((r) => r.row.medicine_as_listed === 'digoxin and other cardiac glycosides')!.row
      .row_id;
    expect(rule(id).target.map((t) => [t.kind, t.name])).toEqual([
      ['ingredient', 'digoxin'],
      ['class', 'cardiac_glycosides'],
    ]);
  });
});

describe('KIDs rules', () => {
  it('tell tramadol under 12 years, after tonsil surgery, and at 12 to 18', () => {
    const tramadol = use('tramadol');
    const surgery = (done: boolean) => ({ facts: { after_tonsil_or_adenoid_surgery: done } });
    const at = (id: string, age: number, done = false) => truth(id, child(age, 'a', surgery(done)), tramadol);
    expect([at('K25-001', 9), at('K25-001', 11), at('K25-001', 12), at('K25-001', 14)]).toEqual([
      'true',
      'true',
      'false',
      'false',
    ]);
    expect([at('K25-002', 14, true), at('K25-002', 14, false), at('K25-002', 25, true)]).toEqual([
      'true',
      'false',
      'false',
    ]);
    expect([at('K25-003', 12), at('K25-003', 18), at('K25-003', 19)]).toEqual(['true', 'true', 'false']);
    expect(rule('K25-003').action.polarity).toBe('watch');
  });

  it('do not say that another opioid is safe or unsafe in the class of tramadol', () => {
    expect(truth('K25-001', child(9, 'a'), use('codeine'))).toBe('unknown');
    expect(truth('K25-001', child(9, 'a'), use('amoxicillin'))).not.toBe('true');
  });

  it('avoid an act, not the drug, when aripiprazole is stopped', () => {
    expect(rule('K25-007').action).toMatchObject({
      object: 'act',
      act: 'stopping it fast',
      polarity: 'restrict',
    });
  });

  it('join the OR-ed limits of darunavir', () => {
    const at = (years: number, kg: number) =>
      truth(
        'K20-009',
        child(years, 'a', { measures: { weight: { value: kg, unit: 'kg' } } }),
        use('darunavir'),
      );
    expect([at(2, 12), at(4, 9), at(4, 12)]).toEqual(['true', 'true', 'false']);
  });

  it('are superseded in the 2020 list', () => {
    const old = rules.filter((r) => r.file === 'kids2020-superseded').flatMap((r) => r.rules);
    expect(old.filter((r) => r.status !== 'superseded' || r.is_usable)).toEqual([]);
  });
});

describe('rows that are not right', () => {
  const tga = sourceRows('tga-pregnancy');
  const kids = sourceRows('kids2025');
  const refusal = (draft: Draft) => ('reject' in draft ? [draft.reject.reason, draft.reject.field] : 'rules');
  const change = (row: SourceRow, cells: object) => ({ ...row, ...cells }) as SourceRow;

  it.each([
    [{ timing_scope: 'on Mondays' }, ['unread_phrase', 'timing_scope']],
    [{ medicine_as_listed: 'doxycyclin' }, ['unknown_drug', 'medicine_as_listed']],
    [{ medicine_as_listed: 'doxycycline (oral)' }, ['contradiction', 'listing_qualifier']],
    [{ listing_qualifier: 'oral' }, ['contradiction', 'listing_qualifier']],
    [{ recommendation: 'perhaps' }, ['unknown_word', 'recommendation']],
    [{ recommendation: 'avoid unless no alternative' }, ['contradiction', 'recommendation']],
  ])('TGA %j: %j', (cells, expected) => {
    const row = tga.find((r) => r.row_id === 'TGA-032')!;
    expect(refusal(FILES['tga-pregnancy'](change(row, cells)))).toEqual(expected);
  });

  it.each([
    [{ age_value: '13' }, ['contradiction', 'age_limit_text']],
    [{ age_value: 'twelve' }, ['unparsable_threshold', 'age_value']],
    [{ age_op: 'between' }, ['unparsable_threshold', 'age_value']],
    [{ age_unit: 'moons' }, ['unparsable_threshold', 'age_unit']],
    [{ age_limit_text: 'small ones' }, ['contradiction', 'age_limit_text']],
    [{ member_drugs: 'tramadol;others' }, ['contradiction', 'member_drugs']],
    [{ member_drugs: 'tramadole' }, ['unknown_drug', 'member_drugs']],
    [{ quality_of_evidence: 'Good' }, ['unknown_word', 'quality_of_evidence']],
    [{ recommendation: 'avoid unless' }, ['contradiction', 'recommendation']],
    [{ additional_condition: 'if blue' }, ['unread_phrase', 'additional_condition']],
  ])('KIDs %j: %j', (cells, expected) => {
    const row = kids.find((r) => r.row_id === 'K25-001')!;
    expect(refusal(FILES.kids2025(change(row, cells)))).toEqual(expected);
  });

  it('has every phrase of its sources in some row', () => {
    const all = { 'tga-pregnancy': tga, kids: [...kids, ...sourceRows('kids2020-superseded')] };
    for (const [source, column, phrase] of lexicon.keys()) {
      if (source !== 'tga-pregnancy' && source !== 'kids') continue;
      const name = column.replace(/ \(\)$/, '');
      const found = all[source].some(
        (r) => r[name] === phrase || String(r[name] ?? '').includes(`(${phrase})`),
      );
      expect([source, column, phrase, found]).toEqual([source, column, phrase, true]);
    }
    expect(drugs.has('tramadol')).toBe(true);
  });
});
