/** Checks of any release: its files against checksums, manifest and schemas. Nothing in the folder is taken on trust. */
import { join } from 'node:path';
import { type ReleaseFile, ReleaseManifest } from '../../schemas/release.js';
import { type DuckDbSession, quoteText } from './adapters/duckdb.js';
import { existsSync, hashFile, listFiles, readFileSync, statSync } from './adapters/files.js';
import { UsageError } from './errors.js';
import { contentHash, dataHash } from './release.js';

/** What one check looked at and what it found wrong. */
export interface CheckResult {
  readonly name: string;
  readonly checked_n: number;
  readonly problems: readonly string[];
}

/** All checks of a release together. */
export interface Verification {
  readonly words: string;
  readonly is_valid: boolean;
  readonly checks: readonly CheckResult[];
}

/** The checks in words, hints after them, the verdict last. */
export function summarise(
  version: string,
  checks: readonly CheckResult[],
  hints: readonly string[] = [],
): Verification {
  const is_valid = checks.every((c) => c.problems.length === 0);
  const lines = checks.flatMap((c) => [
    `${c.problems.length === 0 ? '✔' : '✖'} ${c.name} (${c.checked_n.toLocaleString('en-US')})`,
    ...c.problems.map((p) => `    ${p}`),
  ]);
  const verdict = is_valid ? `release ${version} is what it says` : `release ${version} FAILED verification`;
  return { is_valid, checks, words: [...lines, ...hints, verdict].join('\n') };
}

/** Stands for the content checks when a damaged file stopped them. */
export const UNREADABLE: CheckResult = {
  name: 'the tables can be read',
  checked_n: 1,
  problems: ['a damaged file stopped the other checks'],
};

/** Gathers problems; keeps the first ones in words and counts the rest. */
export class Check {
  readonly name: string;
  private n = 0;
  private failed = 0;
  private readonly words: string[] = [];

  constructor(name: string) {
    this.name = name;
  }

  expect(is_right: boolean, problem: () => string): void {
    this.n++;
    if (is_right) return;
    this.failed++;
    if (this.words.length < 10) this.words.push(problem());
  }

  result(): CheckResult {
    const more = this.failed - this.words.length;
    const problems = more > 0 ? [...this.words, `and ${more} more`] : this.words;
    return { name: this.name, checked_n: this.n, problems };
  }
}

