/** Reads the cohort into shared typed arrays: row r is the r-th stay by stay_id. */
import { FEATURE_IDS } from '../../schemas/supmimic.js';
import type { StageContext } from '../contract.js';
import { type ColumnRange, columnLimits, columnMoments, scaleColumn } from '../lib/distance.js';
import type { MiningData } from '../lib/mining.js';
import type { Feature } from '../lib/registry.js';
import type { MinePairsConfig } from './config.js';

export interface CohortData extends MiningData {
  readonly stay_id: Int32Array;
  readonly splits: readonly string[];
}

/** Stays, patients, splits, values and flags. Values are raw; `scaleAll` scales them in place. */
export async function readCohort(ctx: StageContext): Promise<CohortData> {
  await checkSameStays(ctx);
  const rows = await ctx.sql.rows<{ stay_id: number; subject_id: number; split: string | null }>(
    'select stay_id, subject_id, split from cohort left join splits using (subject_id) order by stay_id',
  );
  const without = rows.find((r) => r.split === null);
  if (without) ctx.fail({ message: 'a patient of the cohort has no split', row: `stay ${without.stay_id}` });
  const splits = [...new Set(rows.map((r) => r.split!))].sort();
  const matrix = await ctx.sql.matrix(`select stay_id, ${FEATURE_IDS.join(', ')} from imputed`, 'stay_id');
  const flags = await ctx.sql.bytes(
    `select stay_id, ${FEATURE_IDS.join(', ')} from imputed_flags`,
    'stay_id',
  );
  const hole = matrix.data.findIndex((x) => !Number.isFinite(x));
  if (hole >= 0) {
    ctx.fail({
      message: 'the imputed matrix holds a value that is not a finite number',
      file: 'imputed',
      row: `stay ${rows[hole % rows.length]!.stay_id}`,
      field: FEATURE_IDS[Math.floor(hole / rows.length)]!,
      got: String(matrix.data[hole]),
      expected: 'a finite number',
    });
  }
  return {
    rows: rows.length,
    stay_id: shareInts(rows.map((r) => r.stay_id)),
    scaled: matrix.data,
    filled: flags.data,
    patient: shareInts(rows.map((r) => r.subject_id)),
    split: shareInts(rows.map((r) => splits.indexOf(r.split!))),
    splits,
    splitsN: splits.length,
  };
}

function shareInts(values: readonly number[]): Int32Array {
  const out = new Int32Array(new SharedArrayBuffer(values.length * 4));
  out.set(values);
  return out;
}

async function checkSameStays(ctx: StageContext): Promise<void> {
  for (const table of ['imputed', 'imputed_flags']) {
    const [strange] = await ctx.sql.rows<{ stay_id: number }>(
      `select stay_id from cohort anti join ${table} using (stay_id) union all select stay_id from ${table} anti join cohort using (stay_id) limit 1`,
    );
    if (strange) {
      ctx.fail({
        message: `${table} and the cohort hold different stays`,
        row: `stay ${strange.stay_id}`,
        next: 'rebuild both from the same extract',
      });
    }
  }
}

function keepObserved(values: Float64Array, filled: Uint8Array): Float64Array {
  const observed = new Float64Array(values.length);
  let n = 0;
  for (let r = 0; r < values.length; r++) if (filled[r] === 0) observed[n++] = values[r]!;
  return observed.subarray(0, n);
}

/** Range, mean and spread of every feature, then scales all columns in place. */
export function scaleAll(
  data: CohortData,
  registry: readonly Feature[],
  config: MinePairsConfig,
): ColumnRange[] {
  const quantiles = [config.range_low_percentile / 100, config.range_high_percentile / 100] as const;
  return registry.map((feature, f) => {
    const values = data.scaled.subarray(f * data.rows, (f + 1) * data.rows);
    const filled = data.filled.subarray(f * data.rows, (f + 1) * data.rows);
    const observed = keepObserved(values, filled);
    const range = { ...columnLimits(feature, observed, quantiles), ...columnMoments(values) };
    scaleColumn(values, range, config.distance, config.z_clip);
    return range;
  });
}
