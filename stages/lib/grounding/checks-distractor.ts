/** Everything about a distractor that code can decide, in the words of DISTRACTOR_ISSUES. No model overrides it. */
import { type Cite, type Proof, STRATEGIES } from '../../../schemas/rxeval.js';
import { checkCite, textOf } from '../record/cites.js';
import type { Moment } from '../record/moment.js';
import {
  type Checked,
  type Distractor,
  type FoundIssue,
  ordersAround,
  prescriptionOf,
  type TargetChain,
} from './distractor.js';
import type { Prescription } from './formulary.js';
import type { OrderForms } from './order-forms.js';
import { isTempting } from './plausible.js';
import type { Prover } from './proofs.js';

/** What a distractor is checked against. */
export interface DistractorCase {
  readonly moment: Moment;
  readonly prover: Prover;
  /** Chains of all correct drugs of the moment. */
  readonly chains: readonly TargetChain[];
  readonly forms: OrderForms;
}

/** Checks one; `kept` are the others that would stand beside it. */
export function checkDistractor(
  d: Distractor,
  c: DistractorCase,
  kept: readonly Prescription[] = [],
): Checked {
  const proving = prove(d, c);
  const issues = [
    ...checkDrug(d, c, kept),
    ...checkTarget(d, c),
    ...checkFacts(d, c),
    ...checkWords(d, c),
    ...proving.issues,
    ...checkWrong(d, c),
    ...checkTempting(d, c),
  ];
  const isOnlyEasy = issues.length > 0 && issues.every((i) => i.type === 'too_easy');
  const verdict = issues.length === 0 ? 'GOOD' : isOnlyEasy ? 'TOO_EASY' : 'INVALID';
  return { verdict, issues, proofs: proving.proofs, contradicted_n: proving.contradicted_n };
}

const issue = (type: FoundIssue['type'], detail: string): FoundIssue => ({ type, detail });

function checkDrug(
  d: Distractor,
  { moment, prover, forms }: DistractorCase,
  kept: readonly Prescription[],
): FoundIssue[] {
  const { formulary } = prover.tables;
  const own = formulary.ingredientOf(d.drug);
  const isOf = (list: readonly Prescription[]): boolean =>
    list.some((p) => formulary.ingredientOf(p.drug) === own);
  const out: FoundIssue[] = [];
  const isReal = d.drug.trim() !== '' && forms.isDrug(d.drug, formulary);
  if (!isReal)
    out.push(issue('unknown_drug', 'no drug of this name is in the formulary or among the orders'));
  else if (!forms.isForm(prescriptionOf(d), formulary))
    out.push(issue('unreal_dose_or_route', 'dose and route do not go together for this drug'));
  if (isOf(moment.answers)) out.push(issue('correct_drug_reused', 'a correct drug of the moment'));
  if (isOf(ordersAround(moment)))
    out.push(issue('active_or_started_soon', 'running at the moment, or started within 24 h'));
  if (isOf(kept)) out.push(issue('duplicate', 'another distractor of the moment is the same drug'));
  return out;
}

function checkTarget(d: Distractor, { chains }: DistractorCase): FoundIssue[] {
  const chain = chains.find((c) => c.order_id === d.targets_order_id);
  if (!chain) return [issue('broken_target', `${d.targets_order_id} is no correct drug of the moment`)];
  if (d.targets_step !== null && !chain.steps.some((s) => s.number === d.targets_step))
    return [issue('broken_target', `${d.targets_order_id} has no step ${d.targets_step}`)];
  if (!(STRATEGIES as readonly string[]).includes(d.strategy))
    return [issue('broken_target', 'no such strategy')];
  return [];
}

const citesOf = (d: Distractor): readonly Cite[] => [
  ...d.plausible_cites,
  ...d.claims.flatMap((c) => c.cites),
];

function checkFacts(d: Distractor, { moment }: DistractorCase): FoundIssue[] {
  const problems = citesOf(d).flatMap((cite) => checkCite(moment, cite) ?? []);
  const cited = d.claims.flatMap((c) => c.cites);
  const none = cited.length === 0 ? [issue('unproven', 'why_wrong cites nothing of the record')] : [];
  return [...problems.map((p) => issue(p.type, p.detail)), ...none];
}

