/** SUP-MIMIC: which stages run, in which order, and how they are wired. */
import { buildCohort } from '../../stages/build-cohort/stage.js';
import { buildFeatures } from '../../stages/build-features/stage.js';
import type { StageSpec } from '../../stages/contract.js';
import { imputeFeatures } from '../../stages/impute-features/stage.js';
import { loadMimic } from '../../stages/load-mimic/stage.js';
import { minePairs } from '../../stages/mine-pairs/stage.js';
import { rankFeatures } from '../../stages/rank-features/stage.js';
import { reportQuality } from '../../stages/report-quality/stage.js';
import { selectDiagnoses } from '../../stages/select-diagnoses/stage.js';
import { splitPatients } from '../../stages/split-patients/stage.js';
import { stampRelease } from '../../stages/stamp-release/stage.js';
import { synthMimic } from '../../stages/synth-mimic/stage.js';
import { type Pipeline, source, wire } from '../engine/pipeline.js';

/** Name of the folder source: a MIMIC-IV extract. */
export const EXTRACT = 'mimic';

const STAGES = [
  loadMimic,
  buildCohort,
  buildFeatures,
  imputeFeatures,
  selectDiagnoses,
  splitPatients,
  rankFeatures,
  minePairs,
  stampRelease,
  reportQuality,
] as readonly StageSpec[];

/** The steps on synthetic data, or on an extract of MIMIC-IV. */
export function supmimicPipeline(data: 'synthetic' | 'extract', profiles: Pipeline['profiles']): Pipeline {
  const steps =
    data === 'synthetic'
      ? wire([synthMimic as StageSpec, ...STAGES], {})
      : wire(STAGES, { extract: source(EXTRACT) });
  return { name: 'supmimic', steps, profiles };
}
