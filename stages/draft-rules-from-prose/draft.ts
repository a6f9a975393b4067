/** One rule of a reply becomes a rule with a span for every field, or a reject that names the field. */
import { ALWAYS, type Condition } from '../../schemas/condition.js';
import { type Action, RuleBody, type Span } from '../../schemas/rule.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { doseInQuote, isDrugNamed, namedInQuote, readRef } from './drugs.js';
import { type ReadGround, readGround } from './grounds.js';
import type { Known } from './known.js';
import { predicatesOf, withLabels } from './labels.js';
import { fold, type Part, type Quoted, quoted, wordsWithQuote } from './quotes.js';
import { Refusal, type RuleReject, refuse } from './refuse.js';
import type { ReplyRule } from './reply.js';

/** What a passage says and whom it is about. */
export interface Passage {
  readonly passage_id: string;
  readonly source_id: string;
  readonly document_id: string;
  readonly ref: string;
  readonly heading: string;
  readonly generic_names: readonly string[];
  readonly brand_names: readonly string[];
  readonly parts: readonly Part[];
}

export interface Drafted {
  readonly body: RuleBody;
  readonly spans: readonly Span[];
}

/** Checks a rule of a reply against its passage. */
export function draftRule(
  known: Known,
  passage: Passage,
  rule: ReplyRule,
): Drafted | { readonly reject: RuleReject } {
  try {
    return drafted(known, passage, rule);
  } catch (error) {
    if (error instanceof Refusal) return { reject: error.reject };
    throw error;
  }
}

function drafted(known: Known, passage: Passage, rule: ReplyRule): Drafted {
  const parts = passage.parts.map((p) => ({ ...p, text: fold(p.text) }));
  const spans: Span[] = [];
  const say: Say = (field, { part, quote }) => void spans.push({ field, ref: part.ref, quote });
  const ground = (path: string, field: string, given: ReplyRule['when'][number]): ReadGround => {
    const found = readGround(known, parts, path, given);
    say(field, found);
    for (const d of found.definitions) spans.push({ field, ...d });
    return found;
  };
  const target = readTargets(known, { ...passage, parts }, rule, spans);
  const population = rule.population
    ? ground('population', '/population', rule.population).condition
    : ALWAYS;
  const when = rule.when.map((g, i) => ground(`when.${i}`, '/when', g));
  const unless = rule.unless.map((u, i) => {
    const found = ground(`unless.${i}`, `/unless/${i}`, u);
    return { when: found.condition, text: wordsWithQuote(parts, `unless.${i}`, u).text };
  });
  const action = readAction(known, parts, rule, say);
  const conditions = allOf(when.map((g) => g.condition));
  if (action.kind === 'avoid with exception' && unless.length === 0)
    refuse('exception_missing', 'unless', 'none', 'the exception of "avoid with exception"');
  if (action.kind === 'avoid combination' && !predicatesOf(conditions).some(isPartner))
    refuse('partner_missing', 'when', rule.when.map((g) => g.condition).join('; '), 'the partner: with ...');
  const body = withLabels(
    { target, population, when: conditions, unless, action, ratings: [] },
    known.concepts,
  );
  return { body: RuleBody.parse(body), spans };
}

const isPartner = (p: { readonly type: string }): boolean =>
  ['co_medication', 'drug_count', 'since_last_dose'].includes(p.type);

function readTargets(known: Known, passage: Passage, rule: ReplyRule, spans: Span[]): RuleBody['target'] {
  return rule.targets.map(({ drug, quote }, i) => {
    const path = `targets.${i}`;
    const ref = readRef(known, `${path}.drug`, drug);
    const is_own = ref.kind !== 'class' && isDrugNamed(known, ref.name, passage.generic_names.join('; '));
    const field = `/target/${i}`;
    if (quote === null) {
      if (!is_own || passage.generic_names.length !== 1)
        refuse('drug_not_in_quote', `${path}.quote`, drug, 'a quote; only the drug of the label needs none');
      spans.push({
        field,
        ref: `label:${passage.document_id}#generic_name`,
        quote: passage.generic_names[0]!,
      });
    } else {
      const found = quoted(passage.parts, path, quote);
      namedInQuote(known, `${path}.drug`, ref, found.quote, is_own ? passage.brand_names : []);
      spans.push({ field, ref: found.part.ref, quote: found.quote });
    }
    doseInQuote(known, `${path}.drug`, ref, quote ?? '');
    return ref;
  });
}

type Say = (field: string, found: Quoted) => void;

function readAction(known: Known, parts: readonly Part[], rule: ReplyRule, say: Say): Action {
  const { kind, quote, alternative } = rule.action;
  const found = quoted(parts, 'action', quote);
  say('/action/kind', found);
  const words = (name: 'act' | 'dose_text' | 'monitoring'): string | null => {
    const given = rule.action[name];
    if (given === null) return null;
    const read = wordsWithQuote(parts, `action.${name}`, given);
    say(`/action/${name}`, read);
    return read.text;
  };
  const act = words('act');
  const own = alternative && readAlternative(known, parts, alternative, say);
  return {
    kind,
    polarity: polarityOf(kind, found.quote, own !== null),
    object: objectOf(kind, act),
    act,
    dose_text: words('dose_text'),
    monitoring: words('monitoring'),
    alternative: own,
  };
}

function readAlternative(
  known: Known,
  parts: readonly Part[],
  given: { readonly drug: string; readonly quote: string },
  say: Say,
): string {
  const field = 'action.alternative';
  const ref = readRef(known, `${field}.drug`, given.drug);
  const found = quoted(parts, field, given.quote);
  namedInQuote(known, `${field}.drug`, ref, found.quote);
  say('/action/alternative', found);
  return ref.name;
}

/**
 * What each kind does to a candidate. Stopping restricts, interrupting changes; a drug that another is preferred to is no
 * safe choice, yet nothing bars it.
 */
function polarityOf(kind: Action['kind'], quote: string, has_alternative: boolean): Action['polarity'] {
  switch (kind) {
    case 'stop or interrupt':
      return /\b(interrupt|hold|withhold|suspend|pause)/i.test(quote) ? 'change' : 'restrict';
    case 'reduce dose':
    case 'cap dose or duration':
      return 'change';
    case 'caution, weigh or monitor':
      return 'watch';
    case 'prefer or allow':
      return has_alternative ? 'watch' : 'neutral';
    case 'state normal dose':
    case 'no restriction':
      return 'neutral';
    default:
      return 'restrict';
  }
}

function objectOf(kind: Action['kind'], act: string | null): Action['object'] {
  if (act !== null) return 'act';
  if (kind === 'avoid combination') return 'combination';
  return ['reduce dose', 'cap dose or duration', 'state normal dose'].includes(kind) ? 'dose' : 'drug';
}

/** Nested `all` opened, repeats dropped; none is `always`. */
function allOf(conditions: readonly Condition[]): Condition {
  const open = (c: Condition): Condition[] => (c.type === 'all' ? c.of.flatMap(open) : [c]);
  const of = [...new Map(conditions.flatMap(open).map((c) => [canonicalJson(c), c])).values()];
  return of.length === 1 ? of[0]! : { type: 'all', of };
}
