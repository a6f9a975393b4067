/** APS III, qSOFA, KDIGO and the scores that are formulas: two patients each, computed by hand. */
import { describe, expect, test } from 'vitest';
import { at, type Patient, scoresOf } from './build-features-scores-support.js';

describe('APS III (F348)', () => {
  // The two worked patients that the publication prints (Knaus 1991, appendix B), without age and chronic health points.
  const first: Patient = {
    // heart rate 125: 7; mean pressure 75: 6; 39.8 C: 0; rate 36: 9; hematocrit 24: 3; WBC 1.2: 5; creatinine 2.2: 7; urine 1200: 5;
    // BUN 85: 12; sodium 136: 0; albumin 2.4: 6; bilirubin 3.3: 6; glucose 246: 3; eyes 4 verbal 4 motor 6: 3;
    // FiO2 70 %: A-a = 499.1 - 32.5 - 68 = 398.6: 11; pH 7.24 with PaCO2 26: 9.
    // 7 + 6 + 0 + 9 + 3 + 5 + 7 + 5 + 12 + 0 + 6 + 6 + 3 + 3 + 11 + 9 = 92
    features: {
      F089: 125,
      F090: 125,
      F104: 75,
      F105: 75,
      F116: 39.8,
      F117: 39.8,
      F110: 36,
      F111: 36,
      F183: 24,
      F184: 24,
      F190: 1.2,
      F191: 1.2,
      F219: 2.2,
      F220: 2.2,
      F364: 1200,
      F216: 85,
      F200: 136,
      F201: 136,
      F248: 3.3,
      F222: 246,
      F223: 246,
    },
    lab: [{ itemid: 50862, charttime: at(1), num: 2.4 }],
    gcs: [{ charttime: at(1), eye: 4, verbal: 4, motor: 6, total: 14 }],
    gas: [{ charttime: at(1), po2: 68, pco2: 26, ph: 7.24, fio2: 70, aado2: 398.6 }],
    vent: [{ starttime: at(0), endtime: at(24), kind: 'invasive' }],
  };
  const second: Patient = {
    // heart rate 110: 5; 82: 0; 37.5: 0; rate 10 on a ventilator: 0; hematocrit 32: 3; WBC 12: 0; creatinine 1.8: 4; urine 1800: 4;
    // BUN 22: 7; sodium 142: 0; albumin 2.8: 0; bilirubin 2.5: 5; glucose 190: 0; eyes 3 verbal 5 motor 6: 0;
    // FiO2 40 %: PaO2 95: 0; pH 7.42 with PaCO2 38: 0. 5 + 3 + 4 + 4 + 7 + 5 = 28
    features: {
      F089: 110,
      F090: 110,
      F104: 82,
      F105: 82,
      F116: 37.5,
      F117: 37.5,
      F110: 10,
      F111: 10,
      F183: 32,
      F184: 32,
      F190: 12,
      F191: 12,
      F219: 1.8,
      F220: 1.8,
      F364: 1800,
      F216: 22,
      F200: 142,
      F201: 142,
      F248: 2.5,
      F222: 190,
      F223: 190,
    },
    lab: [{ itemid: 50862, charttime: at(1), num: 2.8 }],
    gcs: [{ charttime: at(1), eye: 3, verbal: 5, motor: 6, total: 14 }],
    gas: [{ charttime: at(1), po2: 95, pco2: 38, ph: 7.42, fio2: 40, aado2: 142.7 }],
    vent: [{ starttime: at(0), endtime: at(24), kind: 'invasive' }],
  };

  test('the two patients of the publication', async () => {
    const r = await scoresOf({ first, second });
    expect(r.feature('first', 'F348')).toBe(92);
    expect(r.feature('second', 'F348')).toBe(28);
    expect(r.parts('first', 'aps_iii')).toMatchObject({
      oxygenation: 11,
      acid_base: 9,
      neurologic: 3,
      respiratory_rate: 9,
    });
  });

  test('of lowest and highest the one farther from normal counts; the higher points when both are equally far', async () => {
    const r = await scoresOf({
      // heart rate 30 lies 45 from 75, 115 lies 40: the low one, 8 points (115 would give 5)
      low: { features: { F089: 30, F090: 115 } },
      // 100 lies 25 from 75, 60 lies 15: the high one, 1 point
      high: { features: { F089: 60, F090: 100 } },
      // 40 and 110 both lie 35 away: 5 for either; 35 and 115: 8 and 5, so 8
      tie: { features: { F089: 35, F090: 115 } },
      // creatinine 0.4 and 1.6 lie 0.6 away in decimals, not in binary: 3 and 4, so 4
      decimal: { features: { F219: 0.4, F220: 1.6 } },
    });
    expect(['low', 'high', 'tie'].map((p) => r.parts(p, 'aps_iii').heart_rate)).toEqual([8, 1, 8]);
    expect(r.parts('decimal', 'aps_iii').creatinine).toBe(4);
  });

  test('acute renal failure changes the creatinine table, unless kidney disease of dialysis stage is known', async () => {
    const features = { F219: 1.2, F220: 1.6, F364: 405 };
    const r = await scoresOf({
      acute: { features },
      chronic: { features, prior_dx: [{ icd_code: 'N186' }] },
      mildChronic: { features, prior_dx: [{ icd_code: 'N183' }] },
      urine: { features: { ...features, F364: 410 } },
      none: { features: { F219: 1.2, F220: 1.6 } },
    });
    const got = ['acute', 'chronic', 'mildChronic', 'urine', 'none'].map(
      (p) => r.parts(p, 'aps_iii').creatinine,
    );
    expect(got).toEqual([10, 4, 10, 4, 4]);
  });

  test('oxygenation: gradient on the ventilator from FiO2 50 % on, PaO2 otherwise', async () => {
    const vent = [{ starttime: at(0), endtime: at(10), kind: 'invasive' }];
    const gas = (charttime: string, fio2: number | null) => [{ charttime, fio2, po2: 60, aado2: 520 }];
    const patients: Record<string, Patient> = {
      ventilatedHigh: { vent, gas: gas(at(5), 50) },
      ventilatedLow: { vent, gas: gas(at(5), 49) },
      ventilatedUnknown: { vent, gas: gas(at(5), null) },
      freeHigh: { vent, gas: gas(at(11), 60) },
      freeUnknown: { gas: gas(at(5), null) },
    };
    const r = await scoresOf(patients);
    const got = Object.keys(patients).map((p) => r.parts(p, 'aps_iii').oxygenation);
    expect(got).toEqual([14, 5, undefined, 5, 5]);
  });

  test('the respiratory rate of a ventilated patient gives no points below 14', async () => {
    const features = { F110: 5, F111: 20 };
    const vent = [{ starttime: at(0), endtime: at(10), kind: 'invasive' }];
    const r = await scoresOf({ free: { features }, machine: { features, vent } });
    expect(r.parts('free', 'aps_iii').respiratory_rate).toBe(17);
    expect(r.parts('machine', 'aps_iii').respiratory_rate).toBe(0);
  });

  test('neurologic points come from the lowest total inside the window; untestable speech gives none', async () => {
    const r = await scoresOf({
      worst: {
        gcs: [
          { charttime: at(-1), eye: 1, verbal: 1, motor: 1, total: 3 },
          { charttime: at(2), eye: 1, verbal: 1, motor: 4, total: 6 },
          { charttime: at(9), eye: 4, verbal: 5, motor: 6, total: 15 },
          { charttime: at(24), eye: 1, verbal: 1, motor: 1, total: 3 },
        ],
      },
      tube: { gcs: [{ charttime: at(2), eye: 1, verbal: 0, motor: 4, total: 15 }] },
      impossible: { gcs: [{ charttime: at(2), eye: 1, verbal: 5, motor: 6, total: 12 }] },
    });
    expect(r.parts('worst', 'aps_iii')).toEqual({ neurologic: 33 });
    expect(r.parts('tube', 'aps_iii')).toEqual({});
    expect(r.parts('impossible', 'aps_iii')).toEqual({});
  });
});

