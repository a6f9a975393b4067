/** Rows of rxeval before any author: sampled admissions, orders, events, profile, moments of prescribing. */
import { col, table } from './table.js';

/** Thirds of the eligible moments of an admission, by rank. */
export const PHASES = ['early', 'middle', 'late'] as const;
export type Phase = (typeof PHASES)[number];

/** What the events of a trajectory are about. `vital` and `output` are off with `events: paper`. */
export const EVENT_KINDS = [
  'prescription',
  'lab',
  'procedure',
  'radiology',
  'culture',
  'vital',
  'output',
] as const;

/** Sections of the profile, in the order in which a reader sees them. */
export const PROFILE_SECTIONS = [
  'patient_information',
  'allergies',
  'chief_complaint',
  'history_of_present_illness',
  'review_of_systems',
  'past_medical_history',
  'social_history',
  'family_history',
  'physical_exam',
  'medications_on_admission',
] as const;
export type ProfileSection = (typeof PROFILE_SECTIONS)[number];

/** What stands in a section of which nothing is known. */
export const UNKNOWN = 'Unknown';

/** A table of steps with how many are left after each; every stage that leaves something out has one. */
export const funnelOf = (name: string) =>
  table({
    name,
    doc: 'what is left after each step, in order; `unit` says of what',
    key: ['stage', 'step_n', 'unit'],
    row: {
      stage: col.text(),
      step_n: col.int(),
      step: col.text(),
      unit: col.text(),
      n: col.bigint(),
    },
  });

export const admissionFunnel = funnelOf('admission_funnel');
export const timepointFunnel = funnelOf('timepoint_funnel');
export const selectionFunnel = funnelOf('selection_funnel');
export const chainFunnel = funnelOf('chain_funnel');
export const distractorFunnel = funnelOf('distractor_funnel');

export const sampledAdmissions = table({
  name: 'sampled_admissions',
  doc: 'admissions that questions may come from',
  key: ['hadm_id'],
  row: {
    hadm_id: col.int(),
    subject_id: col.int(),
    admittime: col.timestamp(),
    dischtime: col.timestamp(),
    admission_type: col.text(),
    /** First service of the admission; null where none is on record. */
    service: col.text().nullable(),
    /** Years at admission; 91 stands for every age over 89. */
    age: col.int(),
    gender: col.text(),
    /** Chapter of the first-listed diagnosis, for strata and statistics only. */
    chapter: col.text(),
    has_note: col.bool(),
    split: col.text(),
  },
});

export const orders = table({
  name: 'orders',
  doc: 'one MAIN order of a sampled admission: as recorded, and how it reads as a decision',
  key: ['order_id'],
  row: {
    order_id: col.text(),
    subject_id: col.int(),
    hadm_id: col.int(),
    pharmacy_id: col.int(),
    poe_id: col.text().nullable(),
    starttime: col.timestamp(),
    /** Null when unknown, also where the recorded one lies before the start. */
    stoptime: col.timestamp().nullable(),
    ordertime: col.timestamp().nullable(),
    /** The earlier of starttime and ordertime: from then on the order is part of the record. */
    decided_at: col.timestamp(),
    /** As recorded. */
    drug: col.text(),
    /** Folded for comparison: case, blanks, salt words. Never shown. */
    drug_fold: col.text(),
    dose_val_rx: col.text().nullable(),
    dose_unit_rx: col.text().nullable(),
    dose_low: col.double().nullable(),
    dose_high: col.double().nullable(),
    /** `40 mg`; null where none is recorded or the dose is the content of a bag. */
    dose_text: col.text().nullable(),
    route: col.text().nullable(),
    route_class: col.text().nullable(),
    frequency: col.text().nullable(),
    is_bag: col.bool(),
    /** JSON list of the BASE and ADDITIVE drugs of the order. */
    components: col.text(),
    transaction_type: col.text().nullable(),
    discontinued_at: col.timestamp().nullable(),
    /** Null where the admission has no eMAR at all. */
    is_administered: col.bool().nullable(),
    /** `flush`, `diluent`, `vaccine`, `contrast`, `withdrawn`, `stop_before_start`, `duplicate`, `outside_admission`; null for a decision. */
    non_decision_reason: col.text().nullable(),
    /** `reentry`, `same_within_24h`, `change_without_change`, `home_list`; null for none. */
    continuation_reason: col.text().nullable(),
    /** Entry of the list of routine orders; null for none. */
    routine_reason: col.text().nullable(),
    /** JSON list of `table:key=value;...` of every row the order was made from. */
    source_rows: col.text(),
  },
});

