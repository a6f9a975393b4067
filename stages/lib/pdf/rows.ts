/** The borders between the rows of a region: rules, and lines of text that are no continuation of the line above. */
import type { Border } from './columns.js';
import { type Phrase, textOf } from './text-lines.js';
import { bottom, median, top } from './types.js';

/** A line of text with its phrases put into columns. */
export interface RowLine {
  readonly base: number;
  readonly size: number;
  readonly parts: readonly Part[];
}

/** A phrase and the columns it covers. */
export interface Part {
  readonly phrase: Phrase;
  readonly from: number;
  readonly to: number;
}

export interface RowFacts {
  readonly lines: readonly RowLine[];
  readonly borders: readonly Border[];
  /** Left and right edge of the region. */
  readonly edges: readonly [number, number];
  /** Heights of rules that are row borders at some column. */
  readonly ruled: readonly number[];
  /** Where the head ends; lines above it are head. */
  readonly bodyTop: number;
  /** True when vertical rules part at least half of the columns between two heights. */
  readonly isLattice: (y0: number, y1: number) => boolean;
}

/** Tokens that are values by themselves: numbers, ranges, percentages, signs. */
const VALUE = /^[([<>=≤≥±~*–—-]*[\d.,:/%–—-]*\d[\d.,:/%)\]–—-]*[*†‡§¶]*$|^[-–—*.…]+$/;

/** True when a text reads as a value, not as words. */
export const isValue = (text: string): boolean => text.split(' ').every((w) => VALUE.test(w));

/** Heights of all row borders inside the region, from top to bottom. */
export function rowBorders(facts: RowFacts): number[] {
  const bands = bandsOf(facts);
  const inner = bands.flatMap((band) => splitBand(band, facts));
  return [...new Set([...facts.ruled, ...inner])].sort((a, b) => a - b);
}

function bandsOf({ lines, ruled }: RowFacts): RowLine[][] {
  const bands: RowLine[][] = Array.from({ length: ruled.length + 1 }, () => []);
  for (const line of lines) {
    const middle = line.base - 0.3 * line.size;
    bands[ruled.filter((y) => y < middle).length]!.push(line);
  }
  return bands.filter((b) => b.length > 0);
}

function splitBand(band: readonly RowLine[], facts: RowFacts): number[] {
  if (band.length < 2) return [];
  const isHead = band[0]!.base < facts.bodyTop;
  if (isHead) return cutsWhere(band, startsHeadRow);
  const [first, last] = [band[0]!, band.at(-1)!];
  if (facts.isLattice(top(first), bottom(last)) && !isListOfRows(band, facts)) return [];
  if (standsAtBottom(band, facts)) {
    return cutsWhere(band, (above, line) => !isLoose(above.at(-1)!, facts) || isHeading(line));
  }
  const pitch = pitchOf(facts);
  const leading = leadingOf(band);
  return cutsWhere(band, (above, line) => !continues({ above, line, facts, pitch, leading }));
}

type IsBreak = (above: readonly RowLine[], line: RowLine) => boolean;

/** Border heights between lines where `isBreak` holds; `above` are the lines of the row so far. */
function cutsWhere(band: readonly RowLine[], isBreak: IsBreak): number[] {
  const out: number[] = [];
  let row: RowLine[] = [band[0]!];
  for (const line of band.slice(1)) {
    const last = row.at(-1)!;
    if (isBreak(row, line)) {
      out.push((bottom(last) + top(line)) / 2);
      row = [line];
    } else row.push(line);
  }
  return out;
}

/** In a head, a new row starts below a phrase over several columns that stand apart in the next line. */
const startsHeadRow: IsBreak = (above, line) =>
  above.some((a) =>
    a.parts.some(
      (s) => s.to > s.from && line.parts.filter((p) => p.from >= s.from && p.to <= s.to).length > 1,
    ),
  );

const filled = (lines: readonly RowLine[]): Set<number> =>
  new Set(lines.flatMap((l) => l.parts.flatMap((p) => range(p.from, p.to))));

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** Distance between lines that both fill most columns: the usual distance of rows. */
function pitchOf({ lines, bodyTop, borders }: RowFacts): number {
  const full = lines.filter((l) => l.base > bodyTop && filled([l]).size > 0.5 * (borders.length + 1));
  const gaps = full.slice(1).map((l, i) => l.base - full[i]!.base);
  return median(gaps);
}

