/**
 * Conditions as one line of text, for tables of ours (phrases, limits, definitions).
 *
 *     all(a, b)  any(a, b)  at_least(2; a, b, c)  not(a)  always
 *     age < 12 a      age 12..18 a (both ends in)      gestation [20..30) wk      pma <= 41 wk
 *     CrCl < 30 mL/min      weight <= 60 kg      ckd_stage >= 3a      female
 *     fact heart_failure      use indication=atrial_fibrillation      route oral|topical      form extended_release
 *     dose > 6 mg/d      duration > 8 wk
 *     since < 36 h of class:neprilysin_inhibitors (time since the last dose; taken now is 0)
 *     with class:ace_inhibitors | aliskiren      with 2 of ...      count >= 3 of class:opioids | class:antiepileptics
 *
 * A drug is a name of drug-names.csv (`combination:name` where all its parts are meant) or `class:key`, with what is taken
 * out and its limits: `class:nsaids minus aspirin {oral; > 325 mg/d}`; `inferred` among the limits where the source may not
 * mean its members.
 */
import {
  type Bounds,
  CKD_STAGES,
  Condition,
  type DrugRef,
  FACETS,
  MEASURES,
} from '../../../schemas/condition.js';

/** Reads a condition; what does not fit is an error that quotes the text. */
export function parseCondition(text: string): Condition {
  try {
    return Condition.parse(parse(text.trim()));
  } catch (error) {
    throw new Error(`condition "${text}": ${(error as Error).message}`);
  }
}

function parse(text: string): unknown {
  if (text === 'always') return { type: 'all', of: [] };
  if (text === 'female' || text === 'male') return { type: 'sex', sex: text };
  const group = /^(all|any|at_least|not)\((.*)\)$/s.exec(text);
  if (group) return parseGroup(group[1]!, group[2]!);
  const word = /^(\w+)\s+(.*)$/s.exec(text);
  if (!word) throw new Error(`"${text}" is no predicate`);
  return parsePredicate(word[1]!, word[2]!.trim());
}

function parseGroup(type: string, inside: string): unknown {
  if (type === 'at_least') {
    const n = /^\s*(\d+)\s*;(.*)$/s.exec(inside);
    if (!n) throw new Error('at_least needs a number and a semicolon');
    return { type, n: Number(n[1]), of: split(n[2]!).map(parse) };
  }
  const of = split(inside).map(parse);
  if (type !== 'not') return { type, of };
  if (of.length !== 1) throw new Error('not takes one condition');
  return { type, of: of[0] };
}

/** Splits at commas outside brackets; every bracket of a group or a range is closed by one of either form. */
function split(text: string): string[] {
  const out: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { 0: c, index } of text.matchAll(/[[({\])},]/g)) {
    if ('[({'.includes(c)) depth += 1;
    else if (c !== ',') depth -= 1;
    if (depth < 0) throw new Error(`"${text}" closes a bracket that is not open`);
    if (c !== ',' || depth > 0) continue;
    out.push(text.slice(from, index).trim());
    from = index + 1;
  }
  if (depth > 0) throw new Error(`"${text}" leaves a bracket open`);
  return [...out, text.slice(from).trim()];
}

function parsePredicate(word: string, rest: string): unknown {
  if ((MEASURES as readonly string[]).includes(word)) {
    return { type: 'measure', measure: word, bounds: parseBounds(rest) };
  }
  switch (word) {
    case 'age':
      return { type: 'age', kind: 'chronological', bounds: parseBounds(rest) };
    case 'pma':
      return { type: 'age', kind: 'postmenstrual', bounds: parseBounds(rest) };
    case 'gestation':
    case 'dose':
    case 'duration':
      return { type: word, bounds: parseBounds(rest) };
    case 'ckd_stage': {
      const stage = /^>= (\w+)$/.exec(rest)?.[1];
      if (!(CKD_STAGES as readonly (string | undefined)[]).includes(stage))
        throw new Error(`CKD stage ${rest}`);
      return { type: 'ckd_stage', at_least: stage };
    }
    case 'fact':
      return { type: 'fact', concept: key(rest) };
    case 'form':
      return { type: 'form', form: rest };
    case 'route':
      return { type: 'route', any_of: rest.split('|').map((s) => s.trim()) };
    case 'use': {
      const [facet, value] = rest.split('=').map((s) => s.trim());
      if (!(FACETS as readonly (string | undefined)[]).includes(facet)) throw new Error(`facet ${facet}`);
      return { type: 'use', facet, value: key(value ?? '') };
    }
    case 'with': {
      const n = /^(\d+) of (.*)$/s.exec(rest);
      return { type: 'co_medication', at_least: n ? Number(n[1]) : 1, drugs: parseRefs(n ? n[2]! : rest) };
    }
    case 'since': {
      const since = /^(.+?) of (.*)$/s.exec(rest);
      if (!since) throw new Error(`since ${rest}`);
      return { type: 'since_last_dose', bounds: parseBounds(since[1]!), drugs: parseRefs(since[2]!) };
    }
    case 'count': {
      const n = /^>= (\d+) of (.*)$/s.exec(rest);
      if (!n) throw new Error(`count ${rest}`);
      return { type: 'drug_count', at_least: Number(n[1]), drugs: parseRefs(n[2]!) };
    }
    default:
      throw new Error(`unknown word "${word}"`);
  }
}

/** A key of concepts.csv, uses.csv or classes.csv. */
function key(text: string): string {
  if (!/^\w+$/.test(text)) throw new Error(`"${text}" is no key`);
  return text;
}

const parseRefs = (text: string): DrugRef[] => text.split('|').map((s) => parseRef(s.trim()));

