/** Candidates of a question: the key drugs, then drugs that are proved harmless in every member. */
import type { Patient, Use } from '../../schemas/patient.js';
import type { RandomStream } from '../contract.js';
import { shuffled } from './literals.js';
import { plainUse } from './scenario.js';
import type { Profile } from './scenario-types.js';
import { optionText } from './use-words.js';
import type { World } from './world.js';

const HOPELESS = 5;

/** How often each drug was a key and a distractor so far: drugs that are often keys are wanted as distractors. */
export class Balance {
  readonly #keys = new Map<string, number>();
  readonly #distractors = new Map<string, number>();
  readonly #failed = new Map<string, number>();

  /** How often a drug was the key where it was an option, between 0 and 1; a name with a high rate would tell the answer. */
  rate(drug: string): number {
    const keys = this.#keys.get(drug) ?? 0;
    return keys / (keys + (this.#distractors.get(drug) ?? 0) + 1);
  }
  key(drug: string): void {
    this.#keys.set(drug, (this.#keys.get(drug) ?? 0) + 1);
  }
  /** A drug that never was harmless for a source and sort of patient in several tries is not tried again. */
  isHopeless(where: string, drug: string): boolean {
    return (this.#failed.get(`${where} ${drug}`) ?? 0) >= HOPELESS;
  }
  tried(where: string, drug: string, is_harmless: boolean): void {
    const key = `${where} ${drug}`;
    this.#failed.set(key, is_harmless ? Number.NEGATIVE_INFINITY : (this.#failed.get(key) ?? 0) + 1);
  }
  distractor(drug: string): void {
    this.#distractors.set(drug, (this.#distractors.get(drug) ?? 0) + 1);
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
  const population = spec.profile === 'adult' ? 'adult_renal_impairment' : spec.profile;
  const pool = shuffled(world.pool(population), random).filter(
    (d) => !spec.taken.includes(d) && !clash(world, d, spec.taken),
  );
  const wanted = [...pool].sort((a, b) => balance.rate(b) - balance.rate(a));
  const found: Use[] = [];
  const where = `${spec.source_id} ${spec.profile}`;
  // A wider choice than needed, so that lengths can be balanced; half of it drugs that are keys elsewhere.
  for (const drug of wanted) {
    if (found.length >= spec.n * 2 + 2) break;
    if (spec.needsUse && world.typicalUse(drug) === undefined) continue;
    const use = world.ordinaryUse(drug);
    if (spec.patients.some((p) => p.medications.some((m) => m.drug === drug) || world.isForOtherSex(drug, p)))
      continue;
    if (balance.isHopeless(where, drug)) continue;
    const is_harmless = spec.patients.every((p) => world.judge(spec.source_id, p, use).is === 'harmless');
    balance.tried(where, drug, is_harmless);
    if (is_harmless) found.push(use);
  }
  if (found.length < spec.n) return null;
  return balanceLengths(found, spec);
}

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
