/** Hand-computed cases for each family: demographics, history, Glasgow scale, gases, pressors, fluids, ventilation. One stay a case. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { SqlRow } from '../../stages/contract.js';
import {
  admission,
  at,
  type Case,
  chart,
  END,
  featuresOf,
  gas,
  input,
  LAST,
  lab,
  omr,
  output,
  procedure,
  specimen,
} from './build-features-support.js';

const [EYE, VERBAL, MOTOR] = [220739, 223900, 223901];
const ett: SqlRow = { valuenum: 1 };
const gcs = (minute: number, eye: number, verbal: number, motor: number) => [
  chart(EYE, minute, eye),
  chart(VERBAL, minute, verbal),
  chart(MOTOR, minute, motor),
];

const BODY: Case[] = [
  {
    name: 'age counts from the anchor year and is capped at 91',
    patient: { anchor_age: 91, anchor_year: 2140 },
    expect: { F001: 91 },
  },
  { name: 'age of another year', expect: { F001: 62 } },
  {
    name: 'weight before intime, kilograms before pounds whatever the time; height from later in the stay',
    rows: [
      chart(226531, -200, 220),
      chart(226512, -60, 95),
      chart(224639, -300, 90),
      chart(226730, 5000, 180),
      chart(226707, 4000, 24),
    ],
    expect: { F004: 95, F003: 180, F005: 95 / 1.8 ** 2 },
  },
  {
    name: 'pounds when there are no kilograms, zero pounds are none, weight after the window never',
    rows: [chart(226531, 5, 0), chart(226531, 9, 200), chart(226512, END, 80)],
    expect: { F004: 200 * 0.45359237, F003: null, F005: null },
  },
  {
    name: 'both height items at one time: centimetres',
    rows: [chart(226707, 5, 70), chart(226730, 5, 175)],
    expect: { F003: 175 },
  },
  {
    name: 'outpatient height and body mass index from before the day of admission, dirty values skipped',
    rows: [
      omr(-40, 'Height (Inches)', '70'),
      omr(-30, 'Height (Inches)', '7'),
      omr(0, 'Height (Inches)', '60'),
      omr(-20, 'BMI (kg/m2)', '4649.4'),
      omr(-25, 'BMI (kg/m2)', '31.5'),
    ],
    expect: { F003: 177.8, F005: 31.5 },
  },
];

const HISTORY: Case[] = [
  {
    name: 'ICU before admission stays negative, no ED is 0 hours',
    admission: { admittime: at(30) },
    expect: { F042: (-29 * 60 - 18) / 3600, F043: 0, F044: 0, F045: 1 },
  },
  {
    name: 'hours in the ED',
    admission: { edregtime: at(-300), edouttime: at(-90) },
    expect: { F043: 3.5, F044: 1 },
  },
  {
    name: 'earlier admissions within a year, and a second stay of the admission',
    rows: [
      ...admission(-530_000, -520_000),
      ...admission(-700_000, -600_000),
      [
        'icustays',
        {
          stay_id: 39_000_001,
          intime: at(-90),
          outtime: at(-30),
          los: 0.04,
          first_careunit: 'X',
          last_careunit: 'X',
        },
      ],
    ],
    expect: { F046: 2, F047: 1, F048: 1, F045: 2 },
  },
  {
    name: 'hour of day 8',
    expect: { F050: Math.sin((2 * Math.PI * 8) / 24), F051: Math.cos((2 * Math.PI * 8) / 24) },
  },
  ...[0, 3, 6, 11, 12, 17, 18, 19, 23].map(
    (h): Case => ({
      name: `hour of day ${h} of another day`,
      stay: { intime: `2150-01-11 ${String(h).padStart(2, '0')}:10:00` },
      expect: { F050: Math.sin((2 * Math.PI * h) / 24), F051: Math.cos((2 * Math.PI * h) / 24) },
    }),
  ),
];

const VITALS: Case[] = [
  {
    name: 'shock index at one charttime, pulse pressure of one route',
    rows: [
      chart(220045, 10, 90),
      chart(220050, 10, 120),
      chart(220051, 10, 60),
      chart(220179, 10, 100),
      chart(220180, 10, 105),
      chart(220045, 70, 100),
      chart(220179, 71, 100),
      chart(220180, 71, 60),
    ],
    expect: { F129: 90 / 110, F130: 90 / 110, F131: 40, F132: 50 },
  },
  {
    name: 'Braden needs all six parts at one charttime',
    rows: [
      ...[224054, 224055, 224056, 224057, 224058, 224059].map((i, k) =>
        chart(i, 10, k === 0 ? '3 Slight Impairment' : 3),
      ),
      ...[224054, 224055, 224056, 224057, 224058].map((i) => chart(i, 60, 1)),
    ],
    expect: { F160: 18 },
  },
  {
    name: 'pupils differ at one charttime only',
    rows: [
      chart(224733, 10, '2mm'),
      chart(223907, 10, '5mm'),
      chart(224733, 20, '9mm'),
      chart(223907, 30, '1mm'),
    ],
    expect: { F176: 3, F174: 9 },
  },
];

const GCS: Case[] = [
  {
    name: 'plain totals',
    rows: [...gcs(0, 4, 5, 6), ...gcs(60, 2, 2, 4), ...gcs(120, 3, 4, 5)],
    expect: { F161: 15, F162: 12, F163: 8, F164: 15, F165: 2, F168: 5, F169: 0 },
  },
  {
    name: 'a tube makes the total 15 and the verbal part missing, without hiding coma in F170',
    rows: [chart(EYE, 5, 1), chart(VERBAL, 5, 'No Response-ETT', ett), chart(MOTOR, 5, 1)],
    expect: { F161: 15, F163: 15, F165: 1, F166: null, F167: 1, F169: 1, F170: 3 },
  },
  {
    name: 'a missing part is carried for less than 6 hours',
    rows: [...gcs(0, 3, 3, 3), chart(EYE, 359, 1), chart(EYE, 360, 2)],
    expect: { F161: 9, F162: 7, F163: 7 },
  },
  {
    name: 'the tube is carried too, but nothing from before the window',
    rows: [
      chart(MOTOR, -60, 6),
      chart(VERBAL, 10, 'No Response-ETT', ett),
      chart(EYE, 10, 2),
      chart(EYE, 60, 3),
      chart(MOTOR, 60, 4),
    ],
    expect: { F161: 15, F162: 15, F163: 15, F170: 10.5, F169: 1, F167: 4 },
  },
  {
    name: 'nothing to carry: no total',
    rows: [chart(EYE, 10, 2)],
    expect: { F161: null, F163: null, F165: 2 },
  },
];

const GAS: Case[] = [
  {
    name: 'arterial only; FiO2 of the specimen',
    rows: [
      ...gas(10, { 50821: 80, 50816: 40, 50818: 40 }),
      ...gas(20, { 50821: 35, 50816: 40 }, 'VEN.'),
      ...gas(90, { 50821: 90, 50816: 30, 50818: 40 }),
    ],
    expect: { F322: 80, F323: 90, F327: 200, F328: 300, F329: 0.4 * 713 - 50 - 80, F339: 2, F320: 40 },
  },
  {
    name: 'charted FiO2 within 4 hours: fraction, latest one; a value that is neither is skipped',
    rows: [
      chart(223835, 0, 100),
      chart(223835, 30, 0.5),
      chart(223835, 40, 10),
      ...gas(270, { 50821: 100 }),
      ...gas(271, { 50821: 60 }),
    ],
    expect: { F327: 200, F328: 200 },
  },
  {
    name: 'FiO2 charted before the window may serve a gas in it; a gas after it never',
    rows: [chart(223835, -30, 50), ...gas(5, { 50821: 75 }), ...gas(END, { 50821: 20, 50816: 100 })],
    expect: { F327: 150, F322: 75, F339: 1 },
  },
  {
    name: 'reported gradient wins',
    rows: gas(5, { 50821: 75, 50818: 40, 50816: 50, 50801: 333 }),
    expect: { F329: 333 },
  },
  { name: 'no arterial gas', rows: [lab(50983, 5, 140)], expect: { F339: 0, F327: null } },
];

const draw = specimen();
const COUNTS: Case[] = [
  {
    name: 'counts reported, or percent x white cells of one specimen',
    rows: [
      lab(51256, 5, 80, { specimen_id: draw }),
      lab(51301, 5, 10, { specimen_id: draw }),
      lab(51244, 5, 12, { specimen_id: draw }),
      lab(52075, 65, 5.5),
      lab(51256, 125, 90),
      lab(51301, 185, 20),
      lab(52769, 200, 700, { valueuom: '#/uL' }),
    ],
    expect: { F281: 5.5, F282: 8, F283: 0.7 },
  },
  {
    name: 'specimens and abnormal share over all itemids',
    rows: [
      lab(50983, 5, 140, { flag: 'abnormal' }),
      lab(99999, 5, 3),
      lab(99998, 6, null, { comments: 'HOLD.' }),
      lab(50971, 7, 4, {}),
    ],
    expect: { F309: 4, F310: 1 / 3 },
  },
];

const PRESSORS: Case[] = [
  {
    name: 'rates in registry units',
    rows: [
      input(221906, 10, 70, { rate: 0.0002, rateuom: 'mg/kg/min', patientweight: 80 }),
      input(221906, 70, 130, { rate: 0.15, rateuom: 'mg/kg/min', patientweight: 1 }),
      input(221749, 10, 70, { rate: 160, rateuom: 'mcg/min', patientweight: 80 }),
      input(222315, 10, 70, { rate: 0.04, rateuom: 'units/min' }),
      input(221662, 10, 70, { rate: 7, rateuom: 'mg/hour' }),
      input(221289, 10, 11, { amount: 1, amountuom: 'mg' }),
      input(221653, 10, 70, { rate: 41, rateuom: 'mcg/kg/min' }),
    ],
    expect: { F377: 0.2, F381: 2, F382: 2.4, F379: null, F378: null, F380: null },
  },
  {
    name: 'phenylephrine with a patientweight that cannot be: admission weight',
    rows: [chart(226512, -5, 50), input(229630, 10, 70, { rate: 100, rateuom: 'mcg/min', patientweight: 1 })],
    expect: { F381: 2 },
  },
  {
    name: 'equivalents where intervals overlap, mean over 24 h, hours as a union',
    rows: [
      input(221906, -60, 120, { rate: 0.1, rateuom: 'mcg/kg/min' }),
      input(221749, 60, 180, { rate: 1, rateuom: 'mcg/kg/min' }),
      input(222315, LAST, END + 600, { rate: 2.4, rateuom: 'units/hour' }),
    ],
    expect: { F384: 0.2, F385: (0.1 * 2 + 0.1 * 2 + 0.1 / 60) / 24, F386: 3 + 1 / 60 },
  },
  {
    name: 'off all day',
    rows: [input(222168, 10, 70, { amount: 5, amountuom: 'mg' })],
    expect: { F384: null, F385: 0, F386: null },
  },
];

const FLUIDS: Case[] = [
  {
    name: 'urine: irrigant negative, duplicate once, typing error dropped, edges',
    rows: [
      output(226559, 0, 300),
      output(226559, 0, 300, { storetime: at(90) }),
      output(227488, 30, 1000),
      output(227489, 60, 1400),
      output(226559, 360, 100),
      output(226559, 90, 5001),
      output(226559, LAST, 50),
      output(226559, END, 700),
      output(226559, -1, 700),
      chart(226512, -5, 50),
    ],
    expect: { F364: 850, F365: 850 / 50 / 24, F366: 700, F367: 5, F376: 850 },
  },
  {
    name: 'hours observed shorten the urine rate',
    stay: { outtime: at(600).replace(/00$/, '42'), los: 0.4 },
    rows: [output(226559, 10, 600), chart(226512, -5, 60)],
    expect: { F365: 1 },
  },
  {
    name: 'balance: a component that repeats the volume of its order counts once',
    rows: [
      input(225158, 10, 70, { amount: 100, amountuom: 'ml', orderid: 7 }),
      input(225166, 10, 70, {
        amount: 20,
        amountuom: 'mEq',
        orderid: 7,
        ordercomponenttypedescription: 'Additives  Ampoule ',
      }),
      input(227522, 10, 70, {
        amount: 100,
        amountuom: 'ml',
        orderid: 7,
        ordercomponenttypedescription: 'Mixed solution',
      }),
      input(225158, 10, 70, { amount: 100, amountuom: 'ml', orderid: 8 }),
      output(226559, 10, 50),
      output(226588, 20, 30),
    ],
    expect: { F416: 200, F376: 80, F417: 120 },
  },
  {
    name: 'no output: no balance',
    rows: [input(225158, 10, 70, { amount: 100, amountuom: 'ml' })],
    expect: { F416: 100, F417: null },
  },
];

const VENTILATION: Case[] = [
  {
    name: 'procedure and device, union of hours',
    rows: [
      procedure(225792, -60, 120),
      procedure(225792, 60, 180),
      procedure(225792, END - 30, END + 600),
      chart(226732, 5, 'Endotracheal tube'),
    ],
    expect: { F418: 1, F419: 3.5, F420: 0, F421: 0 },
  },
  { name: 'mode only', rows: [chart(223849, 5, 'CMV/ASSIST')], expect: { F418: 1, F419: null, F420: 0 } },
  {
    name: 'standby is no ventilation, a mask is not invasive',
    rows: [chart(223849, 5, 'Standby'), chart(226732, 5, 'Bipap mask ')],
    expect: { F418: 0, F420: 1 },
  },
  {
    name: 'after the window',
    rows: [chart(220045, 5, 80), chart(226732, END, 'Endotracheal tube'), procedure(225792, END, END + 9)],
    expect: { F418: 0, F419: null, F420: 0 },
  },
  {
    name: 'dialysis that began earlier',
    rows: [procedure(225802, -900, 5), procedure(225441, END, END + 60)],
    expect: { F431: 1, F432: 1 },
  },
  { name: 'chest tube by procedure', rows: [procedure(225433, 5, 6)], expect: { F436: 1 } },
];

const CASES = [
  ...BODY,
  ...HISTORY,
  ...VITALS,
  ...GCS,
  ...GAS,
  ...COUNTS,
  ...PRESSORS,
  ...FLUIDS,
  ...VENTILATION,
];

let result: Awaited<ReturnType<typeof featuresOf>>;
beforeAll(async () => {
  result = await featuresOf(CASES);
});

describe('families of build-features', () => {
  it.each(CASES.map((c) => [c.name, c] as const))('%s', (name, c) => {
    const row = result.of(name);
    for (const [id, value] of Object.entries(c.expect)) {
      if (value === null) expect(row[id], id).toBeNull();
      else expect(row[id], id).toBeCloseTo(Number(value), 9);
    }
  });

  it('counts refused pressor rows by reason', () => {
    const { counts } = result.run.result;
    expect(counts['pressor_row.unit_refused']).toBe(1);
    expect(counts['pressor_row.no_rate']).toBe(1);
    expect(counts['pressor_row.implausible']).toBe(1);
  });
});
