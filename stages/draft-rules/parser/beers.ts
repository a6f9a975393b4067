/** Rows of the AGS Beers Criteria become rules. */
import type { Condition, DrugRef } from '../../../schemas/condition.js';
import type { RuleBody, Span } from '../../../schemas/rule.js';
import { allOf, exceptionsOf, type Found, foundIn, type ReadCell, spansOf } from '../conditions.js';
import { cellSpan, type Draft, type DraftRule } from '../draft.js';
import { withLabels } from '../labels.js';
import { type Lexicon, splitReading } from '../lexicon.js';
import { type Recommendation, recommendationOf } from '../recommendations.js';
import { drafted, refuse } from '../refuse.js';
import { readInteracting, readTargets, type Targets } from './beers-drugs.js';
import { readRatings } from './beers-ratings.js';
import { BEERS, type BeersRow } from './beers-row.js';
import { readThreshold } from './beers-threshold.js';

/** Columns of free text. Each text must be in phrases.csv, also where it adds nothing. */
const TEXT_COLUMNS = [
  'drug_or_class_label',
  'use_pattern',
  'exceptions_text',
  'criterion_text',
  'recommendation_detail',
] as const;

const TABLES = ['Table 2', 'Table 3', 'Table 4', 'Table 5', 'Table 6'] as const;
export type BeersTable = (typeof TABLES)[number];

/** Rules of one row. */
export function parseBeers(row: BeersRow, lexicon: Lexicon): Draft {
  return drafted(() => {
    const table = TABLES.find((t) => t === row.source_table);
    if (!table) return refuse('unknown_word', 'source_table', row.source_table, TABLES.join(', '));
    if (row.edition_year !== '2023') return refuse('unknown_word', 'edition_year', row.edition_year, '2023');
    const word = recommendationOf(row.recommendation);
    const cells = TEXT_COLUMNS.map(
      (column): ReadCell => ({ column, readings: lexicon.read(BEERS, column, row[column]) }),
    );
    const targets = readTargets(row, lexicon, cells);
    const main = mainRule({ row, lexicon, table, word, cells, targets });
    return [...splitMember(main, cells, lexicon, table), ...alsoRules(row, main, cells, table)];
  });
}

interface Parts {
  readonly row: BeersRow;
  readonly lexicon: Lexicon;
  readonly table: BeersTable;
  readonly word: Recommendation;
  readonly cells: readonly ReadCell[];
  readonly targets: Targets;
}

function mainRule({ row, lexicon, table, word, cells, targets }: Parts): DraftRule {
  const population = foundIn(
    [{ column: 'population', readings: lexicon.read(BEERS, 'population', row.population) }],
    'population',
  );
  const when = readWhen(row, lexicon, cells, targets);
  const { unless, spans } = exceptionsOf(row, foundIn(cells, 'unless'));
  const { ratings, spans: rating_spans } = readRatings(row);
  const action = readAction(row, word, cells);
  const body = {
    target: targets.refs.map((t) => t.ref),
    population: allOf(population),
    when: allOf(when),
    unless,
    action: action.action,
    ratings,
  };
  checkSense(row, body);
  return {
    ...withLabels(body, { source: 'beers', table }),
    part: null,
    spans: [
      ...targets.spans,
      ...spansOf(row, '/population', population),
      ...spansOf(row, '/when', when),
      ...spans,
      ...action.spans,
      ...rating_spans,
    ],
  };
}

/** Interacting drugs, then free text, then the threshold. */
function readWhen(row: BeersRow, lexicon: Lexicon, cells: readonly ReadCell[], targets: Targets): Found[] {
  const threshold = readThreshold(
    row,
    targets.refs.map((t) => t.ref),
  );
  const is_count = threshold?.condition.type === 'drug_count';
  const interacting = readInteracting(row, lexicon, is_count);
  return [...interacting, ...foundIn(cells, 'when'), ...(threshold ? [threshold] : [])];
}

function readAction(
  row: BeersRow,
  word: Recommendation,
  cells: readonly ReadCell[],
): { readonly action: RuleBody['action']; readonly spans: Span[] } {
  const spans = [cellSpan(row, '/action/kind', 'recommendation', row.recommendation)];
  const words = (role: 'dose_text' | 'monitoring' | 'alternative'): string | null => {
    const found = cells.flatMap((c) =>
      c.readings.filter((r) => r.role === role).map((r) => ({ ...r, column: c.column })),
    );
    for (const r of found) spans.push(cellSpan(row, `/action/${role}`, r.column, r.quote));
    return found.length === 0 ? null : [...new Set(found.map((r) => r.reads))].join('; ');
  };
  const [dose_text, monitoring, alternative] = [
    words('dose_text'),
    words('monitoring'),
    words('alternative'),
  ];
  return { action: { ...word, act: null, dose_text, monitoring, alternative }, spans };
}

