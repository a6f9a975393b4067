/** Hand-made cases for each template: window edges to the minute, ties, conversions, limits. Each case is one stay. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  admission,
  type Case,
  chart,
  END,
  featuresOf,
  input,
  LAST,
  lab,
  output,
  procedure,
  service,
  specimen,
} from './build-features-support.js';

const HR = 220045;
const draw = specimen();

const SERIES: Case[] = [
  {
    name: 'nothing charted: null, not 0',
    expect: { F089: null, F091: null, F125: null, F052: null, F303: null },
  },
  {
    name: 'first minute counts although intime has seconds',
    rows: [chart(HR, 0, 80)],
    expect: { F087: 80, F089: 80, F125: 1, F092: null },
  },
  {
    name: 'minute before and minute after do not count',
    rows: [chart(HR, -1, 40), chart(HR, LAST, 90), chart(HR, END, 200)],
    expect: { F087: 90, F088: 90, F089: 90, F090: 90, F125: 1 },
  },
  {
    name: 'first, last, min, max, mean, std, count',
    rows: [chart(HR, 5, 70), chart(HR, 65, 100), chart(HR, 125, 82)],
    expect: {
      F087: 70,
      F088: 82,
      F089: 70,
      F090: 100,
      F091: 84,
      F092: Math.sqrt((14 ** 2 + 16 ** 2 + 2 ** 2) / 2),
      F125: 3,
    },
  },
  {
    name: 'limits are inclusive, beyond them a value is no value',
    rows: [chart(HR, 1, 0), chart(HR, 2, 1), chart(HR, 3, 299), chart(HR, 4, 300), chart(HR, 5, 10_000_000)],
    expect: { F089: 1, F090: 299, F125: 2 },
  },
  {
    name: 'line and cuff of one minute are pooled, minutes count equally',
    rows: [chart(220050, 10, 120), chart(220179, 10, 100), chart(225309, 10, 80), chart(220179, 20, 130)],
    expect: { F093: 100, F094: 130, F095: 100, F096: 130, F097: 115 },
  },
  {
    name: 'without pooling the first itemid of the registry wins a tie of time',
    rows: [chart(227582, 10, 7), chart(223834, 10, 5), chart(224700, 30, 12), chart(220339, 30, 8)],
    expect: { F422: 7, F425: 12 },
  },
  {
    name: 'laboratory ties: itemid order of the row, then the mean',
    rows: [lab(51300, 30, 9), lab(51301, 30, 5), lab(51301, 30, 7), lab(51301, 90, 11)],
    expect: { F189: 6, F190: 5, F191: 11 },
  },
  {
    name: 'one value per specimen: the plausible row filed last',
    rows: [
      lab(50971, 30, 8.5, { specimen_id: draw, storetime: '2150-01-10 09:00:00' }),
      lab(50971, 30, 4.1, { specimen_id: draw, storetime: '2150-01-10 10:00:00' }),
      lab(50971, 30, 999_999, { specimen_id: draw, storetime: '2150-01-10 11:00:00' }),
      lab(50971, 30, null, { specimen_id: draw, storetime: '2150-01-10 12:00:00', comments: 'HOLD.' }),
    ],
    expect: { F202: 4.1, F203: 4.1, F204: 4.1 },
  },
  {
    name: 'temperature: Celsius as it is, Fahrenheit converted, Fahrenheit in the Celsius field too, Celsius in the Fahrenheit field dropped',
    rows: [
      chart(223762, 10, 37.5),
      chart(223761, 70, 98.6),
      chart(223761, 130, 37),
      chart(223762, 190, 99.5),
      chart(223761, 250, 120.5),
    ],
    expect: { F114: 37.5, F115: (99.5 - 32) / 1.8, F117: 37.5, F138: 0, F139: 0 },
  },
  {
    name: 'QTc in seconds, tidal volume in litres, FiO2 as fraction, FiO2 that is neither',
    rows: [
      chart(224359, 9, 0.45),
      chart(224685, 9, 0.5),
      chart(224684, 10, 400),
      chart(223835, 9, 0.4),
      chart(223835, 19, 15),
      chart(223835, 29, 60),
      chart(223835, 39, 101),
    ],
    expect: { F154: 450, F426: 450, F423: 60, F424: 50 },
  },
  {
    name: 'FiO2 of 0.2 becomes 20 and is below the limit of 21',
    rows: [chart(223835, 9, 0.2)],
    expect: { F423: null },
  },
  {
    name: 'numbers from text: pain, pupils',
    rows: [
      chart(223791, 9, '7-Severe'),
      chart(223791, 19, 'Unable to Score'),
      chart(224733, 9, '3mm'),
      chart(224733, 19, 'Fully Dilated'),
      chart(223907, 9, 'Pinpoint'),
    ],
    expect: { F159: 7, F174: 9, F175: 1, F176: 2 },
  },
  {
    name: 'shares and thresholds: strictly below and above, at least',
    rows: [
      chart(220181, 1, 65),
      chart(220181, 2, 64),
      chart(HR, 1, 110),
      chart(HR, 2, 111),
      chart(220179, 1, 90),
      chart(223762, 1, 38.3),
      chart(220277, 1, 90),
      chart(220277, 2, 89),
    ],
    expect: { F133: 0.5, F135: 0.5, F134: 0, F137: 0.5, F138: 1, F139: 0 },
  },
];

const LAB_TEXT: Case[] = [
  {
    name: 'censored results in comments: half the limit below, the limit above',
    rows: [
      lab(51003, 10, null, { comments: '<0.01.  CTROPNT > 0.10 NG/ML SUGGESTS ACUTE MI.' }),
      lab(50935, 10, null, { comments: '<10*.  Hemolysis affects this test.' }),
      lab(50963, 10, null, { comments: 'GREATER THAN 70000 PG/ML.  REFERENCE VALUES VARY.' }),
      lab(51275, 10, '>150', {}),
      lab(51100, 10, null, { comments: 'LESS THAN 10.' }),
      lab(51516, 10, null, { comments: '>182*.' }),
    ],
    expect: { F258: 0.005, F260: 0.005, F271: 5, F264: 70_000, F240: 150, F305: 5, F297: 182 },
  },
  {
    name: 'dipsticks in value or comments, with stars, blanks and dots',
    rows: [
      lab(51487, 10, null, { comments: 'POS*.' }),
      lab(51486, 10, null, { comments: 'SM .' }),
      lab(51492, 10, '___', { comments: 'TR.' }),
      lab(51478, 10, 'TR', {}),
      lab(51484, 10, null, { comments: 'TR*.' }),
      lab(51493, 10, null, { comments: 'NEG.' }),
      lab(50922, 10, null, { comments: 'NEG.  80 (THESE UNITS) = 0.08 (% BY WEIGHT).' }),
    ],
    expect: { F303: 1, F304: 1, F299: 10, F300: 50, F301: 5, F298: 0, F292: 0 },
  },
  {
    name: 'a negative dipstick is a 0, an unreported one and a range are none; any is 0 once there are laboratory rows',
    rows: [
      lab(51487, 10, null, { comments: 'NEG.' }),
      lab(51478, 10, null, { comments: 'UNABLE TO REPORT.' }),
      lab(51493, 10, null, { comments: '6-10.' }),
    ],
    expect: { F303: 0, F304: 0, F300: null, F298: null },
  },
  {
    name: 'the number outranks the text, ___ hides nothing',
    rows: [lab(51003, 10, '___', { valuenum: 0.5, comments: '<0.01.' })],
    expect: { F260: 0.5 },
  },
  {
    name: 'units decide: troponin ng/L, CRP mg/dL, lymphocytes #/uL; D-dimer units; an unknown unit is refused',
    rows: [
      lab(51003, 10, 52, { valueuom: 'ng/L' }),
      lab(50889, 10, 4, { valueuom: 'mg/dL' }),
      lab(52769, 10, 1500, { valueuom: '#/uL' }),
      lab(50915, 10, 700, { valueuom: 'ng/mL DDU' }),
      lab(51249, 10, 33, { valueuom: 'mmol/L' }),
    ],
    expect: { F260: 0.052, F268: 40, F283: 1.5, F267: 1400, F195: null },
  },
  {
    name: 'joined on the subject, at the edges of the window',
    rows: [lab(50983, -1, 120), lab(50983, 0, 140), lab(50983, LAST, 141), lab(50983, END, 160)],
    expect: { F198: 140, F199: 141, F200: 140, F201: 141, F309: 2 },
  },
];

const TEXT: Case[] = [
  {
    name: 'charted texts',
    rows: [
      chart(223758, 5, 'DNR (do not resuscitate)'),
      chart(220048, 5, 'AF (Atrial Fibrillation)'),
      chart(220048, 5, 'V Paced'),
      chart(224650, 5, 'None'),
      chart(227121, 5, 'Non-reactive '),
      chart(228332, 5, 'UTA'),
      chart(226732, 5, 'High flow nasal cannula'),
    ],
    expect: { F052: 1, F155: 1, F156: 1, F157: 0, F158: 0, F177: 1, F178: 0, F421: 1 },
  },
  {
    name: 'an ectopy other than None; AF after the window does not count',
    rows: [chart(226479, 5, 'PVCs'), chart(220048, END, 'AF (Atrial Fibrillation)')],
    expect: { F158: 1, F155: 0 },
  },
];

const ATTRIBUTES: Case[] = [
  {
    name: 'race, language, insurance in either spelling',
    admission: { race: 'PORTUGUESE', language: 'ENGLISH', insurance: 'Medicaid', marital_status: null },
    patient: { gender: 'F' },
    expect: { F002: 0, F006: 1, F007: 0, F010: 0, F011: 1, F016: 0, F017: 1, F012: 0, F015: 0 },
  },
  {
    name: 'unknown race is the other class; ? is not English',
    admission: {
      race: null,
      language: '?',
      insurance: 'No charge',
      admission_type: 'DIRECT EMER.',
      admission_location: 'PACU',
    },
    stay: { first_careunit: ' medical/surgical intensive care unit (micu/sicu) ' },
    expect: { F006: 0, F010: 1, F011: 0, F019: 1, F020: 1, F021: 0, F025: 0, F027: 1, F028: 0, F029: 1 },
  },
  {
    name: 'service in force up to one hour after intime',
    rows: [service(-600, 'MED'), service(60, 'CSURG'), service(61, 'TRAUM')],
    expect: { F035: 0, F037: 1, F040: 0 },
  },
  { name: 'no service known', expect: { F035: null, F041: null } },
];

const PRIOR: Case[] = [
  {
    name: 'earlier admissions only, by code and version',
    rows: [
      ...admission(-20_000, -15_000, [
        ['4280', 9],
        ['I21', 9],
        ['E119', 10],
      ]),
      ...admission(500, 900, [['C787', 10]]),
    ],
    expect: { F053: 0, F054: 1, F062: 1, F068: 0, F086: 1, F046: 1, F049: (15_000 - 120) / 1440 },
  },
  {
    name: 'discharged in the minute of admission counts, this admission never',
    rows: [
      ...admission(-9000, -120, [['B20', 10]]),
      ['diagnoses_icd', { seq_num: 1, icd_code: '4280', icd_version: 9 }],
    ],
    expect: { F069: 1, F054: 0, F047: 1, F049: 0 },
  },
  { name: 'no history', expect: { F053: 0, F085: 0, F086: 0, F046: 0, F049: null } },
];

const SUMS: Case[] = [
  {
    name: 'outputs: edges, duplicates',
    rows: [
      output(226588, 0, 100),
      output(226588, 0, 100, { storetime: '2150-01-10 09:00:00' }),
      output(226589, LAST, 50),
      output(226588, END, 900),
      output(226588, -1, 900),
    ],
    expect: { F369: 150, F370: null, F436: 1 },
  },
  {
    name: 'inputs prorated by overlap, litres and pushes',
    rows: [
      input(225158, -60, 60, { amount: 1000, amountuom: 'ml' }),
      input(225828, 1380, 1500, { amount: 1, amountuom: 'L' }),
      input(223258, 10, 11, { amount: 6, amountuom: 'units' }),
      input(223262, 12, 12, { amount: 4, amountuom: 'units' }),
    ],
    expect: { F409: 1000, F395: 10 },
  },
  {
    name: 'electrolytes: a bolus charted as a volume is no dose; milligrams are converted; other units refused',
    rows: [
      input(225166, 10, 70, { amount: 20, amountuom: 'mEq' }),
      input(227522, 10, 70, { amount: 50, amountuom: 'ml' }),
      input(222011, 10, 70, { amount: 2000, amountuom: 'mg' }),
      input(220995, 10, 11, { amount: 50, amountuom: 'mEq.' }),
      input(225168, 10, 11, { amount: 1, amountuom: 'dose' }),
    ],
    expect: { F396: 20, F397: 2, F398: 50, F412: null },
  },
  {
    name: 'given or not: amount, rate or both; rewritten orders are none; 0 when there are other inputs',
    rows: [
      input(222168, LAST, END + 60, { amount: 5, amountuom: 'mg' }),
      input(221668, END, END + 60, { amount: 5, amountuom: 'mg' }),
      input(225152, 10, 11, { amount: 500, amountuom: 'units' }),
      input(225910, 10, 70, { rate: 8, rateuom: 'mg/hour' }),
      input(225798, 10, 70, { amount: 1, amountuom: 'dose' }),
      input(225798, 700, 760, { amount: 1, amountuom: 'dose' }),
      input(225883, 10, 70, { amount: 1, amountuom: 'dose' }),
      input(225893, 10, 70, { amount: 1, amountuom: 'dose', statusdescription: 'Rewritten' }),
      input(221794, -60, 0, { amount: 40, amountuom: 'mg' }),
    ],
    expect: { F387: 1, F388: 0, F400: 0, F402: 1, F405: 2, F406: 1, F407: 1, F399: 0, F408: 0 },
  },
  {
    name: 'no inputs at all: unknown',
    rows: [chart(HR, 1, 80)],
    expect: { F387: null, F405: null, F409: null, F385: null },
  },
  {
    name: 'procedures: overlap or start',
    rows: [
      procedure(225752, -600, 0),
      procedure(224263, -600, 1),
      procedure(225400, -1, 30),
      procedure(221214, 0, 1),
      procedure(221214, LAST, END + 30),
      procedure(221214, END, END + 30),
    ],
    expect: { F433: 0, F434: 1, F440: 0, F443: 2, F444: 0, F431: 0 },
  },
];

const CASES = [...SERIES, ...LAB_TEXT, ...TEXT, ...ATTRIBUTES, ...PRIOR, ...SUMS];

let result: Awaited<ReturnType<typeof featuresOf>>;
beforeAll(async () => {
  result = await featuresOf(CASES);
});

describe('templates of build-features', () => {
  it.each(CASES.map((c) => [c.name, c] as const))('%s', (name, c) => {
    const row = result.of(name);
    for (const [id, value] of Object.entries(c.expect)) {
      if (value === null) expect(row[id], id).toBeNull();
      else expect(row[id], id).toBeCloseTo(Number(value), 9);
    }
  });

  it('counts what the rules removed, converted and censored', () => {
    expect(result.run.result.counts['implausible.F089']).toBe(3);
    expect(result.run.result.counts['converted.F114']).toBe(2);
    expect(result.run.result.counts['censored.F260']).toBe(1);
    expect(result.run.result.counts['lab_unit_refused.51249']).toBe(1);
    expect(result.run.result.counts['input_unit_refused.225168']).toBe(1);
  });
});
