/** The further discharge note of D83: a short one of the last earlier admission, or an addendum to the note of the stay. */
import type { Subject } from './context.js';
import type { Sections, Telling } from './note.js';
import { pastText, person } from './note-history.js';
import { homeList } from './note-meds.js';
import type { AdmissionRow } from './rows.js';
import { wrap } from './wrap.js';

/** The last admission that began before the index one; null where there is none. */
export function lastPrior(s: Subject, admittime: number): AdmissionRow | null {
  const earlier = s.rows.admissions.filter(
    (x) =>
      x.admittime < admittime && x.subject_id === s.subject_id && x.hadm_id !== s.rows.admissions[0]!.hadm_id,
  );
  return earlier.sort((a, b) => b.admittime - a.admittime)[0] ?? null;
}

/** Sections of the note of an earlier admission; it knows the codes of that admission alone. */
export function priorSections(t: Telling, prior: AdmissionRow): Sections {
  const names = titles(t.s, prior.hadm_id);
  const [first, ...rest] = names.length > 0 ? names : ['observation'];
  const history = `___ is a ___ year old ${person(t)} who came in because of ${first}.`;
  const list = rest.slice(0, 5).map((x) => `- ${x}`);
  return new Map([
    ['name', '___                     Unit No:   ___'],
    ['admission_date', '___              Discharge Date:   ___'],
    ['dob', `___             Sex:   ${t.s.person.isFemale ? 'F' : 'M'}`],
    ['service', 'MEDICINE'],
    ['attending', '___.'],
    ['hpi', wrap(history)],
    ['pmh', pastText(t)],
    ['social', '___'],
    ['course', wrap(`Treated for ${first} and discharged in stable condition.`)],
    ['meds_admission', homeList(t)],
    ['disposition', 'Home'],
    [
      'diagnosis',
      ['Primary:', `- ${first}`, ...(list.length > 0 ? ['', 'Secondary:', ...list] : [])].join('\n'),
    ],
    ['followup', '___'],
  ]);
}

/** Names of the codes of an admission in their order. */
function titles(s: Subject, hadm_id: number): string[] {
  const all = [...s.numbers.dx.map((d) => ({ ...d, title: d.name })), ...s.numbers.fillers];
  const codes = s.rows.diagnoses_icd.filter((x) => x.hadm_id === hadm_id).map((x) => x.icd_code);
  return codes.flatMap((code) => all.find((d) => d.icd9 === code || d.icd10 === code)?.title ?? []);
}
