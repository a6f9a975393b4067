/** A session with the base tables of build-features filled by hand, and the scores run on it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDbSession } from '../../pipelines/engine/adapters/duckdb.js';
import { col, type Table, table } from '../../schemas/table.js';
import type { BuildFeaturesConfig } from '../../stages/build-features/config.js';
import { runScores } from '../../stages/build-features/scores/index.js';
import type { SqlRow } from '../../stages/contract.js';
import { temporaryFolder } from '../support/stage.js';

export const T0 = '2150-03-01 08:00:00';

/** A time in the window: hours (and minutes) after T0; negative is before it. */
export function at(hours: number): string {
  const ms = Date.UTC(2150, 2, 1, 8) + Math.round(hours * 3_600_000);
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

const time = col.timestamp;
const number = () => col.double().nullable();
const shapes: Record<string, Table['row']['shape']> = {
  setting: {
    profile: col.text(),
    is_oracle: col.bool(),
    is_storetime: col.bool(),
    lab_lookback_minutes: col.double(),
  },
  stay: {
    stay_id: col.int(),
    subject_id: col.int(),
    hadm_id: col.int(),
    admittime: time(),
    intime: time(),
    outtime: time(),
    t0: time(),
    chart_from: time(),
    lab_from: time(),
    window_end: time(),
    hours_observed: col.double(),
  },
  chart: {
    stay_id: col.int(),
    charttime: time(),
    itemid: col.int(),
    value: col.text().nullable(),
    valuenum: number(),
  },
  lab: {
    stay_id: col.int(),
    specimen_id: col.int(),
    charttime: time(),
    itemid: col.int(),
    num: number(),
    in_window: col.bool(),
  },
  gcs: {
    stay_id: col.int(),
    charttime: time(),
    eye: number(),
    verbal: number(),
    motor: number(),
    total: number(),
  },
  gas: {
    stay_id: col.int(),
    specimen_id: col.int(),
    charttime: time(),
    is_arterial: col.bool(),
    po2: number(),
    pco2: number(),
    ph: number(),
    fio2: number(),
    aado2: number(),
    pf_ratio: number(),
    in_window: col.bool(),
  },
  vent: { stay_id: col.int(), starttime: time(), endtime: time(), kind: col.text() },
  pressor: { stay_id: col.int(), drug: col.text(), starttime: time(), endtime: time(), rate: number() },
  urine: { stay_id: col.int(), charttime: time(), ml: col.double(), in_window: col.bool() },
  weight: { stay_id: col.int(), kg: col.double() },
  rrt: { stay_id: col.int(), starttime: time(), endtime: time() },
  prior_dx: {
    stay_id: col.int(),
    icd_code: col.text(),
    icd_version: col.int(),
    group_name: col.text().nullable(),
    system: col.text().nullable(),
  },
  services: { hadm_id: col.int(), transfertime: time(), curr_service: col.text() },
  admissions: { hadm_id: col.int(), admission_type: col.text() },
  feature_values: { stay_id: col.int(), feature_id: col.text(), value: col.double() },
};

type Rows = readonly Record<string, SqlRow[string]>[];

/** One patient: what his tables hold. Everything but `features` is rows without stay_id; defaults fill what a test does not say. */
export interface Patient {
  readonly features?: Record<string, number>;
  readonly stay?: Record<string, SqlRow[string]>;
  readonly admission_type?: string;
  readonly services?: Rows;
  readonly chart?: Rows;
  readonly lab?: Rows;
  readonly gcs?: Rows;
  readonly gas?: Rows;
  readonly vent?: Rows;
  readonly pressor?: Rows;
  readonly urine?: Rows;
  readonly rrt?: Rows;
  readonly prior_dx?: Rows;
  readonly kg?: number;
}

const defaults: Record<string, SqlRow> = {
  chart: { value: null, valuenum: null },
  lab: { specimen_id: 1, in_window: true },
  gas: {
    specimen_id: 1,
    is_arterial: true,
    po2: null,
    pco2: null,
    ph: null,
    fio2: null,
    aado2: null,
    pf_ratio: null,
    in_window: true,
  },
  urine: { in_window: true },
  prior_dx: { icd_version: 10, group_name: null, system: null },
};

/** What the scores gave: features and points of the parts, by patient name. */
export interface ScoreResult {
  feature(patient: string, feature_id: string): number | null;
  parts(patient: string, score: string): Record<string, number>;
  readonly counts: Record<string, number>;
}

/** How the session holds the rows; no result may depend on it. */
export interface Arrangement {
  readonly threads?: number;
  readonly arrange?: (rows: SqlRow[]) => SqlRow[];
}

/** Creates the base tables in a new session. The caller closes it. */
export async function openBase(
  patients: Record<string, Patient>,
  isOracle = false,
  { threads = 2, arrange = (rows) => rows }: Arrangement = {},
): Promise<DuckDbSession> {
  const session = await DuckDbSession.create({
    threads,
    memoryLimit: '1GB',
    spillDir: join(temporaryFolder(), 'spill'),
  });
  const rows: Record<string, SqlRow[]> = Object.fromEntries(Object.keys(shapes).map((name) => [name, []]));
  rows.setting!.push({
    profile: isOracle ? 'oracle' : 'benchmark',
    is_oracle: isOracle,
    is_storetime: false,
    lab_lookback_minutes: 0,
  });
  for (const [i, patient] of Object.values(patients).entries()) addPatient(rows, i + 1, patient);
  for (const [name, shape] of Object.entries(shapes)) {
    await session.insert(name, table({ name, doc: name, key: 'all', row: shape }), arrange(rows[name]!));
  }
  return session;
}

function addPatient(rows: Record<string, SqlRow[]>, stay_id: number, p: Patient): void {
  const hadm_id = 1000 + stay_id;
  const outtime = String(p.stay?.outtime ?? at(48));
  rows.stay!.push({
    stay_id,
    subject_id: 2000 + stay_id,
    hadm_id,
    admittime: at(-2),
    intime: T0,
    outtime,
    t0: T0,
    chart_from: T0,
    lab_from: T0,
    window_end: at(24),
    hours_observed: Math.min(24, (Date.parse(`${outtime}Z`) - Date.parse(`${T0}Z`)) / 3_600_000),
    ...p.stay,
  });
  rows.admissions!.push({ hadm_id, admission_type: p.admission_type ?? 'EW EMER.' });
  for (const s of p.services ?? [{ transfertime: at(-2), curr_service: 'MED' }])
    rows.services!.push({ hadm_id, ...s });
  for (const [feature_id, value] of Object.entries(p.features ?? {})) {
    rows.feature_values!.push({ stay_id, feature_id, value });
  }
  if (p.kg !== undefined) rows.weight!.push({ stay_id, kg: p.kg });
  for (const name of ['chart', 'lab', 'gcs', 'gas', 'vent', 'pressor', 'urine', 'rrt', 'prior_dx'] as const) {
    for (const row of p[name] ?? []) rows[name]!.push({ stay_id, ...defaults[name], ...row });
  }
}

export const readFile = (path: string): string => readFileSync(path, 'utf8');

/** Runs the scores on patients made by hand. */
export async function scoresOf(
  patients: Record<string, Patient>,
  isOracle = false,
  arrangement: Arrangement = {},
): Promise<ScoreResult> {
  const session = await openBase(patients, isOracle, arrangement);
  const counts: Record<string, number> = {};
  const ids = new Map(Object.keys(patients).map((name, i) => [name, i + 1]));
  try {
    const config: BuildFeaturesConfig = {
      profile: isOracle ? 'oracle' : 'benchmark',
      lab_lookback_hours: 0,
      availability: 'charttime',
    };
    const count = (name: string, n: number): void => {
      counts[name] = n;
    };
    await runScores({ sql: session, file: readFile, count }, config);
    const values = await session.rows<{ stay_id: number; feature_id: string; value: number }>(
      'select stay_id, feature_id, value from feature_values',
    );
    const parts = await session.rows<{ stay_id: number; score: string; part: string; points: number }>(
      'select stay_id, score, part, max(points) as points from score_part group by all',
    );
    return {
      counts,
      feature: (patient, feature_id) => {
        const found = values.filter((v) => v.stay_id === ids.get(patient) && v.feature_id === feature_id);
        if (found.length > 1) throw new Error(`${patient} has ${found.length} values of ${feature_id}`);
        return found[0]?.value ?? null;
      },
      parts: (patient, score) =>
        Object.fromEntries(
          parts
            .filter((p) => p.stay_id === ids.get(patient) && p.score === score)
            .map((p) => [p.part, p.points]),
        ),
    };
  } finally {
    session.close();
  }
}
