/** Beyond the paper: irrelevant changes, rules of two facts, series near a threshold, switches from one set to another. */
import type { Condition, Predicate } from '../../schemas/condition.js';
import type { Change, MedpicConfig } from '../../schemas/medpic.js';
import type { Patient } from '../../schemas/patient.js';
import type { Rule } from '../../schemas/rule.js';
import type { RandomStream } from '../contract.js';
import { type Composed, compose, type Side } from './compose.js';
import { flipped, flipsOf, ruleType } from './flips.js';
import { type MakeContext, trigger } from './gf.js';
import { type Literal, literals } from './literals.js';
import { oneFact } from './pairs.js';
import { buildScenario, withIndication } from './scenario.js';
import type { Scenario } from './scenario-types.js';
import { settle } from './settle.js';

interface Spec {
  readonly config: MedpicConfig;
  readonly rule: Rule;
  readonly scenario: Scenario;
  readonly sides: readonly Side[];
  readonly keys: readonly (readonly number[])[];
  readonly random: RandomStream;
  readonly label: string;
  readonly operation: string;
  readonly mayChange: (changes: readonly Change[]) => boolean;
}

const composed = (c: MakeContext, s: Spec): Composed =>
  compose({
    ...c,
    ...s,
    decision_type: s.rule.action.object === 'combination' ? 'interaction' : 'avoidance',
    information_type: ruleType(s.rule),
    profile: s.scenario.profile,
    wording: s.random.below(1000),
  });

/** A change that no rule of any candidate asks about: the answer must stay. */
export function irrelevantChange(c: MakeContext, rule: Rule): Composed {
  const label = `irrelevant ${rule.rule_id}`;
  const random = c.random(label);
  const s = trigger(c.world, rule, random);
  const patient = changeIrrelevant(s, random);
  if (patient === null) return { why: 'no irrelevant fact to change' };
  const side = (role: string, p: Patient): Side => ({
    role,
    patient: p,
    uses: [s.use],
    rule_id: rule.rule_id,
  });
  return composed(c, {
    config: 'irrelevant',
    rule,
    scenario: s,
    sides: [side('base', s.patient), side('changed', patient)],
    keys: [[0], [0]],
    random,
    label,
    operation: 'irrelevant change',
    mayChange: oneFact,
  });
}

function changeIrrelevant(s: Scenario, random: RandomStream): Patient | null {
  const { patient } = s;
  const is_asked = (type: Predicate['type']): boolean =>
    s.literals.some((l) => l.predicate.type === type && !isScope(l.predicate));
  const ways: (() => Patient | null)[] = [
    () => shiftAge(patient, is_asked('age')),
    () => otherSetting(patient),
    () => moreKidney(patient, is_asked('measure')),
  ];
  const start = random.below(ways.length);
  for (let i = 0; i < ways.length; i++) {
    const made = ways[(start + i) % ways.length]!();
    if (made !== null) return made;
  }
  return null;
}

const isScope = (p: Predicate): boolean => p.type === 'age' && p.bounds.high === null;

/** Some years more or less on the same side of every age that guidelines print. */
function shiftAge(patient: Patient, is_asked: boolean): Patient | null {
  const { age } = patient;
  if (is_asked || age === null || age.unit !== 'a') return null;
  const value =
    age.value >= 68 && age.value <= 70
      ? age.value + 3
      : age.value >= 78 && age.value <= 84
        ? age.value + 4
        : age.value >= 24 && age.value <= 50
          ? age.value + 5
          : null;
  return value === null ? null : { ...patient, age: { ...age, value } };
}

function otherSetting(patient: Patient): Patient | null {
  const swap: Readonly<Record<string, Patient['setting']>> = {
    home: 'clinic',
    clinic: 'ward',
    ward: 'clinic',
    emergency: 'clinic',
    nursing_home: 'clinic',
  };
  const setting = patient.setting === null ? undefined : swap[patient.setting];
  return setting === undefined ? null : { ...patient, setting };
}

/** A normal clearance a little higher. */
function moreKidney(patient: Patient, is_asked: boolean): Patient | null {
  const { CrCl } = patient.measures;
  if (is_asked || !CrCl || CrCl.value < 90) return null;
  return { ...patient, measures: { ...patient.measures, CrCl: { ...CrCl, value: CrCl.value + 9 } } };
}

