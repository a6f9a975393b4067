/** Which candidates of a question are keys, which are proved harmless, and why a candidate is neither. */
import type { Condition, DrugRef } from '../../../schemas/condition.js';
import type { Patient, Use } from '../../../schemas/patient.js';
import type { Rule } from '../../../schemas/rule.js';
import type { RuleVerdict } from './apply.js';
import { type Book, standing } from './coverage.js';
import { measured } from './measures.js';
import { isNamed } from './target.js';

export type Judgement =
  | { readonly is: 'key'; readonly rule_ids: readonly string[]; readonly watch: readonly string[] }
  | { readonly is: 'harmless'; readonly watch: readonly string[] }
  | { readonly is: 'neither'; readonly why: string };

/** What a judgement rests on beside the patient and the use. */
export interface Bench {
  readonly book: Book;
  readonly rules: ReadonlyMap<string, Rule>;
  /** Drugs under a reference that the source itself names, here or in another of its rows. */
  readonly listed: (ref: DrugRef, source_id: string) => readonly string[];
}

export interface Judged {
  readonly source_id: string;
  readonly patient: Patient;
  readonly use: Use;
  /** Allows values close to a printed edge, for items about the edge. */
  readonly near?: boolean;
}

/**
 * Key: an active restrict rule of the named source whose drug the source lists. Harmless: no restrict and no change rule of
 * any source is active or undecided, and no gap of a source matters. Anything else is neither and is never an option.
 */
export function judge(bench: Bench, asked: Judged): Judgement {
  const { source_id, patient, use } = asked;
  const s = standing({ patient, candidate: use }, bench.book);
  const ruleOf = (v: RuleVerdict): Rule => bench.rules.get(v.rule_id)!;
  const active = s.active.filter((v) => ruleOf(v).action.object !== 'act');
  const watch = s.watch.map((v) => v.rule_id).sort();
  const own = active.map(ruleOf).filter((r) => r.action.polarity === 'restrict' && r.source_id === source_id);
  const usable = own.filter((r) => r.is_usable && isListed(bench, r, use.drug));
  if (usable.length > 0) return { is: 'key', rule_ids: usable.map((r) => r.rule_id).sort(), watch };
  if (active.length > 0) return { is: 'neither', why: `active ${ruleOf(active[0]!).action.polarity} rule` };
  const open = s.undecided.filter((v) => ruleOf(v).action.object !== 'act');
  if (open.length > 0) return { is: 'neither', why: 'undecided rule' };
  if (s.standing === 'unknown' && s.silent.length > 0)
    return { is: 'neither', why: `absent from ${s.silent.join(', ')}, which is partial` };
  if (!asked.near && nearAnEdge(bench, patient, use.drug))
    return { is: 'neither', why: 'value near a printed edge' };
  return { is: 'harmless', watch };
}

/** Does the source itself name the drug in the rule, or in the class of the rule? */
function isListed(bench: Bench, rule: Rule, drug: string): boolean {
  const refs = rule.action.object === 'combination' ? [...rule.target, ...partners(rule.when)] : rule.target;
  return refs.some(
    (ref) =>
      isNamed(drug, ref, bench.book.knowledge.drugs) === 'true' &&
      bench.listed(ref, rule.source_id).includes(drug),
  );
}

/** Drugs that a condition wants beside the target. */
export function partners(c: Condition): readonly DrugRef[] {
  switch (c.type) {
    case 'all':
    case 'any':
    case 'at_least':
      return c.of.flatMap(partners);
    case 'not':
      return partners(c.of);
    case 'co_medication':
    case 'drug_count':
      return c.drugs;
    default:
      return [];
  }
}

/** Numbers of a rule of the drug closer than a tenth to the patient's value. */
function nearAnEdge(bench: Bench, patient: Patient, drug: string): boolean {
  return rulesNaming(bench, drug).some((rule) =>
    edgesOf(rule).some(({ measure, bounds }) => {
      const m = measured(measure, bounds.unit, patient);
      return m !== null && !isFar(m.value, [bounds.low, bounds.high]);
    }),
  );
}

const isFar = (value: number, edges: readonly (number | null)[]): boolean =>
  edges.every((e) => e === null || Math.abs(value - e) >= e * 0.1 - 1e-9);

type MeasurePredicate = Extract<Condition, { type: 'measure' }>;

const leaves = (c: Condition): Condition[] =>
  c.type === 'all' || c.type === 'any' || c.type === 'at_least'
    ? c.of.flatMap(leaves)
    : c.type === 'not'
      ? leaves(c.of)
      : [c];

const edgesOf = (rule: Rule): MeasurePredicate[] =>
  leaves(rule.when).filter((p): p is MeasurePredicate => p.type === 'measure');

/** Kept for each bench: every candidate of every question asks. */
const naming = new WeakMap<Bench, Map<string, readonly Rule[]>>();

/** Rules that may name a drug as target or partner. */
export function rulesNaming(bench: Bench, drug: string): readonly Rule[] {
  const known = naming.get(bench) ?? new Map<string, readonly Rule[]>();
  naming.set(bench, known);
  let found = known.get(drug);
  if (!found) {
    const { drugs } = bench.book.knowledge;
    found = [...bench.rules.values()].filter((r) =>
      [...r.target, ...partners(r.when)].some((ref) => isNamed(drug, ref, drugs) !== 'false'),
    );
    known.set(drug, found);
  }
  return found;
}
