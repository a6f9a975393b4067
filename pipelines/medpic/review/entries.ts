/** What is open for a reviewer: fields of rules and criteria of items, each as it would be shown. */

import type { z } from 'zod';
import type { Criterion, ReviewerId } from '../../../schemas/review.js';
import { groupBy } from '../../../stages/lib/group-by.js';
import { type Settled, settleHistory } from '../../../stages/lib/reviews/history.js';
import {
  type CriterionVerdict,
  itemJudgement,
  itemSubject,
  judgeCriterion,
  type OpenItem,
} from '../../../stages/lib/reviews/items.js';
import type { ItemLine, ReviewLine, RuleLine } from '../../../stages/lib/reviews/lines.js';
import {
  type FieldNow,
  type FieldVerdict,
  judgeField,
  judgementOf,
  type OpenRule,
  subjectOf,
} from '../../../stages/lib/reviews/rules.js';
import { differences, valueWords } from '../../../stages/lib/reviews/words.js';

type Reviewer = z.infer<typeof ReviewerId>;

/** One row of a sheet; the columns for the answer are empty. */
export type Entry = Readonly<Record<string, unknown>>;

const CLOSED: ReadonlySet<string> = new Set(['accepted', 'corrected', 'rejected', 'passed']);

/**
 * Fields that this person has not decided as they stand now and that are still open. Decisions of others are shown where
 * they disagree, and only there: first judgements are made alone.
 */
export function ruleEntries(
  rules: readonly OpenRule[],
  lines: readonly ReviewLine[],
  reviewer: Reviewer,
): Entry[] {
  const onRules = lines.filter((l): l is RuleLine => l.kind === 'rule');
  const settled = groupBy(settleHistory(onRules.map(judgementOf)).settled, (s) => s.standing.subject);
  return rules
    .filter((rule) => rule.status === 'checked')
    .flatMap((rule) =>
      rule.fields.flatMap((now) => {
        const history = settled.get(subjectOf(rule.rule_id, now.field)) ?? [];
        const verdict = judgeField(now, history);
        if (CLOSED.has(verdict.status) || verdict.voices.has(reviewer)) return [];
        return [ruleEntry({ rule, now, verdict, history, reviewer })];
      }),
    );
}

function ruleEntry(given: {
  readonly rule: OpenRule;
  readonly now: FieldNow;
  readonly verdict: FieldVerdict;
  readonly history: readonly Settled<RuleLine>[];
  readonly reviewer: Reviewer;
}): Entry {
  const { rule, now, verdict } = given;
  const is_adjudication = verdict.status === 'disputed';
  return {
    rule_id: rule.rule_id,
    field: now.field,
    source_id: rule.source_id,
    row_id: rule.row_id,
    label: rule.label,
    in_words: valueWords(now.field, now.value),
    places:
      now.spans.map((s) => `${placeWords(s.ref)}: "${s.quote}"`).join('\n') ||
      `row ${rule.row_id}: nothing was read for this field`,
    before: staleWords(given.verdict, given.reviewer, now),
    others: is_adjudication ? [...verdict.voices.values()].map(voiceWords).sort().join('\n') : '',
    value: now.value,
    spans: now.spans,
    content_hash: rule.content_hash,
    shown_hash: now.shown_hash,
    is_adjudication,
    reviewer_id: given.reviewer,
  };
}

