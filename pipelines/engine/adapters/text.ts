/** Whole text files: small tables, labels, documents in XML and HTML. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { FolderFile } from '../../../stages/contract.js';
import { DataError } from '../errors.js';
import { fileError } from './files.js';
import { invalidAt } from './utf8.js';

/** Text of a file as UTF-8, gunzipped where its path ends in .gz; a byte-order mark stays. Damage is a DataError. */
export async function readText(file: FolderFile): Promise<string> {
  const raw = await readFile(file.location).catch((error: unknown) => {
    throw fileError(error, file.location);
  });
  const sha256 = createHash('sha256').update(raw).digest('hex');
  if (sha256 !== file.sha256) {
    throw new DataError({
      message: 'a file changed after it was hashed',
      file: file.path,
      got: `sha256 ${sha256}`,
      expected: `sha256 ${file.sha256}`,
      next: 'run the same command again once nothing else writes to it',
    });
  }
  const bytes = file.path.endsWith('.gz') ? gunzip(raw, file.path) : raw;
  const bad = invalidAt(bytes);
  if (bad < 0) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  throw new DataError({
    message: 'the file is not UTF-8 text',
    file: file.path,
    got: `byte 0x${bytes[bad]!.toString(16).padStart(2, '0')} at offset ${bad}`,
    expected: 'UTF-8',
    next: 'convert the file to UTF-8 and give it a new entry in raw/lock.json',
  });
}

function gunzip(bytes: Uint8Array, file: string): Uint8Array {
  try {
    return gunzipSync(bytes);
  } catch (error) {
    throw new DataError({
      message: 'the compressed file is damaged',
      file,
      got: (error as Error).message,
      expected: 'whole gzip members',
      next: 'get the file again and compare its sha256',
    });
  }
}
