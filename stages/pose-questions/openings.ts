/** First sentences: who the patient is, where, and why the question comes up. */
import type { DecisionType } from '../../schemas/medpic.js';
import type { Patient, SETTINGS } from '../../schemas/patient.js';
import { article, capital, hasYears } from './people.js';
import type { Said, Telling } from './telling.js';

type Setting = (typeof SETTINGS)[number];
type Group = 'infant' | 'child' | 'teenager' | 'pregnant' | 'older' | 'adult';
type Places = Readonly<Partial<Record<Setting, readonly string[]>>>;

const HOSPICE = ['is in hospice care and is seen', 'receives hospice care and is visited'];
const ADULT: Places & Readonly<Record<Setting, readonly string[]>> = {
  home: [
    'who lives at home is seen',
    'who lives at home is visited',
    'who lives at home with family is seen',
  ],
  clinic: [
    'is seen in the outpatient clinic',
    'comes to the outpatient clinic',
    'attends the primary care clinic',
    'is seen in a general practice clinic',
  ],
  ward: [
    'has been admitted to a general ward and is seen',
    'is in hospital on a medical ward and is seen',
    'is an inpatient on a general medical ward and is seen',
  ],
  nursing_home: [
    'who lives in a nursing home is seen',
    'is a long-stay resident of a nursing home and is seen',
    'who lives in a long-term care facility is seen',
  ],
  emergency: ['is seen in the emergency department', 'comes to the emergency department'],
  hospice: HOSPICE,
};

const PLACES: Readonly<Record<Group, Places>> = {
  adult: ADULT,
  older: {
    ...ADULT,
    home: [
      'who lives independently at home is seen',
      'who lives at home with family is visited',
      'who lives at home is seen',
    ],
    clinic: [
      'is seen in the geriatric outpatient clinic',
      'comes to the outpatient clinic',
      'attends the primary care clinic',
    ],
    ward: [
      'has been admitted to a general ward and is seen',
      'is in hospital on a geriatric ward and is seen',
      'is an inpatient on a general medical ward and is seen',
    ],
  },
  pregnant: {
    ...ADULT,
    clinic: [
      'is seen in the antenatal clinic',
      'comes to the antenatal clinic',
      'attends the obstetric outpatient clinic',
    ],
    ward: ['has been admitted to the obstetric ward and is seen', 'is seen on the obstetric ward'],
  },
  teenager: {
    ...ADULT,
    clinic: [
      'comes to the pediatric clinic with {her} mother',
      'is seen in the pediatric outpatient clinic',
      'attends the adolescent outpatient clinic',
    ],
    ward: ['has been admitted to a pediatric ward and is seen'],
    emergency: [
      'is seen in the emergency department',
      'comes to the emergency department with {her} mother',
      'is taken to the emergency department by {her} father',
    ],
  },
  child: {
    ...ADULT,
    clinic: [
      'is brought to the pediatric clinic by {her} mother',
      'is brought to the pediatric clinic by {her} parents',
      'is seen in the pediatric outpatient clinic',
    ],
    ward: ['has been admitted to a pediatric ward and is seen'],
    emergency: [
      'is seen in the pediatric emergency department',
      'is brought to the emergency department by {her} parents',
      'is brought to the emergency department by {her} father',
    ],
  },
  infant: {
    ...ADULT,
    clinic: [
      'is brought to the pediatric clinic by {her} mother',
      'is brought to the pediatric clinic by {her} parents',
      'is seen in the pediatric outpatient clinic',
    ],
    ward: ['is cared for on a pediatric ward and is seen'],
    emergency: [
      'is seen in the pediatric emergency department',
      'is brought to the emergency department by {her} parents',
      'is brought to the emergency department by {her} mother',
    ],
  },
};

const REASONS: Readonly<Record<DecisionType, readonly string[]>> = {
  avoidance: ['before a new medicine is prescribed', 'to discuss treatment', 'before treatment is changed'],
  interaction: ['before another medicine is added', 'to have a prescription checked', 'to discuss treatment'],
  dose: ['to have a dose checked', 'before a dose is set', 'to discuss treatment'],
  selection: ['before a medicine is chosen', 'for advice on treatment', 'to discuss treatment'],
};
/** What people are seen for when they take something already. */
const REVIEWS = ['for a medication review', 'for a review of current treatment'];
/** Nobody goes to an emergency department to have a list checked. */
const URGENT = ['and a prescription is considered', 'and treatment options are weighed'];

/** The first sentence; it states age, sex, setting and postmenstrual age. */
export function opening(t: Telling): Said {
  const { patient } = t.spec;
  const early =
    patient.postmenstrual_weeks === null
      ? ''
      : `, now at a postmenstrual age of ${patient.postmenstrual_weeks} weeks,`;
  const place =
    patient.setting === null
      ? 'is seen'
      : t.pick('place', PLACES[groupOf(t)][patient.setting] ?? ADULT[patient.setting]);
  return {
    sentence: `${capital(article(t.p.noun))} ${t.p.noun}${early} ${place} ${t.pick('reason', reasons(t))}.`,
    facts: [
      'age',
      'sex',
      ...(patient.setting === null ? [] : ['setting']),
      ...(patient.postmenstrual_weeks === null ? [] : ['postmenstrual_weeks']),
    ],
  };
}

function reasons(t: Telling): readonly string[] {
  if (t.spec.patient.setting === 'emergency') return URGENT;
  const takes = t.every((m) => m.patient.medications.length > 0);
  return takes ? [...REASONS[t.spec.decision_type], ...REVIEWS] : REASONS[t.spec.decision_type];
}

/** The narrowest group that holds every member. */
function groupOf(t: Telling): Group {
  const all = (is: (p: Patient) => boolean): boolean => t.every((m) => is(m.patient));
  if (all((p) => !hasYears(p, 2))) return 'infant';
  if (all((p) => !hasYears(p, 13))) return 'child';
  if (all((p) => !hasYears(p, 18))) return 'teenager';
  if (all((p) => p.facts.pregnant === true)) return 'pregnant';
  return all((p) => hasYears(p, 65)) ? 'older' : 'adult';
}
