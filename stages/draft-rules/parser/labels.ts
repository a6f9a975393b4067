/** Rows of US labels and FDA safety communications. */
import type { Condition, DrugRef } from '../../../schemas/condition.js';
import type { Action, Span } from '../../../schemas/rule.js';
import { printCondition } from '../../lib/rules/expression.js';
import { allOf, exceptionsOf, type Found, foundIn, spansOf } from '../conditions.js';
import { definitionSpans } from '../definition-spans.js';
import { cellSpan, type Draft, type DraftRule } from '../draft.js';
import { withLabels } from '../labels.js';
import { type Lexicon, type Reading, splitReading } from '../lexicon.js';
import { type Recommendation, recommendationOf } from '../recommendations.js';
import { drafted } from '../refuse.js';
import { needsOtherDrug } from './grounds.js';
import { type LabelMember, type LabelRow, type ReadRow, readRow } from './label-row.js';

/** Rules of one row: one, besides further grounds of its detail and the two directions of a time between two drugs. */
export function parseLabel(row: LabelRow, lexicon: Lexicon): Draft {
  return drafted(() => {
    const read = readRow(row, lexicon);
    const main: Stated = { ...read, part: null, found: [...read.indication, ...read.grounds] };
    return [...directions(main), ...further(read)].map((stated) => build(read, stated));
  });
}

/** What one rule of a row states. */
interface Stated {
  readonly part: string | null;
  readonly target: readonly LabelMember[];
  readonly when: Condition;
  /** What `when` was read from. */
  readonly found: readonly Found[];
  readonly recommendation: Recommendation;
}

/** A time between a drug of the row and another holds whichever of the two comes last: one rule for each. */
function directions(main: Stated): Stated[] {
  const since = main.found.find((f) => f.condition.type === 'since_last_dose' && f.at.length > 1);
  if (since?.condition.type !== 'since_last_dose') return [main];
  const { drugs, bounds } = since.condition;
  const back: Condition = { type: 'since_last_dose', drugs: main.target.map((m) => m.ref), bounds };
  return [
    { ...main, part: nameOf(main.target.map((m) => m.ref)) },
    {
      ...main,
      part: nameOf(drugs),
      target: drugs.map((ref) => ({ ref, at: since.at.slice(0, 1) })),
      when: replaced(main.when, since.condition, back),
      found: [...main.found, ...main.target.map((m) => ({ condition: back, at: m.at }))],
    },
  ];
}

const nameOf = (refs: readonly DrugRef[]): string =>
  refs.map((r) => r.name.replaceAll(' ', '_')).join('_or_');

/** The condition with one part put in place of another. */
function replaced(c: Condition, from: Condition, to: Condition): Condition {
  if (c === from) return to;
  if (c.type === 'not') return { ...c, of: replaced(c.of, from, to) };
  return 'of' in c ? { ...c, of: c.of.map((part) => replaced(part, from, to)) } : c;
}

/** Rules that a phrase of role `also` adds: their own ground and recommendation, the indication of the row. */
function further(read: ReadRow): Stated[] {
  return read.cells.flatMap(({ column, readings }) =>
    readings
      .filter((r) => r.role === 'also')
      .map((reading) => {
        const { heads, condition } = splitReading(reading);
        const found = [...read.indication, { condition, at: [{ column, quote: reading.quote }] }];
        const recommendation = recommendationOf(heads[1]!);
        return { part: heads[0]!, target: read.target, when: allOf(found), found, recommendation };
      }),
  );
}

function build(read: ReadRow, stated: Stated): DraftRule {
  const { row, cells, lexicon } = read;
  const population = foundIn(cells, 'population');
  const exceptions = exceptionsOf(row, foundIn(cells, 'unless'));
  const { action, spans } = actionOf(read, stated);
  const body = {
    target: stated.target.map((m) => m.ref),
    population: allOf(population),
    when: stated.when,
    unless: exceptions.unless,
    action,
    ratings: [],
  };
  const unless = body.unless.flatMap((u, i) =>
    definitionSpans(`/unless/${i}`, u.when, u.text, lexicon.definitions),
  );
  return {
    part: stated.part,
    ...withLabels(body, { source: 'labels', timing: row.threshold_expression }),
    spans: [
      ...stated.target.flatMap((m, i) => spansOf(row, `/target/${i}`, [m])),
      ...fieldSpans(read, '/population', population),
      ...fieldSpans(read, '/when', stated.found),
      ...countSpans(read, stated.when),
      ...exceptions.spans,
      ...unless,
      ...spans,
    ],
  };
}

/** Spans of a condition field: its cells, and the definitions behind numbers that they do not print. */
function fieldSpans({ row, lexicon }: ReadRow, field: string, found: readonly Found[]): Span[] {
  const defined = found.flatMap((f) =>
    definitionSpans(field, f.condition, f.at.map((a) => a.quote).join(' '), lexicon.definitions),
  );
  return [...spansOf(row, field, found), ...defined];
}

/** How many grounds are needed stands in the column `combine`. */
const countSpans = ({ row }: ReadRow, when: Condition): Span[] =>
  row.combine !== null && printCondition(when).includes('at_least(')
    ? [cellSpan(row, '/when', 'combine', row.combine)]
    : [];

const WORDED = ['act', 'dose_text', 'monitoring', 'alternative'] as const;

function actionOf(
  { row, cells }: ReadRow,
  { recommendation, when, target }: Stated,
): { readonly action: Action; readonly spans: Span[] } {
  const { kind, polarity, object } = recommendation;
  const spans = [cellSpan(row, '/action/kind', 'recommendation', row.recommendation)];
  const words: Record<(typeof WORDED)[number], string | null> = {
    act: null,
    dose_text: null,
    monitoring: null,
    alternative: null,
  };
  const put = (role: (typeof WORDED)[number], value: string, column: string, quote: string): void => {
    words[role] = value;
    spans.push(cellSpan(row, `/action/${role}`, column, quote));
  };
  for (const { column, readings } of cells)
    for (const r of readings) if (isWorded(r)) put(r.role, r.reads, column, r.quote);
  // The pair is what is to be avoided, whichever of the two came first.
  const pair =
    object === 'drug' &&
    needsOtherDrug(
      when,
      target.map((m) => m.ref),
    );
  return { action: { kind, polarity, object: pair ? 'combination' : object, ...words }, spans };
}

const isWorded = (r: Reading): r is Reading & { role: (typeof WORDED)[number] } =>
  (WORDED as readonly string[]).includes(r.role);
