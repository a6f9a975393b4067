/** Blood gases: one specimen with its type row 52033; bicarbonate and base excess follow from pH and pCO2. */
import type { Draw, LabRun } from './lab-writer.js';
import { clamp, exp, ln, round } from './math.js';
import { isOn } from './stay.js';
import { DAY, MINUTE } from './time.js';

const LN10 = Math.LN10;

/** All gases of a stay; ventilated patients have more of them. */
export function gases(run: LabRun): void {
  const { stay, seen, r } = run;
  const hasGas = stay.vent !== null || seen.has('ph');
  if (!hasGas && !seen.has('lact')) return;
  const perDay = hasGas ? (stay.vent ? 5 : 2.5) : 1.6;
  let t = stay.t0 + (run.isLate ? 500 : r.int(5, 120)) * MINUTE;
  while (t < run.end) {
    gas(run, t, hasGas);
    const slow = t > stay.t0 + DAY ? 2 : 1;
    t += Math.floor((24 / perDay) * slow * r.uniform(0.6, 1.5) * 60) * MINUTE;
  }
}

function gas(run: LabRun, t: number, hasGas: boolean): void {
  const { s, stay, series, seen, r } = run;
  const h = run.hours(t);
  const d = run.w.draw(t, 12);
  const isArterial = r.chance(isOn(stay.artLine, t) ? 0.93 : 0.6);
  const types = s.numbers.texts.get('bg_specimen')!.filter((x) => x.value !== 'ART.');
  d.text(52033, isArterial ? 'ART.' : r.weighted(types).value, null);
  if (seen.has('lact')) d.num(50813, series('lact').rounded(h), 'mmol/L');
  if (!hasGas) return;
  // Venous blood: a little more acid, 6 mmHg more CO2, well under half the oxygen.
  const ph = series('ph').rounded(h, isArterial ? 0.008 : -0.03);
  const pco2 = series('pco2').rounded(h, isArterial ? 0 : 6);
  const po2 = series('po2').rounded(h, isArterial ? 0 : ln(0.42));
  // Henderson and Hasselbalch with pK 6.1 and 0.0307 mmol/L/mmHg.
  const hco3 = 0.0307 * pco2 * exp((ph - 6.1) * LN10);
  d.num(50820, ph, 'units');
  d.num(50818, pco2, 'mm Hg');
  d.num(50821, po2, 'mm Hg');
  d.num(50804, round(clamp(hco3 + 0.0307 * pco2, 5, 52), 0), 'mEq/L');
  d.num(50802, round(clamp(0.93 * (hco3 - 24.4 + 14.8 * (ph - 7.4)), -28, 22), 0), 'mEq/L');
  wholeBlood(run, d, h, isArterial);
  if (isOn(stay.vent, t) && seen.has('bg_fio2')) d.num(50816, series('fio2').rounded(h), '%');
  if (isArterial && r.chance(0.03)) d.num(50801, round(clamp(250 + 120 * r.normal(), 20, 620), 0), 'mm Hg');
  if (r.chance(0.008)) d.num(50805, round(clamp(1.2 + 0.7 * r.normal(), 0, 9), 0), '%');
  if (r.chance(0.007)) d.num(50814, round(clamp(0.8 + 0.5 * r.normal(), 0, 4), 0), '%');
}

/** Electrolytes, glucose, hemoglobin and saturation of the gas analyzer. */
function wholeBlood(run: LabRun, d: Draw, h: number, isArterial: boolean): void {
  const { series, seen, r } = run;
  if (seen.has('ica')) d.num(50808, series('ica').rounded(h), 'mmol/L');
  if (seen.has('wb_k')) {
    d.num(50822, round(clamp(series('k').next(h) + 0.15 * r.normal(), 2.2, 8), 1), 'mEq/L');
  }
  if (seen.has('wb_na')) {
    d.num(50824, round(clamp(series('na').next(h) + r.normal(), 108, 172), 0), 'mEq/L');
  }
  if (seen.has('wb_glu')) {
    d.num(50809, round(clamp(series('glu').next(h) * (1 + 0.05 * r.normal()), 30, 1400), 0), 'mg/dL');
  }
  if (seen.has('wb_na') && r.chance(0.6)) {
    d.num(50811, round(clamp(series('hgb').next(h) + 0.3 * r.normal(), 3.5, 19), 1), 'g/dL');
  }
  if (seen.has('so2') && r.chance(0.5)) d.num(50817, series('so2').rounded(h, isArterial ? 0 : -22), '%');
}