export const events = table({
  name: 'events',
  doc: 'the trajectory of an admission: an event appears when it was available',
  key: ['event_id'],
  row: {
    event_id: col.text(),
    subject_id: col.int(),
    hadm_id: col.int(),
    kind: col.text(),
    available_at: col.timestamp(),
    /** When it happened (draw, exam, start); never after available_at but for scheduled starts. */
    charted_at: col.timestamp().nullable(),
    /** One readable line or block without the time. Findings and Impression for radiology. */
    text: col.text(),
    /** For prescriptions. */
    order_id: col.text().nullable(),
    /** False for what is no part of a question: results that the filter leaves out, repeated or withdrawn orders, flushes. */
    is_shown: col.bool(),
    source_table: col.text(),
    /** JSON list of `column=value;...` keys of the rows. */
    source_keys: col.text(),
  },
});

export const eventItems = table({
  name: 'event_items',
  doc: 'values inside an event: results of a draw, charted values, organisms of a culture',
  key: ['event_id', 'item_n'],
  row: {
    event_id: col.text(),
    item_n: col.int(),
    itemid: col.int().nullable(),
    label: col.text(),
    /** As shown. */
    value: col.text(),
    valuenum: col.double().nullable(),
    unit: col.text().nullable(),
    /** `abnormal`, or S, I, R of a susceptibility; null for none. */
    flag: col.text().nullable(),
    is_shown: col.bool(),
    source_key: col.text(),
  },
});

export const profiles = table({
  name: 'profiles',
  doc: 'the patient before admission, a text a section; Unknown where nothing is on record',
  key: ['hadm_id', 'section'],
  row: {
    hadm_id: col.int(),
    section: col.text(),
    text: col.text(),
    /** `parser`, `model` or `tables`. */
    author: col.text(),
    source_table: col.text(),
    source_key: col.text(),
  },
});

/** Kinds of spans. Statements are sentences or list entries. */
export const SPAN_KINDS = ['statement', 'allergy', 'home_medication', 'demographic'] as const;

export const profileSpans = table({
  name: 'profile_spans',
  doc: 'pieces of the profile that a chain may cite; text = profile text from start_n to end_n',
  key: ['span_id'],
  row: {
    span_id: col.text(),
    hadm_id: col.int(),
    section: col.text(),
    kind: col.text(),
    text: col.text(),
    start_n: col.int(),
    end_n: col.int(),
    /** Name of an allergen or home drug as written. */
    name: col.text().nullable(),
    dose_text: col.text().nullable(),
    route: col.text().nullable(),
    source_table: col.text(),
    source_key: col.text(),
    /** Place in the text of the note; null where the source is a table. */
    note_start_n: col.int().nullable(),
    note_end_n: col.int().nullable(),
  },
});

export const timepoints = table({
  name: 'timepoints',
  doc: 'moments of prescribing that were drawn: at most one a phase and admission',
  key: ['timepoint_id'],
  row: {
    timepoint_id: col.text(),
    subject_id: col.int(),
    hadm_id: col.int(),
    /** Common start of the orders. */
    starttime: col.timestamp(),
    /** The earliest of the starts and order times of its orders: nothing available at or after it is evidence. */
    cut_at: col.timestamp(),
    phase: col.text(),
    /** Rank among the eligible moments of the admission, from 1, and how many there are. */
    rank_n: col.int(),
    ranks_n: col.int(),
    /** Shown events before the cut. */
    events_n: col.int(),
    split: col.text(),
  },
});

export const timepointOrders = table({
  name: 'timepoint_orders',
  doc: 'orders of a drawn moment; the answer set is those with is_answer',
  key: ['timepoint_id', 'order_id'],
  row: {
    timepoint_id: col.text(),
    order_id: col.text(),
    drug: col.text(),
    drug_fold: col.text(),
    dose_text: col.text().nullable(),
    route: col.text().nullable(),
    is_answer: col.bool(),
    /** Why it is no answer; null for answers. */
    non_decision_reason: col.text().nullable(),
    /** What the tables alone say: `CONTINUATION`, `ROUTINE` or `NEW`. */
    prior_class: col.text(),
    prior_reason: col.text().nullable(),
  },
});

/** What a stage needs to rebuild the record of a moment, by input name. */
export const RECORD_TABLES = {
  sampled_admissions: sampledAdmissions,
  orders,
  events,
  event_items: eventItems,
  profiles,
  profile_spans: profileSpans,
  timepoints,
  timepoint_orders: timepointOrders,
};
