/**
 * An invented extract that is unkind on purpose: every itemid of the registry occurs, at the edges of the windows, with ties,
 * twins, corrected results, results in words, odd units, values past the limits, and intervals that cross everything.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MIMIC_FILES, type MimicTable } from '../../schemas/mimic-files.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { type Dice, dice } from './dice.js';
import { REGISTRY } from './recompute/registry.js';

type Row = Record<string, string | number | null>;
type Tables = Partial<Record<MimicTable, Row[]>>;

interface Visit {
  readonly subject_id: number;
  readonly hadm_id: number;
  readonly stay_id: number;
  /** Minutes since the epoch of the extract, of intime cut to the minute. */
  readonly t0: number;
  readonly d: Dice;
}

const EPOCH = Date.UTC(2150, 2, 1);
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
  const add = (table: MimicTable, row: Row): void => {
    tables[table] ??= [];
    tables[table].push(row);
  };
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

type Add = (table: MimicTable, row: Row) => void;

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

/** `2150-03-01 07:45:00` of minutes (and seconds) since the epoch of the extract. */
function clock(minutes: number, seconds = 0): string {
  return new Date(EPOCH + minutes * 60_000 + seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
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
  for (let seq_num = 1; seq_num <= d.whole(0, 8); seq_num++) {
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

/** A minute around the window: its edges often, so that an open or closed end shows. */
function moment({ t0, d }: Visit): number {
  const edges = [0, -1, 1, 360, 359, 361, 1440, 1439, 1441, -360, -359, 600];
  return t0 + (d.chance(0.25) ? d.pick(edges) : d.whole(-420, 1800));
}

const ids = ({ subject_id, hadm_id, stay_id }: Visit): Row => ({ subject_id, hadm_id, stay_id });

interface Quantity {
  readonly itemid: number;
  readonly low: number;
  readonly high: number;
}

/** Every itemid of a table with the limits of one feature that reads it. */
function quantities(source: string): Quantity[] {
  const found = new Map<number, Quantity>();
  for (const row of REGISTRY) {
    if (!row.source.includes(source)) continue;
    for (const itemid of row.itemids) {
      const is_value = row.unit !== '0/1' && row.statistic !== 'count' && row.statistic !== 'std';
      if (is_value || !found.has(itemid)) found.set(itemid, { itemid, low: row.low, high: row.high });
    }
  }
  return [...found.values()];
}

/** Mostly inside the limits and towards their lower half, now and then far outside. */
function number({ low, high }: Quantity, d: Dice): number {
  if (d.chance(0.06)) return d.pick([0, -5, low - 1, high + 1, high * 3, 1_276_103, low, high]);
  const span = Math.min(high - low, d.pick([high - low, 60, 200]));
  return Number((low + span * d.unit()).toFixed(d.pick([0, 0, 1, 2])));
}

const CHARTS = quantities('icu.chartevents').filter((q) => q.itemid >= 220_000);

const TEXTS: Record<number, (string | null)[]> = {
  223758: ['Full code', 'DNR (do not resuscitate)', 'DNI (do not intubate)', 'Comfort measures only'],
  220048: [
    'SR (Sinus Rhythm)',
    'AF (Atrial Fibrillation)',
    'A Flut (Atrial Flutter) ',
    'V Paced',
    'ST (Sinus Tachycardia) ',
  ],
  224650: ['None', "PVC's"],
  226479: ['None', "PAC's"],
  227121: ['Brisk ', 'Non-reactive'],
  227288: ['Sluggish', 'Non-reactive '],
  228332: ['Negative', 'Positive', 'UTA'],
  226732: [
    'Endotracheal tube',
    'Bipap mask ',
    'CPAP mask ',
    'High flow nasal cannula',
    'Nasal cannula',
    'None',
    'Tracheostomy tube',
  ],
  223849: ['CMV/ASSIST', 'CPAP/PSV', 'Standby', 'Ambient'],
  229314: ['APV (cmv)', 'SPONT', 'NIV', 'DuoPaP', 'Ambient'],
  224733: ['3mm', '4mm', 'Pinpoint', 'Fully Dilated', '10mm'],
  223907: ['3mm', '5mm', 'Pinpoint', 'Fully Dilated'],
};
/** Items whose number stands in the text or beside it. */
const SPOKEN: Record<number, [string, number | null][]> = {
  223900: [
    ['No Response-ETT', 1],
    ['Oriented', 5],
    ['Confused', 4],
    ['No Response', 1],
    ['Inappropriate Words', 3],
  ],
  223791: [
    ['None', 0],
    ['Moderate', 5],
    ['7-Severe', null],
    ['Unable to Score', null],
  ],
};

function inventCharts(add: Add, v: Visit): void {
  const { d } = v;
  const times = Array.from({ length: d.whole(2, 9) }, () => moment(v));
  for (const quantity of CHARTS) {
    if (d.chance(0.35)) continue;
    for (let i = 0; i < d.whole(1, 5); i++) {
      const minute = d.chance(0.7) ? d.pick(times) : moment(v);
      addChart(add, v, quantity, minute);
      if (d.chance(0.2)) addChart(add, v, quantity, minute);
    }
  }
  for (const minute of times) if (d.chance(0.5)) addBraden(add, v, minute);
}

function addBraden(add: Add, v: Visit, minute: number): void {
  for (let itemid = 224_054; itemid <= 224_059; itemid++) {
    if (v.d.chance(0.1)) continue;
    const points = v.d.whole(1, 4);
    pushChart(add, v, itemid, minute, v.d.chance(0.5) ? `${points} points` : 'Limited', points);
  }
}

function addChart(add: Add, v: Visit, quantity: Quantity, minute: number): void {
  const { d } = v;
  const [value, valuenum] = charted(quantity, d);
  pushChart(add, v, quantity.itemid, minute, value, valuenum);
}

function charted(quantity: Quantity, d: Dice): [string | null, number | null] {
  const { itemid } = quantity;
  if (SPOKEN[itemid]) return d.pick(SPOKEN[itemid]);
  if (TEXTS[itemid]) return [d.pick(TEXTS[itemid]), null];
  const x = chartNumber(quantity, d);
  return [String(x), x];
}

const WHOLE: Record<number, [number, number]> = { 220739: [1, 4], 223901: [1, 6], 228096: [-5, 4] };

/** Numbers in the item's own unit. */
function chartNumber(quantity: Quantity, d: Dice): number {
  const { itemid } = quantity;
  if (WHOLE[itemid]) return d.whole(...WHOLE[itemid]);
  if (itemid === 223_761) return d.pick([96.8, 98.4, 98.6, 100.4, 101.3, 104, 37.2, 70, 120, 91.9]);
  if (itemid === 223_762) return d.pick([36, 37.2, 38.3, 35.9, 33.1, 40.1, 98.6, 25.9, 45.1]);
  if (itemid === 223_835) return d.pick([0.4, 1, 0.2, 21, 40, 50, 60, 100, 12, 0, 20]);
  if (itemid === 226_707) return d.pick([60, 66, 70, 30]);
  if (itemid === 226_730) return d.pick([150, 170, 61, 183.5]);
  if ([226_512, 224_639].includes(itemid)) return d.pick([55, 80.4, 120, 0, 400]);
  if (itemid === 226_531) return d.pick([0, 150, 220.5, 30]);
  if ([224_684, 224_685, 224_686].includes(itemid)) return d.pick([450, 0.5, 620, 1.2, 5000]);
  if (itemid === 224_359) return d.pick([0.44, 430, 1.9, 900]);
  if ([220_210, 224_690].includes(itemid)) return d.pick([5, 8, 13, 14, 22, 23, 25, 31, 44, 50, 0, 71]);
  if (itemid === 220_045)
    return d.pick([28, 39, 69, 70, 88, 106, 107, 110, 120, 125, 126, 140, 160, 0, 10_000_000]);
  if ([220_050, 220_179, 225_309].includes(itemid))
    return d.pick([38, 69, 89, 90, 99, 100, 101, 130, 200, 240, 270, 0]);
  if ([220_052, 220_181, 225_312].includes(itemid))
    return d.pick([20, 39, 50, 64, 65, 69, 70, 80, 120, 144, 300]);
  return number(quantity, d);
}

function pushChart(
  add: Add,
  v: Visit,
  itemid: number,
  minute: number,
  value: string | null,
  valuenum: number | null,
): void {
  const storetime = v.d.pick([clock(minute + 3), clock(minute + 500), null]);
  const row = { ...ids(v), charttime: clock(minute), storetime, itemid, value, valuenum, warning: 0 };
  add('icu.chartevents', row);
  if (v.d.chance(0.1)) add('icu.chartevents', row);
}

const LABS = quantities('hosp.labevents').filter((q) => q.itemid < 100_000 && q.itemid !== 52_033);
const LAB_NUMBERS: Record<number, number[]> = {
  50912: [0.4, 0.5, 0.8, 1.2, 1.5, 1.6, 1.95, 2, 3.5, 4.2, 4.5, 5, 61],
  51006: [6, 7.5, 16, 17, 28, 39, 56, 84, 100],
  51301: [0.5, 2.4, 3.9, 4, 12, 12.1, 20, 25, 51],
  51265: [11, 19, 49, 50, 99, 100, 149, 150, 400],
  50885: [0.4, 1.2, 2, 4, 6, 12, 20],
  50821: [45, 60, 75, 90, 150, 300, 800],
  50818: [20, 28, 33, 42, 48, 60],
  50820: [6.9, 7.15, 7.25, 7.32, 7.4, 7.47, 7.55, 7.65],
  50816: [0.5, 1, 30, 50, 60, 100, 8, 20, 0.2],
  50983: [118, 124, 130, 140, 145, 156, 0],
  50971: [2.9, 3, 4, 5, 6.1],
  50882: [14, 15, 19, 20, 25],
  50862: [1.9, 2.4, 3, 4, 4.6],
  51237: [0.8, 1, 1.5, 2.5, 9],
  51256: [10, 60, 85, 0],
  51244: [5, 20, 40, 0],
  51144: [0, 10, 11],
  52769: [900, 1500],
};
const WORDS = ['NEG', 'TR', 'SM', 'MOD', 'LG', 'POS', 'HOLD', 'UNABLE TO REPORT'];
const CENSORED = ['<0.01', '>182', '<10', 'GREATER THAN 300', 'LESS THAN 5', '>=1.035', '3-5', '0-2'];
const LAB_UNITS: Record<number, string[]> = {
  50889: ['mg/L', 'mg/dL'],
  51003: ['ng/mL', 'ng/L'],
  50915: ['ng/mL', 'ng/mL FEU'],
  51196: ['ng/mL FEU'],
  52769: ['#/uL'],
};

let next_id = 1;

function inventLabs(add: Add, v: Visit): void {
  const { d } = v;
  for (let s = 0; s < d.whole(0, 7); s++) {
    const specimen_id = v.stay_id * 10 + s;
    const minute = d.chance(0.15) ? v.t0 - d.whole(1000, 11_000) : moment(v);
    const type = d.pick(['ART.', 'ART.', 'VEN.', null]);
    if (type) pushLab(add, v, 52_033, specimen_id, minute, { value: type, comments: '___' });
    for (const quantity of LABS) {
      if (d.chance(0.45)) continue;
      pushLab(add, v, quantity.itemid, specimen_id, minute, result(quantity, d));
      if (d.chance(0.08)) pushLab(add, v, quantity.itemid, specimen_id, minute, result(quantity, d));
    }
  }
}

interface Result {
  readonly value?: string | null;
  readonly valuenum?: number | null;
  readonly comments?: string | null;
}

function result(quantity: Quantity, d: Dice): Result {
  const { itemid } = quantity;
  const usual = LAB_NUMBERS[itemid];
  if (d.chance(usual ? 0.04 : 0.2)) return inWords(d.pick([...WORDS, ...CENSORED]), d);
  const x = usual ? d.pick(usual) : number(quantity, d);
  return {
    value: d.chance(0.1) ? '___' : String(x),
    valuenum: x,
    comments: d.chance(0.1) ? 'HEMOLYZED.' : null,
  };
}

/** As the value, or as the leading token of the comments. */
function inWords(word: string, d: Dice): Result {
  if (d.chance(0.3)) return { value: word };
  const tail = d.pick(['.', '*.', '.  SEE NOTE 0.10 NG/ML.', ' .']);
  return { value: d.pick([null, '___']), comments: `${word}${tail}` };
}

function pushLab(
  add: Add,
  v: Visit,
  itemid: number,
  specimen_id: number,
  minute: number,
  found: Result,
): void {
  const { d } = v;
  add('hosp.labevents', {
    labevent_id: next_id++,
    subject_id: v.subject_id,
    hadm_id: d.pick([v.hadm_id, null]),
    specimen_id,
    itemid,
    charttime: clock(minute),
    storetime: d.pick([clock(minute + 20), clock(minute + 60), clock(minute + 700), null]),
    valueuom: LAB_UNITS[itemid] ? d.pick(LAB_UNITS[itemid]) : null,
    flag: d.pick(['abnormal', null]),
    priority: 'STAT',
    ...found,
  });
}

const INPUTS = quantities('icu.inputevents').map((q) => q.itemid);
const PRESSOR_ITEMS = [221_906, 221_289, 221_662, 221_653, 221_749, 229_630, 229_632, 221_986];

let next_order = 1;

function inventInputs(add: Add, v: Visit): void {
  const { d } = v;
  if (d.chance(0.1)) return;
  for (const itemid of INPUTS) {
    if (d.chance(0.5)) continue;
    for (let i = 0; i < d.whole(1, 3); i++) pushInput(add, v, itemid);
  }
}

function pushInput(add: Add, v: Visit, itemid: number): void {
  const { d } = v;
  const start = moment(v) - d.pick([0, 0, 30, 600]);
  const orderid = next_order++;
  const volume = d.whole(1, 900);
  const row = {
    ...ids(v),
    starttime: clock(start),
    endtime: clock(start + d.pick([1, 1, 30, 60, 240, 3000])),
    storetime: d.pick([clock(start + 5), null]),
    itemid,
    amount: d.pick([volume, volume, volume / 4, 0]),
    amountuom: d.pick(['ml', 'ml', 'mg', 'units', 'mEq', 'mEq.', 'grams', 'dose', 'L']),
    ...rate(itemid, d),
    orderid,
    linkorderid: orderid,
    ordercategoryname: '01-Drips',
    ordercomponenttypedescription: 'Main order parameter',
    ordercategorydescription: 'Continuous Med',
    patientweight: d.pick([80, 1, 0, 62.5]),
    statusdescription: d.pick(['FinishedRunning', 'ChangeDose/Rate', 'Paused', 'Rewritten']),
  };
  add('icu.inputevents', row);
  if (d.chance(0.1)) add('icu.inputevents', row);
  if (d.chance(0.3)) {
    const carrier = {
      ...row,
      itemid: 225_158,
      rate: null,
      rateuom: null,
      amountuom: 'ml',
      ordercomponenttypedescription: 'Mixed solution',
    };
    add('icu.inputevents', carrier);
  }
}

function rate(itemid: number, d: Dice): Row {
  if (d.chance(0.15)) return { rate: null, rateuom: null };
  if (itemid === 222_315)
    return { rate: d.pick([0.04, 1.2, 2.4, 0]), rateuom: d.pick(['units/min', 'units/hour']) };
  if (!PRESSOR_ITEMS.includes(itemid)) return { rate: d.whole(1, 200), rateuom: 'mL/hour' };
  const dose = d.pick([0.05, 0.1, 0.11, 0.5, 3, 5, 5.1, 16, 45, 0]);
  if (itemid === 221_906 && d.chance(0.3)) return { rate: dose / 100, rateuom: 'mg/kg/min' };
  if (itemid === 221_749 && d.chance(0.3)) return { rate: dose * 40, rateuom: 'mcg/min' };
  return { rate: dose, rateuom: 'mcg/kg/min' };
}

const OUTPUTS = quantities('icu.outputevents').map((q) => q.itemid);

function inventOutputs(add: Add, v: Visit): void {
  const { d } = v;
  if (d.chance(0.1)) return;
  for (const itemid of [...OUTPUTS, 226_559, 226_559, 226_559]) {
    if (d.chance(0.6)) continue;
    for (let i = 0; i < d.whole(1, 4); i++) {
      const minute = moment(v);
      const value = d.pick([30, 60, 120, 400, 0, 8000, 5000, 75.5, 1200]);
      const row = {
        ...ids(v),
        charttime: clock(minute),
        storetime: clock(minute + d.pick([2, 600])),
        itemid,
        value,
        valueuom: 'ml',
      };
      add('icu.outputevents', row);
      if (d.chance(0.15)) add('icu.outputevents', { ...row, storetime: clock(minute + 9) });
    }
  }
}

const PROCEDURES = quantities('icu.procedureevents')
  .map((q) => q.itemid)
  .filter((itemid) => ![223_849, 229_314, 226_732].includes(itemid));

function inventProcedures(add: Add, v: Visit): void {
  const { d } = v;
  if (d.chance(0.1)) return;
  for (const itemid of PROCEDURES) {
    if (d.chance(0.7)) continue;
    for (let i = 0; i < d.whole(1, 2); i++) {
      const start = moment(v) - d.pick([0, 0, 300, 3000]);
      const orderid = next_order++;
      add('icu.procedureevents', {
        ...ids(v),
        starttime: clock(start),
        endtime: clock(start + d.pick([1, 60, 600, 3000])),
        storetime: clock(start + 10),
        itemid,
        value: d.pick([60, 1, 2.5]),
        valueuom: d.pick(['min', 'hour', 'day']),
        orderid,
        linkorderid: orderid,
        statusdescription: d.pick(['FinishedRunning', 'Stopped', 'Rewritten']),
      });
    }
  }
}
