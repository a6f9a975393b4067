/** Pairs and series: same question and options, exactly the recorded facts changed, and what that does to the answer. */
import { canonicalJson } from '../../../stages/lib/canonical-json.js';
import { Check, type CheckResult } from '../../engine/verify-release.js';
import type { Item } from '../open.js';
import { compareChanges, differences } from './differences.js';

const ROLES: Readonly<Record<string, readonly string[]>> = {
  cf: ['control', 'trigger'],
  irrelevant: ['base', 'changed'],
  switch: ['set_a', 'set_b'],
};

/** `cf` pairs that one rule may have. */
const PAIRS_PER_RULE = 2;

/** Members of each pair, in the order of their ids. */
export function pairsOf(items: readonly Item[]): Map<string, Item[]> {
  const pairs = new Map<string, Item[]>();
  for (const item of items) {
    const { pair_id } = item.answer;
    if (pair_id !== null) pairs.set(pair_id, [...(pairs.get(pair_id) ?? []), item]);
  }
  return pairs;
}

/** All checks of pairs. */
export function checkPairs(items: readonly Item[]): CheckResult[] {
  const whole = new Check('pairs are complete, with one question and one set of options');
  const facts = new Check('members of a pair differ in exactly the recorded facts');
  const answers = new Check('the answer changes with the decisive fact, and with no other');
  const pairs = pairsOf(items);
  for (const item of items)
    whole.expect(
      (item.answer.config === 'gf') === (item.answer.pair_id === null),
      () => `${item.answer.instance_id}: config ${item.answer.config} and pair ${item.answer.pair_id}`,
    );
  for (const [id, members] of pairs) {
    const problem = pairProblem(members);
    whole.expect(problem === null, () => `${id}: ${problem}`);
    for (const wrong of factProblems(members)) facts.expect(wrong === null, () => `${id}: ${wrong}`);
    const keys = new Set(members.map((m) => m.letters.join()));
    const may_change = members[0]!.answer.config !== 'irrelevant';
    answers.expect(keys.size > 1 === may_change, () => `${id}: answers ${[...keys].join(' / ')}`);
  }
  return [whole.result(), facts.result(), answers.result(), checkPairsPerRule(pairs)];
}

function pairProblem(members: readonly Item[]): string | null {
  const [first] = members;
  const { config } = first!.answer;
  const roles = members.map((m) => m.answer.pair_role ?? '').sort();
  if (members.length < 2) return 'one member alone';
  if (ROLES[config] && roles.join() !== ROLES[config].join()) return `roles ${roles.join(', ')}`;
  for (const column of ['config', 'rule_id', 'source_id', 'split', 'decision_type'] as const) {
    const is_free = column === 'rule_id' && config === 'switch';
    if (!is_free && new Set(members.map((m) => m.answer[column])).size > 1)
      return `members differ in ${column}`;
  }
  for (const column of ['question', 'options'] as const)
    if (new Set(members.map((m) => m.question[column])).size > 1) return `members differ in ${column}`;
  return null;
}

/** Problems of every member against the first one; null where there is none. */
function factProblems(members: readonly Item[]): (string | null)[] {
  const first = members.find((m) => isFirst(m, members)) ?? members[0]!;
  return members
    .filter((m) => m !== first)
    .map((m) => {
      const recorded = m.changed ?? (members.length === 2 ? first.changed : null);
      const own = first.changed;
      if (recorded === null) return `${m.answer.instance_id} records no change`;
      if (members.length === 2 && own !== null && canonicalJson(own) !== canonicalJson(recorded))
        return 'the two members record different changes';
      return compareChanges(recorded, differences(first, m));
    });
}

/** The member from whose side changes are told: the trigger, set a, the base; of a series the one without a record. */
const isFirst = (m: Item, members: readonly Item[]): boolean =>
  members.length > 2 ? m.changed === null : ['trigger', 'set_a', 'base'].includes(m.answer.pair_role ?? '');

function checkPairsPerRule(pairs: ReadonlyMap<string, readonly Item[]>): CheckResult {
  const check = new Check(`at most ${PAIRS_PER_RULE} counterfactual pairs of one rule`);
  const counts = new Map<string, number>();
  for (const [first] of pairs.values()) {
    const { config, rule_id } = first!.answer;
    if (config === 'cf') counts.set(rule_id, (counts.get(rule_id) ?? 0) + 1);
  }
  for (const [rule, n] of counts) check.expect(n <= PAIRS_PER_RULE, () => `${rule} has ${n}`);
  return check.result();
}
