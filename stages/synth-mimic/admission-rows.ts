/** Builds everything of one subject that is not an event: patient, admissions, codes, transfers, services, omr. */
import {
  admissionRow,
  type Course,
  drawCourse,
  drawSocial,
  isFromEd,
  lognormal,
  nextHadm,
  nextTransfer,
  type Social,
  serviceRows,
  startOfYear,
  transferRows,
} from './admission.js';
import { diagnosisRows, indexCodes, plantCodeFaults, priorCodes } from './codes.js';
import { plants, record, type Subject } from './context.js';
import { clamp, round } from './math.js';
import type { Stream } from './rng.js';
import type { AdmissionRow, StayRow } from './rows.js';
import { DAY, HOUR, MINUTE, timeText, yearOf } from './time.js';

/** Number of earlier admissions by weight; mean 1.3. */
const PRIORS = [
  { n: 0, weight: 0.48 },
  { n: 1, weight: 0.2 },
  { n: 2, weight: 0.12 },
  { n: 3, weight: 0.08 },
  { n: 4, weight: 0.05 },
  { n: 5, weight: 0.03 },
  { n: 6, weight: 0.02 },
  { n: 8, weight: 0.02 },
];

/** How many earlier admissions a subject has at least; `r` is its stream `priors`. */
export function priorAdmissions(r: Stream, wants: ReadonlySet<string>): number {
  const drawn = r.weighted(PRIORS).n;
  return wants.has('D02') || wants.has('D11') ? Math.max(1, drawn) : drawn;
}

/** Writes the administrative rows and returns the index course with its stay ids. */
export function buildAdmissions(s: Subject): Course {
  const r = s.stream('admissions');
  const yearsLater = s.wants.has('D02') ? r.int(3, Math.min(9, Math.max(3, s.age - 19))) : 0;
  const anchorYear = r.int(2118, 2190);
  const social = drawSocial(s);
  const drawn = drawCourse(s, anchorYear, yearsLater);
  const isIcd10 = icd10At(s, anchorYear, drawn.admittime);
  const index = admissionRow(s, social, { ...drawn, isEd: isFromEd(s) }, s.stream('index admission'));
  const { rows: transfers, stayIds } = transferRows(s, drawn, index, s.stream('transfers'));
  const course = { ...drawn, stays: drawn.stays.map((x, n) => ({ ...x, stay_id: stayIds[n]! })) };
  s.rows.admissions.push(index);
  s.rows.transfers.push(...transfers);
  s.rows.services.push(...serviceRows(s, course, s.stream('services')));
  const codes = diagnosisRows(s, course.hadm_id, indexCodes(s, isIcd10), isIcd10);
  if (codes.length === 0)
    codes.push(...diagnosisRows(s, course.hadm_id, [isIcd10 ? 'I10' : '4019'], isIcd10));
  plantCodeFaults(s, codes, isIcd10);
  s.rows.diagnoses_icd.push(...codes);
  buildPriors(s, social, course, anchorYear);
  buildStays(s, course);
  buildPatient(s, course, anchorYear, yearsLater);
  return course;
}

/** ICD-10 from October 2015, in real years: the group's year moves with the shifted calendar. */
function icd10At(s: Subject, anchorYear: number, admittime: number): boolean {
  return s.person.realYear + (yearOf(admittime) - anchorYear) >= 2016;
}

function buildPriors(s: Subject, social: Social, c: Course, anchorYear: number): void {
  const r = s.stream('priors');
  const n = priorAdmissions(r, s.wants);
  let before = c.admittime;
  for (let k = 0; k < n; k++) {
    const length = Math.floor(clamp(lognormal(r, 3.5, 0.7), 0.4, 40) * 1440) * MINUTE;
    let dischtime = before - Math.floor(clamp(lognormal(r, 200, 1.3), 2, 2500) * 1440) * MINUTE;
    // D02: the oldest admission lies in the anchor year, the index one some years later.
    if (s.wants.has('D02') && k === n - 1) {
      const start = startOfYear(anchorYear);
      dischtime = start + length + Math.floor(r.uniform(1, 300)) * DAY + r.int(0, 1439) * MINUTE;
      if (dischtime > before - DAY) dischtime = start + length + DAY;
    } else if (s.wants.has('D02') && dischtime - length < startOfYear(anchorYear + 1)) {
      continue;
    }
    // D11: the latest earlier admission ends after this one has begun.
    const isOverlap = k === 0 && plants(s, 'D11');
    if (isOverlap) dischtime = c.admittime + r.int(120, 1800) * MINUTE;
    const admittime = Math.min(dischtime - length, isOverlap ? c.admittime - DAY : dischtime - HOUR);
    before = admittime;
    const row = addPlainAdmission(s, social, { admittime, dischtime, deathtime: null }, r);
    const isIcd10 = icd10At(s, anchorYear, admittime);
    s.rows.diagnoses_icd.push(...diagnosisRows(s, row.hadm_id, priorCodes(s, r, isIcd10), isIcd10));
    if (isOverlap) {
      record(s, 'D11', {
        table: 'hosp.admissions',
        key: `hadm_id=${row.hadm_id}`,
        column: 'dischtime',
        clean_value: null,
        dirty_value: timeText(dischtime),
      });
    }
  }
  if (s.wants.has('D02')) {
    record(s, 'D02', {
      table: 'hosp.admissions',
      key: `hadm_id=${c.hadm_id}`,
      column: 'admittime',
      clean_value: anchorYear,
      dirty_value: yearOf(c.admittime),
      expectation: `age at admission is anchor_age + ${yearOf(c.admittime) - anchorYear}`,
    });
  }
}

