/** Lines of raw/reviews/medpic/*.jsonl: read strictly, because every line is somebody's signature. */
import type { z } from 'zod';
import { ItemDecision, RuleDecision } from '../../../schemas/review.js';
import type { Problem } from '../../contract.js';
import { canonicalJson } from '../canonical-json.js';
import { contentId } from '../hash.js';
import { nearest } from '../nearest.js';
import { isBodyField, readFieldValue, shownHash } from '../rules/fields.js';
import { parseStrictJson } from '../strict-json.js';

/** Where a line stands, for messages; nothing else depends on it. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export type ReviewLine =
  | { readonly kind: 'rule'; readonly place: Place; readonly id: string; readonly decision: RuleDecision }
  | { readonly kind: 'item'; readonly place: Place; readonly id: string; readonly decision: ItemDecision };
export type RuleLine = Extract<ReviewLine, { kind: 'rule' }>;
export type ItemLine = Extract<ReviewLine, { kind: 'item' }>;

/** `file:line`. */
export const placeText = (p: Place): string => `${p.file}:${p.line}`;

/** Every good line of a file, and what is wrong with the others. */
export function readReviewLines(
  text: string,
  file: string,
): { readonly lines: ReviewLine[]; readonly problems: Problem[] } {
  const lines: ReviewLine[] = [];
  const problems: Problem[] = [];
  if (text === '') return { lines, problems };
  const rows = text.split('\n');
  if (rows.pop() !== '') {
    problems.push({
      message: 'the last line of a review file has no line end, so it may be cut',
      file,
      row: rows.length + 1,
      expected: 'LF after every line',
      next: 'compare the last line with what the reviewer sent, then end it with LF',
    });
    return { lines, problems };
  }
  rows.forEach((row, i) => {
    const place = { file, line: i + 1 };
    const read = readLine(row, place);
    if ('message' in read) problems.push(read);
    else lines.push(read);
  });
  return { lines, problems };
}

function readLine(text: string, place: Place): ReviewLine | Problem {
  const where = { file: place.file, row: place.line };
  let value: unknown;
  try {
    value = parseStrictJson(text);
  } catch (error) {
    const got = `${text.slice(0, 60)} (${(error as Error).message})`;
    return {
      message: 'a review line is not one JSON object',
      ...where,
      got,
      expected: 'one decision a line',
    };
  }
  return asReviewLine(value, place);
}

/** A decision from parsed JSON, checked as a line of a file would be; else what is wrong with it. */
export function asReviewLine(value: unknown, place: Place): ReviewLine | Problem {
  const is_item = typeof value === 'object' && value !== null && 'instance_id' in value;
  if (is_item) {
    const parsed = ItemDecision.safeParse(value);
    if (!parsed.success) return explain(parsed.error, value, place, Object.keys(ItemDecision.shape));
    return { kind: 'item', place, id: decisionId(parsed.data), decision: parsed.data };
  }
  const parsed = RuleDecision.safeParse(value);
  if (!parsed.success) return explain(parsed.error, value, place, Object.keys(RuleDecision.shape));
  const decision = completed(parsed.data);
  const line: RuleLine = { kind: 'rule', place, id: decisionId(decision), decision };
  return checkSignature(decision, place) ?? line;
}

/** A correction with the defaults of its schema filled in, so that equal corrections have equal text. */
function completed(d: RuleDecision): RuleDecision {
  if (d.correction === undefined || !isBodyField(d.field)) return d;
  const read = readFieldValue(d.field, d.correction);
  return 'error' in read ? d : { ...d, correction: read.value as RuleDecision['correction'] };
}

/** A correction that its field cannot hold. Lines on older content may be of an older schema and are not asked. */
export function correctionProblem({ decision: d, place }: RuleLine): Problem | null {
  if (d.correction === undefined || !isBodyField(d.field)) return null;
  const read = readFieldValue(d.field, d.correction);
  if (!('error' in read)) return null;
  return {
    message: 'a correction does not fit its field',
    file: place.file,
    row: place.line,
    field: 'correction',
    got: canonicalJson(d.correction).slice(0, 120),
    expected: read.error,
    next: 'ask the reviewer for the value in the form of schemas/rule.ts',
  };
}

/** Id of a decision by its whole content; copies of a line have one id. */
export const decisionId = (decision: RuleDecision | ItemDecision): string =>
  contentId('review', canonicalJson(decision));

function explain(error: z.ZodError, value: unknown, place: Place, names: readonly string[]): Problem {
  const issue = error.issues[0]!;
  const where = { file: place.file, row: place.line };
  if (issue.code === 'unrecognized_keys') {
    const near = nearest(issue.keys[0]!, names);
    return {
      message: 'a review line has an unknown field',
      ...where,
      field: issue.keys[0]!,
      expected: names.join(', '),
      ...(near ? { next: `did you mean ${near}?` } : {}),
    };
  }
  const got = issue.path.reduce<unknown>(
    (v, k) => (v as Record<PropertyKey, unknown> | undefined)?.[k],
    value,
  );
  return {
    message: 'a review line does not fit',
    ...where,
    field: issue.path.join('/') || 'the line',
    got: got === undefined ? 'nothing' : JSON.stringify(got).slice(0, 80),
    expected: issue.message,
  };
}

/** The hash must be that of what the line says was shown, and a correction must change something. */
function checkSignature(d: RuleDecision, place: Place): Problem | null {
  const where = { file: place.file, row: place.line };
  if (!isBodyField(d.field)) {
    return {
      message: 'a review names a field that no rule has',
      ...where,
      field: 'field',
      got: d.field,
      expected: 'a field of BODY_FIELDS (stages/lib/rules/fields.ts)',
    };
  }
  const hash = shownHash(d.field, d.shown.value, d.shown.spans);
  if (hash !== d.shown_hash) {
    return {
      message: 'a signature does not fit what the line says was shown',
      ...where,
      field: 'shown_hash',
      got: d.shown_hash,
      expected: hash,
      next: 'one of the two was changed by hand; get the line back as it was imported',
    };
  }
  if (d.decision === 'correct' && canonicalJson(d.correction) === canonicalJson(d.shown.value)) {
    const expected = 'another value, or the decision "accept"';
    return {
      message: 'a correction is what was shown already',
      ...where,
      field: 'correction',
      got: canonicalJson(d.correction),
      expected,
    };
  }
  return null;
}
