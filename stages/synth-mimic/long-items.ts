/** The items of the long chartevents: what is charted, how often, and ready-made ends of rows for every value. */
import { cellOf } from './csv-file.js';
import { dictionaryRow } from './dictionaries.js';
import { clamp, round } from './math.js';
import { centerOf, type Item, type Numbers, onScale } from './numbers.js';
import type { Stream, Streams } from './rng.js';
import type { Row } from './rows.js';

/** Ready-made values of an item; a power of two, so that six random bits choose one. */
export const VALUES = 64;
/** Items outside the registry: with them, about a quarter of the rows are of the registry, as in the open demo. */
const OTHER_NUMBERS = 168;
const OTHER_TEXTS = 300;
const FIRST_OTHER = 280_001;
/** Hours between two rows of the items outside the registry. */
const NUMBER_PERIODS = [12, 16, 24];
const TEXT_PERIODS = [4, 4, 6, 8, 12];

/** One charted item. */
export interface LongItem {
  readonly itemid: number;
  /** Whole hours from one row to the next. */
  readonly period: number;
  /** Share of the stays that have the item. */
  readonly share: number;
  /** The end of a row from the comma before itemid to the line end, one for each value. */
  readonly tails: readonly Uint8Array[];
}

/** Items of the registry and others, sorted by itemid; `rows` are their entries of d_items. */
export function longItems(n: Numbers, streams: Streams): { items: LongItem[]; rows: Row[] } {
  const facts = n.facts.filter((f) => f.table === 'icu.chartevents');
  const items: LongItem[] = facts.map((f) => {
    const item = n.items.find((x) => x.itemid === f.itemid || x.altItemid === f.itemid);
    const texts = (item && n.texts.get(item.key)) ?? [];
    const period = item ? clamp(Math.round(24 / item.perDay), 1, 24) : 8;
    const share = item ? clamp(item.itemid === f.itemid ? item.prob : item.altProb, 0.03, 1) : 0.3;
    const r = streams(0, `long ${f.itemid}`);
    const isNumber = item ? !['text', 'binary'].includes(item.dist) : f.unit !== '';
    const values = texts.length > 0 ? texts.map(cells) : isNumber ? numbers(item, r) : words(r);
    return { itemid: f.itemid, period, share, tails: tails(f.itemid, values, f.unit, r) };
  });
  const rows: Row[] = [];
  for (let k = 0; k < OTHER_NUMBERS + OTHER_TEXTS; k++) {
    const itemid = FIRST_OTHER + k;
    const r = streams(0, `long ${itemid}`);
    const isNumber = k < OTHER_NUMBERS;
    const unit = isNumber ? 'unit' : '';
    const periods = isNumber ? NUMBER_PERIODS : TEXT_PERIODS;
    const values = isNumber ? numbers(undefined, r) : words(r);
    items.push({
      itemid,
      period: periods[k % periods.length]!,
      share: 0.6,
      tails: tails(itemid, values, unit, r),
    });
    const label = `Charted ${isNumber ? 'number' : 'text'} ${k + 1}`;
    rows.push(dictionaryRow(itemid, label, 'chartevents', 'Bulk charting', unit));
  }
  return { items: items.sort((a, b) => a.itemid - b.itemid), rows };
}

/** The cells value and valuenum. */
type Cells = readonly [value: string, valuenum: string];

const cells = (t: { value: string; valuenum: number | null }): Cells => [
  cellOf(t.value),
  t.valuenum === null ? '' : String(t.valuenum),
];

function numbers(item: Item | undefined, r: Stream): Cells[] {
  const center = r.uniform(5, 150);
  return Array.from({ length: VALUES }, () => {
    const x = item
      ? clamp(onScale(item, centerOf(item) + item.spread * r.normal()), item.low, item.high)
      : Math.abs(center * (1 + 0.25 * r.normal()));
    const text = String(round(x, item?.decimals ?? (center < 40 ? 1 : 0)));
    return [text, text];
  });
}

const WORDS = ['Normal', 'Clear', 'WNL', 'Present', 'Absent', 'Strong', 'Weak', 'Intact', 'None', 'Yes'];

/** Texts without a number; some need quotes, as in the real file. */
function words(r: Stream): Cells[] {
  return Array.from({ length: VALUES }, () => [
    cellOf(r.chance(0.05) ? `${r.pick(WORDS)}, ${r.pick(WORDS)}` : `${r.pick(WORDS)} ${r.pick(WORDS)}`),
    '',
  ]);
}

const encoder = new TextEncoder();

function tails(itemid: number, values: readonly Cells[], unit: string, r: Stream): Uint8Array[] {
  return Array.from({ length: VALUES }, (_, k) => {
    const [value, valuenum] = values[k % values.length]!;
    const warning = r.chance(0.05) ? 1 : 0;
    return encoder.encode(`,${itemid},${value},${valuenum},${unit},${warning}\n`);
  });
}
