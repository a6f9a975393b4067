/** Small cohorts for the tests of rank-features and mine-pairs. */
import { cohort as cohortTable, diagnoses as diagnosesTable, FEATURE_IDS } from '../../schemas/supmimic.js';
import { type SqlType, sqlColumns, type Table } from '../../schemas/table.js';
import type { RandomStream, SqlRow, SqlValue } from '../../stages/contract.js';
import { randomStream } from '../../stages/lib/random.js';
import type { StageRunOptions } from '../support/stage.js';

export interface SmallCohortSpec {
  readonly stays: number;
  /** dx_code and share of positives. */
  readonly diagnoses: Readonly<Record<string, number>>;
  readonly seed?: number;
  /** Stays per patient, 1 by default. */
  readonly staysPerPatient?: number;
  readonly splits?: readonly string[];
  /** Probability that a value was filled in. */
  readonly filledShare?: number;
  /** Columns [0, informative) of each diagnosis carry signal, another block for each diagnosis. */
  readonly informative?: number;
  /** Distinct values of a column; few make ties. */
  readonly levels?: number;
}

type Inputs = NonNullable<StageRunOptions['inputs']>;
export type SmallCohort = Record<
  'cohort' | 'imputed' | 'imputed_flags' | 'labels' | 'diagnoses' | 'splits',
  SqlRow[]
>;

function bell(random: RandomStream): number {
  let sum = 0;
  for (let i = 0; i < 6; i++) sum += random.float();
  return sum - 3;
}

/** Stay ids are not in row order, so that sorting matters. */
export function smallCohort(spec: SmallCohortSpec): SmallCohort {
  const random = randomStream(spec.seed ?? 1, 'small cohort');
  const codes = Object.keys(spec.diagnoses);
  const out: SmallCohort = {
    cohort: [],
    imputed: [],
    imputed_flags: [],
    labels: [],
    diagnoses: codes.map((c) => diagnosisRow(c, true)).concat(diagnosisRow('Z99', false)),
    splits: [],
  };
  const levels = spec.levels ?? 40;
  for (let n = 0; n < spec.stays; n++) {
    const stay_id = 30_000_000 + ((n * 7919) % 99_991);
    const subject_id = 10_000_000 + Math.floor(n / (spec.staysPerPatient ?? 1));
    out.cohort.push(cohortRow(stay_id, subject_id));
    const positive = codes.map((c) => random.float() < spec.diagnoses[c]!);
    codes.forEach((dx_code, d) => void (positive[d] && out.labels.push({ dx_code, stay_id })));
    const values: SqlRow = { stay_id };
    const flags: SqlRow = { stay_id };
    FEATURE_IDS.forEach((id, f) => {
      const owner = Math.floor(f / (spec.informative ?? 10));
      const shift = owner < codes.length && positive[owner] ? 1.2 : 0;
      values[id] = Math.round((bell(random) + shift) * (levels / 4)) / (levels / 4);
      flags[id] = random.float() < (spec.filledShare ?? 0.1) ? 1 : 0;
    });
    out.imputed.push(values);
    out.imputed_flags.push(flags);
  }
  const names = spec.splits ?? ['test'];
  const patients = [...new Set(out.cohort.map((r) => r.subject_id as number))];
  out.splits = patients.map((subject_id) => ({
    subject_id,
    split: names[random.below(names.length)]!,
  }));
  return out;
}

/** A row with a plain value in every column of a table, whatever columns it has. */
function plainRow(of: Table, values: SqlRow): SqlRow {
  const plain: Record<SqlType, SqlValue> = {
    BOOLEAN: false,
    INTEGER: 0,
    BIGINT: 0,
    UTINYINT: 0,
    DOUBLE: 0,
    VARCHAR: '-',
    TIMESTAMP: '2150-01-01 06:00:00',
    DATE: '2150-01-01',
  };
  const row = Object.fromEntries(
    sqlColumns(of).map((c): [string, SqlValue] => [c.name, c.is_nullable ? null : plain[c.type]]),
  );
  return { ...row, ...values };
}

const cohortRow = (stay_id: number, subject_id: number): SqlRow =>
  plainRow(cohortTable, { stay_id, subject_id, hadm_id: stay_id - 10_000_000 });

const diagnosisRow = (dx_code: string, is_selected: boolean): SqlRow =>
  plainRow(diagnosesTable, { dx_code, is_selected });

/** Ranks 1 ... k of every selected diagnosis: features at a stride, so that lists differ. */
export function plainRanks(cohort: SmallCohort, k: number): SqlRow[] {
  return cohort.diagnoses
    .filter((d) => d.is_selected)
    .flatMap((d, n) =>
      Array.from({ length: k }, (_, r) => ({
        dx_code: d.dx_code as string,
        rank: r + 1,
        feature_id: FEATURE_IDS[(n * 37 + r * 11) % FEATURE_IDS.length]!,
        importance: 1 / (r + 2),
      })),
    );
}

export const rankInputs = (c: SmallCohort): Inputs => ({
  cohort: c.cohort,
  imputed: c.imputed,
  labels: c.labels,
  diagnoses: c.diagnoses,
});

export const mineInputs = (c: SmallCohort, ranks: SqlRow[]): Inputs => ({
  cohort: c.cohort,
  imputed: c.imputed,
  imputed_flags: c.imputed_flags,
  labels: c.labels,
  ranks,
  diagnoses: c.diagnoses,
  splits: c.splits,
});
