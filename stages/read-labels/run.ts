/** Reads every label file of the folder into tables; damage stops the build, a refused row is counted. */
import {
  categoryEntries,
  type LABEL_FORMATS,
  labelCells,
  labelDocuments,
  labelSections,
  labelTables,
} from '../../schemas/labels.js';
import type { FolderFile, SqlRow, StageContext } from '../contract.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { parseCsv } from '../lib/csv.js';
import { contentId, sha256 } from '../lib/hash.js';
import type { Config } from './config.js';
import { readHeadings } from './headings.js';
import { type OpenFdaTables, readOpenFda } from './openfda.js';
import { type Label, LabelDamage, tableRows } from './parsed.js';
import { readSpl } from './spl.js';
import { readTga } from './tga.js';

export const FIELDS_FILE = 'stages/read-labels/openfda-fields.csv';
export const HEADINGS_FILE = 'stages/read-labels/headings.csv';
/** Names under which labels and rows of the pregnancy table are counted. */
export const DOCUMENTS = 'labels_read';
export const CATEGORY_ROWS = 'category_rows';

interface Rows {
  readonly documents: Map<string, SqlRow>;
  readonly sections: SqlRow[];
  readonly tables: SqlRow[];
  readonly cells: SqlRow[];
  readonly entries: SqlRow[];
  documents_n: number;
  category_rows_n: number;
}

export async function run(ctx: StageContext, _config: Config): Promise<void> {
  const rows: Rows = {
    documents: new Map(),
    sections: [],
    tables: [],
    cells: [],
    entries: [],
    documents_n: 0,
    category_rows_n: 0,
  };
  const known = knownTables(ctx);
  const files = ctx.folder('labels');
  for (const [i, file] of files.entries()) {
    ctx.progress(i, files.length, file.path);
    const text = await ctx.readText(file);
    try {
      readFile(ctx, { file, text, known, rows });
    } catch (error) {
      if (error instanceof LabelDamage) fail(ctx, file, error);
      throw error;
    }
  }
  ctx.records(DOCUMENTS, rows.documents_n);
  ctx.records(CATEGORY_ROWS, rows.category_rows_n);
  await ctx.sql.insert('label_documents', labelDocuments, rows.documents.values());
  await ctx.sql.insert('label_sections', labelSections, rows.sections);
  await ctx.sql.insert('label_tables', labelTables, rows.tables);
  await ctx.sql.insert('label_cells', labelCells, rows.cells);
  await ctx.sql.insert('category_entries', categoryEntries, rows.entries);
}

function knownTables(ctx: StageContext): OpenFdaTables {
  const fields = parseCsv(ctx.file(FIELDS_FILE), FIELDS_FILE);
  return {
    headings: readHeadings(ctx.file(HEADINGS_FILE), HEADINGS_FILE),
    fields: new Map(fields.map((r) => [r.field!, r.code || null])),
  };
}

interface Reading {
  readonly file: FolderFile;
  readonly text: string;
  readonly known: OpenFdaTables;
  readonly rows: Rows;
}

function readFile(ctx: StageContext, reading: Reading): void {
  const { file, text, known } = reading;
  const name = file.path.replace(/\.gz$/, '');
  const unknown = new Set<string>();
  if (name.endsWith('.json')) {
    const labels = readOpenFda(text, known, (field) => unknown.add(field));
    for (const field of unknown) ctx.log(`${file.path}: field ${field} is in no list; kept without a code`);
    for (const label of labels) addLabel(ctx, reading, 'openfda', label);
  } else if (name.endsWith('.xml')) addLabel(ctx, reading, 'spl', readSpl(text));
  else if (name.endsWith('.html')) addCategories(ctx, reading);
  else {
    throw new LabelDamage({
      message: 'a file of the folder is no label',
      got: file.path,
      expected: '.json, .xml or .html, also with .gz',
    });
  }
}

/** Adds a document once; a label that another file holds too is refused. */
function addDocument(
  ctx: StageContext,
  { file, text, rows }: Reading,
  format: (typeof LABEL_FORMATS)[number],
  facts: Label['facts'],
): boolean {
  rows.documents_n++;
  const before = rows.documents.get(facts.document_id);
  if (before) {
    ctx.reject({
      table: DOCUMENTS,
      where: file.path,
      key: facts.document_id,
      reason: 'same_document',
      field: 'document_id',
      got: facts.document_id,
      expected: `a label that ${before.file} does not hold`,
    });
    return false;
  }
  rows.documents.set(facts.document_id, {
    ...facts,
    generic_names: canonicalJson(facts.generic_names),
    brand_names: canonicalJson(facts.brand_names),
    format,
    file: file.path,
    sha256: file.sha256,
    content_sha256: sha256(text),
  });
  return true;
}

function addLabel(
  ctx: StageContext,
  reading: Reading,
  format: (typeof LABEL_FORMATS)[number],
  label: Label,
): void {
  const { rows } = reading;
  if (!addDocument(ctx, reading, format, label.facts)) return;
  const { document_id } = label.facts;
  label.sections.forEach((section, position) => {
    rows.sections.push({ document_id, position, ...section });
  });
  const { tables, cells } = tableRows(document_id, label.tables);
  rows.tables.push(...tables);
  // Spread would put every cell on the stack.
  for (const cell of cells) rows.cells.push(cell);
}

function addCategories(ctx: StageContext, reading: Reading): void {
  const { file, text, rows } = reading;
  const document_id = contentId('category-table', sha256(text));
  const found = readTga(text, document_id);
  const none = { set_id: null, version: null, effective_date: null, title: null };
  if (!addDocument(ctx, reading, 'tga', { document_id, ...none, generic_names: [], brand_names: [] })) return;
  rows.category_rows_n += found.rows_n;
  for (const { parts, classes, ...entry } of found.entries) {
    const [class_1 = null, class_2 = null, class_3 = null] = classes;
    const is_combination = parts.length > 1;
    const row = { document_id, ...entry, parts: canonicalJson(parts), is_combination };
    rows.entries.push({ ...row, class_1, class_2, class_3 });
  }
  for (const { row_n, reason, got, expected } of found.refused) {
    const where = `${file.path}, row ${row_n}`;
    ctx.reject({ table: CATEGORY_ROWS, where, key: String(row_n), reason, field: 'row', got, expected });
  }
}

function fail(ctx: StageContext, file: FolderFile, damage: LabelDamage): never {
  ctx.fail({
    ...damage.problem,
    file: file.path,
    next: 'get the file again from its source and compare its sha256 with raw/lock.json',
  });
}
