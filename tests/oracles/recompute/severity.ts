/** SAPS II (Le Gall 1993), OASIS (Johnson 2013), LODS (Le Gall 1996). */
import { ageOf, serviceAtIntime } from './admin.js';
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import { priorCodes } from './comorbidity.js';
import type { DiagnosisRow } from './extract.js';
import { known, type Physiology, type Range, total } from './physiology.js';
import { LODS, OASIS, pointsOf, SAPS2 } from './points.js';
import type { Num } from './read.js';
import { min } from './series.js';
import { DAY, MINUTE } from './window.js';

/** F347. */
export function saps2Feature(c: Case, sheet: Sheet, p: Physiology): void {
  const parts: Num[] = [
    pointsOf(ageOf(c), SAPS2.age),
    lowHigh(
      p.heart_rate,
      [[40, 11]],
      [
        [160, 7],
        [120, 4],
      ],
      [[70, 2]],
    ),
    lowHigh(
      p.sbp,
      [
        [70, 13],
        [100, 5],
      ],
      [[200, 2]],
    ),
    known(p.temperature.max, (t) => t >= 39) ? 3 : 0,
    pointsOf(supportedRatio(p), SAPS2.pf),
    pointsOf(p.urine, SAPS2.urine),
    pointsOf(p.lab('F216').max, SAPS2.bun),
    lowHigh(p.lab('F190'), [[1, 12]], [[20, 3]]),
    lowHigh(p.lab('F203'), [[3, 3]], [[5, 3]]),
    lowHigh(p.lab('F200'), [[125, 5]], [[145, 1]]),
    pointsOf(p.lab('F209').min, SAPS2.bicarbonate),
    pointsOf(p.lab('F248').max, SAPS2.bilirubin),
    pointsOf(p.gcs, SAPS2.gcs),
    chronic(priorCodes(c)),
    admissionPoints(c),
  ];
  put(sheet, 'F347', total(parts));
}

type Limits = readonly (readonly [number, number])[];

/** Points of a minimum below a limit, then of a maximum at or above a limit, then of a minimum below a milder limit. */
function lowHigh(r: Range, low: Limits, high: Limits, mild: Limits = []): Num {
  if (r.min === null) return null;
  const hit =
    low.find(([limit]) => r.min! < limit) ??
    high.find(([limit]) => r.max! >= limit) ??
    mild.find(([limit]) => r.min! < limit);
  return hit?.[1] ?? 0;
}

/** The lowest PaO2/FiO2 on a ventilator or a pressure mask. */
function supportedRatio(p: Physiology): Num {
  return min(p.gases.filter((g) => g.pf !== null && p.isSupportedAt(g.time)).map((g) => g.pf!));
}

/** The gravest chronic disease of earlier admissions. */
function chronic(codes: readonly DiagnosisRow[]): number {
  if (codes.some(isAids)) return 17;
  if (codes.some(isBloodMalignancy)) return 10;
  return codes.some(isMetastasis) ? 9 : 0;
}

/** The first characters of a code lie between two codes of that length. */
function between(d: DiagnosisRow, version: number, from: string, to: string): boolean {
  const head = d.code.slice(0, from.length);
  return d.version === version && head >= from && head <= to;
}

function isAids(d: DiagnosisRow): boolean {
  return between(d, 9, '042', '044') || between(d, 10, 'B20', 'B22') || between(d, 10, 'B24', 'B24');
}

function isBloodMalignancy(d: DiagnosisRow): boolean {
  const ranges9: [string, string][] = [
    ['20000', '20238'],
    ['20240', '20248'],
    ['20250', '20302'],
    ['20310', '20312'],
    ['20302', '20382'],
    ['20400', '20522'],
    ['20580', '20702'],
    ['20720', '20892'],
    ['2386', '2386'],
    ['2733', '2733'],
  ];
  return ranges9.some(([from, to]) => between(d, 9, from, to)) || between(d, 10, 'C81', 'C96');
}

