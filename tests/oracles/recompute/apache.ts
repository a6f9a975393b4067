/** Acute physiology score of APACHE III (Knaus 1991). */
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import { seriesOf } from './charts.js';
import { priorCodes } from './comorbidity.js';
import type { DiagnosisRow } from './extract.js';
import { arterialGases, type Gas } from './gases.js';
import { lowestCharting } from './gcs.js';
import { labSeries } from './labs.js';
import { type Physiology, type Range, range, total } from './physiology.js';
import {
  APS3,
  APS3_ACID_BASE,
  APS3_EYES_CLOSED,
  APS3_EYES_OPEN,
  APS3_SINGLE,
  type Bands,
  pointsOf,
} from './points.js';
import type { Num } from './read.js';
import { feature } from './registry.js';
import { max, min } from './series.js';

/** F348. */
export function apacheFeature(c: Case, sheet: Sheet, p: Physiology): void {
  const failure = hasRenalFailure(c, p);
  const gases = c.options.profile === 'oracle' ? gasesOfStay(c) : p.gases;
  const parts: Num[] = [
    farther(p.heart_rate, APS3.heart_rate),
    farther(p.mbp, APS3.mbp),
    farther(p.temperature, APS3.temperature),
    breathing(p),
    oxygenation(c, p, gases),
    farther(p.lab('F183'), APS3.hematocrit),
    farther(p.lab('F190'), APS3.wbc),
    failure
      ? pointsOf(p.lab('F220').max, APS3.creatinine_failure.bands)
      : farther(p.lab('F219'), APS3.creatinine),
    pointsOf(p.urine, APS3_SINGLE.urine),
    pointsOf(p.lab('F216').max, APS3_SINGLE.bun),
    farther(p.lab('F200'), APS3.sodium),
    farther(p.lab('F251'), APS3.albumin),
    pointsOf(p.lab('F248').max, APS3_SINGLE.bilirubin),
    farther(glucose(c), APS3.glucose),
    max(gases.map(acidBase).filter((x) => x !== null)),
    neurological(c),
  ];
  put(sheet, 'F348', total(parts));
}

type Table = { readonly center: number; readonly bands: Bands };

/** Points of whichever of minimum and maximum lies farther from the center; of equals the dearer. */
function farther(r: Range, { center, bands }: Table, points = pointsOf): Num {
  if (r.min === null || r.max === null) return null;
  // To the sixth decimal, so that 0.5 and 1.5 lie equally far from 1.
  const [low, high] = [r.min, r.max].map((x) => Math.round(Math.abs(x - center) * 1e6)) as [number, number];
  if (high > low) return points(r.max, bands);
  if (high < low) return points(r.min, bands);
  return Math.max(points(r.min, bands)!, points(r.max, bands)!);
}

/** A slow rate under 14 is the ventilator's. */
function breathing(p: Physiology): Num {
  const points = (x: Num, bands: Bands): Num => (p.isVentilated && x! < 14 ? 0 : pointsOf(x, bands));
  return farther(p.resp_rate, APS3.resp_rate, points);
}

/** Creatinine of 1.5 or more, little urine, no chronic kidney disease of stage 4 or 5. */
function hasRenalFailure(c: Case, p: Physiology): boolean {
  const creatinine = p.lab('F220').max;
  const codes =
    c.options.profile === 'oracle' ? (c.extract.diagnoses.get(c.stay.hadm_id) ?? []) : priorCodes(c);
  return (
    creatinine !== null && creatinine >= 1.5 && p.urine !== null && p.urine < 410 && !codes.some(isEndStage)
  );
}

function isEndStage(d: DiagnosisRow): boolean {
  const head = d.code.slice(0, 4);
  return d.version === 9 ? ['5854', '5855', '5856'].includes(head) : ['N184', 'N185', 'N186'].includes(head);
}

/** The gradient on a ventilator with FiO2 of 50 % or more, PaO2 otherwise; the dearer of the two. */
function oxygenation(c: Case, p: Physiology, gases: readonly Gas[]): Num {
  if (c.options.profile === 'oracle') return oxygenationOfConcept(p, gases);
  const isRich = (g: Gas): boolean => p.isVentilatedAt(g.time) && (g.fio2 === null || g.fio2 >= 50);
  const pao2 = min(
    gases
      .filter((g) => !isRich(g))
      .map((g) => g.po2)
      .filter((x) => x !== null),
  );
  const gradients = gases.filter((g) => isRich(g) && g.fio2 !== null).map((g) => g.aado2);
  const aado2 = max(gradients.filter((x) => x !== null));
  const points = [pointsOf(pao2, APS3_SINGLE.pao2), pointsOf(aado2, APS3_SINGLE.aado2)];
  return max(points.filter((x) => x !== null));
}

/** The public concept: the highest PaO2 breathing freely below 50 %, else the highest reported gradient. */
function oxygenationOfConcept(p: Physiology, gases: readonly Gas[]): Num {
  const free = gases
    .filter((g) => !p.isVentilatedAt(g.time) && (g.fio2 ?? 21) < 50)
    .map((g) => g.po2)
    .filter((x) => x !== null);
  const gradients = gases
    .filter((g) => p.isVentilatedAt(g.time) && g.fio2 !== null && g.fio2 >= 50)
    .map((g) => g.reported_aado2)
    .filter((x) => x !== null);
  if (free.length > 0) return pointsOf(max(free), APS3_SINGLE.pao2);
  return pointsOf(max(gradients), APS3_SINGLE.aado2);
}

function acidBase(g: Gas): Num {
  if (g.ph === null || g.pco2 === null) return null;
  return pointsOf(g.pco2, APS3_ACID_BASE.find(([end]) => g.ph! < end)![1]);
}

/** Laboratory and bedside glucose together. */
function glucose(c: Case): Range {
  const values = [...labSeries(c, feature('F222')), ...seriesOf(c, 'F126')].map((p) => p.value);
  return range(values);
}

/** The grid at the lowest coma score; a tube counts 0, an impossible combination counts nothing. */
function neurological(c: Case): Num {
  const g = lowestCharting(c);
  if (g === null || g.eye === null) return null;
  if (isTubedNow(c, g.time)) return 0;
  const grid = g.eye === 1 ? APS3_EYES_CLOSED : APS3_EYES_OPEN;
  const cell = grid.find(
    ([v0, v1, m0, m1]) =>
      g.verbal !== null &&
      g.motor !== null &&
      g.verbal >= v0! &&
      g.verbal <= v1! &&
      g.motor >= m0! &&
      g.motor <= m1!,
  );
  return cell?.[4] ?? null;
}

function isTubedNow(c: Case, time: number): boolean {
  return c.allCharts.some(
    (r) => r.itemid === 223900 && r.charttime === time && (r.value ?? '').trim() === 'No Response-ETT',
  );
}

/** The public concept's gases: all of the stay, joined on the admission. */
function gasesOfStay(c: Case): Gas[] {
  const { stay } = c;
  const rows = (c.extract.labs.get(stay.subject_id) ?? []).filter(
    (r) =>
      r.hadm_id === stay.hadm_id &&
      r.charttime >= stay.intime &&
      (stay.outtime === null || r.charttime < stay.outtime),
  );
  return arterialGases(c, rows);
}
