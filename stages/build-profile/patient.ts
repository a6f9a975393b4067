/** What the tables say about a patient before admission. */
import type { Statement } from './pieces.js';

/** A sampled admission, as far as the profile tells of it. */
export interface Admission {
  readonly hadm_id: number;
  readonly subject_id: number;
  readonly admission_type: string;
  readonly service: string | null;
  readonly age: number;
  readonly gender: string;
  readonly has_note: boolean;
}

/** A diagnosis coded in an earlier admission. */
export interface EarlierCode {
  readonly hadm_id: number;
  readonly from_hadm_id: number;
  readonly seq_num: number;
  readonly title: string;
}

/** The age that stands for every age over 89 (P01). */
const AGE_OVER_89 = 91;
const SEX: Readonly<Record<string, string>> = { F: 'female', M: 'male' };

interface Fact {
  readonly kind: Statement['kind'];
  readonly section: Statement['section'];
  readonly text: string;
  readonly source_table: string;
  readonly source_key: string;
}

const fromTable = (fact: Fact): Statement => ({
  ...fact,
  opens: true,
  name: null,
  dose_text: null,
  route: null,
  note_start_n: null,
  note_end_n: null,
});

/** Age, sex, type of admission, first service. `services`: code to words. */
export function demographics(a: Admission, services: ReadonlyMap<string, string>): Statement[] {
  const age = a.age >= AGE_OVER_89 ? 'over 89 years' : `${a.age} years`;
  const words = a.service === null ? undefined : services.get(a.service);
  const service = a.service === null ? 'Unknown' : words ? `${a.service} (${words})` : a.service;
  const facts = [
    { text: `Age: ${age}`, source_table: 'patients', source_key: `subject_id=${a.subject_id}` },
    {
      text: `Sex: ${SEX[a.gender] ?? 'Unknown'}`,
      source_table: 'patients',
      source_key: `subject_id=${a.subject_id}`,
    },
    {
      text: `Admission type: ${a.admission_type}`,
      source_table: 'admissions',
      source_key: `hadm_id=${a.hadm_id}`,
    },
    { text: `Service: ${service}`, source_table: 'services', source_key: `hadm_id=${a.hadm_id}` },
  ];
  return facts.map((f) => fromTable({ ...f, kind: 'demographic', section: 'patient_information' }));
}

/** Diagnoses of earlier admissions for the past medical history. */
export function earlierDiagnoses(codes: readonly EarlierCode[]): Statement[] {
  return codes.map((c) =>
    fromTable({
      kind: 'statement',
      section: 'past_medical_history',
      text: `Coded in an earlier admission: ${c.title}`,
      source_table: 'diagnoses_icd',
      source_key: `hadm_id=${c.from_hadm_id};seq_num=${c.seq_num}`,
    }),
  );
}
