/** Readable names of the features, and how a value is written for a reader. */
import { FEATURE_IDS } from '../../schemas/supmimic.js';
import { parseCsv } from './csv.js';
import type { Scale } from './registry.js';

export const FEATURE_NAMES_FILE = 'stages/stamp-release/feature-names.csv';

export interface FeatureName {
  readonly feature_id: string;
  /** Section of the prompt and of the report. */
  readonly heading: string;
  /** With the unit in brackets, for example `Heart rate, minimum (bpm)`. */
  readonly name: string;
  /** Most decimals that a value is shown with. */
  readonly decimals: number;
}

/** Parses feature-names.csv and checks that it names F001 ... F448 in order, each with its own name. */
export function parseFeatureNames(text: string): FeatureName[] {
  const names = parseCsv(text, FEATURE_NAMES_FILE).map((r) => ({
    feature_id: r.feature_id!,
    heading: r.heading!,
    name: r.name!,
    decimals: Number(r.decimals),
  }));
  if (names.map((n) => n.feature_id).join() !== FEATURE_IDS.join())
    throw new Error(`${FEATURE_NAMES_FILE}: expected F001 to F448 in order`);
  const bad = names.find((n) => !n.name || !n.heading || !/^[0-6]$/.test(String(n.decimals)));
  if (bad)
    throw new Error(`${FEATURE_NAMES_FILE}: ${bad.feature_id} needs a name, a heading and 0 to 6 decimals`);
  if (new Set(names.map((n) => n.name)).size !== names.length)
    throw new Error(`${FEATURE_NAMES_FILE}: two features have one name`);
  return names;
}

/** A value as a reader sees it. */
export interface DisplayedValue {
  readonly text: string;
  /** The text is not the exact value. */
  readonly is_rounded: boolean;
}

/** Most decimals that are tried so that a small value is not shown as 0. */
const MAX_DECIMALS = 12;

/**
 * Writes a value: `yes` or `no` for 0/1 features, else at most `decimals` decimals (half away from zero on the exact
 * binary value) without trailing zeros; a value that would become 0 gets as many decimals as show its first digit.
 */
export function displayValue(value: number | null, scale: Scale, decimals: number): DisplayedValue {
  if (value === null || Number.isNaN(value)) return { text: 'not measured', is_rounded: false };
  if (!Number.isFinite(value)) throw new RangeError(`a feature value cannot be ${value}`);
  if (scale === 'binary') {
    if (value !== 0 && value !== 1) throw new RangeError(`a 0/1 feature cannot be ${value}`);
    return { text: value === 1 ? 'yes' : 'no', is_rounded: false };
  }
  let digits = decimals;
  while (value !== 0 && Number(value.toFixed(digits)) === 0 && digits < MAX_DECIMALS) digits++;
  const fixed = value.toFixed(digits);
  const trimmed = fixed.includes('.') ? fixed.replace(/\.?0+$/, '') : fixed;
  const text = trimmed === '-0' ? '0' : trimmed;
  return { text, is_rounded: Number(text) !== value };
}
