/** Ties compiled code to its sources: `npm run compile` records their hashes, the command line checks them. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../../stages/lib/hash.js';
import { existsSync, listFiles, PROJECT_ROOT, readFileSync, writeAtomic } from './adapters/files.js';
import { UsageError } from './errors.js';

const SEAL = 'build/dist/sources.json';
const FOLDERS = ['schemas', 'stages', 'pipelines'];

function sourceHashes(): Record<string, string> {
  const files = FOLDERS.flatMap((f) => listFiles(join(PROJECT_ROOT, f)).map((path) => `${f}/${path}`));
  const sources = files.filter((f) => f.endsWith('.ts') && !f.endsWith('.test.ts'));
  return Object.fromEntries(sources.map((f) => [f, sha256(readFileSync(join(PROJECT_ROOT, f)))]));
}

/** Refuses to run code that was compiled from other sources than those on disk: their hashes are part of every key. */
export function checkSeal(): void {
  const path = join(PROJECT_ROOT, SEAL);
  const sealed = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>) : {};
  const found = sourceHashes();
  const changed = Object.keys({ ...sealed, ...found }).find((f) => sealed[f] !== found[f]);
  if (!changed) return;
  throw new UsageError({
    message: 'the compiled code is older than its sources',
    file: changed,
    next: 'npm run compile',
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeAtomic(join(PROJECT_ROOT, SEAL), `${JSON.stringify(sourceHashes(), null, 1)}\n`);
}
