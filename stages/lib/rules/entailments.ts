/** What follows about a concept from who and where a patient is, and from numbers. One table, tested row by row. */
import { CKD_STAGES } from '../../../schemas/condition.js';
import type { Patient } from '../../../schemas/patient.js';
import { measured } from './measures.js';
import { spanIn } from './time.js';
import type { Truth } from './truth.js';

export interface Entailment {
  readonly concept: string;
  readonly when: (p: Patient) => boolean;
  readonly truth: Exclude<Truth, 'unknown'>;
  readonly because: string;
}

const isOver = (n: number, unit: 'a' | 'd') => (p: Patient) => p.age !== null && spanIn(p.age, unit)[0] >= n;
const isUnder = (n: number, unit: 'a' | 'd') => (p: Patient) => p.age !== null && spanIn(p.age, unit)[1] <= n;

/** From 60 a woman counts as postmenopausal without further proof (NCCN guidelines on breast cancer, definition of menopause). */
const OLDEST_PREGNANCY = 60;
/** Puberty before 8 is precocious in girls (Pediatrics 2016;137:e20153732); from 8 on nothing is taken for granted. */
const YOUNGEST_PREGNANCY = 8;

/** What a man, a woman past 60 and a girl under 8 are not; `in_labour` follows from `pregnant`. */
const notFertile = (concept: string): Entailment[] => [
  { concept, when: (p) => p.sex === 'male', truth: 'false', because: 'a man' },
  {
    concept,
    when: isOver(OLDEST_PREGNANCY, 'a'),
    truth: 'false',
    because: `${OLDEST_PREGNANCY} or older`,
  },
  {
    concept,
    when: isUnder(YOUNGEST_PREGNANCY, 'a'),
    truth: 'false',
    because: `under ${YOUNGEST_PREGNANCY} years`,
  },
];

const stageIs = (from: (typeof CKD_STAGES)[number]) => (p: Patient) =>
  p.ckd_stage !== null && CKD_STAGES.indexOf(p.ckd_stage) >= CKD_STAGES.indexOf(from);

/** Clearance and eGFR that are known: in a small old patient the one may be low and the other not. */
const kidneyNumbers = (p: Patient): number[] =>
  [measured('CrCl', 'mL/min', p), measured('eGFR', 'mL/min/{1.73_m2}', p)].flatMap((m) =>
    m ? [m.value] : [],
  );
/** Some known number is under the limit. */
export const isKidneyUnder = (n: number, p: Patient): boolean => kidneyNumbers(p).some((v) => v < n);
/** Both are known and not under it. */
const isKidneyOver = (n: number) => (p: Patient) =>
  kidneyNumbers(p).length === 2 && kidneyNumbers(p).every((v) => v >= n);

/** The table. The first row that fits decides. */
export const ENTAILMENTS: readonly Entailment[] = [
  ...['pregnant', 'could_be_pregnant', 'breastfeeding'].flatMap(notFertile),
  { concept: 'planning_pregnancy', when: isOver(60, 'a'), truth: 'false', because: '60 or older' },
  { concept: 'planning_pregnancy', when: isUnder(8, 'a'), truth: 'false', because: 'under 8 years' },
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
    because: 'the sources mean men with a pregnant partner',
  },
  { concept: 'partner_pregnant', when: isUnder(8, 'a'), truth: 'false', because: 'under 8 years' },
  // The tables write a neonate as 28 days or less (README of raw/guidelines).
  { concept: 'neonate', when: isUnder(29, 'd'), truth: 'true', because: '28 days or less' },
  { concept: 'neonate', when: isOver(29, 'd'), truth: 'false', because: 'over 28 days' },
  // Born after 22 weeks at the earliest, a child is past 41 weeks postmenstrual age within five months.
  { concept: 'premature_newborn', when: isOver(1, 'a'), truth: 'false', because: 'a year or older' },
  {
    concept: 'hospice_care',
    when: (p) => p.setting === 'hospice',
    truth: 'true',
    because: 'in hospice care',
  },
  // Hospice care is given at home and in nursing homes, so these settings say nothing.
  ...(['clinic', 'ward', 'emergency'] as const).map(
    (setting): Entailment => ({
      concept: 'hospice_care',
      when: (p) => p.setting === setting,
      truth: 'false',
      because: `seen in another setting (${setting})`,
    }),
  ),
  { concept: 'chronic_kidney_disease', when: stageIs('1'), truth: 'true', because: 'a CKD stage is given' },
  // KDIGO 2012: from G3a function is decreased. FDA guidance on renal impairment (2024): 90 mL/min and over is normal.
  { concept: 'renal_impairment', when: stageIs('3a'), truth: 'true', because: 'CKD stage 3a or higher' },
  {
    concept: 'renal_impairment',
    when: (p) => isKidneyUnder(60, p),
    truth: 'true',
    because: 'under 60 mL/min',
  },
  {
    concept: 'renal_impairment',
    when: isKidneyOver(90),
    truth: 'false',
    because: 'clearance and eGFR 90 or over',
  },
];

/** What the patient's age, sex, weeks, setting and numbers say, by concept, each with its reason. */
export function entailments(patient: Patient): ReadonlyMap<string, Entailment> {
  const out = new Map<string, Entailment>();
  for (const e of ENTAILMENTS) if (!out.has(e.concept) && e.when(patient)) out.set(e.concept, e);
  return out;
}
