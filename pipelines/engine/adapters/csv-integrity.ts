/** The first read of a csv or csv.gz: damage is found here, before DuckDB opens the file. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FolderFile, IntegrityReport } from '../../../stages/contract.js';
import { DataError, Interrupted } from '../errors.js';
import { CsvDamage, CsvScanner } from './csv-scanner.js';
import { fileError } from './files.js';
import { GzipDamage, GzipMembers } from './gzip-members.js';

const READ_CHUNK = 1 << 20;
const NEXT = 'get the file again and compare its sha256 with the published one';

/**
 * Reads a file to its end: hash, gunzip, UTF-8, records. Throws a DataError on damage.
 * A cut exactly at the border of two gzip members, or at a line end of plain text, leaves a sound file: only a known
 * hash or a known number of records shows it.
 */
export async function inspectCsv(file: FolderFile, signal: AbortSignal): Promise<IntegrityReport> {
  const hash = createHash('sha256');
  const csv = new CsvScanner();
  const gzip = file.path.endsWith('.gz') ? new GzipMembers((text) => csv.push(text)) : undefined;
  let bytes = 0;
  try {
    for await (const piece of createReadStream(file.location, { highWaterMark: READ_CHUNK })) {
      if (signal.aborted) throw new Interrupted();
      const chunk = piece as Buffer;
      hash.update(chunk);
      bytes += chunk.length;
      if (gzip) await gzip.push(chunk);
      else csv.push(chunk);
    }
    gzip?.end();
    csv.end();
  } catch (error) {
    throw damage(error, file);
  } finally {
    gzip?.close();
  }
  return {
    sha256: hash.digest('hex'),
    bytes,
    members: gzip?.members ?? 0,
    records: csv.records,
    header: csv.header,
    newline: csv.newline,
    has_bom: csv.has_bom,
    multiline: csv.multiline,
  };
}

function damage(error: unknown, file: FolderFile): unknown {
  if (error instanceof GzipDamage) {
    return new DataError({
      message: 'the compressed file is damaged',
      file: file.path,
      got: error.message,
      expected: 'whole gzip members and nothing after them',
      next: NEXT,
    });
  }
  if (error instanceof CsvDamage) {
    return new DataError({
      message: error.message,
      file: file.path,
      row: error.row,
      got: error.got,
      expected: error.expected,
      next: NEXT,
    });
  }
  return fileError(error, file.location);
}
