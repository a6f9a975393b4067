/** What a rule says over one measure: its bands, and what else it asks for. */
import type { Bounds, Condition, DrugRef, MEASURES } from '../../../schemas/condition.js';
import type { Rule } from '../../../schemas/rule.js';
import { printCondition } from './expression.js';

type Measured = Extract<Condition, { type: 'measure' }>;

/** The bands of a rule for one of its drugs. */
export interface BandRule {
  readonly rule: Rule;
  readonly drug: DrugRef;
  readonly measure: (typeof MEASURES)[number];
  readonly unit: Bounds['unit'];
  /** Several where the rule names several bands of the measure. */
  readonly bounds: readonly Bounds[];
  /** Other grounds beside the bands. */
  readonly or: readonly Condition[];
  readonly indication: readonly string[];
  /** Conditions on the use and other conditions, in the text form, sorted. */
  readonly use: readonly string[];
  readonly state: readonly string[];
}

/**
 * The bands of a rule, one entry a drug. None where no measure decides, where two measures do, or where a count decides
 * (two of three): such a rule is no step of a ladder.
 */
export function readBands(rule: Rule): BandRule[] {
  const parts = flat(rule.when);
  const found = parts.map(bandOf);
  const bands = found.filter((b) => b !== null);
  const rest = parts.filter((_, i) => found[i] === null);
  if (bands.length !== 1 || rest.some(hasMeasure)) return [];
  const [{ measures, or }] = bands as [Grounds];
  const { measure, bounds } = measures[0]!;
  if (measures.some((m) => m.measure !== measure || m.bounds.unit !== bounds.unit)) return [];
  const text = (of: readonly Condition[]): string[] => of.map(printCondition).sort();
  return rule.target
    .filter((ref) => ref.is_inferred !== true)
    .map((drug) => ({
      rule,
      drug,
      measure,
      unit: bounds.unit,
      bounds: measures.map((m) => m.bounds),
      or,
      indication: rest.flatMap(indications),
      use: text(rest.filter(isUse)),
      state: text(rest.filter((c) => !isUse(c))),
    }));
}

const flat = (c: Condition): Condition[] => (c.type === 'all' ? c.of.flatMap(flat) : [c]);

interface Grounds {
  readonly measures: readonly Measured[];
  readonly or: readonly Condition[];
}

/** A measure, or alternatives among which at least one is; null for a part without a measure. */
function bandOf(part: Condition): Grounds | null {
  if (part.type === 'measure') return { measures: [part], or: [] };
  if (part.type !== 'any') return null;
  const measures = part.of.filter((c) => c.type === 'measure');
  const or = part.of.filter((c) => c.type !== 'measure');
  return measures.length === 0 || or.some(hasMeasure) ? null : { measures, or };
}

function hasMeasure(c: Condition): boolean {
  if (c.type === 'measure') return true;
  if (c.type === 'not') return hasMeasure(c.of);
  return 'of' in c && c.of.some(hasMeasure);
}

/** Only about how the candidate is used. */
function isUse(c: Condition): boolean {
  if (c.type === 'use') return true;
  if (c.type === 'not') return isUse(c.of);
  return 'of' in c && c.of.length > 0 && c.of.every(isUse);
}

function indications(c: Condition): string[] {
  if (c.type === 'use') return c.facet === 'indication' ? [c.value] : [];
  return c.type !== 'not' && 'of' in c ? c.of.flatMap(indications) : [];
}
