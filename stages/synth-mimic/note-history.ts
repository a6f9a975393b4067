/** What a note tells of the time before the admission: chief complaint, present illness, past history. */
import type { Condition } from './conditions.js';
import { shuffle } from './diagnoses.js';
import type { Vitals } from './findings.js';
import type { Telling } from './note.js';
import { wrap } from './wrap.js';

/** The condition that brought the patient: the gravest of those that began with the illness and have a complaint. */
export function mainCondition(t: Pick<Telling, 's' | 'phrases' | 'conditions'>): Condition | null {
  const r = t.s.stream('main condition');
  const grave = t.conditions
    .filter((c) => c.origin === 'arrival' && t.phrases.of('chief_complaint', c.dx.key).length > 0)
    .map((c) => ({ c, rank: c.dx.mortality * (LABORATORY.test(c.dx.key) ? 0.3 : 1) + 0.5 * r.float() }))
    .sort((a, b) => b.rank - a.rank);
  return grave[0]?.c ?? null;
}

/** Conditions that a laboratory finds rather than the patient. */
const LABORATORY = /kalemia|natremia|acidosis|aki|atn|thrombocytopenia|hypotension/;

/** The chief complaint. */
export function chiefComplaint(t: Telling): string {
  if (!t.main) return t.phrases.of('chief_complaint')[plainCourse(t)]!;
  return t.phrases.of('chief_complaint', t.main.dx.key)[0]!;
}

/** Which of the plain complaints a patient without acute illness on arrival has; complaints and histories go in pairs. */
const plainCourse = (t: Telling): number =>
  t.s.stream('plain course').int(0, t.phrases.of('chief_complaint').length - 1);

/** Words for the patient. */
export const person = (t: Telling): string => (t.s.person.isFemale ? 'woman' : 'man');
const pronoun = (t: Telling): string => (t.s.person.isFemale ? 'She' : 'He');

/** Chance that the history names an illness of arrival outright; the main one is always named. */
const NAMED = 0.9;
const MOST_SYMPTOMS = 3;

/** The history of the present illness, in paragraphs. */
export function historyText(t: Telling): string {
  const arrived = t.conditions.filter((c) => c.origin === 'arrival' && c !== t.main);
  const told = t.main ? [t.main, ...arrived] : arrived;
  const named = told.filter((c) => c === t.main || t.r.chance(NAMED));
  const story = [
    opening(t),
    ...told.slice(0, MOST_SYMPTOMS).map((c) => symptom(t, c)),
    ...(told.length === 0 ? [sentence(t, t.phrases.of('hpi')[plainCourse(t)]!)] : []),
    ...named.map((c) => statement(t, c)),
    denials(t),
    ...placesAndPeople(t),
  ];
  const paragraphs = [story.filter((x) => x !== '').join(' '), emergency(t), arrival(t)];
  return paragraphs
    .filter((x) => x !== '')
    .map((x) => wrap(x))
    .join('\n\n');
}

function opening(t: Telling): string {
  const age = t.masks.write('age', `${t.s.age} year old`, '___ year old');
  const known = pastNames(t).slice(0, 3);
  const history = known.length === 0 ? '' : ` with a history of ${known.join(', ')}`;
  return `___ is a ${age} ${person(t)}${history} who presents with ${chiefComplaint(t).toLowerCase()}.`;
}

const VERB =
  /^(felt|was|has|had|noticed|became|choked|passed|reports|woke|fell|fainted|stopped|ran|tripped|collapsed|vomited)\b/;

/** A phrase with a verb gets its subject; others stand as notes write them. */
function sentence(t: Telling, phrase: string): string {
  const text = phrase.replaceAll('{d}', String(t.r.int(2, 6)));
  const whole = VERB.test(text) ? `${pronoun(t)} ${text}` : text.charAt(0).toUpperCase() + text.slice(1);
  return `${whole}.`;
}

function symptom(t: Telling, c: Condition): string {
  const texts = t.phrases.of('hpi', c.dx.key);
  return texts.length === 0 ? '' : sentence(t, t.r.pick(texts));
}

