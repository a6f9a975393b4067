/** note.discharge and note.discharge_detail of a subject. */
import { record } from './context.js';
import { headersOf, noteMasks, plantSectionFaults } from './faults-notes.js';
import { masksOf } from './masks.js';
import { noteSections, type Telling } from './note.js';
import { noteText, usualHeaders } from './note-layout.js';
import { doseOf, homeDrugs } from './note-meds.js';
import { type OrderRow, ordersTold } from './note-orders.js';
import { lastPrior, priorSections } from './note-second.js';
import type { NoteRow } from './rows.js';
import { DAY, HOUR, MINUTE, timeText } from './time.js';

const TABLE = 'note.discharge';

/** Share of notes with an author on record (Note 2.2: 186,138 details of 331,793 notes). */
const WITH_AUTHOR = 0.56;
/** Share of notes filed before the midnight that stands for their day; more than the real 1 in 100, so that it occurs. */
const FILED_BEFORE = 0.05;

/** Everything a note is told from but its orders and masks. */
export type Known = Omit<Telling, 'masks' | 'newOrders' | 'lastOrders' | 'r'>;

/** Appends the notes of a subject; `orders` are its rows of prescriptions. */
export function tellNotes(
  known: Known,
  orders: readonly OrderRow[],
  plan: { masks: number; hasSecondNote: boolean },
): void {
  const { s } = known;
  const home = homeDrugs(known);
  const hasDose = home.some((drug) => doseOf(drug) !== '');
  const isDirty = s.config.profile === 'dirty';
  const t: Telling = {
    ...known,
    ...ordersTold(orders, home, known.course),
    masks: masksOf(plan.masks, hasDose, isDirty, s.stream('masks')),
    r: s.stream('note'),
  };
  noteRows(t, plan.hasSecondNote);
}

/** The notes of a subject: none where D84 says so, a second one where the block needs it for D83. */
function noteRows(t: Telling, hasSecondNote: boolean): void {
  const { s, course } = t;
  const seq = s.stream('note seq').int(2, 20);
  const prior = lastPrior(s, course.admittime);
  const hasNote = !s.wants.has('D84');
  if (hasSecondNote && prior) {
    // Its blanks are not counted: D78 is of the note of the stay.
    const plain = { ...t, masks: masksOf(0, false, false, s.stream('prior note')) };
    const text = noteText(priorSections(plain, prior), usualHeaders(t.phrases));
    add(t, { hadm_id: prior.hadm_id, note_type: 'DS', note_seq: seq, end: prior.dischtime, text });
  }
  if (hasNote) indexNote(t, seq + 1);
  else noNote(t);
  if (hasSecondNote && !prior && hasNote) {
    const text = ` \n${t.phrases.of('addendum')[0]!}\n`;
    add(t, { hadm_id: course.hadm_id, note_type: 'AD', note_seq: seq + 2, end: course.dischtime, text });
  }
}

function indexNote(t: Telling, note_seq: number): void {
  const { s, course } = t;
  const note_id = `${s.subject_id}-DS-${note_seq}`;
  const sections = noteSections(t);
  noteMasks(t, note_id);
  plantSectionFaults(t, note_id, sections);
  const text = noteText(sections, headersOf(t, note_id, sections));
  add(t, { hadm_id: course.hadm_id, note_type: 'DS', note_seq, end: course.dischtime, text });
}

function noNote(t: Telling): void {
  record(t.s, 'D84', {
    table: 'hosp.admissions',
    stay_id: t.stay.stay_id,
    key: `hadm_id=${t.course.hadm_id}`,
    column: '',
    clean_value: null,
    dirty_value: 'no row in note.discharge',
  });
}

/** A note dated by the midnight of its day (D83), and its author. */
function add(
  t: Telling,
  x: { hadm_id: number; note_type: 'DS' | 'AD'; note_seq: number; end: number; text: string },
): void {
  const { s } = t;
  const r = s.stream(`note ${x.note_type} ${x.note_seq}`);
  const note_id = `${s.subject_id}-${x.note_type}-${x.note_seq}`;
  const charttime = Math.floor(x.end / DAY) * DAY;
  const isEarly = r.chance(FILED_BEFORE);
  const storetime = isEarly
    ? charttime - r.int(1, 20) * HOUR - r.int(0, 59) * MINUTE
    : Math.max(charttime, x.end) + r.int(1, 70) * HOUR + r.int(0, 59) * MINUTE;
  const row: NoteRow = {
    note_id,
    subject_id: s.subject_id,
    hadm_id: x.hadm_id,
    note_type: x.note_type,
    note_seq: x.note_seq,
    charttime,
    storetime,
    text: x.text,
  };
  s.rows.discharge.push(row);
  if (r.chance(WITH_AUTHOR)) {
    const detail = { note_id, subject_id: s.subject_id, field_ordinal: 1 };
    s.rows.discharge_detail.push({ ...detail, field_name: 'author', field_value: '___' });
  }
  record(s, 'D83', {
    table: TABLE,
    stay_id: t.stay.stay_id,
    key: `note_id=${note_id}`,
    column: 'charttime',
    clean_value: timeText(x.end),
    dirty_value: timeText(charttime),
  });
}
