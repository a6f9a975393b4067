/** A condition as a list of predicates that must be true or false: one way, among several, to make it hold or fail. */
import type { Condition, Predicate } from '../../schemas/condition.js';
import type { RandomStream } from '../contract.js';

export interface Literal {
  readonly predicate: Predicate;
  readonly want: boolean;
}

/**
 * Chooses one way to make `c` true or false. Of an `any` that must hold one branch holds and the others fail; of an `all`
 * that must fail one part fails and the others hold, so that a single fact decides.
 */
export function literals(c: Condition, want: boolean, random: RandomStream): Literal[] {
  switch (c.type) {
    case 'not':
      return literals(c.of, !want, random);
    case 'all':
      return want ? c.of.flatMap((p) => literals(p, true, random)) : failed(c.of, random);
    case 'any':
      return want ? onlyOne(c.of, true, random) : c.of.flatMap((p) => literals(p, false, random));
    case 'at_least': {
      const chosen = choose(c.of.length, want ? c.n : c.n - 1, random);
      return c.of.flatMap((p, i) => literals(p, chosen.has(i), random));
    }
    default:
      return [{ predicate: c, want }];
  }
}

/** An `all` that must fail. A use that is part of it is another one; otherwise one part fails and the others hold. */
function failed(parts: readonly Condition[], random: RandomStream): Literal[] {
  const uses = parts.filter((p) => p.type === 'use');
  const decisive = uses.find((p) => p.facet === 'indication') ?? uses[0];
  return decisive ? [{ predicate: decisive, want: false }] : onlyOne(parts, false, random);
}

/** One part gets `want`, the others the opposite. */
function onlyOne(parts: readonly Condition[], want: boolean, random: RandomStream): Literal[] {
  if (parts.length === 0) return [];
  const one = random.below(parts.length);
  return parts.flatMap((p, i) => literals(p, i === one ? want : !want, random));
}

/** `n` distinct indices below `of`. */
export function choose(of: number, n: number, random: RandomStream): ReadonlySet<number> {
  const left = Array.from({ length: of }, (_, i) => i);
  const out = new Set<number>();
  while (out.size < n && left.length > 0) out.add(left.splice(random.below(left.length), 1)[0]!);
  return out;
}

/** A seeded order of a list (Fisher-Yates). */
export function shuffled<T>(list: readonly T[], random: RandomStream): T[] {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}