function isMetastasis(d: DiagnosisRow): boolean {
  const ranges9: [string, string][] = [
    ['1960', '1991'],
    ['20970', '20975'],
    ['20979', '20979'],
    ['78951', '78951'],
  ];
  return (
    ranges9.some(([from, to]) => between(d, 9, from, to)) ||
    between(d, 10, 'C77', 'C79') ||
    between(d, 10, 'C800', 'C800')
  );
}

/** Scheduled surgery 0, medical 6, unscheduled surgery 8. */
function admissionPoints(c: Case): number {
  if (!isSurgicalService(c, serviceForSaps(c))) return 6;
  return isScheduled(c) ? 0 : 8;
}

function serviceForSaps(c: Case): string | null {
  if (c.options.profile !== 'oracle') return serviceAtIntime(c);
  const rows = [...(c.extract.services.get(c.stay.hadm_id) ?? [])];
  return rows.sort((a, b) => a.transfertime - b.transfertime)[0]?.curr_service ?? null;
}

function isSurgicalService(c: Case, service: string | null): boolean {
  const name = (service ?? '').toUpperCase();
  return name.includes('SURG') || (name === 'ORTHO' && c.options.profile !== 'oracle');
}

/** P62: same-day surgery is scheduled too; the public concepts know ELECTIVE only. */
function isScheduled(c: Case): boolean {
  const type = c.admission.admission_type;
  return type === 'ELECTIVE' || (type === 'SURGICAL SAME DAY ADMISSION' && c.options.profile !== 'oracle');
}

/** F349. */
export function oasisFeature(c: Case, sheet: Sheet, p: Physiology): void {
  const isConcept = c.options.profile === 'oracle';
  // The table is printed with two decimals (36.89 is 98.4 F), so values are rounded to two.
  const printed = (r: Range): Range => (isConcept ? r : { min: twoDecimals(r.min), max: twoDecimals(r.max) });
  const parts: Num[] = [
    pointsOf(minutesBetween(c), OASIS.minutes_before_icu),
    pointsOf(ageOf(c), OASIS.age),
    pointsOf(p.gcs, OASIS.gcs),
    oasisHeartRate(printed(p.heart_rate), isConcept),
    oasisPressure(printed(p.mbp)),
    oasisBreathing(printed(p.resp_rate)),
    oasisTemperature(printed(p.temperature)),
    oasisUrine(isConcept ? p.urine : twoDecimals(p.urine)),
    p.isVentilated ? 9 : 0,
    isScheduled(c) && hadSurgicalService(c) ? 0 : 6,
  ];
  put(sheet, 'F349', total(parts));
}

/** Minutes of the clock between admission and ICU. */
function minutesBetween(c: Case): number {
  return Math.floor(c.stay.intime / MINUTE) - Math.floor(c.admission.admittime / MINUTE);
}

function hadSurgicalService(c: Case): boolean {
  return (c.extract.services.get(c.stay.hadm_id) ?? []).some((r) => {
    const name = (r.curr_service ?? '').toUpperCase();
    return r.transfertime < c.stay.intime + DAY && (name.includes('SURG') || name === 'ORTHO');
  });
}

/** `holes`: the concept gives 0 between 106 and 107; here the band reaches up to 107. */
function oasisHeartRate(r: Range, holes: boolean): Num {
  if (r.max === null) return null;
  if (r.max > 125) return 6;
  if (r.min! < 33) return 4;
  if (r.max >= 107) return 3;
  return r.max >= 89 && !(holes && r.max > 106) ? 1 : 0;
}

function oasisPressure(r: Range): Num {
  if (r.min === null) return null;
  if (r.min < 20.65) return 4;
  if (r.min < 51) return 3;
  if (r.max! > 143.44) return 3;
  return r.min < 61.33 ? 2 : 0;
}

function oasisBreathing(r: Range): Num {
  if (r.min === null) return null;
  if (r.min < 6) return 10;
  if (r.max! > 44) return 9;
  if (r.max! > 30) return 6;
  return r.max! > 22 || r.min < 13 ? 1 : 0;
}

