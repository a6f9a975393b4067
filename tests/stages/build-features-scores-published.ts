/**
 * Points as the publications print them, written as plain comparisons and apart from the CSV files.
 * Worst first; whatever matches first counts.
 */
type Points = (value: number) => number;

/** `[limit, points]`: below the limit. */
const below =
  (rest: number, ...steps: [number, number][]): Points =>
  (v) => {
    for (const [limit, points] of steps) if (v < limit) return points;
    return rest;
  };
const flag =
  (points: number): Points =>
  (v) =>
    v === 1 ? points : 0;

/** Whole and decimal numbers as printed: `from..to` both included; the last number of a band runs on to the next band. */
const printed =
  (...bands: [number, number][]): Points =>
  (v) => {
    let points = bands[0]![1];
    for (const [from, p] of bands) if (v >= from) points = p;
    return points;
  };

const sofa: Record<string, Points> = {
  pf_ratio_supported: below(0, [100, 4], [200, 3], [300, 2], [400, 1]),
  pf_ratio_unsupported: below(0, [300, 2], [400, 1]),
  platelets: below(0, [20, 4], [50, 3], [100, 2], [150, 1]),
  bilirubin: (v) => (v >= 12 ? 4 : v >= 6 ? 3 : v >= 2 ? 2 : v >= 1.2 ? 1 : 0),
  map: (v) => (v < 70 ? 1 : 0),
  dopamine: (v) => (v > 15 ? 4 : v > 5 ? 3 : v > 0 ? 2 : 0),
  dobutamine: (v) => (v > 0 ? 2 : 0),
  epinephrine: (v) => (v > 0.1 ? 4 : v > 0 ? 3 : 0),
  norepinephrine: (v) => (v > 0.1 ? 4 : v > 0 ? 3 : 0),
  gcs: (v) => (v < 6 ? 4 : v < 10 ? 3 : v < 13 ? 2 : v < 15 ? 1 : 0),
  creatinine: (v) => (v >= 5 ? 4 : v >= 3.5 ? 3 : v >= 2 ? 2 : v >= 1.2 ? 1 : 0),
  urine_24h: below(0, [200, 4], [500, 3]),
};

const sapsII: Record<string, Points> = {
  age: printed([0, 0], [40, 7], [60, 12], [70, 15], [75, 16], [80, 18]),
  heart_rate: printed([0, 11], [40, 2], [70, 0], [120, 4], [160, 7]),
  sbp: printed([0, 13], [70, 5], [100, 0], [200, 2]),
  temperature: (v) => (v >= 39 ? 3 : 0),
  pf_ratio_supported: below(6, [100, 11], [200, 9]),
  urine_24h: below(0, [500, 11], [1000, 4]),
  bun: below(10, [28, 0], [84, 6]),
  wbc: (v) => (v < 1 ? 12 : v >= 20 ? 3 : 0),
  potassium: (v) => (v < 3 || v >= 5 ? 3 : 0),
  sodium: (v) => (v < 125 ? 5 : v >= 145 ? 1 : 0),
  bicarbonate: below(0, [15, 6], [20, 3]),
  bilirubin: below(9, [4, 0], [6, 4]),
  gcs: below(0, [6, 26], [9, 13], [11, 7], [14, 5]),
  aids: flag(17),
  hematologic_malignancy: flag(10),
  metastatic_cancer: flag(9),
  medical: flag(6),
  scheduled_surgical: flag(0),
  unscheduled_surgical: flag(8),
};

