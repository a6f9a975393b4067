/** Writes orders as prescriptions, pharmacy, poe and poe_detail hold them. */
import { PROVIDERS, provider, type Subject } from './context.js';
import type { Drug, Formulary } from './formulary.js';
import { round } from './math.js';
import { hasCarrier, type Piece } from './order-course.js';
import type { Stream } from './rng.js';
import type { PharmacyRow, PoeRow, PrescriptionRow } from './rows.js';
import { HOUR, MINUTE } from './time.js';

/** Room for pharmacy ids of a subject; the last of them are for rows that faults add. */
const PHARMACY_IDS = 800;
const OWN_IDS = 700;
/** Share of orders without a link to the order system (demo: 0.7 percent of prescriptions). */
const UNLINKED = 0.007;

/** An order with its rows. */
export interface Written {
  readonly piece: Piece;
  readonly main: PrescriptionRow;
  /** BASE and ADDITIVE rows of the same pharmacy_id. */
  readonly parts: readonly PrescriptionRow[];
  readonly pharmacy: PharmacyRow;
  /** Null where the order has no link. */
  readonly poe: PoeRow | null;
}

/** Ids of one subject's orders. */
export class OrderIds {
  private pharmacy = 0;
  private added = OWN_IDS;
  private seq = 0;
  private readonly s: Subject;

  constructor(s: Subject) {
    this.s = s;
  }

  nextPharmacy(): number {
    if (this.pharmacy >= OWN_IDS) throw new Error(`subject ${this.s.subject_id} has too many orders`);
    return this.idOf(++this.pharmacy);
  }

  /** For a row that a fault adds: the ids of all others stay those of the clean extract. */
  addedPharmacy(): number {
    if (this.added >= PHARMACY_IDS) throw new Error(`subject ${this.s.subject_id} has too many added orders`);
    return this.idOf(++this.added);
  }

  nextPoe(): { poe_id: string; poe_seq: number } {
    const poe_seq = ++this.seq;
    return { poe_id: `${this.s.subject_id}-${poe_seq}`, poe_seq };
  }

  private idOf(n: number): number {
    return 10_000_000 + this.s.person.i * PHARMACY_IDS + n;
  }
}

/** Writes all orders of the index admission; the admission, transfers and discharge have orders of their own. */
export function writeOrders(
  s: Subject,
  formulary: Formulary,
  pieces: readonly Piece[],
  ids: OrderIds,
): Written[] {
  const hadm_id = s.rows.admissions[0]!.hadm_id;
  const r = s.stream('order rows');
  const sorted = [...pieces].sort(
    (a, b) =>
      a.orderAt - b.orderAt || a.startAt - b.startAt || (a.therapy.drugKey < b.therapy.drugKey ? -1 : 1),
  );
  const written = sorted.map((piece): Written => {
    const pharmacy_id = ids.nextPharmacy();
    const isLinked = !r.chance(UNLINKED);
    const base = { subject_id: s.subject_id, hadm_id, pharmacy_id };
    const doctor = provider(r.int(0, PROVIDERS - 1));
    const poe = isLinked ? newPoe(s, hadm_id, piece, doctor) : null;
    const main = prescription({ ...base, order_provider_id: doctor }, piece.therapy.drug, 'MAIN', piece, r);
    const parts = partsOf(formulary, piece, r).map(({ drug, type }) =>
      prescription({ ...base, order_provider_id: doctor }, drug, type, piece, r),
    );
    return { piece, main, parts, pharmacy: pharmacyRow(base, piece, main, r), poe };
  });
  linkPoe(s, hadm_id, written, ids);
  for (const w of written) {
    s.rows.prescriptions.push(w.main, ...w.parts);
    s.rows.pharmacy.push(w.pharmacy);
  }
  return written;
}

/** Carrier fluids by how the drug comes; ADDITIVE is rare (demo: 19 of 18,087 rows). */
function partsOf({ drugs }: Formulary, piece: Piece, r: Stream): { drug: Drug; type: 'BASE' | 'ADDITIVE' }[] {
  const { drug } = piece.therapy;
  if (drug.group === 'fluid' && r.chance(0.02)) return [{ drug: drugs.get('kcl_iv')!, type: 'ADDITIVE' }];
  if (!hasCarrier(piece) || r.chance(0.01)) return [];
  const strength = drug.row.prod_strength!;
  const key = /Frozen|Duplex|Premix Bag/.test(strength)
    ? 'iso_dex_base'
    : /^(Potassium|Magnesium)/.test(drug.name) || drug.key === 'd5w_base'
      ? 'sw_base'
      : drug.row.route === 'IV DRIP'
        ? 'd5w_base'
        : 'ns_base';
  const one = { drug: drugs.get(key)!, type: 'BASE' as const };
  return r.chance(0.12)
    ? [one, { drug: drugs.get(key === 'sw_base' ? 'ns_base' : 'sw_base')!, type: 'BASE' }]
    : [one];
}

