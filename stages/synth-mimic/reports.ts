/** Radiology of the index admission: which examinations are made when, and what they show. */
import type { Course } from './admission.js';
import type { Condition } from './conditions.js';
import type { Stay, Subject } from './context.js';
import type { Report } from './evidence.js';
import { isChestFilm, type Radiology, type Template } from './radiology.js';
import type { Stream } from './rng.js';
import { isOn } from './stay.js';
import { HOUR, MINUTE, toMinute } from './time.js';

/** A report with what its text is made from. */
export interface DrawnReport extends Report {
  readonly seq: number;
  readonly layout: string;
  readonly modality: string;
  readonly findings: string;
  readonly impression: string;
  /** What the film is compared with. */
  readonly isFollowUp: boolean;
}

/** What the examinations of a subject follow from. */
export interface Imaging {
  readonly tables: Radiology;
  readonly stay: Stay;
  readonly course: Course;
  readonly conditions: readonly Condition[];
  /** Layout of each report; as many reports are made. */
  readonly layouts: readonly string[];
}

/** An examination before its text is known: of one condition, or a chest film that shows all of the chest. */
interface Exam {
  readonly t: number;
  readonly condition: Condition | null;
}

/** Reports that are read at least: the first film, one later on, and one for each condition looked for on purpose. */
export function fewestReports(tables: Radiology, keys: readonly string[]): number {
  const own = keys.filter((k) => tables.templates.has(k) && !isChestFilm(tables.templates.get(k)![0]!));
  const acquired = keys.filter((k) => k === 'vap' || k === 'ards');
  return 2 + Math.min(5, own.length + acquired.length);
}

/** Reports of a subject in order of time. */
export function reportsOf(s: Subject, x: Imaging): DrawnReport[] {
  const r = s.stream('reports');
  const end = (x.course.deathtime ?? x.course.dischtime) - 10 * MINUTE;
  const exams = examsOf(x, r, end)
    .slice(0, x.layouts.length)
    .sort((a, b) => a.t - b.t);
  const seen: Seen = new Map();
  let seq = r.int(2, 40);
  return exams.map((exam, n) => {
    const read = exam.condition ? ownExam(x, exam, exam.condition, seen, r) : chestFilm(x, exam.t, seen, r);
    seq++;
    return {
      ...read,
      noteId: `${s.subject_id}-RR-${seq}`,
      seq,
      hadmId: x.course.hadm_id,
      charttime: exam.t,
      storetime: exam.t + r.int(12, 110) * MINUTE,
      layout: x.layouts[n]!,
    };
  });
}

/** Bleeding and infarction in the head are looked at again within a day. */
const REPEATED = ['ich', 'sah', 'sdh_traumatic', 'ischemic_stroke'];

/** Examinations by importance: those of a condition, the first chest film, chest films at new conditions, follow-ups. */
function examsOf(x: Imaging, r: Stream, end: number): Exam[] {
  const { course, conditions, tables } = x;
  const templateOf = (c: Condition): Template | undefined => tables.templates.get(c.dx.key)?.[0];
  const exams: Exam[] = [];
  const later: Exam[] = [];
  const add = (list: Exam[], t: number, condition: Condition | null): void => {
    const at = toMinute(t);
    if (at <= end) list.push({ t: at, condition });
  };
  for (const c of conditions) {
    const template = templateOf(c);
    if (!template || isChestFilm(template)) continue;
    // A scan that finds nothing is not made where another one of the head shows a lesion.
    if (!LESIONS.includes(c.dx.key) && lesionIn(x, template, c.dx.key, Number.POSITIVE_INFINITY)) continue;
    const t =
      Math.max(c.onsetAt, course.admittime) +
      (c.origin === 'before' ? r.int(300, 2600) : r.int(8, 160)) * MINUTE;
    add(exams, t, c);
    if (REPEATED.includes(c.dx.key)) add(later, t + r.int(6, 26) * HOUR, c);
  }
  add(exams, course.admittime + r.int(4, 70) * MINUTE, null);
  for (const c of conditions) {
    const template = templateOf(c);
    if (template && isChestFilm(template) && c.origin === 'hospital') {
      add(exams, c.onsetAt + r.int(12, 150) * MINUTE, null);
    }
  }
  return [...exams, ...later, ...followUps(x, r, end)];
}