const apsIII: Record<string, Points> = {
  heart_rate: printed([0, 8], [40, 5], [50, 0], [100, 1], [110, 5], [120, 7], [140, 13], [155, 17]),
  map: printed([0, 23], [40, 15], [60, 7], [70, 6], [80, 0], [100, 4], [120, 7], [130, 9], [140, 10]),
  temperature: printed([0, 20], [33, 16], [33.5, 13], [34, 8], [35, 2], [36, 0], [40, 4]),
  respiratory_rate: printed([0, 17], [6, 8], [12, 7], [14, 0], [25, 6], [35, 9], [40, 11], [50, 18]),
  respiratory_rate_ventilated: printed([0, 0], [25, 6], [35, 9], [40, 11], [50, 18]),
  pao2: printed([0, 15], [50, 5], [70, 2], [80, 0]),
  aado2_ventilated: printed([0, 0], [100, 7], [250, 9], [350, 11], [500, 14]),
  hematocrit: printed([0, 3], [41, 0], [50, 3]),
  wbc: printed([0, 19], [1, 5], [3, 0], [20, 1], [25, 5]),
  creatinine: printed([0, 3], [0.5, 0], [1.5, 4], [1.95, 7]),
  creatinine_acute_renal_failure: printed([0, 0], [1.5, 10]),
  urine_24h: printed([0, 15], [400, 8], [600, 7], [900, 5], [1500, 4], [2000, 0], [4000, 1]),
  bun: printed([0, 0], [17, 2], [20, 7], [40, 11], [80, 12]),
  sodium: printed([0, 3], [120, 2], [135, 0], [155, 4]),
  albumin: printed([0, 11], [2, 6], [2.5, 0], [4.5, 4]),
  bilirubin: printed([0, 0], [2, 5], [3, 6], [5, 8], [8, 16]),
  glucose: printed([0, 8], [40, 9], [60, 0], [200, 3], [350, 5]),
};

const oasis: Record<string, Points> = {
  pre_icu_minutes: below(1, [10.2, 5], [297, 3], [1440, 0], [18708, 2]),
  age: printed([0, 0], [24, 3], [54, 6], [78, 9], [90, 7]),
  gcs: printed([3, 10], [8, 4], [14, 3], [15, 0]),
  heart_rate: (v) => (v > 125 ? 6 : v < 33 ? 4 : v >= 107 ? 3 : v >= 89 ? 1 : 0),
  map: (v) => (v < 20.65 ? 4 : v < 51 || v > 143.44 ? 3 : v < 61.33 ? 2 : 0),
  respiratory_rate: (v) => (v < 6 ? 10 : v > 44 ? 9 : v > 30 ? 6 : v > 22 || v < 13 ? 1 : 0),
  temperature: (v) => {
    if (v > 39.88) return 6;
    if (v >= 33.22 && v <= 35.93) return 4;
    if (v < 33.22) return 3;
    return v <= 36.39 || v >= 36.89 ? 2 : 0;
  },
  urine_24h: (v) => (v < 671.09 ? 10 : v > 6896.8 ? 8 : v <= 1426.99 ? 5 : v <= 2544.14 ? 1 : 0),
  ventilated: flag(9),
  elective_surgery: (v) => (v === 1 ? 0 : 6),
};

const lods: Record<string, Points> = {
  gcs: printed([3, 5], [6, 3], [9, 1], [14, 0]),
  heart_rate: (v) => (v < 30 ? 5 : v >= 140 ? 1 : 0),
  sbp: (v) => (v < 40 ? 5 : v < 70 || v >= 270 ? 3 : v < 90 || v >= 240 ? 1 : 0),
  bun: (v) => (v >= 56 ? 5 : v >= 28 ? 3 : v >= 17 ? 1 : 0),
  creatinine: (v) => (v >= 1.6 ? 3 : v >= 1.2 ? 1 : 0),
  urine_24h: (v) => (v < 500 ? 5 : v < 750 || v >= 10_000 ? 3 : 0),
  pf_ratio_supported: (v) => (v < 150 ? 3 : 1),
  wbc: (v) => (v < 1 ? 3 : v < 2.5 || v >= 50 ? 1 : 0),
  platelets: (v) => (v < 50 ? 1 : 0),
  bilirubin: (v) => (v >= 2 ? 1 : 0),
  prothrombin_time_above_standard: (v) => (v > 3 ? 1 : 0),
};

const beyond =
  (low: number, high: number): Points =>
  (v) =>
    v < low || v > high ? 1 : 0;
