/** What a build command says at its end. */
import { relative } from 'node:path';
import type { ReleaseManifest } from '../schemas/release.js';
import type { Printable } from './benchmark.js';
import type { WrittenRelease } from './engine/release.js';

/** What a program reads of a written release. */
interface Built extends Pick<ReleaseManifest, 'version' | 'content_hash' | 'data_hash'> {
  readonly release: string;
  readonly is_new: boolean;
}

/** A written release, for a program and for a person; `notes` stand before the next step. */
export function describePublished(
  { dir, manifest, is_new }: WrittenRelease,
  notes: readonly string[] = [],
): Printable & Built {
  const path = relative(process.cwd(), dir) || dir;
  return {
    release: dir,
    version: manifest.version,
    content_hash: manifest.content_hash,
    data_hash: manifest.data_hash,
    is_new,
    words: [
      `${is_new ? 'release' : 'unchanged release'}  ${path}`,
      `content hash  ${manifest.content_hash}`,
      ...notes,
      `next: open ${path}/quality/report.html, then make verify RELEASE=${path}`,
    ].join('\n'),
  };
}

/** A build that stopped at a stage. */
export const describeUntil = (
  stages: Iterable<string>,
  until: string,
): Printable & { readonly stages: readonly string[] } => ({
  stages: [...stages],
  words: `built up to ${until}; no release was written`,
});
