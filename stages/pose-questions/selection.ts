/** Treatment selection: the key may be given, every other option has an active restrict rule of the named source. */
import type { Use } from '../../schemas/patient.js';
import type { Rule } from '../../schemas/rule.js';
import type { RandomStream } from '../contract.js';
import { pickDistractors } from './candidates.js';
import type { Composed } from './compose.js';
import { ruleType } from './flips.js';
import { type MakeContext, trigger } from './gf.js';
import { shuffled } from './literals.js';
import type { Scenario } from './scenario-types.js';
import { optionText, statesUse } from './use-words.js';

const RESTRICTED = 3;
const ALLOWED = 1;

/** One item for the patient of a rule that several drugs of the source must not be given to. */
export function selectionItem(c: MakeContext, rule: Rule): Composed {
  const label = `selection ${rule.rule_id}`;
  const random = c.random(label);
  const s = trigger(c.world, rule, random);
  if (statesUse(s.use)) return { why: 'the use of the drug decides' };
  const restricted = restrictedDrugs(c, rule, s, random);
  if (restricted.length < RESTRICTED) return { why: 'too few restricted drugs for this patient' };
  const is_none = random.below(6) === 0;
  const bad = restricted.slice(0, is_none ? RESTRICTED + ALLOWED : RESTRICTED);
  const good = is_none ? [] : allowedDrugs(c, rule, s, bad, random);
  if (good === null) return { why: 'too few proved distractors' };
  const uses = shuffled([...bad, ...good], random);
  const verdicts = uses.map((u) => c.world.judge(rule.source_id, s.patient, u));
  for (const u of good) c.balance.key(u.drug);
  for (const u of bad) c.balance.distractor(u.drug);
  return {
    draft: {
      config: 'gf',
      decision_type: 'selection',
      operation: 'combination check or selection',
      information_type: ruleType(rule),
      profile: s.profile,
      rule,
      texts: uses.map(optionText),
      kind: 'drug',
      handling_of: uses.map(() => null),
      members: [
        {
          role: null,
          patient: s.patient,
          uses,
          keys: uses.flatMap((u, i) => (good.includes(u) ? [i] : [])),
          watch: [...new Set(verdicts.flatMap((v) => ('watch' in v ? v.watch : [])))].sort(),
          rule_id: rule.rule_id,
        },
      ],
      changes: [],
      drug: s.use.drug,
      wording: random.below(1000),
      label,
    },
  };
}

function restrictedDrugs(c: MakeContext, rule: Rule, s: Scenario, random: RandomStream): Use[] {
  const out = [s.use];
  const parts = new Set(c.world.knowledge.drugs.ingredients(s.use.drug));
  const others = shuffled([...c.world.rules.values()], random)
    .filter((r) => r.source_id === rule.source_id && r.action.polarity === 'restrict' && r.is_usable)
    .flatMap((r) => r.target.flatMap((ref) => c.world.listed(ref, r.source_id).slice(0, 3)));
  for (const drug of new Set(others)) {
    if (out.length > RESTRICTED) break;
    if (s.patient.medications.some((m) => m.drug === drug) || c.world.isForOtherSex(drug, s.patient))
      continue;
    if (c.world.knowledge.drugs.ingredients(drug).some((i) => parts.has(i))) continue;
    const use = c.world.ordinaryUse(drug);
    if (c.world.judge(rule.source_id, s.patient, use).is !== 'key') continue;
    out.push(use);
    for (const i of c.world.knowledge.drugs.ingredients(drug)) parts.add(i);
  }
  return shuffled(out, random);
}

function allowedDrugs(
  c: MakeContext,
  rule: Rule,
  s: Scenario,
  bad: readonly Use[],
  random: RandomStream,
): Use[] | null {
  return pickDistractors({
    world: c.world,
    source_id: rule.source_id,
    profile: s.profile,
    patients: [s.patient],
    taken: bad.map((u) => u.drug),
    n: ALLOWED + (random.below(3) === 0 ? 1 : 0),
    balance: c.balance,
    random,
    keyTexts: bad.map(optionText),
    needsUse: false,
  });
}