/** A line that can only be part of a row: little text, none in the first column, no value. */
function isLoose(line: RowLine, { borders }: RowFacts): boolean {
  const cols = filled([line]);
  const hasValue = line.parts.some((p) => isValue(textOf(p.phrase.pieces)));
  return !hasValue && !cols.has(0) && cols.size <= Math.max(1, 0.34 * (borders.length + 1));
}

const isHeading = (line: RowLine): boolean => filled([line]).size === 1 && filled([line]).has(0);

/**
 * True when short cells stand beside the last line of long ones, not beside the first. The ends of the band tell most:
 * a loose line at its top belongs to the row below, one at its bottom to the row above. Sentences tell the rest.
 */
function standsAtBottom(band: readonly RowLine[], facts: RowFacts): boolean {
  const isAnchor = (l: RowLine): boolean => !isLoose(l, facts);
  if (band.filter(isAnchor).length < 2 || band.every(isAnchor)) return false;
  let votes = (isAnchor(band[0]!) ? 0 : 3) - (isAnchor(band.at(-1)!) ? 0 : 3);
  for (const [i, line] of band.entries()) {
    const above = band[i - 1];
    if (!above || isAnchor(above) === isAnchor(line)) continue;
    const [before, text] = [textAt(above, line), textAt(line, line)];
    if (before === '') continue;
    const isNew = /[.!?]["”)]?$/.test(before) && !/^[a-z]/.test(text);
    const goesOn = /^[a-z]/.test(text);
    if (isAnchor(above)) votes += isNew ? 1 : goesOn ? -1 : 0;
    else votes += isNew ? -1 : goesOn ? 1 : 0;
  }
  return votes > 0;
}

/** The text of a line in the column where another one has its last part. */
function textAt(line: RowLine, other: RowLine): string {
  const col = other.parts.at(-1)!.from;
  const part = line.parts.find((p) => p.from <= col && p.to >= col);
  return part ? textOf(part.phrase.pieces) : '';
}

interface Pair {
  readonly above: readonly RowLine[];
  readonly line: RowLine;
  readonly facts: RowFacts;
  readonly pitch: number;
  /** Distance of lines within a cell, where it is clearly smaller than that of rows; else null. */
  readonly leading: number | null;
}

/** Lines this near (parts of the leading) are of one cell, lines this far apart are not. */
const LEADING = { same: 1.12, other: 1.25, fewer: 0.4 } as const;

/**
 * The smaller of two distances between lines, where lines stand at two distances and those that stand near mostly fill
 * fewer columns than the line that opens their row: a list with a gap now and then fills them all.
 */
function leadingOf(band: readonly RowLine[]): number | null {
  const gaps = band.slice(1).map((l, i) => l.base - band[i]!.base);
  const least = [...gaps].sort((a, b) => a - b)[Math.floor(0.1 * gaps.length)];
  if (least === undefined) return null;
  let first = band[0]!;
  let [near, far, fewer] = [0, 0, 0];
  for (const [i, gap] of gaps.entries()) {
    const line = band[i + 1]!;
    if (gap <= LEADING.same * least) {
      near++;
      if (filled([line]).size < filled([first]).size) fewer++;
    } else {
      first = line;
      if (gap >= LEADING.other * least) far++;
    }
  }
  const isTwo = near >= 2 && far >= 1 && far >= 0.1 * gaps.length;
  return isTwo && fewer >= LEADING.fewer * near ? least : null;
}

/** True when a line belongs to the row above it. */
function continues({ above, line, facts, pitch, leading }: Pair): boolean {
  const last = above.at(-1)!;
  const gap = line.base - last.base;
  if (leading !== null && gap >= LEADING.other * leading) return false;
  if (leading !== null && gap <= LEADING.same * leading) return isOneCell(above, line, facts);
  if (gap > 1.45 * line.size || (pitch > 0 && gap > 1.02 * pitch)) return false;
  const [have, adds] = [filled(above), filled([line])];
  const isSubset = [...adds].every((c) => have.has(c));
  if (!isSubset) return isLabelStart(above, line, facts);
  const hasValue = line.parts.some((p) => isValue(textOf(p.phrase.pieces)));
  if (hasValue) return false;
  const wraps = line.parts.every((p) => isWrap(last, p, facts));
  if (adds.has(0)) return wraps && adds.size < have.size && isLabelRest(above[0]!, line, gap < 0.93 * pitch);
  return wraps || adds.size <= Math.max(1, 0.34 * have.size);
}

/** How far from the right edge of its column, in type sizes, a line may end and still have been full. */
const RAGGED = 1.4;

/** True when a line at the distance of lines within a cell goes on with cells of its row; a lone label must be full. */
function isOneCell(above: readonly RowLine[], line: RowLine, facts: RowFacts): boolean {
  const last = above.at(-1)!;
  const [have, adds] = [filled(above), filled([line])];
  if (![...adds].every((c) => have.has(c))) return isLabelStart(above, line, facts);
  const isList = line.parts.some((p) => isValue(textOf(p.phrase.pieces)) && aboveIsValue(last, p));
  if (isList) return false;
  if (adds.size > 1 || !adds.has(0)) return true;
  return isWrap(last, line.parts[0]!, facts, RAGGED) && isLabelRest(above[0]!, line, true);
}

/** A label that began on a line of its own and goes on beside the values of its row. */
function isLabelStart(above: readonly RowLine[], line: RowLine, facts: RowFacts): boolean {
  const last = above.at(-1)!;
  const first = line.parts.find((p) => p.from === 0);
  const label = last.parts[0];
  if (!first || !label || filled(above).size !== 1 || label.from !== 0) return false;
  const isSameType = first.phrase.pieces[0]!.font === label.phrase.pieces[0]!.font;
  return isSameType && !isValue(textOf(first.phrase.pieces)) && isWrap(last, first, facts);
}

/**
 * The rest of a label is of the same type and starts at its left edge or to the right of it. Where lines are no closer
 * than rows (`isTight` false), only a hanging indent or a small first letter tells it from the next row's label.
 */
function isLabelRest(first: RowLine, line: RowLine, isTight: boolean): boolean {
  const a = first.parts.find((p) => p.from === 0)?.phrase;
  const b = line.parts.find((p) => p.from === 0)?.phrase;
  if (!a || !b) return isTight;
  const indent = (b.x0 - a.x0) / b.size;
  const isSameType = a.pieces[0]!.font === b.pieces[0]!.font;
  if (isTight) return isSameType && indent > -0.1;
  return isSameType && (indent > 0.4 || (indent > -0.1 && /^[a-z(]/.test(textOf(b.pieces))));
}

/** True when the first word of a part would not have fitted behind the text above it. */
function isWrap(last: RowLine, part: Part, { borders, edges }: RowFacts, slack = 0.1): boolean {
  const above = last.parts.find((p) => p.from <= part.to && p.to >= part.from);
  if (!above) return false;
  const right = borders[above.to]?.x ?? edges[1];
  const word = firstWord(part.phrase);
  return above.phrase.x1 + 0.2 * part.phrase.size + (word.x1 - word.x0) > right - slack * part.phrase.size;
}

function firstWord(p: Phrase): { readonly x0: number; readonly x1: number } {
  const end = p.pieces.findIndex((q, i) => i > 0 && q.x0 - p.pieces[i - 1]!.x1 > 0.13 * q.size);
  const last = p.pieces[end < 0 ? p.pieces.length - 1 : end - 1]!;
  return { x0: p.pieces[0]!.x0, x1: last.x1 };
}

/** A ruled band that holds several rows: its lines fill the same columns, with values or with breaks that no width forced. */
function isListOfRows(band: readonly RowLine[], facts: RowFacts): boolean {
  const all = filled(band).size;
  if (all < 2) return false;
  const complete = band.filter((l) => filled([l]).has(0) && filled([l]).size >= 0.6 * all).length;
  if (complete < 0.8 * band.length) return false;
  const forced = band.slice(1).filter((line, i) => {
    const breaks = line.parts.filter(
      (p) => !isWrap(band[i]!, p, facts) || (isValue(textOf(p.phrase.pieces)) && aboveIsValue(band[i]!, p)),
    );
    return breaks.length >= 0.5 * line.parts.length;
  });
  return forced.length >= 0.6 * (band.length - 1);
}

function aboveIsValue(above: RowLine, part: Part): boolean {
  const over = above.parts.find((p) => p.from === part.from);
  return over !== undefined && isValue(textOf(over.phrase.pieces));
}