/** Aliases that are another name, not another spelling. */
const otherNames = (drug: Drug): string[] =>
  drug.aliases.filter((a) => a.trim().toLowerCase() !== drug.name.trim().toLowerCase());

function prescription(
  base: { subject_id: number; hadm_id: number; pharmacy_id: number; order_provider_id: string },
  drug: Drug,
  drug_type: PrescriptionRow['drug_type'],
  { startAt, stopAt, doseFactor }: Piece,
  r: Stream,
): PrescriptionRow {
  const { row } = drug;
  const others = drug_type === 'MAIN' ? otherNames(drug) : [];
  const code = codeOf(row.formulary_drug_cd!);
  return {
    ...base,
    poe_id: null,
    poe_seq: null,
    starttime: startAt,
    stoptime: stopAt,
    drug_type,
    drug: others.length > 0 && r.chance(0.06) ? r.pick(others) : drug.name,
    formulary_drug_cd: row.formulary_drug_cd!,
    gsn: code.gsn,
    ndc: code.ndc,
    prod_strength: row.prod_strength!,
    form_rx: r.chance(0.0007) ? row.form_rx || 'TAB' : null,
    dose_val_rx: scaled(row.dose_val_rx!, doseFactor),
    dose_unit_rx: row.dose_unit_rx!,
    form_val_disp: scaled(row.form_val_disp!, doseFactor),
    form_unit_disp: row.form_unit_disp!,
    doses_per_24_hrs: row.doses_per_24_hrs === '' ? null : Number(row.doses_per_24_hrs),
    route: row.route!,
  };
}

const scaled = (text: string, factor: number): string =>
  factor === 1 || !/^\d*\.?\d+$/.test(text) ? text : String(round(Number(text) * factor, 4));

/** Product codes made up from the formulary code: 99999 is no labeler of the national directory. */
export function codeOf(formulary: string): { gsn: string; ndc: string } {
  let n = 7;
  for (const c of formulary) n = (n * 31 + c.charCodeAt(0)) % 999_983;
  const digits = String(n).padStart(6, '0');
  return { gsn: digits, ndc: `99999${digits}` };
}

function newPoe(s: Subject, hadm_id: number, piece: Piece, order_provider_id: string): PoeRow {
  const isFluid = piece.therapy.drug.group === 'fluid';
  return {
    poe_id: '',
    poe_seq: 0,
    subject_id: s.subject_id,
    hadm_id,
    ordertime: piece.orderAt,
    order_type: isFluid ? 'IV therapy' : 'Medications',
    order_subtype: isFluid ? 'IV fluids' : null,
    transaction_type: piece.replaces ? 'Change' : 'New',
    discontinue_of_poe_id: null,
    discontinued_by_poe_id: null,
    order_provider_id,
    order_status: 'Inactive',
  };
}

/** Numbers the orders by time and links what replaces and ends what. */
function linkPoe(s: Subject, hadm_id: number, written: readonly Written[], ids: OrderIds): void {
  const poeOf = new Map(written.map((w) => [w.piece, w.poe]));
  const rows: PoeRow[] = written.flatMap((w) => (w.poe ? [w.poe] : []));
  const ending: { row: PoeRow; of: PoeRow }[] = [];
  for (const { piece, poe } of written) {
    if (!poe || piece.endedBy !== 'dc' || piece.endedAt === null) continue;
    const row: PoeRow = { ...poe, ordertime: piece.endedAt, transaction_type: 'D/C' };
    ending.push({ row, of: poe });
    rows.push(row);
  }
  const care = careOrders(s, hadm_id);
  rows.push(...care.map((c) => c.row));
  rows.sort((a, b) => a.ordertime - b.ordertime);
  for (const row of rows) Object.assign(row, ids.nextPoe());
  for (const { row, of } of ending) {
    row.discontinue_of_poe_id = of.poe_id;
    of.discontinued_by_poe_id = row.poe_id;
  }
  for (const { piece, poe, main, parts, pharmacy } of written) {
    const old = piece.replaces ? poeOf.get(piece.replaces) : null;
    if (poe && old) {
      poe.discontinue_of_poe_id = old.poe_id;
      old.discontinued_by_poe_id = poe.poe_id;
    }
    for (const row of [main, ...parts]) {
      row.poe_id = poe?.poe_id ?? null;
      row.poe_seq = poe ? 1 : null;
    }
    pharmacy.poe_id = poe?.poe_id ?? null;
  }
  s.rows.poe.push(...rows);
  for (const { row, detail } of care) {
    const { poe_id, poe_seq, subject_id } = row;
    s.rows.poe_detail.push({ poe_id, poe_seq, subject_id, field_name: detail[0], field_value: detail[1] });
  }
}

