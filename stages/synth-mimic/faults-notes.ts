/** Faults of dirty_rows.csv inside a discharge note, planted in its sections before it is laid out. */
import { plants, record } from './context.js';
import type { Sections, Telling } from './note.js';
import type { Headers } from './note-layout.js';
import { drawnHeaders, usualHeaders } from './note-layout.js';

const TABLE = 'note.discharge';

/** Plants D80 to D82 in the sections of a note. */
export function plantSectionFaults(t: Telling, note_id: string, sections: Sections): void {
  if (plants(t.s, 'D80')) headerInProse(t, note_id, sections);
  if (plants(t.s, 'D81')) {
    note(t, 'D81', note_id, sections.get('course')!, null, 'course: absent, the note is kept');
    sections.delete('course');
  }
  if (plants(t.s, 'D82')) courseInHistory(t, note_id, sections);
}

/** Header words inside a sentence; each begins a line that a wrapped paragraph might begin with. */
const PROSE = [
  'hospital course was short at the last stay elsewhere, and there were no complications.',
  'past medical history was gone through with the family, who had nothing to add.',
  'physical exam: as by the report of the clinic, which found nothing new.',
  'discharge medications and the list of the pharmacy were compared, they agree.',
];

/** D80: the section keeps the sentence. */
function headerInProse(t: Telling, note_id: string, sections: Sections): void {
  const r = t.s.stream('D80');
  const clean = sections.get('hpi')!;
  const [first, ...rest] = clean.split('\n\n');
  const dirty = [`${first} Of note, the\n${r.pick(PROSE)}`, ...rest].join('\n\n');
  sections.set('hpi', dirty);
  note(t, 'D80', note_id, clean, dirty, 'hpi: holds exactly this text');
}

/** D82: a fact of the stay in the history or among the illnesses of the past. */
function courseInHistory(t: Telling, note_id: string, sections: Sections): void {
  const r = t.s.stream('D82');
  const key = r.chance(0.7) || !sections.has('pmh') ? 'hpi' : 'pmh';
  const clean = sections.get(key)!;
  const leak = leakOf(t, r.int(0, 1));
  const dirty = key === 'hpi' ? `${clean} ${leak}` : `${clean}\n${leak}`;
  sections.set(key, dirty);
  note(t, 'D82', note_id, clean, dirty, `${key}: leak: ${leak}`);
}

function leakOf(t: Telling, kind: number): string {
  const who = t.s.person.isFemale ? 'She' : 'He';
  const drug = t.newOrders[0]?.drug ?? 'antibiotics';
  if (kind === 0) return `${who} was started on ${drug}.`;
  return `During this hospitalization ${drug} was given.`;
}

/** Header forms of a note: the usual ones, or those of D79, which go into the ledger. */
export function headersOf(t: Telling, note_id: string, sections: Sections): Headers {
  if (!plants(t.s, 'D79')) return usualHeaders(t.phrases);
  const headers = drawnHeaders(t.phrases, sections, t.s.stream('D79'));
  const usual = usualHeaders(t.phrases);
  const other = [...headers].filter(([key, form]) => sections.has(key) && usual.get(key) !== form);
  note(t, 'D79', note_id, null, other.map(([key, form]) => `${key}=${form}`).join('\n'));
  return headers;
}

/** D78: the blanked places of a note. */
export function noteMasks(t: Telling, note_id: string): void {
  for (const { kind, clean, dirty } of t.masks.made)
    note(t, 'D78', note_id, clean, dirty, `${kind}: unknown, never guessed`);
}

function note(
  t: Telling,
  id: string,
  note_id: string,
  clean_value: string | null,
  dirty_value: string | null,
  expectation?: string,
): void {
  record(t.s, id, {
    table: TABLE,
    stay_id: t.stay.stay_id,
    key: `note_id=${note_id}`,
    column: 'text',
    clean_value,
    dirty_value,
    ...(expectation ? { expectation } : {}),
  });
}
