/** Chooses distractors so that ways of going wrong, classes and drugs are spread over all moments. */
import { STRATEGIES } from '../../../schemas/rxeval.js';
import { sha256 } from '../hash.js';
import type { Candidate } from './pool.js';

/** What the choice weighs. A repeated way counts for as much as a drug that stands once more than the mean. */
const WEIGHT = {
  drug: 1.5,
  strategy: 1,
  strategyOverall: 0.5,
  drug_class: 0.7,
  notIndicated: 0.3,
  looseTie: 0.4,
} as const;

/** Uses so far. Moments must come in a fixed order. */
export class Usage {
  readonly #drugs = new Map<string, number>();
  readonly #strategies = new Map<string, number>();
  #total = 0;

  add({ ingredient, idea: { strategy } }: Candidate): void {
    this.#drugs.set(ingredient, (this.#drugs.get(ingredient) ?? 0) + 1);
    this.#strategies.set(strategy, (this.#strategies.get(strategy) ?? 0) + 1);
    this.#total++;
  }

  /** Uses of a drug over the mean of all drugs used. */
  drugRatio(ingredient: string): number {
    return this.#ratio(this.#drugs, ingredient, this.#drugs.size);
  }

  /** Uses of a strategy over the mean of all strategies. */
  strategyRatio(strategy: string): number {
    return this.#ratio(this.#strategies, strategy, STRATEGIES.length);
  }

  #ratio(counts: ReadonlyMap<string, number>, key: string, kinds_n: number): number {
    return this.#total === 0 ? 0 : ((counts.get(key) ?? 0) * kinds_n) / this.#total;
  }

  /** Share of the most used drug. */
  topShare(): number {
    return this.#total === 0 ? 0 : Math.max(...this.#drugs.values()) / this.#total;
  }
}

export interface Picking {
  readonly n: number;
  /** Seed and moment: decides between equals. */
  readonly label: string;
  readonly usage: Usage;
}

/** Up to `n` candidates of different drugs, best spread first; the usage counts them when there are `n`. */
export function pick(candidates: readonly Candidate[], { n, label, usage }: Picking): Candidate[] {
  const chosen: Candidate[] = [];
  while (chosen.length < n) {
    const best = candidates
      .filter((c) => !chosen.some((x) => x.ingredient === c.ingredient))
      .map((c) => ({ c, cost: costOf(c, chosen, usage), tie: tieOf(c, label) }))
      .sort((a, b) => a.cost - b.cost || (a.tie < b.tie ? -1 : 1))[0];
    if (!best) break;
    chosen.push(best.c);
  }
  if (chosen.length === n) for (const c of chosen) usage.add(c);
  return chosen;
}

function costOf(c: Candidate, chosen: readonly Candidate[], usage: Usage): number {
  const same = (is: (x: Candidate) => boolean): number => chosen.filter(is).length;
  return (
    WEIGHT.drug * usage.drugRatio(c.ingredient) +
    WEIGHT.strategyOverall * usage.strategyRatio(c.idea.strategy) +
    WEIGHT.strategy * same((x) => x.idea.strategy === c.idea.strategy) +
    WEIGHT.drug_class * same((x) => x.drug_class === c.drug_class) +
    (c.idea.claims[0]?.kind === 'not_indicated' ? WEIGHT.notIndicated : 0) +
    // A purpose in common is a looser tie than a class, a condition or the drug that takes its place.
    (c.tie === 'goal' ? WEIGHT.looseTie : 0)
  );
}

const tieOf = (c: Candidate, label: string): string =>
  sha256(
    [label, c.idea.drug, c.idea.route, c.idea.strategy, c.idea.targets_order_id, c.idea.rule_id].join(
      '\u001f',
    ),
  );
