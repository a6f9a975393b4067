/** Which split a patient belongs to: a function of seed and subject_id alone. */
import { sha256 } from '../lib/hash.js';

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

/** A number in [0, 1) from the first 52 bits of SHA-256 over seed, stage and subject_id. */
export function patientPoint(seed: number, subject_id: number): number {
  const hex = sha256([seed, 'split-patients', subject_id].join('\u001f')).slice(0, 13);
  return Number.parseInt(hex, 16) / 2 ** 52;
}

/** The split of a patient. */
export function assignSplit(seed: number, subject_id: number, bounds: readonly SplitBound[]): string {
  const point = patientPoint(seed, subject_id);
  return bounds.find((b) => point < b.below)!.split;
}
