/** Writes chosen diagnoses of the synthetic cohort as inputs of the Python peers. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from './child.js';
import { COLUMNS } from './cohort.js';
import type { ExportArgs } from './cohort-peer.js';
import { anchorOf, type Cohort, createCohort, fillCohort, scaleCohort } from './cohort-product.js';

/** Returns the number of positives of each. */
export function exportCohort({ spec, dir, chosen, features }: ExportArgs): Run {
  return () => {
    rmSync(dir, { recursive: true, force: true });
    const cohort = createCohort(spec);
    fillCohort(cohort);
    chosen.forEach((d, n) => {
      writeTraining(cohort, d, join(dir, `rf-${n}`));
    });
    for (const metric of ['euclidean', 'gower'] as const) {
      if (metric === 'gower') fillCohort(cohort);
      scaleCohort(cohort, metric);
      chosen.forEach((d, n) => {
        writePairs(cohort, d, features[n]!, join(dir, `${metric}-${n}`));
      });
    }
    return chosen.map((d) => cohort.diagnoses[d]!.positives.length);
  };
}

/** Rows x columns, row-major. */
export function gather(
  cohort: Pick<Cohort, 'spec' | 'data'>,
  rows: Int32Array,
  columns: readonly number[],
): Float64Array {
  const out = new Float64Array(rows.length * columns.length);
  columns.forEach((f, c) => {
    const from = f * cohort.spec.stays;
    rows.forEach((r, i) => {
      out[i * columns.length + c] = cohort.data[from + r]!;
    });
  });
  return out;
}

export function writeFiles(dir: string, files: Readonly<Record<string, string | ArrayBufferView>>): void {
  mkdirSync(dir, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content as Uint8Array);
}

function writeTraining(cohort: Cohort, d: number, dir: string): void {
  const { rows, labels } = anchorOf(cohort, cohort.diagnoses[d]!);
  const columns = Array.from({ length: COLUMNS }, (_, f) => f);
  const meta = JSON.stringify({ n: rows.length, p: COLUMNS });
  writeFiles(dir, { 'meta.json': meta, 'X.f64': gather(cohort, rows, columns), 'y.u8': labels });
}

function writePairs(cohort: Cohort, d: number, columns: readonly number[], dir: string): void {
  const { positives } = cohort.diagnoses[d]!;
  const isPositive = new Uint8Array(cohort.spec.stays);
  for (const r of positives) isPositive[r] = 1;
  const negatives = Int32Array.from(isPositive.keys()).filter((r) => isPositive[r] === 0);
  writeFiles(dir, {
    'meta.json': JSON.stringify({ K: columns.length, nA: positives.length, nB: negatives.length }),
    'A.f64': gather(cohort, positives, columns),
    'B.f64': gather(cohort, negatives, columns),
    'idsA.u32': Uint32Array.from(positives),
    'idsB.u32': Uint32Array.from(negatives),
  });
}