/** Reasons of the house, not of the patient. */
const INSTITUTIONAL =
  /\b(formular(y|ies)|costs?|costly|prices?|expensive|cheaper|polic(y|ies)|protocols?|order sets?|insurance|reimburse\w*|shortages?|in stock|out of stock|unavailable|not available|availability|institution\w*|restricted (drug|agent|use)|prior authori[sz]ation|not (carried|stocked))\b/i;

function checkWords(d: Distractor, { moment, chains }: DistractorCase): FoundIssue[] {
  const out: FoundIssue[] = [];
  if (INSTITUTIONAL.test(d.why_wrong))
    out.push(issue('institutional_reason', 'why_wrong speaks of the house'));
  const chain = chains.find((c) => c.order_id === d.targets_order_id);
  const cites = [...citesOf(d), ...(chain?.steps.flatMap((s) => s.cites) ?? [])];
  const known = new Set([
    ...cites.flatMap((cite) => numbersOfCite(moment, cite)),
    ...[d.drug, d.dose_text ?? '', chain?.drug ?? ''].flatMap(numbersIn),
    ...(d.targets_step === null ? [] : [d.targets_step]),
  ]);
  const strange = [d.why_wrong, d.why_plausible].flatMap(numbersIn).filter((n) => !known.has(n));
  if (strange.length > 0) out.push(issue('wrong_value', 'a number in the prose is in no cited fact'));
  return out;
}

/** Numbers that stand alone; `H2`, `B12` and `SpO2` are words. */
export const numbersIn = (text: string): number[] =>
  [...text.matchAll(/(?<![\p{L}\p{N}.])\d+(?:,\d{3})*(?:\.\d+)?(?![\p{L}\p{N}])/gu)].map((m) =>
    Number(m[0].replaceAll(',', '')),
  );

function numbersOfCite(moment: Moment, cite: Cite): number[] {
  const found = moment.find(cite.ref);
  const isWhole = cite.item === null && cite.quote === null;
  const words = [cite.item, cite.value, cite.quote, isWhole && found ? textOf(found) : null];
  return words.flatMap((w) => (w === null ? [] : numbersIn(w)));
}

/** Proves every claim; what is not proved is an issue. */
function prove(d: Distractor, { prover }: DistractorCase): Omit<Checked, 'verdict'> {
  const issues: FoundIssue[] = [];
  const proofs: Proof[] = [];
  let contradicted_n = 0;
  if (d.claims.length === 0) issues.push(issue('unproven', 'nothing is claimed'));
  for (const claim of d.claims) {
    const proven = prover.prove(prescriptionOf(d), claim.kind);
    if ('problem' in proven) {
      if (proven.problem === 'contradicted') contradicted_n++;
      const type = proven.problem === 'contradicted' ? 'unproven' : proven.problem;
      issues.push(issue(type, proven.detail));
    } else if (!proven.proof.cites.some((p) => claim.cites.some((c) => c.ref === p.ref)))
      issues.push(issue('unproven', `${claim.kind}: the cited facts are not those that prove it`));
    else proofs.push(proven.proof);
  }
  return { issues, proofs, contradicted_n };
}

function checkWrong(d: Distractor, { prover }: DistractorCase): FoundIssue[] {
  const p = prescriptionOf(d);
  const indicated = prover.indication(p);
  if (indicated === null || prover.contraindications(p).length > 0) return [];
  if (
    prover.isForbidden(
      p,
      d.claims.map((c) => c.kind),
    )
  )
    return [];
  return [issue('not_wrong', `${indicated.rule_id} holds, and nothing forbids the drug`)];
}

function checkTempting(d: Distractor, { moment, prover }: DistractorCase): FoundIssue[] {
  if (isTempting(prescriptionOf(d), moment.answers, prover)) return [];
  return [issue('too_easy', 'no class, purpose or condition in common with the moment')];
}
