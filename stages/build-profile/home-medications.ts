/** Home medications of a note: drug, dose and route as written. */
import { cleanNote, saysSomething } from '../lib/note-text.js';
import type { Piece } from './pieces.js';
import { type Block, blocksOf, splitOutside } from './units.js';

const NUMBER = String.raw`(?:\d[\d,]*(?:\.\d+)?|\.\d+|Unknown)`;
const UNIT = String.raw`(?:mg\/(?:hr|h|ml|day)|mcg\/(?:hr|h|actuation|act|day)|mg|mcg|µg|ug|gm?|grams?|meq|mmol|ml|l|units?|iu|%|puffs?|inh(?:alations?)?|tabs?|tablets?|caps?|capsules?|drops?|gtts?|spr(?:a)?ys?|patch(?:es)?|ptch|appl(?:ications?)?|supps?|nebs?|vials?|loz(?:enges?)?|pkts?|packets?)`;
/** `81 mg`, `325-650 mg`, `5mg`, `2 PUFF`, `0.5 to 1 tab`. */
const DOSE = new RegExp(String.raw`(?<![\w.])(${NUMBER}(?:\s*(?:-|to)\s*${NUMBER})?\s*${UNIT})(?![\w])`, 'i');
const ROUTE =
  /(?<![\w/])(PO\/NG|PO|NG\/OG|NG|IV|IM|SC|SQ|SUBCUT|SUBQ|IH|INH|NEB|TD|TP|PR|SL|PV|NAS|NU|BU|(?:BOTH|LEFT|RIGHT) EYES?|G TUBE|J TUBE|by mouth|oral(?:ly)?|inhaled|subcutaneous(?:ly)?|intranasal(?:ly)?|rectal(?:ly)?|sublingual(?:ly)?|transdermal(?:ly)?|topical(?:ly)?)(?![\w/])/i;
/** Words of frequency and form that end a name. */
const AFTER_NAME =
  /[\s,]+(?:-\s|daily|once|twice|three times|every|each|nightly|weekly|monthly|at bedtime|as needed|bid|tid|qid|qhs|qam|qpm|qd|qod|q\d+h|q\d+|prn|sig:|tablet|capsule|one \(|two \(|x\d).*$/is;
/** Entries that say something about the list. */
const ABOUT_LIST =
  /^(?:none\b|no (?:home |outpatient )?med|n\/?a\b|unknown\b|unable\b|denies\b|not (?:on|taking) any|(?:the )?(?:pre-?admission )?medications? list|information|medications? (?:confirmed|obtained|per)|(?:confirmed|obtained|per|according to) )/i;
/** Without dose and route, an entry of more words is a sentence about the list. */
const MAX_NAME_WORDS = 6;

interface Read {
  readonly name: string;
  readonly dose_text: string | null;
  readonly route: string | null;
}

/** Drug, dose and route of one entry in one line; undefined where it names no drug. A masked dose is unknown. */
export function readMedication(entry: string): Read | undefined {
  if (ABOUT_LIST.test(entry) || /:$/.test(entry)) return undefined;
  const dose = DOSE.exec(entry);
  const route = routeOf(entry, dose);
  const places = [dose?.index, route?.index].filter((n) => n !== undefined);
  const head = entry.slice(0, Math.min(entry.length, ...places));
  const tail = dose && dose.index === 0 ? entry.slice(dose[0].length, routeEnd(route, dose, entry)) : '';
  const name = trimName(head.trim() === '' ? tail.replace(/^\s*of\s+/i, '') : head);
  if (!/\p{L}{2}/u.test(name) || /^unknown$/i.test(name)) return undefined;
  if (!dose && !route && entry.split(' ').length > MAX_NAME_WORDS && !AFTER_NAME.test(entry))
    return undefined;
  const written = dose?.[1] ?? null;
  return {
    name,
    dose_text: written && !/unknown/i.test(written) ? written : null,
    route: route?.[1] ?? null,
  };
}

/** The route behind the dose, else the one before it: `2 INH IH` is inhaled twice, by IH. */
function routeOf(entry: string, dose: RegExpExecArray | null): { index: number; 1: string } | undefined {
  const from = dose ? dose.index + dose[0].length : 0;
  const behind = ROUTE.exec(entry.slice(from));
  if (behind) return { index: from + behind.index, 1: behind[1]! };
  const before = ROUTE.exec(entry.slice(0, from === 0 ? 0 : dose!.index));
  return before ? { index: before.index, 1: before[1]! } : undefined;
}

const routeEnd = (route: { index: number } | undefined, dose: RegExpExecArray, entry: string): number =>
  route && route.index > dose[0].length ? route.index : entry.length;

function trimName(text: string): string {
  return text
    .replace(AFTER_NAME, '')
    .replace(/\bUnknown\b.*$/, '')
    .replace(/^[\s\-*•#]+|[\s,;:.-]+$/g, '')
    .trim();
}

/** Pieces of the section `meds_admission`. Without list marks, lines and commas separate the entries. */
export function medicationPieces(text: string, width: number): Piece[] {
  const blocks = blocksOf(text, width);
  const hasMarks = blocks.some((b) => b.is_entry);
  const entries = hasMarks ? blocks : blocks.flatMap((b) => inOneLine(text, b));
  return entries
    .filter((b) => saysSomething(text.slice(b.start, b.end)))
    .map(({ start, end }) => {
      const read = readMedication(cleanNote(text.slice(start, end)));
      const place = { start, end, opens: true };
      return read
        ? { ...place, kind: 'home_medication', ...read }
        : { ...place, kind: 'statement', name: null, dose_text: null, route: null };
    });
}

function inOneLine(text: string, block: Block): Block[] {
  const raw = text.slice(block.start, block.end);
  if (ABOUT_LIST.test(raw)) return [block];
  return splitOutside(raw, /[,;]/).flatMap(({ text: piece, start }) => {
    const body = piece.trim();
    if (body === '') return [];
    const at = block.start + start + piece.indexOf(body);
    return [{ start: at, end: at + body.length, is_entry: true }];
  });
}
