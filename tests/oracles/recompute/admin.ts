/** Demographics, size, admission and the patient's earlier care. */
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import { leadingNumber, valuesOf } from './charts.js';
import type { Admission, ChartRow } from './extract.js';
import type { Num } from './read.js';
import { feature, within } from './registry.js';
import { max, type Point, statistic } from './series.js';
import { DAY, HOUR, isBeforeEnd, isFiled } from './window.js';

/** F001 to F051. */
export function adminFeatures(c: Case, sheet: Sheet): void {
  put(sheet, 'F001', ageOf(c));
  put(sheet, 'F002', is(c.patient.gender === 'M'));
  size(c, sheet);
  race(c, sheet);
  social(c, sheet);
  admissionType(c, sheet);
  unit(c, sheet);
  service(c, sheet);
  times(c, sheet);
  history(c, sheet);
}

const is = (claim: boolean): number => (claim ? 1 : 0);

const yearOf = (time: number): number => new Date(time).getUTCFullYear();

/** Age at admission; 91 stands for every age over 89, so the result stops there. */
export function ageOf(c: Case): Num {
  const age = c.patient.anchor_age + (yearOf(c.admission.admittime) - c.patient.anchor_year);
  return within(Math.min(age, 91), feature('F001'));
}

/** F003 to F005. */
function size(c: Case, sheet: Sheet): void {
  const charted = valuesOf(filedCharts(c), feature('F003'));
  const height = statistic('first', charted) ?? omrValue(c, 'Height (Inches)', 'F003', 2.54);
  put(sheet, 'F003', height);
  const weight = admissionWeight(c);
  put(sheet, 'F004', weight);
  const bmi = height === null || weight === null ? null : weight / (height / 100) ** 2;
  put(sheet, 'F005', within(bmi, feature('F005')) ?? omrValue(c, 'BMI (kg/m2)', 'F005', 1));
}

/** Rows of the stay before the window ends, no lower bound; admission weight in kg before lb before daily weight. */
function admissionWeight(c: Case): Num {
  const end = { ...c.windows.interval, closed: false };
  const points = valuesOf(
    filedCharts(c).filter((r) => isBeforeEnd(end, r.charttime)),
    feature('F004'),
  );
  for (const order of [0, 1, 2]) {
    const first = statistic(
      'first',
      points.filter((p: Point) => p.order === order),
    );
    if (first !== null) return first;
  }
  return null;
}

/** Rows of the stay that were filed by the end of the first day, where that is asked for. */
function filedCharts(c: Case): ChartRow[] {
  return c.allCharts.filter((r) => isFiled(c.windows.interval, r.charttime, r.storetime));
}

/** The latest plausible outpatient result dated before the day of admission. */
function omrValue(c: Case, name: string, id: string, factor: number): Num {
  const day_of_admission = Math.floor(c.admission.admittime / DAY) * DAY;
  const results = (c.extract.omr.get(c.stay.subject_id) ?? [])
    .filter((r) => r.result_name === name && r.chartdate < day_of_admission)
    .map((r) => ({ ...r, x: leadingNumber(r.result_value) }))
    .map((r) => ({ ...r, x: within(r.x === null ? null : r.x * factor, feature(id)) }))
    .filter((r) => r.x !== null)
    .sort((a, b) => a.chartdate - b.chartdate || a.seq_num - b.seq_num);
  return results.at(-1)?.x ?? null;
}

/** F006 to F010. */
function race(c: Case, sheet: Sheet): void {
  const text = (c.admission.race ?? '').trim().toUpperCase();
  const white = text.startsWith('WHITE') || text === 'PORTUGUESE';
  const black = text.startsWith('BLACK');
  const hispanic = text.startsWith('HISPANIC') || text === 'SOUTH AMERICAN';
  const asian = text.startsWith('ASIAN');
  put(sheet, 'F006', is(white));
  put(sheet, 'F007', is(black));
  put(sheet, 'F008', is(hispanic));
  put(sheet, 'F009', is(asian));
  put(sheet, 'F010', is(!white && !black && !hispanic && !asian));
}

/** F011 to F019. */
function social(c: Case, sheet: Sheet): void {
  const { language, marital_status, insurance } = c.admission;
  put(sheet, 'F011', is((language ?? '').toUpperCase() === 'ENGLISH'));
  put(sheet, 'F012', is(marital_status === 'MARRIED'));
  put(sheet, 'F013', is(marital_status === 'SINGLE'));
  put(sheet, 'F014', is(marital_status === 'WIDOWED'));
  put(sheet, 'F015', is(marital_status === 'DIVORCED'));
  put(sheet, 'F016', is(insurance === 'Medicare'));
  put(sheet, 'F017', is(insurance === 'Medicaid'));
  put(sheet, 'F018', is(insurance === 'Private'));
  put(sheet, 'F019', is(['Other', 'Self-pay', 'No charge'].includes(insurance ?? '')));
}