/** An admission without an ICU stay: ward transfers and one service. */
function addPlainAdmission(
  s: Subject,
  social: Social,
  a: { admittime: number; dischtime: number; deathtime: number | null },
  r: Stream,
): AdmissionRow {
  const row = admissionRow(s, social, { ...a, hadm_id: nextHadm(s), isEd: r.chance(0.6) }, r);
  s.rows.admissions.push(row);
  const base = { subject_id: s.subject_id, hadm_id: row.hadm_id };
  const add = (eventtype: string, careunit: string | null, intime: number, outtime: number | null): void =>
    void s.rows.transfers.push({
      ...base,
      transfer_id: nextTransfer(s),
      eventtype,
      careunit,
      intime,
      outtime,
    });
  if (row.edregtime !== null) add('ED', 'Emergency Department', row.edregtime, row.edouttime);
  add('admit', 'Medicine', a.admittime, a.dischtime);
  add('discharge', null, a.dischtime, null);
  s.rows.services.push({ ...base, transfertime: a.admittime + 30, prev_service: null, curr_service: 'MED' });
  return row;
}

/** icustays, with the faults on them. */
function buildStays(s: Subject, c: Course): void {
  c.stays.forEach((stay, n) => {
    const row: StayRow = {
      subject_id: s.subject_id,
      hadm_id: c.hadm_id,
      stay_id: stay.stay_id,
      first_careunit: c.unit,
      last_careunit: n === 0 ? c.lastUnit : c.unit,
      intime: stay.intime,
      outtime: stay.outtime,
      los: daysBetween(stay.intime, stay.outtime),
    };
    s.rows.icustays.push(row);
  });
  const first = s.rows.icustays[0]!;
  const note = (id: string, row: StayRow, column: keyof StayRow, clean: string | number | null): void =>
    record(s, id, {
      table: 'icu.icustays',
      stay_id: row.stay_id,
      key: `stay_id=${row.stay_id}`,
      column,
      clean_value: clean,
      dirty_value: column === 'intime' || column === 'outtime' ? timeText(row[column]) : row[column],
    });
  if (plants(s, 'D08')) {
    const clean = first.outtime;
    first.outtime = first.intime - s.stream('D08').int(30, 900) * MINUTE;
    first.los = daysBetween(first.intime, first.outtime);
    note('D08', first, 'outtime', timeText(clean));
  }
  for (const id of ['D12', 'D13']) if (s.wants.has(id)) note(id, s.rows.icustays[1]!, 'intime', null);
  if (s.wants.has('D14')) note('D14', first, 'los', first.los);
  if (s.wants.has('D15')) note('D15', first, 'intime', timeText(first.intime));
  if (s.wants.has('D50')) note('D50', first, 'first_careunit', first.first_careunit);
}

const daysBetween = (from: number, to: number): number => round((to - from) / DAY, 6);

