/** Statements become the sections of a profile and the spans that may be cited. */
import { PROFILE_SECTIONS, UNKNOWN } from '../../schemas/rxeval-record.js';
import type { SqlRow } from '../contract.js';
import { contentId } from '../lib/hash.js';
import type { Statement } from './pieces.js';

export interface Profile {
  readonly sections: SqlRow[];
  readonly spans: SqlRow[];
}

/** Hex digits of the id of a span, behind its letter. */
const ID_DIGITS = 12;

/** The ten sections of an admission; `author` wrote what comes from the note. */
export function composeProfile(hadm_id: number, statements: readonly Statement[], author: string): Profile {
  const spans: SqlRow[] = [];
  const sections = PROFILE_SECTIONS.map((section) => {
    const own = statements.filter((s) => s.section === section);
    let text = '';
    for (const s of own) {
      if (text !== '') text += s.opens ? '\n' : ' ';
      spans.push(spanRow(hadm_id, s, text.length));
      text += s.text;
    }
    // What the note says comes first; a section of table rows alone has the author `tables`.
    const [first] = own;
    return {
      hadm_id,
      section,
      text: text === '' ? UNKNOWN : text,
      author: first && first.source_table !== 'discharge' ? 'tables' : author,
      source_table: first?.source_table ?? 'admissions',
      source_key: first?.source_key ?? `hadm_id=${hadm_id}`,
    };
  });
  return { sections, spans };
}

function spanRow(hadm_id: number, s: Statement, start_n: number): SqlRow {
  const { section, kind, text, name, dose_text, route, source_table, source_key, note_start_n, note_end_n } =
    s;
  const from = [source_table, source_key, note_start_n ?? ''];
  const id = contentId('span', hadm_id, section, ...from, kind, text, name ?? '');
  return {
    span_id: `S${id.slice(0, ID_DIGITS)}`,
    hadm_id,
    section,
    kind,
    text,
    start_n,
    end_n: start_n + text.length,
    name,
    dose_text,
    route,
    source_table,
    source_key,
    note_start_n,
    note_end_n,
  };
}
