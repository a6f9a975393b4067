/** From checked rules and lines of reviewers to verified, rejected and still open rules. */
import {
  type LINE_OUTCOMES,
  reviewAgreement,
  reviewDecisions,
  reviewFields,
  staleReviews,
} from '../../schemas/review.js';
import { rules as rulesTable } from '../../schemas/rule.js';
import type { SqlRow, StageContext } from '../contract.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { groupBy } from '../lib/group-by.js';
import { agreementRows } from '../lib/reviews/agreement-rows.js';
import { failOnFirst, readReviewFolder } from '../lib/reviews/folder.js';
import { type History, settleHistory } from '../lib/reviews/history.js';
import type { RuleLine } from '../lib/reviews/lines.js';
import {
  type FieldNow,
  type FieldVerdict,
  judgementOf,
  type OpenRule,
  openRule,
  type ReviewedRule,
  type RuleRow,
  reviewRule,
  subjectOf,
} from '../lib/reviews/rules.js';
import { differences } from '../lib/reviews/words.js';
import { shownHash } from '../lib/rules/fields.js';
import { linesOnRules } from './lines.js';

type FullRow = RuleRow & SqlRow;
type Verdicts = readonly { readonly now: FieldNow; readonly verdict: FieldVerdict }[];

/** Reads, settles every person's history, judges every field, writes. */
export async function run(ctx: StageContext): Promise<void> {
  const rows = await ctx.sql.rows<FullRow>('select * from checked_rules order by rule_id');
  const open = new Map(rows.map((row) => [row.rule_id, openRule(row)]));
  const lines = linesOnRules(ctx, await readReviewFolder(ctx, 'reviews'), open);
  const history = settleHistory(lines.map(judgementOf));
  failOnFirst(ctx, history.problems);
  ctx.drop('review_lines', 'exact_copy', history.copies_n);
  const settled = groupBy(history.settled, (s) => s.standing.subject);
  const reviewed = new Map<string, ReviewedRule>();
  for (const rule of open.values()) {
    const result = reviewRule(rule, (field) => settled.get(subjectOf(rule.rule_id, field)) ?? []);
    reviewed.set(rule.rule_id, result);
  }
  const verdicts = [...reviewed.values()].flatMap((r) => r.verdicts);
  await writeRules(ctx, rows, reviewed);
  await writeDecisions(ctx, lines, history, verdicts);
  await writeStale(ctx, verdicts);
  await writeFields(ctx, reviewed);
  await ctx.sql.insert('review_agreement', reviewAgreement, agreement(history, open));
}

async function writeRules(
  ctx: StageContext,
  rows: readonly FullRow[],
  reviewed: ReadonlyMap<string, ReviewedRule>,
): Promise<void> {
  const out = rows.map((row) => {
    const { body, status, content_hash } = reviewed.get(row.rule_id)!;
    return {
      ...row,
      status,
      content_hash,
      body: canonicalJson(body),
      polarity: body.action.polarity,
      action_kind: body.action.kind,
      patient_information_type: body.patient_information_type,
      special_population: body.special_population,
      is_usable: Boolean(row.is_usable) && status !== 'rejected',
    };
  });
  countBy(ctx, 'rules', out, (r) => r.status);
  await ctx.sql.insert('rules', rulesTable, out);
}

function countBy<T>(ctx: StageContext, name: string, rows: readonly T[], key: (row: T) => string): void {
  for (const [value, group] of groupBy(rows, key)) ctx.count(`${name}.${value}`, group.length);
}

async function writeDecisions(
  ctx: StageContext,
  lines: readonly RuleLine[],
  history: History<RuleLine>,
  verdicts: Verdicts,
): Promise<void> {
  const outcomes = new Map<string, (typeof LINE_OUTCOMES)[number]>(history.outcomes);
  for (const { verdict } of verdicts) {
    for (const line of verdict.stale) outcomes.set(line.id, 'stale');
    for (const line of verdict.replaced) outcomes.set(line.id, 'superseded');
  }
  const rows = [...new Map(lines.map((l) => [l.id, l.decision]))].map(([decision_id, decision]) => {
    const { shown: _shown, supersedes: _supersedes, correction, ...rest } = decision;
    const text = correction === undefined ? null : canonicalJson(correction);
    return { ...rest, decision_id, correction: text, outcome: outcomes.get(decision_id) ?? 'counted' };
  });
  for (const { rule_id, decision_id, outcome } of rows)
    if (outcome === 'counted')
      ctx.cite({ child: `rule:${rule_id}`, relation: 'reviewed_in', parent: `review:${decision_id}` });
  countBy(ctx, 'decisions', rows, (r) => r.outcome);
  await ctx.sql.insert('review_decisions', reviewDecisions, rows);
}

async function writeStale(ctx: StageContext, verdicts: Verdicts): Promise<void> {
  const rows = verdicts.flatMap(({ now, verdict }) =>
    verdict.stale.map(({ id, decision: d }) => ({
      decision_id: id,
      rule_id: d.rule_id,
      field: d.field,
      reviewer_id: d.reviewer_id,
      decided_at: d.decided_at,
      decision: d.decision,
      shown: canonicalJson(d.shown),
      now: canonicalJson({ value: now.value, spans: now.spans }),
      difference: differences(d.field, d.shown, now).join('\n'),
    })),
  );
  await ctx.sql.insert('stale_reviews', staleReviews, rows);
}

async function writeFields(ctx: StageContext, reviewed: ReadonlyMap<string, ReviewedRule>): Promise<void> {
  const rows = [...reviewed].flatMap(([rule_id, { verdicts }]) =>
    verdicts.map(({ now, verdict }) => ({
      rule_id,
      field: now.field,
      status: verdict.status,
      reviewers: canonicalJson(verdict.reviewers),
      against: canonicalJson(verdict.against),
      stale_n: verdict.stale.length,
      shown_hash: shownHash(now.field, verdict.value, now.spans),
    })),
  );
  countBy(ctx, 'fields', rows, (r) => r.status);
  await ctx.sql.insert('review_fields', reviewFields, rows);
}

/** First independent decisions on one content; stale ones count too, because people saw the same then. */
function agreement(history: History<RuleLine>, open: ReadonlyMap<string, OpenRule>) {
  const first = history.settled.map((s) => s.first.line.decision).filter((d) => !d.is_adjudication);
  const subjects = groupBy(first, (d) => `${subjectOf(d.rule_id, d.field)} ${d.shown_hash}`);
  return agreementRows(
    [...subjects.values()].map((decisions) => ({
      scopes: [`field ${decisions[0]!.field}`, `source ${open.get(decisions[0]!.rule_id)!.source_id}`],
      categories: new Map(decisions.map((d) => [d.reviewer_id, d.decision])),
    })),
  );
}
