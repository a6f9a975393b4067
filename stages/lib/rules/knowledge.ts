/** What the engine must know besides rules and patients. */
import type { Concepts } from './concepts.js';

/** Drug identity and class membership; built from the drug tables. */
export interface DrugKnowledge {
  /** Single ingredients of a drug, itself when it is one. */
  ingredients(drug: string): readonly string[];
  /** Is the drug, or an ingredient of it, in the class? Unknown where a list is partial and ATC groups do not decide. */
  membership(drug: string, class_key: string): 'yes' | 'no' | 'unknown';
  /** Is the word the key of a class? What is taken out of a class may be a class or a drug. */
  isClass(name: string): boolean;
}

export interface Knowledge {
  readonly drugs: DrugKnowledge;
  readonly concepts: Concepts;
}
