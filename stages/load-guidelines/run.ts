/** Guideline tables become checked rows: strict reading, closed columns, editions, and an account of every record. */
import { guidelineDocuments } from '../../schemas/guideline.js';
import type { FolderFile, SqlRow, StageContext } from '../contract.js';
import { nearest } from '../lib/nearest.js';
import { readStrictCsv } from '../lib/strict-csv.js';
import type { Config } from './config.js';
import { baseName, documentRow, findDocument } from './documents.js';
import { type Sorted, sortRows, toRow } from './rows.js';
import { fileColumns, SHAPES, type Shape } from './shapes.js';

/** Runs the stage. */
export async function run(ctx: StageContext, config: Config): Promise<void> {
  const files = ctx.folder('guidelines');
  refuseUnknownFiles(ctx, files);
  const documents: SqlRow[] = [];
  for (const shape of SHAPES) {
    const read: SqlRow[] = [];
    for (const file of files.filter((f) => Object.hasOwn(shape.files, baseName(f.path)))) {
      const document = findDocument(ctx, file);
      const columns = fileColumns(shape, baseName(file.path));
      const records = await readStrictCsv(ctx, file, { columns, newline: 'crlf' });
      read.push(...records.map((record) => toRow(shape, document, record)));
      documents.push(documentRow(document, records.length));
      ctx.count(`rows.${document.id}`, records.length);
    }
    ctx.records(shape.input, read.length);
    const sorted = sortRows(shape, read);
    checkShare(ctx, shape, sorted, config);
    for (const row of sorted.refused) ctx.reject(row);
    await ctx.sql.insert(shape.table.name, shape.table, sorted.rows);
    if (!shape.confidence) continue;
    countUsable(ctx, shape, sorted.rows);
    for (const row of sorted.rows) citeFile(ctx, row);
  }
  await ctx.sql.insert('guideline_documents', guidelineDocuments, documents);
}

function refuseUnknownFiles(ctx: StageContext, files: readonly FolderFile[]): void {
  const known = SHAPES.flatMap((shape) => Object.keys(shape.files));
  const seen = new Set<string>();
  for (const { path } of files) {
    const name = baseName(path);
    if (seen.has(name)) ctx.fail({ message: 'a guideline table is there twice', file: path, got: name });
    seen.add(name);
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    ctx.fail({
      message: 'unknown guideline table',
      file: path,
      expected: known.join(', '),
      next: near ? `did you mean ${near}?` : 'a new shape needs a schema in schemas/guideline.ts',
    });
  }
}

/** Stops the build and shows the first refused row. */
function checkShare(ctx: StageContext, shape: Shape, { rows, refused }: Sorted, config: Config): void {
  const all = rows.length + refused.length;
  if (refused.length <= all * config.max_reject_share) return;
  const first = refused[0]!;
  ctx.fail({
    message: `${refused.length} of ${all} rows of ${shape.input} were rejected; the first: ${first.reason}`,
    file: first.where,
    row: first.key,
    field: first.field,
    got: first.got,
    expected: first.expected,
    next: 'correct the table and its lock entry, or allow a share in load-guidelines.max_reject_share',
  });
}

/** A rule row stands in its file; `impact` walks from the file to everything that rests on it. */
function citeFile(ctx: StageContext, { source_file, row_id }: SqlRow): void {
  const child = `csv:${source_file}#${row_id}`;
  ctx.cite({ child, relation: 'stands_in', parent: `file:${source_file}` });
}

function countUsable(ctx: StageContext, shape: Shape, rows: readonly SqlRow[]): void {
  const name = shape.table.name;
  ctx.count(`usable.${name}`, rows.filter((r) => r.is_usable === true).length);
  ctx.count(`held.${name}`, rows.filter((r) => r.is_usable !== true).length);
}
