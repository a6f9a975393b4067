/** Dose items: the options are handlings, and exactly one follows from the band that the patient's number lies in. */
import type { Use } from '../../schemas/patient.js';
import type { Rule } from '../../schemas/rule.js';
import { applyRule } from '../lib/rules/apply.js';
import { type Band, type Ladder, ladders } from '../lib/rules/bands.js';
import { parseCondition } from '../lib/rules/expression.js';
import type { Composed } from './compose.js';
import type { MakeContext } from './gf.js';
import { changesBetween, type Member } from './item.js';
import { literals } from './literals.js';
import { isClear } from './numbers.js';
import { capital } from './people.js';
import { buildScenario, triggerLiterals } from './scenario.js';
import type { Scenario } from './scenario-types.js';

const USUAL = 'Give the usual dose unchanged';

/** Words for a band without a printed dose. */
const WORDS: Readonly<Record<string, string>> = {
  'reduce dose': 'Reduce the dose',
  'cap dose or duration': 'Keep to the dose limit',
  contraindicate: 'Do not give it',
  avoid: 'Avoid it',
  'avoid with exception': 'Avoid it',
  'not recommended': 'Do not give it',
  'stop or interrupt': 'Stop it',
  'avoid combination': 'Avoid it',
};

export const handling = (b: Band): string => {
  const is_stop = ['contraindicate', 'avoid', 'not recommended', 'stop or interrupt'].includes(b.action);
  return capital(is_stop || b.dose_text === null ? (WORDS[b.action] ?? b.dose_text ?? USUAL) : b.dose_text);
};

export interface DosePlan {
  readonly ladder: Ladder;
  /** Bands of the members. */
  readonly bands: readonly Band[];
}

/** Single items for every band, and pairs of bands, of ladders that say more than one thing. */
export function planDoses(rules: readonly Rule[]): { single: DosePlan[]; pairs: DosePlan[] } {
  const fit = ladders(rules).filter(
    (l) => l.state.length === 0 && l.drug.kind !== 'class' && new Set(l.bands.map(handling)).size > 1,
  );
  return {
    single: fit.flatMap((ladder) => ladder.bands.map((b) => ({ ladder, bands: [b] }))),
    pairs: fit.flatMap((ladder) =>
      ladder.bands.flatMap((a, i) => ladder.bands.slice(i + 1).map((b) => ({ ladder, bands: [a, b] }))),
    ),
  };
}

/** Makes a planned item or pair. */
export function doseItem(c: MakeContext, plan: DosePlan): Composed {
  const { ladder, bands } = plan;
  const rules = bands.map((b) => c.world.rules.get(b.rule_id)!);
  if (rules.some((r) => !r.is_usable)) return { why: 'a rule of the band may not be asked' };
  const label = `dose ${ladder.source_id} ${bands.map((b) => `${b.rule_id} ${b.bounds.low}`).join(' ')} ${ladder.use.join(';')}`;
  const random = c.random(label);
  const scenarios: Scenario[] = [];
  for (const rule of rules) {
    const like = scenarios[0];
    scenarios.push(
      buildScenario({
        ...c,
        rule,
        ref: ladder.drug,
        drug: ladder.drug.name,
        literals: [
          ...triggerLiterals(rule, random),
          ...ladder.use.flatMap((u) => literals(parseCondition(u), true, random)),
        ],
        random,
        ...(like ? { like } : {}),
      }),
    );
  }
  const why = scenarios.map((s, i) => notDecided(c, s, ladder, bands[i]!)).find((w) => w !== null);
  if (why) return { why };
  const texts = [...new Set(ladder.bands.map(handling))];
  if (!texts.includes(USUAL) && !ladder.bands.some((b) => b.is_usual)) texts.push(USUAL);
  const members = scenarios.map(
    (s, i): Member => ({
      role: bands.length === 1 ? null : i === 0 ? 'set_a' : 'set_b',
      patient: s.patient,
      uses: texts.map(() => s.use),
      keys: [texts.indexOf(handling(bands[i]!))],
      watch: [],
      rule_id: rules[i]!.rule_id,
    }),
  );
  if (bands.length === 2 && members[0]!.keys[0] === members[1]!.keys[0])
    return { why: 'both bands say the same' };
  const changes = members.slice(1).map((m) => changesBetween(members[0]!, m));
  if (changes.some((x) => x.length !== 1)) return { why: 'more than the wanted fact would change' };
  return {
    draft: {
      config: bands.length === 1 ? 'gf' : 'switch',
      decision_type: 'dose',
      operation: bands.length === 1 ? 'threshold and dose' : 'set-to-set switch',
      information_type: 'renal or dose threshold',
      profile: scenarios[0]!.profile,
      rule: rules[0]!,
      texts,
      kind: 'handling',
      // The usual dose follows when no rule of the source limits the drug, so no rule is named for it.
      handling_of: texts.map(
        (t) => ladder.bands.find((b) => !b.is_usual && handling(b) === t)?.rule_id ?? null,
      ),
      members,
      changes,
      drug: drugOf(scenarios[0]!.use),
      wording: random.below(1000),
      label,
    },
  };
}

const drugOf = (use: Use): string =>
  use.form === null
    ? use.drug
    : `${use.form === 'extended_release' ? 'extended' : 'immediate'}-release ${use.drug}`;

/** Exactly the wanted band holds, the number is clear of every edge, and no other rule of the source speaks of the drug. */
function notDecided(c: MakeContext, s: Scenario, ladder: Ladder, band: Band): string | null {
  const value = s.patient.measures[ladder.measure];
  if (value && !ladder.bands.every((b) => isClear(value.value, b.bounds, 'measure')))
    return 'value near a printed edge';
  const own = new Set(ladder.bands.map((b) => b.rule_id));
  for (const rule of c.world.rulesOf(s.use.drug)) {
    if (rule.action.polarity === 'watch' || rule.source_id !== ladder.source_id) continue;
    if (rule.action.polarity === 'neutral' && !own.has(rule.rule_id)) continue;
    const { truth } = applyRule(rule, { patient: s.patient, candidate: s.use }, c.world.knowledge);
    const want = rule.rule_id === band.rule_id ? 'true' : 'false';
    if (truth !== want)
      return truth === 'unknown' ? 'undecided rule' : 'another rule of the source is active';
  }
  return null;
}
