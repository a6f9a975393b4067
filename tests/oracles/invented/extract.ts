/**
 * An invented extract that is unkind on purpose: every itemid of the registry occurs, at the edges of the windows, with ties,
 * twins, corrected results, results in words, odd units, values past the limits, and intervals that cross everything.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MIMIC_FILES, type MimicTable } from '../../../schemas/mimic-files.js';
import { parseCsv } from '../../../stages/lib/csv.js';
import { inventCharts } from './charts.js';
import { type Add, clock, type Row, type Tables, type Visit } from './common.js';
import { type Dice, dice } from './dice.js';
import { inventLabs } from './labs.js';
import { inventInputs, inventOutputs, inventProcedures } from './treatments.js';

const FACTS = 'raw/mimic/itemid-facts.csv';

/** Writes plain CSV files below `root`. */
export function writeInventedExtract(root: string, patients: number, seed: number): void {
  const tables = invent(patients, seed);
  for (const table of Object.keys(MIMIC_FILES) as MimicTable[]) {
    const names = MIMIC_FILES[table].columns.map((column) => column.name);
    const rows = tables[table] ?? [];
    const lines = [names, ...rows.map((row) => names.map((name) => field(row[name.toLowerCase()])))];
    const path = join(root, `${table.replace('.', '/')}.csv`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.map((line) => `${line.join(',')}\n`).join(''));
  }
}