function oasisTemperature(r: Range): Num {
  if (r.max === null) return null;
  const isCool = (t: number): boolean => t >= 33.22 && t <= 35.93;
  if (r.max > 39.88) return 6;
  if (isCool(r.min!) || isCool(r.max)) return 4;
  if (r.min! < 33.22) return 3;
  return (r.min! > 35.93 && r.min! <= 36.39) || r.max >= 36.89 ? 2 : 0;
}

function twoDecimals(x: Num): Num {
  return x === null ? null : Math.round(x * 100) / 100;
}

function oasisUrine(urine: Num): Num {
  if (urine === null) return null;
  if (urine < 671.09) return 10;
  if (urine > 6896.8) return 8;
  if (urine <= 1426.99) return 5;
  return urine <= 2544.14 ? 1 : 0;
}

/** F350. */
export function lodsFeature(c: Case, sheet: Sheet, p: Physiology): void {
  const parts = [
    pointsOf(p.gcs, LODS.gcs),
    lodsHeart(p),
    c.options.profile === 'oracle' ? lodsKidneyOfConcept(p) : lodsKidney(p),
    lodsLung(p),
    lodsBlood(p),
    lodsLiver(p),
  ];
  put(sheet, 'F350', total(parts));
}

function lodsHeart({ heart_rate: hr, sbp }: Physiology): Num {
  if (hr.max === null && sbp.min === null) return null;
  if (known(hr.min, (x) => x < 30) || known(sbp.min, (x) => x < 40)) return 5;
  if (known(sbp.min, (x) => x < 70) || known(sbp.max, (x) => x >= 270)) return 3;
  const mild =
    known(hr.max, (x) => x >= 140) || known(sbp.max, (x) => x >= 240) || known(sbp.min, (x) => x < 90);
  return mild ? 1 : 0;
}

/** BUN of 17, 28 and 56 mg/dL are urea of 6, 10 and 20 mmol/L; what was not measured counts as normal. */
function lodsKidney(p: Physiology): Num {
  const { urine } = p;
  const bun = p.lab('F216').max;
  const creatinine = p.lab('F220').max;
  if (bun === null && urine === null && creatinine === null) return null;
  if (known(urine, (x) => x < 500) || known(bun, (x) => x >= 56)) return 5;
  if (known(creatinine, (x) => x >= 1.6) || known(bun, (x) => x >= 28)) return 3;
  if (known(urine, (x) => x < 750 || x >= 10000)) return 3;
  return known(creatinine, (x) => x >= 1.2) || known(bun, (x) => x >= 17) ? 1 : 0;
}

/** The public concept needs all three and gives a point from 7.5 mg/dL of BUN on. */
function lodsKidneyOfConcept(p: Physiology): Num {
  const { urine } = p;
  const bun = p.lab('F216').max;
  const creatinine = p.lab('F220').max;
  if (bun === null || urine === null || creatinine === null) return null;
  if (urine < 500 || bun >= 56) return 5;
  if (creatinine >= 1.6 || urine < 750 || bun >= 28 || urine >= 10000) return 3;
  return creatinine >= 1.2 || bun >= 7.5 ? 1 : 0;
}

function lodsLung(p: Physiology): Num {
  const ratio = supportedRatio(p);
  if (ratio === null) return 0;
  return ratio >= 150 ? 1 : 3;
}

function lodsBlood(p: Physiology): Num {
  const wbc = p.lab('F190');
  const platelets = p.lab('F187').min;
  if (wbc.max === null && platelets === null) return null;
  if (known(wbc.min, (x) => x < 1)) return 3;
  const mild =
    known(wbc.min, (x) => x < 2.5) || known(platelets, (x) => x < 50) || known(wbc.max, (x) => x >= 50);
  return mild ? 1 : 0;
}

/** Prothrombin time: over 3 s above, or under a quarter of, the normal 12 s. */
function lodsLiver(p: Physiology): Num {
  const pt = p.lab('F237');
  const bilirubin = p.lab('F248').max;
  if (pt.max === null && bilirubin === null) return null;
  const hit = known(bilirubin, (x) => x >= 2) || known(pt.max, (x) => x > 15) || known(pt.min, (x) => x < 3);
  return hit ? 1 : 0;
}
