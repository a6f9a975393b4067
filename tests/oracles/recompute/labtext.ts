/** The number of a lab row: valuenum, else the result text (mimic.md 2.2, step 3). */
import { fio2Percent } from './charts.js';
import type { LabRow } from './extract.js';
import type { Num, Text } from './read.js';

/** Words that are numbers, by item. */
const WORDS: Record<number, Record<string, number>> = {
  50922: { NEG: 0 }, // ethanol
  50856: { NEG: 0 }, // acetaminophen
  50981: { NEG: 0 }, // salicylate
  51516: { NEG: 0 }, // urine white cells
  51493: { NEG: 0 }, // urine red cells
  51492: { NEG: 0, TR: 10 }, // urine protein
  51478: { NEG: 0, TR: 50 }, // urine glucose
  51484: { NEG: 0, TR: 5 }, // urine ketone
  51487: { NEG: 0, POS: 1 }, // nitrite
  51486: { NEG: 0, TR: 1, SM: 1, MOD: 1, LG: 1, POS: 1 }, // leukocyte esterase
};

/** Value of the row in the feature's unit, null when it has none. */
export function resultOf(row: LabRow, profile: 'benchmark' | 'oracle'): Num {
  const x = row.valuenum ?? (profile === 'oracle' ? null : numberOfText(row.itemid, resultText(row)));
  return x === null ? null : inFeatureUnit(row, x);
}

/** `value` unless it is ___, else the leading token of `comments`, without stars, dots and blanks at its ends. */
export function resultText(row: { value: Text; comments: Text }): Text {
  const strip = (text: string): string => text.replace(/^[\s*.]+|[\s*.]+$/g, '');
  const own = strip(row.value ?? '');
  if (own !== '' && own !== '___') return own;
  const token = strip(/^(.*?)\.(?=\s|$)/s.exec(row.comments ?? '')?.[1] ?? row.comments ?? '');
  return token === '' || token === '___' ? null : token;
}

/** Below a limit counts half of it, above a limit the limit; a range and any other text is no number. */
export function numberOfText(itemid: number, text: Text): Num {
  if (text === null) return null;
  const word = WORDS[itemid]?.[text.toUpperCase()];
  if (word !== undefined) return word;
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  const found = /^(<=?|>=?|LESS THAN|GREATER THAN)\s*(\d+(\.\d+)?)(\s+[A-Z%/#]+)?$/i.exec(text);
  if (!found) return null;
  const limit = Number(found[2]);
  return /^(<|LESS)/i.test(found[1]!) ? limit / 2 : limit;
}

/** Units that differ by assay or era (P34). */
function inFeatureUnit(row: LabRow, x: number): Num {
  const unit = (row.valueuom ?? '').trim().toUpperCase();
  if (row.itemid === 50816) return fio2Percent(x);
  if (row.itemid === 50889 && unit === 'MG/DL') return x * 10; // CRP
  if (row.itemid === 51003 && unit === 'NG/L') return x / 1000; // troponin T
  if ((row.itemid === 50915 || row.itemid === 51196) && unit.includes('DDU')) return x * 2; // D-dimer
  return x;
}
