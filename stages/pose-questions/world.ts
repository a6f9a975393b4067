import type { Condition } from '../../schemas/condition.js';
import type { Patient, Use } from '../../schemas/patient.js';
import type { Rule } from '../../schemas/rule.js';
import type { OpenBench } from '../lib/rules/bench.js';
import { evaluate } from '../lib/rules/evaluate.js';
import { type Judgement, judge, rulesNaming } from '../lib/rules/judge.js';
import type { Knowledge } from '../lib/rules/knowledge.js';
import { isNamed } from '../lib/rules/target.js';
import type { Profile } from './scenario-types.js';

/** Everything a question rests on: rules, drugs, concepts, neutral candidates; with quick access to the rules of a drug. */

export interface NeutralDrug {
  readonly ingredient: string;
  readonly population: string;
  readonly typical_use: string;
  readonly limits: string;
}

/** How a fact is stated when it holds and when it does not; variants split by `|`. */
export interface FactWords {
  readonly says_true: string;
  readonly says_false: string;
  /** What a drug is given for, where the name of the concept does not fit after `for`. */
  readonly indication?: string;
}

export interface WorldParts {
  readonly bench: OpenBench;
  readonly neutral: readonly NeutralDrug[];
  /** What else a drug may be used for, as concepts. */
  readonly indications: (drug: string) => readonly string[];
  /** What must hold for a drug to be a distractor although no stored rule asks it (distractor-limits.csv). */
  readonly limits: (drug: string) => readonly Condition[];
  /** Sentences for facts whose name alone does not make one. */
  readonly words: ReadonlyMap<string, FactWords>;
}

export class World {
  readonly rules: ReadonlyMap<string, Rule>;
  readonly knowledge: Knowledge;
  readonly neutral: readonly NeutralDrug[];
  readonly listed: OpenBench['listed'];
  readonly indications: WorldParts['indications'];
  readonly limits: WorldParts['limits'];
  readonly words: WorldParts['words'];
  readonly #bench: OpenBench;
  readonly #pools = new Map<string, readonly string[]>();
  readonly #sexes = new Map<string, ReadonlySet<string>>();

  constructor(parts: WorldParts) {
    this.#bench = parts.bench;
    this.rules = parts.bench.rules;
    this.knowledge = parts.bench.book.knowledge;
    this.listed = parts.bench.listed;
    this.neutral = parts.neutral;
    this.indications = parts.indications;
    this.limits = parts.limits;
    this.words = parts.words;
  }

  /** Rules that may say something about a drug: it may be a target, or what a target must not meet. */
  rulesOf(drug: string): readonly Rule[] {
    return rulesNaming(this.#bench, drug);
  }

  /** Judges one candidate under the named source. */
  judge(source_id: string, patient: Patient, use: Use, near = false): Judgement {
    return judge(this.#bench, { source_id, patient, use, near });
  }

  /** Do all limits of a drug hold for a patient? */
  isWithinLimits(candidate: Use, patient: Patient): boolean {
    const c = { patient, candidate };
    return this.limits(candidate.drug).every((l) => evaluate(l, c, this.knowledge).truth === 'true');
  }

  /** Drugs that may be distractors: neutral drugs of the population, and drugs that rules name; sorted. */
  pool(population: string): readonly string[] {
    let found = this.#pools.get(population);
    if (!found) {
      const neutral = this.neutral.filter((n) => n.population === population).map((n) => n.ingredient);
      const named = [...this.rules.values()].flatMap((r) =>
        r.target.flatMap((ref) => (ref.kind === 'class' ? [] : [ref.name])),
      );
      found = [...new Set([...neutral, ...named])].sort();
      this.#pools.set(population, found);
    }
    return found;
  }

  /** Do the rules of a drug speak of one sex only, and not of the patient's (estrogens, prostate drugs)? */
  isForOtherSex(drug: string, patient: Patient): boolean {
    let sexes = this.#sexes.get(drug);
    if (!sexes) {
      const own = this.rulesOf(drug).filter((r) => isTargetOf(r, drug, this.knowledge));
      sexes = new Set(own.flatMap((r) => sexesOf(r.population)));
      this.#sexes.set(drug, sexes);
    }
    if (
      patient.sex === 'female' &&
      this.neutral.some((n) => n.ingredient === drug && /prostate/.test(n.typical_use))
    )
      return true;
    return sexes.size === 1 && patient.sex !== null && !sexes.has(patient.sex);
  }

  /** What a neutral drug is usually for, in words; undefined for other drugs. */
  typicalUse(drug: string): string | undefined {
    return this.neutral.find((n) => n.ingredient === drug)?.typical_use;
  }

  /** Is there a typical use to tell, and not one of children only (croup) told of an adult? */
  tellsUse(drug: string, profile: Profile): boolean {
    const rows = this.neutral.filter((n) => n.ingredient === drug);
    const told = rows[0];
    if (told === undefined) return false;
    const own = rows.find((n) => n.population === populationOf(profile));
    return told.population !== 'child' || profile === 'child' || told.typical_use === own?.typical_use;
  }

  /** A candidate as it is usually started: by mouth where a rule of the drug turns on the route. */
  ordinaryUse(drug: string): Use {
    const routes = this.rulesOf(drug).flatMap((r) =>
      r.target.flatMap((ref) =>
        isNamed(drug, ref, this.knowledge.drugs) === 'true' ? (ref.routes ?? []) : [],
      ),
    );
    const route = routes.length === 0 ? null : routes.includes('oral') ? 'oral' : [...routes].sort()[0]!;
    return { drug, form: null, route, dose: null, duration: null, facets: { phase: 'starting' } };
  }
}

/** The population of neutral-drugs.csv for a profile. */
export const populationOf = (profile: Profile): string =>
  profile === 'adult' ? 'adult_renal_impairment' : profile;

const isTargetOf = (r: Rule, drug: string, k: Knowledge): boolean =>
  r.target.some((ref) => isNamed(drug, ref, k.drugs) === 'true');

/** Sexes that a population is limited to. */
function sexesOf(c: Condition): string[] {
  if (c.type === 'sex') return [c.sex];
  return c.type === 'all' || c.type === 'any' ? c.of.flatMap(sexesOf) : [];
}