/** A rule that needs two facts: both hold, then each alone. */
export function twoFacts(c: MakeContext, rule: Rule, nth = 0): Composed {
  const label = `two_fact ${rule.rule_id} ${nth}`;
  const random = c.random(label);
  const s = trigger(c.world, rule, random, nth);
  if (nth > 0 && s.use.drug === trigger(c.world, rule, c.random(`two_fact ${rule.rule_id} 0`)).use.drug)
    return { why: 'no further drug' };
  const scope = literals(rule.population, true, c.random('scope')).length;
  const inside = literals(rule.when, true, c.random('scope')).length;
  // What a drug is given for is the last choice: few drugs are given for something else.
  const flips = flipsOf(s.literals, c.world.knowledge.concepts)
    .filter((f) => f.literal.want && f.index >= scope && f.index < scope + inside)
    .sort((a, b) => Number(a.sort === 'use') - Number(b.sort === 'use'));
  if (flips.length < 2) return exceptionOfTwo(c, rule, s, random, label);
  const ref = rule.target.find((r) => c.world.listed(r, rule.source_id).includes(s.use.drug))!;
  const without = flips.slice(0, 2).map((f) =>
    buildScenario({
      ...c,
      rule,
      ref,
      drug: s.use.drug,
      literals: flipped(s.literals, f.index),
      random,
      like: s,
    }),
  );
  const side = (role: string, x: Scenario): Side => ({
    role,
    patient: x.patient,
    uses: [x.use],
    rule_id: rule.rule_id,
  });
  const [all, ...alone] = settle(c.world, [s, ...without], random) as [Scenario, ...Scenario[]];
  return composed(c, {
    config: 'two_fact',
    rule,
    scenario: s,
    sides: [side('trigger', all), ...alone.map((w) => side('control', w))],
    keys: [[0], [], []],
    random,
    label,
    operation: 'two facts together',
    mayChange: oneFact,
  });
}

/** An exception that needs two facts: both hold and lift the rule, each alone does not. */
function exceptionOfTwo(
  c: MakeContext,
  rule: Rule,
  s: Scenario,
  random: RandomStream,
  label: string,
): Composed {
  const facts = rule.unless
    .map((u) =>
      u.when.type === 'all' ? u.when.of.flatMap((p) => (p.type === 'fact' ? [p.concept] : [])) : [],
    )
    .find((list) => list.length === 2);
  if (!facts) return { why: 'fewer than two facts' };
  const ref = rule.target.find((r) => c.world.listed(r, rule.source_id).includes(s.use.drug))!;
  const withFacts = (values: readonly boolean[], like?: Scenario): Scenario =>
    buildScenario({
      ...c,
      rule,
      ref,
      drug: s.use.drug,
      random,
      literals: s.literals.map((l) => {
        const at = l.predicate.type === 'fact' ? facts.indexOf(l.predicate.concept) : -1;
        return at < 0 ? l : { ...l, want: values[at]! };
      }),
      ...(like ? { like } : {}),
    });
  const both = withFacts([true, true]);
  const members = settle(
    c.world,
    [both, withFacts([true, false], both), withFacts([false, true], both)],
    random,
  );
  return composed(c, {
    config: 'two_fact',
    rule,
    scenario: both,
    sides: members.map((m, i) => ({
      role: i === 0 ? 'control' : 'trigger',
      patient: m.patient,
      uses: [m.use],
      rule_id: rule.rule_id,
    })),
    keys: [[], [0], [0]],
    random,
    label,
    operation: 'two facts together',
    mayChange: oneFact,
  });
}

const STEPS = [-0.08, -0.04, 0.04, 0.08];

/** A series of values round a printed edge that the source owns; never the edge itself where two bands share it. */
export function sweep(c: MakeContext, rule: Rule): Composed {
  const label = `sweep ${rule.rule_id}`;
  const random = c.random(label);
  const [s] = settle(c.world, [trigger(c.world, rule, random)], random) as [Scenario];
  const edge = edgeOf(s.literals);
  if (edge === null) return { why: 'no numeric edge' };
  const steps = [
    ...new Set(
      STEPS.map((k) => edge.value + Math.sign(k) * Math.max(1, Math.round(Math.abs(k) * edge.value))),
    ),
  ];
  const spread = [
    ...steps,
    edge.value - Math.max(3, Math.round(edge.value * 0.2)),
    edge.value + Math.max(3, Math.round(edge.value * 0.2)),
  ].sort((a, b) => a - b);
  const sides: Side[] = [...new Set(spread)].map((value) => ({
    role: 'step',
    patient: edge.put(s.patient, value),
    uses: [s.use],
    rule_id: rule.rule_id,
  }));
  const verdicts = sides.map((x) => c.world.judge(rule.source_id, x.patient, s.use, true).is);
  const usable = sides.filter((_, i) => verdicts[i] !== 'neither');
  const keys = verdicts.filter((v) => v !== 'neither').map((v) => (v === 'key' ? [0] : []));
  if (!keys.some((k) => k.length > 0) || !keys.some((k) => k.length === 0))
    return { why: 'one side of the edge only' };
  return composed(c, {
    config: 'sweep',
    rule,
    scenario: s,
    sides: usable,
    keys,
    random,
    label,
    operation: 'threshold and dose',
    mayChange: oneFact,
  });
}

