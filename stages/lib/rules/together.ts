/** Drugs taken together: what is counted, each ingredient once. */
import type { DrugRef, Predicate } from '../../../schemas/condition.js';
import type { Use } from '../../../schemas/patient.js';
import { within } from './bounds.js';
import type { Case, Finding } from './evaluate.js';
import type { DrugKnowledge, Knowledge } from './knowledge.js';
import { isNamed, isOneOf } from './target.js';
import { spanIn } from './time.js';
import { all, any, atLeast, type Truth, truthOf } from './truth.js';

/** Drugs that the patient takes besides the candidate. */
export const others = (c: Case): Use[] => c.patient.medications.filter((m) => m.drug !== c.candidate.drug);

/**
 * The single ingredients of a use. A combination that a list holds under its own name, while it holds none of its
 * ingredients, counts as one drug. The dose of a combination says nothing of an ingredient's.
 */
function units(use: Use, refs: readonly DrugRef[], drugs: DrugKnowledge): [string, Truth][] {
  const parts = drugs.ingredients(use.drug);
  if (parts.length < 2) return [[parts[0] ?? use.drug, isOneOf(use, refs, drugs)]];
  const each = parts.map((drug): [string, Truth] => [
    drug,
    isOneOf({ ...use, drug, dose: null }, refs, drugs),
  ]);
  const whole = isOneOf(use, refs, drugs);
  return whole === 'true' && !each.some(([, t]) => t === 'true') ? [[use.drug, whole]] : each;
}

/** Distinct ingredients of the uses, each with whether the list names it. */
function distinct(uses: readonly Use[], refs: readonly DrugRef[], drugs: DrugKnowledge): Map<string, Truth> {
  const out = new Map<string, Truth>();
  for (const [drug, truth] of uses.flatMap((u) => units(u, refs, drugs)))
    out.set(drug, any([out.get(drug) ?? 'false', truth]));
  return out;
}

const named = (counted: ReadonlyMap<string, Truth>): string[] =>
  [...counted].filter(([, t]) => t === 'true').map(([drug]) => drug);

/** Drugs that may be taken besides the stated ones: none after "takes nothing else". */
const unstated = (n: number, c: Case): Truth[] =>
  c.patient.closed.includes('medications') ? [] : Array<Truth>(n).fill('unknown');

/** At least `at_least` distinct other drugs of the list. */
export function testTogether(
  p: Extract<Predicate, { type: 'co_medication' }>,
  c: Case,
  k: Knowledge,
): Finding {
  const counted = distinct(others(c), p.drugs, k.drugs);
  const truth = atLeast(p.at_least, [...counted.values(), ...unstated(p.at_least, c)]);
  return { truth, got: named(counted).join(', ') || 'none of them stated' };
}

/** At least so many distinct drugs of the list, the candidate one of them: other drugs alone make no rule about it. */
export function testCount(p: Extract<Predicate, { type: 'drug_count' }>, c: Case, k: Knowledge): Finding {
  const counted = distinct([c.candidate, ...others(c)], p.drugs, k.drugs);
  const own = isOneOf(c.candidate, p.drugs, k.drugs);
  const taken = named(counted);
  const truth = all([own, atLeast(p.at_least, [...counted.values(), ...unstated(p.at_least, c)])]);
  return { truth, got: `${taken.length}${taken.length > 0 ? ': ' : ''}${taken.join(', ')}` };
}

/** A closed list of medicines also says that no other medicine was stopped lately: what was is stated. */
export function testSince(
  p: Extract<Predicate, { type: 'since_last_dose' }>,
  c: Case,
  k: Knowledge,
): Finding {
  const now = [c.candidate, ...c.patient.medications].map((m) => ({ drug: m.drug, ago: 0, words: 'now' }));
  const before = c.patient.stopped.map(({ drug, ago }) => ({
    drug,
    ago: spanIn(ago, p.bounds.unit)[0],
    words: `${ago.value} ${ago.unit} ago`,
  }));
  const taken = [...now, ...before].map((t) => ({
    words: `${t.drug} ${t.words}`,
    truth: all([any(p.drugs.map((ref) => isNamed(t.drug, ref, k.drugs))), truthOf(within(t.ago, p.bounds))]),
  }));
  const inside = taken.filter((t) => t.truth === 'true').map((t) => t.words);
  const truth = any([...taken.map((t) => t.truth), ...unstated(1, c)]);
  return { truth, got: inside.join(', ') || 'none of them stated' };
}