/** Reads the manifest of a release folder. */
export function readManifest(dir: string): ReleaseManifest {
  const path = join(dir, 'manifest.json');
  if (!existsSync(path)) {
    throw new UsageError({
      message: 'this is not a release folder',
      file: dir,
      expected: 'a folder with manifest.json',
      next: 'name a folder below build/releases',
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError({ message: `manifest.json is not JSON: ${(error as Error).message}`, file: path });
  }
  const parsed = ReleaseManifest.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new UsageError({
    message: `manifest.json does not fit this version of the tool: ${issue.message}`,
    file: path,
    field: issue.path.join('.'),
  });
}

/** Hashes of every file, against checksums.sha256 and the manifest; no listed file missing, none unlisted. */
export async function checkFiles(dir: string, manifest: ReleaseManifest): Promise<CheckResult> {
  const check = new Check('files have their hashes, none is missing or added');
  const listed = new Map<string, string>();
  const list = join(dir, 'checksums.sha256');
  check.expect(existsSync(list), () => 'checksums.sha256 is missing');
  for (const line of existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : []) {
    listed.set(line.slice(66), line.slice(0, 64));
  }
  const found = releasedFiles(dir);
  for (const path of found) {
    const hash = await hashFile(join(dir, path));
    check.expect(listed.get(path) === hash, () =>
      listed.has(path) ? `${path} differs from its checksum` : `${path} is not in checksums.sha256`,
    );
  }
  for (const path of listed.keys()) check.expect(found.includes(path), () => `${path} is missing`);
  for (const file of manifest.files) {
    const is_right = existsSync(join(dir, file.path)) && listed.get(file.path) === file.sha256;
    check.expect(
      is_right && statSync(join(dir, file.path)).size === file.bytes,
      () => `${file.path} differs from the manifest`,
    );
  }
  return check.result();
}

const releasedFiles = (dir: string): string[] => listFiles(dir).filter((f) => f !== 'checksums.sha256');

/** Card, licence and the other documents are what the manifest gives, and nothing else lies in the folder. */
export function checkDocuments(
  dir: string,
  manifest: ReleaseManifest,
  documents: (manifest: ReleaseManifest) => Readonly<Record<string, string>>,
): CheckResult {
  const check = new Check(
    'documents and hashes follow from the manifest, and no foreign file lies beside them',
  );
  const generated = documents(manifest);
  const known = new Set([...manifest.files.map((f) => f.path), ...Object.keys(generated), 'manifest.json']);
  for (const path of releasedFiles(dir))
    check.expect(known.has(path), () => `${path} is no file of this release`);
  for (const [path, content] of Object.entries(generated)) {
    const is_right = existsSync(join(dir, path)) && readFileSync(join(dir, path), 'utf8') === content;
    check.expect(is_right, () => `${path} is not what the manifest gives`);
  }
  check.expect(
    contentHash(manifest, documents) === manifest.content_hash,
    () => 'content_hash does not follow from the manifest',
  );
  check.expect(
    dataHash(manifest.files) === manifest.data_hash,
    () => 'data_hash is not the hash of the data files',
  );
  return check.result();
}

/** Columns, types and row counts of every Parquet file; JSONL rows equal to their Parquet file. */
export async function checkTables(
  dir: string,
  manifest: ReleaseManifest,
  session: DuckDbSession,
): Promise<CheckResult> {
  const check = new Check('tables have the declared columns and rows; JSONL equals Parquet');
  for (const file of manifest.files) {
    if (file.format === 'parquet') await checkParquet(check, dir, file, session);
    if (file.format === 'jsonl') await checkJsonl(check, dir, manifest, file, session);
  }
  return check.result();
}

async function checkParquet(
  check: Check,
  dir: string,
  file: ReleaseFile,
  session: DuckDbSession,
): Promise<void> {
  const from = `read_parquet(${quoteText(join(dir, file.path))})`;
  const found = await session.rows<{ column_name: string; column_type: string }>(
    `describe select * from ${from}`,
  );
  const got = found.map((c) => `${c.column_name} ${c.column_type}`).join(', ');
  const declared = file.columns.map((c) => `${c.name} ${c.type}`).join(', ');
  check.expect(got === declared, () => `${file.path}: columns are ${got.slice(0, 200)}`);
  const [count] = await session.rows<{ n: number }>(`select count(*) as n from ${from}`);
  check.expect(
    count!.n === file.rows,
    () => `${file.path}: ${count!.n} rows, the manifest says ${file.rows}`,
  );
}

async function checkJsonl(
  check: Check,
  dir: string,
  manifest: ReleaseManifest,
  file: ReleaseFile,
  session: DuckDbSession,
): Promise<void> {
  const twin = manifest.files.find(
    (f) =>
      f.format === 'parquet' &&
      f.role === file.role &&
      f.table === file.table &&
      f.config === file.config &&
      f.split === file.split,
  );
  if (!twin) return check.expect(false, () => `${file.path} has no Parquet file beside it`);
  const rows = await session.rows(`select * from read_parquet(${quoteText(join(dir, twin.path))})`);
  const lines = readFileSync(join(dir, file.path), 'utf8').split('\n').filter(Boolean);
  check.expect(
    lines.length === rows.length,
    () => `${file.path}: ${lines.length} lines for ${rows.length} rows`,
  );
  for (const [i, row] of rows.entries()) {
    check.expect(lines[i] === JSON.stringify(row), () => `${file.path}: line ${i + 1} differs`);
  }
}
