/** Random notes with known sections, for properties: header variants, wrapped prose, lists, masks, both line ends. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parseCsv } from '../../stages/lib/csv.js';

export interface MadePart {
  readonly section: string;
  readonly text: string;
}

export interface MadeNote {
  readonly text: string;
  readonly parts: readonly MadePart[];
}

const FILE = 'raw/mimic/synthetic/note_headers.csv';
const HEADERS = parseCsv(readFileSync(FILE, 'utf8'), FILE).map((r) => ({
  section: r.section!,
  variants: r.variants!.split(';'),
}));

/** Words of prose; each section adds one of its own, so that a text can be told to be of that section. */
const WORDS = [
  'cough',
  'fever',
  'hospital',
  'course',
  'was',
  'discharge',
  'exam',
  'history',
  '___',
  'mg',
  '3',
  'days',
  'denies',
  'allergies',
];

/** The word that only a given section has. */
export const markOf = (section: string): string => `zq${section.replace(/_/g, '')}`;

/** Sentences of small letters broken at 70 characters, or a list. */
const body = (section: string): fc.Arbitrary<string[]> => {
  const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 30 });
  return fc.tuple(words, fc.boolean()).map(([given, isList]) => {
    const all = ['Seen', markOf(section), ...given];
    return isList ? all.map((w, i) => `${i + 1}. ${markOf(section)} ${w}`) : wrap(`${all.join(' ')}.`);
  });
};

function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 70) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const part = (
  h: (typeof HEADERS)[number],
): fc.Arbitrary<{ section: string; header: string; lines: string[] }> =>
  fc.record({
    section: fc.constant(h.section),
    header: fc.constantFrom(...h.variants),
    lines: body(h.section),
  });

/** A note of some sections in the usual order. */
export const madeNote: fc.Arbitrary<MadeNote> = fc
  .record({
    kept: fc.subarray(HEADERS, { minLength: 1 }).chain((hs) => fc.tuple(...hs.map(part))),
    newline: fc.constantFrom('\n', '\r\n'),
    gap: fc.constantFrom('', ' '),
  })
  .map(({ kept, newline, gap }) => ({
    text: kept.map((p) => [p.header, ...p.lines, gap, ''].join(newline)).join(''),
    parts: kept.map((p) => ({ section: p.section, text: p.lines.join(newline) })),
  }));
