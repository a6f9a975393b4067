/** A verdict in words and as JSON: the predicates that decided. */
import type { RuleVerdict } from './apply.js';
import type { Verdict } from './evaluate.js';
import { not, type Truth } from './truth.js';

/** One predicate that decided. `part` is a JSON pointer into the rule. */
export interface Reason {
  readonly part: string;
  readonly asked: string;
  readonly got: string;
  readonly truth: Truth;
}

export interface Explanation {
  readonly rule_id: string;
  readonly truth: Truth;
  readonly about: string;
  readonly because: readonly Reason[];
  readonly words: string;
}

/**
 * A smallest set of predicates that makes the node what it is: of a group that holds as many holding parts as it needs, of
 * one that fails as many failing parts as rule it out (the first ones, as printed), of an unknown one every unknown part.
 */
export function deciding(v: Verdict): Verdict[] {
  if (v.parts.length === 0) return v.needs === null ? [v] : [];
  if (v.needs === null) return v.parts.flatMap(deciding);
  const same = v.parts.filter((p) => p.truth === v.truth);
  const enough =
    v.truth === 'true' ? v.needs : v.truth === 'false' ? v.parts.length - v.needs + 1 : same.length;
  return same.slice(0, enough).flatMap(deciding);
}

const WORDS: Readonly<Record<Truth, string>> = { true: 'active', false: 'not active', unknown: 'undecided' };

/** Explains a verdict on a rule. */
export function explain(v: RuleVerdict): Explanation {
  const parts: [string, Verdict, Truth][] = [
    ['/target', v.target, v.target.truth],
    ['/population', v.population, v.population.truth],
    ['/when', v.when, v.when.truth],
    ...v.unless.map((u, i): [string, Verdict, Truth] => [`/unless/${i}`, u, not(u.truth)]),
  ];
  const same = parts.filter(([, , truth]) => truth === v.truth);
  const because = (v.truth === 'false' ? same.slice(0, 1) : same).flatMap(([part, verdict]) =>
    deciding(verdict).map(({ asked, got, truth }) => ({ part, asked, got, truth })),
  );
  const { rule_id, truth, about } = v;
  const words = `${rule_id} is ${WORDS[truth]} for ${about}: ${because.map(wordReason).join('; ') || 'always'}`;
  return { rule_id, truth, about, because, words };
}

function wordReason(r: Reason): string {
  const name = r.part === '/target' ? 'drug' : r.part.startsWith('/unless') ? 'exception' : '';
  const is = r.truth === 'true' ? 'holds' : r.truth === 'false' ? 'fails' : 'unknown';
  return `${name ? `${name} ` : ''}${r.asked} ${is}${r.got ? ` (${r.got})` : ''}`;
}
