/** What every reader of a file hands over, and how sections and tables get their ids. */
import type { SqlRow } from '../contract.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { contentId, sha256 } from '../lib/hash.js';
import type { Grid } from './grid.js';

/** Damage that a person has to look at; the stage turns it into an error with the file. */
export class LabelDamage extends Error {
  readonly problem: {
    readonly message: string;
    readonly got?: string;
    readonly expected?: string;
    readonly row?: string;
  };
  constructor(problem: LabelDamage['problem']) {
    super(problem.message);
    this.problem = problem;
  }
}

/** The label itself: `label_documents` without what is known of the file. */
export interface DocumentFacts {
  readonly document_id: string;
  readonly set_id: string | null;
  readonly version: string | null;
  readonly effective_date: string | null;
  readonly title: string | null;
  readonly generic_names: readonly string[];
  readonly brand_names: readonly string[];
}

export interface Section {
  readonly section_id: string;
  readonly parent_id: string | null;
  readonly kind: 'section' | 'highlights';
  readonly code: string | null;
  readonly number: string | null;
  readonly title: string | null;
  readonly text: string | null;
  readonly path: string;
  readonly fields: string | null;
}

export interface LabelTable {
  readonly section_id: string | null;
  readonly place: string;
  readonly grid: Grid;
}

export interface Label {
  readonly facts: DocumentFacts;
  /** In the order of the document. */
  readonly sections: readonly Section[];
  readonly tables: readonly LabelTable[];
}

/** Sections that are known by their content. `own` is the id that the document gives, where it gives one. */
export const sectionId = (
  document_id: string,
  section: Pick<Section, 'kind' | 'code' | 'number' | 'title' | 'text'>,
  own = '',
): string =>
  contentId(
    'label-section',
    document_id,
    own,
    canonicalJson([section.kind, section.code, section.number, section.title, section.text]),
  );

/** `8.2 Lactation`, or what else names a section. */
export const headingOf = (section: Pick<Section, 'number' | 'title'>, other: string): string =>
  [section.number, section.title].filter(Boolean).join(' ') || other;

/** A date of eight digits, as labels write it, to `YYYY-MM-DD`; other texts are damage. */
export function labelDate(text: string | null): string | null {
  if (text === null || text === '') return null;
  const m = /^(\d{4})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])/.exec(text);
  if (!m)
    throw new LabelDamage({ message: 'the effective time is no date', got: text, expected: 'YYYYMMDD' });
  return `${m[1]}-${m[2]}-${m[3]}`;
}

/** Distinct names, sorted. */
export const names = (all: readonly string[]): string[] =>
  [...new Set(all.map((n) => n.replace(/\s+/g, ' ').trim()).filter((n) => n !== ''))].sort();

/** Rows of `label_tables` and `label_cells`; equal tables at one place are one with a count. */
export function tableRows(
  document_id: string,
  tables: readonly LabelTable[],
): { tables: SqlRow[]; cells: SqlRow[] } {
  const found = new Map<string, { table: LabelTable; places: string[]; occurrences_n: number }>();
  for (const table of tables) {
    const content = sha256(canonicalJson(table.grid));
    const id = contentId('label-table', document_id, table.section_id ?? '', content);
    const known = found.get(id) ?? { table, places: [], occurrences_n: 0 };
    if (!known.places.includes(table.place)) known.places.push(table.place);
    known.occurrences_n++;
    found.set(id, known);
  }
  const out: { tables: SqlRow[]; cells: SqlRow[] } = { tables: [], cells: [] };
  for (const [table_id, { table, places, occurrences_n }] of found) {
    const { caption, rows_n, columns_n, cells } = table.grid;
    const { section_id } = table;
    const place = places.join(', ');
    out.tables.push({ table_id, document_id, section_id, caption, rows_n, columns_n, occurrences_n, place });
    out.cells.push(...cells.map((cell) => ({ table_id, ...cell })));
  }
  return out;
}
