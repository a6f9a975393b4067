/** Sources of prose as documents: edition, coverage, whom they speak of. */
import type { Coverage } from '../../schemas/lock.js';
import type { SqlRow, StageContext } from '../contract.js';
import { groupBy } from '../lib/group-by.js';
import { sha256 } from '../lib/hash.js';
import type { Config } from './config.js';
import type { ProseFile } from './run.js';

interface Passage {
  readonly source_id: string;
  readonly document_id: string;
}

type Entry = Config['documents'][string];

/**
 * One row a source of prose. It is partial whatever its files hold: a model may miss a rule, so that a drug without one is
 * unknown, never safe.
 */
export function proseDocuments(
  ctx: StageContext,
  config: Config,
  passages: readonly Passage[],
  files: ReadonlyMap<string, ProseFile>,
): SqlRow[] {
  const bySource = groupBy(passages, (p) => p.source_id);
  return [...bySource].map(([source_id, own]) => {
    const ids = [...new Set(own.map((p) => p.document_id))].sort();
    const read = ids.map((id) => files.get(id)!);
    const entries = read.map((f) => config.documents[f.sha256] ?? failEntry(ctx, f));
    return documentRow(source_id, read, entries, own.length);
  });
}

const CLASSES = ['open', 'restricted', 'credentialed'] as const;

function documentRow(
  document_id: string,
  files: readonly ProseFile[],
  entries: readonly Entry[],
  rows_n: number,
): SqlRow {
  const all = (value: (e: Entry) => string): string => [...new Set(entries.map(value))].sort().join(' and ');
  const edition = all((e) => e.edition);
  const populations = [...new Set(entries.flatMap((e): Coverage['populations'] => e.coverage.populations))];
  const access = Math.max(...entries.map((e) => CLASSES.indexOf(e.access_class)));
  return {
    document_id,
    source_file: files.map((f) => f.file).join(' '),
    source_sha256: files.length === 1 ? files[0]!.sha256 : sha256(files.map((f) => f.sha256).join(' ')),
    edition,
    edition_year: /\b(19|20)\d\d\b/.exec(edition)?.[0] ?? null,
    is_current: true,
    superseded_by: null,
    coverage: 'partial',
    covers: `rules that a model drafted from ${all((e) => e.coverage.covers)}`,
    populations: populations.length > 0 ? populations.sort().join(';') : null,
    licence: all((e) => e.licence),
    access_class: CLASSES[access]!,
    rows_n,
  };
}

function failEntry(ctx: StageContext, file: ProseFile): never {
  return ctx.fail({
    message: 'a document of prose has no entry with coverage',
    file: file.file,
    field: 'place-passages.documents',
    got: `sha256 ${file.sha256}`,
    expected: 'edition, licence, access class and coverage',
    next: 'add its coverage to its lock entry',
  });
}
