/** Values of rule fields in words, and the difference between what was shown and what stands now. */
import type { z } from 'zod';
import { Condition, DrugRef } from '../../../schemas/condition.js';
import { Exception, Rating } from '../../../schemas/rule.js';
import { canonicalJson } from '../canonical-json.js';
import { printCondition, printRef } from '../rules/expression.js';
import type { ShownSpan } from '../rules/fields.js';

/** A value as a reviewer reads it: conditions and drugs in their text form; a value that does not fit stays JSON. */
export function valueWords(field: string, value: unknown): string {
  if (value === null) return 'none';
  if (field === '/target') return list(DrugRef.array().safeParse(value), value, printRef, ' | ');
  if (field === '/population' || field === '/when') {
    const condition = Condition.safeParse(value);
    return condition.success ? printCondition(condition.data) : canonicalJson(value);
  }
  if (field === '/unless') {
    const word = (e: z.infer<typeof Exception>): string => `${e.text} [${printCondition(e.when)}]`;
    return list(Exception.array().safeParse(value), value, word, '; ');
  }
  if (field === '/ratings') {
    const word = (r: z.infer<typeof Rating>): string =>
      `${r.scope === '' ? '' : `${r.scope}: `}quality ${r.quality ?? 'none'}, strength ${r.strength ?? 'none'}`;
    return list(Rating.array().safeParse(value), value, word, '; ');
  }
  if (Array.isArray(value) && value.every((v) => typeof v === 'string')) return value.join('; ') || 'none';
  return typeof value === 'string' ? value : canonicalJson(value);
}

function list<T>(
  parsed: { success: boolean; data?: T[] },
  value: unknown,
  word: (item: T) => string,
  between: string,
): string {
  if (!parsed.success) return canonicalJson(value);
  return parsed.data!.map(word).join(between) || 'none';
}

/** What a person saw of a field. */
export interface View {
  readonly value: unknown;
  readonly spans: readonly ShownSpan[];
}

/** What differs between two views of a field, one statement each: the value, and places that came, went or read differently. */
export function differences(field: string, shown: View, now: View): string[] {
  const out: string[] = [];
  if (canonicalJson(shown.value) !== canonicalJson(now.value)) {
    const [a, b] = [valueWords(field, shown.value), valueWords(field, now.value)];
    // Words may hide a part; then the JSON shows it.
    out.push(
      a === b
        ? `value ${canonicalJson(shown.value)} -> ${canonicalJson(now.value)}`
        : `value "${a}" -> "${b}"`,
    );
  }
  const refs = [...new Set([...shown.spans, ...now.spans].map((s) => s.ref))].sort();
  for (const ref of refs) {
    const [a, b] = [quotes(shown, ref), quotes(now, ref)];
    if (a === b) continue;
    if (a === '') out.push(`new place ${ref} ${b}`);
    else if (b === '') out.push(`place gone ${ref} ${a}`);
    else out.push(`${ref} ${a} -> ${b}`);
  }
  return out;
}

const quotes = (view: View, ref: string): string =>
  view.spans
    .filter((s) => s.ref === ref)
    .map((s) => JSON.stringify(s.quote))
    .sort()
    .join(', ');
