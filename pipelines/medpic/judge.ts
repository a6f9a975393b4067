/** Which options are right, computed again from the structured patient and the rules of the release alone. */
import type { Option } from '../../schemas/medpic.js';
import type { Use } from '../../schemas/patient.js';
import { applyRule, type RuleVerdict } from '../../stages/lib/rules/apply.js';
import { explain } from '../../stages/lib/rules/explain.js';
import { isNamed } from '../../stages/lib/rules/target.js';
import { currentRules, type Item, type OpenRelease, type ReleasedRule } from './open.js';

/** What the rules say about one candidate. */
export interface Standing {
  readonly active: readonly Ruling[];
  /** Neither true nor false: such a candidate proves nothing. */
  readonly unknown: readonly Ruling[];
}

export interface Ruling {
  readonly rule: ReleasedRule;
  readonly verdict: RuleVerdict;
}

/** Right, proved wrong, or neither with the reason. */
export type Judgement = { readonly is: 'right' | 'wrong' } | { readonly is: 'neither'; readonly why: string };

/** Judges options under all rules in force; what a drug cannot be a target of is left out at once. */
export class Judge {
  readonly #release: OpenRelease;
  readonly #rules: readonly ReleasedRule[];
  readonly #byDrug = new Map<string, readonly ReleasedRule[]>();

  constructor(release: OpenRelease) {
    this.#release = release;
    this.#rules = currentRules(release).filter((r) => r.action.polarity !== 'neutral');
  }

  /** Rules that are active or undecided for a candidate. */
  standing(item: Item, candidate: Use): Standing {
    const { knowledge } = this.#release;
    const rulings = this.#rulesOf(candidate.drug).map((rule) => ({
      rule,
      verdict: applyRule(rule, { patient: item.patient, candidate }, knowledge),
    }));
    return {
      active: rulings.filter((r) => r.verdict.truth === 'true'),
      unknown: rulings.filter((r) => r.verdict.truth === 'unknown'),
    };
  }

  /** One option of an item; None is judged by the others. */
  judge(item: Item, option: Option): Judgement {
    if (option.use === null) return { is: 'neither', why: 'no use' };
    const s = this.standing(item, option.use);
    if (option.kind === 'handling') return this.#handling(item, option, s);
    const against = s.active.filter(limits);
    const open = s.unknown.find(limits);
    const restricted = against.filter(
      ({ rule }) => rule.action.polarity === 'restrict' && rule.source_id === item.answer.source_id,
    );
    const is_selection = item.answer.decision_type === 'selection';
    if (restricted.length > 0) return { is: is_selection ? 'wrong' : 'right' };
    if (against[0]) return { is: 'neither', why: explain(against[0].verdict).words };
    if (open) return { is: 'neither', why: explain(open.verdict).words };
    return { is: is_selection ? 'right' : 'wrong' };
  }

  /** A handling is right when its own rule is active; the usual one, when no rule limits the drug. */
  #handling(item: Item, option: Option, s: Standing): Judgement {
    const mine = (r: Ruling): boolean => r.rule.source_id === item.answer.source_id && limits(r);
    const open = s.unknown.find(mine);
    if (open) return { is: 'neither', why: explain(open.verdict).words };
    const active = s.active.filter(mine);
    if (option.handling_of === null) return { is: active.length === 0 ? 'right' : 'wrong' };
    return { is: s.active.some((r) => r.rule.rule_id === option.handling_of) ? 'right' : 'wrong' };
  }

  /** Only a rule on a combination can be about a drug that is none of its targets. */
  #rulesOf(drug: string): readonly ReleasedRule[] {
    const known = this.#byDrug.get(drug);
    if (known) return known;
    const { drugs } = this.#release.knowledge;
    const found = this.#rules.filter(
      (r) =>
        r.action.object === 'combination' || r.target.some((ref) => isNamed(drug, ref, drugs) !== 'false'),
    );
    this.#byDrug.set(drug, found);
    return found;
  }
}

const limits = ({ rule }: Ruling): boolean =>
  rule.action.polarity === 'restrict' || rule.action.polarity === 'change';

/** The letters that the rules give, and what cannot be proved. */
export function expectedAnswer(
  judge: Judge,
  item: Item,
): { readonly letters: readonly string[]; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const letters: string[] = [];
  for (const option of item.options.filter((o) => o.kind !== 'none')) {
    const judged = judge.judge(item, option);
    if (judged.is === 'right') letters.push(option.letter);
    if (judged.is === 'neither')
      problems.push(`${option.letter} (${option.text}) is neither right nor proved wrong: ${judged.why}`);
  }
  const none = item.options.find((o) => o.kind === 'none');
  if (letters.length === 0 && none) letters.push(none.letter);
  return { letters: letters.sort(), problems };
}
