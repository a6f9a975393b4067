/** How the words of an order read: folded name, route class, dose, and what the lists of this stage say about them. */
import { col, table } from '../../schemas/table.js';
import type { SqlRow, StageContext } from '../contract.js';
import { type CsvRecord, parseCsv } from '../lib/csv.js';
import { doseKey, foldDrug, parseDose, plainName, routeClass } from '../lib/drug-fold.js';

const FOLDER = 'stages/gather-orders';
export const NON_DECISIONS = `${FOLDER}/non-decisions.csv`;
export const ROUTINE = `${FOLDER}/routine.csv`;

/** The words of an order that are read; every distinct combination is read once. */
export interface OrderWords {
  readonly drug: string;
  readonly route: string | null;
  readonly dose_val_rx: string | null;
  readonly dose_unit_rx: string | null;
  readonly form_unit_disp: string | null;
  readonly frequency: string | null;
}

export const readings = table({
  name: 'readings',
  doc: 'distinct words of orders and how they read',
  key: 'all',
  row: {
    drug: col.text(),
    route: col.text().nullable(),
    dose_val_rx: col.text().nullable(),
    dose_unit_rx: col.text().nullable(),
    form_unit_disp: col.text().nullable(),
    frequency: col.text().nullable(),
    drug_fold: col.text(),
    route_class: col.text().nullable(),
    dose_low: col.double().nullable(),
    dose_high: col.double().nullable(),
    dose_text: col.text().nullable(),
    dose_key: col.text(),
    is_bag: col.bool(),
    name_reason: col.text().nullable(),
    routine_reason: col.text().nullable(),
  },
});

/** A line of a list: every filled condition must hold. */
interface ListLine {
  readonly reason: string;
  readonly pattern: RegExp | null;
  readonly route_class: string | null;
  readonly frequency: RegExp | null;
  readonly max_dose: number | null;
}

/** Reads a list of this stage; `column` names its reasons. */
function readList(ctx: Pick<StageContext, 'file'>, path: string, column: string): ListLine[] {
  return parseCsv(ctx.file(path), path).map((r: CsvRecord) => ({
    reason: r[column]!,
    pattern: r.pattern ? new RegExp(r.pattern) : null,
    route_class: r.route_class || null,
    frequency: r.frequency ? new RegExp(r.frequency) : null,
    max_dose: r.max_dose ? Number(r.max_dose) : null,
  }));
}

/** Returns the function that reads the words of an order by the lists of this stage. */
export function orderReader(ctx: Pick<StageContext, 'file'>): (words: OrderWords) => SqlRow {
  const nonDecisions = readList(ctx, NON_DECISIONS, 'reason');
  const routine = readList(ctx, ROUTINE, 'routine');
  return (words) => {
    const route_class = routeClass(words.route);
    const is_bag = isBag(words, route_class);
    const dose = parseDose(words.dose_val_rx, words.dose_unit_rx);
    const reason = (list: readonly ListLine[]): string | null =>
      list.find((line) => holds(line, { ...words, route_class, dose: dose.dose_high }))?.reason ?? null;
    return {
      ...words,
      drug_fold: foldDrug(words.drug),
      route_class,
      dose_low: dose.dose_low,
      dose_high: dose.dose_high,
      dose_text: is_bag ? null : dose.dose_text,
      // Bags of another strength go on with the same infusion (P89).
      dose_key: is_bag ? 'bag' : doseKey(words.dose_val_rx, words.dose_unit_rx),
      is_bag,
      name_reason: reason(nonDecisions),
      routine_reason: reason(routine),
    };
  };
}

interface Judged {
  readonly drug: string;
  readonly route_class: string | null;
  readonly frequency: string | null;
  readonly dose: number | null;
}

function holds(line: ListLine, order: Judged): boolean {
  if (line.pattern && !line.pattern.test(plainName(order.drug))) return false;
  if (line.route_class && line.route_class !== order.route_class) return false;
  if (line.frequency && !line.frequency.test(order.frequency?.trim().toUpperCase() ?? '')) return false;
  return line.max_dose === null || (order.dose !== null && order.dose <= line.max_dose);
}

/**
 * True where the recorded dose is what hangs in the bag or syringe of an infusion (P89): the route is a drip, the unit
 * is a bag, the rate is titrated, or units (heparin, insulin) come premixed and run by a scale.
 */
function isBag(words: OrderWords, route_class: string | null): boolean {
  const upper = (text: string | null): string => text?.trim().toUpperCase() ?? '';
  if (upper(words.route) === 'IV DRIP' || upper(words.dose_unit_rx) === 'BAG') return true;
  if (route_class !== 'IV') return false;
  const frequency = upper(words.frequency);
  if (/^(TITRATE|INFUSION|SLIDING SCALE)/.test(frequency)) return true;
  return (
    frequency === 'ASDIR' && upper(words.form_unit_disp) === 'BAG' && upper(words.dose_unit_rx) === 'UNIT'
  );
}
