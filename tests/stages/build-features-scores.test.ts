/** Charlson, SOFA and SAPS II: two patients each, computed by hand; the arithmetic stands beside each. */
import { describe, expect, test } from 'vitest';
import { at, scoresOf } from './build-features-scores-support.js';

const dx = (system: string, group_name: string, icd_code = 'X') => ({ system, group_name, icd_code });

describe('Charlson index (F070)', () => {
  test('weights add up, and the heavier of two related groups counts alone', async () => {
    const r = await scoresOf({
      // MI 1 + CHF 1 + diabetes with complications 2 (not also 1 without) + renal 2 = 6
      heart: {
        prior_dx: [
          dx('charlson', 'myocardial_infarct', 'I21'),
          dx('charlson', 'congestive_heart_failure', 'I50'),
          dx('charlson', 'diabetes_uncomplicated', 'E119'),
          dx('charlson', 'diabetes_complicated', 'E112'),
          dx('charlson', 'renal', 'N18'),
        ],
      },
      // severe liver 3 (not also mild 1) + metastatic 6 (not also malignancy 2) + AIDS 6 = 15
      liver: {
        prior_dx: [
          dx('charlson', 'mild_liver', 'K73'),
          dx('charlson', 'severe_liver', 'K704'),
          dx('charlson', 'malignancy', 'C18'),
          dx('charlson', 'metastatic', 'C78'),
          dx('charlson', 'aids', 'B20'),
        ],
      },
      // Elixhauser groups are not Charlson groups.
      other: { prior_dx: [dx('elixhauser', 'obesity', 'E66')] },
      none: {},
    });
    expect(r.feature('heart', 'F070')).toBe(6);
    expect(r.feature('liver', 'F070')).toBe(15);
    expect(r.feature('other', 'F070')).toBe(0);
    expect(r.feature('none', 'F070')).toBe(0);
  });

  test('all groups together give the largest index, 29', async () => {
    const groups = [
      'myocardial_infarct congestive_heart_failure peripheral_vascular cerebrovascular dementia chronic_pulmonary',
      'rheumatic peptic_ulcer mild_liver severe_liver diabetes_uncomplicated diabetes_complicated paraplegia renal',
      'malignancy metastatic aids',
    ].flatMap((line) => line.split(' '));
    expect(groups).toHaveLength(17);
    const r = await scoresOf({ all: { prior_dx: groups.map((g) => dx('charlson', g)) } });
    expect(r.feature('all', 'F070')).toBe(29);
  });
});

