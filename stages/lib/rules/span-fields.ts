/** Which fields of a rule the source must say, one by one. */
import { ALWAYS } from '../../../schemas/condition.js';
import type { RuleBody } from '../../../schemas/rule.js';
import { canonicalJson } from '../canonical-json.js';

const ACTION_FIELDS = ['kind', 'act', 'dose_text', 'monitoring', 'alternative'] as const;

/**
 * JSON pointers of the fields that need a span: each target, population and `when` unless they are `always`, each
 * exception, each rating, and what the action holds. Polarity, object and labels follow from these by rules of ours.
 */
export function spanFields(body: RuleBody): string[] {
  const always = canonicalJson(ALWAYS);
  return [
    ...body.target.map((_, i) => `/target/${i}`),
    ...(['population', 'when'] as const).filter((f) => canonicalJson(body[f]) !== always).map((f) => `/${f}`),
    ...body.unless.map((_, i) => `/unless/${i}`),
    ...ACTION_FIELDS.filter((f) => body.action[f] !== null).map((f) => `/action/${f}`),
    ...body.ratings.map((_, i) => `/ratings/${i}`),
  ];
}
