/** From a feature of a stay back to its source rows, and forward again: the same SQL on the same session views. */
import { parseCsv } from '../lib/csv.js';
import { type BaseContext, runSqlFile } from './base.js';
import type { BuildFeaturesConfig } from './config.js';
import { computeFeatures, HERE, readRules } from './features.js';
import type { FeatureRule } from './rules.js';

const TRACE_VIEWS_FILE = `${HERE}/rows/11-trace.sql`;
const INPUTS_FILE = `${HERE}/data/feature-inputs.csv`;

/** Files that tracing reads besides those of the stage. */
export const TRACE_FILES: readonly string[] = [TRACE_VIEWS_FILE, INPUTS_FILE];

/** Two queries with the parameter `$stay_id`. */
export interface FeatureTrace {
  readonly feature_id: string;
  readonly name: string;
  readonly unit: string;
  /**
   * Columns: feature_id (the traced feature, or the input feature through which the row enters), source_table, itemid, row_key
   * (labevent_id, orderid, hadm_id-seq_num, ...), at, value, valuenum, unit, used_value, why_not (null = used).
   */
  readonly rows: string;
  /** One row with the column `value`, or none: what the feature's own SQL makes of these rows, plausible limits applied. */
  readonly aggregate: string;
}

/** Where rows of a feature are found: a trace view and a condition on it. */
type Source = readonly [view: string, condition: string];

/**
 * Makes the session ready for tracing: its views `cohort`, `chartevents`, ... must be there, as in a run of the stage; a cohort of
 * one stay is enough and quick.
 */
export async function prepareTrace(ctx: BaseContext, config: BuildFeaturesConfig): Promise<void> {
  await computeFeatures(ctx, config);
  await runSqlFile(ctx, TRACE_VIEWS_FILE);
}

/** The queries of one feature, for a session that `prepareTrace` made ready. */
export function featureTrace(ctx: Pick<BaseContext, 'file'>, feature_id: string): FeatureTrace {
  const rules = new Map(readRules(ctx).map((r) => [r.feature_id, r]));
  const rule = rules.get(feature_id);
  if (!rule) throw new Error(`there is no feature ${feature_id}`);
  const inputs = inputsOf(ctx, feature_id);
  const parts = [feature_id, ...inputs].flatMap((id) =>
    sourcesOf(rules.get(id)!).map((source) => rowsQuery(id, source)),
  );
  return {
    feature_id,
    name: rule.feature.name,
    unit: rule.feature.unit,
    rows: `${parts.join('\nunion all\n')}\norder by all`,
    aggregate: aggregateQuery(ctx, rule),
  };
}

function inputsOf(ctx: Pick<BaseContext, 'file'>, feature_id: string): string[] {
  return parseCsv(ctx.file(INPUTS_FILE), INPUTS_FILE)
    .filter((r) => r.feature_id === feature_id)
    .map((r) => r.input_feature_id!);
}

const rowsQuery = (feature_id: string, [view, condition]: Source): string =>
  `select '${feature_id}' as feature_id, source_table, itemid, row_key, cast("at" as varchar) as "at", value, valuenum, unit, used_value, why_not
from ${view} where stay_id = $stay_id and (${condition})`;

function aggregateQuery(ctx: Pick<BaseContext, 'file'>, rule: FeatureRule): string {
  const source =
    rule.file === 'scores/index.ts'
      ? 'select stay_id, feature_id, value from feature_values'
      : ctx.file(`${HERE}/${rule.file}`);
  const { plausible_low: low, plausible_high: high } = rule.feature;
  const limits = [
    low === null ? [] : [`value >= ${low}`],
    high === null ? [] : [`value <= ${high}`],
    'value is not null',
  ].flat();
  return `select value from (${source}) where stay_id = $stay_id and feature_id = '${rule.feature_id}' and ${limits.join(' and ')}`;
}

/** Rows of a feature by the file that makes it; an empty list where only its input features have rows. */
function sourcesOf(rule: FeatureRule): readonly Source[] {
  const items = rule.feature.itemids.length > 0 ? `itemid in (${rule.feature.itemids.join(', ')})` : 'true';
  const { arguments: args, feature_id } = rule;
  switch (rule.file) {
    case 'templates/series-statistic.sql':
      return [args.source === 'lab' ? ['trace_lab', items] : ['trace_series', `series = '${args.series}'`]];
    case 'templates/series-threshold.sql':
      return [['trace_series', `series = '${args.series}'`]];
    case 'templates/charted-text.sql':
      return [['trace_text', `feature_id = '${feature_id}'`]];
    case 'templates/attribute.sql':
      return [['trace_attribute', `attribute = '${args.attribute}'`]];
    case 'templates/prior-diagnosis.sql':
      return [
        [
          'trace_diagnosis',
          args.group ? `group_name = '${args.group}' and system = '${args.system}'` : 'true',
        ],
      ];
    case 'templates/output-sum.sql':
    case 'templates/input-sum.sql':
    case 'templates/input-any.sql':
      return [[rule.file.includes('output') ? 'trace_output' : 'trace_input', items]];
    case 'templates/pressor-max.sql':
    case 'families/pressor-load.sql':
      return [['trace_pressor', items]];
    case 'templates/procedure.sql':
      return [['trace_procedure', items]];
    default:
      return familySources(rule, items);
  }
}

function familySources({ file, feature_id }: FeatureRule, items: string): readonly Source[] {
  switch (file) {
    case 'families/demographics.sql':
      return demographicSources(feature_id);
    case 'families/admission-history.sql':
      return [['trace_stay', "source_table <> 'patients'"]];
    case 'families/vitals-derived.sql':
      return [[feature_id === 'F160' ? 'trace_braden' : 'trace_series', items]];
    case 'families/gcs.sql':
      return [['trace_gcs', items]];
    case 'families/blood-counts.sql':
      return [['trace_lab', items]];
    case 'families/lab-overall.sql':
      return [['trace_any_lab', 'true']];
    case 'families/blood-gas.sql':
      return [
        ['trace_lab', `${items} or itemid = 52033`],
        ['trace_charted', `itemid = 223835 and ${items}`],
      ];
    case 'families/urine.sql':
      return feature_id === 'F365' ? [] : [['trace_urine', items]];
    case 'families/fluid-balance.sql':
      return feature_id === 'F376'
        ? [['trace_output', 'true']]
        : feature_id === 'F416'
          ? [['trace_input', 'true']]
          : [];
    case 'families/ventilation.sql':
      return [
        ['trace_procedure', items],
        ['trace_ventilation', items],
      ];
    case 'families/chest-tube.sql':
      return [
        ['trace_procedure', items],
        ['trace_output', "itemid in (select itemid from output_item where feature_id = 'F369')"],
      ];
    default:
      return [];
  }
}

function demographicSources(feature_id: string): readonly Source[] {
  if (feature_id === 'F001')
    return [['trace_stay', "source_table = 'patients' or why_not is null and source_table = 'admissions'"]];
  if (feature_id === 'F003')
    return [
      ['trace_height', 'true'],
      ['trace_outpatient', "result_name = 'Height (Inches)'"],
    ];
  return feature_id === 'F004'
    ? [['trace_weight', 'true']]
    : [['trace_outpatient', "result_name = 'BMI (kg/m2)'"]];
}
