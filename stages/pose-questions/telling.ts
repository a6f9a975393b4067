/** What the parts of a vignette share: the patient, the other members, and a choice of wording that depends on the place alone. */
import type { DecisionType } from '../../schemas/medpic.js';
import type { Patient, Use } from '../../schemas/patient.js';
import type { RandomStream } from '../contract.js';
import { sha256 } from '../lib/hash.js';
import type { Concepts } from '../lib/rules/concepts.js';
import { fill, type Person, person } from './people.js';
import type { Profile } from './scenario-types.js';
import type { FactWords } from './world.js';

/** A patient and the candidates of one member. */
export interface Told {
  readonly patient: Patient;
  /** Candidates in the order of the options. */
  readonly uses: readonly Use[];
}

export interface VignetteSpec extends Told {
  /** All members of the draft, this one too: words that would fit some of them only are not used. */
  readonly members: readonly Told[];
  readonly profile: Profile;
  readonly decision_type: DecisionType;
  /** Ordinary use of a neutral drug, in words. */
  readonly typical_use: (drug: string) => string | undefined;
  readonly concepts: Concepts;
  readonly words: ReadonlyMap<string, FactWords>;
  /** The same stream for all members, so that wording differs only where facts do. */
  readonly wording: () => RandomStream;
}

/** A sentence and the facts that it states. */
export interface Said {
  readonly sentence: string;
  readonly facts: readonly string[];
}

export interface Telling {
  readonly spec: VignetteSpec;
  readonly p: Person;
  /** One of several wordings for one place of the vignette, with the person put in. */
  readonly pick: (place: string, list: readonly string[]) => string;
  /** True when it holds of every member. */
  readonly every: (is: (member: Told) => boolean) => boolean;
}

/**
 * Begins a vignette. A wording is drawn by the name of its place, not by its turn: a sentence more or less in one member
 * changes no other sentence.
 */
export function telling(spec: VignetteSpec): Telling {
  const p = person(spec.patient);
  const seed = spec.wording().u32();
  return {
    spec,
    p,
    pick: (place, list) => {
      const drawn = Number.parseInt(sha256(`${seed} ${place}`).slice(0, 8), 16);
      return fill(list[drawn % list.length]!, p);
    },
    every: (is) => spec.members.every(is),
  };
}