function field(value: string | number | null | undefined): string {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function invent(patients: number, seed: number): Tables {
  const tables: Tables = { ...dictionaries() };
  let last = 0;
  const put = (table: MimicTable, row: Row): void => {
    tables[table] ??= [];
    tables[table].push(row);
  };
  const add: Add = Object.assign(put, { next: () => ++last });
  for (let p = 0; p < patients; p++) inventPatient(add, 10_000_001 + p, dice(seed * 100_003 + p));
  tables['hosp.d_icd_diagnoses'] = codesOf(tables['hosp.diagnoses_icd'] ?? []);
  return tables;
}

function codesOf(diagnoses: readonly Row[]): Row[] {
  const codes = diagnoses.map((row) => ({
    icd_code: String(row.icd_code).trim(),
    icd_version: row.icd_version!,
  }));
  const unique = new Map(codes.map((code) => [Object.values(code).join(), code]));
  return [...unique.values()].map((code) => ({ ...code, long_title: 'invented' }));
}

function dictionaries(): Tables {
  const facts = parseCsv(readFileSync(FACTS, 'utf8'), FACTS);
  const of = (isLab: boolean): Record<string, string>[] =>
    facts.filter((f) => (f.table === 'hosp.labevents') === isLab);
  return {
    'icu.d_items': of(false).map((f) => ({
      itemid: f.itemid!,
      label: f.label!,
      linksto: f.table!.split('.')[1]!,
      category: f.category!,
    })),
    'hosp.d_labitems': of(true).map((f) => ({
      itemid: f.itemid!,
      label: f.label!,
      fluid: f.fluid!,
      category: f.category!,
    })),
  };
}

const RACES = [
  'WHITE',
  'WHITE - RUSSIAN',
  'PORTUGUESE',
  'BLACK/AFRICAN AMERICAN',
  'HISPANIC OR LATINO',
  'SOUTH AMERICAN',
  'ASIAN - CHINESE',
  'UNKNOWN',
  'MULTIPLE RACE/ETHNICITY',
  null,
];
const TYPES = [
  'EW EMER.',
  'DIRECT EMER.',
  'URGENT',
  'EU OBSERVATION',
  'OBSERVATION ADMIT',
  'SURGICAL SAME DAY ADMISSION',
  'ELECTIVE',
];
const PLACES = [
  'EMERGENCY ROOM',
  'TRANSFER FROM HOSPITAL',
  'PHYSICIAN REFERRAL',
  'WALK-IN/SELF REFERRAL',
  'PACU',
  null,
];
const UNITS = [
  'Medical Intensive Care Unit (MICU)',
  'Medical/Surgical Intensive Care Unit (MICU/SICU)',
  'Trauma SICU (TSICU)',
  'Coronary Care Unit (CCU)',
  'Neuro Stepdown',
  'Surgical Intensive Care Unit (SICU)',
  'cardiac vascular intensive care unit (CVICU) ',
];
const SERVICES = ['MED', 'CMED', 'CSURG', 'SURG', 'ORTHO', 'NMED', 'NSURG', 'TRAUM', 'OMED', 'GYN', 'VSURG'];

function inventPatient(add: Add, subject_id: number, d: Dice): void {
  const anchor_age = d.pick([18, 30, 53, 54, 60, 77, 80, 89, 91]);
  add('hosp.patients', {
    subject_id,
    gender: d.pick(['M', 'F']),
    anchor_age,
    anchor_year: 2150,
    anchor_year_group: '2017 - 2019',
  });
  let minute = d.whole(0, 5000);
  const admissions = d.whole(1, 3);
  for (let a = 0; a < admissions; a++) {
    minute = inventAdmission(add, subject_id, a, minute, d) + d.pick([0, 30, 60 * 24 * 20, 365 * 24 * 60]);
  }
  for (let i = 0; i < d.whole(0, 4); i++) {
    const [name, value] = d.pick([
      ['Height (Inches)', d.pick([66, 70.5, 24, 68])],
      ['BMI (kg/m2)', d.pick([24.2, 31, 4649.4])],
      ['Weight (Lbs)', 180],
    ]);
    const day = clock(d.whole(-100_000, 10_000)).slice(0, 10);
    add('hosp.omr', { subject_id, chartdate: day, seq_num: i + 1, result_name: name, result_value: value });
  }
}

/** Returns the minute of discharge. */
function inventAdmission(add: Add, subject_id: number, a: number, start: number, d: Dice): number {
  const hadm_id = 20_000_000 + (subject_id % 100_000) * 10 + a;
  const stays = d.pick([1, 1, 1, 2]);
  let minute = start + d.pick([-40, 0, 5, 11, 200, 500, 2000]);
  for (let s = 0; s < stays; s++)
    minute = inventStay(add, subject_id, hadm_id, a * 2 + s, minute, d) + d.whole(1, 900);
  const has_ed = d.chance(0.5);
  add('hosp.admissions', {
    subject_id,
    hadm_id,
    admittime: clock(start, d.whole(0, 59)),
    dischtime: clock(minute, d.whole(0, 59)),
    admission_type: d.pick(TYPES),
    admission_location: d.pick(PLACES),
    insurance: d.pick(['Medicare', 'Medicaid', 'Private', 'Other', 'Self-pay', null]),
    language: d.pick(['ENGLISH', 'English', '?', null]),
    marital_status: d.pick(['MARRIED', 'SINGLE', 'WIDOWED', 'DIVORCED', null]),
    race: d.pick(RACES),
    edregtime: has_ed ? clock(start - 300) : null,
    edouttime: has_ed ? clock(start + 20) : null,
    hospital_expire_flag: 0,
  });
  for (let i = 0; i < d.whole(0, 3); i++) {
    add('hosp.services', {
      subject_id,
      hadm_id,
      transfertime: clock(start + i * d.pick([30, 200, 1000]) + i),
      curr_service: d.pick(SERVICES),
    });
  }
  inventDiagnoses(add, subject_id, hadm_id, d);
  return minute;
}

const CODES = parseCsv(readFileSync('raw/mimic/comorbidity-codes.csv', 'utf8'), 'comorbidity-codes');
const MORE_CODES: [string, number][] = [
  ['20300', 9],
  ['C9000', 10],
  ['1991', 9],
  ['1992', 9],
  ['78951', 9],
  ['N186', 10],
  ['5856', 9],
  ['B20', 10],
  ['042', 9],
  ['C800', 10],
  ['V140', 9],
];

function inventDiagnoses(add: Add, subject_id: number, hadm_id: number, d: Dice): void {
  const codes = d.whole(0, 14);
  for (let seq_num = 1; seq_num <= codes; seq_num++) {
    const row = d.pick(CODES);
    const listed: [string, number] = [d.pick([row.prefix_from!, row.prefix_to!]), Number(row.icd_version)];
    const [code, version] = d.chance(0.8) ? listed : d.pick(MORE_CODES);
    const icd_code = d.chance(0.4) && code.length < 6 ? `${code}${d.whole(0, 9)}` : code;
    add('hosp.diagnoses_icd', {
      subject_id,
      hadm_id,
      seq_num,
      icd_code: d.chance(0.2) ? `${icd_code} ` : icd_code,
      icd_version: version,
    });
  }
}

/** Returns the minute of leaving the unit. */
function inventStay(add: Add, subject_id: number, hadm_id: number, n: number, t0: number, d: Dice): number {
  const stay_id = 30_000_000 + (subject_id % 100_000) * 10 + n;
  const hours = d.pick([0.5, 5, 11, 23.9, 24, 30, 70]);
  const [in_second, out_second] = [d.pick([0, 41]), d.pick([0, 13])];
  const leave = t0 + hours * 60 + 1;
  add('icu.icustays', {
    subject_id,
    hadm_id,
    stay_id,
    first_careunit: d.pick(UNITS),
    last_careunit: d.pick(UNITS),
    intime: clock(t0, in_second),
    outtime: clock(leave, out_second),
    los: ((leave - t0) * 60 + out_second - in_second) / 86_400,
  });
  const visit: Visit = { subject_id, hadm_id, stay_id, t0, d };
  inventCharts(add, visit);
  inventLabs(add, visit);
  inventInputs(add, visit);
  inventOutputs(add, visit);
  inventProcedures(add, visit);
  return leave;
}
