/** Drugs of a Beers row: what it is about, and what it must not meet. */
import type { DrugRef } from '../../../schemas/condition.js';
import type { Span } from '../../../schemas/rule.js';
import { splitOutside } from '../../lib/member-list.js';
import { parseRef } from '../../lib/rules/expression.js';
import type { Found, ReadCell } from '../conditions.js';
import { cellSpan } from '../draft.js';
import type { Lexicon } from '../lexicon.js';
import { limitRef, type Member, readMembers } from '../members.js';
import { refuse } from '../refuse.js';
import { BEERS, type BeersRow } from './beers-row.js';

export interface Targets {
  readonly refs: readonly Member[];
  readonly spans: readonly Span[];
}

const MEMBERS = 'member_drugs';
const SCOPE = 'formulation_scope';
const INTERACTING = 'interacting_drug_or_class';

/**
 * Listed members with the limits of the row, then the class of the label for its unlisted members. `others` without a
 * class in the label refuses the row.
 */
export function readTargets(row: BeersRow, lexicon: Lexicon, cells: readonly ReadCell[]): Targets {
  const { members, is_open } = readMembers(lexicon, { source: BEERS, column: MEMBERS }, row.member_drugs);
  const scope = lexicon.read(BEERS, SCOPE, row.formulation_scope);
  const inferred = inferredRefs(members, cells);
  if (is_open && inferred.length === 0)
    return refuse('contradiction', MEMBERS, row.member_drugs, 'a class in the label for an open list');
  const refs = [...members, ...inferred].map((m) => ({ ...m, ref: limitRef(m.ref, scope) }));
  const columnOf = (i: number): string => (i < members.length ? MEMBERS : 'drug_or_class_label');
  const spans = refs.flatMap((m, i) => [
    ...m.quotes.map((quote) => cellSpan(row, `/target/${i}`, columnOf(i), quote)),
    ...scope.map((r) => cellSpan(row, `/target/${i}`, SCOPE, r.quote)),
  ]);
  return { refs, spans };
}

/** Classes of the label, without what the row lists and what is listed as a class. */
function inferredRefs(members: readonly Member[], cells: readonly ReadCell[]): Member[] {
  const names = members.filter((m) => m.ref.kind !== 'class').map((m) => m.ref.name);
  const listed = new Set(members.filter((m) => m.ref.kind === 'class').map((m) => m.ref.name));
  return cells
    .flatMap((c) => c.readings)
    .filter((r) => r.role === 'inferred')
    .map((r) => ({ ref: parseRef(r.reads), quotes: [r.quote] }))
    .filter((m) => !listed.has(m.ref.name))
    .map((m) => ({
      ...m,
      ref: { ...m.ref, minus: [...new Set([...m.ref.minus, ...names])], is_inferred: true },
    }));
}

/** Drugs that the row must not meet, or meets. A count rule counts its own members, so its cell names only their class. */
export function readInteracting(row: BeersRow, lexicon: Lexicon, is_count: boolean): Found[] {
  const cell = row.interacting_drug_or_class;
  if (cell === null) return [];
  const pieces = splitOutside(cell, ';');
  const refs = pieces.flatMap((piece) => readPiece(piece, lexicon));
  if (refs.length === 0) return refuse('unknown_drug', INTERACTING, cell, 'a drug or a class');
  if (is_count) return [];
  return [
    {
      condition: { type: 'co_medication', drugs: refs, at_least: 1 },
      at: pieces.map((quote) => ({ column: INTERACTING, quote })),
    },
  ];
}

function readPiece(piece: string, lexicon: Lexicon): DrugRef[] {
  const { members } = readMembers(lexicon, { source: BEERS, column: INTERACTING }, piece);
  const limits = lexicon.knows(BEERS, INTERACTING, piece) ? lexicon.read(BEERS, INTERACTING, piece) : [];
  return members.map((m) => limitRef(m.ref, limits));
}
