/** Yes-or-no facts: stated, implied, entailed, or closed by a sentence that says there is nothing else. */
import type { Patient } from '../../../schemas/patient.js';
import { entailments, isKidneyUnder } from './entailments.js';
import type { Case, Finding } from './evaluate.js';
import type { Knowledge } from './knowledge.js';
import { stageOf } from './measures.js';

/** Stated facts first with what they imply, then age, sex, setting and numbers, then closed-world sentences. */
export function testFact(concept: string, c: Case, k: Knowledge): Finding {
  const { patient } = c;
  const stated = k.concepts.truth(concept, patient.facts);
  if (stated.truth !== 'unknown') return { truth: stated.truth, got: stated.because ?? '' };
  const follows = entailments(patient);
  const facts = Object.fromEntries([...follows].map(([key, e]) => [key, e.truth === 'true']));
  const entailed = k.concepts.truth(concept, facts);
  if (entailed.truth !== 'unknown')
    return { truth: entailed.truth, got: follows.get(entailed.because!)!.because };
  return closed(concept, c, k) ?? { truth: 'unknown', got: 'not stated' };
}

function closed(concept: string, c: Case, k: Knowledge): Finding | null {
  const { patient } = c;
  const { kind } = k.concepts.get(concept);
  if (kind === 'allergy' && patient.closed.includes('allergies'))
    return { truth: 'false', got: 'no allergies' };
  if (kind !== 'condition' || !patient.closed.includes('conditions')) return null;
  if (isKindOfKnown(concept, c, k) || isSuggestedByKidney(concept, patient, k)) return null;
  return { truth: 'false', got: 'no other illness' };
}

/**
 * "No other illness" says nothing about the kind of an illness that is there: a patient with heart failure and nothing
 * else may have symptoms. Nor about what a drug is given for.
 */
function isKindOfKnown(concept: string, c: Case, k: Knowledge): boolean {
  const stated = Object.keys(c.patient.facts).filter((f) => c.patient.facts[f]);
  const indications = [c.candidate, ...c.patient.medications].flatMap((u) => u.facets.indication ?? []);
  const known = indications.filter((i) => k.concepts.has(i));
  return (
    [...stated, ...known].some((fact) => k.concepts.isA(concept, fact)) ||
    known.some((fact) => k.concepts.isA(fact, concept))
  );
}

/** Nor against an illness that the patient's own numbers suggest. */
function isSuggestedByKidney(concept: string, patient: Patient, k: Knowledge): boolean {
  const { ckd_stage: stage } = patient;
  // Dialysis begins near 15 mL/min (KDIGO 2012); no milder number suggests it.
  if (concept === 'dialysis') return isKidneyUnder(15, patient) || stage === '5';
  if (!RENAL.some((r) => k.concepts.has(r) && k.concepts.isA(concept, r))) return false;
  const limit = concept === 'chronic_kidney_disease' ? 60 : 90;
  const isStaged = stage !== null && stage !== '1';
  return isStaged || isKidneyUnder(limit, patient) || hasOnlyCreatinine(patient);
}

const RENAL = ['renal_impairment', 'chronic_kidney_disease'];
const hasOnlyCreatinine = (p: Patient): boolean =>
  p.measures.serum_creatinine !== undefined && stageOf(p) === null;
