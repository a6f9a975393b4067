/** The author without a model: picks among what the tables can prove. */

import { checkDistractor, type DistractorCase } from '../grounding/checks-distractor.js';
import type { Distractor } from '../grounding/distractor.js';
import { distractorId } from '../grounding/distractor.js';
import { pick, type Usage } from './pick.js';
import { type Candidate, candidatesOf } from './pool.js';

export interface Asked {
  readonly n: number;
  readonly attempt_n: number;
  readonly label: string;
  readonly usage: Usage;
  /** Ingredients that were offered before. */
  readonly without?: ReadonlySet<string>;
}

export interface Authored {
  readonly distractors: readonly Distractor[];
  /** Everything that could be chosen. */
  readonly candidates: readonly Candidate[];
}

/** Up to `n` distractors for a moment, each through the checks that everybody's distractors go through. */
export function authorByRules(c: DistractorCase, asked: Asked): Authored {
  const seen = asked.without ?? new Set<string>();
  const candidates = candidatesOf(c).filter(
    (k) => !seen.has(k.ingredient) && checkDistractor(distractorOf(k, c, asked), c).verdict === 'GOOD',
  );
  const chosen = pick(candidates, asked);
  return { distractors: chosen.map((k) => distractorOf(k, c, asked)), candidates };
}

function distractorOf(k: Candidate, { moment }: DistractorCase, { attempt_n }: Asked): Distractor {
  const { timepoint_id } = moment.timepoint;
  return {
    ...k.idea,
    timepoint_id,
    distractor_id: distractorId(timepoint_id, k.ingredient, k.idea),
    attempt_n,
    author: 'rules',
    llm: null,
  };
}
