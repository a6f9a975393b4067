/** Quality and strength of a Beers row: one rating, or one per outcome where the cell is split. */
import type { RuleBody, Span } from '../../../schemas/rule.js';
import { cellSpan } from '../draft.js';
import type { Lexicon } from '../lexicon.js';
import { refuse } from '../refuse.js';
import { BEERS, type BeersRow } from './beers-row.js';

const QUALITY = 'quality_of_evidence';
const WORDS = ['High', 'Moderate', 'Low'];
const STRENGTHS = ['Strong', 'Weak'];

/** `Moderate`, or `Hypoglycemia: High; CV events: Moderate`; an empty cell is a rating without a quality. */
export function readRatings(
  row: BeersRow,
  lexicon: Lexicon,
): {
  readonly ratings: RuleBody['ratings'];
  readonly spans: Span[];
} {
  const { quality_of_evidence: cell, strength } = row;
  if (!STRENGTHS.includes(strength)) refuse('unknown_word', 'strength', strength, STRENGTHS.join(', '));
  // The outcomes of a split cell are words of the source: they must be known.
  if (cell?.includes(':')) lexicon.read(BEERS, QUALITY, cell);
  const pieces = cell === null ? [null] : cell.split(';').map((p) => p.trim());
  const ratings = pieces.map((piece) => ({ ...readPiece(piece), strength }));
  const spans = pieces.flatMap((piece, i) => [
    ...(piece === null ? [] : [cellSpan(row, `/ratings/${i}`, QUALITY, piece)]),
    cellSpan(row, `/ratings/${i}`, 'strength', strength),
  ]);
  return { ratings, spans };
}

function readPiece(piece: string | null): { readonly scope: string; readonly quality: string | null } {
  if (piece === null) return { scope: '', quality: null };
  const [, scope, quality] = /^(?:(.+): )?(\w+)$/.exec(piece) ?? [];
  if (!quality || !WORDS.includes(quality)) return refuse('unknown_word', QUALITY, piece, WORDS.join(', '));
  return { scope: scope ?? '', quality };
}
