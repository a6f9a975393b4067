/** Point tables. A band is [first value that is too high for it, points]; the last band has no upper end. */
import type { Num } from './read.js';

export type Bands = readonly (readonly [number, number])[];

const REST = Number.POSITIVE_INFINITY;

/** Points of a value; null of null. */
export function pointsOf(value: Num, bands: Bands): Num {
  if (value === null) return null;
  return bands.find(([end]) => value < end)![1];
}

/** SOFA (Vincent 1996), the parts that depend on one number. */
export const SOFA = {
  platelets: [
    [20, 4],
    [50, 3],
    [100, 2],
    [150, 1],
    [REST, 0],
  ],
  bilirubin: [
    [1.2, 0],
    [2, 1],
    [6, 2],
    [12, 3],
    [REST, 4],
  ],
  creatinine: [
    [1.2, 0],
    [2, 1],
    [3.5, 2],
    [5, 3],
    [REST, 4],
  ],
  urine: [
    [200, 4],
    [500, 3],
    [REST, 0],
  ],
  gcs: [
    [6, 4],
    [10, 3],
    [13, 2],
    [15, 1],
    [REST, 0],
  ],
} as const satisfies Record<string, Bands>;

/** SAPS II (Le Gall 1993). */
export const SAPS2 = {
  age: [
    [40, 0],
    [60, 7],
    [70, 12],
    [75, 15],
    [80, 16],
    [REST, 18],
  ],
  pf: [
    [100, 11],
    [200, 9],
    [REST, 6],
  ],
  urine: [
    [500, 11],
    [1000, 4],
    [REST, 0],
  ],
  bun: [
    [28, 0],
    [84, 6],
    [REST, 10],
  ],
  bicarbonate: [
    [15, 6],
    [20, 3],
    [REST, 0],
  ],
  bilirubin: [
    [4, 0],
    [6, 4],
    [REST, 9],
  ],
  gcs: [
    [6, 26],
    [9, 13],
    [11, 7],
    [14, 5],
    [REST, 0],
  ],
} as const satisfies Record<string, Bands>;

/** APACHE III acute physiology (Knaus 1991); `center` is the value from which the farther of min and max is scored. */
export const APS3 = {
  heart_rate: {
    center: 75,
    bands: [
      [40, 8],
      [50, 5],
      [100, 0],
      [110, 1],
      [120, 5],
      [140, 7],
      [155, 13],
      [REST, 17],
    ],
  },
  mbp: {
    center: 90,
    bands: [
      [40, 23],
      [60, 15],
      [70, 7],
      [80, 6],
      [100, 0],
      [120, 4],
      [130, 7],
      [140, 9],
      [REST, 10],
    ],
  },
  temperature: {
    center: 38,
    bands: [
      [33, 20],
      [33.5, 16],
      [34, 13],
      [35, 8],
      [36, 2],
      [40, 0],
      [REST, 4],
    ],
  },
  resp_rate: {
    center: 19,
    bands: [
      [6, 17],
      [12, 8],
      [14, 7],
      [25, 0],
      [35, 6],
      [40, 9],
      [50, 11],
      [REST, 18],
    ],
  },
  hematocrit: {
    center: 45.5,
    bands: [
      [41, 3],
      [50, 0],
      [REST, 3],
    ],
  },
  wbc: {
    center: 11.5,
    bands: [
      [1, 19],
      [3, 5],
      [20, 0],
      [25, 1],
      [REST, 5],
    ],
  },
  creatinine: {
    center: 1,
    bands: [
      [0.5, 3],
      [1.5, 0],
      [1.95, 4],
      [REST, 7],
    ],
  },
  creatinine_failure: {
    center: 1,
    bands: [
      [1.5, 0],
      [REST, 10],
    ],
  },
  sodium: {
    center: 145.5,
    bands: [
      [120, 3],
      [135, 2],
      [155, 0],
      [REST, 4],
    ],
  },
  albumin: {
    center: 3.5,
    bands: [
      [2, 11],
      [2.5, 6],
      [4.5, 0],
      [REST, 4],
    ],
  },
  glucose: {
    center: 130,
    bands: [
      [40, 8],
      [60, 9],
      [200, 0],
      [350, 3],
      [REST, 5],
    ],
  },
} as const satisfies Record<string, { center: number; bands: Bands }>;

