/** From items and lines of reviewers to validated, excluded and still open items. */
import {
  CRITERIA,
  criterionExclusions,
  itemCriteria,
  itemDecisions,
  itemValidation,
  type LINE_OUTCOMES,
  validationAgreement,
} from '../../schemas/review.js';
import type { Problem, StageContext } from '../contract.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { groupBy } from '../lib/group-by.js';
import { agreementRows, type JudgedSubject } from '../lib/reviews/agreement-rows.js';
import { failOnFirst, readReviewFolder } from '../lib/reviews/folder.js';
import { type History, settleHistory } from '../lib/reviews/history.js';
import {
  type ItemRow,
  type ItemRule,
  type ItemVerdict,
  itemJudgement,
  itemSubject,
  judgeItems,
  type OpenItem,
  openItems,
} from '../lib/reviews/items.js';
import type { ItemLine } from '../lib/reviews/lines.js';

/** Reads, settles every person's history, judges every item, writes. */
export async function run(ctx: StageContext): Promise<void> {
  const items = await readItems(ctx);
  const lines = await readLines(ctx, new Map(items.map((i) => [i.instance_id, i])));
  const history = settleHistory(lines.map(itemJudgement));
  failOnFirst(ctx, history.problems);
  ctx.drop('review_lines', 'exact_copy', history.copies_n);
  const settled = groupBy(history.settled, (s) => s.standing.subject);
  const verdicts = judgeItems(items, (id, criterion) => settled.get(itemSubject(id, criterion)) ?? []);
  await writeItems(ctx, verdicts);
  await writeDecisions(ctx, { lines, history, verdicts });
  await writeExclusions(ctx, verdicts);
  await ctx.sql.insert('validation_agreement', validationAgreement, agreement(history, items));
}

async function readItems(ctx: StageContext): Promise<OpenItem[]> {
  const rows = await ctx.sql.rows<ItemRow>(`
    select instance_id, q.config, q.patient_vignette, q.question, q.options, a.answer, a.answer_texts, a.rule_id,
      a.source_ref, a.pair_id, a.pair_role, a.changed
    from questions q join answers a using (instance_id) order by instance_id`);
  const rules = await ctx.sql.rows<ItemRule & { rule_id: string }>(
    'select rule_id, content_hash, spans from rules semi join answers using (rule_id)',
  );
  return openItems(rows, new Map(rules.map((r) => [r.rule_id, r])));
}

async function readLines(ctx: StageContext, items: ReadonlyMap<string, OpenItem>): Promise<ItemLine[]> {
  const { lines } = await readReviewFolder(ctx, 'reviews');
  const onItems = lines.filter((l) => l.kind === 'item');
  ctx.records('review_lines', lines.length);
  ctx.drop('review_lines', 'rule_review', lines.length - onItems.length);
  failOnFirst(
    ctx,
    onItems.flatMap((line) => notApplicable(line, items.get(line.decision.instance_id))),
  );
  return onItems;
}

function notApplicable({ decision, place }: ItemLine, item: OpenItem | undefined): Problem[] {
  if (!item || item.criteria.has(decision.criterion)) return [];
  return [
    {
      message: 'a validation judges a criterion that the item does not have',
      file: place.file,
      row: place.line,
      field: 'criterion',
      got: `${decision.criterion} of ${decision.instance_id}, which is in no pair`,
      expected: [...item.criteria.keys()].join(', '),
    },
  ];
}

async function writeItems(ctx: StageContext, verdicts: readonly ItemVerdict[]): Promise<void> {
  const criteria = verdicts.flatMap(({ item, criteria: list }) =>
    list.map(({ stale, passed_by, failed_by, ...c }) => ({
      instance_id: item.instance_id,
      ...c,
      passed_by: canonicalJson(passed_by),
      failed_by: canonicalJson(failed_by),
      stale_n: stale.length,
    })),
  );
  await ctx.sql.insert('item_criteria', itemCriteria, criteria);
  const rows = verdicts.map(({ item, status, reason, criteria: list }) => ({
    instance_id: item.instance_id,
    pair_id: item.pair_id,
    status,
    reason,
    criteria: canonicalJson(list.filter(excludes).map((c) => c.criterion)),
    reviewers: canonicalJson([...new Set(list.flatMap((c) => [...c.passed_by, ...c.failed_by]))].sort()),
  }));
  for (const [status, group] of groupBy(rows, (r) => r.status)) ctx.count(`items.${status}`, group.length);
  await ctx.sql.insert('item_validation', itemValidation, rows);
}

