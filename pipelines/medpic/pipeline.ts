/** MedPIC: which stages run, in which order, and how they are wired. */
import { applyReviews } from '../../stages/apply-reviews/stage.js';
import { checkRules, checkRulesAndProse } from '../../stages/check-rules/stage.js';
import type { StageSpec } from '../../stages/contract.js';
import { draftRules } from '../../stages/draft-rules/stage.js';
import { draftRulesFromProse } from '../../stages/draft-rules-from-prose/stage.js';
import { findTables } from '../../stages/find-tables/stage.js';
import { loadGuidelines } from '../../stages/load-guidelines/stage.js';
import { placePassages } from '../../stages/place-passages/stage.js';
import { poseQuestions } from '../../stages/pose-questions/stage.js';
import { readGuideline } from '../../stages/read-guideline/stage.js';
import { readLabels } from '../../stages/read-labels/stage.js';
import { reportItems } from '../../stages/report-items/stage.js';
import { resolveDrugs } from '../../stages/resolve-drugs/stage.js';
import { selectCells } from '../../stages/select-cells/stage.js';
import { selectPassages } from '../../stages/select-passages/stage.js';
import { validateItems } from '../../stages/validate-items/stage.js';
import { output, type Pipeline, source, wire } from '../engine/pipeline.js';

/** Names of the sources: our tables of the guidelines, and the decisions of reviewers. */
export const GUIDELINES = 'guidelines';
export const REVIEWS = 'reviews';
/** Documents that rules may be drafted from as well. */
export const PDFS = 'pdfs';
export const LABELS = 'labels';

/** Which documents there are beside the tables of ours. */
export interface Prose {
  readonly has_pdfs: boolean;
  readonly has_labels: boolean;
}

const TABLES_ONLY: Prose = { has_pdfs: false, has_labels: false };

function stagesOf({ has_pdfs, has_labels }: Prose): readonly StageSpec[] {
  const has_prose = has_pdfs || has_labels;
  return [
    loadGuidelines,
    resolveDrugs,
    draftRules,
    ...(has_labels ? [readLabels, selectPassages] : []),
    ...(has_pdfs ? [readGuideline, findTables, selectCells] : []),
    ...(has_prose ? [draftRulesFromProse, placePassages, checkRulesAndProse] : [checkRules]),
    applyReviews,
    poseQuestions,
    validateItems,
    reportItems,
  ] as readonly StageSpec[];
}

/** The steps from tables to report; with documents a model is the second author of rules. */
export function medpicPipeline(profiles: Pipeline['profiles'], prose: Prose = TABLES_ONLY): Pipeline {
  const steps = wire(stagesOf(prose), {
    guidelines: source(GUIDELINES),
    reviews: source(REVIEWS),
    pdfs: source(PDFS),
    labels: source(LABELS),
    drafted_rules: output('draft-rules', 'rules'),
    earlier_documents: output('load-guidelines', 'guideline_documents'),
    ...(prose.has_labels ? { earlier_passages: output('select-passages', 'passages') } : {}),
  });
  return { name: 'medpic', steps, profiles };
}