describe('qSOFA (F356)', () => {
  const chart = (hours: number, itemid: number, valuenum: number) => ({
    charttime: at(hours),
    itemid,
    valuenum,
  });
  test('two patients', async () => {
    const r = await scoresOf({
      // third hour: rate 24: 1, systolic (96 + 100) / 2 = 98: 1, GCS 14: 1. 3
      septic: {
        chart: [
          chart(2.2, 220210, 24),
          chart(2.5, 220179, 96),
          chart(2.5, 220050, 100),
          chart(6, 220179, 140),
        ],
        gcs: [{ charttime: at(2.9), eye: 4, verbal: 4, motor: 6, total: 14 }],
      },
      // one criterion in each of three hours: 1, not 3
      apart: {
        chart: [chart(1.2, 220210, 24), chart(5.5, 220179, 96)],
        gcs: [{ charttime: at(9), eye: 4, verbal: 4, motor: 6, total: 14 }],
      },
      // 101 and 21 are not beyond; a systolic pressure of 0 and a rate of 80 are typing errors; the rest lies outside the window
      none: {
        chart: [
          chart(1, 220179, 101),
          chart(1, 220210, 21),
          chart(2, 220179, 0),
          chart(2, 220210, 80),
          chart(-0.5, 220210, 30),
          chart(24, 220210, 30),
        ],
      },
      empty: {},
    });
    expect(['septic', 'apart', 'none', 'empty'].map((p) => r.feature(p, 'F356'))).toEqual([3, 1, 0, null]);
  });
});