function statement(t: Telling, c: Condition): string {
  const texts = t.phrases.of('hpi_finding', c.dx.key);
  return texts.length === 0 ? '' : `${t.r.pick(texts)}.`;
}

/** Two or three denials of illnesses that the patient does not have. */
function denials(t: Telling): string {
  const keys = new Set(t.conditions.map((c) => c.dx.key));
  const list = [...t.phrases.without('hpi_denial', keys)];
  shuffle(list, t.r);
  return list
    .slice(0, t.r.int(1, 3))
    .map((x) => `${x.charAt(0).toUpperCase()}${x.slice(1)}.`)
    .join(' ');
}

function placesAndPeople(t: Telling): string[] {
  const { masks, r } = t;
  const days = r.int(2, 9);
  return [
    `Symptoms began ${masks.write('date', `${days} days before this visit`, 'on ___')}.`,
    `First seen at ${masks.write('place', 'an outside hospital', '___ Hospital')} by ${masks.write('doctor', 'the physician on call', 'Dr. ___')}.`,
  ];
}

const isWhole = (v: Vitals): boolean => Object.values(v).every((x) => x !== null);

function oxygen(t: Telling): string {
  if (t.stay.vent && t.stay.vent.start <= t.stay.t0) return 'ventilator';
  return t.stay.niv ? 'BiPAP' : t.r.pick(['RA', 'RA', '2L NC', '4L NC']);
}

/** The visit of the emergency department: vital signs and laboratory values of the first hours. */
function emergency(t: Telling): string {
  const { vitals, arrivalLabs } = t.findings;
  if (!isWhole(vitals) || t.s.rows.admissions[0]!.edregtime === null) return '';
  const abnormal = arrivalLabs.filter((x) => x.isAbnormal).slice(0, 5);
  const notable =
    abnormal.length === 0 ? 'no acute change' : abnormal.map((x) => `${x.name} ${x.value}`).join(', ');
  return fillVitals(t.phrases.of('hpi_close')[0]!, vitals)
    .replace('{o2}', oxygen(t))
    .replace('{lab_list}', notable);
}

/** A phrase with {temp_f}, {hr}, {sbp}, {dbp}, {rr} and {spo2} filled. */
export function fillVitals(phrase: string, v: Vitals): string {
  return phrase
    .replace('{temp_f}', String(v.temp))
    .replace('{hr}', String(v.hr))
    .replace('{sbp}', String(v.sbp))
    .replace('{dbp}', String(v.dbp))
    .replace('{rr}', String(v.rr))
    .replace('{spo2}', String(v.spo2));
}

function arrival(t: Telling): string {
  const { stay } = t;
  const isVent = stay.vent !== null && stay.vent.start <= stay.t0;
  const mental = isVent
    ? 'was sedated'
    : t.r.pick(['was awake and answered questions', 'was alert', 'was tired but oriented']);
  const support = isVent
    ? 'breathed with the ventilator'
    : stay.pressor && stay.pressor.start <= stay.t0
      ? 'needed vasopressor support'
      : 'needed no organ support';
  return t.phrases.of('hpi_close')[1]!.replace('{mental}', mental).replace('{support}', support);
}

/** Names of what was known before, as people write them; the same in every section of the note. */
export function pastNames(t: Telling): string[] {
  return t.conditions
    .filter((c) => c.origin === 'before')
    .map((c) => {
      const names = t.phrases.of('pmh', c.dx.key);
      return names.length === 0 ? c.dx.name : t.s.stream(`pmh ${c.dx.key}`).pick(names);
    });
}

/** Past medical history as a numbered, dashed or comma list. */
export function pastText(t: Telling): string {
  const r = t.s.stream('pmh list');
  const fillers = [...t.phrases.of('pmh_filler')];
  shuffle(fillers, r);
  const names = [...pastNames(t), ...fillers.slice(0, r.int(0, 3))];
  if (names.length === 0) return 'None';
  const style = r.int(0, 2);
  if (style === 0) return names.map((x, n) => `${n + 1}. ${x}`).join('\n');
  if (style === 1) return names.map((x) => `- ${x}`).join('\n');
  return wrap(names.map((x) => x.replaceAll(', ', ' ')).join(', '));
}
