/** What follows about a concept from who and where a patient is. One table, tested row by row. */
import type { Patient } from '../../../schemas/patient.js';
import { years } from './age.js';
import type { Truth } from './truth.js';

export interface Entailment {
  readonly concept: string;
  readonly when: (p: Patient) => boolean;
  readonly truth: Exclude<Truth, 'unknown'>;
  readonly because: string;
}

const over = (n: number) => (p: Patient) => p.age !== null && years(p.age)[0] >= n;
const under = (n: number) => (p: Patient) => p.age !== null && years(p.age)[1] <= n;
/** Ages past which, and before which, a vignette needs no sentence on pregnancy. */
const OLDEST_PREGNANCY = 60;
const YOUNGEST_PREGNANCY = 8;
const PREGNANCY = ['pregnant', 'could_be_pregnant', 'breastfeeding', 'in_labour', 'planning_pregnancy'];

const rows: Entailment[] = [
  ...PREGNANCY.flatMap((concept): Entailment[] => [
    { concept, when: (p) => p.sex === 'male', truth: 'false', because: 'a man' },
    { concept, when: over(OLDEST_PREGNANCY), truth: 'false', because: `${OLDEST_PREGNANCY} or older` },
    {
      concept,
      when: under(YOUNGEST_PREGNANCY),
      truth: 'false',
      because: `under ${YOUNGEST_PREGNANCY} years`,
    },
  ]),
  {
    concept: 'pregnant',
    when: (p) => p.gestation_weeks !== null,
    truth: 'true',
    because: 'weeks of gestation are given',
  },
  {
    concept: 'partner_pregnant',
    when: (p) => p.sex === 'female',
    truth: 'false',
    because: 'the source means men with a pregnant partner',
  },
  { concept: 'neonate', when: over(1), truth: 'false', because: 'a year or older' },
  {
    concept: 'premature_newborn',
    when: over(1),
    truth: 'false',
    because: 'a year or older',
  },
  {
    concept: 'hospice_care',
    when: (p) => p.setting === 'hospice',
    truth: 'true',
    because: 'the patient is in hospice care',
  },
  {
    concept: 'hospice_care',
    when: (p) => p.setting !== null && p.setting !== 'hospice',
    truth: 'false',
    because: 'another care setting is given',
  },
];

/** The table. */
export const ENTAILMENTS: readonly Entailment[] = rows;

/** What the patient's age, sex, weeks and setting say about a concept. */
export function entailed(concept: string, patient: Patient): Entailment | undefined {
  return ENTAILMENTS.find((e) => e.concept === concept && e.when(patient));
}