describe('KDIGO by creatinine (F358)', () => {
  const cr = (hours: number, num: number, specimen_id = Math.round(hours * 10)) => ({
    itemid: 50912,
    charttime: at(hours),
    num,
    specimen_id,
    in_window: hours >= 0 && hours < 24,
  });
  test('two patients', async () => {
    const r = await scoresOf({
      // 0.8 five days before; 1.7 in the window: 2.125 times, stage 2
      two: { lab: [cr(-120, 0.8), cr(3, 1.7), cr(12, 1.2)] },
      // 3.6 the day before, 4.1 now: rise 0.5 in 48 h, and at least 4.0: stage 3
      three: { lab: [cr(-20, 3.6), cr(4, 4.1)] },
    });
    expect(r.feature('two', 'F358')).toBe(2);
    expect(r.feature('three', 'F358')).toBe(3);
  });

  test('edges are met in decimals, and nothing outside 7 days or the window counts', async () => {
    const patients: Record<string, Patient> = {
      ratio: { lab: [cr(-100, 0.8), cr(3, 1.2)] }, // 1.2 / 0.8 = 1.5
      rise: { lab: [cr(-10, 1.1), cr(3, 1.4)] }, // 1.4 - 1.1 = 0.3
      slowRise: { lab: [cr(-50, 1.1), cr(3, 1.4)] }, // 0.3 in 53 h, 1.27 times: none
      old: { lab: [cr(-167, 0.5), cr(3, 1.4)] }, // 170 h earlier is more than 7 days
      atSevenDays: { lab: [cr(-165, 0.4), cr(3, 1.4)] }, // exactly 168 h: 3.5 times
      single: { lab: [cr(3, 6)] },
      chronic: { lab: [cr(-30, 6), cr(3, 6.1)] }, // 4.0 without an acute rise
      before: { lab: [cr(-30, 1), cr(-3, 3)] },
      none: {},
    };
    const r = await scoresOf(patients);
    expect(Object.keys(patients).map((p) => r.feature(p, 'F358'))).toEqual([1, 1, 0, 0, 3, 0, 0, null, null]);
  });
});

