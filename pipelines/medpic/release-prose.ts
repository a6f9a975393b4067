/** What a release with rules from prose holds besides: the printed places, and the documents they stand in. */
import * as passage from '../../schemas/passage.js';
import type { ReleaseManifest } from '../../schemas/release.js';
import type { Table } from '../../schemas/table.js';
import type { Entries } from '../engine/release-parts.js';
import type { Session } from '../engine/session.js';
import type { LockedSource } from '../engine/sources.js';
import { LABELS, PDFS } from './pipeline.js';

/** True when a model was the second author. */
export const hasProse = (entries: Entries): boolean => entries.has('place-passages');

/** Tables of prose: stage, output. */
export const PROSE_TABLES: readonly (readonly [string, string, Table])[] = [
  ['place-passages', 'passage_places', passage.passagePlaces],
  ['draft-rules-from-prose', 'passage_outcomes', passage.passageOutcomes],
];

/** The documents as the manifest lists them; `records` are the places of each that rules quote. */
export function proseDocuments(session: Session, entries: Entries): ReleaseManifest['sources'] {
  const counts = entries.get('place-passages')?.result.counts ?? {};
  const locked = [PDFS, LABELS].flatMap(
    (name) => (session.sources[name] as LockedSource | undefined)?.entries ?? [],
  );
  return locked.map((e) => ({
    table: e.path,
    sha256: e.sha256,
    bytes: e.bytes ?? 0,
    records: counts[`places.${e.sha256.slice(0, 16)}`] ?? 0,
    edition: e.edition,
    origin: e.source,
    licence: e.licence,
    ...(e.coverage ? { coverage: `${e.coverage.extent}: ${e.coverage.covers}` } : {}),
  }));
}
