/** Candidates of a question: the key drugs, then drugs that are proved harmless in every member. */
import type { Condition } from '../../schemas/condition.js';
import type { Patient, Use } from '../../schemas/patient.js';
import type { Rule } from '../../schemas/rule.js';
import type { RandomStream } from '../contract.js';
import { isNamed } from '../lib/rules/target.js';
import { shuffled } from './literals.js';
import { type Profile, plainUse } from './scenario.js';
import { optionText } from './use-words.js';
import type { World } from './world.js';

/** How often each drug was a key and a distractor so far: drugs that are often keys are wanted as distractors. */
export class Balance {
  readonly #score = new Map<string, number>();
  of(drug: string): number {
    return this.#score.get(drug) ?? 0;
  }
  key(drug: string): void {
    this.#score.set(drug, this.of(drug) + 1);
  }
  distractor(drug: string): void {
    this.#score.set(drug, this.of(drug) - 1);
  }
}

export interface DistractorSpec {
  readonly world: World;
  readonly source_id: string;
  readonly profile: Profile;
  /** Members that share the options; a distractor is harmless in all. */
  readonly patients: readonly Patient[];
  readonly taken: readonly string[];
  readonly n: number;
  readonly balance: Balance;
  readonly random: RandomStream;
  /** Length of the texts so far; the longest option is to fall on any option alike. */
  readonly keyTexts: readonly string[];
  /** True when every candidate's ordinary use will be told, so that it must be known. */
  readonly needsUse: boolean;
}

/** Distractors, or null when fewer than `n` are proved. */
export function pickDistractors(spec: DistractorSpec): Use[] | null {
  const { world, random, balance } = spec;
  const pool = shuffled(world.pool(spec.profile), random).filter(
    (d) => !spec.taken.includes(d) && !clash(world, d, spec.taken),
  );
  const wanted = [...pool].sort((a, b) => balance.of(b) - balance.of(a));
  const found: Use[] = [];
  // A wider choice than needed, so that lengths can be balanced; half of it drugs that are keys elsewhere.
  for (const drug of wanted) {
    if (found.length >= spec.n * 3) break;
    if (spec.needsUse && world.typicalUse(drug) === undefined) continue;
    const use = world.ordinaryUse(drug);
    if (
      spec.patients.some((p) => p.medications.some((m) => m.drug === drug) || isForOtherSex(world, drug, p))
    )
      continue;
    if (spec.patients.every((p) => world.judge(spec.source_id, p, use).is === 'harmless')) found.push(use);
  }
  if (found.length < spec.n) return null;
  return balanceLengths(found, spec);
}

/** A drug whose rules speak of one sex only (estrogens, prostate drugs) is no choice for the other. */
function isForOtherSex(world: World, drug: string, patient: Patient): boolean {
  return world
    .rulesOf(drug)
    .some((r) =>
      flat(r.population).some(
        (p) => p.type === 'sex' && p.sex !== patient.sex && isNamedAlone(world, r, drug),
      ),
    );
}

const flat = (c: Condition): Condition[] => ('of' in c && Array.isArray(c.of) ? c.of.flatMap(flat) : [c]);
const isNamedAlone = (world: World, r: Rule, drug: string): boolean =>
  r.target.some((ref) => isNamed(drug, ref, world.knowledge.drugs) === 'true');

/** Two names of one thing, or a drug and a combination that holds it, make no pair of options. */
function clash(world: World, drug: string, taken: readonly string[]): boolean {
  const parts = world.knowledge.drugs.ingredients(drug);
  return taken.some((t) => world.knowledge.drugs.ingredients(t).some((i) => parts.includes(i)));
}

const NONE_LENGTH = 'None of the above'.length;

/** Which option is the longest is drawn first; of several draws the one that fits is taken. */
function balanceLengths(found: readonly Use[], spec: DistractorSpec): Use[] {
  const { random, n } = spec;
  const options = n + spec.keyTexts.length + 1;
  const slot = random.below(options);
  const keyLength = Math.max(0, ...spec.keyTexts.map((t) => t.length));
  let best: Use[] | undefined;
  for (let i = 0; i < 24; i++) {
    const draw = distinct(spec.world, shuffled(found, random), n);
    if (draw.length < n) continue;
    best ??= draw;
    const longest = Math.max(...draw.map((u) => optionText(u).length));
    const is_none = NONE_LENGTH > longest && NONE_LENGTH > keyLength;
    const is_key = keyLength > longest && keyLength > NONE_LENGTH;
    const fits = slot === 0 ? is_none : slot <= spec.keyTexts.length ? is_key : !is_none && !is_key;
    if (fits) return draw;
  }
  return best ?? [];
}

function distinct(world: World, uses: readonly Use[], n: number): Use[] {
  const out: Use[] = [];
  for (const u of uses) {
    if (out.length === n) break;
    if (
      !clash(
        world,
        u.drug,
        out.map((o) => o.drug),
      )
    )
      out.push(u);
  }
  return out;
}

export const namedUse = (use: Use): Use => plainUse(use.drug, { form: use.form, route: use.route });
