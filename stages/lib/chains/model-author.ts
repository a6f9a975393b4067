/** The author that is a model: writes chains for some drugs of a moment, with what was wrong before. */
import { z } from 'zod';
import { ChainStep, type DrugClass } from '../../../schemas/rxeval.js';
import type { Llm, LlmOutcome } from '../../contract.js';
import type { Moment } from '../record/moment.js';
import type { Chain, Complaint } from './chain.js';
import { emptyChain } from './chain.js';
import { complaintsText, messagesOf } from './prompt.js';

/** Purpose of the model that writes chains. */
export const AUTHOR = 'author';
export const CHAIN_PROMPT = 'stages/lib/chains/prompts/chain.v1.md';

const Reply = z.strictObject({
  moment: z.string(),
  chains: z.array(z.strictObject({ order_id: z.string(), steps: z.array(ChainStep), summary: z.string() })),
});

export interface Asked {
  readonly order_id: string;
  readonly drug_class: DrugClass;
}

export interface Written {
  readonly chain: Chain;
  /** JSON of the answer's key and models; outcome and detail where there is no usable reply. */
  readonly llm: string;
  readonly outcome: LlmOutcome | 'wrong_moment';
}

/**
 * One call a moment and attempt. A drug that the reply leaves out, and every drug when there is no usable reply, gets an
 * empty chain, which no check lets pass.
 */
export async function askChains(
  llm: Llm,
  instructions: string,
  task: { moment: Moment; asked: readonly Asked[]; complaints: readonly Complaint[] },
): Promise<Written[]> {
  const { moment, asked, complaints } = task;
  const lines = [
    'Write a chain for each of:',
    ...asked.map((a) => `${a.order_id} (${a.drug_class})`),
    ...(complaints.length === 0
      ? []
      : ['Earlier attempts and what was wrong with them:', complaintsText(complaints)]),
  ];
  const result = await llm.ask({
    subject: moment.timepoint.timepoint_id,
    messages: messagesOf(instructions, moment, lines),
    schema: Reply,
    schemaName: 'chains',
  });
  const { key, model, served_model } = result.source;
  // A reply about another moment belongs to another row, whatever it says.
  const isOurs = result.outcome === 'accepted' && result.value.moment === moment.timepoint.timepoint_id;
  const outcome = result.outcome !== 'accepted' ? result.outcome : isOurs ? 'accepted' : 'wrong_moment';
  const given = isOurs && result.outcome === 'accepted' ? result.value.chains : [];
  const llmText = JSON.stringify({ key, model, served_model, outcome });
  return asked.map(({ order_id, drug_class }) => {
    const found = given.find((c) => c.order_id === order_id);
    const chain = found
      ? { order_id, drug_class, steps: found.steps, summary: found.summary, rule_id: null }
      : emptyChain(order_id, drug_class);
    return { chain, llm: llmText, outcome };
  });
}
