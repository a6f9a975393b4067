/** Spans: every field that the source must say has one, and every quote stands in its place. */
import { spanFields } from '../../lib/rules/span-fields.js';
import { type Check, type Finding, finding } from './check.js';

/** Spans that point nowhere, quotes that are not there, fields without a span of their own. */
export const checkSpans: Check = (rule, { places }) => {
  const given = new Set(rule.spans.map((s) => s.field));
  const bare = spanFields(rule).filter((field) => !given.has(field));
  return [
    ...rule.spans.flatMap((span): Finding[] => {
      if (places.text(span.ref) === null)
        return [finding(rule, 'unknown_place', span.field, span.ref, 'a place of a source that was read')];
      if (places.holds(span)) return [];
      return [finding(rule, 'quote_not_in_place', span.field, span.quote, `the words of ${span.ref}`)];
    }),
    ...bare.map((field) => finding(rule, 'field_without_span', field, 'no span', 'a span for this field')),
  ];
};