describe('KDIGO by urine (F359)', () => {
  const hourly = (from: number, to: number, ml: number): Record<string, string | number>[] =>
    Array.from({ length: to - from + 1 }, (_, i) => ({ charttime: at(from + i), ml }));
  test('two patients of 80 kg', async () => {
    const r = await scoresOf({
      // 30 mL each hour are 0.375 mL/kg/h: over 6 h stage 1, over 12 h stage 2
      two: { kg: 80, urine: hourly(1, 14, 30) },
      // 20 mL each hour are 0.25 mL/kg/h over 24 h: stage 3
      three: { kg: 80, urine: hourly(0, 23, 20) },
    });
    expect(r.feature('two', 'F359')).toBe(2);
    expect(r.feature('three', 'F359')).toBe(3);
  });

  test('edges', async () => {
    const patients: Record<string, Patient> = {
      exactly: { kg: 80, urine: hourly(1, 10, 40) }, // 0.5 mL/kg/h is not below 0.5
      below: { kg: 80, urine: hourly(1, 10, 39.9) },
      anuria: { kg: 80, urine: hourly(0, 12, 0) }, // none in 12 h: stage 3
      short: { kg: 80, urine: hourly(1, 5, 0) }, // less than 6 h
      firstHours: { kg: 80, urine: hourly(0, 6, 0) }, // at 6 h exactly: not judged yet
      noWeight: { urine: hourly(1, 14, 30) },
      before: { kg: 80, urine: hourly(-9, -1, 10).map((u) => ({ ...u, in_window: false })) },
    };
    const r = await scoresOf(patients);
    expect(Object.keys(patients).map((p) => r.feature(p, 'F359'))).toEqual([0, 1, 3, null, null, null, null]);
  });
});

describe('MELD (F357)', () => {
  test('two patients', async () => {
    const r = await scoresOf({
      // 0.957 ln 2 + 0.378 ln 3 + 1.12 ln 1.5 + 0.643 = 0.6633 + 0.4153 + 0.4541 + 0.643 = 2.1757: 22.
      // Sodium 130, gap 7: 22 + 1.32 x 7 - 0.033 x 22 x 7 = 22 + 9.24 - 5.082 = 26.158
      liver: { features: { F220: 2, F248: 3, F235: 1.5, F200: 130 } },
      // all below 1: 0.643: 6; not above 11, so sodium 120 adds nothing
      normal: { features: { F220: 0.7, F248: 0.4, F235: 0.9, F200: 120 } },
    });
    expect(r.feature('liver', 'F357')).toBeCloseTo(26.158, 9);
    expect(r.feature('normal', 'F357')).toBe(6);
  });

  test('dialysis, caps and missing inputs', async () => {
    const r = await scoresOf({
      // creatinine counts as 4: 0.957 ln 4 + 0.643 = 1.9697: 20
      dialysis: { features: { F220: 1 }, rrt: [{ starttime: at(1), endtime: at(4) }] },
      high: { features: { F220: 4 } },
      higher: { features: { F220: 9 } },
      // 0.957 ln 4 + 0.378 ln 40 + 1.12 ln 10 + 0.643 = 5.943, more than 4: 40; sodium gap 12 then cancels: 40 + 15.84 - 15.84
      top: { features: { F220: 8, F248: 40, F235: 10, F200: 110 } },
      // 1.12 ln 1.504 + 0.643 = 1.1: exactly 11, not above it, so no sodium points
      eleven: { features: { F235: 1.504, F200: 125 } },
      none: { features: { F200: 125 } },
    });
    expect(r.feature('dialysis', 'F357')).toBe(20);
    expect(r.feature('high', 'F357')).toBe(20);
    expect(r.feature('higher', 'F357')).toBe(20);
    expect(r.feature('top', 'F357')).toBeCloseTo(40, 9);
    expect(r.feature('eleven', 'F357')).toBe(11);
    // nothing but sodium: 0.643, so 6
    expect(r.feature('none', 'F357')).toBe(6);
  });
});

describe('eGFR CKD-EPI 2021 (F360)', () => {
  test('two patients', async () => {
    const r = await scoresOf({
      // man of 50, creatinine 1.8: 142 x (1.8 / 0.9)^-1.2 x 0.9938^50 = 142 x 0.435275 x 0.732758 = 45.29
      man: { features: { F001: 50, F002: 1, F217: 1.8 } },
      // woman of 60, creatinine 0.7: 142 x 0.9938^60 x 1.012 = 142 x 0.688562 x 1.012 = 98.95
      woman: { features: { F001: 60, F002: 0, F217: 0.7 } },
      none: { features: { F001: 60, F002: 0 } },
      // boy of 18 with 0.1: 142 x (1/9)^-0.302 x 0.9938^18 = 246, beyond the registry's 200
      beyond: { features: { F001: 18, F002: 1, F217: 0.1 } },
    });
    expect(r.feature('man', 'F360')).toBeCloseTo(45.29, 2);
    expect(r.feature('woman', 'F360')).toBeCloseTo(98.95, 2);
    expect(r.feature('none', 'F360')).toBeNull();
    expect(r.feature('beyond', 'F360')).toBeNull();
    expect(r.counts).toEqual({ 'implausible.F360': 1 });
  });
});

