/** Turns the registry and feature-rules.csv into the tables that the SQL templates join. */
import { col, type Table, table } from '../../schemas/table.js';
import type { SqlRow } from '../contract.js';
import { parseCsv } from '../lib/csv.js';
import type { Feature } from '../lib/registry.js';

export const RULES_FILE = 'stages/build-features/feature-rules.csv';

/** One line of feature-rules.csv: which file makes a feature, by which operation. */
export interface FeatureRule {
  readonly feature_id: string;
  readonly file: string;
  readonly operation: string;
  readonly arguments: Readonly<Record<string, string>>;
  readonly feature: Feature;
}

/** Parses feature-rules.csv; each registry id must stand there once, in registry order. */
export function parseRules(text: string, registry: readonly Feature[]): FeatureRule[] {
  const records = parseCsv(text, RULES_FILE);
  if (records.map((r) => r.feature_id).join() !== registry.map((f) => f.feature_id).join())
    throw new Error(`${RULES_FILE}: expected every feature of the registry once, in its order`);
  return records.map((r, i) => ({
    feature_id: r.feature_id!,
    file: r.file!,
    operation: r.operation!,
    arguments: parseArguments(r.arguments!),
    feature: registry[i]!,
  }));
}

function parseArguments(text: string): Record<string, string> {
  const pairs = text.split(';').filter(Boolean);
  return Object.fromEntries(
    pairs.map((p) => [p.slice(0, p.indexOf('=')), p.slice(p.indexOf('=') + 1)] as const),
  );
}

/** A session table made from the rules. */
export interface RuleTable {
  readonly schema: Table;
  rows(rules: readonly FeatureRule[]): SqlRow[];
}

const ofFile = (rules: readonly FeatureRule[], name: string): FeatureRule[] =>
  rules.filter((r) => r.file === `templates/${name}.sql`);

/** Statistics whose plausible limits are limits of single values, not of the statistic. */
const VALUE_STATISTICS = new Set(['first', 'last', 'min', 'max', 'mean']);

function seriesItems(rules: readonly FeatureRule[]): SqlRow[] {
  const found = new Map<string, SqlRow[]>();
  for (const rule of ofFile(rules, 'series-statistic')) {
    const { series, source, convert, pool } = rule.arguments;
    const has_limits = VALUE_STATISTICS.has(rule.feature.statistic);
    const rows = rule.feature.itemids.map((itemid, rank) => ({
      series: series!,
      source: source!,
      itemid,
      rank,
      convert: convert ?? 'identity',
      is_pooled: pool === 'charttime',
      low: has_limits ? rule.feature.plausible_low : null,
      high: has_limits ? rule.feature.plausible_high : null,
    }));
    const known = found.get(series!);
    if (!known) found.set(series!, rows);
    else if (has_limits && JSON.stringify(known) !== JSON.stringify(rows))
      throw new Error(`${rule.feature_id}: series ${series} has other items or limits than its siblings`);
  }
  return [...found.values()].flat();
}

const perItem = (
  rules: readonly FeatureRule[],
  name: string,
  more: (rule: FeatureRule) => SqlRow,
): SqlRow[] =>
  ofFile(rules, name).flatMap((rule) =>
    rule.feature.itemids
      .filter((itemid) => String(itemid) !== rule.arguments.without)
      .map((itemid) => ({ feature_id: rule.feature_id, itemid, ...more(rule) })),
  );

const perRule = (
  rules: readonly FeatureRule[],
  name: string,
  more: (rule: FeatureRule) => SqlRow,
): SqlRow[] => ofFile(rules, name).map((rule) => ({ feature_id: rule.feature_id, ...more(rule) }));

const id = { feature_id: col.text() };
const item = { feature_id: col.text(), itemid: col.int() };

