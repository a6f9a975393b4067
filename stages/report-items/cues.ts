/** Cues that would tell an answer without the patient: position, length, and what stem and options alone suggest. */
import { uniformity } from '../lib/chi-square.js';
import { type Item, units } from './read.js';

export interface Positions {
  readonly what: 'right option' | 'None';
  readonly options_n: number;
  readonly counts: readonly number[];
  readonly chi_square: number;
  readonly df: number;
  readonly p_value: number;
}

/** How often each letter is right, and is None, for each number of options. */
export function positions(items: readonly Item[]): Positions[] {
  const sizes = [...new Set(items.map((i) => i.options.length))].sort((a, b) => a - b);
  return sizes.flatMap((options_n) => {
    const same = items.filter((i) => i.options.length === options_n);
    // Members of a pair have one order of options: None is counted once a pair.
    const none = units(same).flatMap(([first]) => (first!.none_letter === null ? [] : [first!.none_letter]));
    return [
      tally(
        'right option',
        options_n,
        same.flatMap((i) => i.keys),
      ),
      tally('None', options_n, none),
    ];
  });
}

function tally(what: Positions['what'], options_n: number, letters: readonly string[]): Positions {
  const counts = Array<number>(options_n).fill(0);
  for (const letter of letters) counts[letter.charCodeAt(0) - 65]! += 1;
  return { what, options_n, counts, ...uniformity(counts) };
}

/** Share of items, and the share that blind picking of one option gets right. */
export interface Rate {
  readonly items_n: number;
  readonly rate: number;
  readonly chance: number;
}

/** Right when one picked option is among the right ones; options of equal merit share the pick. */
function rateOf(items: readonly Item[], best: (item: Item) => readonly string[]): Rate {
  let hits = 0;
  let chance = 0;
  for (const item of items) {
    const picked = best(item);
    hits += picked.filter((l) => item.keys.includes(l)).length / picked.length;
    chance += item.keys.length / item.options.length;
  }
  const n = Math.max(1, items.length);
  return { items_n: items.length, rate: hits / n, chance: chance / n };
}

/** Picking the longest option text. */
export function longestOption(items: readonly Item[]): Rate {
  return rateOf(items, (item) => {
    const most = Math.max(...item.options.map(([, text]) => text.length));
    return item.options.filter(([, text]) => text.length === most).map(([letter]) => letter);
  });
}

/** Share of items in which None is right. Half of all pairs by construction: there a blind reader cannot do better. */
export const alwaysNone = (items: readonly Item[]): number =>
  items.filter((i) => i.none_letter !== null && i.keys.includes(i.none_letter)).length /
  Math.max(1, items.length);

interface Seen {
  offered: number;
  right: number;
}

/**
 * A reader who knows all other items with their answers, but sees stem and options only: picks the option whose text was
 * right most often elsewhere, smoothed towards the overall share. The other members of a pair are not elsewhere.
 */
export function blindReader(items: readonly Item[]): Rate {
  const all: Seen = { offered: 0, right: 0 };
  const byText = new Map<string, Seen>();
  const count = (item: Item, sign: 1 | -1): void => {
    for (const [letter, text] of item.options) {
      const seen = byText.get(text) ?? { offered: 0, right: 0 };
      byText.set(text, seen);
      const right = item.keys.includes(letter) ? sign : 0;
      for (const s of [seen, all]) {
        s.offered += sign;
        s.right += right;
      }
    }
  };
  for (const item of items) count(item, 1);
  const best = (item: Item): string[] => {
    const base = all.offered === 0 ? 0 : all.right / all.offered;
    const merit = item.options.map(([letter, text]) => {
      const seen = byText.get(text)!;
      return { letter, score: (seen.right + base) / (seen.offered + 1) };
    });
    const most = Math.max(...merit.map((m) => m.score));
    return merit.filter((m) => m.score === most).map((m) => m.letter);
  };
  const picks = new Map<string, readonly string[]>();
  for (const unit of units(items)) {
    for (const item of unit) count(item, -1);
    for (const item of unit) picks.set(item.instance_id, best(item));
    for (const item of unit) count(item, 1);
  }
  return rateOf(items, (item) => picks.get(item.instance_id)!);
}
