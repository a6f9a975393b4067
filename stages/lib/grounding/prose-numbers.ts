/** Numbers and units in the prose of a fact, held against what the fact cites. */
import type { Cite } from '../../../schemas/rxeval.js';
import { foldWords, textOf } from '../record/cites.js';
import type { Moment } from '../record/moment.js';
import { renderLead } from '../render-record.js';

/** Numbers that stand alone; `pCO2` and `B12` hold none. */
const NUMBER = /(?<![\p{L}\p{N}_])(?<![\p{N}][.,])\d+(?:[.,]\d+)*/gu;
/** A unit right after a number. Words of speech are none. */
const UNIT =
  /^\s*(%|°\s?[CF]\b|[A-Za-zµ#]+\/[A-Za-z0-9µ]+|mm ?Hg\b|bpm\b|mEq\b|mg\b|mcg\b|ml\b|kg\b|ms\b|units?\b|fL\b|sec\b)/i;

/** What is wrong with the numbers of a fact; null when nothing is. */
export function numberProblem(moment: Moment, fact: string, cites: readonly Cite[]): string | null {
  const allowed = new Set(cites.flatMap((c) => numbersIn(citedText(moment, c))));
  for (const found of fact.matchAll(NUMBER)) {
    const number = plain(found[0]);
    if (!allowed.has(number)) return 'a number of the fact is in no cited value';
    const unit = UNIT.exec(fact.slice(found.index + found[0].length))?.[1];
    if (unit && !hasUnit(cites, number, unit, moment)) return 'a value of the fact has another unit';
  }
  return null;
}

/** All that a fact may repeat of a place: value, unit and words cited (else the whole text), and how long ago it was. */
function citedText(moment: Moment, cite: Cite): string {
  const found = moment.find(cite.ref);
  if (!found) return '';
  const named = [cite.item, cite.value, cite.unit, cite.quote].filter((t) => t !== null);
  const isWhole = cite.value === null && cite.quote === null;
  const lead = found.kind === 'event' ? renderLead(found.event.available_at, moment.timepoint.cut_at) : '';
  return [...named, isWhole ? textOf(found) : '', lead].join(' | ');
}

const numbersIn = (text: string): string[] =>
  [...text.matchAll(/\d+(?:[.,]\d+)*/g)].map((found) => plain(found[0]));

/** `1,200` and `1200`, `3.10` and `3.1` are one number. */
function plain(number: string): string {
  const bare = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(number) ? number.replaceAll(',', '') : number;
  return Number.isFinite(Number(bare)) ? String(Number(bare)) : bare;
}

/** True when a cited place says the number with this unit, or no cited value is that number. */
function hasUnit(cites: readonly Cite[], number: string, unit: string, moment: Moment): boolean {
  const valued = cites.filter((c) => c.value !== null && plain(c.value.trim()) === number);
  if (valued.some((c) => sameUnit(c.unit ?? '', unit))) return true;
  const texts = cites.map((c) => (c.value === null ? citedText(moment, c) : ''));
  if (texts.some((t) => foldUnits(t).includes(foldUnits(`${number} ${unit}`)))) return true;
  return valued.length === 0;
}

const foldUnits = (text: string): string => foldWords(text).replaceAll(' ', '');

/** Spellings of one unit. */
const SPELLINGS: Readonly<Record<string, string>> = { mmhg: 'mmhg', '/min': 'bpm', 'insp/min': 'bpm' };

function sameUnit(a: string, b: string): boolean {
  const fold = (u: string): string => SPELLINGS[foldUnits(u)] ?? foldUnits(u);
  return fold(a) === fold(b);
}
