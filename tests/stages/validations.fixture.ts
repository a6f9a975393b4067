/** Items and decisions on them, for tests. */
import type { SqlRow } from '../../stages/contract.js';
import { type ItemRow, openItems } from '../../stages/lib/reviews/items.js';
import type { RuleRow } from '../../stages/lib/reviews/rules.js';
import { validateItems } from '../../stages/validate-items/stage.js';
import { runStageOn, type StageRun } from '../support/stage.js';
import { type Line, reviewFolder, ruleRow } from './reviews.fixture.js';

export const RULE = ruleRow('B23-T2-002');

export interface Item {
  readonly question: SqlRow;
  readonly answer: SqlRow;
}

/** An item; `more` replaces columns of either table. */
export function item(instance_id: string, more: Partial<ItemRow> = {}): Item {
  const shared = { benchmark_task_family: 'guideline_following', config: 'gf', split: 'test' };
  const all = {
    instance_id,
    ...shared,
    patient_vignette: `A 78-year-old woman (${instance_id}) has a creatinine clearance of 22 mL/min.`,
    question: 'By the AGS Beers Criteria 2023, which of these should be avoided?',
    options: '{"A":"nitrofurantoin","B":"None of the above"}',
    answer: '["A"]',
    answer_texts: '["nitrofurantoin"]',
    none_letter: 'B',
    decision_type: 'avoidance',
    taxonomy_reasoning_operation: 'direct application',
    taxonomy_patient_info_type: 'renal or dose threshold',
    taxonomy_special_population: 'older adults',
    taxonomy_organ_system: 'renal',
    taxonomy_clinical_department: 'geriatrics',
    taxonomy_drug_category: '[]',
    rule_id: RULE.rule_id,
    source_id: 'beers2023',
    source_ref: 'csv:beers2023.csv#B23-T2-002/threshold_value',
    pair_id: null,
    pair_role: null,
    changed: null,
    template_id: 't1',
    patient: '{}',
    candidates: '[]',
    facts: '[]',
    watch_rules: '[]',
    content_hash: '0',
    ...more,
  };
  const pick = (names: string[]): SqlRow =>
    Object.fromEntries(names.map((n) => [n, (all as unknown as SqlRow)[n]!]));
  return { question: pick(columns('questions')), answer: pick(columns('answers')) };
}

function columns(input: 'questions' | 'answers'): string[] {
  const declared = validateItems.inputs[input]!;
  if (declared.kind !== 'table') throw new Error(`${input} is no table`);
  return Object.keys(declared.row.shape);
}

/** Two members of a pair. */
export function pair(id: string, changed = '[{"field":"/measures/CrCl","from":22,"to":70}]'): [Item, Item] {
  const common = { pair_id: id, changed, config: 'cf' };
  const control = { answer: '["B"]', answer_texts: '["None of the above"]' };
  return [
    item(`${id}-t`, { ...common, pair_role: 'trigger' }),
    item(`${id}-c`, { ...common, ...control, pair_role: 'control' }),
  ];
}

export const asRow = ({ question, answer }: Item): ItemRow =>
  ({ ...answer, ...question }) as unknown as ItemRow;

/** A decision on a criterion of an item as it stands among `items`. */
export function validate(
  items: readonly Item[],
  instance_id: string,
  criterion: string,
  reviewer_id: string,
  decision: 'pass' | 'fail',
  more: Line = {},
  rule: RuleRow & SqlRow = RULE,
): Line {
  const rules = new Map([[rule.rule_id, rule]]);
  const open = openItems(items.map(asRow), rules).find((i) => i.instance_id === instance_id)!;
  return {
    instance_id,
    criterion,
    decision,
    reviewer_id,
    decided_at: '2026-03-01T10:00:00Z',
    content_hash: open.criteria.get(criterion as never) ?? '0'.repeat(64),
    comment: decision === 'fail' ? 'the vignette leaves it open' : '',
    ...more,
  };
}

/** One person passes every criterion of every item, but some. */
export function passAll(items: readonly Item[], reviewer_id: string, but: readonly string[] = []): Line[] {
  const rules = new Map([[RULE.rule_id, RULE]]);
  return openItems(items.map(asRow), rules).flatMap((open) =>
    [...open.criteria.keys()]
      .filter((c) => !but.includes(`${open.instance_id} ${c}`))
      .map((c) => validate(items, open.instance_id, c, reviewer_id, 'pass')),
  );
}

/** Runs the stage on items and files of reviews. */
export const validateAll = (
  items: readonly Item[],
  files: Record<string, readonly Line[] | string>,
  rule: SqlRow = RULE,
): Promise<StageRun> =>
  runStageOn(validateItems, {
    inputs: {
      questions: items.map((i) => i.question),
      answers: items.map((i) => i.answer),
      rules: [rule],
      reviews: { folder: reviewFolder(files) },
    },
  });
