/** How the record of a moment reads: profile and timeline, for questions (plain) and for prompts (with the ids that may be cited). */
import { PROFILE_SECTIONS, type ProfileSection, UNKNOWN } from '../../schemas/rxeval-record.js';
import { secondsOf } from './record/times.js';

/** A section of the profile with the pieces of it that may be cited. */
export interface RenderedSection {
  readonly section: string;
  readonly text: string;
  readonly spans: readonly { readonly span_id: string; readonly text: string; readonly start_n: number }[];
}

/** An event as it is shown. Times are `YYYY-MM-DD HH:MM:SS` without zone. */
export interface RenderedEvent {
  readonly event_id: string;
  readonly kind: string;
  readonly available_at: string;
  readonly text: string;
}

const TITLES: Readonly<Record<ProfileSection, string>> = {
  patient_information: 'Patient Information',
  allergies: 'Allergies',
  chief_complaint: 'Chief Complaint',
  history_of_present_illness: 'History of Present Illness',
  review_of_systems: 'Review of Systems',
  past_medical_history: 'Past Medical History',
  social_history: 'Social History',
  family_history: 'Family History',
  physical_exam: 'Physical Exam before Admission',
  medications_on_admission: 'Medications before Admission',
};

const KIND_WORDS: Readonly<Record<string, string>> = {
  prescription: 'order',
  lab: 'lab',
  procedure: 'procedure',
  radiology: 'imaging',
  culture: 'culture',
  vital: 'vital signs',
  output: 'output',
};

/** The profile, a heading a section in fixed order; with ids every piece that may be cited has a line of its own. */
export function renderProfile(sections: readonly RenderedSection[], with_ids = false): string {
  const byName = new Map(sections.map((s) => [s.section, s]));
  const parts = PROFILE_SECTIONS.map((name) => {
    const section = byName.get(name);
    const text = section === undefined || section.text.trim() === '' ? UNKNOWN : section.text.trim();
    const lines = with_ids && section && section.spans.length > 0 ? spanLines(section) : text;
    return `${TITLES[name]}:\n${lines}`;
  });
  return parts.join('\n\n');
}

function spanLines(section: RenderedSection): string {
  const sorted = [...section.spans].sort((a, b) => a.start_n - b.start_n || (a.span_id < b.span_id ? -1 : 1));
  return sorted.map((s) => `[${s.span_id}] ${oneLine(s.text)}`).join('\n');
}

/** The timeline, earliest first, a line an event; further lines of an event are indented. */
export function renderTimeline(
  events: readonly RenderedEvent[],
  cut_at: string,
  options: { readonly with_ids?: boolean; readonly dropped_n?: number } = {},
): string {
  const dropped = options.dropped_n ?? 0;
  const head =
    dropped > 0 ? [`(${dropped} earlier event${dropped === 1 ? '' : 's'} left out for length)`] : [];
  const lines = events.map((e) => renderEvent(e, cut_at, options.with_ids ?? false));
  return [...head, ...(lines.length === 0 ? ['(nothing on record)'] : lines)].join('\n');
}

function renderEvent(e: RenderedEvent, cut_at: string, with_ids: boolean): string {
  const text = e.text.trim().replaceAll(/\r?\n/g, '\n    ');
  const id = with_ids ? `[${e.event_id}] ` : '';
  return `${id}${renderLead(e.available_at, cut_at)} before | ${KIND_WORDS[e.kind] ?? e.kind} | ${text}`;
}

/** Time from an event to the cut, in days, hours and minutes: `2 d 3 h 5 min`, `40 min`; under a minute is `0 min`. */
export function renderLead(at: string, cut_at: string): string {
  const minutes = Math.floor((secondsOf(cut_at) - secondsOf(at)) / 60);
  if (minutes < 0) throw new RangeError('an event at or after the cut is no part of the timeline');
  const parts: string[] = [];
  const days = Math.floor(minutes / 1440);
  const hours = Math.floor((minutes % 1440) / 60);
  if (days > 0) parts.push(`${days} d`);
  if (hours > 0) parts.push(`${hours} h`);
  if (minutes % 60 > 0 || parts.length === 0) parts.push(`${minutes % 60} min`);
  return parts.join(' ');
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

/** A medication as it stands in an option or a prompt: `Furosemide; 40 mg; IV`, without what is not recorded. */
export function renderDrug(drug: {
  readonly drug: string;
  readonly dose_text: string | null;
  readonly route: string | null;
}): string {
  return [drug.drug, drug.dose_text, drug.route]
    .filter((part): part is string => part !== null && part.trim() !== '')
    .map(oneLine)
    .join('; ');
}
