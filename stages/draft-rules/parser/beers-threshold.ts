/** The threshold columns of Beers rows: variable, operator, value and unit, which must fit together. */
import { CKD_STAGES, type Condition, type DrugRef, type Unit } from '../../../schemas/condition.js';
import { columnBounds } from '../bounds.js';
import type { Found } from '../conditions.js';
import { refuse } from '../refuse.js';
import type { BeersRow } from './beers-row.js';

const COLUMNS = ['threshold_variable', 'threshold_op', 'threshold_value', 'threshold_unit'] as const;
const VALUE = 'threshold_value';

type Threshold = Readonly<Record<(typeof COLUMNS)[number], string>>;

/** Per variable: the unit as printed, and how its limit is read. `targets` are the drugs that a count counts. */
const VARIABLES: Readonly<
  Record<string, { unit: string; read: (t: Threshold, targets: readonly DrugRef[]) => Condition }>
> = {
  CrCl: { unit: 'mL/min', read: (t) => ({ type: 'measure', measure: 'CrCl', bounds: bounds(t, 'mL/min') }) },
  // The paper prints mL/min here; the value is an eGFR and is kept in the unit of eGFR, never compared with CrCl.
  eGFR: {
    unit: 'mL/min (eGFR; unit as printed)',
    read: (t) => ({ type: 'measure', measure: 'eGFR', bounds: bounds(t, 'mL/min/{1.73_m2}') }),
  },
  'daily dose': { unit: 'mg/day', read: (t) => ({ type: 'dose', bounds: bounds(t, 'mg/d') }) },
  'duration of scheduled use': {
    unit: 'weeks',
    read: (t) => ({ type: 'duration', bounds: bounds(t, 'wk') }),
  },
  age: { unit: 'years', read: (t) => ({ type: 'age', kind: 'chronological', bounds: bounds(t, 'a') }) },
  'CKD stage': { unit: 'stage', read: (t) => ({ type: 'ckd_stage', at_least: stage(t) }) },
  'count of anticholinergic drugs': { unit: 'drugs', read: count },
  'count of CNS-active drugs': { unit: 'drugs', read: count },
};

const bounds = (t: Threshold, unit: Unit) => columnBounds(VALUE, t.threshold_op, t.threshold_value, unit);

function stage(t: Threshold): (typeof CKD_STAGES)[number] {
  const found = CKD_STAGES.find((s) => s === t.threshold_value);
  if (t.threshold_op === '>=' && found) return found;
  return refuse(
    'unparsable_threshold',
    VALUE,
    `${t.threshold_op} ${t.threshold_value}`,
    '>= and a CKD stage',
  );
}

function count(t: Threshold, targets: readonly DrugRef[]): Condition {
  const n = /^[2-9]$/.test(t.threshold_value) && t.threshold_op === '>=' ? Number(t.threshold_value) : null;
  const got = `${t.threshold_op} ${t.threshold_value}`;
  if (n === null) return refuse('unparsable_threshold', VALUE, got, '>= and a count of 2 to 9');
  return { type: 'drug_count', drugs: [...targets], at_least: n };
}

/** The limit of the row; null where the four columns are empty. Cells that do not fit together refuse the row. */
export function readThreshold(row: BeersRow, targets: readonly DrugRef[]): Found | null {
  const filled = COLUMNS.filter((c) => row[c] !== null);
  if (filled.length === 0) return null;
  if (row.threshold_op === 'decreased') return readDecreased(row);
  if (filled.length < COLUMNS.length) {
    const empty = COLUMNS.find((c) => row[c] === null)!;
    return refuse('contradiction', empty, 'an empty cell', `a value beside ${filled.join(', ')}`);
  }
  const t = row as unknown as Threshold;
  const known = Object.keys(VARIABLES).join(', ');
  if (!Object.hasOwn(VARIABLES, t.threshold_variable))
    return refuse('unparsable_threshold', 'threshold_variable', t.threshold_variable, known);
  const variable = VARIABLES[t.threshold_variable]!;
  if (t.threshold_unit !== variable.unit)
    return refuse(
      'mixed_units',
      'threshold_unit',
      t.threshold_unit,
      `${variable.unit} for ${t.threshold_variable}`,
    );
  return { condition: variable.read(t, targets), at: COLUMNS.map((c) => ({ column: c, quote: t[c] })) };
}

/**
 * "Decreased CrCl" with no number printed is a fact, not a limit: known renal impairment. The vignette has to say it; no
 * clearance decides it.
 */
function readDecreased(row: BeersRow): Found {
  const { threshold_variable: variable, threshold_value: value, threshold_unit: unit } = row;
  const got = [variable, value, unit].join(' ');
  const fits = variable === 'CrCl' && value === null && unit === 'mL/min (no number printed)';
  if (!fits)
    return refuse('unparsable_threshold', 'threshold_op', got, 'CrCl decreased with no number printed');
  const columns = ['threshold_variable', 'threshold_op', 'threshold_unit'] as const;
  return {
    condition: { type: 'fact', concept: 'renal_impairment' },
    at: columns.map((column) => ({ column, quote: row[column]! })),
  };
}
