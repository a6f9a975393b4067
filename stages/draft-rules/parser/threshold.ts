/** Printed thresholds (`CrCl 15-30 mL/min AND P-gp inhibitor; age >= 80 years`) as conditions with their words. */
import type { Bounds, Condition } from '../../../schemas/condition.js';
import { boundsOf, PRINTED_BOUNDS } from './printed-bounds.js';
import { findQuantity, QUANTITY_WORDS, type Quantity, UNIT_WORDS } from './quantities.js';

/**
 * One ground of a threshold: a condition, or the time since a last dose whose drug stands elsewhere (`named`: in the
 * condition text; `own`: the drug of the rule). `quote` is verbatim.
 */
export type Ground =
  | { readonly quote: string; readonly condition: Condition }
  | { readonly quote: string; readonly interval: Bounds; readonly of: 'named' | 'own' };

/** Why a threshold was not read. */
export interface Unread {
  readonly reason: 'unparsable_threshold' | 'mixed_units';
  readonly got: string;
  readonly expected: string;
}

/** What words without a number stand for: a condition, null where they only explain, undefined where nobody read them. */
export type ReadWords = (words: string) => Condition | null | undefined;

/** Reads a threshold; its parts are split by `;`, the caller joins them as `combine` says. */
export function parseThreshold(text: string, words: ReadWords): readonly Ground[] | Unread {
  try {
    const seen: Quantity[] = [];
    const grounds = text
      .split(';')
      .map((part) => part.trim())
      .map((part) => ground(part, words, seen));
    refuseMixedUnits(text, seen);
    return grounds.filter((g) => g !== null);
  } catch (error) {
    if (error instanceof UnreadError) return error.unread;
    throw error;
  }
}

class UnreadError extends Error {
  readonly unread: Unread;
  constructor(unread: Unread) {
    super(unread.reason);
    this.unread = unread;
  }
}

const unparsable = (got: string, expected: string): UnreadError =>
  new UnreadError({ reason: 'unparsable_threshold', got, expected });

/** `a AND b`; null where every part only explains. */
function ground(part: string, words: ReadWords, seen: Quantity[]): Ground | null {
  if (part === '') throw unparsable(part, 'a part between two semicolons');
  const whole = words(part);
  if (whole !== undefined) return whole && { quote: part, condition: whole };
  const interval = INTERVAL.exec(part);
  if (interval) return readInterval(part, interval.groups!);
  const of = part
    .split(' AND ')
    .map((p) => alternatives(p.trim(), words, seen))
    .filter((c) => c !== null);
  return of.length === 0 ? null : { quote: part, condition: of.length === 1 ? of[0]! : { type: 'all', of } };
}

/** `a or b`; an alternative that begins with a comparison is about the quantity before it. */
function alternatives(text: string, words: ReadWords, seen: Quantity[]): Condition | null {
  const whole = words(text);
  if (whole !== undefined) return whole;
  let quantity = '';
  const of = text.split(' or ').map((piece) => {
    const full = /^[<>=]/.test(piece) && quantity !== '' ? `${quantity} ${piece}` : piece;
    quantity = PRINTED.exec(full)?.groups?.quantity ?? '';
    const known = words(full);
    if (known === null) throw unparsable(text, 'alternatives that are conditions each');
    return known ?? printed(full, words, seen);
  });
  return of.length === 1 ? of[0]! : { type: 'any', of };
}

const INTERVAL =
  /^(?:interval (?<bounds>< \d+)|until (?<until>\d+)) (?<unit>hours?|days?|weeks?|years?)(?<own> after last dose)?$/;
const TIME: Readonly<Record<string, Bounds['unit']>> = { hour: 'h', day: 'd', week: 'wk', year: 'a' };

function readInterval(quote: string, g: Readonly<Record<string, string | undefined>>): Ground {
  const interval = boundsOf(g.bounds ?? `< ${g.until}`, TIME[g.unit!.replace(/s$/, '')]!);
  if (interval === null) throw unparsable(quote, 'a time');
  return { quote, interval, of: g.own ? 'own' : 'named' };
}

const PRINTED = new RegExp(
  `^(?<quantity>${QUANTITY_WORDS}) (?<bounds>${PRINTED_BOUNDS}) (?<unit>${UNIT_WORDS})(?: (?<qualifier>.+))?$`,
);

/** `<quantity> <bounds> <unit> [qualifier]`. */
function printed(text: string, words: ReadWords, seen: Quantity[]): Condition {
  const g = PRINTED.exec(text)?.groups;
  if (!g) throw unparsable(text, 'a quantity, a comparison or range, and its unit; or words of phrases.csv');
  const quantity = findQuantity(g.quantity!, g.unit!);
  if (quantity === 'other unit') {
    throw new UnreadError({
      reason: 'mixed_units',
      got: text,
      expected: `${g.quantity} in its own unit`,
    });
  }
  if (quantity === null) throw unparsable(text, `a unit of ${g.quantity}`);
  seen.push(quantity);
  const bounds = boundsOf(g.bounds!, quantity.unit);
  if (bounds === null) throw unparsable(text, 'a range from low to high');
  const condition = quantity.condition(bounds);
  if (g.qualifier === undefined) return condition;
  const qualifier = words(g.qualifier);
  if (qualifier === undefined) throw unparsable(text, `"${g.qualifier}" in phrases.csv`);
  return qualifier === null ? condition : { type: 'all', of: [qualifier, condition] };
}

/** Two units of one quantity in one threshold are a slip of the table, never a conversion. */
function refuseMixedUnits(text: string, seen: readonly Quantity[]): void {
  const units = new Map<string, string>();
  for (const { family, printed_unit } of seen) {
    if (family === null) continue;
    const before = units.get(family) ?? printed_unit;
    if (before !== printed_unit) {
      throw new UnreadError({
        reason: 'mixed_units',
        got: text,
        expected: `${family} in one unit, not in ${before} and ${printed_unit}`,
      });
    }
    units.set(family, printed_unit);
  }
}
