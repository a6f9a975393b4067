/** The discharge note of an admission as sections, before it is laid out. */
import type { Course } from './admission.js';
import type { Condition } from './conditions.js';
import type { Stay, Subject } from './context.js';
import type { Background } from './evidence.js';
import type { Findings } from './findings.js';
import type { Formulary } from './formulary.js';
import type { Masks } from './masks.js';
import { courseText } from './note-course.js';
import { examText, resultsText } from './note-exam.js';
import { chiefComplaint, historyText, pastText } from './note-history.js';
import { dischargeList, homeList } from './note-meds.js';
import type { LastOrder, NewOrder } from './note-orders.js';
import type { Phrases } from './phrases.js';
import type { DrawnReport } from './reports.js';
import type { Stream } from './rng.js';
import { wrap } from './wrap.js';

/** What a note is told from. */
export interface Telling {
  readonly s: Subject;
  readonly phrases: Phrases;
  readonly formulary: Formulary;
  readonly course: Course;
  readonly stay: Stay;
  readonly conditions: readonly Condition[];
  readonly background: Background;
  readonly findings: Findings;
  readonly reports: readonly DrawnReport[];
  readonly masks: Masks;
  readonly newOrders: readonly NewOrder[];
  readonly lastOrders: readonly LastOrder[];
  /** The condition that brought the patient, null where there is none; decides the chief complaint. */
  readonly main: Condition | null;
  readonly r: Stream;
}

/** Texts by section; a section without text is left out. */
export type Sections = Map<string, string>;

/** Names of services as notes write them. */
const SERVICES: Readonly<Record<string, string>> = {
  MED: 'MEDICINE',
  CMED: 'MEDICINE',
  OMED: 'MEDICINE',
  CSURG: 'CARDIOTHORACIC',
  NMED: 'NEUROLOGY',
  NSURG: 'NEUROSURGERY',
  ORTHO: 'ORTHOPAEDICS',
  GU: 'UROLOGY',
  GYN: 'OBSTETRICS/GYNECOLOGY',
};

/** The sections of a note in the order of note_headers.csv; which are there is drawn by their shares. */
export function noteSections(t: Telling): Sections {
  const texts = allTexts(t);
  const out: Sections = new Map();
  for (const section of t.phrases.sections) {
    const text = texts.get(section.key);
    const isThere = t.s.stream(`note ${section.key}`).chance(section.probPresent);
    // The course is missing only where D81 says so; what carries a mask has to be there.
    const isKept = section.key === 'course' || t.masks.sections.has(section.key);
    if (text !== undefined && (isThere || isKept)) out.set(section.key, text);
  }
  return out;
}

function allTexts(t: Telling): Sections {
  const { s, phrases, r } = t;
  const service = String(s.rows.services[s.rows.services.length - 1]!.curr_service);
  const isDead = t.course.deathtime !== null;
  const acute = t.conditions.filter((c) => c.origin !== 'before' && c !== t.main);
  const names = (t.main ? [t.main, ...acute] : acute).map((c) => c.dx.name);
  const known = t.conditions.filter((c) => c.origin === 'before').map((c) => c.dx.name);
  const history = historyText(t);
  const past = pastText(t);
  return new Map([
    ['name', '___                     Unit No:   ___'],
    ['admission_date', '___              Discharge Date:   ___'],
    ['dob', `___             Sex:   ${s.person.isFemale ? 'F' : 'M'}`],
    ['service', SERVICES[service] ?? 'SURGERY'],
    ['allergies', allergyText(t)],
    ['attending', '___.'],
    ['chief_complaint', chiefComplaint(t)],
    ['major_procedure', procedures(t)],
    ['hpi', history],
    ['ros', r.pick(phrases.of('ros'))],
    ['pmh', past],
    ['social', '___'],
    ['family', familyText(t)],
    ['exam', examText(t)],
    ['results', resultsText(t)],
    ['course', courseText(t)],
    ['meds_admission', homeList(t)],
    ['meds_discharge', isDead ? 'None, patient expired.' : dischargeList(t)],
    ['disposition', isDead ? 'Expired' : r.pick(phrases.of('disposition'))],
    ['facility', '___'],
    ['diagnosis', diagnosisText(names, known)],
    ['condition', isDead ? 'Expired' : wrap(phrases.of('condition')[0]!)],
    ['instructions', isDead ? 'None.' : instructions(t)],
    ['followup', '___'],
  ]);
}

function allergyText({ background }: Telling): string {
  const names = background.allergies.map((a) => a.noteString);
  return names.length === 0 ? 'No Known Allergies / Adverse Drug Reactions' : names.join(' / ');
}

const ILLNESSES = ['hypertension', 'coronary disease', 'diabetes', 'stroke', 'breast cancer', 'colon cancer'];

function familyText({ phrases, r }: Telling): string {
  return r
    .pick(phrases.of('family'))
    .replace('{fam1}', r.pick(ILLNESSES))
    .replace('{fam2}', r.pick(ILLNESSES));
}

function procedures({ stay, s }: Telling): string {
  const done = [
    stay.vent ? 'Intubation and mechanical ventilation' : '',
    stay.centralLine ? 'Central venous line' : '',
    stay.dialysis || stay.crrt ? 'Dialysis' : '',
    s.rows.procedures_icd.some((x) => /^(3612|02100)/.test(String(x.icd_code))) ? 'Coronary bypass ___' : '',
  ].filter((x) => x !== '');
  return done.length === 0 ? 'None' : done.join('\n');
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function diagnosisText(names: readonly string[], known: readonly string[]): string {
  const [first, ...rest] = names.length > 0 ? names : known;
  const secondary = names.length > 0 ? [...rest, ...known] : rest;
  const list = (title: string, all: readonly string[]): string =>
    all.length === 0 ? '' : `${title}:\n${all.map((x) => `- ${capital(x)}`).join('\n')}`;
  return [list('Primary', first ? [first] : ['observation after a procedure']), list('Secondary', secondary)]
    .filter((x) => x !== '')
    .join('\n\n');
}

function instructions({ phrases, main }: Telling): string {
  const cause = main ? main.dx.name : 'a planned operation';
  return wrap(phrases.of('instr')[0]!.replace('{main_dx}', cause));
}
