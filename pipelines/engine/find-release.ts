/** Which release a command is about: the newest one of a benchmark, or the newest one that holds an item. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../../schemas/release.js';
import { DuckDbSession, quoteText } from './adapters/duckdb.js';
import { existsSync, listFolders, modifiedAt, scratchFolder } from './adapters/files.js';
import { UsageError } from './errors.js';
import { readManifest } from './verify-release.js';

/** The newest release of each benchmark that has one, newest first. */
function newestOfEach(buildDir: string, benchmarks: readonly string[]): string[] {
  const found = benchmarks.flatMap((b) => {
    const root = join(buildDir, 'releases', b);
    const names = existsSync(root) ? listFolders(root).filter((n) => !n.startsWith('.')) : [];
    return newestFirst(names.map((n) => join(root, n))).slice(0, 1);
  });
  return newestFirst(found);
}

const newestFirst = (dirs: readonly string[]): string[] =>
  [...dirs].sort((a, b) => modifiedAt(b) - modifiedAt(a));

/** The newest release of all the benchmarks together; none is a UsageError. */
export function newestRelease(buildDir: string, benchmarks: readonly string[]): string {
  const [newest] = newestOfEach(buildDir, benchmarks);
  if (newest) return newest;
  throw new UsageError({
    message: 'there is no release to look in',
    file: join(buildDir, 'releases'),
    next: `make ${benchmarks.map((b) => `build-${b}`).join(' or make ')}, or name one with RELEASE=`,
  });
}

/**
 * The newest release of a benchmark that holds the item or pair `id`. Where none does, the newest of all, so that its
 * own message says what it holds.
 */
export async function releaseWith(
  buildDir: string,
  benchmarks: readonly string[],
  id: string,
): Promise<string> {
  const newest = newestOfEach(buildDir, benchmarks);
  if (newest.length > 1) {
    for (const dir of newest) if (await holds(dir, readManifest(dir), id)) return dir;
  }
  return newestRelease(buildDir, benchmarks);
}

/** True when an answer file has the id as its item or pair. */
async function holds(dir: string, manifest: ReleaseManifest, id: string): Promise<boolean> {
  const session = await DuckDbSession.create({
    threads: 1,
    memoryLimit: '1GB',
    spillDir: scratchFolder('find'),
  });
  try {
    for (const file of manifest.files.filter((f) => f.role === 'answer' && f.format === 'parquet')) {
      const keys = file.columns
        .map((c) => c.name)
        .filter((c) => /^(item_id|instance_id|pair_id|question_id|timepoint_id)$/.test(c));
      const [row] = await session.rows<{ n: number }>(
        `select count(*) as n from read_parquet(${quoteText(join(dir, file.path))}) where ${keys.map((k) => `${k} = $id`).join(' or ')}`,
        { id },
      );
      if (row!.n > 0) return true;
    }
    return false;
  } finally {
    session.close();
  }
}