interface Edge {
  readonly value: number;
  readonly put: (p: Patient, value: number) => Patient;
}

function edgeOf(all: readonly Literal[]): Edge | null {
  for (const { predicate: p, want } of all) {
    if (!want) continue;
    if (p.type === 'measure') {
      const value = p.bounds.high ?? p.bounds.low!;
      const { measure } = p;
      const { unit } = p.bounds;
      if (value % 1 !== 0) continue;
      return { value, put: (x, v) => ({ ...x, measures: { ...x.measures, [measure]: { value: v, unit } } }) };
    }
    if (p.type === 'gestation') {
      const value = p.bounds.low ?? p.bounds.high!;
      return { value, put: (x, v) => ({ ...x, gestation_weeks: v }) };
    }
  }
  return null;
}

/** Two rules of one source that turn on the same sort of fact: changing the fact changes the set of keys. */
export function setSwitch(c: MakeContext, a: Rule, b: Rule): Composed {
  const label = `switch ${a.rule_id} ${b.rule_id}`;
  const random = c.random(label);
  const [one] = settle(c.world, [trigger(c.world, a, random)], random) as [Scenario];
  const [two] = settle(c.world, [trigger(c.world, b, random)], random) as [Scenario];
  if (one.profile !== two.profile || one.use.drug === two.use.drug) return { why: 'no common ground' };
  // Each patient has what either drug would be given for.
  const start = withIndication(one.patient, two.use, c.world);
  const other = moveFact(start, two.patient, a.when, b.when);
  if (other === null) return { why: 'not the same sort of fact' };
  const uses = [one.use, two.use];
  return composed(c, {
    config: 'switch',
    rule: a,
    scenario: one,
    sides: [
      { role: 'set_a', patient: start, uses, rule_id: a.rule_id },
      { role: 'set_b', patient: other, uses, rule_id: b.rule_id },
    ],
    keys: [[0], [1]],
    random,
    label,
    operation: 'set-to-set switch',
    mayChange: (changes) => changes.length === 1 || changes.every((x) => x.field.startsWith('/facts/')),
  });
}

/** Do two rules turn on one fact each, of the same sort, that is not the same? */
export function turnAlike(a: Rule, b: Rule): boolean {
  const [p, q] = [single(a.when), single(b.when)];
  if (!p || !q || p.type !== q.type || JSON.stringify(p) === JSON.stringify(q)) return false;
  if (p.type === 'measure' && q.type === 'measure') return p.measure === q.measure;
  return ['gestation', 'co_medication', 'fact'].includes(p.type);
}

/** The first patient with the deciding fact of the second rule in place of its own. */
function moveFact(one: Patient, two: Patient, a: Condition, b: Condition): Patient | null {
  const [p, q] = [single(a), single(b)];
  if (!p || !q || p.type !== q.type) return null;
  if (
    p.type === 'measure' &&
    q.type === 'measure' &&
    p.measure === q.measure &&
    p.bounds.unit === q.bounds.unit
  )
    return { ...one, measures: { ...one.measures, [p.measure]: two.measures[p.measure] } };
  if (p.type === 'gestation') return { ...one, gestation_weeks: two.gestation_weeks };
  if (p.type === 'co_medication') return { ...one, medications: two.medications };
  if (p.type === 'fact' && q.type === 'fact' && p.concept !== q.concept) {
    const { [p.concept]: _, ...facts } = one.facts;
    return { ...one, facts: { ...facts, [q.concept]: true } };
  }
  return null;
}

/** The only deciding predicate of a condition. */
function single(c: Condition): Predicate | null {
  if (c.type === 'all' && c.of.length === 1) return single(c.of[0]!);
  if (c.type === 'all' || c.type === 'any' || c.type === 'at_least' || c.type === 'not') return null;
  return c;
}
