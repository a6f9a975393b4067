/** The diagnoses to mine: their F_k and their positive stays. */
import { FEATURE_IDS } from '../../schemas/supmimic.js';
import type { StageContext } from '../contract.js';

export interface Anchor {
  readonly dx_code: string;
  /** Column numbers of F_k in rank order. */
  readonly features: Int32Array;
  /** Row numbers of the positive stays, ascending. */
  readonly positives: Int32Array;
}

/** Selected diagnoses in code order. */
export async function readAnchors(ctx: StageContext, k: number): Promise<Anchor[]> {
  const codes = await ctx.sql.rows<{ dx_code: string }>(
    'select dx_code from diagnoses where is_selected order by dx_code',
  );
  const features = await readFeatures(ctx, k);
  const positives = await readPositives(ctx, new Set(codes.map((c) => c.dx_code)));
  return codes.map(({ dx_code }) => {
    const ranked = features.get(dx_code) ?? [];
    if (ranked.length !== k) {
      ctx.fail({
        message: `diagnosis ${dx_code} has too few ranked features`,
        file: 'ranks',
        got: String(ranked.length),
        expected: `top_k = ${k}`,
        next: 'raise ranks_kept in rank-features or lower top_k in mine-pairs',
      });
    }
    return {
      dx_code,
      features: Int32Array.from(ranked),
      positives: Int32Array.from(positives.get(dx_code) ?? []),
    };
  });
}

async function readFeatures(ctx: StageContext, k: number): Promise<Map<string, number[]>> {
  const columnOf = new Map(FEATURE_IDS.map((id, f) => [id, f]));
  const rows = await ctx.sql.rows<{ dx_code: string; feature_id: string }>(
    'select dx_code, feature_id from ranks where rank <= $k order by dx_code, rank',
    { k },
  );
  return groupBy(rows, (r) => columnOf.get(r.feature_id) ?? -1);
}

async function readPositives(
  ctx: StageContext,
  selected: ReadonlySet<string>,
): Promise<Map<string, number[]>> {
  const rows = await ctx.sql.rows<{ dx_code: string; stay_id: number; r: number | null }>(
    `select l.dx_code, l.stay_id, c.r from labels l
     left join (select stay_id, row_number() over (order by stay_id) - 1 as r from cohort) c using (stay_id)
     order by l.dx_code, l.stay_id`,
  );
  const strange = rows.find((r) => r.r === null || !selected.has(r.dx_code));
  if (strange) {
    ctx.fail({
      message: 'a label names a diagnosis that was not selected or a stay outside the cohort',
      file: 'labels',
      row: `${strange.dx_code}, stay ${strange.stay_id}`,
    });
  }
  return groupBy(rows, (r) => r.r!);
}

function groupBy<R extends { dx_code: string }>(
  rows: readonly R[],
  value: (row: R) => number,
): Map<string, number[]> {
  const out = new Map<string, number[]>();
  for (const row of rows) {
    const list = out.get(row.dx_code);
    if (list) list.push(value(row));
    else out.set(row.dx_code, [value(row)]);
  }
  return out;
}