/** F020 to F027. */
function admissionType(c: Case, sheet: Sheet): void {
  const type = c.admission.admission_type ?? '';
  const place = c.admission.admission_location ?? '';
  put(sheet, 'F020', is(['EW EMER.', 'DIRECT EMER.'].includes(type)));
  put(sheet, 'F021', is(type === 'URGENT'));
  const observed = ['EU OBSERVATION', 'OBSERVATION ADMIT', 'DIRECT OBSERVATION', 'AMBULATORY OBSERVATION'];
  put(sheet, 'F022', is(observed.includes(type)));
  put(sheet, 'F023', is(type === 'SURGICAL SAME DAY ADMISSION'));
  put(sheet, 'F024', is(type === 'ELECTIVE'));
  put(sheet, 'F025', is(place === 'EMERGENCY ROOM'));
  put(sheet, 'F026', is(place === 'TRANSFER FROM HOSPITAL'));
  const referred = [
    'PHYSICIAN REFERRAL',
    'CLINIC REFERRAL',
    'WALK-IN/SELF REFERRAL',
    'PROCEDURE SITE',
    'PACU',
  ];
  put(sheet, 'F027', is(referred.includes(place)));
}

/** F028 to F034. */
function unit(c: Case, sheet: Sheet): void {
  const name = (c.stay.first_careunit ?? '').trim().toLowerCase();
  const units: [string, string][] = [
    ['F028', 'Medical Intensive Care Unit (MICU)'],
    ['F029', 'Medical/Surgical Intensive Care Unit (MICU/SICU)'],
    ['F030', 'Surgical Intensive Care Unit (SICU)'],
    ['F031', 'Trauma SICU (TSICU)'],
    ['F032', 'Coronary Care Unit (CCU)'],
    ['F033', 'Cardiac Vascular Intensive Care Unit (CVICU)'],
  ];
  for (const [id, unit_name] of units) put(sheet, id, is(name === unit_name.toLowerCase()));
  put(sheet, 'F034', is(name.includes('neuro')));
}

const SERVICES: [string, string[]][] = [
  ['F035', ['MED']],
  ['F036', ['CMED']],
  ['F037', ['CSURG']],
  ['F038', ['SURG', 'VSURG', 'TSURG', 'PSURG', 'ORTHO', 'GU', 'GYN', 'ENT']],
  ['F039', ['NMED', 'NSURG']],
  ['F040', ['TRAUM']],
  ['F041', ['OMED']],
];

/** F035 to F041: null when no service is known. */
function service(c: Case, sheet: Sheet): void {
  const current = serviceAtIntime(c);
  for (const [id, names] of SERVICES) put(sheet, id, current === null ? null : is(names.includes(current)));
}

/** The service in force at intime: the latest transfer up to one hour after it. */
export function serviceAtIntime(c: Case): string | null {
  const rows = (c.extract.services.get(c.stay.hadm_id) ?? [])
    .filter((r) => r.transfertime <= c.stay.intime + HOUR)
    .sort((a, b) => a.transfertime - b.transfertime);
  return rows.at(-1)?.curr_service ?? null;
}

/** F042 to F045, F050, F051. */
function times(c: Case, sheet: Sheet): void {
  const { admittime, edregtime, edouttime } = c.admission;
  put(sheet, 'F042', within((c.stay.intime - admittime) / HOUR, feature('F042')));
  const stayed = edregtime === null ? 0 : edouttime === null ? null : (edouttime - edregtime) / HOUR;
  put(sheet, 'F043', within(stayed, feature('F043')));
  put(sheet, 'F044', is(edregtime !== null));
  const of_admission = (c.extract.staysOf.get(c.stay.subject_id) ?? []).filter(
    (s) => s.hadm_id === c.stay.hadm_id,
  );
  const earlier = new Set(of_admission.map((s) => s.intime).filter((t) => t < c.stay.intime));
  put(sheet, 'F045', earlier.size + 1);
  const hour = new Date(c.stay.intime).getUTCHours();
  put(sheet, 'F050', Math.sin((2 * Math.PI * hour) / 24));
  put(sheet, 'F051', Math.cos((2 * Math.PI * hour) / 24));
}

/** F046 to F049. */
function history(c: Case, sheet: Sheet): void {
  const { admittime } = c.admission;
  const ends = priorAdmissions(c).map((a) => a.dischtime!);
  put(sheet, 'F046', within(ends.length, feature('F046')));
  put(sheet, 'F047', within(ends.filter((t) => admittime - t <= 365 * DAY).length, feature('F047')));
  const icu = (c.extract.staysOf.get(c.stay.subject_id) ?? []).filter(
    (s) => s.stay_id !== c.stay.stay_id && s.outtime !== null && s.outtime <= c.stay.intime,
  );
  put(sheet, 'F048', within(icu.length, feature('F048')));
  const latest = max(ends);
  put(sheet, 'F049', latest === null ? null : Math.min(3650, (admittime - latest) / DAY));
}

/** Earlier admissions of the subject: discharged by the time of this admission. */
export function priorAdmissions(c: Case): Admission[] {
  return (c.extract.admissionsOf.get(c.stay.subject_id) ?? []).filter(
    (a) => a.hadm_id !== c.admission.hadm_id && a.dischtime !== null && a.dischtime <= c.admission.admittime,
  );
}
