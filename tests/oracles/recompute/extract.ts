/** The raw rows of an extract, grouped by stay, subject or admission; nothing is converted, dropped or averaged here. */
import { lenientNumberOf, type Num, numberOf, readTable, type Text, timeOf } from './read.js';

export interface Patient {
  readonly subject_id: number;
  readonly gender: Text;
  readonly anchor_age: number;
  readonly anchor_year: number;
}

export interface Admission {
  readonly subject_id: number;
  readonly hadm_id: number;
  readonly admittime: number;
  readonly dischtime: Num;
  readonly admission_type: Text;
  readonly admission_location: Text;
  readonly insurance: Text;
  readonly language: Text;
  readonly marital_status: Text;
  readonly race: Text;
  readonly edregtime: Num;
  readonly edouttime: Num;
}

export interface Stay {
  readonly subject_id: number;
  readonly hadm_id: number;
  readonly stay_id: number;
  readonly first_careunit: Text;
  readonly intime: number;
  readonly outtime: Num;
  readonly los: Num;
}

export interface ServiceRow {
  readonly hadm_id: number;
  readonly transfertime: number;
  readonly curr_service: Text;
}

export interface DiagnosisRow {
  readonly hadm_id: number;
  readonly code: string;
  readonly version: number;
}

export interface ChartRow {
  readonly subject_id: number;
  readonly stay_id: number;
  readonly charttime: number;
  readonly storetime: Num;
  readonly itemid: number;
  readonly value: Text;
  readonly valuenum: Num;
  readonly valueuom: Text;
}

export interface LabRow {
  readonly labevent_id: number;
  readonly subject_id: number;
  readonly hadm_id: Num;
  readonly specimen_id: number;
  readonly itemid: number;
  readonly charttime: number;
  readonly storetime: Num;
  readonly value: Text;
  readonly valuenum: Num;
  readonly valueuom: Text;
  readonly flag: Text;
  readonly comments: Text;
}

export interface InputRow {
  readonly stay_id: number;
  readonly starttime: number;
  readonly endtime: number;
  readonly storetime: Num;
  readonly itemid: number;
  readonly amount: Num;
  readonly amountuom: Text;
  readonly rate: Num;
  readonly rateuom: Text;
  readonly orderid: number;
  readonly component: Text;
  readonly patientweight: Num;
  readonly status: Text;
}

export interface OutputRow {
  readonly stay_id: number;
  readonly charttime: number;
  readonly storetime: Num;
  readonly itemid: number;
  readonly value: Num;
  readonly valueuom: Text;
}

export interface ProcedureRow {
  readonly stay_id: number;
  readonly starttime: number;
  readonly endtime: Num;
  readonly storetime: Num;
  readonly itemid: number;
  readonly status: Text;
}

export interface OmrRow {
  readonly subject_id: number;
  readonly chartdate: number;
  readonly seq_num: number;
  readonly result_name: Text;
  readonly result_value: Text;
}

export interface Extract {
  readonly patients: ReadonlyMap<number, Patient>;
  readonly admissions: ReadonlyMap<number, Admission>;
  readonly admissionsOf: ReadonlyMap<number, readonly Admission[]>;
  readonly stays: readonly Stay[];
  readonly staysOf: ReadonlyMap<number, readonly Stay[]>;
  readonly services: ReadonlyMap<number, readonly ServiceRow[]>;
  readonly diagnoses: ReadonlyMap<number, readonly DiagnosisRow[]>;
  readonly charts: ReadonlyMap<number, readonly ChartRow[]>;
  readonly fio2OfSubject: ReadonlyMap<number, readonly ChartRow[]>;
  readonly labs: ReadonlyMap<number, readonly LabRow[]>;
  readonly inputs: ReadonlyMap<number, readonly InputRow[]>;
  readonly outputs: ReadonlyMap<number, readonly OutputRow[]>;
  readonly procedures: ReadonlyMap<number, readonly ProcedureRow[]>;
  readonly omr: ReadonlyMap<number, readonly OmrRow[]>;
}