/** The patients row and the faults on admissions that change who died when. */
function buildPatient(s: Subject, c: Course, anchorYear: number, yearsLater: number): void {
  const index = s.rows.admissions[0]!;
  const later = s.stream('dod').int(1, 300);
  const dod =
    index.deathtime !== null
      ? Math.floor(index.deathtime / DAY)
      : s.wants.has('D96')
        ? Math.floor(index.dischtime / DAY) + later
        : null;
  s.rows.patients.push({
    subject_id: s.subject_id,
    gender: s.person.isFemale ? 'F' : 'M',
    anchor_age: s.wants.has('D01') ? 91 : s.age - yearsLater,
    anchor_year: anchorYear,
    anchor_year_group: s.person.groupLabel,
    dod,
  });
  if (s.wants.has('D01')) {
    const latent = s.person.latentAge >= 90 ? s.person.latentAge : 90 + s.stream('D01').int(0, 13);
    record(s, 'D01', {
      table: 'hosp.patients',
      key: `subject_id=${s.subject_id}`,
      column: 'anchor_age',
      clean_value: latent,
      dirty_value: 91,
    });
  }
  if (s.wants.has('D96')) {
    record(s, 'D96', {
      table: 'hosp.patients',
      key: `subject_id=${s.subject_id}`,
      column: 'dod',
      clean_value: null,
      dirty_value: `${later} days after discharge`,
    });
  }
  plantAdmissionFaults(s, c, index);
}

function plantAdmissionFaults(s: Subject, c: Course, index: AdmissionRow): void {
  const note = (
    id: string,
    row: AdmissionRow,
    column: keyof AdmissionRow,
    clean: string | null,
    dirty: string | null,
  ): void =>
    record(s, id, {
      table: 'hosp.admissions',
      key: `hadm_id=${row.hadm_id}`,
      subject_id: row.subject_id,
      column,
      clean_value: clean,
      dirty_value: dirty,
    });
  const r = s.stream('admission faults');
  if (plants(s, 'D09')) {
    const clean = index.dischtime;
    index.dischtime = index.admittime - r.int(60, 2000) * MINUTE;
    note('D09', index, 'dischtime', timeText(clean), timeText(index.dischtime));
  }
  if (plants(s, 'D10')) plantDonor(s, c, index, r, note);
  if (plants(s, 'D22')) {
    const orphan = {
      ...index,
      subject_id: s.subject_id + 1,
      hadm_id: nextHadm(s),
      edregtime: null,
      edouttime: null,
    };
    s.rows.admissions.push(orphan);
    note('D22', orphan, 'subject_id', null, String(orphan.subject_id));
  }
  if (plants(s, 'D77')) {
    const isOld = s.config.version === '2.2';
    const kind = r.int(0, 2);
    const column = kind === 2 ? 'insurance' : 'language';
    const clean = index[column];
    const isEnglish = index.language === (isOld ? 'ENGLISH' : 'English');
    if (kind === 2) index.insurance = null;
    else if (isEnglish) index.language = isOld ? 'English' : 'ENGLISH';
    else index.language = isOld ? 'Spanish' : '?';
    note('D77', index, column, clean, index[column]);
  }
}

/** D10: an organ donor comes back on paper after death, for under a day. */
function plantDonor(
  s: Subject,
  c: Course,
  index: AdmissionRow,
  r: Stream,
  note: (
    id: string,
    row: AdmissionRow,
    column: keyof AdmissionRow,
    clean: string | null,
    dirty: string,
  ) => void,
): void {
  const death = index.deathtime!;
  const admittime = death + r.int(20, 180) * MINUTE;
  const dischtime = admittime + r.int(300, 1300) * MINUTE;
  const hadm_id = nextHadm(s);
  const row: AdmissionRow = {
    ...index,
    hadm_id,
    admittime,
    dischtime,
    deathtime: death,
    edregtime: null,
    edouttime: null,
    admission_type: 'URGENT',
    admission_location: 'TRANSFER FROM HOSPITAL',
    discharge_location: 'DIED',
    hospital_expire_flag: 1,
  };
  s.rows.admissions.push(row);
  const transfer_id = nextTransfer(s);
  const base = { subject_id: s.subject_id, hadm_id };
  s.rows.transfers.push(
    { ...base, transfer_id, eventtype: 'admit', careunit: c.unit, intime: admittime, outtime: dischtime },
    {
      ...base,
      transfer_id: nextTransfer(s),
      eventtype: 'discharge',
      careunit: null,
      intime: dischtime,
      outtime: null,
    },
  );
  s.rows.services.push({ ...base, transfertime: admittime, prev_service: null, curr_service: 'SURG' });
  s.rows.icustays.push({
    subject_id: s.subject_id,
    hadm_id,
    stay_id: transfer_id,
    first_careunit: c.unit,
    last_careunit: c.unit,
    intime: admittime,
    outtime: dischtime,
    los: daysBetween(admittime, dischtime),
  });
  const isIcd10 = s.rows.diagnoses_icd[0]!.icd_version === 10;
  s.rows.diagnoses_icd.push(...diagnosisRows(s, hadm_id, [isIcd10 ? 'Z529' : 'V599'], isIcd10));
  note('D10', row, 'admittime', null, timeText(admittime));
}
