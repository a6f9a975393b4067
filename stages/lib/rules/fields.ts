/** The fields of a rule that a person signs one by one, and the hash of what that person was shown. */
import { ALWAYS } from '../../../schemas/condition.js';
import { Action, RuleBody, type Span } from '../../../schemas/rule.js';
import { canonicalJson } from '../canonical-json.js';
import { sha256 } from '../hash.js';

/**
 * JSON pointers into the body. Together they cover every part of it exactly once, so that a body whose every field is
 * signed is signed whole. Lists are signed whole: an empty `/unless` says that there is no exception.
 */
export const BODY_FIELDS = [
  '/target',
  '/population',
  '/when',
  '/unless',
  '/action/kind',
  '/action/polarity',
  '/action/object',
  '/action/act',
  '/action/dose_text',
  '/action/monitoring',
  '/action/alternative',
  '/ratings',
  '/patient_information_type',
  '/special_population',
  '/operations',
] as const;
export type BodyFieldName = (typeof BODY_FIELDS)[number];

/** Fields that are ours, not the source's: the polarity follows from the kind, the labels from the whole rule. */
const OURS: ReadonlySet<string> = new Set([
  '/action/polarity',
  '/action/object',
  '/patient_information_type',
  '/special_population',
  '/operations',
]);

/** One field of a body as it is shown. */
export interface BodyField {
  readonly field: BodyFieldName;
  readonly value: unknown;
  /** The source has to say it: neither a field of ours nor an absence (null, an empty list, `always`). */
  readonly needs_span: boolean;
}

/** True for a name of `BODY_FIELDS`. */
export const isBodyField = (name: string): name is BodyFieldName =>
  (BODY_FIELDS as readonly string[]).includes(name);

/** Every field of a body in the order of `BODY_FIELDS`. */
export function bodyFields(body: RuleBody): BodyField[] {
  return BODY_FIELDS.map((field) => {
    const value = fieldValue(body, field);
    return { field, value, needs_span: !OURS.has(field) && !isAbsent(value) };
  });
}

/** The value at a field of a body. */
export function fieldValue(body: RuleBody, field: BodyFieldName): unknown {
  let value: unknown = body;
  for (const key of field.slice(1).split('/')) value = (value as Record<string, unknown>)[key];
  return value;
}

function isAbsent(value: unknown): boolean {
  return (
    value === null ||
    (Array.isArray(value) && value.length === 0) ||
    canonicalJson(value) === canonicalJson(ALWAYS)
  );
}

/** The value as the schema of a field reads it, defaults filled in, or the reason why it does not fit. */
export function readFieldValue(
  field: BodyFieldName,
  value: unknown,
): { readonly value: unknown } | { readonly error: string } {
  const [head, part] = field.slice(1).split('/') as [keyof RuleBody, keyof Action | undefined];
  const parsed = (part === undefined ? RuleBody.shape[head] : Action.shape[part]).safeParse(value);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  return { error: `${[field, ...issue!.path].join('/')}: ${issue!.message}` };
}

/** The body with another value at a field; a value that the schema refuses is an error that says where. */
export function withField(body: RuleBody, field: BodyFieldName, value: unknown): RuleBody {
  const read = readFieldValue(field, value);
  if ('error' in read) throw new Error(read.error);
  const [head, part] = field.slice(1).split('/') as [keyof RuleBody, string?];
  const changed = part === undefined ? read.value : { ...(body[head] as object), [part]: read.value };
  return { ...body, [head]: changed };
}

/** What a reviewer saw of a source: the place and its words. */
export interface ShownSpan {
  readonly ref: string;
  readonly quote: string;
}

/**
 * Spans of a field: those given for it, for a part of it (`/unless/0` for `/unless`), or for what it is a part of
 * (`/action` for `/action/kind`). Sorted, without repeats.
 */
export function shownSpans(field: BodyFieldName, spans: readonly Span[]): ShownSpan[] {
  const near = spans.filter(
    (s) => s.field === field || s.field.startsWith(`${field}/`) || field.startsWith(`${s.field}/`),
  );
  const unique = new Map(near.map(({ ref, quote }) => [canonicalJson([ref, quote]), { ref, quote }]));
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, span]) => span);
}

/** Hash of exactly what was shown for a field: its pointer, its value, places and quotes of its spans. */
export function shownHash(field: BodyFieldName, value: unknown, spans: readonly ShownSpan[]): string {
  return sha256(canonicalJson({ field, value, spans: spans.map(({ ref, quote }) => ({ ref, quote })) }));
}

/** Hash of a body: what `content_hash` of a rule is. Spans are not part of it. */
export const bodyHash = (body: RuleBody): string => sha256(canonicalJson(RuleBody.parse(body)));
