/** The author without a model: a chain from a row of indications.csv that is true on this record. */
import type { ChainStep } from '../../../schemas/rxeval.js';
import { type RuleJudged, rowsOf } from '../clinical/rules.js';
import { namesDrug } from '../clinical/same-drug.js';
import type { ClinicalState } from '../clinical/state.js';
import type { MomentOrder } from '../record/moment.js';
import { continuationChain, routineChain } from './auxiliary.js';
import type { Chain } from './chain.js';
import { clauseText } from './clauses.js';

/** Chains of one drug have this many steps at most: what comes after says nothing new. */
const MAX_CLAUSES = 5;

/** Rows that call for the order, best first: more terms, fresher trigger, rule_id. Only those that rest on an event of the admission. */
export function trueRows(state: ClinicalState, answer: MomentOrder): RuleJudged[] {
  const rows = state.tables.drugs.of(answer.order).flatMap((key) => rowsOf(state, key));
  return rows
    .filter((r) => r.truth === true && r.row.drug_class === 'REASONED_NEW' && r.fresh_at !== null)
    .sort(bySpecificity);
}

/** True when a rule of routines holds, such as a cover around surgery. */
export function hasRoutineRow(state: ClinicalState, answer: MomentOrder): boolean {
  const rows = state.tables.drugs.of(answer.order).flatMap((key) => rowsOf(state, key));
  return rows.some((r) => r.truth === true && r.row.drug_class === 'ROUTINE');
}

function bySpecificity(a: RuleJudged, b: RuleJudged): number {
  const size = (r: RuleJudged): number => r.row.trigger.length + r.row.condition.length;
  if (size(a) !== size(b)) return size(b) - size(a);
  if (a.fresh_at !== b.fresh_at) return a.fresh_at! < b.fresh_at! ? 1 : -1;
  return a.row.rule_id < b.row.rule_id ? -1 : 1;
}

/**
 * The chain of a drug, or null when nothing on record calls for it. `tried` are rule_ids of attempts that did not pass:
 * the next best row is taken.
 */
export function writeChain(
  state: ClinicalState,
  answer: MomentOrder,
  { drug_class, tried = [] }: { drug_class: string; tried?: readonly (string | null)[] },
): Chain | null {
  const chains =
    drug_class === 'CONTINUATION'
      ? [continuationChain(state, answer)]
      : drug_class === 'ROUTINE'
        ? [routineChain(state, answer)]
        : trueRows(state, answer).map((row) => reasonedChain(state, answer, row));
  return chains.find((c) => c !== null && !tried.includes(c.rule_id)) ?? null;
}

/** A step a clause, and the need for the drug last. */
function reasonedChain(state: ClinicalState, answer: MomentOrder, judged: RuleJudged): Chain | null {
  const texts = judged.clauses.map((clause) => clauseText(state, clause));
  // A statement that names the drug itself is no evidence for it.
  const clauses = texts.filter((t) => !namesDrug(t.fact, answer.drug_fold)).slice(0, MAX_CLAUSES);
  if (clauses.length < Math.min(MAX_CLAUSES, judged.row.trigger.length + judged.row.condition.length))
    return null;
  const steps: ChainStep[] = clauses.map((c, i) => ({
    number: i + 1,
    fact: c.fact,
    cites: [...c.cites],
    depends_on: [],
    inference: c.inference,
  }));
  const number = steps.length + 1;
  const need = `${judged.row.need[0]!.toUpperCase()}${judged.row.need.slice(1)}.`;
  const inference = `${answer.drug.trim()} is ordered for this.`;
  steps.push({ number, fact: need, cites: [], depends_on: steps.map((s) => s.number), inference });
  return {
    order_id: answer.order_id,
    drug_class: 'REASONED_NEW',
    steps,
    summary: summaryOf(clauses, need, inference),
    rule_id: judged.row.rule_id,
  };
}

function summaryOf(clauses: readonly { fact: string }[], need: string, inference: string): string {
  const facts = clauses.map((c) => c.fact.replace(/[.\s]+$/, '')).slice(0, 2);
  return `${facts.join('; ')}. ${need} ${inference}`;
}
