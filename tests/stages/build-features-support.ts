/** Hand-made patients for build-features: one stay per case, times in minutes from t0, all cases in one run. */

import { buildFeatures } from '../../stages/build-features/stage.js';
import type { SqlRow } from '../../stages/contract.js';
import { runStageOn, type StageRun, type TestInput } from '../support/stage.js';

/** t0 of every case; intime has seconds, charttimes have none. */
const T0 = Date.UTC(2150, 0, 10, 8, 0, 0);

/** Text of the time `minutes` after t0. */
export const at = (minutes: number): string =>
  new Date(T0 + minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ');

/** The last minute of the window, and the first one after it. */
export const LAST = 24 * 60 - 1;
export const END = 24 * 60;

type Values = Record<string, number | string | null>;

/** One patient. `admission`, `patient`, `stay` and `cohort` overwrite single columns. */
export interface Case {
  readonly name: string;
  readonly rows?: readonly Row[];
  readonly admission?: SqlRow;
  readonly patient?: SqlRow;
  readonly stay?: SqlRow;
  /** Feature values that must come out; null = not measured. Features not named are not checked. */
  readonly expect: Values;
}

/** A row of one of the event tables, ids still missing. */
export type Row = readonly [table: string, row: SqlRow];

let labId = 0;
let specimenId = 0;

export function chart(itemid: number, minute: number, value: number | string | null, more: SqlRow = {}): Row {
  const is_text = typeof value === 'string';
  return [
    'chartevents',
    {
      charttime: at(minute),
      storetime: at(minute),
      itemid,
      value: value === null ? null : String(value),
      valuenum: is_text ? null : value,
      valueuom: null,
      ...more,
    },
  ];
}

/** A laboratory row; rows that share `specimen` were drawn together. */
export function lab(itemid: number, minute: number, value: number | string | null, more: SqlRow = {}): Row {
  const is_text = typeof value === 'string';
  labId += 1;
  return [
    'labevents',
    {
      labevent_id: labId,
      hadm_id: null,
      specimen_id: specimen(),
      charttime: at(minute),
      storetime: at(minute + 60),
      itemid,
      value: value === null ? null : String(value),
      valuenum: is_text ? null : value,
      valueuom: null,
      ref_range_lower: null,
      ref_range_upper: null,
      flag: null,
      comments: null,
      ...more,
    },
  ];
}

/** An id of a new specimen. */
export function specimen(): number {
  specimenId += 1;
  return specimenId;
}

let orderId = 0;

export function input(itemid: number, from: number, to: number, more: SqlRow = {}): Row {
  orderId += 1;
  return [
    'inputevents',
    {
      starttime: at(from),
      endtime: at(to),
      storetime: at(to),
      itemid,
      amount: null,
      amountuom: null,
      rate: null,
      rateuom: null,
      orderid: orderId,
      linkorderid: orderId,
      ordercategoryname: '01-Drips',
      secondaryordercategoryname: null,
      ordercomponenttypedescription: 'Main order parameter',
      ordercategorydescription: 'Continuous Med',
      patientweight: 80,
      totalamount: null,
      totalamountuom: null,
      statusdescription: 'FinishedRunning',
      originalamount: null,
      originalrate: null,
      ...more,
    },
  ];
}

export function output(itemid: number, minute: number, ml: number, more: SqlRow = {}): Row {
  return [
    'outputevents',
    { charttime: at(minute), storetime: at(minute), itemid, value: ml, valueuom: 'ml', ...more },
  ];
}

export function procedure(itemid: number, from: number, to: number, more: SqlRow = {}): Row {
  orderId += 1;
  return [
    'procedureevents',
    {
      starttime: at(from),
      endtime: at(to),
      storetime: at(to),
      itemid,
      value: 1,
      valueuom: 'day',
      orderid: orderId,
      linkorderid: orderId,
      ordercategoryname: null,
      ordercategorydescription: null,
      statusdescription: 'FinishedRunning',
      ...more,
    },
  ];
}

/** Rows of the tables that hold no events. */
export const service = (minute: number, curr_service: string): Row => [
  'services',
  { transfertime: at(minute), prev_service: null, curr_service },
];
export const omr = (days: number, result_name: string, result_value: string, seq_num = 1): Row => [
  'omr',
  { chartdate: at(days * 1440).slice(0, 10), seq_num, result_name, result_value },
];
/** An earlier (or other) admission with its diagnoses, `[code, version]`. */
export function admission(
  from: number,
  to: number | null,
  codes: readonly (readonly [string, number])[] = [],
): Row[] {
  orderId += 1;
  const hadm_id = 25_000_000 + orderId;
  const stay: Row = [
    'admissions',
    { ...ADMISSION, hadm_id, admittime: at(from), dischtime: to === null ? null : at(to) },
  ];
  return [
    stay,
    ...codes.map(
      ([icd_code, icd_version], i): Row => [
        'diagnoses_icd',
        { hadm_id, seq_num: i + 1, icd_code, icd_version },
      ],
    ),
  ];
}

/** A blood gas of one specimen: arterial unless said otherwise. */
export function gas(minute: number, values: Record<number, number | string>, type = 'ART.'): Row[] {
  const specimen_id = specimen();
  return [
    lab(52033, minute, type, { specimen_id }),
    ...Object.entries(values).map(([itemid, value]) => lab(Number(itemid), minute, value, { specimen_id })),
  ];
}

const ADMISSION: SqlRow = {
  admittime: at(-120),
  dischtime: at(10 * 1440),
  deathtime: null,
  admission_type: 'EW EMER.',
  admission_location: 'EMERGENCY ROOM',
  discharge_location: null,
  insurance: 'Medicare',
  language: 'English',
  marital_status: 'MARRIED',
  race: 'WHITE',
  edregtime: null,
  edouttime: null,
  hospital_expire_flag: 0,
};

const TABLES = [
  'cohort',
  'patients',
  'admissions',
  'icustays',
  'services',
  'diagnoses_icd',
  'chartevents',
  'labevents',
  'inputevents',
  'outputevents',
  'procedureevents',
  'omr',
] as const;

/** Tables of the stage for a list of cases; case i has stay 30000001 + i. */
export function tablesOf(cases: readonly Case[]): Record<string, SqlRow[]> {
  const tables: Record<string, SqlRow[]> = Object.fromEntries(TABLES.map((t) => [t, []]));
  cases.forEach((c, i) => {
    const ids = { subject_id: 10_000_001 + i, hadm_id: 20_000_001 + i };
    const stay_id = 30_000_001 + i;
    const stay: SqlRow = { ...ids, stay_id, ...STAY, ...c.stay };
    const admitted: SqlRow = { ...ids, ...ADMISSION, ...c.admission };
    tables.icustays!.push(stay);
    tables.admissions!.push(admitted);
    tables.patients!.push({ subject_id: ids.subject_id, ...PATIENT, ...c.patient });
    tables.cohort!.push({
      ...ids,
      stay_id,
      admittime: admitted.admittime!,
      dischtime: admitted.dischtime!,
      intime: stay.intime!,
      outtime: stay.outtime!,
      t0: `${String(stay.intime).slice(0, 16)}:00`,
      hours_observed: 24,
    });
    for (const [table, row] of c.rows ?? []) {
      const own = { ...ids, stay_id, ...row };
      tables[table]!.push(table in WITHOUT_STAY ? without(own, WITHOUT_STAY[table]!) : own);
    }
  });
  return tables;
}

const STAY: SqlRow = {
  first_careunit: 'Medical Intensive Care Unit (MICU)',
  last_careunit: 'Medical Intensive Care Unit (MICU)',
  intime: at(0).replace(/00$/, '42'),
  outtime: at(3 * 1440),
  los: 3,
};
const PATIENT: SqlRow = {
  gender: 'M',
  anchor_age: 60,
  anchor_year: 2148,
  anchor_year_group: '2014 - 2016',
  dod: null,
};
const WITHOUT_STAY: Record<string, readonly string[]> = {
  admissions: ['stay_id'],
  services: ['stay_id'],
  diagnoses_icd: ['stay_id'],
  labevents: ['stay_id'],
  omr: ['stay_id', 'hadm_id'],
};
const without = (row: SqlRow, names: readonly string[]): SqlRow =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

/** Runs the stage on tables of rows. */
export async function runOn(
  tables: Record<string, TestInput>,
  config: object = {},
  workers = 1,
): Promise<StageRun> {
  return runStageOn(buildFeatures, { inputs: tables, config, workers });
}

/** Runs all cases at once and gives the feature row of each by its name. */
export async function featuresOf(
  cases: readonly Case[],
  config: object = {},
): Promise<{ run: StageRun; of: (name: string) => SqlRow }> {
  const run = await runOn(tablesOf(cases), config);
  const rows = await run.table('features');
  return {
    run,
    of: (name) => {
      const i = cases.findIndex((c) => c.name === name);
      const row = rows.find((r) => r.stay_id === 30_000_001 + i);
      if (!row) throw new Error(`no stay for ${name}`);
      return row;
    },
  };
}
