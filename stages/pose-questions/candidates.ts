/** Candidates of a question: the key drugs, then drugs that are proved harmless in every member. */
import type { Patient, Use } from '../../schemas/patient.js';
import type { RandomStream } from '../contract.js';
import { shuffled } from './literals.js';
import { plainUse } from './scenario.js';
import type { Profile } from './scenario-types.js';
import { optionText } from './use-words.js';
import { populationOf, type World } from './world.js';

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
  const pool = shuffled(world.pool(populationOf(spec.profile)), random).filter(
    (d) => !spec.taken.includes(d) && !clash(world, d, spec.taken),
  );
  const wanted = [...pool].sort((a, b) => balance.rate(b) - balance.rate(a));
  const found: Use[] = [];
  const where = `${spec.source_id} ${spec.profile}`;
  // A wider choice than needed, so that lengths can be balanced; half of it drugs that are keys elsewhere.
  for (const drug of wanted) {
    if (found.length >= spec.n * 2 + 2) break;
    if (spec.needsUse && !world.tellsUse(drug, spec.profile)) continue;
    const use = world.ordinaryUse(drug);
    if (spec.patients.some((p) => p.medications.some((m) => m.drug === drug) || world.isForOtherSex(drug, p)))
      continue;
    if (balance.isHopeless(where, drug) || spec.patients.some((p) => !world.isWithinLimits(use, p))) continue;
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

type Longest = 'none' | 'key' | 'other';

const DRAWS = 24;

/** Which option is the longest is drawn first; of several draws the one that fits is taken. */
function balanceLengths(found: readonly Use[], spec: DistractorSpec): Use[] {
  const { random, n, keyTexts } = spec;
  const slot = random.below(n + keyTexts.length + 1);
  // None is short: where it cannot be the longest, a key is, so that the two together are right as often as chance says.
  const wishes: readonly Longest[] =
    slot === 0 ? ['none', 'key'] : slot <= keyTexts.length ? ['key'] : ['other'];
  const shortest = [...found].sort((a, b) => optionText(a).length - optionText(b).length);
  const draws = [...Array.from({ length: DRAWS }, () => shuffled(found, random)), shortest]
    .map((list) => distinct(spec.world, list, n))
    .filter((draw) => draw.length === n);
  for (const wish of wishes) {
    const fits = draws.find((draw) => longestOf(draw, keyTexts) === wish);
    if (fits) return fits;
  }
  return draws[0] ?? [];
}

function longestOf(draw: readonly Use[], keyTexts: readonly string[]): Longest {
  const others = Math.max(...draw.map((u) => optionText(u).length));
  const key = Math.max(0, ...keyTexts.map((t) => t.length));
  if (NONE_LENGTH > others && NONE_LENGTH > key) return 'none';
  return key > others && key > NONE_LENGTH ? 'key' : 'other';
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
