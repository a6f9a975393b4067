/** Invented chartevents. */
import { type Add, clock, ids, moment, numberNear, type Quantity, quantities, type Visit } from './common.js';
import type { Dice } from './dice.js';

const CHARTS = quantities('icu.chartevents').filter((q) => q.itemid >= 220_000);

const TEXTS: Record<number, (string | null)[]> = {
  223758: ['Full code', 'DNR (do not resuscitate)', 'DNI (do not intubate)', 'Comfort measures only'],
  220048: [
    'SR (Sinus Rhythm)',
    'AF (Atrial Fibrillation)',
    'A Flut (Atrial Flutter) ',
    'V Paced',
    'ST (Sinus Tachycardia) ',
  ],
  224650: ['None', "PVC's"],
  226479: ['None', "PAC's"],
  227121: ['Brisk ', 'Non-reactive'],
  227288: ['Sluggish', 'Non-reactive '],
  228332: ['Negative', 'Positive', 'UTA'],
  226732: [
    'Endotracheal tube',
    'Bipap mask ',
    'CPAP mask ',
    'High flow nasal cannula',
    'Nasal cannula',
    'None',
    'Tracheostomy tube',
  ],
  223849: ['CMV/ASSIST', 'CPAP/PSV', 'Standby', 'Ambient'],
  229314: ['APV (cmv)', 'SPONT', 'NIV', 'DuoPaP', 'Ambient'],
  224733: ['3mm', '4mm', 'Pinpoint', 'Fully Dilated', '10mm'],
  223907: ['3mm', '5mm', 'Pinpoint', 'Fully Dilated'],
};
/** Items whose number stands in the text or beside it. */
const SPOKEN: Record<number, [string, number | null][]> = {
  223900: [
    ['No Response-ETT', 1],
    ['Oriented', 5],
    ['Confused', 4],
    ['No Response', 1],
    ['Inappropriate Words', 3],
  ],
  223791: [
    ['None', 0],
    ['Moderate', 5],
    ['7-Severe', null],
    ['Unable to Score', null],
  ],
};

/** Numbers and texts of a stay, many at one charttime, some twice. */
export function inventCharts(add: Add, v: Visit): void {
  const { d } = v;
  const times = Array.from({ length: d.whole(2, 9) }, () => moment(v));
  for (const quantity of CHARTS) {
    if (d.chance(0.35)) continue;
    for (let i = 0; i < d.whole(1, 5); i++) {
      const minute = d.chance(0.7) ? d.pick(times) : moment(v);
      addChart(add, v, quantity, minute);
      if (d.chance(0.2)) addChart(add, v, quantity, minute);
    }
  }
  for (const minute of times) if (d.chance(0.5)) addBraden(add, v, minute);
}

function addBraden(add: Add, v: Visit, minute: number): void {
  for (let itemid = 224_054; itemid <= 224_059; itemid++) {
    if (v.d.chance(0.1)) continue;
    const points = v.d.whole(1, 4);
    pushChart(add, v, itemid, minute, v.d.chance(0.5) ? `${points} points` : 'Limited', points);
  }
}

function addChart(add: Add, v: Visit, quantity: Quantity, minute: number): void {
  const { d } = v;
  const [value, valuenum] = charted(quantity, d);
  pushChart(add, v, quantity.itemid, minute, value, valuenum);
}

function charted(quantity: Quantity, d: Dice): [string | null, number | null] {
  const { itemid } = quantity;
  if (SPOKEN[itemid]) return d.pick(SPOKEN[itemid]);
  if (TEXTS[itemid]) return [d.pick(TEXTS[itemid]), null];
  const x = chartNumber(quantity, d);
  return [String(x), x];
}

const WHOLE: Record<number, [number, number]> = { 220739: [1, 4], 223901: [1, 6], 228096: [-5, 4] };

/** Numbers in the item's own unit. */
function chartNumber(quantity: Quantity, d: Dice): number {
  const { itemid } = quantity;
  if (WHOLE[itemid]) return d.whole(...WHOLE[itemid]);
  if (itemid === 223_761) return d.pick([96.8, 98.4, 98.6, 100.4, 101.3, 104, 37.2, 70, 120, 91.9]);
  if (itemid === 223_762) return d.pick([36, 37.2, 38.3, 35.9, 33.1, 40.1, 98.6, 25.9, 45.1]);
  if (itemid === 223_835) return d.pick([0.4, 1, 0.2, 21, 40, 50, 60, 100, 12, 0, 20]);
  if (itemid === 226_707) return d.pick([60, 66, 70, 30]);
  if (itemid === 226_730) return d.pick([150, 170, 61, 183.5]);
  if ([226_512, 224_639].includes(itemid)) return d.pick([55, 80.4, 120, 0, 400]);
  if (itemid === 226_531) return d.pick([0, 150, 220.5, 30]);
  if ([224_684, 224_685, 224_686].includes(itemid)) return d.pick([450, 0.5, 620, 1.2, 5000]);
  if (itemid === 224_359) return d.pick([0.44, 430, 1.9, 900]);
  if ([220_210, 224_690].includes(itemid)) return d.pick([5, 8, 13, 14, 22, 23, 25, 31, 44, 50, 0, 71]);
  if (itemid === 220_045)
    return d.pick([28, 39, 69, 70, 88, 106, 107, 110, 120, 125, 126, 140, 160, 0, 10_000_000]);
  if ([220_050, 220_179, 225_309].includes(itemid))
    return d.pick([38, 69, 89, 90, 99, 100, 101, 130, 200, 240, 270, 0]);
  if ([220_052, 220_181, 225_312].includes(itemid))
    return d.pick([20, 39, 50, 64, 65, 69, 70, 80, 120, 144, 300]);
  return numberNear(quantity, d);
}

function pushChart(
  add: Add,
  v: Visit,
  itemid: number,
  minute: number,
  value: string | null,
  valuenum: number | null,
): void {
  const storetime = v.d.pick([clock(minute + 3), clock(minute + 500), null]);
  const row = { ...ids(v), charttime: clock(minute), storetime, itemid, value, valuenum, warning: 0 };
  add('icu.chartevents', row);
  if (v.d.chance(0.1)) add('icu.chartevents', row);
}
