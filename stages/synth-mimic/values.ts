/** What an item measures in one subject: a level, moved by diagnoses, with autocorrelated noise around it. */
import type { Subject } from './context.js';
import { clamp, round, sqrt } from './math.js';
import { centerOf, type Item, onScale } from './numbers.js';
import type { Stream } from './rng.js';

/** Half of the between-stay spread is used again within a stay. */
const WITHIN = 0.55;
/** Survivors move back towards normal: 8 percent of the shift per six hours, at most 80 percent. */
const RECOVERY_PER_HOUR = 0.08 / 6;
const LEAST_LEFT = 0.2;

/** Levels that go together in one person: child, parent, correlation. */
const TOGETHER: readonly [string, string, number][] = [
  ['dbp', 'sbp', 0.6],
  ['papd', 'paps', 0.8],
  ['papm', 'paps', 0.85],
  ['ast', 'alt', 0.8],
  ['bun', 'cr', 0.6],
  ['phos', 'cr', 0.3],
  ['glu_bed', 'glu', 0.85],
  ['ckmb', 'ck', 0.6],
  ['dbili', 'tbili', 0.8],
  ['gcs_v', 'gcs_e', 0.6],
  ['gcs_m', 'gcs_e', 0.7],
  ['pip', 'plateau', 0.7],
  ['map_vent', 'peep', 0.6],
  ['rr', 'hr', 0.25],
  ['pupil_r', 'pupil_l', 0.9],
  ['mch', 'mcv', 0.8],
  ['rdw_sd', 'rdw', 0.7],
];

/** Levels of every item in one subject, without its shift. */
export function drawLevels(s: Subject): Float64Array {
  const r = s.stream('levels');
  const z = new Float64Array(s.numbers.items.length);
  for (let k = 0; k < z.length; k++) z[k] = r.normal();
  for (const [child, parent, rho] of TOGETHER) {
    const c = s.numbers.itemByKey.get(child)!.index;
    const p = s.numbers.itemByKey.get(parent)!.index;
    z[c] = rho * z[p]! + sqrt(1 - rho * rho) * z[c]!;
  }
  return z;
}

/** Successive values of one item; call with growing hours. */
export class Series {
  private noise: number;
  private readonly item: Item;
  private readonly level: number;
  private readonly shift: number;
  private readonly recovers: boolean;
  private readonly step: number;
  private readonly r: Stream;

  constructor(item: Item, level: number, shift: number, recovers: boolean, r: Stream) {
    this.item = item;
    this.level = level;
    this.shift = shift;
    this.recovers = recovers;
    this.r = r;
    this.noise = r.normal();
    this.step = sqrt(1 - item.ar1 * item.ar1);
  }

  /** The next value, `extra` added on the item's scale; not yet rounded. */
  next(hours: number, extra = 0): number {
    const { item } = this;
    this.noise = item.ar1 * this.noise + this.step * this.r.normal();
    const left = this.recovers ? clamp(1 - RECOVERY_PER_HOUR * hours, LEAST_LEFT, 1) : 1;
    const moved = this.shift * (hours < 0 ? 1 : left) + extra;
    if (item.dist === 'skew_left') {
      const dip = this.level + WITHIN * this.noise;
      return clamp(item.center - item.spread * Math.abs(dip) + moved, item.low, item.high);
    }
    if (item.dist === 'binary') return this.r.chance(clamp(item.center + moved, 0.01, 0.98)) ? 1 : 0;
    const x = centerOf(item) + item.spread * (this.level + WITHIN * this.noise) + moved;
    return clamp(onScale(item, x), item.low, item.high);
  }

  /** The next value as it is written. */
  rounded(hours: number, extra = 0): number {
    return round(this.next(hours, extra), this.item.decimals);
  }
}

/** Opens the series of a subject's items for one stay. */
export type SeriesOf = (key: string) => Series;

/** Series of one stay by item key; each has its own stream. */
export function seriesOf(s: Subject, levels: Float64Array, prefix: string, recovers: boolean): SeriesOf {
  const open = new Map<string, Series>();
  return (key) => {
    let series = open.get(key);
    if (!series) {
      const item = s.numbers.itemByKey.get(key)!;
      const shift = s.person.shifts[item.index]!;
      series = new Series(item, levels[item.index]!, shift, recovers, s.stream(`${prefix} ${key}`));
      open.set(key, series);
    }
    return series;
  };
}

/** Probability that a stay has the item on day one: the item's own, raised by what the patient has. */
export function seenProb(s: Subject, item: Item): number {
  let p = item.prob;
  for (let k = 0; k < s.person.severities.length; k++) {
    if (s.person.severities[k] === 0) continue;
    for (const e of s.model.effectsOf[k]!) if (e.item === item.index && e.minProb > p) p = e.minProb;
  }
  return p;
}