/** The itemids that the features name. */
export interface Items {
  readonly charts: ReadonlySet<number>;
  readonly labs: ReadonlySet<number>;
}

/** Reads what the 448 features need. */
export function readExtract(dirs: readonly string[], items: Items): Extract {
  const admissions = readAdmissions(dirs);
  const stays = readStays(dirs);
  const charts = withoutTwins(readCharts(dirs, items.charts));
  return {
    patients: new Map(readPatients(dirs).map((row) => [row.subject_id, row])),
    admissions: new Map(admissions.map((row) => [row.hadm_id, row])),
    admissionsOf: groupBy(admissions, (row) => row.subject_id),
    stays,
    staysOf: groupBy(stays, (row) => row.subject_id),
    services: groupBy(readServices(dirs), (row) => row.hadm_id),
    diagnoses: groupBy(readDiagnoses(dirs), (row) => row.hadm_id),
    charts: groupBy(charts, (row) => row.stay_id),
    fio2OfSubject: groupBy(
      charts.filter((row) => row.itemid === 223835),
      (row) => row.subject_id,
    ),
    labs: groupBy(readLabs(dirs, movedItems(dirs, items.labs)), (row) => row.subject_id),
    inputs: groupBy(withoutTwins(readInputs(dirs)), (row) => row.stay_id),
    outputs: groupBy(withoutTwins(readOutputs(dirs)), (row) => row.stay_id),
    procedures: groupBy(withoutTwins(readProcedures(dirs)), (row) => row.stay_id),
    omr: groupBy(readOmr(dirs), (row) => row.subject_id),
  };
}

/** Rows by key, in file order. */
export function groupBy<T, K>(rows: Iterable<T>, key: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group) group.push(row);
    else groups.set(key(row), [row]);
  }
  return groups;
}

/** P23: rows equal in every column that is kept count once. */
function withoutTwins<T extends object>(rows: readonly T[]): T[] {
  return [...new Map(rows.map((row) => [Object.values(row).join('\u0001'), row])).values()];
}

function readPatients(dirs: readonly string[]): Patient[] {
  return readTable(dirs, 'hosp/patients', (f) => ({
    subject_id: Number(f('subject_id')),
    gender: f('gender'),
    anchor_age: Number(f('anchor_age')),
    anchor_year: Number(f('anchor_year')),
  }));
}

function readAdmissions(dirs: readonly string[]): Admission[] {
  return readTable(dirs, 'hosp/admissions', (f) => ({
    subject_id: Number(f('subject_id')),
    hadm_id: Number(f('hadm_id')),
    admittime: timeOf(f('admittime'))!,
    dischtime: timeOf(f('dischtime')),
    admission_type: f('admission_type'),
    admission_location: f('admission_location'),
    insurance: f('insurance'),
    language: f('language'),
    marital_status: f('marital_status'),
    race: f('race'),
    edregtime: timeOf(f('edregtime')),
    edouttime: timeOf(f('edouttime')),
  }));
}

function readStays(dirs: readonly string[]): Stay[] {
  return readTable(dirs, 'icu/icustays', (f) => ({
    subject_id: Number(f('subject_id')),
    hadm_id: Number(f('hadm_id')),
    stay_id: Number(f('stay_id')),
    first_careunit: f('first_careunit'),
    intime: timeOf(f('intime'))!,
    outtime: timeOf(f('outtime')),
    los: numberOf(f('los')),
  }));
}

function readServices(dirs: readonly string[]): ServiceRow[] {
  return readTable(dirs, 'hosp/services', (f) => ({
    hadm_id: Number(f('hadm_id')),
    transfertime: timeOf(f('transfertime'))!,
    curr_service: f('curr_service'),
  }));
}

function readDiagnoses(dirs: readonly string[]): DiagnosisRow[] {
  return readTable(dirs, 'hosp/diagnoses_icd', (f) => ({
    hadm_id: Number(f('hadm_id')),
    code: (f('icd_code') ?? '').trim(),
    version: Number(f('icd_version')),
  }));
}

