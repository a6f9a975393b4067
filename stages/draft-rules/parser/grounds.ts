/** The grounds of a label row, joined as its column `combine` says. */
import { ALWAYS, type Condition, type DrugRef } from '../../../schemas/condition.js';
import { canonicalJson } from '../../lib/canonical-json.js';
import { allOf, type Found } from '../conditions.js';
import type { Lexicon } from '../lexicon.js';
import { conditionOf } from '../lexicon.js';
import { refuse } from '../refuse.js';
import { type Ground, parseThreshold } from './threshold.js';

const COLUMN = 'threshold_expression';

/** The grounds of a threshold cell; one that cannot be read refuses the row. */
export function readThreshold(source: string, cell: string | null, lexicon: Lexicon): readonly Ground[] {
  if (cell === null) return [];
  const words = (text: string): Condition | null | undefined => {
    if (!lexicon.knows(source, COLUMN, text)) return undefined;
    const readings = lexicon.read(source, COLUMN, text);
    return readings.length === 0 ? null : allOf(readings.map((r) => ({ condition: conditionOf(r), at: [] })));
  };
  const read = parseThreshold(cell, words);
  return 'reason' in read ? refuse(read.reason, COLUMN, read.got, read.expected) : read;
}

/**
 * Threshold grounds as conditions. A time since a last dose takes its drugs from the target (`own`) or from what the
 * condition text names (`named`), whose "together with" it replaces.
 */
export function settleIntervals(
  grounds: readonly Ground[],
  named: readonly Found[],
  target: readonly DrugRef[],
): Found[] {
  let rest = [...named];
  const out: Found[] = [];
  for (const g of grounds) {
    const at = [{ column: COLUMN, quote: g.quote }];
    if ('condition' in g) {
      out.push({ condition: g.condition, at });
      continue;
    }
    const from = g.of === 'own' ? null : rest.find((f) => f.condition.type === 'co_medication');
    if (from === undefined)
      return refuse(
        'unparsable_threshold',
        COLUMN,
        g.quote,
        'a drug in condition_text that the time is about',
      );
    rest = rest.filter((f) => f !== from);
    const drugs = from?.condition.type === 'co_medication' ? from.condition.drugs : [...target];
    out.push({
      condition: { type: 'since_last_dose', drugs, bounds: g.interval },
      at: [...(from?.at ?? []), ...at],
    });
  }
  return [...rest, ...out];
}

/** Joins grounds: all of them, any, or at least k of n; a count that the row does not have refuses it. */
export function combined(grounds: readonly Found[], combine: string | null): Condition {
  const m = /^(?:all|any(?: of (?<any>\d+))?|at least (?<k>\d+) of (?<n>\d+))$/.exec(combine ?? 'all');
  if (!m) return refuse('unknown_word', 'combine', String(combine), 'all, any, any of n, at least k of n');
  const n = m.groups?.any ?? m.groups?.n;
  if (n !== undefined && Number(n) !== grounds.length)
    return refuse('contradiction', 'combine', String(combine), `${grounds.length} grounds were read`);
  if (grounds.length === 0) return ALWAYS;
  const of = grounds.map((g) => g.condition);
  const open = (c: Condition): Condition[] => (c.type === 'any' ? c.of.flatMap(open) : [c]);
  if (m.groups?.k !== undefined) return { type: 'at_least', n: Number(m.groups.k), of };
  if (combine?.startsWith('any')) return of.length === 1 ? of[0]! : { type: 'any', of: of.flatMap(open) };
  return allOf(grounds);
}

/** Can a condition hold only together with another drug, or soon after it? */
export function needsOtherDrug(c: Condition, target: readonly DrugRef[]): boolean {
  if (c.type === 'co_medication') return true;
  if (c.type === 'since_last_dose') return canonicalJson(c.drugs) !== canonicalJson(target);
  if (c.type === 'all') return c.of.some((part) => needsOtherDrug(part, target));
  return c.type === 'any' && c.of.every((part) => needsOtherDrug(part, target));
}
