/** What one person said about one content over time: copies, repeated and replaced decisions, contradictions. */
import type { LINE_OUTCOMES } from '../../../schemas/review.js';
import type { Problem } from '../../contract.js';
import { type Place, placeText } from './lines.js';

export type LineOutcome = (typeof LINE_OUTCOMES)[number];

/** A decision as history sees it. */
export interface Judgement<L> {
  readonly line: L;
  readonly id: string;
  readonly place: Place;
  /** What is judged (`rule_id` and field, item and criterion), and the hash of the content that was shown. */
  readonly subject: string;
  readonly content: string;
  readonly reviewer_id: string;
  readonly decided_at: string;
  /** Equal text, equal decision. */
  readonly ballot: string;
  readonly supersedes: boolean;
}

/** One person on one content: the first decision and the one that stands. */
export interface Settled<L> {
  readonly first: Judgement<L>;
  readonly standing: Judgement<L>;
}

export interface History<L> {
  readonly settled: readonly Settled<L>[];
  /** Decision id to outcome; what is not here stands and is `counted` or `stale`. */
  readonly outcomes: ReadonlyMap<string, 'duplicate' | 'superseded'>;
  /** Lines that stand more than once, letter for letter. */
  readonly copies_n: number;
  readonly problems: readonly Problem[];
}

/** Sorts out every person's decisions by time; neither files nor the order of lines matter. */
export function settleHistory<L>(judgements: readonly Judgement<L>[]): History<L> {
  const unique = new Map<string, Judgement<L>>();
  for (const j of judgements) {
    if (!unique.has(j.id)) unique.set(j.id, j);
  }
  const groups = new Map<string, Judgement<L>[]>();
  for (const j of unique.values()) {
    const key = JSON.stringify([j.subject, j.reviewer_id, j.content]);
    groups.set(key, [...(groups.get(key) ?? []), j]);
  }
  const outcomes = new Map<string, 'duplicate' | 'superseded'>();
  const problems: Problem[] = [];
  const settled = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => settleGroup(group, outcomes, problems));
  return { settled, outcomes, problems, copies_n: judgements.length - unique.size };
}

/** By time; of one moment those that replace nothing come first, so that no tie is ever broken by a hash. */
function timeOrder<L>(a: Judgement<L>, b: Judgement<L>): number {
  const key = (j: Judgement<L>): string => `${j.decided_at} ${j.supersedes ? 1 : 0} ${j.id}`;
  return key(a) < key(b) ? -1 : 1;
}

function settleGroup<L>(
  group: Judgement<L>[],
  outcomes: Map<string, 'duplicate' | 'superseded'>,
  problems: Problem[],
): Settled<L> {
  const [first, ...later] = group.sort(timeOrder) as [Judgement<L>, ...Judgement<L>[]];
  if (first.supersedes) problems.push(nothingToReplace(first));
  let standing = first;
  for (const next of later) {
    if (next.ballot === standing.ballot) outcomes.set(next.id, 'duplicate');
    else if (next.supersedes && next.decided_at > standing.decided_at) {
      outcomes.set(standing.id, 'superseded');
      standing = next;
    } else problems.push(decidedTwice(standing, next));
  }
  return { first, standing };
}

function nothingToReplace<L>(j: Judgement<L>): Problem {
  return {
    message: 'a decision replaces an earlier one that is not there',
    file: j.place.file,
    row: j.place.line,
    field: 'supersedes',
    got: `${j.reviewer_id} on ${j.subject}: this is the first decision on this content`,
    expected: 'an earlier decision of the same person on the same content',
    next: 'bring the missing line back, or write the line without supersedes',
  };
}

function decidedTwice<L>(a: Judgement<L>, b: Judgement<L>): Problem {
  const word = (j: Judgement<L>): string => `${j.ballot} at ${placeText(j.place)} (${j.decided_at})`;
  return {
    message: 'a reviewer decided twice on the same content, and differently',
    file: b.place.file,
    row: b.place.line,
    field: 'decision',
    got: `${b.reviewer_id} on ${b.subject}: ${word(a)}; ${word(b)}`,
    expected: 'one decision, or "supersedes": true on the later line, with a later time',
    next: 'ask the reviewer which one holds and append a line with "supersedes": true',
  };
}
