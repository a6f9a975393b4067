/** Faults of dirty_rows.csv on orders. What MIMIC really does is only listed; the rest is planted in dirty extracts. */
import { record, type Subject } from './context.js';
import type { Formulary } from './formulary.js';
import { round } from './math.js';
import { isInfusion } from './order-course.js';
import { codeOf, type OrderIds, type Written } from './order-rows.js';
import type { Stream } from './rng.js';
import type { Cell, PrescriptionRow } from './rows.js';
import { DAY, HOUR, MINUTE, timeText } from './time.js';

interface Planting {
  readonly s: Subject;
  readonly r: Stream;
  readonly written: readonly Written[];
  /** Orders that a fault has changed: no second one falls on them. */
  readonly used: Set<Written>;
  readonly ids: OrderIds;
  readonly formulary: Formulary;
  readonly isDirty: boolean;
}

/** Lists D68, D69, D71 to D73, D75 and D99; plants D61, D63, D65 to D67, D70, D74, D76 and D90. */
export function plantOrderFaults(
  s: Subject,
  x: { written: readonly Written[]; batches: readonly number[]; ids: OrderIds; formulary: Formulary },
): void {
  const isDirty = s.config.profile === 'dirty';
  const p: Planting = { s, r: s.stream('order faults'), used: new Set(), isDirty, ...x };
  const again = x.written.filter((w) => isAgain(w, x.written));
  // Rows that are added copy others, so they come before the others change.
  added(p, 'D63');
  added(p, 'D67');
  withdrawn(p);
  stopBeforeStart(p);
  doseAsText(p);
  oddName(p);
  oddRoute(p);
  noCode(p);
  quotedEmpty(p);
  listNatural(p, again, x.batches);
}

const keyOf = (row: PrescriptionRow): string => `pharmacy_id=${row.pharmacy_id};drug_type=${row.drug_type}`;

function note(
  p: Planting,
  id: string,
  row: PrescriptionRow,
  column: keyof PrescriptionRow,
  clean: Cell,
  dirty: Cell,
  expectation?: string,
): void {
  record(p.s, id, {
    table: 'hosp.prescriptions',
    key: keyOf(row),
    column,
    clean_value: clean,
    dirty_value: dirty,
    ...(expectation ? { expectation } : {}),
  });
}

/** As many of the rows as the quota gives, by chance. */
function some<T>(p: Planting, id: string, list: readonly T[]): T[] {
  const n = p.s.quota.take(id, list.length);
  if (n === list.length) return [...list];
  return list
    .map((x, k) => ({ x, k, u: p.r.float() }))
    .sort((a, b) => a.u - b.u)
    .slice(0, n)
    .sort((a, b) => a.k - b.k)
    .map(({ x }) => x);
}

/** Orders of the fault that nothing else has changed; they are taken from then on. */
function take(p: Planting, id: string, isFit: (w: Written) => boolean): Written[] {
  const chosen = some(
    p,
    id,
    p.written.filter((w) => !p.used.has(w) && isFit(w)),
  );
  for (const w of chosen) p.used.add(w);
  return p.isDirty ? chosen : [];
}

/** What stands there anyway is listed last, with the values that other faults left. */
function listNatural(p: Planting, again: readonly Written[], batches: readonly number[]): void {
  const { s, written } = p;
  for (const w of some(
    p,
    'D68',
    written.filter((x) => x.parts.length > 0),
  ))
    note(p, 'D68', w.main, 'drug_type', null, 'MAIN', `one order with ${w.parts.length + 1} rows`);
  for (const w of some(
    p,
    'D69',
    written.filter((x) => x.piece.therapy.drug.group === 'flush'),
  ))
    note(p, 'D69', w.main, 'drug', null, w.main.drug);
  for (const w of some(p, 'D71', again))
    note(p, 'D71', w.main, 'starttime', null, timeText(w.main.starttime!));
  for (const w of some(
    p,
    'D73',
    written.flatMap((x) =>
      x.poe && x.poe.ordertime % HOUR !== 0 ? [x.main, ...x.parts].map((row) => ({ row, poe: x.poe! })) : [],
    ),
  ))
    note(p, 'D73', w.row, 'starttime', timeText(w.poe.ordertime), timeText(w.row.starttime!));
  const infusions = written.filter((x) => isInfusion(x.piece));
  for (const w of some(p, 'D99', infusions)) note(p, 'D99', w.main, 'dose_val_rx', null, w.main.dose_val_rx);
  const hadm_id = s.rows.admissions[0]!.hadm_id;
  for (const at of batches) {
    const n = written.filter((w) => w.piece.kind === 'reentry' && w.piece.orderAt === at).length;
    record(s, 'D72', {
      table: 'hosp.poe',
      key: `hadm_id=${hadm_id};ordertime=${timeText(at)}`,
      column: 'ordertime',
      clean_value: null,
      dirty_value: timeText(at),
      expectation: `${n} orders entered again; no timepoint of their own`,
    });
  }
  if (!s.wants.has('D75')) return;
  record(s, 'D75', {
    table: 'hosp.emar',
    key: `hadm_id=${hadm_id}`,
    column: '',
    clean_value: null,
    dirty_value: 'no row',
  });
}