function readCharts(dirs: readonly string[], items: ReadonlySet<number>): ChartRow[] {
  return readTable(dirs, 'icu/chartevents', (f) => {
    const itemid = Number(f('itemid'));
    if (!items.has(itemid)) return null;
    return {
      subject_id: Number(f('subject_id')),
      stay_id: Number(f('stay_id')),
      charttime: timeOf(f('charttime'))!,
      storetime: timeOf(f('storetime')),
      itemid,
      value: f('value'),
      valuenum: lenientNumberOf(f('valuenum')),
      valueuom: f('valueuom'),
    };
  });
}

/** The other D-dimer assay has the label of the one that is read, and is known to be another assay. */
const KNOWN_TWIN = 52551;

/** D23: lab itemids that no feature names but that carry label, fluid and category of one that is named are refused. */
function movedItems(dirs: readonly string[], named: ReadonlySet<number>): Set<number> {
  const items = readTable(dirs, 'hosp/d_labitems', (f) => ({
    itemid: Number(f('itemid')),
    meaning: [f('label'), f('fluid'), f('category')].join('\u0001'),
  }));
  const meanings = new Set(items.filter((item) => named.has(item.itemid)).map((item) => item.meaning));
  const twins = items.filter((item) => !named.has(item.itemid) && meanings.has(item.meaning));
  return new Set(twins.map((item) => item.itemid).filter((itemid) => itemid !== KNOWN_TWIN));
}

function readLabs(dirs: readonly string[], refused: ReadonlySet<number>): LabRow[] {
  return readTable(dirs, 'hosp/labevents', (f) => ({
    labevent_id: Number(f('labevent_id')),
    subject_id: Number(f('subject_id')),
    hadm_id: numberOf(f('hadm_id')),
    specimen_id: Number(f('specimen_id')),
    itemid: Number(f('itemid')),
    charttime: timeOf(f('charttime'))!,
    storetime: timeOf(f('storetime')),
    value: f('value'),
    valuenum: lenientNumberOf(f('valuenum')),
    valueuom: f('valueuom'),
    flag: f('flag'),
    comments: f('comments'),
  })).filter((row) => !refused.has(row.itemid));
}

function readInputs(dirs: readonly string[]): InputRow[] {
  return readTable(dirs, 'icu/inputevents', (f) => ({
    stay_id: Number(f('stay_id')),
    starttime: timeOf(f('starttime'))!,
    endtime: timeOf(f('endtime'))!,
    storetime: timeOf(f('storetime')),
    itemid: Number(f('itemid')),
    amount: lenientNumberOf(f('amount')),
    amountuom: f('amountuom'),
    rate: lenientNumberOf(f('rate')),
    rateuom: f('rateuom'),
    orderid: Number(f('orderid')),
    component: f('ordercomponenttypedescription'),
    patientweight: lenientNumberOf(f('patientweight')),
    status: f('statusdescription'),
  }));
}

function readOutputs(dirs: readonly string[]): OutputRow[] {
  return readTable(dirs, 'icu/outputevents', (f) => ({
    stay_id: Number(f('stay_id')),
    charttime: timeOf(f('charttime'))!,
    storetime: timeOf(f('storetime')),
    itemid: Number(f('itemid')),
    value: lenientNumberOf(f('value')),
    valueuom: f('valueuom'),
  }));
}

function readProcedures(dirs: readonly string[]): ProcedureRow[] {
  return readTable(dirs, 'icu/procedureevents', (f) => ({
    stay_id: Number(f('stay_id')),
    starttime: timeOf(f('starttime'))!,
    endtime: timeOf(f('endtime')),
    storetime: timeOf(f('storetime')),
    itemid: Number(f('itemid')),
    status: f('statusdescription'),
  }));
}

function readOmr(dirs: readonly string[]): OmrRow[] {
  return readTable(dirs, 'hosp/omr', (f) => ({
    subject_id: Number(f('subject_id')),
    chartdate: timeOf(f('chartdate'))!,
    seq_num: Number(f('seq_num')),
    result_name: f('result_name'),
    result_value: f('result_value'),
  }));
}
