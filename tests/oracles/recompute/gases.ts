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

/** An arterial specimen with a PO2. */
export interface Gas {
  readonly specimen_id: number;
  readonly time: number;
  readonly po2: number;
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
  const po2 = gases.map((g) => g.po2);
  put(sheet, 'F322', min(po2));
  put(sheet, 'F323', max(po2));
  const pf = gases.filter((g) => g.pf !== null).map((g): Point => ({ time: g.time, order: 0, value: g.pf! }));
  put(sheet, 'F327', statistic('min', pf));
  put(sheet, 'F328', statistic('last', pf));
  put(sheet, 'F329', max(gases.map((g) => g.aado2).filter((x) => x !== null)));
  put(sheet, 'F339', c.labs.length === 0 ? null : gases.length);
}

/** Arterial gases of LAB24 (or of other lab rows of the subject) in order of time. */
export function arterialGases(c: Case, labs: readonly LabRow[] = c.labs): Gas[] {
  const arterial = new Set(
    labs
      .filter((r) => r.itemid === SPECIMEN_TYPE && (r.value ?? '').trim() === 'ART.')
      .map((r) => r.specimen_id),
  );
  const pco2 = bySpecimen(specimenValues(c, 50818, feature('F320'), labs));
  const ph = bySpecimen(specimenValues(c, 50820, feature('F317'), labs));
  const own = ownFio2(c, labs);
  const reported = bySpecimen(specimenValues(c, 50801, feature('F329'), labs));
  return specimenValues(c, 50821, feature('F322'), labs)
    .filter((s) => arterial.has(s.specimen_id))
    .sort((a, b) => a.time - b.time)
    .map((s) => {
      const fio2 = own.get(s.specimen_id)?.value ?? chartedFio2(c, s.time);
      const co2 = pco2.get(s.specimen_id)?.value ?? null;
      return {
        specimen_id: s.specimen_id,
        time: s.time,
        po2: s.value,
        pco2: co2,
        ph: ph.get(s.specimen_id)?.value ?? null,
        fio2,
        pf: fio2 === null ? null : quotient(c, s.value / (fio2 / 100)),
        reported_aado2: reported.get(s.specimen_id)?.value ?? null,
        aado2: reported.get(s.specimen_id)?.value ?? gradient(s.value, co2, fio2),
      };
    });
}

function ownFio2(c: Case, labs: readonly LabRow[]): Map<number, SpecimenValue> {
  const raw = specimenValues(c, 50816, { low: Number.MIN_VALUE, high: 100 }, labs);
  const usable = raw.filter((s) => fio2Percent(s.value) !== null);
  return bySpecimen(usable.map((s) => ({ ...s, value: fio2Percent(s.value)! })));
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
function gradient(po2: number, pco2: Num, fio2: Num): Num {
  if (pco2 === null || fio2 === null) return null;
  return within((fio2 / 100) * 713 - pco2 / 0.8 - po2, feature('F329'));
}
