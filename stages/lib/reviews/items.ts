/** What people's decisions make of an item, criterion by criterion. */
import { CRITERIA, type Criterion, type CriterionStatus } from '../../../schemas/review.js';
import { canonicalJson } from '../canonical-json.js';
import { groupBy } from '../group-by.js';
import { sha256 } from '../hash.js';
import type { Judgement, Settled } from './history.js';
import type { ItemLine } from './lines.js';

/** Columns of questions and answers that a reviewer is shown. */
export interface ItemRow {
  readonly instance_id: string;
  readonly config: string;
  readonly patient_vignette: string;
  readonly question: string;
  readonly options: string;
  readonly answer: string;
  readonly answer_texts: string;
  readonly rule_id: string;
  readonly source_ref: string;
  readonly pair_id: string | null;
  readonly pair_role: string | null;
  readonly changed: string | null;
}

/** The rule of an item as far as source alignment rests on it. */
export interface ItemRule {
  readonly content_hash: string;
  /** Canonical JSON. */
  readonly spans: string;
}

/** An item with the criteria that apply to it, and the hash of what is shown for each. */
export interface OpenItem extends ItemRow {
  readonly criteria: ReadonlyMap<Criterion, string>;
}

/** SHA-256 of everything of an item that a reviewer reads. */
export const itemHash = (row: ItemRow): string =>
  sha256(
    canonicalJson({
      patient_vignette: row.patient_vignette,
      question: row.question,
      options: row.options,
      answer: row.answer,
      answer_texts: row.answer_texts,
      rule_id: row.rule_id,
      source_ref: row.source_ref,
    }),
  );

/**
 * Items with their criteria. Source alignment rests on the item and its rule with its spans; the counterfactual
 * criterion on all items of the pair and what changes between them, and it applies to pairs alone; the others on the item.
 * A rule that is not there is an error.
 */
export function openItems(rows: readonly ItemRow[], rules: ReadonlyMap<string, ItemRule>): OpenItem[] {
  const pairs = groupBy(
    rows.filter((r) => r.pair_id !== null),
    (r) => r.pair_id!,
  );
  return rows.map((row) => {
    const members = row.pair_id === null ? null : pairs.get(row.pair_id)!;
    const hashes = CRITERIA.flatMap((c): [Criterion, string][] => {
      if (c === 'source_alignment') return [[c, alignedHash(row, rules)]];
      if (c !== 'counterfactual_consistency') return [[c, itemHash(row)]];
      return members ? [[c, pairHash(members)]] : [];
    });
    return { ...row, criteria: new Map(hashes) };
  });
}

function alignedHash(row: ItemRow, rules: ReadonlyMap<string, ItemRule>): string {
  const rule = rules.get(row.rule_id);
  if (!rule) throw new Error(`item ${row.instance_id}: there is no rule ${row.rule_id}`);
  return sha256(
    canonicalJson({ item: itemHash(row), content_hash: rule.content_hash, spans: JSON.parse(rule.spans) }),
  );
}

const pairHash = (members: readonly ItemRow[]): string =>
  sha256(canonicalJson(members.map((m) => [itemHash(m), m.changed, m.pair_role].join(' ')).sort()));

/** Item and criterion as one text. */
export const itemSubject = (instance_id: string, criterion: string): string => `${instance_id} ${criterion}`;

/** A line as history sees it. */
export function itemJudgement(line: ItemLine): Judgement<ItemLine> {
  const { decision: d, id, place } = line;
  return {
    line,
    id,
    place,
    subject: itemSubject(d.instance_id, d.criterion),
    content: d.content_hash,
    reviewer_id: d.reviewer_id,
    decided_at: d.decided_at,
    ballot: d.decision,
    supersedes: d.supersedes,
  };
}

export interface CriterionVerdict {
  readonly criterion: Criterion;
  readonly content_hash: string;
  readonly status: CriterionStatus;
  readonly passed_by: readonly string[];
  readonly failed_by: readonly string[];
  readonly stale: readonly ItemLine[];
}

/**
 * `passed`: at least two people and more than half. Any `fail` short of that excludes: `failed` when nobody passes it, or
 * when at least two and more than half fail it; `disputed` otherwise.
 */
export function judgeCriterion(
  criterion: Criterion,
  content_hash: string,
  settled: readonly Settled<ItemLine>[],
): CriterionVerdict {
  const lines = settled.map((s) => s.standing.line);
  const current = lines.filter((l) => l.decision.content_hash === content_hash);
  const by = (word: 'pass' | 'fail'): string[] =>
    current.filter((l) => l.decision.decision === word).map((l) => l.decision.reviewer_id);
  const [passed_by, failed_by] = [by('pass').sort(), by('fail').sort()];
  const stale = lines.filter((l) => !current.includes(l));
  const status = statusOf(passed_by.length, failed_by.length, stale.length > 0);
  return { criterion, content_hash, status, passed_by, failed_by, stale };
}

function statusOf(passed: number, failed: number, has_stale: boolean): CriterionStatus {
  if (passed >= 2 && passed > failed) return 'passed';
  if (failed > 0) return passed === 0 || (failed >= 2 && failed > passed) ? 'failed' : 'disputed';
  return passed === 0 && has_stale ? 'stale' : 'open';
}

/** One item after review. */
export interface ItemVerdict {
  readonly item: OpenItem;
  readonly status: 'validated' | 'excluded' | 'open';
  readonly reason: 'failed_criterion' | 'unresolved_disagreement' | 'pair_member' | null;
  readonly criteria: readonly CriterionVerdict[];
}

/** Judges every item, then takes out the partners of excluded pair members. */
export function judgeItems(
  items: readonly OpenItem[],
  settledOf: (instance_id: string, criterion: Criterion) => readonly Settled<ItemLine>[],
): ItemVerdict[] {
  const verdicts = items.map((item) => {
    const criteria = [...item.criteria].map(([criterion, hash]) =>
      judgeCriterion(criterion, hash, settledOf(item.instance_id, criterion)),
    );
    return { item, criteria, ...itemStatus(criteria.map((c) => c.status)) };
  });
  const lost = new Set(verdicts.filter((v) => v.status === 'excluded').map((v) => v.item.pair_id));
  return verdicts.map((v) =>
    v.status !== 'excluded' && v.item.pair_id !== null && lost.has(v.item.pair_id)
      ? { ...v, status: 'excluded', reason: 'pair_member' }
      : v,
  );
}

function itemStatus(statuses: readonly CriterionStatus[]): Pick<ItemVerdict, 'status' | 'reason'> {
  if (statuses.includes('failed')) return { status: 'excluded', reason: 'failed_criterion' };
  if (statuses.includes('disputed')) return { status: 'excluded', reason: 'unresolved_disagreement' };
  return { status: statuses.every((s) => s === 'passed') ? 'validated' : 'open', reason: null };
}
