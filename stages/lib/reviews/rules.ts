/** What people's decisions make of a rule: field by field, for exactly what stands now. */
import type { FieldStatus, RuleDecision } from '../../../schemas/review.js';
import { RuleBody, Span } from '../../../schemas/rule.js';
import { canonicalJson } from '../canonical-json.js';
import {
  type BodyFieldName,
  bodyFields,
  bodyHash,
  type ShownSpan,
  shownHash,
  shownSpans,
  withField,
} from '../rules/fields.js';
import type { Judgement, Settled } from './history.js';
import type { RuleLine } from './lines.js';
import { tally } from './tally.js';

/** A rule as it is put before reviewers. */
export interface OpenRule {
  readonly rule_id: string;
  readonly source_id: string;
  readonly row_id: string;
  readonly label: string;
  readonly status: string;
  readonly body: RuleBody;
  readonly content_hash: string;
  readonly fields: readonly FieldNow[];
}

/** A field as it stands now. */
export interface FieldNow {
  readonly field: BodyFieldName;
  readonly value: unknown;
  readonly spans: readonly ShownSpan[];
  readonly shown_hash: string;
}

/** Columns of a row of table `rules` that reviews need. */
export interface RuleRow {
  readonly rule_id: string;
  readonly source_id: string;
  readonly row_id: string;
  readonly label: string;
  readonly status: string;
  readonly body: string;
  readonly spans: string;
  readonly content_hash: string;
}

/** A rule with its fields; a body that does not fit its schema or its hash is an error that names the rule. */
export function openRule(row: RuleRow): OpenRule {
  const body = RuleBody.parse(JSON.parse(row.body));
  const spans = Span.array().parse(JSON.parse(row.spans));
  if (bodyHash(body) !== row.content_hash)
    throw new Error(`rule ${row.rule_id}: content_hash is not the hash of its body`);
  const { rule_id, source_id, row_id, label, status, content_hash } = row;
  const fields = bodyFields(body).map(({ field, value }) => fieldNow(field, value, shownSpans(field, spans)));
  return { rule_id, source_id, row_id, label, status, body, content_hash, fields };
}

const fieldNow = (field: BodyFieldName, value: unknown, spans: readonly ShownSpan[]): FieldNow => ({
  field,
  value,
  spans,
  shown_hash: shownHash(field, value, spans),
});

const REJECT = 'reject';
const valueBallot = (value: unknown): string => `value ${canonicalJson(value)}`;

/** `rule_id` and field as one text. */
export const subjectOf = (rule_id: string, field: string): string => `${rule_id} ${field}`;

/** A line as history sees it. Two corrections are one ballot when their values are equal. */
export function judgementOf(line: RuleLine): Judgement<RuleLine> {
  const d = line.decision;
  return {
    line,
    id: line.id,
    place: line.place,
    subject: subjectOf(d.rule_id, d.field),
    content: d.shown_hash,
    reviewer_id: d.reviewer_id,
    decided_at: d.decided_at,
    ballot: d.decision === 'correct' ? `correct ${canonicalJson(d.correction)}` : d.decision,
    supersedes: d.supersedes,
  };
}

/** Hash of the content that a correction signs: its own value with the spans that were shown. */
const correctedHash = (d: RuleDecision): string | null =>
  d.decision === 'correct' ? shownHash(d.field as BodyFieldName, d.correction, d.shown.spans) : null;

/** The answer for one field. */
export interface FieldVerdict {
  readonly status: FieldStatus;
  /** The value that stands: the one shown, or the correction that won. */
  readonly value: unknown;
  readonly reviewers: readonly string[];
  readonly against: readonly string[];
  /** Decisions on something else than what stands now. */
  readonly stale: readonly RuleLine[];
  /** Lines that are replaced by a decision of the same person on what stands now. */
  readonly replaced: readonly RuleLine[];
  /** What each person says about what stands now. */
  readonly voices: ReadonlyMap<string, RuleLine>;
}

/**
 * Judges a field by the standing decisions of every person. A decision counts when it was made on exactly what stands
 * now, or when it is a correction to exactly what stands now.
 */
export function judgeField(now: FieldNow, settled: readonly Settled<RuleLine>[]): FieldVerdict {
  const voices = new Map<string, RuleLine>();
  const corrections: RuleLine[] = [];
  const stale: RuleLine[] = [];
  for (const { line } of settled.map((s) => s.standing)) {
    if (line.decision.shown_hash === now.shown_hash) voices.set(line.decision.reviewer_id, line);
    else if (correctedHash(line.decision) === now.shown_hash) corrections.push(line);
    else stale.push(line);
  }
  // Who decided on what stands now has the last word over an own earlier correction to it.
  const replaced: RuleLine[] = [];
  for (const line of corrections) {
    if (voices.has(line.decision.reviewer_id)) replaced.push(line);
    else voices.set(line.decision.reviewer_id, line);
  }
  return { ...count(now, voices, stale), stale, replaced, voices };
}

function count(
  now: FieldNow,
  voices: ReadonlyMap<string, RuleLine>,
  stale: readonly RuleLine[],
): Pick<FieldVerdict, 'status' | 'value' | 'reviewers' | 'against'> {
  const ballots = new Map([...voices].map(([person, line]) => [person, ballotFor(now, line.decision)]));
  const { winner, voices: by, people_n } = tally(ballots);
  const people = [...voices.keys()].sort();
  if (winner === null) {
    const status = people_n === 0 && stale.length > 0 ? 'stale' : by.size > 1 ? 'disputed' : 'missing';
    return { status, value: now.value, reviewers: people, against: [] };
  }
  const reviewers = by.get(winner)!;
  const against = people.filter((p) => !reviewers.includes(p));
  if (winner === REJECT) return { status: 'rejected', value: now.value, reviewers, against };
  if (winner === valueBallot(now.value)) return { status: 'accepted', value: now.value, reviewers, against };
  const value = voices.get(reviewers[0]!)!.decision.correction;
  return { status: 'corrected', value, reviewers, against };
}

function ballotFor(now: FieldNow, d: RuleDecision): string {
  if (d.decision === 'reject') return REJECT;
  if (d.shown_hash === now.shown_hash && d.decision === 'correct') return valueBallot(d.correction);
  return valueBallot(now.value);
}

/** A rule after review. */
export interface ReviewedRule {
  readonly body: RuleBody;
  readonly content_hash: string;
  readonly status: string;
  readonly verdicts: readonly { readonly now: FieldNow; readonly verdict: FieldVerdict }[];
}

/**
 * Puts winning corrections into the body. `checked` becomes `verified` when every field is accepted or corrected, and
 * `rejected` when one is rejected; any other status stays, because people sign what passed the checks.
 */
export function reviewRule(
  rule: OpenRule,
  settledOf: (field: BodyFieldName) => readonly Settled<RuleLine>[],
): ReviewedRule {
  const verdicts = rule.fields.map((now) => ({ now, verdict: judgeField(now, settledOf(now.field)) }));
  const body = verdicts
    .filter(({ verdict }) => verdict.status === 'corrected')
    .reduce((b, { now, verdict }) => withField(b, now.field, verdict.value), rule.body);
  const statuses = verdicts.map((v) => v.verdict.status);
  const signed = statuses.every((s) => s === 'accepted' || s === 'corrected');
  const status = statuses.includes('rejected') ? 'rejected' : signed ? 'verified' : rule.status;
  return {
    body,
    content_hash: bodyHash(body),
    status: rule.status === 'checked' ? status : rule.status,
    verdicts,
  };
}