const excludes = (c: { readonly status: string }): boolean =>
  c.status === 'failed' || c.status === 'disputed';

async function writeDecisions(
  ctx: StageContext,
  given: {
    readonly lines: readonly ItemLine[];
    readonly history: History<ItemLine>;
    readonly verdicts: readonly ItemVerdict[];
  },
): Promise<void> {
  const outcomes = new Map<string, (typeof LINE_OUTCOMES)[number]>(given.history.outcomes);
  const known = new Set(given.verdicts.map((v) => v.item.instance_id));
  for (const { criteria } of given.verdicts)
    for (const { stale } of criteria) for (const line of stale) outcomes.set(line.id, 'stale');
  const unique = new Map(given.lines.map((l) => [l.id, l.decision]));
  const rows = [...unique].map(([decision_id, { supersedes: _supersedes, ...rest }]) => {
    const standing = known.has(rest.instance_id) ? 'counted' : 'absent';
    return { ...rest, decision_id, outcome: outcomes.get(decision_id) ?? standing };
  });
  for (const { instance_id, decision_id, outcome } of rows)
    if (outcome === 'counted')
      ctx.cite({ child: `item:${instance_id}`, relation: 'reviewed_in', parent: `review:${decision_id}` });
  for (const [outcome, group] of groupBy(rows, (r) => r.outcome))
    ctx.count(`decisions.${outcome}`, group.length);
  await ctx.sql.insert('item_decisions', itemDecisions, rows);
}

async function writeExclusions(ctx: StageContext, verdicts: readonly ItemVerdict[]): Promise<void> {
  const rows = CRITERIA.map((criterion) => {
    const statuses = verdicts.flatMap((v) => v.criteria.filter((c) => c.criterion === criterion));
    const n = (...words: string[]): number => statuses.filter((c) => words.includes(c.status)).length;
    return {
      criterion: criterion as string,
      excluded_n: n('failed', 'disputed'),
      failed_n: n('failed'),
      disputed_n: n('disputed'),
      passed_n: n('passed'),
      open_n: n('open', 'stale'),
    };
  });
  const members = verdicts.filter((v) => v.reason === 'pair_member').length;
  rows.push({
    criterion: 'pair_member',
    excluded_n: members,
    failed_n: 0,
    disputed_n: 0,
    passed_n: 0,
    open_n: 0,
  });
  await ctx.sql.insert('criterion_exclusions', criterionExclusions, rows);
}

/** First independent decisions: by criterion, and on the validity of whole items (one fail makes an item invalid). */
function agreement(history: History<ItemLine>, items: readonly OpenItem[]) {
  const first = history.settled.map((s) => s.first.line.decision).filter((d) => !d.is_adjudication);
  const byContent = groupBy(first, (d) => `${itemSubject(d.instance_id, d.criterion)} ${d.content_hash}`);
  const criteria = [...byContent.values()].map((decisions) => ({
    scopes: [decisions[0]!.criterion],
    categories: new Map(decisions.map((d) => [d.reviewer_id, d.decision])),
  }));
  const byItem = groupBy(first, (d) => d.instance_id);
  const valid = items.map((item): JudgedSubject => {
    const now = (byItem.get(item.instance_id) ?? []).filter(
      (d) => item.criteria.get(d.criterion) === d.content_hash,
    );
    const people = groupBy(now, (d) => d.reviewer_id);
    const whole = [...people].filter(
      ([, d]) => d.length === item.criteria.size || d.some((x) => x.decision === 'fail'),
    );
    const word = (d: readonly { decision: string }[]): string =>
      d.some((x) => x.decision === 'fail') ? 'invalid' : 'valid';
    return { scopes: [], categories: new Map(whole.map(([person, d]) => [person, word(d)])) };
  });
  return [...agreementRows(criteria, 'all criteria'), ...agreementRows(valid, 'item validity')];
}
