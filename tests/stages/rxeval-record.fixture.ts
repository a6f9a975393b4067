/** A patient made by hand: rows of RECORD_TABLES, and the moment that they make. */
import { readFileSync } from 'node:fs';
import { loadClinical } from '../../stages/lib/clinical/tables.js';
import { foldDrug, parseDose, routeClass } from '../../stages/lib/drug-fold.js';
import {
  Moment,
  type MomentOrder,
  type Order,
  type RecordEvent,
  type RecordItem,
  type Span,
} from '../../stages/lib/record/moment.js';

export const HADM = 20000001;
const DAY = '2150-03-0';

/** `3 06:30` is 2150-03-03 06:30. The patient came in on day 1 at 08:00. */
export const at = (time: string): string => `${DAY}${time}:00`;

export const clinical = loadClinical((path) => readFileSync(path, 'utf8'));

export function item(label: string, value: string, more: Partial<RecordItem> = {}): RecordItem {
  const number = Number(value);
  return {
    event_id: '',
    item_n: 0,
    itemid: null,
    label,
    value,
    valuenum: Number.isFinite(number) && value !== '' ? number : null,
    unit: null,
    flag: null,
    is_shown: true,
    source_key: 'labevent_id=1',
    ...more,
  };
}

export const lab = {
  potassium: (value: string, more: Partial<RecordItem> = {}) =>
    item('Potassium', value, { itemid: 50971, unit: 'mEq/L', ...more }),
  creatinine: (value: string, more: Partial<RecordItem> = {}) =>
    item('Creatinine', value, { itemid: 50912, unit: 'mg/dL', ...more }),
  lactate: (value: string, more: Partial<RecordItem> = {}) =>
    item('Lactate', value, { itemid: 50813, unit: 'mmol/L', ...more }),
};

export function event(
  event_id: string,
  available_at: string,
  more: Partial<Omit<RecordEvent, 'items'>> & { items?: readonly RecordItem[] } = {},
): RecordEvent {
  const items = (more.items ?? []).map((i, n) => ({ ...i, event_id, item_n: n }));
  return {
    event_id,
    subject_id: 10000001,
    hadm_id: HADM,
    kind: 'lab',
    available_at,
    charted_at: available_at,
    text: items.map((i) => [i.label, i.value, i.unit].filter(Boolean).join(' ')).join(', '),
    order_id: null,
    is_shown: true,
    source_table: 'labevents',
    source_keys: '[]',
    ...more,
    items,
  };
}

export function span(span_id: string, section: string, text: string, more: Partial<Span> = {}): Span {
  const kind =
    section === 'allergies'
      ? 'allergy'
      : section === 'medications_on_admission'
        ? 'home_medication'
        : section === 'patient_information'
          ? 'demographic'
          : 'statement';
  return {
    span_id,
    hadm_id: HADM,
    section,
    kind,
    text,
    start_n: 0,
    end_n: text.length,
    name: kind === 'statement' || kind === 'demographic' ? null : text,
    dose_text: null,
    route: null,
    source_table: 'discharge',
    source_key: 'note_id=10000001-DS-1',
    note_start_n: 0,
    note_end_n: text.length,
    ...more,
  };
}

export function order(order_id: string, drug: string, more: Partial<Order> = {}): Order {
  const start = more.starttime ?? at('3 09:00');
  const dose = parseDose(more.dose_val_rx ?? null, more.dose_unit_rx ?? null);
  return {
    order_id,
    subject_id: 10000001,
    hadm_id: HADM,
    pharmacy_id: 1,
    poe_id: null,
    starttime: start,
    stoptime: null,
    ordertime: null,
    decided_at: start,
    drug,
    drug_fold: foldDrug(drug),
    dose_val_rx: null,
    dose_unit_rx: null,
    ...dose,
    route: null,
    route_class: routeClass(more.route ?? null),
    frequency: null,
    is_bag: false,
    components: '[]',
    transaction_type: 'New',
    discontinued_at: null,
    is_administered: null,
    non_decision_reason: null,
    continuation_reason: null,
    routine_reason: null,
    source_rows: '[]',
    ...more,
  };
}

export interface Hand {
  readonly events?: readonly RecordEvent[];
  readonly spans?: readonly Span[];
  /** Orders of the moment. */
  readonly answers?: readonly Order[];
  readonly prior?: Readonly<Record<string, { prior_class: string; prior_reason: string | null }>>;
  /** Further orders of the admission. */
  readonly orders?: readonly Order[];
  readonly cut_at?: string;
  readonly gender?: string;
}

export const TIMEPOINT = 'T000000000001';

/** Rows of all record tables, by input name. */
export function handRows(hand: Hand) {
  const answers = hand.answers ?? [];
  const spans = hand.spans ?? [];
  const texts = new Map<string, string[]>();
  for (const s of spans) texts.set(s.section, [...(texts.get(s.section) ?? []), s.text]);
  const events = hand.events ?? [];
  return {
    sampled_admissions: [
      {
        hadm_id: HADM,
        subject_id: 10000001,
        admittime: at('1 08:00'),
        dischtime: at('9 12:00'),
        admission_type: 'EW EMER.',
        service: 'MED',
        age: 64,
        gender: hand.gender ?? 'F',
        chapter: 'circulatory',
        has_note: true,
        split: 'test',
      },
    ],
    orders: [...(hand.orders ?? []), ...answers],
    events: events.map(({ items: _, ...row }) => row),
    event_items: events.flatMap((e) => e.items),
    profiles: [...texts].map(([section, parts]) => ({
      hadm_id: HADM,
      section,
      text: parts.join(' '),
      author: 'parser',
      source_table: 'discharge',
      source_key: 'note_id=10000001-DS-1',
    })),
    profile_spans: [...spans],
    timepoints: [
      {
        timepoint_id: TIMEPOINT,
        subject_id: 10000001,
        hadm_id: HADM,
        starttime: at('3 09:00'),
        cut_at: hand.cut_at ?? at('3 08:40'),
        phase: 'middle',
        rank_n: 2,
        ranks_n: 3,
        events_n: events.length,
        split: 'test',
      },
    ],
    timepoint_orders: answers.map((o) => ({
      timepoint_id: TIMEPOINT,
      order_id: o.order_id,
      drug: o.drug,
      drug_fold: o.drug_fold,
      dose_text: o.dose_text,
      route: o.route,
      is_answer: o.non_decision_reason === null,
      non_decision_reason: o.non_decision_reason,
      prior_class: hand.prior?.[o.order_id]?.prior_class ?? 'NEW',
      prior_reason: hand.prior?.[o.order_id]?.prior_reason ?? null,
    })),
  };
}

/** The moment of the rows. */
export function handMoment(hand: Hand): Moment {
  const rows = handRows(hand);
  const byId = new Map(rows.orders.map((o) => [o.order_id, o]));
  return new Moment({
    timepoint: rows.timepoints[0]!,
    patient: rows.sampled_admissions[0]!,
    sections: rows.profiles,
    spans: rows.profile_spans,
    allEvents: [...(hand.events ?? [])].sort((a, b) => (a.available_at < b.available_at ? -1 : 1)),
    momentOrders: rows.timepoint_orders.map((o): MomentOrder => ({ ...o, order: byId.get(o.order_id)! })),
    orders: rows.orders,
  });
}
