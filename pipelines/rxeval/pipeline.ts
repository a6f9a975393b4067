/** RxEval: which stages run, in which order, and how they are wired. */
import { annotateChains } from '../../stages/annotate-chains/stage.js';
import { applyReviews } from '../../stages/apply-reviews/stage.js';
import { assembleQuestions } from '../../stages/assemble-questions/stage.js';
import { buildProfile } from '../../stages/build-profile/stage.js';
import { buildTrajectories } from '../../stages/build-trajectories/stage.js';
import { checkRules } from '../../stages/check-rules/stage.js';
import type { StageSpec } from '../../stages/contract.js';
import { criticiseChains } from '../../stages/criticise-chains/stage.js';
import { criticiseDistractors } from '../../stages/criticise-distractors/stage.js';
import { draftRules } from '../../stages/draft-rules/stage.js';
import { findTimepoints } from '../../stages/find-timepoints/stage.js';
import { gatherOrders } from '../../stages/gather-orders/stage.js';
import { loadGuidelines } from '../../stages/load-guidelines/stage.js';
import { loadMimic } from '../../stages/load-mimic/stage.js';
import { loadOrders } from '../../stages/load-orders/stage.js';
import { makeDistractors } from '../../stages/make-distractors/stage.js';
import { reportQuestions } from '../../stages/report-questions/stage.js';
import { resolveDrugs } from '../../stages/resolve-drugs/stage.js';
import { sampleAdmissions } from '../../stages/sample-admissions/stage.js';
import { selectTimepoints } from '../../stages/select-timepoints/stage.js';
import { splitNotes } from '../../stages/split-notes/stage.js';
import { synthMimic } from '../../stages/synth-mimic/stage.js';
import { type Pipeline, source, wire } from '../engine/pipeline.js';

/** Names of the sources: a MIMIC-IV extract, our tables of the guidelines, and the decisions of reviewers on their rules. */
export const EXTRACT = 'mimic';
export const GUIDELINES = 'guidelines';
export const REVIEWS = 'reviews';

const STAGES = [
  loadMimic,
  loadOrders,
  sampleAdmissions,
  gatherOrders,
  splitNotes,
  buildProfile,
  buildTrajectories,
  findTimepoints,
  loadGuidelines,
  resolveDrugs,
  draftRules,
  checkRules,
  applyReviews,
  selectTimepoints,
  annotateChains,
  criticiseChains,
  makeDistractors,
  criticiseDistractors,
  assembleQuestions,
  reportQuestions,
] as readonly StageSpec[];

/** The steps on synthetic data, or on an extract of MIMIC-IV. */
export function rxevalPipeline(data: 'synthetic' | 'extract', profiles: Pipeline['profiles']): Pipeline {
  const outside = { guidelines: source(GUIDELINES), reviews: source(REVIEWS) };
  const steps =
    data === 'synthetic'
      ? wire([synthMimic as StageSpec, ...STAGES], outside)
      : wire(STAGES, { ...outside, extract: source(EXTRACT) });
  return { name: 'rxeval', steps, profiles };
}