describe('SOFA (F340 to F346)', () => {
  test('two patients', async () => {
    const r = await scoresOf({
      // respiration PaO2/FiO2 90 on a ventilator 4; platelets 45: 3; bilirubin 2.5: 2; norepinephrine 0.2: 4;
      // GCS 8: 3; creatinine 1.3: 1 against urine 450: 3, so 3. Total 4 + 3 + 2 + 4 + 3 + 3 = 19
      septic: {
        features: { F187: 45, F248: 2.5, F104: 55, F163: 8, F220: 1.3, F364: 450 },
        gas: [{ charttime: at(3), pf_ratio: 90 }],
        vent: [{ starttime: at(1), endtime: at(20), kind: 'invasive' }],
        pressor: [
          { drug: 'norepinephrine', starttime: at(2), endtime: at(3), rate: 0.05 },
          { drug: 'norepinephrine', starttime: at(3), endtime: at(9), rate: 0.2 },
          { drug: 'vasopressin', starttime: at(3), endtime: at(9), rate: 2.4 },
        ],
      },
      // no arterial gas: respiration not measured; platelets 160: 0; no bilirubin; mean pressure 68: 1; GCS 15: 0;
      // creatinine 0.9 and urine 1800: 0. Total 1
      mild: { features: { F187: 160, F104: 68, F163: 15, F220: 0.9, F364: 1800 } },
    });
    const parts = (p: string): (number | null)[] =>
      ['F341', 'F342', 'F343', 'F344', 'F345', 'F346', 'F340'].map((f) => r.feature(p, f));
    expect(parts('septic')).toEqual([4, 3, 2, 4, 3, 3, 19]);
    expect(parts('mild')).toEqual([null, 0, null, 1, 0, 0, 1]);
  });

  test('without support a PaO2/FiO2 below 200 gives 2 points; a mask counts as support, high flow does not', async () => {
    const gas = [{ charttime: at(5), pf_ratio: 90 }];
    const support = (kind: string) => [{ starttime: at(4), endtime: at(6), kind }];
    const patients = {
      none: { gas },
      mask: { gas, vent: support('niv') },
      highFlow: { gas, vent: support('hfnc') },
      tubeEarlier: { gas, vent: [{ starttime: at(1), endtime: at(4.9), kind: 'invasive' }] },
      venous: { gas: [{ charttime: at(5), pf_ratio: 90, is_arterial: false }] },
      before: { gas: [{ charttime: at(-1), pf_ratio: 90, in_window: false }] },
    };
    const r = await scoresOf(patients);
    const got = Object.keys(patients).map((p) => r.feature(p, 'F341'));
    expect(got).toEqual([2, 4, 2, 2, null, null]);
    const oracle = await scoresOf(patients, true);
    expect(oracle.feature('mask', 'F341')).toBe(2);
  });

  test('a ventilated patient with PaO2/FiO2 of 200 to 400 keeps his 1 or 2 points', async () => {
    const vent = [{ starttime: at(0), endtime: at(24), kind: 'invasive' }];
    const r = await scoresOf({
      a: { vent, gas: [{ charttime: at(2), pf_ratio: 250 }] },
      b: { vent, gas: [{ charttime: at(2), pf_ratio: 350 }] },
      c: { vent, gas: [{ charttime: at(2), pf_ratio: 450 }] },
    });
    expect(['a', 'b', 'c'].map((p) => r.feature(p, 'F341'))).toEqual([2, 1, 0]);
  });

  test('each drug at its own threshold; drugs that do not count do nothing', async () => {
    const on = (drug: string, rate: number) => ({
      pressor: [{ drug, starttime: at(1), endtime: at(2), rate }],
    });
    const r = await scoresOf({
      a: on('dopamine', 5),
      b: on('dopamine', 15),
      c: on('dopamine', 15.1),
      d: on('dobutamine', 0.5),
      e: on('epinephrine', 0.1),
      f: on('epinephrine', 0.11),
      g: on('phenylephrine', 3),
      h: on('norepinephrine', 0),
    });
    expect([...'abcdefgh'].map((p) => r.feature(p, 'F344'))).toEqual([2, 3, 4, 2, 3, 4, null, 0]);
  });

  test('urine of a short stay is scaled to 24 h', async () => {
    const patients = {
      // 300 mL in 12 h are 600 mL in 24 h: 0 points, not 3
      half: { stay: { outtime: at(12) }, features: { F364: 300 } },
      // 100 mL in 12 h are 200 mL: 3 points (below 500, not below 200)
      low: { stay: { outtime: at(12) }, features: { F364: 100 } },
      gone: { stay: { outtime: at(0) }, features: { F364: 10 } },
    };
    const r = await scoresOf(patients);
    expect(['half', 'low', 'gone'].map((p) => r.feature(p, 'F346'))).toEqual([0, 3, null]);
    const oracle = await scoresOf(patients, true);
    expect(oracle.feature('half', 'F346')).toBe(3);
  });

  test('nothing measured: no part, and a total of 0', async () => {
    const r = await scoresOf({ empty: {} });
    for (const f of ['F341', 'F342', 'F343', 'F344', 'F345', 'F346'])
      expect(r.feature('empty', f)).toBeNull();
    expect(r.feature('empty', 'F340')).toBe(0);
  });
});