/** `class:key minus a {oral/topical; > 325 mg/d}`: a class or a drug, what is taken out, limits of form, route and dose. */
export function parseRef(text: string): DrugRef {
  const [, named, limits] = /^([^{}]+?)(?:\s*\{([^{}]*)\})?$/s.exec(text) ?? [];
  if (named === undefined) throw new Error(`"${text}" is no drug`);
  const [head, ...minus] = named.split(/ minus /).map((s) => s.trim());
  if (/[(),]/.test(named) || head === '') throw new Error(`"${text}" is no drug`);
  const [, kind, name] = /^(?:(class|combination):)?(.+)$/s.exec(head!)!;
  const ref: DrugRef = {
    kind: (kind as DrugRef['kind']) ?? 'ingredient',
    name: kind === 'class' ? key(name!) : name!,
    minus,
    form: null,
    routes: null,
    dose: null,
  };
  return { ...ref, ...parseLimits(limits) };
}

function parseLimits(text: string | undefined): Partial<DrugRef> {
  const limits = text === undefined ? [] : text.split(';').map((s) => s.trim());
  return Object.assign(
    {},
    ...limits.map((l): Partial<DrugRef> => {
      if (l === 'immediate_release' || l === 'extended_release') return { form: l };
      if (l === 'inferred') return { is_inferred: true };
      return /\d/.test(l) ? { dose: parseBounds(l) } : { routes: l.split('/') };
    }),
  );
}

const NUMBER = '\\d+(?:\\.\\d+)?';
const COMPARE = new RegExp(`^(<=|<|>=|>|=) (${NUMBER}) (\\S+)$`);
const RANGE = new RegExp(`^([[(])?(${NUMBER})\\.\\.(${NUMBER})([\\])])? (\\S+)$`);

/** `< 30 mL/min`, `= 2.5 mg/d`, `15..29 mL/min`, `[20..30) wk`. */
export function parseBounds(text: string): Bounds {
  const compare = COMPARE.exec(text);
  if (compare) {
    const [, op, value, unit] = compare as unknown as [string, string, string, Bounds['unit']];
    const inclusive = op.includes('=');
    const low = op !== '<' && op !== '<=' ? Number(value) : null;
    const high = op !== '>' && op !== '>=' ? Number(value) : null;
    return {
      low,
      low_inclusive: inclusive && low !== null,
      high,
      high_inclusive: inclusive && high !== null,
      unit,
    };
  }
  const range = RANGE.exec(text);
  if (!range) throw new Error(`"${text}" is no bound with a UCUM unit`);
  const [, open, low, high, close, unit] = range as unknown as string[];
  return {
    low: Number(low),
    low_inclusive: open !== '(',
    high: Number(high),
    high_inclusive: close !== ')',
    unit: unit as Bounds['unit'],
  };
}

/** The text that `parseCondition` reads back to the same condition. */
export function printCondition(c: Condition): string {
  switch (c.type) {
    case 'all':
      return c.of.length === 0 ? 'always' : `all(${c.of.map(printCondition).join(', ')})`;
    case 'any':
      return `any(${c.of.map(printCondition).join(', ')})`;
    case 'at_least':
      return `at_least(${c.n}; ${c.of.map(printCondition).join(', ')})`;
    case 'not':
      return `not(${printCondition(c.of)})`;
    case 'sex':
      return c.sex;
    case 'age':
      return `${c.kind === 'postmenstrual' ? 'pma' : 'age'} ${printBounds(c.bounds)}`;
    case 'gestation':
    case 'dose':
    case 'duration':
      return `${c.type} ${printBounds(c.bounds)}`;
    case 'measure':
      return `${c.measure} ${printBounds(c.bounds)}`;
    case 'ckd_stage':
      return `ckd_stage >= ${c.at_least}`;
    case 'fact':
      return `fact ${c.concept}`;
    case 'use':
      return `use ${c.facet}=${c.value}`;
    case 'route':
      return `route ${c.any_of.join('|')}`;
    case 'form':
      return `form ${c.form}`;
    case 'co_medication':
      return `with ${c.at_least > 1 ? `${c.at_least} of ` : ''}${c.drugs.map(printRef).join(' | ')}`;
    case 'since_last_dose':
      return `since ${printBounds(c.bounds)} of ${c.drugs.map(printRef).join(' | ')}`;
    case 'drug_count':
      return `count >= ${c.at_least} of ${c.drugs.map(printRef).join(' | ')}`;
  }
}

function printBounds(b: Bounds): string {
  if (b.low !== null && b.high !== null) {
    if (b.low === b.high && b.low_inclusive && b.high_inclusive) return `= ${b.low} ${b.unit}`;
    return `${b.low_inclusive ? '[' : '('}${b.low}..${b.high}${b.high_inclusive ? ']' : ')'} ${b.unit}`;
  }
  const [op, value] =
    b.low !== null ? [b.low_inclusive ? '>=' : '>', b.low] : [b.high_inclusive ? '<=' : '<', b.high];
  return `${op} ${value} ${b.unit}`;
}

/** A drug reference as `parseRef` reads it. */
export function printRef(r: DrugRef): string {
  const inferred = r.is_inferred && 'inferred';
  const limits = [r.form, r.routes?.join('/'), r.dose && printBounds(r.dose), inferred].filter(Boolean);
  const name = `${r.kind === 'ingredient' ? '' : `${r.kind}:`}${r.name}`;
  const words = [name, ...r.minus.map((m) => `minus ${m}`)].join(' ');
  return limits.length > 0 ? `${words} {${limits.join('; ')}}` : words;
}
