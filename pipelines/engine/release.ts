/** Writes a release folder: tables, JSONL, documents, manifest, checksums; published by one rename, never changed. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ReleaseColumn, ReleaseFile, ReleaseManifest } from '../../schemas/release.js';
import { CONTENT_ROLES, ReleaseManifest as ReleaseManifestSchema, SEMVER } from '../../schemas/release.js';
import { sqlColumns, type Table } from '../../schemas/table.js';
import { canonicalJson } from '../../stages/lib/canonical-json.js';
import { sha256 } from '../../stages/lib/hash.js';
import { DuckDbSession, quoteName, quoteText } from './adapters/duckdb.js';
import {
  copyFile,
  fileError,
  folderWriter,
  hashFile,
  isAlive,
  listFiles,
  listFolders,
  mkdir,
  readFileSync,
  renameNew,
  rm,
  statSync,
  writeAtomic,
} from './adapters/files.js';
import { UsageError } from './errors.js';

/** One table of a release, taken from a stage output. */
export interface ReleaseTable {
  readonly role: ReleaseFile['role'];
  readonly table: Table;
  /** Parquet file in the cache. */
  readonly from: string;
  /** Path in the release without extension; `{split}` makes one file a split. */
  readonly path: string;
  readonly config: string | null;
  /** Takes only the rows whose column `config` is `config`, from a table that holds all configs. */
  readonly is_shared?: boolean;
  /** Also written as JSONL under this path. */
  readonly jsonl?: string;
}

/** One text of a release that is not generated from the manifest. */
export interface ReleaseText {
  readonly role: ReleaseFile['role'];
  readonly path: string;
  readonly format: 'json' | 'html';
  readonly content: string;
}

export interface ReleaseSpec {
  readonly benchmark: string;
  /** A semver, or undefined for 0.0.0-<kind>.<hash>. */
  readonly version: string | undefined;
  readonly kind: ReleaseManifest['kind'];
  readonly tables: readonly ReleaseTable[];
  readonly texts: readonly ReleaseText[];
  readonly splits: readonly string[];
  /** The rest of the manifest. */
  readonly manifest: Omit<
    ReleaseManifest,
    'manifest_version' | 'benchmark' | 'version' | 'kind' | 'files' | 'data_hash' | 'content_hash'
  >;
  describeColumn(table: Table, column: string): string;
  /** README.md, LICENSE, croissant.json ...: path to content. */
  documents(manifest: ReleaseManifest): Readonly<Record<string, string>>;
}

export interface WrittenRelease {
  readonly dir: string;
  readonly manifest: ReleaseManifest;
  /** False when the same bytes were there already. */
  readonly is_new: boolean;
}

/** Rows in a row group of question files: small, because a prompt is long and viewers refuse large groups. */
const QUESTION_GROUP_ROWS = 2048;

/** Refuses a version that is no semantic version. */
export function checkVersion(version: string | undefined): void {
  if (version === undefined || SEMVER.test(version)) return;
  throw new UsageError({
    message: 'VERSION is not a semantic version',
    got: version,
    expected: 'for example 1.0.0',
    next: 'give three numbers joined with dots, or leave VERSION out',
  });
}

/** Writes the release; an existing folder of the same version must have the same bytes. */
export async function writeRelease(
  root: string,
  spec: ReleaseSpec,
  signal: AbortSignal,
): Promise<WrittenRelease> {
  checkVersion(spec.version);
  const staging = join(root, `.staging-${process.pid}-${randomUUID().slice(0, 8)}`);
  await mkdir(staging, { recursive: true });
  await removeLeftovers(root);
  try {
    const files = await writeFiles(staging, spec, signal);
    const manifest = sealManifest(spec, files);
    const documents = {
      ...spec.documents(manifest),
      'manifest.json': `${JSON.stringify(manifest, null, 2)}\n`,
    };
    for (const [path, content] of Object.entries(documents)) await writeAtomic(join(staging, path), content);
    await writeAtomic(join(staging, 'checksums.sha256'), await checksums(staging));
    return await publish(root, staging, manifest);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    throw fileError(error, staging);
  }
}

/** Removes what killed builds left behind. */
async function removeLeftovers(root: string): Promise<void> {
  for (const name of listFolders(root).filter((n) => n.startsWith('.staging-'))) {
    if (isAlive(Number(name.split('-')[1]))) continue;
    await rm(join(root, name), { recursive: true, force: true });
  }
}

