/** Which split a patient belongs to: a function of seed and subject_id alone, so that all benchmarks agree. */
import { z } from 'zod';
import { hashPoint } from './hash.js';

/** The config key of stages that assign splits: names and weights. */
export const splitWeights = z
  .record(z.string().regex(/^[a-z][a-z0-9_]*$/), z.number().positive())
  .refine((splits) => Object.keys(splits).length > 0, 'at least one split is needed');

/** A split and the upper end of its part of [0, 1). */
export interface SplitBound {
  readonly split: string;
  readonly below: number;
}

/** Cumulative shares in the order of the names, so that the order in a configuration file means nothing. */
export function splitBounds(weights: Readonly<Record<string, number>>): SplitBound[] {
  const names = Object.keys(weights).sort();
  const total = names.reduce((sum, name) => sum + weights[name]!, 0);
  let cumulative = 0;
  return names.map((split, i) => {
    cumulative += weights[split]!;
    return { split, below: i === names.length - 1 ? 1 : cumulative / total };
  });
}

/** A number in [0, 1) from seed and subject_id; the same in every benchmark. */
export const patientPoint = (seed: number, subject_id: number): number =>
  hashPoint(seed, 'split-patients', subject_id);

/** The split of a patient. */
export function assignSplit(seed: number, subject_id: number, bounds: readonly SplitBound[]): string {
  const point = patientPoint(seed, subject_id);
  return bounds.find((b) => point < b.below)!.split;
}