/** Chest films over the rest of the stay, one in each equal part of it. */
function followUps(x: Imaging, r: Stream, end: number): Exam[] {
  const first = x.stay.t0;
  const n = x.layouts.length;
  return Array.from({ length: n }, (_, k) => {
    // Every other part first, so that few films still reach the end.
    const part = k % 2 === 0 ? n - 1 - k / 2 : (k - 1) / 2;
    const t = toMinute(first + ((part + r.float()) * Math.max(HOUR, end - first)) / n);
    return { t: Math.min(t, toMinute(end)), condition: null };
  });
}

type Read = Pick<
  DrawnReport,
  'dxKey' | 'examName' | 'modality' | 'findings' | 'impression' | 'isFollowUp' | 'showsPulmonaryEdema'
>;

function ownExam(x: Imaging, exam: Exam, { dx }: Condition, seen: Seen, r: Stream): Read {
  const known = seen.get(dx.key)?.template;
  const t = known ?? r.pick(x.tables.templates.get(dx.key)!);
  if (!known) seen.set(dx.key, { since: exam.t, template: t, isGone: false });
  const isFollowUp = known !== undefined;
  const told = lesionIn(x, t, dx.key, exam.t) ? withoutDenial : (text: string): string => text;
  const impression = told(t.impression);
  return {
    dxKey: dx.key,
    examName: t.examName,
    modality: t.modality,
    findings: told(t.findings),
    impression: isFollowUp ? withState(impression, r.pick(UNCHANGED)) : impression,
    isFollowUp,
    showsPulmonaryEdema: false,
  };
}

const HEAD = /HEAD/;
/** What is seen in the head: an examination for another reason must not deny it. */
const LESIONS = ['ich', 'sah', 'sdh_traumatic', 'ischemic_stroke', 'brain_mets'];

/** Whether the head holds a lesion besides the condition of the examination. */
const lesionIn = (x: Imaging, t: Template, key: string, at: number): boolean =>
  HEAD.test(t.examName) &&
  x.conditions.some((c) => c.dx.key !== key && LESIONS.includes(c.dx.key) && c.onsetAt <= at);

/** The text without what it denies. */
const withoutDenial = (text: string): string =>
  text
    .replace(/ without (hemorrhage)/, '')
    .split(/(?<=\.) /)
    .filter((y) => !/\bno\b/i.test(y))
    .join(' ');

/** Since when a condition has been on films, and the template that shows it. */
type Seen = Map<string, { since: number; template: Template; isGone: boolean }>;

const UNCHANGED = ['unchanged', 'stable since the prior study', 'without change'];
const BETTER = ['improved', 'less than on the prior study', 'slightly improved'];
const FLUID = /pulmonary edema/i;

