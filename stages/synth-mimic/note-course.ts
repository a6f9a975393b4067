/** The hospital course of a note: the illnesses in turn, the orders of the stay, what is left to do. */
import type { Condition } from './conditions.js';
import type { Telling } from './note.js';
import { pastNames, person } from './note-history.js';
import { DAY } from './time.js';
import { wrap } from './wrap.js';

const MOST_ILLNESSES = 7;

/** Paragraphs by problem; only here are facts of the stay told. */
export function courseText(t: Telling): string {
  const acute = t.conditions.filter((c) => c.origin !== 'before' && c !== t.main);
  const told = (t.main ? [t.main, ...acute] : acute).slice(0, MOST_ILLNESSES);
  const paragraphs = [
    opening(t),
    ...told.map((c) => problem(t, c)),
    orders(t),
    values(t),
    home(t),
    ending(t),
  ];
  return paragraphs
    .filter((x) => x !== '')
    .map((x) => wrap(x))
    .join('\n\n');
}

function opening(t: Telling): string {
  const known = pastNames(t).slice(0, 3).join(', ');
  return t.phrases
    .of('course_open')[0]!
    .replace('{age}', '___')
    .replace('{sex}', person(t))
    .replace(' with {pmh}', known === '' ? '' : ` with ${known}`)
    .replace('{main_dx}', t.main ? t.main.dx.name : 'the need for close monitoring');
}

/** Hospital day of a moment, counted from 1. */
const dayOf = (t: Telling, at: number): number =>
  Math.max(1, Math.floor(at / DAY) - Math.floor(t.course.admittime / DAY) + 1);

function problem(t: Telling, c: Condition): string {
  const [phrase] = t.phrases.of('course', c.dx.key);
  const title = `# ${c.dx.name.charAt(0).toUpperCase()}${c.dx.name.slice(1)}:`;
  const since = c.origin === 'hospital' ? ` Began on hospital day ${dayOf(t, c.onsetAt)}.` : '';
  const text = (phrase ?? 'followed and treated').replace(/\{(\w)\}/g, () => String(t.r.int(2, 5)));
  return `${title}${since} ${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const MOST_ORDERS = 8;

/** Drugs that the stay began, with the hospital day. */
function orders(t: Telling): string {
  const first = t.newOrders.slice(0, MOST_ORDERS);
  if (first.length === 0) return '';
  const list = first.map((x) => `${x.drug} on hospital day ${dayOf(t, x.at)}`);
  return `# Medicines: was started on ${list.join(', ')}.`;
}

function values(t: Telling): string {
  const { firstLabs, lastLabs } = t.findings;
  const changed = firstLabs.filter((x) => x.isAbnormal).slice(0, 3);
  const parts = changed.flatMap((x) => {
    const last = lastLabs.find((y) => y.name === x.name);
    return last ? [`${x.name} went from ${x.value} to ${last.value}`] : [];
  });
  return parts.length === 0 ? '' : `# Laboratory course: ${parts.join(', ')}.`;
}

function home(t: Telling): string {
  const known = pastNames(t);
  return known.length === 0 ? '' : `# Chronic issues: ${known.join('; ')} followed as before.`;
}

const LEFT_TO_DO = [
  'blood pressure',
  'kidney function',
  'blood count',
  'the medication list',
  'pending results',
];

function ending(t: Telling): string {
  const { deathtime } = t.course;
  if (deathtime !== null) return `The patient died on hospital day ${dayOf(t, deathtime)}.`;
  return t.phrases.of('course_close')[0]!.replace('{followup}', t.r.pick(LEFT_TO_DO));
}
