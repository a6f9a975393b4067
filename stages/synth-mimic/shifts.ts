/**
 * How diagnoses move a patient's values. The shifts of one item are damped: without it the median patient was septic
 * and every classifier perfect (AUC about .99).
 */
import { calibrate, type DxModel, drawAge, sampleDiagnoses } from './diagnoses.js';
import { exp } from './math.js';
import type { Effect, Numbers } from './numbers.js';
import { type Stream, streamsOf } from './rng.js';

/** Weights of an item's shifts in order of size, the last one for all further ones. */
const WEIGHTS = [1, 0.6, 0.4, 0.25, 0.15, 0.1, 0.05];
const SCALE = 0.62;
/** Severity is lognormal with mean 1. */
const SEVERITY_SIGMA = 0.55;
const SILENT_SHARE = 0.15;
const UNCODED_SHARE = 0.02;
const UNCODED_SEVERITY = 0.8;
/** Share of the mean shift taken off an item, so that medians stay where items.csv puts them. */
const RECENTER = 0.8;
const RECENTER_PEOPLE = 700;

/** Diagnosis model plus the mean shift of every item. */
export interface Model extends DxModel {
  readonly effectsOf: readonly (readonly Effect[])[];
  readonly meanShift: Float64Array;
}

/** Severity of every diagnosis in one stay; 0 where it does nothing. */
export function drawSeverities(numbers: Numbers, state: Uint8Array, r: Stream): Float64Array {
  const out = new Float64Array(state.length);
  for (let k = 0; k < state.length; k++) {
    const u = r.float();
    const size = exp(SEVERITY_SIGMA * r.normal() - (SEVERITY_SIGMA * SEVERITY_SIGMA) / 2);
    if (state[k]) out[k] = u < SILENT_SHARE ? 0 : size;
    else if (u < UNCODED_SHARE && !numbers.dx[k]!.isPregnancy) out[k] = UNCODED_SEVERITY * size;
  }
  return out;
}

/** Damped shift of every item, before recentering. */
export function rawShifts(
  numbers: Numbers,
  effectsOf: readonly (readonly Effect[])[],
  severities: Float64Array,
): Float64Array {
  const lists: number[][] = numbers.items.map(() => []);
  for (let k = 0; k < severities.length; k++) {
    if (severities[k] === 0) continue;
    for (const e of effectsOf[k]!) if (e.shift !== 0) lists[e.item]!.push(e.shift * severities[k]!);
  }
  const out = new Float64Array(numbers.items.length);
  for (let i = 0; i < lists.length; i++) {
    const sorted = lists[i]!.sort((a, b) => Math.abs(b) - Math.abs(a) || a - b);
    let sum = 0;
    sorted.forEach((shift, n) => {
      sum += shift * WEIGHTS[Math.min(n, WEIGHTS.length - 1)]!;
    });
    out[i] = sum * SCALE;
  }
  return out;
}

/** Shift of every item with most of the population mean taken off. */
export function shiftsOf(model: Model, severities: Float64Array): Float64Array {
  const out = rawShifts(model.numbers, model.effectsOf, severities);
  for (let i = 0; i < out.length; i++) out[i]! -= RECENTER * model.meanShift[i]!;
  return out;
}

/** Calibrates prevalences, then measures the mean shift on further virtual patients. */
export function buildModel(numbers: Numbers): Model {
  const base = calibrate(numbers);
  const effectsOf: Effect[][] = numbers.dx.map(() => []);
  for (const e of numbers.effects) effectsOf[e.dx]!.push(e);
  const meanShift = new Float64Array(numbers.items.length);
  const streams = streamsOf(0);
  for (let i = 0; i < RECENTER_PEOPLE; i++) {
    const r = streams(i, 'recenter');
    const person = { age: drawAge(r, numbers), isFemale: r.chance(numbers.scalar('female_share')) };
    const severities = drawSeverities(numbers, sampleDiagnoses(base, person, r), r);
    const shifts = rawShifts(numbers, effectsOf, severities);
    for (let k = 0; k < shifts.length; k++) meanShift[k]! += shifts[k]! / RECENTER_PEOPLE;
  }
  return { ...base, effectsOf, meanShift };
}
