/** The author with a model: asks for wrong options, and takes what fits the form. */
import { z } from 'zod';
import { Cite, Claim, STRATEGIES } from '../../../schemas/rxeval.js';
import type { Llm, LlmOutcome } from '../../contract.js';
import type { DistractorCase } from '../grounding/checks-distractor.js';
import { type Distractor, distractorId, type Idea } from '../grounding/distractor.js';
import { type AuthorTask, authorMessages } from './prompt.js';

/** What the model is asked to reply. */
export const DistractorReply = z.strictObject({
  distractors: z
    .array(
      z.strictObject({
        drug: z.string().min(1),
        dose: z.string().nullable(),
        route: z.string().nullable(),
        targets_order_id: z.string(),
        targets_step: z.int().nullable(),
        strategy: z.enum(STRATEGIES),
        perturbation: z.string(),
        why_plausible: z.string().min(1),
        plausible_cites: z.array(Cite),
        why_wrong: z.string().min(1),
        claims: z.array(Claim),
      }),
    )
    .min(1),
});
type ReplyItem = z.infer<typeof DistractorReply>['distractors'][number];

export interface ModelAsked extends AuthorTask {
  readonly attempt_n: number;
  readonly template: string;
}

export type ModelAuthored =
  | { readonly distractors: readonly Distractor[]; readonly repeated_n: number }
  | { readonly failed: Exclude<LlmOutcome, 'accepted'>; readonly detail: string };

/** Asks once. What goes beyond the number wanted, and a drug that the reply itself repeats, is left out and counted. */
export async function authorByModel(llm: Llm, c: DistractorCase, asked: ModelAsked): Promise<ModelAuthored> {
  const { timepoint_id } = c.moment.timepoint;
  const result = await llm.ask({
    subject: timepoint_id,
    messages: authorMessages(asked.template, c, asked),
    schema: DistractorReply,
    schemaName: 'distractors',
    // A later attempt is another question, also where its words are the same.
    sample: asked.attempt_n - 1,
  });
  if (result.outcome !== 'accepted') return { failed: result.outcome, detail: result.detail };
  const llmSource = JSON.stringify({ key: result.source.key, served_model: result.source.served_model });
  const byId = new Map<string, Distractor>();
  for (const item of result.value.distractors.slice(0, asked.n)) {
    const d = fromReply(item, c, { attempt_n: asked.attempt_n, llm: llmSource });
    if (!byId.has(d.distractor_id)) byId.set(d.distractor_id, d);
  }
  return { distractors: [...byId.values()], repeated_n: result.value.distractors.length - byId.size };
}

function fromReply(
  { dose, ...item }: ReplyItem,
  { moment, prover }: DistractorCase,
  more: { readonly attempt_n: number; readonly llm: string },
): Distractor {
  const { timepoint_id } = moment.timepoint;
  const words = (text: string | null): string | null =>
    text === null || text.trim() === '' ? null : text.trim();
  const idea: Idea = {
    ...item,
    drug: item.drug.trim(),
    dose_text: words(dose),
    route: words(item.route),
    rule_id: null,
  };
  const ingredient = prover.tables.formulary.ingredientOf(idea.drug);
  const distractor_id = distractorId(timepoint_id, ingredient, idea);
  return { ...idea, ...more, timepoint_id, distractor_id, author: 'model' };
}
