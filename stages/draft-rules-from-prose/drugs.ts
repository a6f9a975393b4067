/** Drug references of a reply: known names, and named by their quote. */
import type { DrugRef } from '../../schemas/condition.js';
import { parseRef } from '../lib/rules/expression.js';
import type { Known } from './known.js';
import { fold, isQuoted, numbersIn } from './quotes.js';
import { refuse } from './refuse.js';

/** Reads `class:key minus a {oral}`; ingredients get their name of drug-names.csv, whatever synonym stands there. */
export function readRef(known: Known, field: string, text: string): DrugRef {
  let ref: DrugRef;
  try {
    ref = parseRef(text.trim());
  } catch (error) {
    return refuse('unknown_drug', field, text, `a drug or class:key (${(error as Error).message})`);
  }
  return knownRef(known, field, ref);
}

/** The reference with known names; an unknown drug, class or route refuses the rule. */
export function knownRef(known: Known, field: string, ref: DrugRef): DrugRef {
  for (const route of ref.routes ?? [])
    if (!known.hasUse('route', route)) refuse('unknown_use', field, route, 'a route of uses.csv');
  const minus = ref.minus.map((m) => (known.classes.has(m) ? m : ingredientOf(known, field, m).ingredient));
  if (ref.kind === 'class') {
    if (!known.classes.has(ref.name)) refuse('unknown_class', field, ref.name, 'a key of classes.csv');
    return { ...ref, minus };
  }
  const { ingredient, parts } = ingredientOf(known, field, ref.name);
  return { ...ref, kind: parts.length > 1 ? 'combination' : 'ingredient', name: ingredient, minus };
}

function ingredientOf(known: Known, field: string, name: string) {
  const found = known.drugs.resolve(name);
  if ('reason' in found) return refuse('unknown_drug', field, found.got, found.expected);
  if (found.qualifier !== null)
    return refuse('unknown_drug', field, name, 'a name without a bracket; limits go into {}');
  return found;
}

/** Refuses a reference whose drug or class the quote does not name, and what is taken out of it likewise. */
export function namedInQuote(
  known: Known,
  field: string,
  ref: DrugRef,
  quote: string,
  also: readonly string[] = [],
): void {
  const isClass = ref.kind === 'class';
  if (isClass && !isClassNamed(known, ref.name, quote))
    refuse('class_not_in_quote', field, ref.name, `a quote with the words of the class, not: ${quote}`);
  if (!isClass && !isDrugNamed(known, ref.name, quote, also))
    refuse('drug_not_in_quote', field, ref.name, `a quote that names it, not: ${quote}`);
  for (const m of ref.minus) {
    const is_named = known.classes.has(m) ? isClassNamed(known, m, quote) : isDrugNamed(known, m, quote);
    if (!is_named) refuse('drug_not_in_quote', field, m, `a quote that names it, not: ${quote}`);
  }
}

/** Refuses a dose that a reference is limited to when its numbers or its unit are not in the quote. */
export function doseInQuote(known: Known, field: string, ref: DrugRef, quote: string): void {
  if (ref.dose === null) return;
  const printed = numbersIn(quote);
  const strange = [ref.dose.low, ref.dose.high].find((n) => n !== null && !printed.has(n));
  if (strange !== undefined)
    refuse('number_not_in_quote', field, String(strange), `a number of its quote: ${quote}`);
  if (!known.unitWords.get(ref.dose.unit)!.test(quote))
    refuse('unit_not_in_quote', field, ref.dose.unit, `a unit of its quote: ${quote}`);
}

/** Does the quote hold a name of the drug, or one of the further names? */
export function isDrugNamed(
  known: Known,
  ingredient: string,
  quote: string,
  also: readonly string[] = [],
): boolean {
  const words = quote.toLowerCase();
  const names = [ingredient, ...known.synonymsOf(ingredient), ...also];
  if (names.some((n) => isQuoted(words, fold(n).toLowerCase()))) return true;
  // A combination may be named by its parts.
  const { parts } = known.drugs.get(ingredient);
  return parts.length > 1 && parts.every((p) => isDrugNamed(known, p, quote));
}

/** All telling words of one of the class's names stand in the quote, in any order and number. */
function isClassNamed(known: Known, key: string, quote: string): boolean {
  const stems = new Set(wordsOf(quote));
  return known.classNamesOf(key).some((name) => {
    const own = wordsOf(name);
    return own.length > 0 && own.every((w) => stems.has(w));
  });
}

const FILLERS = new Set(['class', 'and', 'or', 'of', 'the', 'with', 'drug', 'agent', 'other', 'all']);

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    .map((w) => w.replace(/(?<=\w{3})s$/, ''))
    .filter((w) => !FILLERS.has(w));