/** `csv:beers2023.csv#B23-T2-002/threshold_value` as words. */
export function placeWords(ref: string): string {
  const [, kind, document, place] = /^(csv|pdf|label|definition):([^#]*)(?:#(.*))?$/.exec(ref) ?? [];
  const slash = place?.indexOf('/') ?? -1;
  if (kind === 'csv' && slash > 0)
    return `${document}, row ${place!.slice(0, slash)}, column ${place!.slice(slash + 1)}`;
  if (kind === 'pdf') return `${document}, cell ${place}`;
  if (kind === 'label') return `label ${document}, section ${place}`;
  return kind === 'definition' ? `definition of ${document}` : ref;
}

function voiceWords({ decision: d }: RuleLine): string {
  const value = d.decision === 'correct' ? ` to "${valueWords(d.field, d.correction)}"` : '';
  return `${d.reviewer_id}: ${d.decision}${value}${d.comment ? ` (${d.comment})` : ''}`;
}

/** What this person said about an older content, and how it differs. */
function staleWords(verdict: FieldVerdict, reviewer: Reviewer, now: FieldNow): string {
  return verdict.stale
    .map((l) => l.decision)
    .filter((d) => d.reviewer_id === reviewer)
    .map((d) => `${d.decided_at} ${d.decision}; since then ${differences(d.field, d.shown, now).join('; ')}`)
    .sort()
    .join('\n');
}

const QUESTIONS: Readonly<Record<Criterion, string>> = {
  source_alignment: 'Does the answer follow from what the source says at these places?',
  patient_information: 'Is the patient plausible, and is everything said that decides the answer?',
  answer_completeness: 'Does the answer hold every option that is right?',
  distractor_validity: 'Is every other option clearly wrong?',
  counterfactual_consistency:
    'Does one fact alone change between the members, and does the answer change because of it?',
};

/** Criteria that this person has not judged as the item stands now and that are still open. */
export function itemEntries(
  items: readonly OpenItem[],
  rules: ReadonlyMap<string, { readonly spans: string }>,
  lines: readonly ReviewLine[],
  reviewer: Reviewer,
): Entry[] {
  const onItems = lines.filter((l): l is ItemLine => l.kind === 'item');
  const settled = groupBy(settleHistory(onItems.map(itemJudgement)).settled, (s) => s.standing.subject);
  const pairs = groupBy(items, (i) => i.pair_id ?? i.instance_id);
  return items.flatMap((item) =>
    [...item.criteria].flatMap(([criterion, hash]) => {
      const history = settled.get(itemSubject(item.instance_id, criterion)) ?? [];
      const verdict = judgeCriterion(criterion, hash, history);
      if (isAnswered(verdict, reviewer)) return [];
      const partners = pairs.get(item.pair_id ?? item.instance_id)!.filter((i) => i !== item);
      return [
        itemEntry({ item, verdict, history, partners, spans: rules.get(item.rule_id)!.spans, reviewer }),
      ];
    }),
  );
}

/** Two fails with a majority are final, one alone may be contradicted. */
function isAnswered(v: CriterionVerdict, reviewer: Reviewer): boolean {
  const is_final = v.status === 'failed' && v.failed_by.length >= 2;
  return CLOSED.has(v.status) || is_final || [...v.passed_by, ...v.failed_by].includes(reviewer);
}

function itemEntry(given: {
  readonly item: OpenItem;
  readonly verdict: CriterionVerdict;
  readonly history: readonly Settled<ItemLine>[];
  readonly partners: readonly OpenItem[];
  readonly spans: string;
  readonly reviewer: Reviewer;
}): Entry {
  const { item, verdict } = given;
  const is_adjudication = verdict.status === 'disputed';
  const current = given.history
    .map((s) => s.standing.line.decision)
    .filter((d) => d.content_hash === verdict.content_hash);
  const others = current.map((d) => `${d.reviewer_id}: ${d.decision}${d.comment ? ` (${d.comment})` : ''}`);
  const was_asked = verdict.stale.some((l) => l.decision.reviewer_id === given.reviewer);
  const is_pair = verdict.criterion === 'counterfactual_consistency';
  return {
    instance_id: item.instance_id,
    criterion: verdict.criterion,
    asks: QUESTIONS[verdict.criterion],
    vignette: item.patient_vignette,
    question: item.question,
    options: optionWords(item.options),
    answer: item.answer,
    rule_id: item.rule_id,
    places: verdict.criterion === 'source_alignment' ? spanWords(given.spans) : '',
    changed: is_pair ? (item.changed ?? '') : '',
    partners: is_pair ? given.partners.map(partnerWords).join('\n\n') : '',
    before: was_asked ? 'you judged an older text of this item' : '',
    others: is_adjudication ? others.sort().join('\n') : '',
    content_hash: verdict.content_hash,
    is_adjudication,
    reviewer_id: given.reviewer,
  };
}

const optionWords = (options: string): string =>
  Object.entries(JSON.parse(options) as Record<string, string>)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([letter, text]) => `${letter}. ${text}`)
    .join('\n');

const spanWords = (spans: string): string =>
  [
    ...new Set(
      (JSON.parse(spans) as { ref: string; quote: string }[]).map(
        (s) => `${placeWords(s.ref)}: "${s.quote}"`,
      ),
    ),
  ]
    .sort()
    .join('\n');

const partnerWords = (p: OpenItem): string =>
  [p.instance_id, p.patient_vignette, p.question, optionWords(p.options), `answer ${p.answer}`].join('\n');

/** Columns that every sheet has, in this order; the last ones are for the reviewer. */
export const RULE_COLUMNS = [
  'rule_id',
  'field',
  'source_id',
  'row_id',
  'label',
  'in_words',
  'places',
  'before',
  'others',
  'decision',
  'correction',
  'comment',
  'supersedes',
  'decided_at',
  'reviewer_id',
  'is_adjudication',
  'value',
  'spans',
  'content_hash',
  'shown_hash',
] as const;
export const ITEM_COLUMNS = [
  'instance_id',
  'criterion',
  'asks',
  'vignette',
  'question',
  'options',
  'answer',
  'rule_id',
  'places',
  'changed',
  'partners',
  'before',
  'others',
  'decision',
  'comment',
  'supersedes',
  'decided_at',
  'reviewer_id',
  'is_adjudication',
  'content_hash',
] as const;