/** Orders that move the patient, and the code status. */
function careOrders(s: Subject, hadm_id: number): { row: PoeRow; detail: readonly [string, string] }[] {
  const r = s.stream('care orders');
  const service = String(s.rows.services[0]!.curr_service);
  const out: { row: PoeRow; detail: readonly [string, string] }[] = [];
  const add = (
    ordertime: number,
    order_type: string,
    order_subtype: string | null,
    ...detail: [string, string]
  ) =>
    void out.push({
      row: {
        ...{
          poe_id: '',
          poe_seq: 0,
          subject_id: s.subject_id,
          hadm_id,
          ordertime,
          order_type,
          order_subtype,
        },
        ...{ transaction_type: 'New', discontinue_of_poe_id: null, discontinued_by_poe_id: null },
        order_provider_id: provider(r.int(0, PROVIDERS - 1)),
        order_status: 'Inactive',
      },
      detail,
    });
  for (const t of s.rows.transfers) {
    if (t.hadm_id !== hadm_id || t.eventtype === 'ED') continue;
    const at = (t.intime as number) - r.int(5, 90) * MINUTE + r.int(0, 59);
    if (t.eventtype === 'admit') {
      add(at, 'ADT orders', 'Admit', 'Admit to', service);
      add(at, 'General Care', 'Code status', 'Code status', 'Resuscitate (Full code)');
    } else if (t.eventtype === 'transfer') add(at, 'ADT orders', 'Transfer', 'Transfer to', service);
    else add(at - HOUR, 'ADT orders', 'Discharge', 'Discharge Planning', 'Finalized');
  }
  return out;
}

/** Hours at which a frequency is given, as pharmacy.disp_sched writes them. */
const SCHEDULES: Readonly<Record<string, string>> = {
  DAILY: '08',
  DAILY16: '16',
  QAM: '08',
  QPM: '20',
  QHS: '22',
  Bedtime: '22',
  BID: '08, 20',
  TID: '08, 14, 20',
  'TID W/MEALS': '08, 12, 17',
  QID: '08, 12, 16, 20',
  Q24H: '18',
  Q12H: '0, 12',
  'Q 12H': '8, 20',
  Q8H: '0, 8, 16',
  Q6H: '10, 16, 22, 4',
  Q4H: '0, 4, 8, 12, 16, 20',
  Q2H: '0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22',
};

/** Hours of the day at which a frequency is given; empty where nothing is scheduled. */
export const dosingHours = (frequency: string): number[] =>
  (SCHEDULES[frequency] ?? '').split(', ').filter(Boolean).map(Number);

const STATUS = {
  expired: 'Expired',
  dc: 'Discontinued',
  change: 'Inactive (Due to a change order)',
  discharge: 'Discontinued via patient discharge',
} as const;

function pharmacyRow(
  base: { subject_id: number; hadm_id: number; pharmacy_id: number },
  piece: Piece,
  main: PrescriptionRow,
  r: Stream,
): PharmacyRow {
  const { drug } = piece.therapy;
  const isIv = drug.procType !== 'Unit Dose';
  const isSingle = /^(ONCE|NOW X1)/.test(drug.frequency);
  const entertime = piece.orderAt + r.int(40, 900);
  return {
    ...base,
    poe_id: null,
    starttime: piece.startAt,
    stoptime: piece.stopAt,
    medication: main.drug!,
    proc_type: drug.procType,
    status: STATUS[piece.endedBy],
    entertime,
    verifiedtime: entertime,
    route: drug.row.route!,
    frequency: drug.frequency,
    disp_sched:
      SCHEDULES[drug.frequency] ?? (isSingle ? String(Math.floor(piece.startAt / HOUR) % 24) : null),
    infusion_type: drug.procType === 'IV Large Volume' ? (drug.row.route === 'IV DRIP' ? 'C' : 'B') : null,
    sliding_scale: drug.group === 'insulin' ? (drug.frequency === 'ASDIR' ? 'Y' : 'N') : null,
    lockout_interval: null,
    basal_rate: null,
    one_hr_max: null,
    doses_per_24_hrs: main.doses_per_24_hrs,
    duration: isSingle ? 1 : null,
    duration_interval: isSingle ? 'Doses' : 'Ongoing',
    expiration_value: isIv ? 36 : 365,
    expiration_unit: isIv ? 'Hours' : 'Days',
    expirationdate: null,
    dispensation: isIv && r.chance(0.3) ? 'IV MED' : r.chance(0.85) ? 'Omnicell' : 'Floor Stock Item',
    fill_quantity: null,
  };
}
