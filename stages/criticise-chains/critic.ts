/** The critic that is a model. Its verdict never overrides a failed check; a verdict that cannot be used is `unjudged`. */
import { z } from 'zod';
import { CHAIN_ISSUES, type ChainProblem, type ChainVerdict } from '../../schemas/rxeval.js';
import type { Llm } from '../contract.js';
import type { Chain } from '../lib/chains/chain.js';
import { chainsText, messagesOf } from '../lib/chains/prompt.js';
import type { Moment } from '../lib/record/moment.js';

/** Purpose of the model. */
export const CRITIC = 'critic';
export const CRITIC_PROMPT = 'stages/criticise-chains/prompts/critic.v1.md';

const Verdict = z.enum(['PASS', 'REVISE', 'REJECT']);
const Reply = z.strictObject({
  moment: z.string(),
  drugs: z.array(
    z.strictObject({
      order_id: z.string(),
      verdict: Verdict,
      issues: z.array(
        z.strictObject({ type: z.enum(CHAIN_ISSUES), step: z.int().nullable(), detail: z.string() }),
      ),
      feedback: z.string(),
    }),
  ),
  overall: Verdict,
});

/** The verdict of one judge on one attempt. */
export interface Judgement {
  readonly verdict: ChainVerdict;
  readonly issues: readonly ChainProblem[];
  readonly feedback: string;
  readonly llm: string | null;
}

export interface MomentJudgement {
  /** By order_id. */
  readonly drugs: ReadonlyMap<string, Judgement>;
  readonly overall: ChainVerdict;
}

/** Asks about the chains of a moment, at most `reasks_n` times more while the reply cannot be used. */
export async function askCritic(
  llm: Llm,
  instructions: string,
  task: { moment: Moment; chains: readonly Chain[]; judged: readonly Chain[]; reasks_n: number },
): Promise<MomentJudgement> {
  const { moment, chains, judged, reasks_n } = task;
  const messages = messagesOf(instructions, moment, [
    `Judge the chains of: ${judged.map((c) => c.order_id).join(', ')}`,
    'All chains of the moment:',
    chainsText(chains),
  ]);
  const { timepoint_id } = moment.timepoint;
  let last: MomentJudgement | null = null;
  for (let sample = 0; sample <= reasks_n; sample++) {
    const request = { subject: timepoint_id, messages, schema: Reply, schemaName: 'chain_verdicts', sample };
    const result = await llm.ask(request);
    const { key, model, served_model } = result.source;
    const isOurs = result.outcome === 'accepted' && result.value.moment === timepoint_id;
    const outcome = result.outcome === 'accepted' && !isOurs ? 'wrong_moment' : result.outcome;
    const reply = result.outcome === 'accepted' && isOurs ? result.value : null;
    last = judgements(judged, reply, JSON.stringify({ key, model, served_model, outcome }));
    if (![...last.drugs.values()].some((d) => d.verdict === 'unjudged')) return last;
  }
  return last!;
}

function judgements(
  judged: readonly Chain[],
  reply: z.infer<typeof Reply> | null,
  llm: string,
): MomentJudgement {
  const drugs = judged.map((chain): [string, Judgement] => {
    const said = reply?.drugs.find((d) => d.order_id === chain.order_id);
    if (!said) return [chain.order_id, { verdict: 'unjudged', issues: [], feedback: '', llm }];
    const { verdict, issues, feedback } = said;
    return [chain.order_id, { verdict, issues, feedback, llm }];
  });
  return { drugs: new Map(drugs), overall: reply?.overall ?? 'unjudged' };
}
