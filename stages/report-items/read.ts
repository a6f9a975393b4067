/** The inputs of the report, parsed. */
import type { StageContext } from '../contract.js';

/** One item with what is asked and what is right. */
export interface Item {
  readonly instance_id: string;
  readonly config: string;
  readonly split: string;
  readonly question: string;
  /** Letter and text, by letter. */
  readonly options: readonly (readonly [string, string])[];
  readonly keys: readonly string[];
  readonly none_letter: string | null;
  readonly rule_id: string;
  readonly source_id: string;
  readonly pair_id: string | null;
  /** Drugs that the options offer. */
  readonly drugs: readonly string[];
  /** Categories by dimension; a dimension may have several. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
}

export interface RuleRow {
  readonly rule_id: string;
  readonly source_id: string;
  readonly status: string;
}

export interface Inputs {
  readonly items: readonly Item[];
  readonly rules: readonly RuleRow[];
  readonly outcomes: readonly { source_id: string; outcome: string; reason: string | null }[];
  readonly rejects: readonly { config: string; reason: string; n: number }[];
  readonly validation: ReadonlyMap<string, number>;
}

type Row = Readonly<Record<string, string | null>>;

/** Label columns of an answer row: the six dimensions, and how the question decides. */
export const DIMENSIONS = [
  'taxonomy_patient_info_type',
  'taxonomy_reasoning_operation',
  'taxonomy_special_population',
  'taxonomy_organ_system',
  'taxonomy_clinical_department',
  'taxonomy_drug_category',
  'decision_type',
] as const;

/** Reads every table; items in the order of their ids, without those that people excluded. */
export async function readInputs(ctx: StageContext): Promise<Inputs> {
  const rows = await ctx.sql.rows<Row>(
    `select q.question, q.options, a.* from questions q join answers a using (instance_id)
     where instance_id not in (select instance_id from item_validation where status = 'excluded') order by instance_id`,
  );
  const items = rows.map(toItem);
  for (const item of items) checkKeys(ctx, item);
  const validation = await ctx.sql.rows<{ status: string; n: number }>(
    'select status, count(*) as n from item_validation group by status order by status',
  );
  return {
    items,
    rules: await ctx.sql.rows('select rule_id, source_id, status from rules order by rule_id'),
    outcomes: await ctx.sql.rows('select source_id, outcome, reason from row_outcomes order by all'),
    rejects: await ctx.sql.rows(
      'select config, reason, sum(n)::BIGINT as n from item_rejects group by all order by config, n desc, reason',
    ),
    validation: new Map(validation.map((v) => [v.status, v.n])),
  };
}

/** Letters that are no option would be counted nowhere. */
function checkKeys(ctx: StageContext, item: Item): void {
  const letters = item.options.map(([letter]) => letter);
  const strange = item.keys.filter((k) => !letters.includes(k));
  if (strange.length === 0 && item.keys.length > 0) return;
  ctx.fail({
    message: `the answer of ${item.instance_id} is no option`,
    file: 'answers',
    field: 'answer',
    got: strange.join(', ') || 'no letter',
    expected: letters.join(', '),
    next: 'correct the stage that poses the question',
  });
}

function toItem(row: Row): Item {
  const candidates = JSON.parse(row.candidates!) as { use: { drug: string } | null }[];
  const options = Object.entries(JSON.parse(row.options!) as Record<string, string>);
  return {
    instance_id: row.instance_id!,
    config: row.config!,
    split: row.split!,
    question: row.question!,
    options: options.sort(([a], [b]) => (a < b ? -1 : 1)),
    keys: JSON.parse(row.answer!) as string[],
    none_letter: row.none_letter!,
    rule_id: row.rule_id!,
    source_id: row.source_id!,
    pair_id: row.pair_id!,
    drugs: candidates.flatMap((c) => (c.use ? [c.use.drug] : [])),
    labels: Object.fromEntries(DIMENSIONS.map((d) => [d, categories(row[d]!)])),
  };
}

/** A JSON list, or one category. */
const categories = (text: string): string[] =>
  text.startsWith('[') ? (JSON.parse(text) as string[]) : [text];

/** Items of one pair together; an item without pair is a unit of its own. */
export function units(items: readonly Item[]): Item[][] {
  const byUnit = new Map<string, Item[]>();
  for (const item of items) {
    const unit = item.pair_id ?? item.instance_id;
    byUnit.set(unit, [...(byUnit.get(unit) ?? []), item]);
  }
  return [...byUnit.values()];
}
