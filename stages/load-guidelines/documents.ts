/** What raw/lock.json says about a guideline table: edition, successor, coverage. */
import { type Coverage, LOCK_FILE, type LockEntry, parseLock } from '../../schemas/lock.js';
import type { FolderFile, SqlRow, StageContext } from '../contract.js';

/** A source file with its lock entry. */
export interface Document {
  readonly id: string;
  readonly file: FolderFile;
  readonly entry: LockEntry & { readonly coverage: Coverage };
  readonly is_current: boolean;
}

/** File name without folders. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * Finds the lock entry of a table by its name under raw/guidelines/. That the bytes are those of the entry is checked
 * where the files are collected, before any stage.
 */
export function findDocument(ctx: StageContext, file: FolderFile): Document {
  const name = baseName(file.path);
  const entry = parseLock(ctx.file(LOCK_FILE)).find((e) => e.path === `raw/guidelines/${name}`);
  if (entry?.coverage) {
    const is_current = !entry.superseded_by;
    return {
      id: name.replace(/\.csv$/, ''),
      file,
      entry: { ...entry, coverage: entry.coverage },
      is_current,
    };
  }
  return ctx.fail({
    message: 'a guideline table has no entry with coverage in raw/lock.json',
    file: file.path,
    got: entry ? 'an entry without coverage' : 'no entry',
    expected: 'an entry that says edition, superseded_by and coverage',
    next: `add it to ${LOCK_FILE}`,
  });
}

/** The row of guideline_documents. */
export function documentRow(document: Document, rows_n: number): SqlRow {
  const { entry, file } = document;
  const { extent, covers, populations } = entry.coverage;
  return {
    document_id: document.id,
    source_file: file.path,
    source_sha256: file.sha256,
    edition: entry.edition,
    edition_year: /\b(19|20)\d\d\b/.exec(entry.edition)?.[0] ?? null,
    is_current: document.is_current,
    superseded_by: entry.superseded_by ?? null,
    coverage: extent,
    covers,
    populations: populations.length > 0 ? populations.join(';') : null,
    licence: entry.licence,
    access_class: entry.access_class,
    rows_n,
  };
}
