/** Rules, decisions on them and folders of reviews, for tests. Reviewers are letters; nobody signed anything. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RuleBody, Span } from '../../schemas/rule.js';
import { applyReviews } from '../../stages/apply-reviews/stage.js';
import type { SqlRow } from '../../stages/contract.js';
import { canonicalJson } from '../../stages/lib/canonical-json.js';
import { openRule, type RuleRow } from '../../stages/lib/reviews/rules.js';
import { BODY_FIELDS, type BodyFieldName, bodyHash } from '../../stages/lib/rules/fields.js';
import { runStageOn, type StageRun, temporaryFolder } from '../support/stage.js';
import { body } from './rule-body.fixture.js';

/** Spans as a parser gives them: every field that the source says, in a column of one row. */
export const spansFor = (row_id: string, more: Partial<Record<BodyFieldName, string>> = {}): Span[] => {
  const quotes = {
    '/target': 'nitrofurantoin',
    '/population': 'adults aged 65 years or older',
    '/when': 'CrCl < 30 mL/min',
    '/unless': 'a short course',
    '/action/kind': 'avoid if',
    '/ratings': 'Low; Strong',
    ...more,
  };
  return Object.entries(quotes).map(([field, quote]) => ({
    field,
    ref: `csv:beers2023.csv#${row_id}/${field.slice(1).replaceAll('/', '_')}`,
    quote,
  }));
};

export interface RuleOptions {
  readonly body?: RuleBody;
  readonly spans?: readonly Span[];
  readonly status?: string;
  readonly source_id?: string;
}

/** A row of table `rules`. */
export function ruleRow(rule_id: string, options: RuleOptions = {}): SqlRow & RuleRow {
  const b = options.body ?? body();
  return {
    rule_id,
    source_id: options.source_id ?? 'beers2023',
    row_id: rule_id,
    label: 'Nitrofurantoin',
    status: options.status ?? 'checked',
    is_usable: true,
    author: 'parser',
    polarity: b.action.polarity,
    action_kind: b.action.kind,
    patient_information_type: b.patient_information_type,
    special_population: b.special_population,
    body: canonicalJson(b),
    spans: canonicalJson(options.spans ?? spansFor(rule_id)),
    content_hash: bodyHash(b),
  };
}

export type Line = Record<string, unknown>;

/** A decision on a field as it stands in a rule. */
export function decide(
  row: RuleRow,
  field: string,
  reviewer_id: string,
  decision: 'accept' | 'correct' | 'reject',
  more: Line = {},
): Line {
  const rule = openRule(row);
  const now = rule.fields.find((f) => f.field === field)!;
  return {
    rule_id: row.rule_id,
    field,
    decision,
    reviewer_id,
    decided_at: '2026-03-01T10:00:00Z',
    content_hash: row.content_hash,
    shown_hash: now.shown_hash,
    shown: { value: now.value, spans: now.spans },
    comment: decision === 'reject' ? 'not in the source' : '',
    ...more,
  };
}

/** One person accepts every field, or every field but some. */
export const acceptAll = (row: RuleRow, reviewer_id: string, but: readonly string[] = []): Line[] =>
  BODY_FIELDS.filter((f) => !but.includes(f)).map((f) => decide(row, f, reviewer_id, 'accept'));

/** A folder of reviews; lines as objects or as text. */
export function reviewFolder(files: Record<string, readonly Line[] | string>): string {
  const dir = join(temporaryFolder(), 'reviews');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'README.md'), '# reviews\n');
  for (const [name, lines] of Object.entries(files)) {
    const text = typeof lines === 'string' ? lines : lines.map((l) => `${JSON.stringify(l)}\n`).join('');
    mkdirSync(join(dir, name, '..'), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

/** Runs the stage on rules and files of reviews. */
export const applyTo = (
  rows: readonly SqlRow[],
  files: Record<string, readonly Line[] | string>,
): Promise<StageRun> =>
  runStageOn(applyReviews, { inputs: { checked_rules: rows, reviews: { folder: reviewFolder(files) } } });
