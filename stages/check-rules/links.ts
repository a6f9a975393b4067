/** Links between rules on one drug: the same said twice, one inside the other, two sources that differ. */
import type { LINKS } from '../../schemas/check.js';
import type { Condition } from '../../schemas/condition.js';
import type { Rule } from '../../schemas/rule.js';
import { canBothHold, implies } from '../lib/rules/alternatives.js';
import { wordBounds } from '../lib/rules/bounds.js';
import type { Concepts } from '../lib/rules/concepts.js';
import { activeWhen, isWithin, type RulePair, scopeOf } from './shared-drugs.js';

export interface Link {
  readonly rule_id: string;
  readonly other_rule_id: string;
  readonly link: (typeof LINKS)[number];
  readonly shared: readonly string[];
  readonly is_class_and_member: boolean;
  readonly difference: string | null;
}

/** Polarities that decide about a drug; rules that only watch are linked within their source, not between sources. */
const DECIDES: readonly string[] = ['restrict', 'change', 'neutral'];

/** The link of a pair; none for rules that have nothing to do with each other but the drug. */
export function linkOf(pair: RulePair, concepts: Concepts): Link[] {
  const { a, b } = pair;
  if (a.source_id !== b.source_id) return linkSources(pair, concepts);
  if (a.action.polarity !== b.action.polarity) return [];
  const forth = liesIn(pair, 'a', concepts);
  const back = liesIn(pair, 'b', concepts);
  if (forth && back) return [link(pair, a, b, 'same', null)];
  if (forth) return [link(pair, a, b, 'nested', null)];
  return back ? [link(pair, b, a, 'nested', null)] : [];
}

/** Whenever the one holds, for a drug that both name, the other does; exceptions left aside. */
function liesIn({ a, b, shared }: RulePair, which: 'a' | 'b', concepts: Concepts): boolean {
  const [inner, outer] = which === 'a' ? [a, b] : [b, a];
  const isDrugWithin = shared.some((s) => (which === 'a' ? isWithin(s.a, s.b) : isWithin(s.b, s.a)));
  return isDrugWithin && implies(scopeOf(inner), scopeOf(outer), concepts);
}

function link(pair: RulePair, from: Rule, to: Rule, kind: Link['link'], difference: string | null): Link {
  return {
    rule_id: from.rule_id,
    other_rule_id: to.rule_id,
    link: kind,
    shared: [...new Set(pair.shared.map((s) => s.drug))],
    is_class_and_member: pair.shared.some((s) => (s.a.kind === 'class') !== (s.b.kind === 'class')),
    difference,
  };
}

/** Two sources that decide about a drug for one patient by the same number and do not say the same. */
function linkSources(pair: RulePair, concepts: Concepts): Link[] {
  const { a, b } = pair;
  if (!DECIDES.includes(a.action.polarity) || !DECIDES.includes(b.action.polarity)) return [];
  if (!canBothHold(scopeOf(a), scopeOf(b), concepts)) return [];
  const [x, y] = [edgesOf(a.when), edgesOf(b.when)];
  const both = [...x.keys()].filter((name) => y.has(name)).sort();
  const words = both
    .filter((name) => x.get(name) !== y.get(name) || a.action.kind !== b.action.kind)
    .map(
      (name) =>
        `${name} ${x.get(name)}: ${a.action.kind} (${a.source_id}); ${y.get(name)}: ${b.action.kind} (${b.source_id})`,
    );
  return words.length === 0 ? [] : [link(pair, a, b, 'other_source', words.join(' | '))];
}

/** Bounds in words by what they are of (`CrCl`, `age`, `gestation`). */
function edgesOf(c: Condition, out = new Map<string, string>()): Map<string, string> {
  if (c.type === 'not') edgesOf(c.of, out);
  else if ('of' in c) for (const part of c.of) edgesOf(part, out);
  else if (c.type === 'measure' || c.type === 'age' || c.type === 'gestation') {
    const name = c.type === 'measure' ? c.measure : c.type;
    const before = out.get(name);
    out.set(name, before ? `${before} or ${wordBounds(c.bounds)}` : wordBounds(c.bounds));
  }
  return out;
}

/** True for two rules of one source that bar and free one use of a drug for one patient. */
export function contradicts({ a, b }: RulePair, concepts: Concepts): boolean {
  // A usual dose is given as long as nothing else holds; where it meets another dose, the ladders say so.
  const frees = (r: Rule): boolean =>
    r.action.polarity === 'neutral' && r.action.kind !== 'state normal dose';
  const bars = (r: Rule): boolean => r.action.polarity === 'restrict' || r.action.polarity === 'change';
  const isOpposite = (frees(a) && bars(b)) || (bars(a) && frees(b));
  return a.source_id === b.source_id && isOpposite && canBothHold(activeWhen(a), activeWhen(b), concepts);
}
