/** What the medication-safety rules say about a claim: rules of the same kind that name the drug, true, false or open. */
import type { Condition, DrugRef } from '../../../schemas/condition.js';
import type { Use } from '../../../schemas/patient.js';
import type { Rule } from '../../../schemas/rule.js';
import type { Cite, Claim } from '../../../schemas/rxeval.js';
import { type ClassMember, type ClassWord, DrugClasses, drugKnowledge } from '../drug-classes.js';
import type { DrugGroups } from '../drug-groups.js';
import { DrugIndex, type DrugName } from '../drugs.js';
import { applyRule } from '../rules/apply.js';
import { type Row, readRule } from '../rules/bench.js';
import type { Concepts } from '../rules/concepts.js';
import { partners } from '../rules/judge.js';
import type { Knowledge } from '../rules/knowledge.js';
import { isNamed, isOneOf } from '../rules/target.js';
import type { RecordedPatient } from './rule-patient.js';

type Kind = Claim['kind'];

/** Rules that forbid, by what they turn on. */
export interface RuleBook {
  readonly rules: readonly { readonly rule: Rule; readonly kinds: ReadonlySet<Kind> }[];
  readonly index: DrugIndex;
  readonly knowledge: Knowledge;
}

export interface RuleTables {
  readonly rules: readonly Row[];
  readonly drug_names: readonly Row[];
  readonly drug_classes: readonly Row[];
  readonly class_words: readonly Row[];
  readonly concepts: Concepts;
  readonly drug_groups: DrugGroups;
}

/** Opens the rules that may decide: checked or verified, usable, restricting the drug or a combination with it. */
export function openRuleBook(t: RuleTables): RuleBook {
  const index = new DrugIndex(t.drug_names as unknown as DrugName[]);
  const classes = new DrugClasses(
    index,
    t.drug_classes as unknown as ClassMember[],
    t.class_words as unknown as ClassWord[],
    t.drug_groups,
  );
  const rules = t.rules
    .map(readRule)
    .filter((r) => r.is_usable && (r.status === 'checked' || r.status === 'verified'))
    .filter((r) => r.action.polarity === 'restrict' && r.action.object !== 'act')
    .sort((a, b) => (a.rule_id < b.rule_id ? -1 : 1))
    .map((rule) => ({ rule, kinds: kindsOf(rule, t.concepts) }));
  return { rules, index, knowledge: { drugs: drugKnowledge(index, classes), concepts: t.concepts } };
}

/** Predicates that a condition wants to hold; what stands under `not` makes no kind. */
const leaves = (c: Condition): Condition[] =>
  c.type === 'not' ? [] : 'of' in c ? c.of.flatMap(leaves) : [c];

const KIDNEY = ['renal_impairment', 'chronic_kidney_disease', 'dialysis'];

/**
 * What a rule turns on. Age makes no kind. Rules for older adults weigh long-term use: midazolam beside fentanyl on the
 * ventilator is no mistake at 80 either, so of them only limits by kidney function prove a drug wrong at a moment.
 */
export function kindsOf(rule: Rule, concepts: Concepts): ReadonlySet<Kind> {
  const kinds = new Set<Kind>();
  if (rule.action.object === 'combination') kinds.add('interaction');
  for (const p of leaves(rule.when)) {
    if (p.type === 'gestation') kinds.add('pregnancy');
    if (p.type === 'ckd_stage') kinds.add('renal');
    if (p.type === 'co_medication') kinds.add('interaction');
    if (p.type === 'drug_count') kinds.add('duplicate_therapy');
    if (p.type === 'measure') kinds.add(kindOfMeasure(p.measure));
    if (p.type === 'fact') kinds.add(kindOfFact(p.concept, concepts));
  }
  if (isSameClassTwice(rule)) kinds.add('duplicate_therapy');
  if (rule.special_population !== 'older adults') return kinds;
  return new Set(kinds.size === 1 && kinds.has('renal') ? kinds : []);
}

function kindOfMeasure(measure: string): Kind {
  if (measure === 'QT' || measure === 'QTc') return 'qt';
  if (measure === 'potassium') return 'electrolyte';
  return measure === 'bilirubin' ? 'hepatic' : 'renal';
}

function kindOfFact(concept: string, concepts: Concepts): Kind {
  const { kind } = concepts.get(concept);
  if (kind === 'allergy') return 'allergy';
  if (kind === 'reproductive') return 'pregnancy';
  if (KIDNEY.some((k) => concepts.isA(concept, k) || concepts.isA(k, concept))) return 'renal';
  if (concepts.isA(concept, 'liver_disease')) return 'hepatic';
  return concept === 'recent_gi_bleeding' ? 'bleeding' : 'disease';
}

/** `an NSAID with another NSAID`. */
const isSameClassTwice = (rule: Rule): boolean =>
  partners(rule.when).some((p) => rule.target.some((t) => t.kind === p.kind && t.name === p.name));

