/** From a key drug and the patients of the members to a draft with options, or the reason why there is none. */
import type { Change, DecisionType, MedpicConfig } from '../../schemas/medpic.js';
import type { Patient, Use } from '../../schemas/patient.js';
import type { Rule } from '../../schemas/rule.js';
import type { RandomStream } from '../contract.js';
import { type Balance, pickDistractors } from './candidates.js';
import { changesBetween, type Draft, type InformationType, type Member } from './item.js';
import { shuffled } from './literals.js';
import type { Profile } from './scenario-types.js';
import { optionText, statesUse } from './use-words.js';
import type { World } from './world.js';

export interface Side {
  readonly role: string | null;
  readonly patient: Patient;
  /** Uses of the chosen drugs in this member, the rule's own drug first. */
  readonly uses: readonly Use[];
  readonly rule_id: string;
}

export interface ComposeSpec {
  readonly world: World;
  readonly config: MedpicConfig;
  readonly decision_type: DecisionType;
  readonly operation: string;
  readonly information_type: InformationType;
  readonly profile: Profile;
  readonly rule: Rule;
  readonly sides: readonly Side[];
  /** What the keys must be: per side, the indices of chosen drugs that are keys. */
  readonly keys: readonly (readonly number[])[];
  readonly balance: Balance;
  readonly random: RandomStream;
  readonly wording: number;
  readonly label: string;
  /** Which changes are allowed between the first side and another. */
  readonly mayChange?: (changes: readonly Change[]) => boolean;
  /** Harmless drugs by default; a question for what may be given wants restricted ones. */
  readonly distractors?: (n: number) => readonly Use[] | null;
}

export type Composed = { readonly draft: Draft } | { readonly why: string };

/** Judges the chosen drugs in every member, adds distractors, and puts the candidates into a seeded order. */
export function compose(spec: ComposeSpec): Composed {
  const { world, sides, rule, random } = spec;
  for (const [i, side] of sides.entries()) {
    for (const [j, use] of side.uses.entries()) {
      const j_ = world.judge(rule.source_id, side.patient, use, spec.config === 'sweep');
      const want = spec.keys[i]!.includes(j) ? 'key' : 'harmless';
      if (j_.is !== want) return { why: j_.is === 'neither' ? j_.why : `${j_.is} where ${want} was wanted` };
    }
  }
  const chosen = sides[0]!.uses;
  const total = random.below(2) === 0 ? 4 : 5;
  const distractors =
    spec.distractors?.(total - chosen.length) ??
    pickDistractors({
      world,
      source_id: rule.source_id,
      profile: spec.profile,
      patients: sides.map((s) => s.patient),
      taken: chosen.map((u) => u.drug),
      n: total - chosen.length,
      balance: spec.balance,
      random,
      keyTexts: [...new Set(spec.keys.flat())].map((k) => optionText(chosen[k]!)),
      needsUse: sides.some((s) => s.uses.some(statesUse)),
    });
  if (distractors === null) return { why: 'too few proved distractors' };
  return finish(spec, distractors);
}

function finish(spec: ComposeSpec, distractors: readonly Use[]): Composed {
  const { sides, world, rule, random } = spec;
  const count = sides[0]!.uses.length;
  const order = shuffled(
    Array.from({ length: count + distractors.length }, (_, i) => i),
    random,
  );
  const members = sides.map((side, s): Member => {
    const uses = [...side.uses, ...distractors];
    const ordered = order.map((i) => uses[i]!);
    const verdicts = ordered.map((u) => world.judge(rule.source_id, side.patient, u));
    return {
      role: side.role,
      patient: side.patient,
      uses: ordered,
      keys: order.flatMap((from, at) => (spec.keys[s]!.includes(from) ? [at] : [])),
      watch: [...new Set(verdicts.flatMap((v) => ('watch' in v ? v.watch : [])))].sort(),
      rule_id: side.rule_id,
    };
  });
  const changes = members.slice(1).map((m) => changesBetween(members[0]!, m));
  if (spec.mayChange && !changes.every(spec.mayChange))
    return { why: 'more than the wanted fact would change' };
  for (const d of distractors) spec.balance.distractor(d.drug);
  for (const m of members) {
    sides[0]!.uses.forEach((u, i) => {
      if (m.keys.some((k) => m.uses[k]!.drug === u.drug)) spec.balance.key(u.drug);
      else if (i >= 0) spec.balance.distractor(u.drug);
    });
  }
  return {
    draft: {
      config: spec.config,
      decision_type: spec.decision_type,
      operation: spec.operation,
      information_type: spec.information_type,
      profile: spec.profile,
      rule,
      texts: members[0]!.uses.map(optionText),
      kind: 'drug',
      handling_of: members[0]!.uses.map(() => null),
      members,
      changes,
      drug: sides[0]!.uses[0]!.drug,
      wording: spec.wording,
      label: spec.label,
    },
  };
}