/** APACHE III parts that take one value. */
export const APS3_SINGLE = {
  bun: [
    [17, 0],
    [20, 2],
    [40, 7],
    [80, 11],
    [REST, 12],
  ],
  bilirubin: [
    [2, 0],
    [3, 5],
    [5, 6],
    [8, 8],
    [REST, 16],
  ],
  urine: [
    [400, 15],
    [600, 8],
    [900, 7],
    [1500, 5],
    [2000, 4],
    [4000, 0],
    [REST, 1],
  ],
  pao2: [
    [50, 15],
    [70, 5],
    [80, 2],
    [REST, 0],
  ],
  aado2: [
    [100, 0],
    [250, 7],
    [350, 9],
    [500, 11],
    [REST, 14],
  ],
} as const satisfies Record<string, Bands>;

/** APACHE III acid-base grid: pH below the first number, then PaCO2 bands. */
export const APS3_ACID_BASE: readonly (readonly [number, Bands])[] = [
  [
    7.2,
    [
      [50, 12],
      [REST, 4],
    ],
  ],
  [
    7.3,
    [
      [30, 9],
      [40, 6],
      [50, 3],
      [REST, 2],
    ],
  ],
  [
    7.35,
    [
      [30, 9],
      [45, 0],
      [REST, 1],
    ],
  ],
  [
    7.45,
    [
      [30, 5],
      [45, 0],
      [REST, 1],
    ],
  ],
  [
    7.5,
    [
      [30, 5],
      [35, 0],
      [45, 2],
      [REST, 12],
    ],
  ],
  [
    7.6,
    [
      [40, 3],
      [REST, 12],
    ],
  ],
  [
    REST,
    [
      [25, 0],
      [40, 3],
      [REST, 12],
    ],
  ],
];

/** APACHE III neurological grid, by [verbal from, to, motor from, to, points]. */
export const APS3_EYES_CLOSED: readonly (readonly number[])[] = [
  [1, 1, 1, 2, 48],
  [1, 1, 3, 4, 33],
  [1, 1, 5, 6, 16],
  [2, 3, 1, 2, 29],
  [2, 3, 3, 4, 24],
];
export const APS3_EYES_OPEN: readonly (readonly number[])[] = [
  [1, 1, 1, 2, 29],
  [1, 1, 3, 4, 24],
  [1, 1, 5, 6, 15],
  [2, 3, 1, 2, 29],
  [2, 3, 3, 4, 24],
  [2, 3, 5, 5, 13],
  [2, 3, 6, 6, 10],
  [4, 4, 1, 4, 13],
  [4, 4, 5, 5, 8],
  [4, 4, 6, 6, 3],
  [5, 5, 1, 5, 3],
  [5, 5, 6, 6, 0],
];

/** OASIS (Johnson 2013), the parts that depend on one number. */
export const OASIS = {
  minutes_before_icu: [
    [10.2, 5],
    [297, 3],
    [1440, 0],
    [18708, 2],
    [REST, 1],
  ],
  age: [
    [24, 0],
    [54, 3],
    [78, 6],
    [90, 9],
    [REST, 7],
  ],
  gcs: [
    [8, 10],
    [14, 4],
    [15, 3],
    [REST, 0],
  ],
} as const satisfies Record<string, Bands>;

/** LODS (Le Gall 1996), the part that depends on one number. */
export const LODS = {
  gcs: [
    [6, 5],
    [9, 3],
    [14, 1],
    [REST, 0],
  ],
} as const satisfies Record<string, Bands>;