describe('SAPS II (F347)', () => {
  test('two patients', async () => {
    const r = await scoresOf({
      // age 72: 15; heart rate 60 to 125: 4; systolic 65 to 130: 13; 39.2 C: 3; PaO2/FiO2 150 ventilated: 9; urine 800: 4;
      // BUN 90: 10; WBC 0.8 to 3: 12; potassium 2.9 to 4: 3; sodium 124 to 130: 5; bicarbonate 14: 6; bilirubin 5: 4; GCS 7: 13;
      // metastasis of an earlier admission: 9; medical: 6.
      // 15 + 4 + 13 + 3 + 9 + 4 + 10 + 12 + 3 + 5 + 6 + 4 + 13 + 9 + 6 = 116
      sick: {
        features: {
          F001: 72,
          F089: 60,
          F090: 125,
          F095: 65,
          F096: 130,
          F117: 39.2,
          F364: 800,
          F216: 90,
          F190: 0.8,
          F191: 3,
          F203: 2.9,
          F204: 4,
          F200: 124,
          F201: 130,
          F209: 14,
          F248: 5,
          F163: 7,
        },
        gas: [{ charttime: at(2), pf_ratio: 150 }],
        vent: [{ starttime: at(0), endtime: at(8), kind: 'invasive' }],
        prior_dx: [{ icd_code: 'C787' }],
      },
      // age 91 (stands for over 89): 18; heart rate 80 to 100: 0; systolic 110 to 205: 2; 37.0: 0; gas not ventilated: none;
      // urine 1500: 0; BUN 20: 0; WBC 9 to 21: 3; potassium 4 to 5.0: 3; sodium 140 to 145: 1; bicarbonate 22: 0; no bilirubin;
      // GCS 15: 0; scheduled surgery: 0. 18 + 2 + 3 + 3 + 1 = 27
      elective: {
        features: {
          F001: 91,
          F089: 80,
          F090: 100,
          F095: 110,
          F096: 205,
          F117: 37,
          F364: 1500,
          F216: 20,
          F190: 9,
          F191: 21,
          F203: 4,
          F204: 5,
          F200: 140,
          F201: 145,
          F209: 22,
          F163: 15,
        },
        gas: [{ charttime: at(2), pf_ratio: 150 }],
        admission_type: 'SURGICAL SAME DAY ADMISSION',
        services: [{ transfertime: at(-2), curr_service: 'CSURG' }],
      },
    });
    expect(r.feature('sick', 'F347')).toBe(116);
    expect(r.feature('elective', 'F347')).toBe(27);
  });

  test('kind of admission', async () => {
    const service = (curr_service: string, hours = -2) => ({ transfertime: at(hours), curr_service });
    const patients = {
      scheduled: { admission_type: 'ELECTIVE', services: [service('SURG')] },
      sameDay: { admission_type: 'SURGICAL SAME DAY ADMISSION', services: [service('NSURG')] },
      urgent: { admission_type: 'EW EMER.', services: [service('VSURG')] },
      medical: { admission_type: 'ELECTIVE', services: [service('CMED')] },
      // To surgery only 5 h after ICU admission: medical at admission.
      later: { admission_type: 'URGENT', services: [service('MED'), service('SURG', 5)] },
      ortho: { admission_type: 'URGENT', services: [service('ORTHO')] },
      none: { admission_type: 'URGENT', services: [] },
    };
    const r = await scoresOf(patients);
    const got = Object.keys(patients).map((p) => r.parts(p, 'saps_ii').admission);
    expect(got).toEqual([0, 0, 8, 6, 6, 8, 6]);
    const oracle = await scoresOf(patients, true);
    expect(Object.keys(patients).map((p) => oracle.parts(p, 'saps_ii').admission)).toEqual([
      0, 8, 8, 6, 6, 6, 6,
    ]);
  });

  test('chronic disease: the heaviest counts once, by version of the code', async () => {
    const code = (icd_code: string, icd_version: number) => ({ icd_code, icd_version });
    const patients = {
      aids: { prior_dx: [code('042', 9), code('C787', 10), code('C900', 10)] },
      lymphoma: { prior_dx: [code('20280', 9), code('1970', 9)] },
      metastasis: { prior_dx: [code('C7951', 10)] },
      transplant: { prior_dx: [code('1992', 9)] },
      wrongVersion: { prior_dx: [code('1970', 10), code('C787', 9)] },
      none: {},
    };
    const r = await scoresOf(patients);
    const got = Object.keys(patients).map((p) => r.parts(p, 'saps_ii').chronic_disease);
    expect(got).toEqual([17, 10, 9, 0, 0, 0]);
  });
});
