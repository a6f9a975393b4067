/** Labels of an item that come from its rule and drugs: organ system, department, drug categories, special population. */
import type { Rule } from '../../schemas/rule.js';
import type { Profile } from './scenario-types.js';

export interface TaxonomyRow {
  readonly taxonomy_special_population: string;
  readonly taxonomy_organ_system: string;
  readonly taxonomy_clinical_department: string;
  readonly taxonomy_drug_category: string;
}

export interface CategoryRow {
  readonly class_key: string;
  readonly drug_category: string;
  readonly organ_system: string;
}

export const CATEGORIES_FILE = 'stages/pose-questions/drug-categories.csv';

/** Departments of our nine organ systems (guidelines.md part c: a proposal). */
const DEPARTMENTS: Readonly<Record<string, string>> = {
  'cardiovascular and blood': 'cardiology',
  'central nervous and mental': 'neurology',
  'endocrine and metabolic': 'endocrinology',
  'gastrointestinal and liver': 'gastroenterology',
  'kidney and urinary': 'nephrology and urology',
  'respiratory and allergy': 'pain, rheumatology and general medicine',
  'musculoskeletal and pain': 'pain, rheumatology and general medicine',
  'infection and immune': 'infectious disease',
  'reproductive and skin': 'obstetrics and gynecology',
};

/** ATC main groups as organ systems. */
const ATC: Readonly<Record<string, string>> = {
  A: 'gastrointestinal and liver',
  B: 'cardiovascular and blood',
  C: 'cardiovascular and blood',
  D: 'reproductive and skin',
  G: 'reproductive and skin',
  H: 'endocrine and metabolic',
  J: 'infection and immune',
  L: 'infection and immune',
  M: 'musculoskeletal and pain',
  N: 'central nervous and mental',
  P: 'infection and immune',
  R: 'respiratory and allergy',
  S: 'reproductive and skin',
  V: 'endocrine and metabolic',
};

const PSYCHIATRIC = /antipsychotic|antidepressant|ssri|snri|benzodiazepine|lithium/i;

export class Taxonomy {
  readonly #categories: readonly CategoryRow[];
  readonly #isMember: (drug: string, class_key: string) => boolean;
  readonly #atc: (drug: string) => string | null;

  constructor(
    categories: readonly CategoryRow[],
    isMember: (drug: string, class_key: string) => boolean,
    atc: (drug: string) => string | null,
  ) {
    this.#categories = categories;
    this.#isMember = isMember;
    this.#atc = atc;
  }

  /** The labels of an item of a rule; `keys` are its key drugs, `drug` the rule's own. */
  of(rule: Rule, profile: Profile, keys: readonly string[], drug: string): TaxonomyRow {
    const drugs = keys.length > 0 ? keys : [drug];
    const rows = drugs.map((d) => this.#categoryOf(d));
    const organ = rows[0]!.organ_system;
    return {
      taxonomy_special_population: rule.special_population,
      taxonomy_organ_system: organ,
      taxonomy_clinical_department: department(profile, organ, rows[0]!.drug_category),
      taxonomy_drug_category: JSON.stringify([...new Set(rows.map((r) => r.drug_category))].sort()),
    };
  }

  #categoryOf(drug: string): { drug_category: string; organ_system: string } {
    const found = this.#categories.find((c) => this.#isMember(drug, c.class_key));
    if (found) return found;
    const organ_system = ATC[this.#atc(drug)?.[0] ?? ''] ?? 'not classified';
    return { drug_category: 'other', organ_system };
  }
}

function department(profile: Profile, organ: string, category: string): string {
  if (profile === 'child') return 'pediatrics and neonatology';
  if (profile === 'pregnant') return 'obstetrics and gynecology';
  if (organ === 'central nervous and mental' && PSYCHIATRIC.test(category)) return 'psychiatry';
  return DEPARTMENTS[organ] ?? 'pain, rheumatology and general medicine';
}
