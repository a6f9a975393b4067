/** Changes a copy of a release as a careful forger would: manifest, documents and checksums fit again afterwards. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDbSession, quoteText } from '../../pipelines/engine/adapters/duckdb.js';
import { checksums, contentHash, dataHash } from '../../pipelines/engine/release.js';
import type { ReleaseManifest } from '../../schemas/release.js';
import { sha256 } from '../../stages/lib/hash.js';

type Documents = (manifest: ReleaseManifest) => Readonly<Record<string, string>>;

export const manifestOf = (dir: string): ReleaseManifest =>
  JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'));

/** Writes manifest, documents and checksums anew, so that every hash fits. */
export async function reseal(dir: string, changed: ReleaseManifest, documents: Documents): Promise<void> {
  const manifest = { ...changed, content_hash: contentHash(changed, documents) };
  for (const [path, text] of Object.entries(documents(manifest))) writeFileSync(join(dir, path), text);
  writeFileSync(join(dir, 'manifest.json'), JSON.stringify(manifest));
  rmSync(join(dir, 'checksums.sha256'));
  writeFileSync(join(dir, 'checksums.sha256'), await checksums(dir));
}

export interface Forgery {
  /** The true release and the folder of the false one. */
  readonly release: string;
  readonly to: string;
  /** Parquet file that changes, and the `select` from `t` (its rows) that gives its new rows. */
  readonly path: string;
  readonly select: string;
  readonly documents: Documents;
}

/** Copies a release, changes a table with SQL, and makes every hash fit. Returns the new folder. */
export async function forge({ release, to, path, select, documents }: Forgery): Promise<string> {
  cpSync(release, to, { recursive: true });
  const session = await DuckDbSession.create({
    threads: 1,
    memoryLimit: '1GB',
    spillDir: `${to}-spill`,
  });
  const target = join(to, path);
  await session.run(`create table t as select * from read_parquet(${quoteText(join(release, path))})`);
  await session.run(`copy (${select}) to ${quoteText(target)} (format parquet)`);
  const manifest = manifestOf(to);
  const forged = manifest.files.find((f) => f.path === path)!;
  const twin = manifest.files.find(
    (f) =>
      f.format === 'jsonl' &&
      f.table === forged.table &&
      f.config === forged.config &&
      f.split === forged.split,
  );
  const rows = await session.rows(`select * from read_parquet(${quoteText(target)})`);
  session.close();
  if (twin) writeFileSync(join(to, twin.path), rows.map((r) => `${JSON.stringify(r)}\n`).join(''));
  const files = manifest.files.map((f) => {
    if (f.path !== path && f.path !== twin?.path) return f;
    const bytes = readFileSync(join(to, f.path));
    return { ...f, sha256: sha256(bytes), bytes: bytes.length, rows: rows.length };
  });
  await reseal(to, { ...manifest, files, data_hash: dataHash(files) }, documents);
  return to;
}

/** The lines of checks that failed, in what `verify` printed. */
export const failedChecks = (stdout: string): string =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('✖'))
    .join('\n');