export type RuleAnswer =
  /** No rule of the kind names the drug. */
  | { readonly is: 'silent' }
  | { readonly is: 'false' | 'unknown'; readonly rule_ids: readonly string[] }
  | {
      readonly is: 'true';
      readonly rule_id: string;
      readonly status: 'checked' | 'verified';
      /** The label or guideline forbids it outright. */
      readonly isContraindicated: boolean;
      readonly cites: readonly Cite[];
    };

/** What is asked: a drug of the guideline tables, why it would be wrong, and for interactions with which drugs. */
export interface RuleQuestion {
  readonly use: Use;
  readonly kind: Kind;
  readonly partners?: readonly string[];
}

/** The rules of a kind about a drug for the patient of a record. A true rule without a place to cite proves nothing. */
export function askRules(book: RuleBook, recorded: RecordedPatient, question: RuleQuestion): RuleAnswer {
  const rules = rulesNaming(book, question.use.drug).filter(
    ({ rule, kinds }) => kinds.has(question.kind) && isBetween(book, rule, question),
  );
  if (rules.length === 0) return { is: 'silent' };
  const { patient } = recorded;
  const verdicts = rules.flatMap(({ rule }) => {
    const { truth, population } = applyRule(rule, { patient, candidate: question.use }, book.knowledge);
    // A rule for other people says nothing, neither for nor against.
    return population.truth === 'false' ? [] : [{ rule, truth, cites: citesOf(book, rule, recorded) }];
  });
  if (verdicts.length === 0) return { is: 'silent' };
  const proofs = verdicts.filter((v) => v.truth === 'true' && v.cites.length > 0);
  const best = proofs.find((v) => v.rule.action.kind === 'contraindicate') ?? proofs[0];
  if (best) {
    const { rule, cites } = best;
    const isContraindicated = rule.action.kind === 'contraindicate';
    return { is: 'true', rule_id: rule.rule_id, status: rule.status as 'checked', isContraindicated, cites };
  }
  const rule_ids = verdicts.map((v) => v.rule.rule_id);
  return { is: verdicts.every((v) => v.truth === 'false') ? 'false' : 'unknown', rule_ids };
}

/** Kept for each book: every moment asks about the same drugs. */
const naming = new WeakMap<RuleBook, Map<string, RuleBook['rules']>>();

/** Rules that name a drug as target or as what the target must not meet. */
function rulesNaming(book: RuleBook, drug: string): RuleBook['rules'] {
  const known = naming.get(book) ?? new Map<string, RuleBook['rules']>();
  naming.set(book, known);
  const found =
    known.get(drug) ??
    book.rules.filter(({ rule }) => names(book, drug, [...rule.target, ...partners(rule.when)]));
  known.set(drug, found);
  return found;
}

const names = ({ knowledge }: RuleBook, drug: string, refs: readonly DrugRef[]): boolean =>
  refs.some((ref) => isNamed(drug, ref, knowledge.drugs) === 'true');

/** Of interactions: the rule is about the drug and one of the partners asked about, whichever is the target. */
function isBetween(book: RuleBook, rule: Rule, { use, partners: others }: RuleQuestion): boolean {
  if (others === undefined) return true;
  const [targets, taken] = [rule.target, partners(rule.when)];
  return others.some(
    (other) =>
      (names(book, use.drug, targets) && names(book, other, taken)) ||
      (names(book, other, targets) && names(book, use.drug, taken)),
  );
}

/** Places of the record that the conditions of a rule rest on. */
function citesOf({ knowledge }: RuleBook, rule: Rule, recorded: RecordedPatient): Cite[] {
  const { patient, facts, measures, drugs } = recorded;
  const refs = [...rule.target, ...partners(rule.when)];
  const meets = patient.medications.filter((m) => isOneOf(m, refs, knowledge.drugs) === 'true');
  const cites = leaves(rule.when).flatMap((p): readonly Cite[] => {
    if (p.type === 'measure') return measureCites(p.measure, measures);
    if (p.type === 'ckd_stage') return measures.get('serum_creatinine') ?? [];
    if (p.type === 'gestation') return facts.get('pregnant') ?? [];
    if (p.type === 'fact')
      return [...facts].filter(([f]) => knowledge.concepts.isA(f, p.concept)).flatMap(([, c]) => c);
    return [];
  });
  const isTogether = rule.action.object === 'combination' || partners(rule.when).length > 0;
  return unique([...cites, ...(isTogether ? meets.flatMap((m) => drugs.get(m.drug) ?? []) : [])]);
}

function measureCites(measure: string, measures: RecordedPatient['measures']): readonly Cite[] {
  const from: Readonly<Record<string, readonly string[]>> = {
    CrCl: ['serum_creatinine', 'weight'],
    eGFR: ['serum_creatinine'],
  };
  return (from[measure] ?? [measure]).flatMap((m) => measures.get(m) ?? []);
}

/** Each citation once. */
export const unique = (cites: readonly Cite[]): Cite[] => [
  ...new Map(cites.map((c) => [JSON.stringify(c), c])).values(),
];