async function writeFiles(staging: string, spec: ReleaseSpec, signal: AbortSignal): Promise<ReleaseFile[]> {
  const files: ReleaseFile[] = [];
  const session = await DuckDbSession.create({
    threads: 1,
    memoryLimit: '2GB',
    spillDir: join(staging, '.spill'),
    signal,
  });
  try {
    for (const t of spec.tables) {
      const splits = t.path.includes('{split}') ? spec.splits : [null];
      for (const split of splits) files.push(...(await writeTable(session, staging, spec, t, split)));
    }
  } finally {
    session.close();
    await rm(join(staging, '.spill'), { recursive: true, force: true });
  }
  for (const t of spec.texts) {
    await writeAtomic(join(staging, t.path), t.content);
    files.push(
      await describe(staging, { ...t, table: null, config: null, split: null, rows: null, columns: [] }),
    );
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function writeTable(
  session: DuckDbSession,
  staging: string,
  spec: ReleaseSpec,
  t: ReleaseTable,
  split: string | null,
): Promise<ReleaseFile[]> {
  const columns: ReleaseColumn[] = sqlColumns(t.table).map((c) => ({
    ...c,
    description: spec.describeColumn(t.table, c.name),
  }));
  const filters = [
    ...(split === null ? [] : [`split = ${quoteText(split)}`]),
    ...(t.is_shared && t.config !== null ? [`config = ${quoteText(t.config)}`] : []),
  ];
  const where = filters.length === 0 ? '' : ` where ${filters.join(' and ')}`;
  const key = t.table.key === 'all' ? columns.map((c) => c.name) : t.table.key;
  const select = `select ${columns.map((c) => quoteName(c.name)).join(', ')} from read_parquet(${quoteText(t.from)})${where} order by ${key.map(quoteName).join(', ')}`;
  const [count] = await session.rows<{ n: number }>(`select count(*) as n from (${select})`);
  const shared = { role: t.role, table: t.table.name, config: t.config, split, rows: count!.n, columns };
  const path = `${t.path.replace('{split}', split ?? '')}.parquet`;
  await mkdir(join(staging, path, '..'), { recursive: true });
  if (split === null) await copyFile(t.from, join(staging, path));
  else {
    await session.run(
      `copy (${select}) to ${quoteText(join(staging, path))} (format parquet, compression zstd, row_group_size ${QUESTION_GROUP_ROWS})`,
    );
  }
  const files = [await describe(staging, { ...shared, path, format: 'parquet' })];
  if (t.jsonl) {
    const jsonl = `${t.jsonl.replace('{split}', split ?? '')}.jsonl`;
    await writeJsonl(session, staging, jsonl, select);
    files.push(await describe(staging, { ...shared, path: jsonl, format: 'jsonl' }));
  }
  return files;
}

async function writeJsonl(
  session: DuckDbSession,
  staging: string,
  path: string,
  select: string,
): Promise<void> {
  const sink = folderWriter(staging).open(path);
  for await (const rows of session.stream(select)) {
    await sink.write(Buffer.from(rows.map((r) => `${JSON.stringify(r)}\n`).join('')));
  }
  await sink.close();
}

type Described = Omit<ReleaseFile, 'sha256' | 'bytes'>;

async function describe(staging: string, file: Described & { content?: string }): Promise<ReleaseFile> {
  const { content: _, ...rest } = file;
  const location = join(staging, file.path);
  return { ...rest, sha256: await hashFile(location), bytes: statSync(location).size };
}

/** Hash over the files whose role makes the data of a release. */
export function dataHash(files: readonly ReleaseFile[]): string {
  const lines = files.filter((f) => CONTENT_ROLES.includes(f.role)).map((f) => `${f.sha256}  ${f.path}\n`);
  return sha256(lines.sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join(''));
}

const UNNAMED = { version: '0.0.0', content_hash: '0'.repeat(64) };

/** Hash over manifest and documents, both written without a version. */
export function contentHash(
  manifest: ReleaseManifest,
  documents: (manifest: ReleaseManifest) => Readonly<Record<string, string>>,
): string {
  const unnamed = { ...manifest, ...UNNAMED };
  return sha256(canonicalJson({ manifest: unnamed, documents: documents(unnamed) }));
}

/** Completes the manifest. The content hash covers manifest and documents, both written without a version. */
function sealManifest(spec: ReleaseSpec, files: readonly ReleaseFile[]): ReleaseManifest {
  const { benchmark, kind } = spec;
  const body = { ...spec.manifest, benchmark, kind, files: [...files], data_hash: dataHash(files) };
  const unnamed = ReleaseManifestSchema.parse({ manifest_version: 1, ...body, ...UNNAMED });
  const content_hash = contentHash(unnamed, spec.documents);
  const version = spec.version ?? `0.0.0-${kind}.${content_hash.slice(0, 8)}`;
  return { ...unnamed, content_hash, version };
}

/** `sha256  path` for every file of a folder but the list itself. */
export async function checksums(dir: string): Promise<string> {
  const lines: string[] = [];
  for (const path of listFiles(dir)) {
    if (path !== 'checksums.sha256') lines.push(`${await hashFile(join(dir, path))}  ${path}\n`);
  }
  return lines.join('');
}

async function publish(root: string, staging: string, manifest: ReleaseManifest): Promise<WrittenRelease> {
  const dir = join(root, manifest.version);
  if (await renameNew(staging, dir)) return { dir, manifest, is_new: true };
  const before = readFileSync(join(dir, 'checksums.sha256'), 'utf8');
  const after = readFileSync(join(staging, 'checksums.sha256'), 'utf8');
  await rm(staging, { recursive: true, force: true });
  if (before === after) return { dir, manifest, is_new: false };
  const changed = after.split('\n').find((line) => !before.includes(line));
  throw new UsageError({
    message: `release ${manifest.benchmark} ${manifest.version} exists with other bytes, and releases never change`,
    file: changed?.slice(66) ?? 'checksums.sha256',
    next: 'choose another VERSION, or remove the old folder if it was never shared',
  });
}
