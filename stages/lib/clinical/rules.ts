/** Judges rows of indications.csv on the record of a moment. */
import type { Cite } from '../../../schemas/rxeval.js';
import type { Term } from '../rule-terms.js';
import type { Judged } from './judged.js';
import type { ClinicalState } from './state.js';
import type { IndicationRow } from './tables.js';
import { trueAt } from './values.js';

/** A term that holds, with places that show it. */
export interface Clause {
  readonly term: Term;
  readonly cites: readonly Cite[];
}

export interface RuleJudged {
  readonly row: IndicationRow;
  /** True: indicated. False: not indicated. Null: the record does not tell. */
  readonly truth: boolean | null;
  /** What holds, in the order of trigger, condition, support; empty unless true. */
  readonly clauses: readonly Clause[];
  /** For a false row, what makes it false. */
  readonly against: readonly Cite[];
  /** Latest time of an event among the clauses; null where all rests on the profile. */
  readonly fresh_at: string | null;
}

/**
 * Trigger and condition must all be true and shown; a guard that is violated makes the row false, one that nobody knows
 * does not stop it; of `support` at least one must be true.
 */
export function judgeRow(state: ClinicalState, row: IndicationRow): RuleJudged {
  const required = [...row.trigger, ...row.condition].map((term) => ({ term, ...judge(state, row, term) }));
  const guards = row.guard.map((term) => judge(state, row, term));
  const failed = [...required, ...guards].find((j) => j.truth === false);
  const none = { row, clauses: [], fresh_at: null };
  if (failed) return { ...none, truth: false, against: failed.cites };
  if (required.some((j) => j.truth === null || j.cites.length === 0))
    return { ...none, truth: null, against: [] };
  const support = row.support
    .map((term) => ({ term, ...judge(state, row, term) }))
    .filter((j) => j.truth === true && j.cites.length > 0);
  if (row.support.length > 0 && support.length === 0 && !restsOnEvent(state, required))
    return { ...none, truth: null, against: [] };
  const clauses = [...required, ...support].map(({ term, cites }) => ({ term, cites }));
  return { row, truth: true, clauses, against: [], fresh_at: freshest(state, clauses) };
}

/** All rows of a drug, by rule_id. */
export const rowsOf = (state: ClinicalState, drug_key: string): RuleJudged[] =>
  state.tables.indications.filter((r) => r.drug_key === drug_key).map((r) => judgeRow(state, r));

/** `home` asks for the drug of the row. */
function judge(state: ClinicalState, row: IndicationRow, term: Term): Judged {
  if (term.kind !== 'is' || term.state !== 'home') return state.judge(term);
  const answers = state.tables.drugs.folds(row.drug_key).map((fold) => state.onHomeList(fold));
  return answers.find((a) => a.truth === true) ?? answers[0] ?? { truth: null, cites: [] };
}

const restsOnEvent = (state: ClinicalState, clauses: readonly Clause[]): boolean =>
  clauses.some((c) => c.cites.some((cite) => state.moment.find(cite.ref)?.kind === 'event'));

function freshest(state: ClinicalState, clauses: readonly Clause[]): string | null {
  const times = clauses
    .flatMap((c) => c.cites)
    .flatMap((cite) => {
      const found = state.moment.find(cite.ref);
      return found?.kind === 'event' ? [trueAt(found.event)] : [];
    });
  return times.sort().at(-1) ?? null;
}
