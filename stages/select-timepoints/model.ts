/** The selector that is a model. Code checks what it names and takes the decision itself. */
import { z } from 'zod';
import { DRUG_CLASSES } from '../../schemas/rxeval.js';
import type { Llm, LlmOutcome } from '../contract.js';
import { messagesOf } from '../lib/chains/prompt.js';
import type { Selected } from '../lib/chains/select.js';
import type { Moment } from '../lib/record/moment.js';

/** Purpose of the model. */
export const SELECTOR = 'author';
export const SELECT_PROMPT = 'stages/select-timepoints/prompts/select.v1.md';

const Reply = z.strictObject({
  moment: z.string(),
  drugs: z.array(
    z.strictObject({
      order_id: z.string(),
      drug_class: z.enum(DRUG_CLASSES),
      is_timeline_dependent: z.boolean(),
      trigger_ref: z.string().nullable(),
      reason: z.string(),
    }),
  ),
});

export interface ModelSelection {
  /** One for every answer, or null where the reply cannot be used. */
  readonly selected: readonly Selected[] | null;
  readonly outcome: LlmOutcome | 'wrong_moment' | 'drugs_missing';
  readonly key: string;
}

/** One call a moment. */
export async function askSelection(llm: Llm, instructions: string, moment: Moment): Promise<ModelSelection> {
  const result = await llm.ask({
    subject: moment.timepoint.timepoint_id,
    messages: messagesOf(instructions, moment, ['Classify every drug of the moment.']),
    schema: Reply,
    schemaName: 'selection',
  });
  const { key } = result.source;
  if (result.outcome !== 'accepted') return { selected: null, outcome: result.outcome, key };
  const { moment: named, drugs } = result.value;
  if (named !== moment.timepoint.timepoint_id) return { selected: null, outcome: 'wrong_moment', key };
  const selected = moment.answers.map((o) => drugs.find((d) => d.order_id === o.order_id));
  if (selected.some((s) => s === undefined)) return { selected: null, outcome: 'drugs_missing', key };
  return { selected: selected.map((s) => grounded(moment, s!)), outcome: 'accepted', key };
}

/** A trigger that is not on record before the cut is none; without a trigger a new drug does not follow from the timeline. */
function grounded(moment: Moment, given: Selected): Selected {
  const found = given.trigger_ref === null ? null : moment.find(given.trigger_ref);
  const isShown = found?.kind === 'span' || (found?.kind === 'event' && found.event.is_shown);
  const trigger_ref = isShown ? given.trigger_ref : null;
  const isNewEvent = found?.kind === 'event' && isShown;
  const { drug_class } = given;
  return {
    order_id: given.order_id,
    drug_class,
    is_timeline_dependent:
      drug_class === 'REASONED_NEW' && given.is_timeline_dependent && isNewEvent === true,
    trigger_ref,
    reason: given.reason,
  };
}