/** A chest film shows every condition of the chest that is there at its time. */
function chestFilm(x: Imaging, t: number, seen: Seen, r: Stream): Read {
  const isVent = isOn(x.stay.vent, t);
  const isFollowUp = seen.has('*');
  const shown = x.conditions.filter((c) => c.onsetAt <= t && isShown(x, c, t, seen, r));
  const isPortable = isVent || isOn({ start: x.stay.t0, end: x.stay.outtime }, t);
  const exam = {
    examName: isPortable ? 'CHEST (PORTABLE AP)' : 'CHEST (PA & LAT)',
    modality: 'CR',
    isFollowUp,
  };
  const devices = devicesAt(x.stay, t, r);
  if (shown.length === 0) {
    const normal = r.pick(x.tables.templates.get('*')!);
    if (!isFollowUp) seen.set('*', { since: t, template: normal, isGone: false });
    const known = KNOWN_ON_FILMS.filter(([key]) =>
      x.conditions.some((c) => c.dx.key === key && c.onsetAt <= t),
    );
    const lungs = known.length === 0 ? [normal.findings] : together([normal.findings, '']);
    const findings = [...devices, ...lungs, ...known.map(([, text]) => text)].join(' ');
    return { ...exam, dxKey: '*', findings, impression: normal.impression, showsPulmonaryEdema: false };
  }
  const templates = shown.map((c) => seen.get(c.dx.key)!.template);
  const impressions = shown.map((c) => {
    const { since, template } = seen.get(c.dx.key)!;
    if (since === t) return template.impression;
    const isBetter = x.course.isSurvivor && r.chance(Math.min(0.75, (t - since) / (150 * HOUR)));
    return withState(template.impression, r.pick(isBetter ? BETTER : UNCHANGED));
  });
  seen.set('*', { since: t, template: templates[0]!, isGone: false });
  const findings = together(templates.map((y) => y.findings)).filter((y) => isVent || !/\btube\b/i.test(y));
  const kept = impressions.map((y) => (isVent ? y : withoutVentilator(y)));
  return {
    ...exam,
    dxKey: shown[0]!.dx.key,
    findings: [
      ...devices.filter((y) => !/tube/i.test(y) || !findings.some((f) => /\btube\b/i.test(f))),
      ...findings,
    ].join(' '),
    impression: kept.length === 1 ? kept[0]! : kept.map((y, n) => `${n + 1}. ${y}`).join(' '),
    showsPulmonaryEdema: kept.some((y) => FLUID.test(y)),
  };
}

/** What is said of ventilation once the tube is out. */
const withoutVentilator = (impression: string): string =>
  impression
    .replace(/Tube in good position\. ?/, '')
    .replace('in a ventilated patient', 'after recent ventilation');

/** What other examinations show in full is mentioned on chest films. */
const KNOWN_ON_FILMS: readonly (readonly [string, string])[] = [
  ['lung_cancer', 'The known lung mass is again seen.'],
  ['rib_fractures', 'Rib fractures are seen on the right, better described by CT.'],
];

/** Whether a film shows the condition; survivors clear after some days, and what has cleared stays away. */
function isShown(x: Imaging, c: Condition, t: number, seen: Seen, r: Stream): boolean {
  const wordings = x.tables.templates.get(c.dx.key);
  if (!wordings || !isChestFilm(wordings[0]!)) return false;
  const known = seen.get(c.dx.key);
  if (!known) {
    seen.set(c.dx.key, { since: t, template: r.pick(wordings), isGone: false });
    return true;
  }
  if (!known.isGone && x.course.isSurvivor && t - known.since > 100 * HOUR && r.chance(0.4))
    known.isGone = true;
  return !known.isGone;
}

function devicesAt(stay: Stay, t: number, r: Stream): string[] {
  const out: string[] = [];
  if (isOn(stay.vent, t)) out.push(`The endotracheal tube ends ${r.int(3, 6)} cm above the carina.`);
  if (isOn(stay.centralLine, t)) out.push('A central venous line ends in the superior vena cava.');
  return out;
}

/** Findings of several conditions in one film: what one template denies, another one may show. */
function together(findings: readonly string[]): string[] {
  const sentences = findings.flatMap((x) => x.split(/(?<=\.) /));
  if (findings.length === 1) return sentences;
  const kept = sentences
    .map((x) => x.replace(/ without (effusion|focal consolidation)/, ''))
    .filter((x) => !/\b(no|normal|clear)\b/i.test(x));
  return [...new Set(kept)];
}

/** `Moderate effusion.` and `unchanged` make `Moderate effusion, unchanged.` */
const withState = (impression: string, state: string): string =>
  `${impression.replace(/\.$/, '')}, ${state}.`;

/** The rad tags of drug_indications.csv that can be read at a moment: `pulmonary_edema`. */
export function radTags(reports: readonly Report[], at: number): Set<string> {
  const isRead = reports.some((x) => x.showsPulmonaryEdema && x.storetime <= at);
  return new Set(isRead ? ['pulmonary_edema'] : []);
}
