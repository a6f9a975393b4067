/** OASIS, LODS and SIRS: two patients each, computed by hand; the arithmetic stands beside each. */
import { describe, expect, test } from 'vitest';
import { at, scoresOf } from './build-features-scores-support.js';

describe('OASIS (F349)', () => {
  test('two patients', async () => {
    const r = await scoresOf({
      // 5 h 30 in hospital before: 0; age 54: 6; GCS 13: 4; heart rate 90 to 130: 6; mean pressure 48 to 80: 3;
      // respiratory rate 10 to 35: 6; temperature 35.5 to 37.5: 4; urine 500: 10; ventilated: 9; not elective surgery: 6.
      // 0 + 6 + 4 + 6 + 3 + 6 + 4 + 10 + 9 + 6 = 54
      sick: {
        stay: { admittime: at(-5.5) },
        features: {
          F001: 54,
          F163: 13,
          F089: 90,
          F090: 130,
          F104: 48,
          F105: 80,
          F110: 10,
          F111: 35,
          F116: 35.5,
          F117: 37.5,
          F364: 500,
        },
        vent: [{ starttime: at(-3), endtime: at(0), kind: 'invasive' }],
      },
      // ICU 20 min before the hospital admission (negative): 5; age 91: 7; GCS 15: 0; heart rate 70 to 88: 0;
      // mean pressure 70 to 100: 0; rate 13 to 22: 0; 36.5 to 36.8: 0; urine 2600: 0; not ventilated: 0; elective surgery: 0. 12
      well: {
        stay: { admittime: at(1 / 3) },
        features: {
          F001: 91,
          F163: 15,
          F089: 70,
          F090: 88,
          F104: 70,
          F105: 100,
          F110: 13,
          F111: 22,
          F116: 36.5,
          F117: 36.8,
          F364: 2600,
        },
        admission_type: 'ELECTIVE',
        services: [{ transfertime: at(-1), curr_service: 'ORTHO' }],
        vent: [{ starttime: at(2), endtime: at(3), kind: 'niv' }],
      },
    });
    expect(r.feature('sick', 'F349')).toBe(54);
    expect(r.feature('well', 'F349')).toBe(12);
  });

  test('averaged values between two printed bands', async () => {
    const fahrenheit = (f: number): number => (f - 32) / 1.8;
    const heart = (high: number) => ({ F089: 80, F090: high });
    const temperature = (f: number) => ({ F116: fahrenheit(f), F117: fahrenheit(f) });
    const cases: [string, Record<string, number>, number][] = [
      // 106.5 stays in the band that starts at 89; 107 opens the next.
      ['heart_rate', heart(106.5), 1],
      ['heart_rate', heart(88.5), 0],
      ['heart_rate', heart(125.5), 6],
      // 1426.995 rounds to 1427.00, the start of the next band; 1426.994 to 1426.99.
      ['urine', { F364: 1426.995 }, 1],
      ['urine', { F364: 1426.994 }, 5],
      // 98.4 F = 36.888... C is the printed 36.89; 97.5 F = 36.388... the printed 36.39; 103.8 F = 39.888... is above 39.88.
      ['temperature', temperature(98.4), 2],
      ['temperature', temperature(97.5), 2],
      ['temperature', temperature(98.3), 0],
      ['temperature', temperature(103.8), 6],
      ['respiratory_rate', { F110: 12.5, F111: 15 }, 1],
      ['respiratory_rate', { F110: 15, F111: 22.5 }, 1],
    ];
    const r = await scoresOf(Object.fromEntries(cases.map(([, features], i) => [`case ${i}`, { features }])));
    for (const [i, [part, , points]] of cases.entries()) {
      expect(r.parts(`case ${i}`, 'oasis')[part], `${part}, case ${i}`).toBe(points);
    }
  });
});

describe('LODS (F350)', () => {
  test('two patients', async () => {
    const r = await scoresOf({
      // GCS 7: 3; systolic 65: 3; BUN 30: 3 against urine 400: 5, so 5; PaO2/FiO2 140 on a mask: 3; WBC 0.9: 3;
      // prothrombin time 15.1: 1. 3 + 3 + 5 + 3 + 3 + 1 = 18
      sick: {
        features: {
          F163: 7,
          F089: 60,
          F090: 150,
          F095: 65,
          F096: 120,
          F216: 30,
          F220: 1.3,
          F364: 400,
          F190: 0.9,
          F191: 5,
          F187: 200,
          F248: 1,
          F237: 15.1,
        },
        gas: [{ charttime: at(2), pf_ratio: 140 }],
        vent: [{ starttime: at(1), endtime: at(3), kind: 'niv' }],
      },
      // GCS 14: 0; heart rate 145: 1; creatinine 1.2: 1 (urine was not measured); gas not ventilated: none; platelets 49: 1;
      // prothrombin time 15.0 is 3 s above the standard: 0. 0 + 1 + 1 + 1 + 0 = 3
      mild: {
        features: {
          F163: 14,
          F089: 70,
          F090: 145,
          F095: 95,
          F096: 130,
          F216: 12,
          F220: 1.2,
          F190: 6,
          F191: 8,
          F187: 49,
          F237: 15,
        },
        gas: [{ charttime: at(2), pf_ratio: 140 }],
      },
    });
    expect(r.feature('sick', 'F350')).toBe(18);
    expect(r.feature('mild', 'F350')).toBe(3);
    expect(r.parts('mild', 'lods')).toEqual({
      neurologic: 0,
      cardiovascular: 1,
      renal: 1,
      hematologic: 1,
      hepatic: 0,
    });
  });

  test('an anuric patient on dialysis keeps the points of his creatinine, though no urine is charted', async () => {
    const r = await scoresOf({ anuric: { features: { F220: 8, F216: 40 } } });
    expect(r.parts('anuric', 'lods').renal).toBe(3);
  });
});

describe('SIRS (F351 to F355)', () => {
  test('two patients', async () => {
    const r = await scoresOf({
      // 38.5: 1; heart rate 91: 1; rate 18 but PaCO2 30: 1; WBC 8 but bands 12: 1. 4
      septic: {
        features: { F116: 36.5, F117: 38.5, F090: 91, F111: 18, F190: 8, F191: 8, F278: 12 },
        gas: [
          { charttime: at(1), pco2: 30 },
          { charttime: at(2), pco2: 40, specimen_id: 2 },
        ],
      },
      // 36.0 and 38.0 are not beyond: 0; 90: 0; 20: 0; WBC not measured. 0
      edge: { features: { F116: 36, F117: 38, F090: 90, F111: 20 } },
      // a venous PaCO2 does not count
      venous: { features: { F111: 18 }, gas: [{ charttime: at(1), pco2: 30, is_arterial: false }] },
    });
    const parts = (p: string): (number | null)[] =>
      ['F352', 'F353', 'F354', 'F355', 'F351'].map((f) => r.feature(p, f));
    expect(parts('septic')).toEqual([1, 1, 1, 1, 4]);
    expect(parts('edge')).toEqual([0, 0, 0, null, 0]);
    expect(parts('venous')).toEqual([null, null, 0, null, 0]);
  });
});
