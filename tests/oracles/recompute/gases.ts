/** Arterial blood gases: oxygen against inspired oxygen. */
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import { fio2Percent } from './charts.js';
import type { LabRow } from './extract.js';
import { bySpecimen, type SpecimenValue, specimenValues } from './labs.js';
import type { Num } from './read.js';
import { feature, within } from './registry.js';
import { max, min, type Point, statistic } from './series.js';
import { HOUR, isFiled } from './window.js';

/** An arterial specimen. */
export interface Gas {
  readonly specimen_id: number;
  readonly time: number;
  readonly po2: Num;
  readonly pco2: Num;
  readonly ph: Num;
  /** Percent: of the specimen, else charted within four hours before. */
  readonly fio2: Num;
  readonly pf: Num;
  /** Alveolar-arterial gradient: reported, else computed at sea level. */
  readonly aado2: Num;
  readonly reported_aado2: Num;
}

const SPECIMEN_TYPE = 52033;

/** F322, F323, F327 to F329, F339. */
export function gasFeatures(c: Case, sheet: Sheet): void {
  const gases = arterialGases(c);
  const po2 = gases.map((g) => g.po2).filter((x) => x !== null);
  put(sheet, 'F322', min(po2));
  put(sheet, 'F323', max(po2));
  const pf = gases.filter((g) => g.pf !== null).map((g): Point => ({ time: g.time, order: 0, value: g.pf! }));
  put(sheet, 'F327', statistic('min', pf));
  put(sheet, 'F328', statistic('last', pf));
  put(sheet, 'F329', max(gases.map((g) => g.aado2).filter((x) => x !== null)));
  put(sheet, 'F339', c.labs.length === 0 ? null : po2.length);
}

/**
 * Arterial gases of LAB24 (or of other lab rows of the subject) in order of time: specimens of type ART. with a PO2, a
 * PCO2, a pH or a reported gradient. The public concept knows only those with a PO2.
 */
export function arterialGases(c: Case, labs: readonly LabRow[] = c.labs): Gas[] {
  const quantity = (itemid: number, id: string): Map<number, SpecimenValue> =>
    bySpecimen(specimenValues(c, itemid, feature(id), labs));
  const po2 = quantity(50821, 'F322');
  const pco2 = quantity(50818, 'F320');
  const ph = quantity(50820, 'F317');
  const reported = quantity(50801, 'F329');
  const own = ownFio2(c, labs);
  const isConcept = c.options.profile === 'oracle';
  const gases: Gas[] = [];
  for (const specimen_id of arterialSpecimens(labs)) {
    const found = [po2, pco2, ph, reported].map((values) => values.get(specimen_id));
    const time = found.find((value) => value !== undefined)?.time;
    if (time === undefined || (isConcept && !po2.has(specimen_id))) continue;
    const [o2, co2, acidity, reported_aado2] = found.map((value) => value?.value ?? null) as [
      Num,
      Num,
      Num,
      Num,
    ];
    const fio2 = own.get(specimen_id)?.value ?? chartedFio2(c, time);
    const pf = o2 === null || fio2 === null ? null : quotient(c, o2 / (fio2 / 100));
    const aado2 = reported_aado2 ?? gradient(o2, co2, fio2);
    gases.push({ specimen_id, time, po2: o2, pco2: co2, ph: acidity, fio2, pf, reported_aado2, aado2 });
  }
  return gases.sort((a, b) => a.time - b.time);
}

function arterialSpecimens(labs: readonly LabRow[]): Set<number> {
  const typed = labs.filter((r) => r.itemid === SPECIMEN_TYPE && (r.value ?? '').trim() === 'ART.');
  return new Set(typed.map((r) => r.specimen_id));
}

function ownFio2(c: Case, labs: readonly LabRow[]): Map<number, SpecimenValue> {
  return bySpecimen(specimenValues(c, 50816, { low: 20, high: 100 }, labs));
}

/** The latest usable FiO2 charted in the four hours before the specimen; the highest of one charttime. */
function chartedFio2(c: Case, time: number): Num {
  const rows = (c.extract.fio2OfSubject.get(c.stay.subject_id) ?? []).filter(
    (r) =>
      r.charttime >= time - 4 * HOUR &&
      r.charttime <= time &&
      isFiled(c.windows.chart, r.charttime, r.storetime) &&
      fio2Percent(r.valuenum) !== null,
  );
  const latest = max(rows.map((r) => r.charttime));
  return max(rows.filter((r) => r.charttime === latest).map((r) => fio2Percent(r.valuenum)!));
}

/** The public concept has no limits for the quotient. */
function quotient(c: Case, pf: number): Num {
  return c.options.profile === 'oracle' ? pf : within(pf, feature('F327'));
}

/** 713 = 760 - 47 mmHg of water vapour; 0.8 = respiratory quotient. */
function gradient(po2: Num, pco2: Num, fio2: Num): Num {
  if (po2 === null || pco2 === null || fio2 === null) return null;
  return within((fio2 / 100) * 713 - pco2 / 0.8 - po2, feature('F329'));
}
