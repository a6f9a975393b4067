/**
 * The loop of one moment: check and judge the new attempts, write again what did not pass, until every drug has a chain
 * that passes, one is rejected, or the attempts are used up.
 */
import type { ChainProblem } from '../../schemas/rxeval.js';
import type { Chain, Complaint } from '../lib/chains/chain.js';
import type { Origin } from '../lib/chains/chain-row.js';
import { checkChain, contradictions } from '../lib/grounding/checks-chain.js';
import type { Moment } from '../lib/record/moment.js';
import type { Judgement, MomentJudgement } from './critic.js';

/** A chain with where it comes from. */
export interface Attempt extends Omit<Origin, 'author'> {
  readonly chain: Chain;
}

/** One verdict of the history. */
export interface Entry extends Judgement {
  readonly attempt: Attempt;
  readonly judge: 'checks' | 'critic';
}

export interface LoopResult {
  /** `accepted`, or why the moment ended. */
  readonly reason: string;
  readonly attempts: readonly Attempt[];
  readonly history: readonly Entry[];
}

export interface LoopTools {
  readonly moment: Moment;
  readonly attempts_max: number;
  /** New chains for complaints; a drug that is left out cannot be written again. */
  rewrite(
    complaints: readonly Complaint[],
    before: readonly Entry[],
  ): Promise<readonly Omit<Attempt, 'attempt_n'>[]>;
  /** Null without a critic. */
  readonly judge: ((chains: readonly Chain[], judged: readonly Chain[]) => Promise<MomentJudgement>) | null;
}

/** Runs the loop from first attempts. */
export async function runLoop(tools: LoopTools, drafts: readonly Attempt[]): Promise<LoopResult> {
  const current = new Map(drafts.map((a) => [a.chain.order_id, a]));
  const passed = new Set<string>();
  const history: Entry[] = [];
  const end = (reason: string): LoopResult => ({ reason, attempts: [...current.values()], history });
  for (;;) {
    const fresh = [...current.values()].filter((a) => !passed.has(a.chain.order_id));
    const round = await judgeRound(tools, [...current.values()], fresh);
    history.push(...round.entries);
    const over = endOf(round, fresh);
    if (over) return end(over);
    const failed = fresh.filter((a) => !passes(round.entries, a));
    for (const a of fresh) if (!failed.includes(a)) passed.add(a.chain.order_id);
    if (failed.length === 0) return end('accepted');
    const spent = failed.find((a) => a.attempt_n >= tools.attempts_max);
    if (spent) return end(reasonOf('not_passed', spent, round.entries));
    const complaints = failed.map((a) => complaintOf(a, round.entries));
    const rewritten = await tools.rewrite(complaints, history);
    for (const a of failed) {
      const next = rewritten.find((r) => r.chain.order_id === a.chain.order_id);
      if (!next) return end(reasonOf('no_further_chain', a, round.entries));
      current.set(a.chain.order_id, { ...next, attempt_n: a.attempt_n + 1 });
    }
  }
}

interface Round {
  readonly entries: readonly Entry[];
  readonly overall: MomentJudgement['overall'];
}

/** Checks of all new attempts, and beside them the critic on those that are not empty. */
async function judgeRound(
  tools: LoopTools,
  all: readonly Attempt[],
  fresh: readonly Attempt[],
): Promise<Round> {
  const against = contradictions(all.map((a) => a.chain));
  const checks = fresh.map((attempt): Entry => {
    const { chain } = attempt;
    const issues = [...checkChain(tools.moment, chain), ...(against.get(chain.order_id) ?? [])];
    const verdict = issues.length === 0 ? 'PASS' : 'REVISE';
    return { attempt, judge: 'checks', verdict, issues, feedback: feedbackOf(issues), llm: null };
  });
  const judged = fresh.filter((a) => a.chain.steps.length > 0).map((a) => a.chain);
  if (!tools.judge || judged.length === 0) return { entries: checks, overall: 'PASS' };
  const said = await tools.judge(
    all.map((a) => a.chain),
    judged,
  );
  const critic = fresh.flatMap((attempt): Entry[] => {
    const judgement = said.drugs.get(attempt.chain.order_id);
    return judgement ? [{ attempt, judge: 'critic', ...judgement }] : [];
  });
  return { entries: [...checks, ...critic], overall: said.overall };
}

const feedbackOf = (issues: readonly ChainProblem[]): string =>
  issues.map((i) => `${i.step === null ? 'chain' : `step ${i.step}`}: ${i.type}, ${i.detail}`).join('; ');

/** A REJECT of the moment or of a drug ends it at once; so does a critic who cannot be understood. */
function endOf({ entries, overall }: Round, fresh: readonly Attempt[]): string | null {
  const rejected = entries.find((e) => e.verdict === 'REJECT');
  if (rejected) return `rejected:${rejected.issues[0]?.type ?? 'no_issue_named'}`;
  if (overall === 'REJECT') return 'rejected:moment';
  const isUnjudged = entries.some((e) => e.verdict === 'unjudged');
  // A chain that failed the checks is written again whatever the critic would have said.
  return isUnjudged && fresh.every((a) => checksPass(entries, a)) ? 'unjudged' : null;
}

const entriesOf = (entries: readonly Entry[], attempt: Attempt): Entry[] =>
  entries.filter((e) => e.attempt === attempt);

const checksPass = (entries: readonly Entry[], attempt: Attempt): boolean =>
  entriesOf(entries, attempt).some((e) => e.judge === 'checks' && e.verdict === 'PASS');

const passes = (entries: readonly Entry[], attempt: Attempt): boolean =>
  entriesOf(entries, attempt).every((e) => e.verdict === 'PASS');

function complaintOf({ chain }: Attempt, entries: readonly Entry[]): Complaint {
  const about = entries.filter((e) => e.attempt.chain === chain);
  const feedback = about.map((e) => e.feedback).filter(Boolean);
  return {
    order_id: chain.order_id,
    drug_class: chain.drug_class,
    attempt: chain,
    issues: about.flatMap((e) => e.issues),
    feedback: feedback.join('\n'),
  };
}

/** An end that names its first issue; a drug without any chain is named, since that is what the tables lack. */
function reasonOf(word: string, attempt: Attempt, entries: readonly Entry[]): string {
  const type = entriesOf(entries, attempt).flatMap((e) => e.issues)[0]?.type ?? 'unjudged';
  return type === 'empty_chain' ? `no_evidence:${attempt.chain.order_id}` : `${word}:${type}`;
}
