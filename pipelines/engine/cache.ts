/** The content-addressed store of stage results: build/cache/<stage>/<key>/, published by one rename. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { AccessClass } from '../../stages/contract.js';
import {
  existsSync,
  hashFile,
  hashFolder,
  isAlive,
  listFolders,
  mkdir,
  modifiedAt,
  readFileSync,
  rename,
  renameNew,
  rm,
  writeAtomic,
} from './adapters/files.js';
import type { KeyParts } from './fingerprint.js';
import { hashFiles, type OutputFile } from './outputs.js';
import type { StageResult } from './run-stage.js';

/** What lies in manifest.json beside the outputs of one stage run. */
export interface CacheEntry {
  readonly key: string;
  readonly parts: KeyParts;
  readonly access: AccessClass;
  readonly result: StageResult;
}

export interface StoredEntry extends CacheEntry {
  readonly dir: string;
}

export interface Cache {
  readonly root: string;
  /** The entry of a key if its files are whole; a damaged one is moved aside and reported. */
  find(stage: string, key: string, onDamage: (message: string) => void): Promise<StoredEntry | undefined>;
  /** The newest entry of a stage, to say why another key is needed. */
  newest(stage: string): CacheEntry | undefined;
  /** A fresh folder that no other process uses. */
  stage(stage: string): Promise<string>;
  /** Makes the folder the entry of its key. When another process was faster, its entry is kept. */
  publish(dir: string, entry: CacheEntry): Promise<StoredEntry>;
  discard(dir: string): Promise<void>;
}

/** Opens the cache below a build folder and removes what dead processes left behind. */
export async function openCache(buildDir: string): Promise<Cache> {
  const root = join(buildDir, 'cache');
  const staging = join(root, '.staging');
  await mkdir(staging, { recursive: true });
  for (const name of listFolders(staging)) {
    if (!isAlive(Number(name.split('-')[0]))) await rm(join(staging, name), { recursive: true, force: true });
  }
  return {
    root,
    find: (stage, key, onDamage) => find(join(root, stage, key), onDamage),
    newest: (stage) => newest(join(root, stage)),
    stage: async (stage) => {
      const dir = join(staging, `${process.pid}-${stage}-${randomUUID().slice(0, 8)}`);
      await mkdir(dir, { recursive: true });
      return dir;
    },
    publish: (dir, entry) => publish(root, dir, entry),
    discard: (dir) => rm(dir, { recursive: true, force: true }),
  };
}

async function find(dir: string, onDamage: (message: string) => void): Promise<StoredEntry | undefined> {
  if (!existsSync(join(dir, 'manifest.json'))) return undefined;
  const entry = readEntry(join(dir, 'manifest.json'));
  if (!entry) {
    await moveAside(dir, 'manifest.json', onDamage);
    return undefined;
  }
  for (const output of Object.values(entry.result.outputs)) {
    const found = await hashOutput(dir, output);
    if (found === output.sha256) continue;
    await moveAside(dir, output.path, onDamage);
    return undefined;
  }
  return { ...entry, dir };
}

/** The entry in a manifest, or undefined when it is not one. */
function readEntry(path: string): CacheEntry | undefined {
  try {
    const entry = JSON.parse(readFileSync(path, 'utf8')) as CacheEntry;
    return entry?.parts && entry.result?.outputs ? entry : undefined;
  } catch {
    return undefined;
  }
}

async function moveAside(dir: string, file: string, onDamage: (message: string) => void): Promise<void> {
  // Another process may have moved it in the same moment.
  await rename(dir, `${dir}.damaged-${randomUUID().slice(0, 8)}`).catch(() => undefined);
  onDamage(
    `cache entry ${dir.split('/').slice(-2).join('/')}: ${file} is damaged; moved aside and built again`,
  );
}

async function hashOutput(dir: string, output: OutputFile): Promise<string | undefined> {
  const path = join(dir, output.path);
  if (!existsSync(path)) return undefined;
  return output.kind === 'folder' ? hashFiles(await hashFolder(path)) : hashFile(path);
}

function newest(dir: string): CacheEntry | undefined {
  if (!existsSync(dir)) return undefined;
  const manifests = listFolders(dir)
    .filter((name) => !name.includes('.damaged-'))
    .map((name) => join(dir, name, 'manifest.json'))
    .filter(existsSync);
  manifests.sort((a, b) => modifiedAt(b) - modifiedAt(a));
  return manifests[0] ? readEntry(manifests[0]) : undefined;
}

async function publish(root: string, dir: string, entry: CacheEntry): Promise<StoredEntry> {
  await writeAtomic(join(dir, 'manifest.json'), `${JSON.stringify(entry, null, 2)}\n`);
  const target = join(root, entry.parts.stage, entry.key);
  await mkdir(join(root, entry.parts.stage), { recursive: true });
  if (!(await renameNew(dir, target))) {
    if (await find(target, () => undefined)) await rm(dir, { recursive: true, force: true });
    else {
      await moveAside(target, 'manifest.json', () => undefined);
      await rename(dir, target);
    }
  }
  return { ...entry, dir: target };
}
