/** A condition against a structured patient and one candidate: true, false or unknown, with the reason. */
import type { Condition } from '../../../schemas/condition.js';
import type { Patient, Use } from '../../../schemas/patient.js';
import type { Knowledge } from './knowledge.js';
import { test } from './predicates.js';
import { atLeast, not, type Truth } from './truth.js';
import { wordPredicate } from './words.js';

/** One node of an explanation. `asked` says what was tested, `got` what the patient has. */
export interface Verdict {
  readonly asked: string;
  readonly truth: Truth;
  readonly got: string;
  readonly parts: readonly Verdict[];
  /** How many parts must hold; null for a predicate and for `not`. */
  readonly needs: number | null;
}

export interface Case {
  readonly patient: Patient;
  readonly candidate: Use;
}

/** What a predicate found. */
export interface Finding {
  readonly truth: Truth;
  readonly got: string;
}

/** Evaluates a condition. */
export function evaluate(condition: Condition, c: Case, k: Knowledge): Verdict {
  switch (condition.type) {
    case 'all':
    case 'any':
    case 'at_least': {
      const parts = condition.of.map((part) => evaluate(part, c, k));
      return group(condition.type === 'at_least' ? condition.n : condition.type, parts);
    }
    case 'not': {
      const part = evaluate(condition.of, c, k);
      return { asked: 'not', truth: not(part.truth), got: '', parts: [part], needs: null };
    }
    default: {
      const { truth, got } = test(condition, c, k);
      return { asked: wordPredicate(condition), truth, got, parts: [], needs: null };
    }
  }
}

/** A node that holds when all, any, or at least so many of its parts hold. */
export function group(how: 'all' | 'any' | number, parts: readonly Verdict[], asked?: string): Verdict {
  const needs = how === 'all' ? parts.length : how === 'any' ? 1 : how;
  const words = typeof how === 'number' ? `at least ${how} of ${parts.length}` : how;
  const truth = atLeast(
    needs,
    parts.map((p) => p.truth),
  );
  return { asked: asked ?? words, truth, got: '', parts, needs };
}
