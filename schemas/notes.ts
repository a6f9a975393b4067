/** Notes cut into their sections. Offsets count UTF-16 code units of the note as it was loaded, line ends included. */
import { col, table } from './table.js';

/** What stands in a note before its first header, and in a report outside any section. */
export const NO_SECTION = 'none';

export const noteSections = table({
  name: 'note_sections',
  doc: 'one part of a discharge note: header and text; the parts of a note cover it from end to end',
  key: ['note_id', 'part_n'],
  row: {
    note_id: col.text(),
    subject_id: col.int(),
    hadm_id: col.int(),
    /** Canonical name (`hpi`, `course`); `none` for the text before the first header. A section may come in several parts. */
    section: col.text(),
    /** From 1, in the order of the note. */
    part_n: col.int(),
    /** As written; null for the text before the first header. */
    header: col.text().nullable(),
    /** Where the header begins; equal to start_n where there is none. */
    header_start_n: col.int(),
    /** The note from start_n to end_n, without blanks around it; line ends and masks as they are. */
    text: col.text(),
    start_n: col.int(),
    end_n: col.int(),
  },
});

export const dischargeNotes = table({
  name: 'discharge_notes',
  doc: 'one discharge note that was split, with what was found',
  key: ['note_id'],
  row: {
    note_id: col.text(),
    subject_id: col.int(),
    hadm_id: col.int(),
    characters_n: col.int(),
    parts_n: col.int(),
    /** Characters other than blanks before the first header. */
    outside_n: col.int(),
    /** Blanks of the deidentification (`___`). */
    masks_n: col.int(),
    /** JSON list of the sections that a note should have and this one lacks, or has without text. */
    missing_sections: col.text(),
  },
});

export const reportSections = table({
  name: 'report_sections',
  doc: 'one part of a radiology report; provisional readings are left out',
  key: ['note_id', 'part_n'],
  row: {
    note_id: col.text(),
    hadm_id: col.int(),
    subject_id: col.int(),
    /** RR, or AR for an addendum. */
    note_type: col.text(),
    /** Report that an addendum belongs to; null where none is on record. */
    parent_note_id: col.text().nullable(),
    /** Time of the exam. */
    charttime: col.timestamp(),
    storetime: col.timestamp().nullable(),
    /** From when on it could be read: storetime, or charttime where that is later or there is no storetime. */
    available_at: col.timestamp(),
    /**
     * `examination`, `indication`, `technique`, `comparison`, `findings` (also findings and impression in one), `impression`,
     * `notification`, `recommendation`, `addendum`, `signature`, `none`.
     */
    section: col.text(),
    part_n: col.int(),
    /** As written; null where the text stands without one. */
    header: col.text().nullable(),
    text: col.text(),
    start_n: col.int(),
    end_n: col.int(),
  },
});

export const radiologyReports = table({
  name: 'radiology_reports',
  doc: 'one radiology report that was split, with what was found',
  key: ['note_id'],
  row: {
    note_id: col.text(),
    subject_id: col.int(),
    hadm_id: col.int(),
    /** False where the admission was found by subject and time. */
    is_hadm_recorded: col.bool(),
    note_type: col.text(),
    characters_n: col.int(),
    parts_n: col.int(),
    /** Characters of provisional readings, which are left out. */
    provisional_n: col.int(),
    masks_n: col.int(),
    has_findings: col.bool(),
    has_impression: col.bool(),
  },
});

export const profiledAdmissions = table({
  name: 'profiled_admissions',
  doc: 'sampled admissions that have a profile, with how it was made',
  key: ['hadm_id'],
  row: {
    hadm_id: col.int(),
    subject_id: col.int(),
    /** `parser`, `model` or `tables`: who wrote what the note says. */
    author: col.text(),
    note_id: col.text().nullable(),
    /** Key of the recorded answer of the model; null for the others. */
    answer: col.text().nullable(),
    served_model: col.text().nullable(),
    spans_n: col.int(),
    /** Pieces that the leak check took out. */
    leaks_n: col.int(),
    /** Blanks of the deidentification in what the profile shows, each now `Unknown`. */
    masks_n: col.int(),
    /** Pieces of nothing but masks, left out. */
    masked_pieces_n: col.int(),
    /** Pieces after the cut of a strict history. */
    strict_cut_n: col.int(),
    /** Parts of allowed sections that come after the hospital course, left out. */
    late_parts_n: col.int(),
  },
});

export const profileLeaks = table({
  name: 'profile_leaks',
  doc: 'pieces of allowed sections that tell of the stay itself: taken out, or the reason why an admission is left out',
  key: ['note_id', 'start_n'],
  row: {
    note_id: col.text(),
    hadm_id: col.int(),
    /** Section of the profile. */
    section: col.text(),
    /** Place in the note. */
    start_n: col.int(),
    end_n: col.int(),
    /** `in_hospital_drug`, `course_phrase`, `course_sentence`, `discharge_diagnosis`. */
    reason: col.text(),
    /** Folded drug or phrase that gave it away; null for a repeated sentence. */
    word: col.text().nullable(),
  },
});

export const profileFindings = table({
  name: 'profile_findings',
  doc: 'what a model returned for a profile and a check dropped',
  key: ['hadm_id', 'section', 'item_n'],
  row: {
    hadm_id: col.int(),
    section: col.text(),
    /** From 1, in the order of the reply. */
    item_n: col.int(),
    /**
     * `quote_not_found`, `number_not_found`, `drug_not_found`, `route_not_found`, `allergy_not_found`; `meaning_turned`: the
     * words before it that turn its meaning were left out; `masked`: nothing but Unknown; `repeated`.
     */
    reason: col.text(),
  },
});
