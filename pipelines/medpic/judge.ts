/** Which options are right, computed again from the structured patient and the rules of the release alone. */
import type { Option } from '../../schemas/medpic.js';
import type { Rule } from '../../schemas/rule.js';
import type { RuleVerdict } from '../../stages/lib/rules/apply.js';
import { type Standing, standing } from '../../stages/lib/rules/coverage.js';
import { explain } from '../../stages/lib/rules/explain.js';
import type { Item, OpenRelease } from './open.js';

/** Right, proved wrong, or neither with the reason. */
export type Judgement =
  | { readonly is: 'right' | 'wrong'; readonly basis: Standing['basis'] }
  | { readonly is: 'neither'; readonly why: string };

/** Judges one option of an item; None is judged by the others. */
export function judgeOption(r: OpenRelease, item: Item, option: Option): Judgement {
  if (option.use === null) return { is: 'neither', why: 'no use' };
  const s = standing({ patient: item.patient, candidate: option.use }, r.bench.book);
  const ruleOf = (v: RuleVerdict): Rule => r.bench.rules.get(v.rule_id)!;
  // Advice about an act (stopping at once) says nothing of giving the drug.
  const about_drug = (v: RuleVerdict): boolean => ruleOf(v).action.object !== 'act';
  const active = s.active.filter(about_drug);
  const open = s.undecided.filter(about_drug);
  if (option.kind === 'handling') return judgeHandling(r, { item, option, active, open, ruleOf });
  const is_selection = item.answer.decision_type === 'selection';
  const restricted = active.map(ruleOf).some((x) => x.action.polarity === 'restrict' && isNamed(x, item));
  if (restricted) return { is: is_selection ? 'wrong' : 'right', basis: null };
  const doubt = active[0] ?? open[0];
  if (doubt) return { is: 'neither', why: explain(doubt).words };
  if (s.standing === 'unknown' && s.silent.length > 0)
    return { is: 'neither', why: `no rule of ${s.silent.join(', ')}, which is partial` };
  return { is: is_selection ? 'right' : 'wrong', basis: s.basis };
}

/** The rule is one of the source that the question names. */
const isNamed = (rule: Rule, item: Item): boolean => rule.source_id === item.answer.source_id;

interface Handled {
  readonly item: Item;
  readonly option: Option;
  readonly active: readonly RuleVerdict[];
  readonly open: readonly RuleVerdict[];
  readonly ruleOf: (v: RuleVerdict) => Rule;
}

/** Two rules that ask for one handling, as both ends of a band do (avoid under 15 and over 95 mL/min). */
const asksTheSame = (a: Rule, b: Rule): boolean =>
  a.action.kind === b.action.kind && a.action.dose_text === b.action.dose_text;

/** A handling is right when an active rule asks for it; the usual one, when no rule of the source limits the drug. */
function judgeHandling(r: OpenRelease, { item, option, active, open, ruleOf }: Handled): Judgement {
  const mine = (v: RuleVerdict): boolean => isNamed(ruleOf(v), item);
  const doubt = open.find(mine);
  if (doubt) return { is: 'neither', why: explain(doubt).words };
  const holding = active.filter(mine).map(ruleOf);
  const own = option.handling_of === null ? null : r.bench.rules.get(option.handling_of);
  const is_right = own === null ? holding.length === 0 : holding.some((x) => own && asksTheSame(x, own));
  return { is: is_right ? 'right' : 'wrong', basis: 'rules' };
}

export interface Expected {
  readonly letters: readonly string[];
  readonly problems: readonly string[];
  /** Options that rest on the list of neutral drugs: checked, not proved. */
  readonly neutral_n: number;
}

/** The letters that the rules give, and what cannot be proved. */
export function expectedAnswer(r: OpenRelease, item: Item): Expected {
  const problems: string[] = [];
  const letters: string[] = [];
  let neutral_n = 0;
  for (const option of item.options.filter((o) => o.kind !== 'none')) {
    const judged = judgeOption(r, item, option);
    if (judged.is === 'right') letters.push(option.letter);
    if (judged.is !== 'neither' && judged.basis === 'neutral_list') neutral_n += 1;
    if (judged.is === 'neither')
      problems.push(`${option.letter} (${option.text}) is neither right nor proved wrong: ${judged.why}`);
  }
  const none = item.options.find((o) => o.kind === 'none');
  if (letters.length === 0 && none) letters.push(none.letter);
  return { letters: letters.sort(), problems, neutral_n };
}
