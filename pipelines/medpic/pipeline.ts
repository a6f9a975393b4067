/** MedPIC: which stages run, in which order, and how they are wired. */
import { applyReviews } from '../../stages/apply-reviews/stage.js';
import { checkRules } from '../../stages/check-rules/stage.js';
import type { StageSpec } from '../../stages/contract.js';
import { draftRules } from '../../stages/draft-rules/stage.js';
import { loadGuidelines } from '../../stages/load-guidelines/stage.js';
import { poseQuestions } from '../../stages/pose-questions/stage.js';
import { reportItems } from '../../stages/report-items/stage.js';
import { resolveDrugs } from '../../stages/resolve-drugs/stage.js';
import { validateItems } from '../../stages/validate-items/stage.js';
import { type Pipeline, source, wire } from '../engine/pipeline.js';

/** Names of the sources: our tables of the guidelines, and the decisions of reviewers. */
export const GUIDELINES = 'guidelines';
export const REVIEWS = 'reviews';

const STAGES = [
  loadGuidelines,
  resolveDrugs,
  draftRules,
  checkRules,
  applyReviews,
  poseQuestions,
  validateItems,
  reportItems,
] as readonly StageSpec[];

/** The steps from tables to report. */
export function medpicPipeline(profiles: Pipeline['profiles']): Pipeline {
  const steps = wire(STAGES, {
    guidelines: source(GUIDELINES),
    reviews: source(REVIEWS),
  });
  return { name: 'medpic', steps, profiles };
}
