/** What each drug of a moment is: newly reasoned, continued or routine, by tables and rules; and whether the moment goes on. */
import type { DrugClass } from '../../../schemas/rxeval.js';
import type { ClinicalState } from '../clinical/state.js';
import type { Moment, MomentOrder } from '../record/moment.js';
import { hasRoutineRow, trueRows, writeChain } from './rules-author.js';

export interface Selected {
  readonly order_id: string;
  readonly drug_class: DrugClass;
  readonly is_timeline_dependent: boolean;
  /** Event or span that set it off; null for none. */
  readonly trigger_ref: string | null;
  readonly reason: string;
}

/** The class of an answer by the tables, and by the indication rules where these leave it open. */
export function classify(state: ClinicalState, answer: MomentOrder): Selected {
  const of = (drug_class: DrugClass, reason: string, trigger_ref: string | null = null): Selected => ({
    order_id: answer.order_id,
    drug_class,
    is_timeline_dependent: drug_class === 'REASONED_NEW' && trigger_ref !== null,
    trigger_ref,
    reason,
  });
  const prior = answer.prior_class;
  if (prior === 'CONTINUATION' || prior === 'ROUTINE') {
    if (writeChain(state, answer, { drug_class: prior })) return of(prior, answer.prior_reason ?? 'tables');
  }
  const [best] = trueRows(state, answer);
  if (best) return of('REASONED_NEW', `rule ${best.row.rule_id}`, triggerOf(state, best));
  if (hasRoutineRow(state, answer)) return of('ROUTINE', 'routine rule');
  // Restarted, or running at another dose: nothing new is asked of it.
  if (writeChain(state, answer, { drug_class: 'CONTINUATION' })) return of('CONTINUATION', 'taken before');
  return of('REASONED_NEW', 'no rule holds on this record');
}

/** The event among the clauses that came last. */
function triggerOf(state: ClinicalState, best: ReturnType<typeof trueRows>[number]): string | null {
  const refs = best.clauses.flatMap((c) => c.cites).map((c) => c.ref);
  const events = state.moment.events.filter((e) => refs.includes(e.event_id));
  return events.at(-1)?.event_id ?? null;
}

export interface Decision {
  readonly decision: 'PROCEED' | 'SKIP';
  readonly reason: string;
}

/** The decision of the paper: one name twice, or no drug that is new and follows from the timeline, ends a moment. */
export function decide(moment: Moment, selected: readonly Selected[]): Decision {
  const names = moment.answers.map((o) => o.drug_fold);
  if (names.length === 0) return { decision: 'SKIP', reason: 'no_answer' };
  if (new Set(names).size < names.length) return { decision: 'SKIP', reason: 'drug_name_twice' };
  const isNew = selected.some((s) => s.drug_class === 'REASONED_NEW' && s.is_timeline_dependent);
  return isNew
    ? { decision: 'PROCEED', reason: 'new_from_timeline' }
    : { decision: 'SKIP', reason: 'nothing_new_from_timeline' };
}