/** The same drug, dose and route began within a day of an earlier order's end. */
function isAgain({ piece, main }: Written, written: readonly Written[]): boolean {
  if (piece.kind === 'reentry') return false;
  return written.some((o) => {
    const isSame =
      o.main.drug === main.drug && o.main.dose_val_rx === main.dose_val_rx && o.main.route === main.route;
    const gap = piece.startAt - o.piece.stopAt;
    return isSame && o.piece.startAt < piece.startAt && gap >= 0 && gap <= DAY;
  });
}

/** D61: stops 1 to 24 h before it starts. */
function stopBeforeStart(p: Planting): void {
  for (const { main, parts, pharmacy } of take(p, 'D61', () => true)) {
    const clean = main.stoptime!;
    const stop = main.starttime! - p.r.int(1, 24) * HOUR;
    for (const row of [main, ...parts]) row.stoptime = stop;
    pharmacy.stoptime = stop;
    note(p, 'D61', main, 'stoptime', timeText(clean), timeText(stop));
  }
}

/** D65: a range, or thousands with a comma. Doses that are so anyway are listed first. */
function doseAsText(p: Planting): void {
  const isText = (w: Written): boolean => /[-,]/.test(w.main.dose_val_rx ?? '');
  const isFit = (w: Written): boolean => isText(w) || Number(w.main.dose_val_rx) >= 0.5;
  const chosen = some(
    p,
    'D65',
    [...p.written]
      .filter((w) => !p.used.has(w) && isFit(w))
      .sort((a, b) => Number(isText(b)) - Number(isText(a))),
  );
  for (const w of chosen) {
    p.used.add(w);
    const clean = w.main.dose_val_rx!;
    if (p.isDirty && !isText(w)) w.main.dose_val_rx = asRange(Number(clean), p.r);
    const [low, high] = w.main.dose_val_rx!.replaceAll(',', '').split('-').map(Number);
    note(p, 'D65', w.main, 'dose_val_rx', clean, w.main.dose_val_rx, `low ${low}, high ${high ?? low}`);
  }
}

function asRange(dose: number, r: Stream): string {
  if (dose >= 1000 && r.chance(0.6)) return thousands(dose);
  return r.chance(0.5) ? `${round(dose / 2, 3)}-${dose}` : `${dose}-${round(dose * 2, 3)}`;
}

const thousands = (dose: number): string => String(dose).replace(/\B(?=(\d{3})+$)/g, ',');

/** D66: another case, a double or a trailing blank. */
function oddName(p: Planting): void {
  for (const { main, piece } of take(p, 'D66', () => true)) {
    const clean = main.drug!;
    const twins = piece.therapy.drug.aliases.filter((a) => a !== clean && folded(a) === folded(clean));
    const made = [`${clean} `, clean.toLowerCase(), clean.toUpperCase(), clean.replace(' ', '  ')];
    main.drug = p.r.pick([...twins, ...made].filter((x) => x !== clean));
    note(p, 'D66', main, 'drug', clean, main.drug);
  }
}

const folded = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase();

/** Routes that mean the same, or nothing (D70). */
const ROUTES: Readonly<Record<string, readonly (string | null)[]>> = {
  'PO/NG': ['PO', 'ORAL', null],
  PO: ['PO/NG', 'ORAL'],
  SC: ['SUBCUT'],
  IH: ['NEB'],
  NEB: ['IH'],
};

function oddRoute(p: Planting): void {
  for (const { main } of take(p, 'D70', (w) => (w.main.route ?? '') in ROUTES)) {
    const clean = main.route!;
    main.route = p.r.pick(ROUTES[clean]!);
    note(p, 'D70', main, 'route', clean, main.route);
  }
}

