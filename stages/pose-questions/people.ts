/** Words for a person. */
import type { Patient } from '../../schemas/patient.js';

export interface Person {
  /** `78-year-old woman`, `5-month-old boy` */
  readonly noun: string;
  readonly she: string;
  readonly She: string;
  readonly her: string;
  readonly Her: string;
  readonly him: string;
}

const UNIT_WORDS = { a: 'year', mo: 'month', wk: 'week', d: 'day' } as const;

/** The person of a patient with age and sex. */
export function person(patient: Patient): Person {
  const { age, sex } = patient;
  if (age === null || sex === null) throw new Error('a vignette needs age and sex');
  const female = sex === 'female';
  const is_adult = hasYears(patient, 18);
  const word = is_adult ? (female ? 'woman' : 'man') : female ? 'girl' : 'boy';
  const [she, her] = female ? ['she', 'her'] : ['he', 'his'];
  return {
    noun: `${age.value}-${UNIT_WORDS[age.unit]}-old ${word}`,
    she,
    her,
    him: female ? 'her' : 'him',
    She: capital(she),
    Her: capital(her),
  };
}

/** Is the patient at least so many years old? An age in days, weeks or months is below two years. */
export const hasYears = ({ age }: Patient, years: number): boolean =>
  age !== null && age.unit === 'a' && age.value >= years;

export const capital = (s: string): string => s.charAt(0).toUpperCase() + s.slice(1);

/** `an` before a vowel that is heard: `an 8-year-old`, `an 81-year-old`, `an 11-day-old`. */
export const article = (noun: string): string => (/^(?:[aeiou]|8|11\b|11-|18-)/i.test(noun) ? 'an' : 'a');

/** `a`, `a and b`, `a, b and c` */
export function listed(words: readonly string[], and = 'and'): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} ${and} ${words.at(-1)}`;
}

/** Puts a person into a sentence of concept-words.csv: `{She} has ...`, `{her}`. */
export const fill = (text: string, p: Person): string =>
  text.replace(/\{(She|she|Her|her|him)\}/g, (_, key: 'She' | 'she' | 'Her' | 'her' | 'him') => p[key]);
