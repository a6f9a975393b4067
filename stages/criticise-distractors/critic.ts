/** The critic: a model that judges what passed the checks. It can refuse, never rescue. */
import { z } from 'zod';
import { DISTRACTOR_ISSUES, type DistractorVerdict } from '../../schemas/rxeval.js';
import type { Llm } from '../contract.js';
import { criticMessages } from '../lib/distractors/prompt.js';
import type { DistractorCase } from '../lib/grounding/checks-distractor.js';
import type { Distractor, FoundIssue } from '../lib/grounding/distractor.js';

/** What the critic is asked to reply. */
export const CriticReply = z.strictObject({
  verdicts: z.array(
    z.strictObject({
      distractor_id: z.string(),
      verdict: z.enum(['GOOD', 'TOO_EASY', 'INVALID']),
      issues: z.array(z.strictObject({ type: z.enum(DISTRACTOR_ISSUES), detail: z.string() })),
      feedback: z.string(),
    }),
  ),
});

export interface Judged {
  readonly verdict: DistractorVerdict;
  readonly issues: readonly FoundIssue[];
  readonly feedback: string;
  /** Key and served model of the answer; null where there was none. */
  readonly llm: string | null;
}

export interface CriticAsked {
  readonly template: string;
  /** Asked again so often after a reply that cannot be used. */
  readonly repeats: number;
}

/** Judges distractors of one moment; one without a single clear verdict is `unjudged`. */
export async function askCritic(
  llm: Llm,
  c: DistractorCase,
  distractors: readonly Distractor[],
  asked: CriticAsked,
): Promise<ReadonlyMap<string, Judged>> {
  let open = distractors;
  const judged = new Map<string, Judged>();
  for (let sample = 0; sample <= asked.repeats && open.length > 0; sample++) {
    const result = await llm.ask({
      subject: c.moment.timepoint.timepoint_id,
      messages: criticMessages(asked.template, c, open),
      schema: CriticReply,
      schemaName: 'verdicts',
      sample,
    });
    const source = JSON.stringify({ key: result.source.key, served_model: result.source.served_model });
    for (const d of open) {
      const own = result.outcome === 'accepted' ? verdictOn(d, result.value) : null;
      judged.set(d.distractor_id, own ? { ...own, llm: source } : unjudged(source, result.outcome));
    }
    open = open.filter((d) => judged.get(d.distractor_id)!.verdict === 'unjudged');
  }
  return judged;
}

const unjudged = (llm: string, outcome: string): Judged => ({
  verdict: 'unjudged',
  issues: [],
  feedback: outcome === 'accepted' ? 'no single verdict on it' : `no usable reply: ${outcome}`,
  llm,
});

/** Two verdicts on one, and a good one with issues, are none. */
function verdictOn(d: Distractor, { verdicts }: z.infer<typeof CriticReply>): Omit<Judged, 'llm'> | null {
  const own = verdicts.filter((v) => v.distractor_id === d.distractor_id);
  const [only] = own;
  if (own.length !== 1 || !only) return null;
  if (only.verdict === 'GOOD' && only.issues.length > 0) return null;
  return { verdict: only.verdict, issues: only.issues, feedback: only.feedback };
}