/** D76: no product codes. */
function noCode(p: Planting): void {
  const rows = some(
    p,
    'D76',
    p.written.flatMap((w) => [w.main, ...w.parts]),
  );
  for (const row of p.isDirty ? rows : []) {
    const clean = row.ndc;
    row.ndc = '0';
    row.gsn = null;
    note(p, 'D76', row, 'ndc', clean, '0');
  }
}

/** D90: a quoted empty field where others are bare. */
function quotedEmpty(p: Planting): void {
  const rows = some(
    p,
    'D90',
    p.written.map((w) => w.main).filter((row) => row.form_rx === null),
  );
  for (const row of p.isDirty ? rows : []) {
    row.form_rx = '';
    note(p, 'D90', row, 'form_rx', null, '');
  }
}

/** D63 and D67: an order more, without a start or without a drug; it has no order in the order system. */
function added(p: Planting, id: 'D63' | 'D67'): void {
  const n = p.s.quota.take(id, p.written.length > 0 ? 1 : 0);
  if (n === 0 || !p.isDirty) return;
  const like = p.r.pick(p.written);
  const pharmacy_id = p.ids.addedPharmacy();
  const row: PrescriptionRow = { ...like.main, pharmacy_id, poe_id: null, poe_seq: null };
  if (id === 'D63') row.starttime = null;
  else row.drug = null;
  p.s.rows.prescriptions.push(row);
  p.s.rows.pharmacy.push({ ...like.pharmacy, pharmacy_id, poe_id: null });
  note(p, id, row, id === 'D63' ? 'starttime' : 'drug', null, null);
}

/** D74: an order that is withdrawn within half an hour; nobody gave it and no rule asked for it. */
function withdrawn(p: Planting): void {
  const { s, r } = p;
  const n = s.quota.take('D74', p.written.some((w) => w.poe) ? 1 : 0);
  if (n === 0 || !p.isDirty) return;
  const like = r.pick(p.written.filter((w) => w.poe));
  const drugs = [...p.formulary.drugs.values()].filter(
    (d) => d.row.role === 'reasoned' && d.key !== like.piece.therapy.drugKey,
  );
  const { name, row } = r.pick(drugs);
  const pharmacy_id = p.ids.addedPharmacy();
  const orderId = p.ids.nextPoe();
  const endId = p.ids.nextPoe();
  const after = r.int(3, 28) * MINUTE + r.int(0, 59);
  const ordertime = like.poe!.ordertime;
  const poe = {
    ...like.poe!,
    ...orderId,
    transaction_type: 'New',
    discontinue_of_poe_id: null,
    discontinued_by_poe_id: endId.poe_id,
  };
  s.rows.poe.push(poe, {
    ...poe,
    ...endId,
    ordertime: ordertime + after,
    transaction_type: 'D/C',
    discontinue_of_poe_id: orderId.poe_id,
    discontinued_by_poe_id: null,
  });
  const { startAt } = like.piece;
  const main: PrescriptionRow = {
    ...like.main,
    ...codeOf(row.formulary_drug_cd!),
    ...{ pharmacy_id, poe_id: orderId.poe_id, poe_seq: 1, drug: name, route: row.route!, starttime: startAt },
    ...{ stoptime: startAt, formulary_drug_cd: row.formulary_drug_cd!, prod_strength: row.prod_strength! },
    ...{ dose_val_rx: row.dose_val_rx!, dose_unit_rx: row.dose_unit_rx!, form_val_disp: row.form_val_disp! },
    form_unit_disp: row.form_unit_disp!,
    doses_per_24_hrs: row.doses_per_24_hrs === '' ? null : Number(row.doses_per_24_hrs),
  };
  s.rows.prescriptions.push(main);
  s.rows.pharmacy.push({
    ...like.pharmacy,
    ...{
      pharmacy_id,
      poe_id: orderId.poe_id,
      medication: name,
      proc_type: row.proc_type!,
      route: row.route!,
    },
    ...{ frequency: row.frequency!, status: 'Discontinued', starttime: startAt, stoptime: startAt },
  });
  record(s, 'D74', {
    table: 'hosp.poe',
    key: `poe_id=${orderId.poe_id}`,
    column: 'discontinued_by_poe_id',
    clean_value: null,
    dirty_value: endId.poe_id,
    expectation: `${name} withdrawn after ${Math.floor(after / MINUTE)} minutes`,
  });
}