describe('ratios of one specimen (F361, F362) and corrected anion gap (F363)', () => {
  const lab = (specimen_id: number, itemid: number, num: number | null, hours = 1) => ({
    specimen_id,
    itemid,
    num,
    charttime: at(hours),
    in_window: hours >= 0,
  });
  test('neutrophils to lymphocytes', async () => {
    const r = await scoresOf({
      // specimen 1: 80 % of 10 against 10 % of 10: 8; specimen 2: reported 9 against 1.5: 6
      a: {
        lab: [lab(1, 51301, 10), lab(1, 51256, 80), lab(1, 51244, 10), lab(2, 52075, 9), lab(2, 51133, 1.5)],
      },
      // reported neutrophils 12 against 20 % of 15 = 3: 4
      b: { lab: [lab(1, 51301, 15), lab(1, 52075, 12), lab(1, 51256, 50), lab(1, 51244, 20)] },
      // parts of two specimens, no lymphocytes, outside the window
      none: {
        lab: [
          lab(1, 52075, 9),
          lab(2, 51133, 1),
          lab(3, 52075, 9),
          lab(3, 51133, 0),
          lab(4, 52075, 9, -1),
          lab(4, 51133, 1, -1),
        ],
      },
    });
    expect(r.feature('a', 'F361')).toBe(8);
    expect(r.feature('b', 'F361')).toBe(4);
    expect(r.feature('none', 'F361')).toBeNull();
  });

  test('BUN to creatinine', async () => {
    const r = await scoresOf({
      // 40 / 1.6 = 25 and 30 / 1.5 = 20: 25; not 40 / 1.5 across specimens
      a: { lab: [lab(1, 51006, 40), lab(1, 50912, 1.6), lab(2, 51006, 30), lab(2, 50912, 1.5)] },
      b: { lab: [lab(1, 51006, 14), lab(1, 50912, 0.7)] }, // 20
      none: { lab: [lab(1, 51006, 14), lab(2, 50912, 0.7)] },
    });
    expect(r.feature('a', 'F362')).toBeCloseTo(25, 12);
    expect(r.feature('b', 'F362')).toBeCloseTo(20, 12);
    expect(r.feature('none', 'F362')).toBeNull();
  });

  test('anion gap', async () => {
    const r = await scoresOf({
      // latest albumin 2.0: 18 + 2.5 x 2 = 23
      low: { lab: [lab(1, 50868, 18), lab(2, 50868, 15), lab(1, 50862, 3), lab(2, 50862, 2, 9)] },
      // albumin 4.4: 12 - 1 = 11
      high: { lab: [lab(1, 50868, 12), lab(1, 50862, 4.4)] },
      // two albumins drawn at once: their mean 3.0, 12 + 2.5
      twins: { lab: [lab(1, 50868, 12), lab(1, 50862, 2.5), lab(2, 50862, 3.5)] },
      // 60 + 2.5 x 10 would be 85, outside the limit of 80; 50 + 25 is inside
      odd: { lab: [lab(1, 50868, 60), lab(2, 50868, 50), lab(1, 50862, -6)] },
      none: { lab: [lab(1, 50868, 12), lab(1, 50862, 2, -3)] },
    });
    expect(r.feature('low', 'F363')).toBe(23);
    expect(r.feature('high', 'F363')).toBeCloseTo(11, 12);
    expect(r.feature('twins', 'F363')).toBe(14.5);
    expect(r.feature('odd', 'F363')).toBe(75);
    expect(r.feature('none', 'F363')).toBe(12);
  });
});
