/** What a note tells of the orders of the stay: drugs that were new, and drugs by mouth that ran at discharge. */
import type { Course } from './admission.js';
import type { Drug } from './formulary.js';
import type { Cell } from './rows.js';
import { HOUR } from './time.js';

/** Columns of prescriptions that a note needs; times in seconds. */
export interface OrderRow {
  readonly drug_type: string;
  readonly drug: Cell;
  readonly starttime: number | null;
  readonly stoptime: number | null;
  readonly route: Cell;
  readonly dose_val_rx: Cell;
  readonly dose_unit_rx: Cell;
}

/** A drug first ordered in the stay. */
export interface NewOrder {
  readonly drug: string;
  readonly at: number;
}

/** A drug by mouth that ran at discharge, with its dose. */
export interface LastOrder {
  readonly drug: string;
  readonly dose: string;
}

/** What no course mentions: flushes and fluids. */
const UNTOLD = /flush|^sodium chloride|^sw$|^ns$|^iso-osmotic|^d5|vaccine|lactated/i;

/** What a course leaves out of its new medicines, as everybody has it. */
const USUAL =
  /senna|docusate|bisacodyl|polyethylene|acetaminophen|glucagon|dextrose|ondansetron|chlorhexidine|^insulin$|tears|miconazole|nicotine|glucose gel/i;

/** Both lists by time of the first order, home drugs left out of the first one. */
export function ordersTold(
  rows: readonly OrderRow[],
  home: readonly Drug[],
  course: Course,
): { newOrders: NewOrder[]; lastOrders: LastOrder[] } {
  const taken = new Set(home.map((d) => d.name.toLowerCase()));
  const newOrders = new Map<string, NewOrder>();
  const lastOrders = new Map<string, LastOrder>();
  const told = rows
    .filter((x) => x.drug_type === 'MAIN' && x.starttime !== null && x.starttime < course.dischtime)
    .map((x) => ({
      ...x,
      name: String(x.drug ?? '')
        .trim()
        .replace(/ {2,}/g, ' '),
    }))
    .filter((x) => x.name !== '' && !UNTOLD.test(x.name))
    .sort((a, b) => a.starttime! - b.starttime! || (a.name < b.name ? -1 : 1));
  for (const x of told) {
    const key = x.name.toLowerCase();
    if (taken.has(key)) continue;
    if (!newOrders.has(key) && !USUAL.test(x.name)) newOrders.set(key, { drug: x.name, at: x.starttime! });
    const isRunning = x.stoptime === null || x.stoptime >= course.dischtime - 12 * HOUR;
    if (!isRunning || !/^PO/.test(String(x.route ?? ''))) continue;
    lastOrders.set(key, { drug: x.name, dose: `${x.dose_val_rx ?? ''} ${x.dose_unit_rx ?? ''}`.trim() });
  }
  return { newOrders: [...newOrders.values()], lastOrders: [...lastOrders.values()] };
}
