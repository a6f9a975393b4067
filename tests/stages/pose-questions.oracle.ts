/**
 * Rules evaluated in two values and without the engine: in the world where nothing is true of the patient but what is
 * stated and what follows from it. A proved key holds in every world that fits the patient, so it holds in this one; a
 * proved distractor fails in every world, so it fails in this one.
 */
import { readFileSync } from 'node:fs';
import type { Bounds, Condition, DrugRef } from '../../schemas/condition.js';
import type { Patient, Use } from '../../schemas/patient.js';
import type { Rule } from '../../schemas/rule.js';
import { guidelineRows } from '../support/guidelines.js';

const parts = new Map<string, string[]>();
const names = new Map<string, string>();
for (const row of guidelineRows('drug-names')) {
  names.set(row.synonym!.toLowerCase(), row.ingredient!);
  if (row.combination_of) parts.set(row.ingredient!, row.combination_of.split(' + '));
}
const partsOf = (drug: string): string[] => parts.get(drug) ?? [drug];

/** Members of a class as classes.csv lists them; a limit in brackets makes no plain member. */
const members = new Map<string, Set<string>>();
for (const row of guidelineRows('classes')) {
  if (/\(/.test(row.member!)) continue;
  const name = names.get(row.member_rxnorm_style_name!.toLowerCase()) ?? row.member_rxnorm_style_name!;
  members.set(row.class_key!, (members.get(row.class_key!) ?? new Set()).add(name));
}

/** What each concept implies, with itself. */
const parents = new Map<string, string[]>();
const [head, ...lines] = readFileSync('stages/lib/rules/concepts.csv', 'utf8').trim().split('\n');
const at = head!.split(',').indexOf('is_a');
for (const line of lines)
  parents.set(line.split(',')[0]!, line.split(',')[at]!.split(/[;|]/).filter(Boolean));
const isA = (a: string, b: string): boolean => a === b || (parents.get(a) ?? []).some((p) => isA(p, b));

const DAYS: Readonly<Record<string, number>> = { a: 365.25, mo: 30.4375, wk: 7, d: 1, h: 1 / 24 };
const inside = (v: number, b: Bounds): boolean =>
  (b.low === null || v > b.low || (v === b.low && b.low_inclusive)) &&
  (b.high === null || v < b.high || (v === b.high && b.high_inclusive));
const timeInside = (q: { value: number; unit: string }, b: Bounds): boolean =>
  inside(q.unit === b.unit ? q.value : (q.value * DAYS[q.unit]!) / DAYS[b.unit]!, b);

/** Milligrams of a dose unit. */
const MG: Readonly<Record<string, number>> = { mg: 1, 'mg/d': 1, 'ug/d': 0.001, 'g/d': 1000, g: 1000 };
const doseInside = (use: Use, b: Bounds | null): boolean =>
  b === null || (use.dose !== null && inside((use.dose.value * MG[use.dose.unit]!) / MG[b.unit]!, b));

function isIn(drug: string, name: string, is_class: boolean): boolean {
  if (is_class) return members.get(name)?.has(drug) ?? false;
  return drug === name || partsOf(name).every((p) => partsOf(drug).includes(p));
}

export function falls(use: Use, ref: DrugRef): boolean {
  if (ref.is_inferred) return false;
  const isMinus = (unit: string): boolean =>
    ref.minus.some((m) => isIn(unit, m, members.has(m)) && (members.has(m) || partsOf(m).length === 1));
  const isOut = ref.minus.some((m) => !members.has(m) && partsOf(m).length > 1 && isIn(use.drug, m, false));
  const is_named = [...new Set([use.drug, ...partsOf(use.drug)])].some(
    (unit) => isIn(unit, ref.name, ref.kind === 'class') && !isMinus(unit),
  );
  return (
    is_named &&
    !isOut &&
    (ref.form === null || use.form === ref.form) &&
    (ref.routes === null || (use.route !== null && ref.routes.includes(use.route))) &&
    doseInside(use, ref.dose)
  );
}

/** Facts that hold: stated ones, what they imply, and what weeks, age, setting and numbers say. */
function holds(concept: string, p: Patient): boolean {
  const stated = Object.keys(p.facts).filter((f) => p.facts[f]);
  const kidneys = [p.measures.CrCl?.value, p.measures.eGFR?.value].filter((v) => v !== undefined);
  if (p.gestation_weeks !== null) stated.push('pregnant');
  if (p.age && p.age.unit !== 'a' && p.age.value * DAYS[p.age.unit]! < 29) stated.push('neonate');
  if (p.setting === 'hospice') stated.push('hospice_care');
  if (p.ckd_stage !== null) stated.push('chronic_kidney_disease');
  if ((p.ckd_stage ?? '0') >= '3' || kidneys.some((v) => v < 60)) stated.push('renal_impairment');
  return stated.some((s) => isA(s, concept));
}

const STAGES = ['1', '2', '3a', '3b', '4', '5'];
const stageOf = (p: Patient): string | null => {
  const e = p.measures.eGFR?.value;
  if (p.ckd_stage !== null || e === undefined) return p.ckd_stage;
  if (e >= 60) return null;
  return e >= 45 ? '3a' : e >= 30 ? '3b' : e >= 15 ? '4' : '5';
};

export function isTrue(c: Condition, p: Patient, use: Use): boolean {
  const taken = p.medications.filter((m) => m.drug !== use.drug);
  switch (c.type) {
    case 'all':
      return c.of.every((x) => isTrue(x, p, use));
    case 'any':
      return c.of.some((x) => isTrue(x, p, use));
    case 'at_least':
      return c.of.filter((x) => isTrue(x, p, use)).length >= c.n;
    case 'not':
      return !isTrue(c.of, p, use);
    case 'age':
      if (c.kind === 'chronological') return p.age !== null && timeInside(p.age, c.bounds);
      return p.postmenstrual_weeks !== null && inside(p.postmenstrual_weeks, c.bounds);
    case 'gestation':
      return p.gestation_weeks !== null && inside(p.gestation_weeks, c.bounds);
    case 'sex':
      return p.sex === c.sex;
    case 'measure': {
      const m = p.measures[c.measure];
      return m !== undefined && m.unit === c.bounds.unit && inside(m.value, c.bounds);
    }
    case 'ckd_stage': {
      const stage = stageOf(p);
      return stage !== null && STAGES.indexOf(stage) >= STAGES.indexOf(c.at_least);
    }
    case 'fact':
      return holds(c.concept, p);
    case 'co_medication':
      return taken.filter((m) => c.drugs.some((r) => falls(m, r))).length >= c.at_least;
    case 'drug_count': {
      const isCounted = (u: Use): boolean => c.drugs.some((r) => falls(u, r));
      const counted = [use, ...taken].flatMap((u) => {
        const listed = partsOf(u.drug).filter((drug) => isCounted({ ...u, drug }));
        // A combination that is listed as one name counts as one.
        return listed.length > 0 ? listed : isCounted(u) ? [u.drug] : [];
      });
      return new Set(counted).size >= c.at_least;
    }
    case 'since_last_dose': {
      if ([use, ...taken].some((u) => c.drugs.some((r) => falls(u, r)))) return inside(0, c.bounds);
      return p.stopped.some((s) => {
        const was = { ...use, drug: s.drug };
        return c.drugs.some((r) => falls(was, r)) && timeInside(s.ago, c.bounds);
      });
    }
    case 'use': {
      const value = use.facets[c.facet];
      return value !== undefined && (value === c.value || (c.facet === 'indication' && isA(value, c.value)));
    }
    case 'dose':
      return doseInside(use, c.bounds);
    case 'duration':
      return use.duration !== null && timeInside(use.duration, c.bounds);
    case 'route':
      return use.route !== null && c.any_of.includes(use.route);
    case 'form':
      return use.form === c.form;
  }
}

/** Does the rule hold for the use; a combination from either side. */
export function isActive(rule: Rule, p: Patient, use: Use): boolean {
  const direct = (candidate: Use, patient: Patient): boolean =>
    rule.target.some((r) => falls(candidate, r)) &&
    isTrue(rule.population, patient, candidate) &&
    isTrue(rule.when, patient, candidate) &&
    !rule.unless.some((u) => isTrue(u.when, patient, candidate));
  if (direct(use, p)) return true;
  if (rule.action.object !== 'combination') return false;
  return p.medications.some((m) => {
    const without: Patient = { ...p, medications: p.medications.filter((x) => x !== m) };
    const turned = { ...without, medications: [...without.medications, use] };
    return direct(m, turned) && !direct(m, without);
  });
}