/** What the recommendation word promises must be there. */
function checkSense(row: BeersRow, body: Pick<RuleBody, 'when' | 'unless' | 'action'>): void {
  const { recommendation: got } = row;
  const wants = (is_there: boolean, expected: string): void => {
    if (!is_there) refuse('contradiction', 'recommendation', got, expected);
  };
  if (/\b(unless|except)\b/.test(got)) wants(body.unless.length > 0, 'an exception in the cells of the row');
  if (body.action.kind === 'avoid starting') wants(holds(body.when, 'phase'), 'a row on starting');
  if (got.includes('first-')) wants(holds(body.when, 'line_of_therapy'), 'a row on the line of treatment');
  if (got === 'avoid for indication') wants(holds(body.when, 'indication'), 'a row with an indication');
  if (body.action.object === 'dose') wants(body.action.dose_text !== null, 'a handling in the detail');
}

function holds(c: Condition, facet: string): boolean {
  if (c.type === 'all' || c.type === 'any' || c.type === 'at_least')
    return c.of.some((part) => holds(part, facet));
  return c.type === 'use' && c.facet === facet;
}

/** An exception of one member makes a second rule for that member, and takes it out of the first. */
function splitMember(
  main: DraftRule,
  cells: readonly ReadCell[],
  lexicon: Lexicon,
  table: BeersTable,
): DraftRule[] {
  const rules = [main];
  for (const { column, readings } of cells) {
    for (const reading of readings.filter((r) => r.role === 'member_unless')) {
      const { heads, condition } = splitReading(reading);
      const found = lexicon.drugs.resolve(heads[0]!);
      if ('reason' in found) throw new Error(`${reading.reads}: ${found.expected}`);
      rules.splice(
        0,
        1,
        ...takeOut(rules[0]!, found.ingredient, { column, quote: reading.quote, condition }, table),
      );
    }
  }
  return rules;
}

function takeOut(
  rule: DraftRule,
  name: string,
  lift: { readonly column: string; readonly quote: string; readonly condition: Condition },
  table: BeersTable,
): DraftRule[] {
  const at = rule.target.findIndex((ref) => ref.name === name);
  if (at === -1) refuse('contradiction', lift.column, lift.quote, `${name} among the members`);
  const keep = rule.target.map((_, i) => i).filter((i) => i !== at);
  const [span] = rule.spans;
  const place = placeOf(span!);
  const member = withTargets(rule, [at]);
  const n = member.unless.length;
  const body = { ...member, unless: [...member.unless, { when: lift.condition, text: lift.quote }] };
  return [
    withTargets(rule, keep),
    {
      ...withLabels(body, { source: 'beers', table }),
      part: name,
      spans: [...member.spans, cellSpan(place, `/unless/${n}`, lift.column, lift.quote)],
    },
  ];
}

const placeOf = (span: Span): { source_file: string; row_id: string } => {
  const [, source_file, row_id] = /^csv:(.+)#(.+)\//.exec(span.ref)!;
  return { source_file: source_file!, row_id: row_id! };
};

/** The rule for some of its targets, with the spans of these. */
function withTargets(rule: DraftRule, keep: readonly number[]): DraftRule {
  const spans = rule.spans.flatMap((s): Span[] => {
    const i = /^\/target\/(\d+)$/.exec(s.field)?.[1];
    if (i === undefined) return [s];
    const to = keep.indexOf(Number(i));
    return to === -1 ? [] : [{ ...s, field: `/target/${to}` }];
  });
  return { ...rule, target: keep.map((i): DrugRef => rule.target[i]!), spans };
}

/** Further rules of the row: same drugs and population, their own condition and recommendation word, no exception. */
function alsoRules(
  row: BeersRow,
  main: DraftRule,
  cells: readonly ReadCell[],
  table: BeersTable,
): DraftRule[] {
  return cells.flatMap(({ column, readings }) =>
    readings
      .filter((r) => r.role === 'also')
      .map((reading): DraftRule => {
        const { heads, condition } = splitReading(reading);
        const action = {
          ...recommendationOf(heads[1]!),
          act: null,
          dose_text: null,
          monitoring: null,
          alternative: null,
        };
        const kept = main.spans.filter((s) => !/^\/(when|unless|action)/.test(s.field));
        const own = ['/when', '/action/kind'].map((field) => cellSpan(row, field, column, reading.quote));
        const body = { ...main, when: condition, unless: [], action };
        return { ...withLabels(body, { source: 'beers', table }), part: heads[0]!, spans: [...kept, ...own] };
      }),
  );
}
