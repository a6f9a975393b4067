/** SOFA (Vincent 1996), SIRS (Bone 1992), qSOFA (Seymour 2016). */
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import { seriesOf } from './charts.js';
import { scoredChartings } from './gcs.js';
import { known, type Physiology, total } from './physiology.js';
import { pointsOf, SOFA } from './points.js';
import type { Num } from './read.js';
import { max, min, type Point } from './series.js';
import { HOUR, isInside } from './window.js';

/** F340 to F346. */
export function sofaFeatures(c: Case, sheet: Sheet, p: Physiology): void {
  const parts = {
    F341: c.options.profile === 'oracle' ? respirationOfConcept(p) : respiration(p),
    F342: pointsOf(p.lab('F187').min, SOFA.platelets),
    F343: pointsOf(p.lab('F248').max, SOFA.bilirubin),
    F344: cardiovascular(c, sheet, p),
    F345: pointsOf(p.gcs, SOFA.gcs),
    F346: renal(p),
  };
  for (const [id, value] of Object.entries(parts)) put(sheet, id, value);
  put(sheet, 'F340', total(Object.values(parts)));
}

/** The worst gas; 3 and 4 points only with respiratory support: a ventilator or a pressure mask. */
function respiration(p: Physiology): Num {
  const points = p.gases
    .filter((g) => g.pf !== null)
    .map((g) => {
      const severe = p.isSupportedAt(g.time);
      if (severe && g.pf! < 100) return 4;
      if (severe && g.pf! < 200) return 3;
      if (g.pf! < 300) return 2;
      return g.pf! < 400 ? 1 : 0;
    });
  return max(points);
}

/** The public concept: 1 and 2 points come from unventilated gases only. */
function respirationOfConcept(p: Physiology): Num {
  const ratio = (ventilated: boolean): Num =>
    min(p.gases.filter((g) => g.pf !== null && p.isVentilatedAt(g.time) === ventilated).map((g) => g.pf!));
  const [on, off] = [ratio(true), ratio(false)];
  if (known(on, (x) => x < 100)) return 4;
  if (known(on, (x) => x < 200)) return 3;
  if (known(off, (x) => x < 300)) return 2;
  if (known(off, (x) => x < 400)) return 1;
  return on === null && off === null ? null : 0;
}

/** Rates in mcg/kg/min; phenylephrine and vasopressin do not count. */
function cardiovascular(c: Case, sheet: Sheet, p: Physiology): Num {
  const rate = (id: string): number => pressorRate(c, sheet, id) ?? 0;
  const [ne, epi, dopamine, dobutamine] = [rate('F377'), rate('F378'), rate('F379'), rate('F380')];
  if (dopamine > 15 || epi > 0.1 || ne > 0.1) return 4;
  if (dopamine > 5 || epi > 0 || ne > 0) return 3;
  if (dopamine > 0 || dobutamine > 0) return 2;
  if (p.mbp.min === null) {
    const any = ['F377', 'F378', 'F379', 'F380'].some((id) => pressorRate(c, sheet, id) !== null);
    return any ? 0 : null;
  }
  return p.mbp.min < 70 ? 1 : 0;
}

/** Benchmark: any overlap with the day. Concept: infusions that start from 6 h before to 24 h after intime. */
function pressorRate(c: Case, sheet: Sheet, id: string): Num {
  if (c.options.profile !== 'oracle') return sheet.get(id) ?? null;
  const items: Record<string, number> = { F377: 221906, F378: 221289, F379: 221662, F380: 221653 };
  const rows = (c.extract.inputs.get(c.stay.stay_id) ?? []).filter(
    (r) => r.itemid === items[id] && r.rate !== null && isInside(c.windows.chart, r.starttime, null),
  );
  return max(rows.map((r) => r.rate!));
}

function renal(p: Physiology): Num {
  return max(
    [pointsOf(p.lab('F220').max, SOFA.creatinine), pointsOf(p.urine, SOFA.urine)].filter((x) => x !== null),
  );
}

/** F351 to F355. */
export function sirsFeatures(sheet: Sheet, p: Physiology): void {
  const { temperature, heart_rate, resp_rate } = p;
  const paco2 = min(p.gases.map((g) => g.pco2).filter((x) => x !== null));
  const wbc = p.lab('F190');
  const bands = p.lab('F278').max;
  const parts = {
    F352: judged(
      [temperature.min],
      known(temperature.min, (t) => t < 36) || known(temperature.max, (t) => t > 38),
    ),
    F353: judged(
      [heart_rate.max],
      known(heart_rate.max, (x) => x > 90),
    ),
    F354: judged([resp_rate.max, paco2], known(resp_rate.max, (x) => x > 20) || known(paco2, (x) => x < 32)),
    F355: judged(
      [wbc.min, bands],
      known(wbc.min, (x) => x < 4) || known(wbc.max, (x) => x > 12) || known(bands, (x) => x > 10),
    ),
  };
  for (const [id, value] of Object.entries(parts)) put(sheet, id, value);
  put(sheet, 'F351', total(Object.values(parts)));
}

/** Null when nothing of it was measured. */
function judged(inputs: readonly Num[], hit: boolean): Num {
  if (inputs.every((x) => x === null)) return null;
  return hit ? 1 : 0;
}

/** F356: the three signs of one hour of the window, the worst hour. */
export function qsofaFeature(c: Case, sheet: Sheet): void {
  const hour = (time: number): number => Math.floor((time - c.windows.t0) / HOUR);
  const rr = seriesOf(c, 'F111').filter((x) => x.value >= 22);
  const sbp = seriesOf(c, 'F095').filter((x) => x.value <= 100);
  const gcs = scoredChartings(c).map((s): Point => ({ time: s.time, order: 0, value: s.total }));
  const seen = [...seriesOf(c, 'F111'), ...seriesOf(c, 'F095'), ...gcs];
  const low_gcs = gcs.filter((x) => x.value < 15);
  const at = (points: readonly Point[], h: number): number =>
    points.some((x) => hour(x.time) === h) ? 1 : 0;
  const hours = [...new Set(seen.map((x) => hour(x.time)))];
  put(sheet, 'F356', max(hours.map((h) => at(rr, h) + at(sbp, h) + at(low_gcs, h))));
}
