/** Patients whose facts cannot hold together. */
import type { Patient } from '../../../schemas/patient.js';
import type { Concepts } from './concepts.js';
import { entailments } from './entailments.js';

/**
 * The first stated fact that another fact, or age, sex, setting, weeks and numbers, rule out, in words; null for a sound
 * patient. Without it the answer about such a patient would hang on which of the two facts is looked at first.
 */
export function contradiction(patient: Patient, concepts: Concepts): string | null {
  const facts = Object.entries(patient.facts).sort(([a], [b]) => (a < b ? -1 : 1));
  if (patient.gestation_weeks !== null && patient.facts.pregnant === false)
    return 'not pregnant, but weeks of gestation are given';
  const follows = Object.fromEntries([...entailments(patient)].map(([key, e]) => [key, e.truth === 'true']));
  for (const [fact, value] of facts) {
    const { [fact]: _, ...others } = patient.facts;
    for (const said of [others, follows]) {
      const { truth, because } = concepts.truth(fact, said);
      if (truth !== 'unknown' && truth !== String(value)) return `${fact} is ${value}, against ${because}`;
    }
  }
  return null;
}
