/** Corrections as people write them into a cell, in the words in which values are shown. */
import { parseCondition, parseRef } from '../../../stages/lib/rules/expression.js';
import { type BodyFieldName, readFieldValue } from '../../../stages/lib/rules/fields.js';
import { parseStrictJson } from '../../../stages/lib/strict-json.js';

const NULLABLE: ReadonlySet<string> = new Set([
  '/action/act',
  '/action/dose_text',
  '/action/monitoring',
  '/action/alternative',
]);
const LISTS: ReadonlySet<string> = new Set(['/unless', '/ratings', '/operations']);

/** How a correction of a field is written. */
export function correctionForm(field: BodyFieldName): string {
  if (field === '/when' || field === '/population')
    return 'a condition such as all(age >= 65 a, CrCl < 30 mL/min), or JSON';
  if (field === '/target') return 'drugs such as digoxin | class:opioids minus tramadol, or JSON';
  if (field === '/operations') return 'words separated by ;, or none';
  if (LISTS.has(field)) return 'a JSON list, or none';
  return NULLABLE.has(field) ? 'the text, or none' : 'one of the words of the field';
}

/** The value that a cell stands for; a text that the field cannot hold is an error with the form. */
export function readCorrection(
  field: BodyFieldName,
  text: string,
): { readonly value: unknown } | { readonly error: string } {
  try {
    const read = readFieldValue(field, toValue(field, text.trim()));
    return 'error' in read ? { error: `${correctionForm(field)} (${read.error})` } : read;
  } catch (error) {
    return { error: `${correctionForm(field)} (${(error as Error).message})` };
  }
}

function toValue(field: BodyFieldName, text: string): unknown {
  const is_json = /^[[{]/.test(text);
  if (field === '/when' || field === '/population')
    return is_json ? parseStrictJson(text) : parseCondition(text);
  if (field === '/target')
    return is_json ? parseStrictJson(text) : text.split('|').map((d) => parseRef(d.trim()));
  if (LISTS.has(field)) {
    if (text === 'none') return [];
    return is_json || field !== '/operations' ? parseStrictJson(text) : text.split(';').map((w) => w.trim());
  }
  return NULLABLE.has(field) && text === 'none' ? null : text;
}
