/** What a reader should look at first. */
import type { RxevalStatistics } from '../../schemas/rxeval-statistics.js';
import type { ReportQuestionsConfig } from './config.js';

const percent = (x: number): string => `${(100 * x).toFixed(1)} %`;

/** Warnings in words; none is a good sign, not a proof. */
export function warningsOf(s: RxevalStatistics, config: ReportQuestionsConfig): string[] {
  const out: string[] = [];
  for (const [what, drugs] of [
    ['right options', s.correct_drugs],
    ['distractors', s.distractor_drugs],
  ] as const)
    for (const d of drugs.filter((x) => x.share > config.warn_drug_share))
      out.push(`${d.name} makes ${percent(d.share)} of the ${what}`);
  for (const p of s.positions.filter((x) => x.p_value < config.warn_p_value))
    out.push(`letters of questions with ${p.options_n} options are uneven (p ${p.p_value.toExponential(1)})`);
  if (s.questions_n === 0) out.push('no moment became a question; the funnel says where they ended');
  if (s.unsigned_proofs_n > 0)
    out.push(`${s.unsigned_proofs_n} proofs of distractors use guideline rules that nobody has signed`);
  if (s.author.includes('rules'))
    out.push('chains and distractors were written by tables of rules, not by clinicians or a model');
  const unjudged = s.verdicts.filter((v) => v.verdict === 'unjudged').reduce((n, v) => n + v.n, 0);
  if (unjudged > 0) out.push(`${unjudged} verdicts of the critic could not be read and passed nothing`);
  return out;
}
