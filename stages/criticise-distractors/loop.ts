/** The loop of one moment: check, judge, keep what is good, have the rest written again. */
import type { Proof } from '../../schemas/rxeval.js';
import type { SqlRow } from '../contract.js';
import type { Refused } from '../lib/distractors/prompt.js';
import { checkDistractor, type DistractorCase } from '../lib/grounding/checks-distractor.js';
import { type Distractor, rowOf } from '../lib/grounding/distractor.js';
import type { Config } from './config.js';
import type { Judged } from './critic.js';

/** What is still wanted. */
export interface Wanted {
  readonly n: number;
  readonly attempt_n: number;
  readonly kept: readonly Distractor[];
  readonly refused: readonly Refused[];
}

export interface Loop {
  readonly config: Config;
  /** Null without a critic. */
  readonly judge:
    | ((c: DistractorCase, list: readonly Distractor[]) => Promise<ReadonlyMap<string, Judged>>)
    | null;
  /** Writes again; an empty list where the author has nothing more to offer in this attempt. */
  readonly author: (c: DistractorCase, wanted: Wanted) => Promise<readonly Distractor[]>;
  /** False for an author who offers nothing new when asked once more. */
  readonly mayRepeat: boolean;
}

export interface Good {
  readonly distractor: Distractor;
  readonly proofs: readonly Proof[];
}

export interface Outcome {
  readonly timepoint_id: string;
  readonly good: readonly Good[];
  readonly verdicts: readonly SqlRow[];
  readonly is_accepted: boolean;
  readonly reason: string;
  readonly attempts_n: number;
  readonly contradicted_n: number;
  /** All options of the first attempt were good. */
  readonly is_clean: boolean;
}

/** Runs the loop for one moment from its first attempt on. */
export async function runLoop(
  c: DistractorCase,
  drafts: readonly Distractor[],
  loop: Loop,
): Promise<Outcome> {
  const { config } = loop;
  const good: Good[] = [];
  const refused: Refused[] = [];
  const verdicts: SqlRow[] = [];
  let contradicted_n = 0;
  let attempt_n = 1;
  let list: readonly Distractor[] = drafts;
  for (; ; attempt_n++) {
    const round = await judgeRound(c, list, { loop, good, refused, attempt_n });
    verdicts.push(...round.verdicts);
    contradicted_n += round.contradicted_n;
    if (good.length >= config.distractors_n || attempt_n > config.regenerations) break;
    const kept = good.map((g) => g.distractor);
    const wanted = { n: config.distractors_n - good.length, attempt_n: attempt_n + 1, kept, refused };
    list = await loop.author(c, wanted);
    if (list.length === 0 && !loop.mayRepeat) break;
  }
  return {
    timepoint_id: c.moment.timepoint.timepoint_id,
    good,
    verdicts,
    ...decide(good.length, config),
    attempts_n: attempt_n,
    contradicted_n,
    is_clean: attempt_n === 1 && good.length >= config.distractors_n,
  };
}

function decide(good_n: number, config: Config): Pick<Outcome, 'is_accepted' | 'reason'> {
  const enough = config.strictness === 'strict' ? config.distractors_n : config.lenient_min;
  const is_accepted = good_n >= Math.min(enough, config.distractors_n);
  return { is_accepted, reason: is_accepted ? 'accepted' : `too_few:${good_n}` };
}

interface Round {
  readonly loop: Loop;
  readonly good: Good[];
  readonly refused: Refused[];
  readonly attempt_n: number;
}

/** Judges the options of one attempt and sorts them into good and refused. */
async function judgeRound(
  c: DistractorCase,
  list: readonly Distractor[],
  { loop, good, refused, attempt_n }: Round,
): Promise<{ verdicts: SqlRow[]; contradicted_n: number }> {
  const verdicts: SqlRow[] = [];
  const passed: Good[] = [];
  let contradicted_n = 0;
  for (const distractor of list) {
    const beside = [...good, ...passed].map((g) => g.distractor);
    const { verdict, issues, proofs, contradicted_n: n } = checkDistractor(distractor, c, beside);
    contradicted_n += n;
    verdicts.push(
      verdictRow(distractor, attempt_n, { judge: 'checks', verdict, issues, feedback: '', llm: null }),
    );
    if (verdict === 'GOOD') passed.push({ distractor, proofs });
    else refused.push({ distractor, issues, feedback: '' });
  }
  const judged =
    loop.judge && passed.length > 0
      ? await loop.judge(
          c,
          passed.map((p) => p.distractor),
        )
      : null;
  for (const g of passed) {
    const own = judged?.get(g.distractor.distractor_id) ?? null;
    if (own) verdicts.push(verdictRow(g.distractor, attempt_n, { judge: 'critic', ...own }));
    if (own !== null && own.verdict !== 'GOOD')
      refused.push({ distractor: g.distractor, issues: own.issues, feedback: own.feedback });
    else if (good.length < loop.config.distractors_n) good.push(g);
  }
  return { verdicts, contradicted_n };
}

function verdictRow(
  d: Distractor,
  attempt_n: number,
  judged: Judged & { readonly judge: 'checks' | 'critic' },
): SqlRow {
  const { judge, verdict, issues, feedback, llm } = judged;
  const { timepoint_id, distractor_id } = d;
  const attempt = JSON.stringify(rowOf(d));
  return {
    timepoint_id,
    distractor_id,
    attempt_n,
    judge,
    verdict,
    issues: JSON.stringify(issues),
    feedback,
    llm,
    attempt,
  };
}
