/** What all rules together say of a drug for a patient, and whether what the sources leave out could say otherwise. */
import type { Population } from '../../../schemas/lock.js';
import type { Use } from '../../../schemas/patient.js';
import type { Rule } from '../../../schemas/rule.js';
import { groupBy } from '../group-by.js';
import { applyRule, fromOtherSide, names, type RuleVerdict } from './apply.js';
import { type Case, evaluate } from './evaluate.js';
import type { Knowledge } from './knowledge.js';
import type { NeutralDrugs } from './neutral.js';
import { populationsOf, speaksOf } from './populations.js';
import { isNamed } from './target.js';
import { any } from './truth.js';

/** How much of a source the tables hold, and of whom it speaks (guideline_documents, raw/lock.json). */
export interface SourceCoverage {
  readonly source_id: string;
  readonly extent: 'complete' | 'partial';
  readonly populations: readonly Population[];
}

/** Everything that standing rests on. */
export interface Book {
  /** Every rule of a current source, held ones too: what nobody may ask about can still be wrong to offer. */
  readonly rules: readonly Rule[];
  readonly sources: readonly SourceCoverage[];
  readonly neutral: NeutralDrugs;
  readonly knowledge: Knowledge;
}

/** `active`: a restrict or change rule holds. `proved_inactive`: all are false and no gap of a source matters. */
export type StandingWord = 'proved_inactive' | 'active' | 'unknown';

export interface Standing {
  readonly standing: StandingWord;
  /** What an inactive drug rests on: the rules alone, or the list of neutral drugs where a source is partial or a class open. */
  readonly basis: 'rules' | 'neutral_list' | null;
  /** Restrict and change rules that hold for the candidate. */
  readonly active: readonly RuleVerdict[];
  /** Restrict and change rules that are unknown, or that hold for a drug taken because of the candidate. */
  readonly undecided: readonly RuleVerdict[];
  /** Watch rules that hold. */
  readonly watch: readonly RuleVerdict[];
  /** Partial sources that speak of this patient and do not name the drug; they matter unless the drug is neutral. */
  readonly silent: readonly string[];
  /** Partial sources that name the drug, but in no rule about people like this patient (an old man and a rule on pregnancy). */
  readonly elsewhere: readonly string[];
}

/** Says how the candidate of a case stands under all rules of a book. */
export function standing(c: Case, book: Book): Standing {
  const { drug } = c.candidate;
  const populations = populationsOf(c.patient, book.knowledge);
  const gaps = gapsOf(c, populations, book);
  const { drugs } = book.knowledge;
  const under = (but: readonly string[]): Verdicts =>
    verdicts(c, book, { ...book.knowledge, drugs: book.neutral.outside(drugs, populations, but) });
  const proved = under([drug, ...drugs.ingredients(drug)]);
  const isProved = proved.undecided.length === 0 && gaps.silent.length === 0;
  if (isProved || !isNeutral(c, populations, book))
    return { ...judge(proved, gaps.silent, 'rules'), ...gaps };
  return { ...judge(under([]), [], 'neutral_list'), ...gaps };
}

type Verdicts = Pick<Standing, 'active' | 'undecided' | 'watch'>;
type Gaps = Pick<Standing, 'silent' | 'elsewhere'>;

function judge(v: Verdicts, silent: readonly string[], basis: Standing['basis']): Omit<Standing, keyof Gaps> {
  if (v.active.length > 0) return { ...v, standing: 'active', basis: null };
  if (v.undecided.length > 0 || silent.length > 0) return { ...v, standing: 'unknown', basis: null };
  return { ...v, standing: 'proved_inactive', basis };
}

function isNeutral(c: Case, populations: readonly Population[], book: Book): boolean {
  const limits = book.neutral.limits(c.candidate.drug, populations);
  return limits !== null && evaluate(limits, c, book.knowledge).truth === 'true';
}

function verdicts(c: Case, book: Book, k: Knowledge): Verdicts {
  const rules = indexOf(book, c.candidate.drug).rules;
  const of = (polarities: readonly string[]) => rules.filter((r) => polarities.includes(r.action.polarity));
  const barring = of(['restrict', 'change']);
  const direct = barring.map((r) => applyRule(r, c, k));
  // A rule on the dose of another drug does not speak of the candidate, but a drug that wakes it is no safe choice.
  const turned = barring
    .filter((r) => r.action.object !== 'combination')
    .flatMap((r) => fromOtherSide(r, c, k));
  const watch = of(['watch']).map((r) => applyRule(r, c, k));
  return {
    active: direct.filter((v) => v.truth === 'true'),
    undecided: [...direct.filter((v) => v.truth === 'unknown'), ...turned.filter((v) => v.truth !== 'false')],
    watch: watch.filter((v) => v.truth === 'true'),
  };
}

/** Partial sources that speak of the patient and may say more about the drug than the tables hold. */
function gapsOf(c: Case, populations: readonly Population[], book: Book): Gaps {
  const { namedBy } = indexOf(book, c.candidate.drug);
  const partial = book.sources
    .filter((s) => s.extent === 'partial' && speaksOf(s.populations, populations))
    .map((s) => s.source_id)
    .sort();
  const isAbout = (r: Rule): boolean => evaluate(r.population, c, book.knowledge).truth !== 'false';
  return {
    silent: partial.filter((id) => !namedBy.has(id)),
    elsewhere: partial.filter((id) => namedBy.has(id) && !namedBy.get(id)!.some(isAbout)),
  };
}

interface DrugIndex {
  /** Rules that may name the drug as target or as a drug to keep apart; all others are false for it. */
  readonly rules: readonly Rule[];
  /** Rules that surely name it as a target, by source; what is held back proves nothing of what a source holds. */
  readonly namedBy: ReadonlyMap<string, readonly Rule[]>;
}

/** Kept for each book, since every candidate of every question asks it. */
const indexes = new WeakMap<Book, Map<string, DrugIndex>>();

function indexOf(book: Book, drug: string): DrugIndex {
  const known = indexes.get(book) ?? new Map<string, DrugIndex>();
  indexes.set(book, known);
  const { drugs } = book.knowledge;
  const named = (r: Rule) => any(r.target.map((ref) => isNamed(drug, ref, drugs)));
  const use: Use = { drug, form: null, route: null, dose: null, duration: null, facets: {} };
  const found = known.get(drug) ?? {
    rules: book.rules.filter((r) => named(r) !== 'false' || names(r.when, use, drugs) !== 'false'),
    namedBy: groupBy(
      book.rules.filter((r) => r.is_usable && named(r) === 'true'),
      (r) => r.source_id,
    ),
  };
  known.set(drug, found);
  return found;
}
