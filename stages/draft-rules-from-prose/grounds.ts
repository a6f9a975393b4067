/** Conditions of a reply: readable, made of known words, with every number, unit and drug in their quote. */
import type { Bounds, Condition, DrugRef, Predicate } from '../../schemas/condition.js';
import type { Span } from '../../schemas/rule.js';
import { parseCondition, printCondition } from '../lib/rules/expression.js';
import { doseInQuote, knownRef, namedInQuote } from './drugs.js';
import type { Known } from './known.js';
import { numbersIn, type Part, type Quoted, quoted } from './quotes.js';
import { refuse } from './refuse.js';

/** A condition that its quote bears out. */
export interface ReadGround extends Quoted {
  readonly condition: Condition;
  /** Definition rows behind numbers that the quote gives as words. */
  readonly definitions: readonly Pick<Span, 'ref' | 'quote'>[];
}

interface Reading {
  readonly known: Known;
  readonly field: string;
  readonly quote: string;
  /** Head of the column that the quote stands under, which may give its unit. */
  readonly head: string;
  readonly definitions: Map<string, Pick<Span, 'ref' | 'quote'>>;
}

/** Reads a ground from the parts of a passage. */
export function readGround(
  known: Known,
  parts: readonly Part[],
  field: string,
  given: { readonly condition: string; readonly quote: string },
): ReadGround {
  const { quote, part } = quoted(parts, field, given.quote);
  const reading: Reading = {
    known,
    field: `${field}.condition`,
    quote,
    head: part.name ?? '',
    definitions: new Map(),
  };
  const condition = checked(parsed(reading.field, given.condition), reading);
  return { condition, quote, part, definitions: [...reading.definitions.values()] };
}

function parsed(field: string, text: string): Condition {
  try {
    return parseCondition(text);
  } catch (error) {
    return refuse('unreadable_condition', field, text, (error as Error).message.split('\n')[0]!);
  }
}

/** The condition with the names of drug-names.csv in it. */
function checked(c: Condition, reading: Reading): Condition {
  switch (c.type) {
    case 'all':
    case 'any':
      return { ...c, of: c.of.map((part) => checked(part, reading)) };
    case 'at_least':
      checkCount(c.n, reading);
      return { ...c, of: c.of.map((part) => checked(part, reading)) };
    case 'not':
      return { ...c, of: checked(c.of, reading) };
    default:
      return checkedPredicate(c, reading);
  }
}

function checkedPredicate(p: Predicate, reading: Reading): Predicate {
  const { known, field } = reading;
  if ('bounds' in p) checkBounds(p, reading);
  switch (p.type) {
    case 'fact':
      if (!known.concepts.has(p.concept)) refuse('unknown_fact', field, p.concept, 'a key of concepts.csv');
      return p;
    case 'use': {
      const is_known =
        p.facet === 'indication' ? known.concepts.has(p.value) : known.hasUse(p.facet, p.value);
      if (!is_known) refuse('unknown_use', field, `${p.facet}=${p.value}`, 'a value of uses.csv');
      return p;
    }
    case 'route':
      for (const r of p.any_of)
        if (!known.hasUse('route', r)) refuse('unknown_use', field, r, 'a route of uses.csv');
      return p;
    case 'ckd_stage':
      // `stage 3a` in words is a definition; another stage has to be printed.
      if (!new RegExp(`stage\\s+${p.at_least}\\b`, 'i').test(reading.quote))
        refuse('number_not_in_quote', field, `stage ${p.at_least}`, `a stage of its quote: ${reading.quote}`);
      return p;
    case 'co_medication':
    case 'drug_count':
      if (p.at_least > 1) checkCount(p.at_least, reading);
      return { ...p, drugs: p.drugs.map((ref) => checkedRef(ref, reading)) };
    case 'since_last_dose':
      return { ...p, drugs: p.drugs.map((ref) => checkedRef(ref, reading)) };
    default:
      return p;
  }
}

function checkedRef(ref: DrugRef, { known, field, quote }: Reading): DrugRef {
  const found = knownRef(known, field, ref);
  namedInQuote(known, field, found, quote);
  doseInQuote(known, field, found, quote);
  return found;
}

function checkCount(n: number, { field, quote }: Reading): void {
  if (!numbersIn(quote).has(n))
    refuse('number_not_in_quote', field, String(n), `a count that its quote gives: ${quote}`);
}

/** Numbers and unit are in the quote, or the quote has the words that a definition row gives numbers to. */
function checkBounds(p: Predicate & { readonly bounds: Bounds }, reading: Reading): void {
  const { known, field, quote, definitions } = reading;
  const numbers = [p.bounds.low, p.bounds.high].filter((n) => n !== null);
  const printed = numbersIn(quote);
  const strange = numbers.find((n) => !printed.has(n));
  if (strange === undefined) {
    checkUnit(p.bounds, reading);
    checkDirection(p.bounds, reading);
    return;
  }
  const text = printCondition(p);
  const defined = known.definedBy.find(
    ({ definition, pattern }) => printCondition(definition.condition) === text && pattern.test(quote),
  );
  if (!defined) refuse('number_not_in_quote', field, String(strange), `a number of its quote: ${quote}`);
  const { name, words } = defined.definition;
  definitions.set(name, { ref: `definition:${name}`, quote: words });
}

function checkUnit({ unit }: Bounds, { known, field, quote, head }: Reading): void {
  if (!known.unitWords.get(unit)!.test(`${quote} ${head}`))
    refuse('unit_not_in_quote', field, unit, `a unit of its quote: ${quote}`);
}

const UPWARDS = /[>≥]|\b(greater|more|above|over|older|at least|exceed(s|ing)?|higher|longer|after|from)\b/i;
const DOWNWARDS =
  /[<≤]|\b(less|below|under|younger|fewer|lower|shorter|before|up to|at most|until|within)\b/i;

/** A bound to one side whose quote speaks of the other side alone was read the wrong way round. */
function checkDirection(bounds: Bounds, { field, quote }: Reading): void {
  const [wanted, other] = bounds.high === null ? [UPWARDS, DOWNWARDS] : [DOWNWARDS, UPWARDS];
  const is_open = bounds.low === null || bounds.high === null;
  if (is_open && other.test(quote) && !wanted.test(quote))
    refuse('direction_not_in_quote', field, bounds.high === null ? 'a lower bound' : 'an upper bound', quote);
}
