/** The admissions of a subject: index stay, earlier admissions, transfers, services. */
import { PROVIDERS, provider, SLOT, type Subject } from './context.js';
import { clamp, exp, ln, logistic, probit } from './math.js';
import type { Choice } from './numbers.js';
import type { Stream } from './rng.js';
import type { AdmissionRow, Row } from './rows.js';
import { DAY, HOUR, MINUTE, yearOf } from './time.js';

/** Times of the index admission, before rows are written. */
export interface Course {
  readonly hadm_id: number;
  readonly admittime: number;
  readonly dischtime: number;
  readonly deathtime: number | null;
  readonly unit: string;
  readonly lastUnit: string;
  readonly stays: readonly { stay_id: number; intime: number; outtime: number }[];
  readonly isSurvivor: boolean;
}

/** Median and log spread to a lognormal value. */
export function lognormal(r: Stream, median: number, sigma: number): number {
  return exp(ln(median) + sigma * r.normal());
}

/** A care unit: weights of admin.csv, doubled thrice where a diagnosis of the patient belongs to it. */
function chooseUnit(s: Subject, r: Stream): string {
  const isNeuroStep = (c: Choice): boolean => /Intermediate|Stepdown/.test(c.value);
  const isLate = (c: Choice): boolean => /^PACU|^Intensive Care Unit/.test(c.value);
  const all = s.numbers.admin.get('careunit')!;
  if (s.wants.has('D50')) return r.weighted(all.filter(isNeuroStep)).value;
  const pull = new Map<string, number>();
  for (const d of s.numbers.dx) {
    if (s.person.dx[d.index]) pull.set(d.unitBias, (pull.get(d.unitBias) ?? 0) + (d.isChronic ? 0.4 : 1.5));
  }
  const biasOf = (c: Choice): number => {
    const name = /Neuro Surgical/.test(c.value) ? 'neuro' : /\((\w+)/.exec(c.value)?.[1]?.toLowerCase();
    const extra = name === 'micu' && c.value.includes('MICU/SICU') ? 0.5 : 1;
    return 1 + extra * (pull.get(name ?? '') ?? 0) * (name === 'neuro' ? 12 : name === 'micu' ? 0.5 : 2);
  };
  return r.weighted(
    all
      .filter((c) => !isNeuroStep(c) && (!isLate(c) || s.person.groupStart >= 2020))
      .map((c) => ({ value: c.value, weight: c.weight * biasOf(c) })),
  ).value;
}

/** Draws the index admission with one or two stays. */
export function drawCourse(s: Subject, anchorYear: number, yearsLater: number): Course {
  const r = s.stream('course');
  const { numbers } = s;
  const unit = chooseUnit(s, s.stream('unit'));
  const lastUnit =
    r.chance(0.08) && !s.wants.has('D50') ? numbers.admin.get('careunit')![r.int(0, 5)]!.value : unit;
  const dayOfYear = r.int(2, 360);
  const year = anchorYear + yearsLater;
  const base = startOfYear(year) + dayOfYear * DAY + r.int(0, 1439) * MINUTE;
  const hasSeconds = s.wants.has('D20');
  const intime = base + (hasSeconds ? r.int(1, 59) : 0);
  const isEd = isFromEd(s);
  const hours = isEd ? lognormal(r, 1.5, 1.0) : lognormal(r, 20, 1.3);
  const admittime = s.wants.has('D15')
    ? base + (1 + r.int(0, 89)) * MINUTE + (hasSeconds ? MINUTE : 0)
    : base - Math.floor(clamp(hours, 0.05, 900) * 60) * MINUTE;
  const isDead = dies(s, r);
  const los = icuDays(s, r);
  const outtime = base + Math.floor(los * 1440) * MINUTE + r.int(0, 59);
  const stays = [{ stay_id: 0, intime, outtime }];
  const extra = s.stream('second stay');
  if (s.wants.has('D12') || s.wants.has('D13')) {
    const gap = s.wants.has('D12') ? extra.uniform(30, 200) : extra.uniform(1.5, 23);
    const second = outtime + Math.floor(gap * 60) * MINUTE;
    stays.push({
      stay_id: 0,
      intime: second,
      outtime: second + Math.floor(clamp(lognormal(extra, 1.8, 0.7), SHORTEST, 20) * 1440) * MINUTE,
    });
  }
  const last = stays[stays.length - 1]!.outtime;
  const diesInIcu = isDead && r.chance(0.75);
  const stayAfter = lognormal(r, numbers.scalar('hosp_extra_los_median_days'), 0.8);
  // A sixth of the stays end on paper some hours after the discharge they led to.
  const dischtime = diesInIcu
    ? last - r.int(2, 240) * MINUTE
    : last + Math.floor(clamp(stayAfter, 0.2, 60) * 1440) * MINUTE;
  const floor = stays[stays.length - 1]!.intime + 90 * MINUTE;
  const discharge = toWholeMinute(Math.max(dischtime, floor));
  return {
    hadm_id: nextHadm(s),
    admittime: toWholeMinute(admittime),
    dischtime: discharge,
    deathtime: isDead ? discharge - r.int(0, 1) * r.int(0, 60) * MINUTE : null,
    unit,
    lastUnit,
    stays,
    isSurvivor: !isDead,
  };
}

const toWholeMinute = (t: number): number => Math.floor(t / MINUTE) * MINUTE;

/** Midnight of 1 January. */
export function startOfYear(year: number): number {
  let guess = Math.floor((year - 2000) * 365.2425) * DAY;
  while (yearOf(guess) < year) guess += DAY;
  while (yearOf(guess - DAY) === year) guess -= DAY;
  return guess;
}

/** True when the patient came through the emergency department. */
export function isFromEd(s: Subject): boolean {
  return s.stream('ed').chance(s.numbers.scalar('ed_share'));
}

/** In-hospital death: intercept at age 65, age, diagnoses. */
function dies(s: Subject, r: Stream): boolean {
  const u = r.float();
  if (s.wants.has('D10')) return true;
  if (s.wants.has('D96') || s.wants.has('D12') || s.wants.has('D13')) return false;
  let logit = s.numbers.scalar('mortality_logit_intercept') + 0.03 * (s.age - 65);
  for (const d of s.numbers.dx) if (s.person.dx[d.index]) logit += d.mortality;
  return u < logistic(logit) * 1.25;
}

/** Longer stays are cut here, in days. */
const LONGEST = 45;
/** Shortest stay outside D14, in days: the first day is whole and a little follows it. */
const SHORTEST = 1.08;
/** Share of the lognormal of admin.csv (median 2.1, sigma 0.95) that lies below SHORTEST. */
const BELOW_SHORTEST = 0.242;

/** Length of the ICU stay in days; under one day only where D14 asks for it. */
function icuDays(s: Subject, r: Stream): number {
  const median = s.numbers.scalar('icu_los_median_days');
  const sigma = s.numbers.scalar('icu_los_sigma_log');
  const z = probit(BELOW_SHORTEST + (1 - BELOW_SHORTEST) * r.float());
  if (s.wants.has('D14')) return r.uniform(0.1, 0.9);
  return clamp(median * exp(sigma * z), SHORTEST, LONGEST);
}

export function nextHadm(s: Subject): number {
  return 20_000_001 + s.person.i * SLOT + s.ids.hadm++;
}

export function nextTransfer(s: Subject): number {
  if (s.ids.transfer >= SLOT) throw new Error(`subject ${s.subject_id} has too many transfers`);
  return 30_000_001 + s.person.i * SLOT + s.ids.transfer++;
}

/** What stays the same in all admissions of a subject. */
export interface Social {
  readonly race: string;
  readonly marital: string | null;
  readonly language: string | null;
  readonly insurance: string | null;
}

const orNull = (text: string): string | null => (text === '' ? null : text);

/** Race, marital status, language and insurance in the vocabulary of the release. */
export function drawSocial(s: Subject): Social {
  const r = s.stream('social');
  const { admin } = s.numbers;
  const isOld = s.config.version === '2.2';
  const language = r.weighted(admin.get('language')!).value;
  const insurance = s.age >= 65 && r.chance(0.75) ? 'Medicare' : r.weighted(admin.get('insurance')!).value;
  const oldInsurance = insurance === 'Medicare' || insurance === 'Medicaid' ? insurance : 'Other';
  return {
    race: r.weighted(admin.get('race')!).value,
    marital: orNull(r.weighted(admin.get('marital_status')!).value),
    language: isOld ? (language === 'English' ? 'ENGLISH' : '?') : orNull(language),
    insurance: isOld ? oldInsurance : orNull(insurance),
  };
}

/** The row of an admission; `type` and ED times follow from how the patient came. */
export function admissionRow(
  s: Subject,
  social: Social,
  a: { hadm_id: number; admittime: number; dischtime: number; deathtime: number | null; isEd: boolean },
  r: Stream,
): AdmissionRow {
  const { admin } = s.numbers;
  const types = admin.get('admission_type')!.filter((c) => /EMER|OBSERVATION/.test(c.value) === a.isEd);
  const places = admin
    .get('admission_location')!
    .filter((c) => (c.value === 'EMERGENCY ROOM') === a.isEd || (!a.isEd && c.value === 'PACU'));
  const edHours = lognormal(r, s.numbers.scalar('ed_los_hours_median'), 0.5);
  const edOut = a.admittime + r.int(-30, 90) * MINUTE;
  const isDead = a.deathtime !== null;
  const home = r.weighted(admin.get('discharge_location')!.filter((c) => c.value !== 'DIED')).value;
  return {
    subject_id: s.subject_id,
    hadm_id: a.hadm_id,
    admittime: a.admittime,
    dischtime: a.dischtime,
    deathtime: a.deathtime,
    admission_type: r.weighted(types).value,
    admit_provider_id: provider(r.int(0, PROVIDERS - 1)),
    admission_location: r.weighted(places).value,
    discharge_location: isDead ? 'DIED' : orNull(home),
    insurance: social.insurance,
    language: social.language,
    marital_status: social.marital,
    race: social.race,
    edregtime: a.isEd ? a.admittime - Math.floor(edHours * 60) * MINUTE : null,
    edouttime: a.isEd
      ? edOut > a.admittime - Math.floor(edHours * 60) * MINUTE
        ? edOut
        : a.admittime
      : null,
    hospital_expire_flag: isDead ? 1 : 0,
  };
}

const SERVICE_OF: readonly [RegExp, readonly string[]][] = [
  [/Cardiac Vascular/, ['CSURG', 'CSURG', 'CSURG', 'CMED', 'VSURG']],
  [/Coronary/, ['CMED', 'CMED', 'CMED', 'MED']],
  [/Trauma/, ['TRAUM', 'TRAUM', 'SURG', 'ORTHO', 'NSURG']],
  [/Neuro/, ['NMED', 'NSURG']],
  [/^Surgical/, ['SURG', 'SURG', 'VSURG', 'TSURG', 'NSURG', 'GU', 'GYN']],
];

/** Services of an admission: one at its start, in a sixth another one at ICU entry. */
export function serviceRows(s: Subject, c: Course, r: Stream): Row[] {
  const list = SERVICE_OF.find(([unit]) => unit.test(c.unit))?.[1] ?? ['MED'];
  const isOncology = s.has('aml') || s.has('neutropenic_fever') || (s.has('lung_cancer') && r.chance(0.4));
  const icu = list[0] === 'MED' && isOncology ? 'OMED' : r.pick(list);
  const base = { subject_id: s.subject_id, hadm_id: c.hadm_id };
  const first = r.chance(0.16) && icu !== 'MED' ? 'MED' : icu;
  const rows: Row[] = [
    { ...base, transfertime: c.admittime + r.int(0, 59), prev_service: null, curr_service: first },
  ];
  if (first !== icu) {
    const at = c.stays[0]!.intime - r.int(0, 20) * MINUTE;
    rows.push({
      ...base,
      transfertime: at > c.admittime ? at : c.admittime + 2 * MINUTE,
      prev_service: first,
      curr_service: icu,
    });
  }
  return rows;
}

const WARDS = [
  'Medicine',
  'Med/Surg',
  'Medicine/Cardiology',
  'Neurology',
  'Cardiac Surgery',
  'Vascular',
  'Med/Surg/Trauma',
];

/** Transfers of the index admission; the first ICU transfer of a stay lends the stay its id. */
export function transferRows(
  s: Subject,
  c: Course,
  admission: AdmissionRow,
  r: Stream,
): { rows: Row[]; stayIds: number[] } {
  const rows: Row[] = [];
  const stayIds: number[] = [];
  const add = (
    eventtype: string,
    careunit: string | null,
    intime: number,
    outtime: number | null,
  ): number => {
    const transfer_id = nextTransfer(s);
    rows.push({
      subject_id: s.subject_id,
      hadm_id: c.hadm_id,
      transfer_id,
      eventtype,
      careunit,
      intime,
      outtime,
    });
    return transfer_id;
  };
  const ward = r.pick(WARDS);
  if (admission.edregtime !== null) {
    add('ED', 'Emergency Department', admission.edregtime, admission.edouttime);
  }
  let from = c.admittime;
  let kind = 'admit';
  c.stays.forEach((stay, n) => {
    if (stay.intime - from > 20 * MINUTE) {
      add(kind, ward, from, stay.intime);
      kind = 'transfer';
    }
    const isSplit = n === 0 && c.lastUnit !== c.unit;
    const middle = toWholeMinute(stay.intime + (stay.outtime - stay.intime) / 2);
    stayIds.push(add(kind, c.unit, stay.intime, isSplit ? middle : stay.outtime));
    if (isSplit) add('transfer', c.lastUnit, middle, stay.outtime);
    kind = 'transfer';
    from = stay.outtime;
  });
  if (c.dischtime - from > HOUR) add('transfer', ward, from, c.dischtime);
  add('discharge', null, Math.max(c.dischtime, from), null);
  return { rows, stayIds };
}