/** Every table made from the rules. */
export const RULE_TABLES: readonly RuleTable[] = [
  {
    schema: table({
      name: 'feature_limit',
      doc: 'plausible limits of the released values',
      key: ['feature_id'],
      row: { ...id, file: col.text(), low: col.double().nullable(), high: col.double().nullable() },
    }),
    rows: (rules) =>
      rules.map((r) => ({
        feature_id: r.feature_id,
        file: r.file,
        low: r.feature.plausible_low,
        high: r.feature.plausible_high,
      })),
  },
  {
    schema: table({
      name: 'feature_item',
      doc: 'itemids of every feature',
      key: ['feature_id', 'itemid'],
      row: item,
    }),
    rows: (rules) =>
      rules.flatMap((r) => r.feature.itemids.map((itemid) => ({ feature_id: r.feature_id, itemid }))),
  },
  {
    schema: table({
      name: 'series_item',
      doc: 'series of numbers: its itemids in registry order, conversion, limits, pooling',
      key: ['series', 'itemid'],
      row: {
        series: col.text(),
        source: col.text(),
        itemid: col.int(),
        rank: col.int(),
        convert: col.text(),
        is_pooled: col.bool(),
        low: col.double().nullable(),
        high: col.double().nullable(),
      },
    }),
    rows: seriesItems,
  },
  {
    schema: table({
      name: 'series_statistic',
      doc: 'features that are a statistic of a series',
      key: ['feature_id'],
      row: { ...id, series: col.text(), source: col.text(), statistic: col.text() },
    }),
    rows: (rules) =>
      perRule(rules, 'series-statistic', (r) => ({
        series: r.arguments.series!,
        source: r.arguments.source!,
        statistic: r.operation,
      })),
  },
  {
    schema: table({
      name: 'series_threshold',
      doc: 'features that compare a series with a threshold',
      key: ['feature_id'],
      row: { ...id, series: col.text(), comparison: col.text(), threshold: col.double() },
    }),
    rows: (rules) =>
      perRule(rules, 'series-threshold', (r) => ({
        series: r.arguments.series!,
        comparison: r.operation,
        threshold: Number(r.arguments.threshold),
      })),
  },
  {
    schema: table({
      name: 'text_item',
      doc: 'features that look for a charted text',
      key: ['feature_id', 'itemid'],
      row: { ...item, pattern: col.text(), is_negated: col.bool() },
    }),
    rows: (rules) =>
      perItem(rules, 'charted-text', (r) => ({
        pattern: r.arguments.pattern!,
        is_negated: r.operation === 'any_other',
      })),
  },
  {
    schema: table({
      name: 'attribute_rule',
      doc: 'features that compare a text of patient, admission, stay or service with a pattern',
      key: ['feature_id'],
      row: { ...id, attribute: col.text(), pattern: col.text(), is_negated: col.bool() },
    }),
    rows: (rules) =>
      perRule(rules, 'attribute', (r) => ({
        attribute: r.arguments.attribute!,
        pattern: r.arguments.pattern!,
        is_negated: r.operation === 'matches_not',
      })),
  },
  {
    schema: table({
      name: 'group_rule',
      doc: 'features that look for a comorbidity group in earlier admissions; no group: any code',
      key: ['feature_id'],
      row: { ...id, group_name: col.text().nullable(), system: col.text().nullable() },
    }),
    rows: (rules) =>
      perRule(rules, 'prior-diagnosis', (r) => ({
        group_name: r.arguments.group ?? null,
        system: r.arguments.system ?? null,
      })),
  },
  {
    schema: table({
      name: 'output_item',
      doc: 'features that add outputs',
      key: ['feature_id', 'itemid'],
      row: item,
    }),
    rows: (rules) => perItem(rules, 'output-sum', () => ({})),
  },
  {
    schema: table({
      name: 'input_item',
      doc: 'features that add inputs (unit) or ask whether one was given (given)',
      key: ['feature_id', 'itemid'],
      row: { ...item, operation: col.text(), unit: col.text().nullable(), given: col.text().nullable() },
    }),
    rows: (rules) =>
      ['input-sum', 'input-any'].flatMap((name) =>
        perItem(rules, name, (r) => ({
          operation: r.operation,
          unit: r.arguments.unit ?? null,
          given: r.arguments.given ?? null,
        })),
      ),
  },
  {
    schema: table({
      name: 'pressor_rule',
      doc: 'features that take the highest rate of a drug',
      key: ['feature_id'],
      row: { ...id, drug: col.text() },
    }),
    rows: (rules) => perRule(rules, 'pressor-max', (r) => ({ drug: r.arguments.drug! })),
  },
  {
    schema: table({
      name: 'procedure_item',
      doc: 'features that look for a procedure which overlaps the window or starts in it',
      key: ['feature_id', 'itemid'],
      row: { ...item, operation: col.text(), when: col.text() },
    }),
    rows: (rules) =>
      perItem(rules, 'procedure', (r) => ({ operation: r.operation, when: r.arguments.when! })),
  },
];
