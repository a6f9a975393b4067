/** Radiology reports: the parts of a note, and what reports do that notes do not. */
import { NO_SECTION } from '../../schemas/notes.js';
import type { Headers } from './headers.js';
import { type Part, splitNote } from './split.js';

/** Findings or impression that follow a sentence in the same line: `... lungs are clear. IMPRESSION: Normal.` */
const INLINE =
  /(?<=[.!?)\]:;]\s+|_{3}\s+)(FINDINGS AND IMPRESSION|FINDINGS|IMPRESSION|CONCLUSION|SUMMARY)\s*:/g;
/** Words that begin the lines under a report which say who read it. */
const SIGNATURE =
  /^[ \t]*(?:by electronically signing|electronically signed|this report was electronically|i,? (?:as )?the (?:teaching|attending) physician|dictated by|signed by|reported by|approved (?:by|on))\b/im;
/** Parts whose text may run on into findings that have no header of their own. */
const BEFORE_FINDINGS = new Set(['examination', 'indication', 'technique', 'comparison', 'provisional']);

/** The parts of a report. `isAddendum`: text outside findings and impression is the addendum. */
export function splitReport(text: string, headers: Headers, isAddendum: boolean): Part[] {
  const parts = splitNote(text, headers)
    .flatMap((part) => splitInline(part))
    .flatMap(splitSignature);
  const named = parts.filter((p) => p.section !== NO_SECTION);
  if (isAddendum) return parts.flatMap((p) => (isOutside(p) ? addendumOf(p) : [p]));
  if (named.every((p) => p.section === 'signature' || p.section === 'addendum'))
    return parts.map((p) => (p.section === NO_SECTION ? { ...p, section: 'findings' } : p));
  return has(parts, 'findings') ? parts : withFindings(parts);
}

const has = (parts: readonly Part[], section: string): boolean =>
  parts.some((p) => p.section === section && p.text !== '');

/** Parts of an addendum that say nothing by their header about what they are. */
const isOutside = (p: Part): boolean => p.section === NO_SECTION && p.text !== '';

/** The part as an addendum; the word itself may stand before the text without a colon. */
function addendumOf(part: Part): Part[] {
  const word = /^ADDENDUM\b/.exec(part.text)?.[0] ?? '';
  const pieces = cut(part, 0, { section: 'addendum', header: word.length });
  return pieces.filter((p) => p.text !== '');
}

/** Cuts a part from a place of its text on into another section; `header` characters there are the header. */
function cut(part: Part, at: number, { section, header }: { section: string; header: number }): Part[] {
  const head = part.text.slice(0, at).trimEnd();
  const rest = part.text.slice(at + header);
  const lead = rest.length - rest.trimStart().length;
  const start = part.start + at + header + lead;
  return [
    { ...part, text: head, end: part.start + head.length },
    {
      section,
      header: part.text.slice(at, at + header),
      header_start: part.start + at,
      text: rest.trim(),
      start,
      end: start + rest.trim().length,
    },
  ];
}

function splitInline(part: Part): Part[] {
  const [found] = part.text.matchAll(INLINE);
  if (!found) return [part];
  const section = found[1]!.startsWith('FINDINGS') ? 'findings' : 'impression';
  const [head, rest] = cut(part, found.index, { section, header: found[0].length });
  return [head!, ...splitInline(rest!)];
}

function splitSignature(part: Part): Part[] {
  const found = SIGNATURE.exec(part.text);
  return found && part.section !== 'signature'
    ? cut(part, found.index, { section: 'signature', header: 0 })
    : [part];
}

/** The prose after the first empty line of the last part before the impression is the findings. */
function withFindings(parts: readonly Part[]): Part[] {
  const stop = parts.findIndex((p) => p.section === 'impression');
  const before = stop < 0 ? parts : parts.slice(0, stop);
  const at = before.findLastIndex((p) => p.section !== 'signature' && p.section !== 'notification');
  const last = before[at];
  if (!last || !BEFORE_FINDINGS.has(last.section)) return [...parts];
  const gap = /(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)/.exec(last.text);
  if (!gap) return [...parts];
  const pieces = cut(last, gap.index + gap[0].length, { section: 'findings', header: 0 });
  return [...parts.slice(0, at), ...pieces, ...parts.slice(at + 1)];
}
