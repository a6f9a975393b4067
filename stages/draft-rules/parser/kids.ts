/** Rows of the KIDs List become rules. */
import type { z } from 'zod';
import type { Condition } from '../../../schemas/condition.js';
import type { kidsRows } from '../../../schemas/guideline.js';
import type { RuleBody, Span } from '../../../schemas/rule.js';
import { parseRef, printCondition } from '../../lib/rules/expression.js';
import { unitCode } from '../../lib/units.js';
import { columnBounds } from '../bounds.js';
import { allOf, exceptionsOf, type Found, foundIn, type ReadCell } from '../conditions.js';
import { numbersOf } from '../definition-spans.js';
import { cellSpan, type Draft, type DraftRule } from '../draft.js';
import { withLabels } from '../labels.js';
import type { Lexicon } from '../lexicon.js';
import { limitRef, readMembers } from '../members.js';
import { recommendationOf } from '../recommendations.js';
import { drafted, refuse } from '../refuse.js';
import { actionOf, conditionSpans, expectException } from './row-parts.js';

export type KidsRow = z.infer<(typeof kidsRows)['row']>;

/** Both editions write the same texts. */
const KIDS = 'kids';
const MEMBERS = 'member_drugs';
const CONDITION = 'additional_condition';
const AGE = 'age_limit_text';

/** Columns of free text. Each text must be in phrases.csv, also where it adds nothing. */
const TEXT_COLUMNS = [
  'drug_or_class_label',
  CONDITION,
  'risk',
  'recommendation_detail',
  'exceptions_text',
] as const;

/** Rules of one row: always one, since the tables have one recommendation and one age band a row. */
export function parseKids(row: KidsRow, lexicon: Lexicon): Draft {
  return drafted(() => {
    const cells = TEXT_COLUMNS.map(
      (column): ReadCell => ({ column, readings: lexicon.read(KIDS, column, row[column]) }),
    );
    const targets = readTargets(row, lexicon, cells);
    const when = readWhen(row, lexicon, cells);
    const { unless, spans } = exceptionsOf(row, foundIn(cells, 'unless'));
    expectException(row.recommendation, unless);
    const action = actionOf(row, 'recommendation', recommendationOf(row.recommendation), cells);
    const rating = readRating(row);
    const body = {
      target: targets.target,
      // The list is for children; who is one is said by the age of each row, and stands in `when`.
      population: allOf([]),
      when: allOf(when),
      unless,
      action: action.action,
      ratings: rating.ratings,
    };
    const own = [...conditionSpans(row, '/when', when, lexicon), ...spans, ...action.spans, ...rating.spans];
    return [{ ...withLabels(body, { source: 'kids' }), part: null, spans: [...targets.spans, ...own] }];
  });
}

/** Listed members, then the class of the label: whether its other members are meant is unknown. */
function readTargets(
  row: KidsRow,
  lexicon: Lexicon,
  cells: readonly ReadCell[],
): { readonly target: DraftRule['target']; readonly spans: Span[] } {
  const { members, is_open } = readMembers(lexicon, { source: KIDS, column: MEMBERS }, row.member_drugs);
  if (is_open) return refuse('contradiction', MEMBERS, row.member_drugs, 'a closed list');
  const limits = cells.find((c) => c.column === CONDITION)!.readings.filter((r) => r.role === 'limit');
  const listed = members.map((m) => ({ ref: limitRef(m.ref, limits), quotes: m.quotes, column: MEMBERS }));
  const minus = listed.filter((m) => m.ref.kind !== 'class').map((m) => m.ref.name);
  const inferred = cells
    .flatMap((c) => c.readings)
    .filter((r) => r.role === 'inferred')
    .map((r) => ({
      ref: { ...parseRef(r.reads), minus, is_inferred: true as const },
      quotes: [r.quote],
      column: 'drug_or_class_label',
    }));
  const all = [...listed, ...inferred];
  const spans = all.flatMap((m, i) => [
    ...m.quotes.map((quote) => cellSpan(row, `/target/${i}`, m.column, quote)),
    ...(m.column === MEMBERS ? limits.map((r) => cellSpan(row, `/target/${i}`, CONDITION, r.quote)) : []),
  ]);
  return { target: all.map((m) => m.ref), spans };
}

/** The age, and what the condition adds: a condition that begins with "or" is another way into the rule. */
function readWhen(row: KidsRow, lexicon: Lexicon, cells: readonly ReadCell[]): Found[] {
  const age = readAge(row, lexicon);
  const more = foundIn(cells, 'when');
  if (!row.additional_condition?.startsWith('or ')) return [age, ...more];
  const of = [age, ...more];
  return [{ condition: { type: 'any', of: of.map((f) => f.condition) }, at: of.flatMap((f) => f.at) }];
}

/** The age columns as a condition; the printed text must say the same numbers, or a definition row must. */
function readAge(row: KidsRow, lexicon: Lexicon): Found {
  const unit = unitCode(row.age_unit);
  const bounds = (code: 'd' | 'wk' | 'mo' | 'a' | 'g') =>
    columnBounds('age_value', row.age_op, row.age_value, code);
  let condition: Condition;
  if (unit === 'g') condition = { type: 'measure', measure: 'birth_weight', bounds: bounds('g') };
  else if (unit === 'd' || unit === 'wk' || unit === 'mo' || unit === 'a')
    condition = { type: 'age', kind: 'chronological', bounds: bounds(unit) };
  else
    return refuse(
      'unparsable_threshold',
      'age_unit',
      row.age_unit,
      'days, weeks, months, years or a birth weight',
    );
  const printed: readonly string[] = row.age_limit_text.match(/\d+(?:\.\d+)?/g) ?? [];
  const is_said = numbersOf(condition).every((n) => printed.includes(String(n)));
  if (!is_said && lexicon.definitions.usedBy(condition).length === 0)
    return refuse('contradiction', AGE, row.age_limit_text, printCondition(condition));
  const edge = EDGES.find(([words]) => words.test(row.age_limit_text));
  if (edge && edge[1] !== row.age_op)
    return refuse('contradiction', 'age_op', row.age_op, `${edge[1]} for "${row.age_limit_text}"`);
  return { condition, at: [{ column: AGE, quote: row.age_limit_text }] };
}

/** Words that say whether the age itself is in. */
const EDGES: readonly (readonly [RegExp, string])[] = [
  [/^younger than/, '<'],
  [/and younger$|^to /, '<='],
  [/^\d+ to \d+/, 'between'],
];

const QUALITIES = ['High', 'Moderate', 'Low', 'Very low'];

/** Quality and strength; none where the row has neither. */
function readRating(row: KidsRow): { readonly ratings: RuleBody['ratings']; readonly spans: Span[] } {
  const { quality_of_evidence: quality, strength } = row;
  if (quality === null && strength === null) return { ratings: [], spans: [] };
  if (quality !== null && !QUALITIES.includes(quality))
    return refuse('unknown_word', 'quality_of_evidence', quality, QUALITIES.join(', '));
  const cell = (column: string, text: string | null): Span[] =>
    text === null ? [] : [cellSpan(row, '/ratings/0', column, text)];
  return {
    ratings: [{ scope: '', quality, strength }],
    spans: [...cell('quality_of_evidence', quality), ...cell('strength', strength)],
  };
}
