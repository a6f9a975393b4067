/** What a stage's result depends on, as hashes. Any byte of it that changes rebuilds the stage and what follows. */
import { dirname, join, posix } from 'node:path';
import type { AccessClass, StageSpec } from '../../stages/contract.js';
import { canonicalJson } from '../../stages/lib/canonical-json.js';
import { sha256 } from '../../stages/lib/hash.js';
import { existsSync, PROJECT_ROOT, readFileSync } from './adapters/files.js';
import { importsOf, packageOf } from './imports.js';

/** Raised when the engine itself writes other bytes for the same stage (Parquet settings, sorting, edges). */
export const ENGINE_VERSION = 1;
/** Packages that shape bytes although no stage imports them. */
const ENGINE_PACKAGES = ['@duckdb/node-api', 'pdfjs-dist'];

export interface CodeFingerprint {
  /** Path to hash, for every source, SQL and data file that the stage depends on. */
  readonly files: Readonly<Record<string, string>>;
  /** Exact versions of the packages that those files import. */
  readonly packages: Readonly<Record<string, string>>;
}

/** Parts of a cache key; `plan` compares them to say why a stage is stale. */
export interface KeyParts {
  readonly engine: number;
  readonly stage: string;
  readonly version: number;
  readonly code: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly config: string;
  readonly seed: number | null;
  readonly access: AccessClass;
  readonly inputs: Readonly<Record<string, string>>;
  /** Identity and sampling of the models and hash of the recorded answers; only for a stage that declares models. */
  readonly models?: string;
}

/** Everything a stage imports, transitively, plus its declared files, workers and kernels. */
export function fingerprintCode(stage: StageSpec): CodeFingerprint {
  const files: Record<string, string> = {};
  const packages = new Set(ENGINE_PACKAGES);
  const visit = (path: string): void => {
    if (files[path]) return;
    const source = readFileSync(join(PROJECT_ROOT, path), 'utf8');
    files[path] = sha256(source);
    if (!path.endsWith('.ts')) return;
    for (const { specifier } of importsOf(source)) {
      if (specifier.startsWith('.')) visit(posix.join(dirname(path), specifier).replace(/\.js$/, '.ts'));
      else if (!specifier.startsWith('node:')) packages.add(packageOf(specifier));
    }
  };
  const entry = `stages/${stage.name}/stage.ts`;
  const roots = [existsSync(join(PROJECT_ROOT, entry)) ? entry : 'stages/contract.ts'];
  const { workers = [], kernels = [], files: declared = [] } = stage;
  for (const path of [...roots, ...workers, ...kernels, ...declared]) visit(path);
  if (kernels.length > 0) packages.add('assemblyscript');
  return {
    files: sorted(files),
    packages: sorted(Object.fromEntries([...packages].map((p) => [p, packageVersion(p)]))),
  };
}

/** The installed version of a package. */
export function packageVersion(name: string): string {
  const manifest = readFileSync(join(PROJECT_ROOT, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/** The parts that make the key of one run of a stage. */
export function keyParts(options: {
  readonly stage: StageSpec;
  readonly code: CodeFingerprint;
  readonly config: unknown;
  readonly seed: number;
  readonly access: AccessClass;
  readonly inputs: Readonly<Record<string, string>>;
  readonly models?: object;
}): KeyParts {
  const { stage, code } = options;
  return {
    engine: ENGINE_VERSION,
    stage: stage.name,
    version: stage.version,
    code: sha256(canonicalJson(code.files)),
    packages: code.packages,
    config: canonicalJson(options.config),
    seed: stage.seeded ? options.seed : null,
    access: options.access,
    inputs: options.inputs,
    ...(options.models ? { models: canonicalJson(options.models) } : {}),
  };
}

/** The cache key: 32 hex digits over all parts. */
export function cacheKey(parts: KeyParts): string {
  return sha256(canonicalJson(parts)).slice(0, 32);
}

/** Which parts differ, in words. */
export function explainDifference(before: KeyParts, now: KeyParts): string[] {
  const out: string[] = [];
  if (before.engine !== now.engine) out.push('engine version');
  if (before.version !== now.version) out.push('stage version');
  if (before.code !== now.code) out.push('code, SQL or data files');
  if (canonicalJson(before.packages) !== canonicalJson(now.packages)) out.push('package versions');
  if (before.config !== now.config) out.push('config');
  if (before.seed !== now.seed) out.push('seed');
  if (before.access !== now.access) out.push('access class');
  if (before.models !== now.models) out.push('model, its parameters or the recorded answers');
  const names = new Set([...Object.keys(before.inputs), ...Object.keys(now.inputs)]);
  for (const n of [...names].sort()) if (before.inputs[n] !== now.inputs[n]) out.push(`input ${n}`);
  return out;
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
