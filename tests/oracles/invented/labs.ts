/** Invented labevents. */
import { type Add, clock, moment, numberNear, type Quantity, quantities, type Visit } from './common.js';
import type { Dice } from './dice.js';

const LABS = quantities('hosp.labevents').filter((q) => q.itemid < 100_000 && q.itemid !== 52_033);
const LAB_NUMBERS: Record<number, number[]> = {
  50912: [0.4, 0.5, 0.8, 1.2, 1.5, 1.6, 1.95, 2, 3.5, 4.2, 4.5, 5, 61],
  51006: [6, 7.5, 16, 17, 28, 39, 56, 84, 100],
  51301: [0.5, 2.4, 3.9, 4, 12, 12.1, 20, 25, 51],
  51265: [11, 19, 49, 50, 99, 100, 149, 150, 400],
  50885: [0.4, 1.2, 2, 4, 6, 12, 20],
  50821: [45, 60, 75, 90, 150, 300, 800],
  50818: [20, 28, 33, 42, 48, 60],
  50820: [6.9, 7.15, 7.25, 7.32, 7.4, 7.47, 7.55, 7.65],
  50816: [0.5, 1, 30, 50, 60, 100, 8, 20, 0.2],
  50983: [118, 124, 130, 140, 145, 156, 0],
  50971: [2.9, 3, 4, 5, 6.1],
  50882: [14, 15, 19, 20, 25],
  50862: [1.9, 2.4, 3, 4, 4.6],
  51237: [0.8, 1, 1.5, 2.5, 9],
  51256: [10, 60, 85, 0],
  51244: [5, 20, 40, 0],
  51144: [0, 10, 11],
  52769: [900, 1500],
};
const WORDS = ['NEG', 'TR', 'SM', 'MOD', 'LG', 'POS', 'HOLD', 'UNABLE TO REPORT'];
const CENSORED = ['<0.01', '>182', '<10', 'GREATER THAN 300', 'LESS THAN 5', '>=1.035', '3-5', '0-2'];
const LAB_UNITS: Record<number, string[]> = {
  50889: ['mg/L', 'mg/dL'],
  51003: ['ng/mL', 'ng/L'],
  50915: ['ng/mL', 'ng/mL FEU'],
  51196: ['ng/mL FEU'],
  52769: ['#/uL'],
};

/** Specimens of a stay, corrected results and results in words among them. */
export function inventLabs(add: Add, v: Visit): void {
  const { d } = v;
  for (let s = 0; s < d.whole(0, 7); s++) {
    const specimen_id = v.stay_id * 10 + s;
    const minute = d.chance(0.15) ? v.t0 - d.whole(1000, 11_000) : moment(v);
    const type = d.pick(['ART.', 'ART.', 'VEN.', null]);
    if (type) pushLab(add, v, 52_033, specimen_id, minute, { value: type, comments: '___' });
    for (const quantity of LABS) {
      if (d.chance(0.45)) continue;
      pushLab(add, v, quantity.itemid, specimen_id, minute, result(quantity, d));
      if (d.chance(0.08)) pushLab(add, v, quantity.itemid, specimen_id, minute, result(quantity, d));
    }
  }
}

interface Result {
  readonly value?: string | null;
  readonly valuenum?: number | null;
  readonly comments?: string | null;
}

function result(quantity: Quantity, d: Dice): Result {
  const { itemid } = quantity;
  const usual = LAB_NUMBERS[itemid];
  if (d.chance(usual ? 0.04 : 0.2)) return inWords(d.pick([...WORDS, ...CENSORED]), d);
  const x = usual ? d.pick(usual) : numberNear(quantity, d);
  return {
    value: d.chance(0.1) ? '___' : String(x),
    valuenum: x,
    comments: d.chance(0.1) ? 'HEMOLYZED.' : null,
  };
}

/** As the value, or as the leading token of the comments. */
function inWords(word: string, d: Dice): Result {
  if (d.chance(0.3)) return { value: word };
  const tail = d.pick(['.', '*.', '.  SEE NOTE 0.10 NG/ML.', ' .']);
  return { value: d.pick([null, '___']), comments: `${word}${tail}` };
}

function pushLab(
  add: Add,
  v: Visit,
  itemid: number,
  specimen_id: number,
  minute: number,
  found: Result,
): void {
  const { d } = v;
  add('hosp.labevents', {
    labevent_id: add.next(),
    subject_id: v.subject_id,
    hadm_id: d.pick([v.hadm_id, null]),
    specimen_id,
    itemid,
    charttime: clock(minute),
    storetime: d.pick([clock(minute + 20), clock(minute + 60), clock(minute + 700), null]),
    valueuom: LAB_UNITS[itemid] ? d.pick(LAB_UNITS[itemid]) : null,
    flag: d.pick(['abnormal', null]),
    priority: 'STAT',
    ...found,
  });
}
