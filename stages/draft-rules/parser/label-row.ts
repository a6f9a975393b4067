/** What the cells of a label row say, before it becomes rules. */
import type { z } from 'zod';
import type { Condition } from '../../../schemas/condition.js';
import type { labelRows } from '../../../schemas/guideline.js';
import { parseRef } from '../../lib/rules/expression.js';
import { allOf, type Found, foundIn, type ReadCell } from '../conditions.js';
import type { Lexicon, Reading } from '../lexicon.js';
import { limitRef, type Member, readMembers } from '../members.js';
import { type Recommendation, recommendationOf } from '../recommendations.js';
import { refuse } from '../refuse.js';
import { combined, readThreshold, settleIntervals } from './grounds.js';

export type LabelRow = z.infer<(typeof labelRows)['row']>;

/** Phrases of both label files stand under one source: the unchecked file has the same shape. */
export const SOURCE = 'fda-labels';

export interface ReadRow {
  readonly row: LabelRow;
  readonly lexicon: Lexicon;
  readonly cells: readonly ReadCell[];
  readonly target: readonly LabelMember[];
  readonly indication: readonly Found[];
  /** Grounds of condition text and threshold; `when` joins them and the indication. */
  readonly grounds: readonly Found[];
  readonly when: Condition;
  readonly recommendation: Recommendation;
}

/** A drug of the row and where it stands. */
export interface LabelMember {
  readonly ref: Member['ref'];
  readonly at: Found['at'];
}

/** Reads every cell; a text, drug or threshold that is not understood refuses the row. */
export function readRow(row: LabelRow, lexicon: Lexicon): ReadRow {
  const recommendation = recommendationOf(row.recommendation);
  const cells = readCells(row, lexicon);
  const of = (column: string): ReadCell[] => cells.filter((c) => c.column === column);
  const target = readTarget(
    row,
    lexicon,
    of('drug_label').flatMap((c) => c.readings),
  );
  const indication = foundIn(of('indication_context'), 'when');
  const grounds = settleIntervals(
    readThreshold(SOURCE, row.threshold_expression, lexicon),
    foundIn(of('condition_text'), 'when'),
    target.map((m) => m.ref),
  );
  const when = allOf([...indication, { condition: combined(grounds, row.combine), at: [] }]);
  return { row, lexicon, cells, target, indication, grounds, when, recommendation };
}

function readCells(row: LabelRow, lexicon: Lexicon): ReadCell[] {
  const cell = (column: keyof LabelRow & string): ReadCell => ({
    column,
    readings: lexicon.read(SOURCE, column, row[column] as string | null),
  });
  // A label that is the name of a drug has nothing to read; some recommendation words carry an exception.
  const is_name = !('reason' in lexicon.drugs.resolve(row.drug_label));
  return [
    ...(is_name ? [] : [cell('drug_label')]),
    cell('population'),
    cell('indication_context'),
    cell('condition_text'),
    cell('exceptions_text'),
    ...(lexicon.knows(SOURCE, 'recommendation', row.recommendation) ? [cell('recommendation')] : []),
    cell('recommendation_detail'),
  ];
}

/** Members with the limits of the printed label, and the class that the label names where members are examples of it. */
function readTarget(row: LabelRow, lexicon: Lexicon, label: readonly Reading[]): LabelMember[] {
  const place = { source: SOURCE, column: 'member_drugs' };
  const { members, is_open } = readMembers(lexicon, place, row.member_drugs);
  if (is_open || members.length === 0)
    return refuse('unknown_drug', 'member_drugs', row.member_drugs, 'a closed list of drugs and classes');
  const at = (column: string, quotes: readonly string[]): LabelMember['at'] =>
    quotes.map((quote) => ({ column, quote }));
  const limits = label.filter((r) => r.role === 'limit').map((r) => r.quote);
  const listed = members.map((m) => ({
    ref: limitRef(m.ref, label),
    at: [...at('member_drugs', m.quotes), ...at('drug_label', limits)],
  }));
  const inferred = label
    .filter((r) => r.role === 'inferred')
    .map((r) => ({
      ref: { ...parseRef(r.reads), is_inferred: true as const },
      at: at('drug_label', [r.quote]),
    }));
  return [...listed, ...inferred];
}