const sirs: Record<string, Points> = {
  temperature: beyond(36, 38),
  heart_rate: beyond(Number.NEGATIVE_INFINITY, 90),
  respiratory_rate: beyond(Number.NEGATIVE_INFINITY, 20),
  paco2: beyond(32, Number.POSITIVE_INFINITY),
  wbc: beyond(4, 12),
  bands: beyond(Number.NEGATIVE_INFINITY, 10),
};

const qsofa: Record<string, Points> = {
  respiratory_rate: (v) => (v >= 22 ? 1 : 0),
  sbp: (v) => (v <= 100 ? 1 : 0),
  gcs: (v) => (v < 15 ? 1 : 0),
};

const kdigo: Record<string, Points> = {
  creatinine_to_7d_low: (v) => (v >= 3 ? 3 : v >= 2 ? 2 : v >= 1.5 ? 1 : 0),
  creatinine_above_48h_low: (v) => (v >= 0.3 ? 1 : 0),
  creatinine_with_acute_rise: (v) => (v >= 4 ? 3 : 0),
  urine_rate_6h: (v) => (v < 0.5 ? 1 : 0),
  urine_rate_12h: (v) => (v <= 0 ? 3 : v < 0.5 ? 2 : 0),
  urine_rate_24h: (v) => (v < 0.3 ? 3 : 0),
};

const one = 'myocardial_infarct congestive_heart_failure peripheral_vascular cerebrovascular dementia';
const charlsonWeights: [number, string][] = [
  [1, `${one} chronic_pulmonary rheumatic peptic_ulcer mild_liver diabetes_uncomplicated`],
  [2, 'diabetes_complicated paraplegia renal malignancy'],
  [3, 'severe_liver'],
  [6, 'metastatic aids'],
];
const charlson = Object.fromEntries(
  charlsonWeights.flatMap(([weight, names]) => names.split(' ').map((name) => [name, flag(weight)])),
);

/** Points of every item of every score. */
export const published: Record<string, Record<string, Points>> = {
  sofa,
  saps_ii: sapsII,
  aps_iii: apsIII,
  oasis,
  lods,
  sirs,
  qsofa,
  kdigo,
  charlson,
};

/** APS III acid-base: rows by pH, columns by PaCO2, as the printed figure is cut. */
export function acidBase(ph: number, paco2: number): number {
  const columns = [25, 30, 35, 40, 45, 50];
  const column = columns.filter((c) => paco2 >= c).length; // <25, 25, 30, 35, 40, 45, >=50
  const rows: [number, number[]][] = [
    [7.2, [12, 12, 12, 12, 12, 12, 4]],
    [7.3, [9, 9, 6, 6, 3, 3, 2]],
    [7.35, [9, 9, 0, 0, 0, 1, 1]],
    [7.45, [5, 5, 0, 0, 0, 1, 1]],
    [7.5, [5, 5, 0, 2, 2, 12, 12]],
    [7.6, [3, 3, 3, 3, 12, 12, 12]],
    [Number.POSITIVE_INFINITY, [0, 3, 3, 3, 12, 12, 12]],
  ];
  return rows.find(([limit]) => ph < limit)![1][column]!;
}

/** APS III neurologic: printed grids, rows motor 1-2, 3-4, 5, 6, columns verbal 1, 2-3, 4, 5; null is not possible. */
export function neurologic(eye: number, verbal: number, motor: number): number | null {
  const column = [0, 1, 1, 2, 3][verbal - 1]!;
  const row = [0, 0, 1, 1, 2, 3][motor - 1]!;
  const closed = [
    [48, 29, null, null],
    [33, 24, null, null],
    [16, null, null, null],
    [16, null, null, null],
  ];
  const open = [
    [29, 29, 13, 3],
    [24, 24, 13, 3],
    [15, 13, 8, 3],
    [15, 10, 3, 0],
  ];
  return (eye === 1 ? closed : open)[row]![column]!;
}
