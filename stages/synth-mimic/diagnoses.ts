/**
 * Who has which latent diagnosis: a pairwise model sampled by Gibbs sweeps, with intercepts calibrated by stochastic
 * approximation until the prevalences of diagnoses.csv come out.
 */
import { ln, logistic } from './math.js';
import type { Numbers } from './numbers.js';
import { type Stream, streamsOf } from './rng.js';

/** Sex and age as the diagnosis model sees them. */
export interface Person {
  readonly age: number;
  readonly isFemale: boolean;
}

/** The calibrated model. */
export interface DxModel {
  readonly numbers: Numbers;
  readonly intercepts: Float64Array;
  /** Neighbours of a diagnosis with the log odds they add. */
  readonly neighbours: readonly { j: number; logit: number }[][];
}

const SWEEPS = 6;
const ROUNDS = 16;
const CALIBRATION_PEOPLE = 500;

/** Age of a patient on admission: normal, 18 to 103 (admin.csv). */
export function drawAge(r: Stream, numbers: Numbers): number {
  const mean = numbers.scalar('age_mean');
  const sd = numbers.scalar('age_sd');
  for (;;) {
    const age = Math.floor(mean + sd * r.normal());
    if (age >= 18 && age <= 103) return age;
  }
}

/** Calibrates on virtual patients with a key of its own, so that the model is the same for every seed. */
export function calibrate(numbers: Numbers): DxModel {
  const streams = streamsOf(0);
  const neighbours: { j: number; logit: number }[][] = numbers.dx.map(() => []);
  for (const { a, b, logit } of numbers.pairs) {
    neighbours[a]!.push({ j: b, logit });
    neighbours[b]!.push({ j: a, logit });
  }
  const targets = numbers.dx.map((d) => ln(d.prevalence / (1 - d.prevalence)));
  const model = { numbers, intercepts: Float64Array.from(targets), neighbours };
  for (let round = 0; round < ROUNDS; round++) {
    const expected = new Float64Array(numbers.dx.length);
    for (let i = 0; i < CALIBRATION_PEOPLE; i++) {
      const r = streams(i, `calibration ${round}`);
      const person = { age: drawAge(r, numbers), isFemale: r.chance(numbers.scalar('female_share')) };
      const state = sampleDiagnoses(model, person, r);
      // The conditional probability is a steadier estimate of prevalence than the 0/1 draw.
      for (const d of numbers.dx) expected[d.index]! += conditional(model, person, state, d.index);
    }
    const gain = round < 8 ? 1 : 0.5;
    for (const d of numbers.dx) {
      const p = expected[d.index]! / CALIBRATION_PEOPLE;
      model.intercepts[d.index]! += gain * (targets[d.index]! - ln(p / (1 - p)));
    }
  }
  return model;
}

/** Probability of diagnosis k given the person and all other diagnoses. */
function conditional(model: DxModel, person: Person, state: Uint8Array, k: number): number {
  const d = model.numbers.dx[k]!;
  if (d.isPregnancy && (!person.isFemale || person.age > 48)) return 0;
  let logit = model.intercepts[k]! + (d.ageLogit * (person.age - 64.5)) / 10;
  if (person.isFemale) logit += d.femaleLogit;
  for (const n of model.neighbours[k]!) if (state[n.j]) logit += n.logit;
  return logistic(logit);
}

/** One 0/1 entry a diagnosis. */
export function sampleDiagnoses(model: DxModel, person: Person, r: Stream): Uint8Array {
  const n = model.numbers.dx.length;
  const state = new Uint8Array(n);
  const order = model.numbers.dx.map((d) => d.index);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    shuffle(order, r);
    for (const k of order) state[k] = r.chance(conditional(model, person, state, k)) ? 1 : 0;
  }
  return state;
}

/** Fisher-Yates, in place. */
export function shuffle<T>(list: T[], r: Stream): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = r.int(0, i);
    const held = list[i]!;
    list[i] = list[j]!;
    list[j] = held;
  }
}
