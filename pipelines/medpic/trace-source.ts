/** From a span of a rule back to the printed place: the raw file is read again and compared with the quote. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../../schemas/release.js';
import type { Span } from '../../schemas/rule.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { sha256 } from '../../stages/lib/hash.js';
import { DEFINITIONS_FILE, parseDefinitions } from '../../stages/lib/rules/definitions.js';
import { parseStrictCsv, type StrictRecord } from '../../stages/lib/strict-csv.js';
import { existsSync, PROJECT_ROOT, readFileSync } from '../engine/adapters/files.js';
import type { ProsePlace, ProsePlaces } from './trace-prose.js';

/** A span with what stands at its place now. */
export interface TracedSpan {
  readonly field: string;
  readonly ref: string;
  readonly quote: string;
  readonly file: string;
  /** SHA-256 of the file now; null where it is absent. */
  readonly sha256: string | null;
  /** 1-based data record and physical line, and the column. */
  readonly row: number | null;
  readonly line: number | null;
  readonly column: string | null;
  /** Page and box, or section, of a place in a document; null for our tables. */
  readonly prose: ProsePlace | null;
  /** The whole printed text of the place. */
  readonly printed: string | null;
  /** The quote stands in the printed text, and the file is the one of the release. */
  readonly is_equal: boolean;
  readonly problem: string | null;
}

interface CsvTable {
  readonly sha256: string;
  readonly records: ReadonlyMap<string, StrictRecord>;
}

/** Spaces and line breaks count as one blank, as in the checks of rules. */
const fold = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Reads places again; every file is read once. */
export class SourceReader {
  readonly #manifest: ReleaseManifest;
  readonly #prose: ProsePlaces;
  readonly #root: string;
  readonly #tables = new Map<string, CsvTable | null>();

  constructor(manifest: ReleaseManifest, prose: ProsePlaces, root = PROJECT_ROOT) {
    this.#manifest = manifest;
    this.#prose = prose;
    this.#root = root;
  }

  /** A span with its place; what is wrong is said, never thrown. */
  read(span: Span): TracedSpan {
    const csv = /^csv:(.+)#(.+)\/([^/]+)$/.exec(span.ref);
    if (csv) return this.#cell(span, csv[1]!, csv[2]!, csv[3]!);
    if (span.ref.startsWith('definition:'))
      return this.#definition(span, span.ref.slice('definition:'.length));
    return this.#passage(span);
  }

  /** A cell of a PDF or a section of a label: the text that the release keeps, and the file where its folder is given. */
  #passage(span: Span): TracedSpan {
    const found = this.#prose.find(span);
    const bare = unread(span, found?.file ?? span.ref.replace(/^\w+:/, '').replace(/#.*$/, ''));
    if (!found) return { ...bare, problem: 'the release has no such place' };
    const { sha256: now, printed, place: prose } = found;
    const place = { ...bare, sha256: now, printed, prose };
    const released = this.#manifest.sources.find((s) => s.table === found.file)?.sha256;
    if (released !== prose.released_sha256)
      return { ...place, problem: `the manifest lists this file with sha256 ${released ?? 'nothing'}` };
    if (!fold(found.text).includes(fold(span.quote)))
      return { ...place, problem: 'the quote does not stand there' };
    return { ...place, is_equal: found.problem === null, problem: found.problem };
  }

  #cell(span: Span, file: string, row_id: string, column: string): TracedSpan {
    const table = this.#table(file);
    const bare = { ...unread(span, file), column };
    if (!table) return { ...bare, problem: 'the file is absent' };
    const record = table.records.get(row_id);
    const place = { ...bare, sha256: table.sha256, row: record?.row ?? null, line: record?.line ?? null };
    if (!record) return { ...place, problem: `the file has no row ${row_id}` };
    const printed = record.values[column];
    if (printed === undefined) return { ...place, problem: `the file has no column ${column}` };
    return this.#compare({ ...place, printed });
  }

  #compare(found: TracedSpan): TracedSpan {
    const released = this.#manifest.sources.find((s) => s.table === found.file)?.sha256;
    if (!fold(found.printed ?? '').includes(fold(found.quote)))
      return { ...found, problem: 'the quote does not stand there' };
    if (released !== undefined && released !== found.sha256)
      return { ...found, problem: `the release was built from another file, sha256 ${released}` };
    return { ...found, is_equal: true };
  }

  #definition(span: Span, name: string): TracedSpan {
    const text = readFileSync(join(this.#root, DEFINITIONS_FILE), 'utf8');
    const definition = parseDefinitions(parseCsv(text, DEFINITIONS_FILE)).get(name);
    const place = { ...unread(span, DEFINITIONS_FILE), sha256: sha256(text), column: name };
    if (!definition) return { ...place, problem: `there is no definition ${name}` };
    const printed = `${definition.words} (${definition.source})`;
    return this.#compare({ ...place, printed });
  }

  #table(file: string): CsvTable | null {
    const known = this.#tables.get(file);
    if (known !== undefined) return known;
    const path = join(this.#root, file);
    const table = existsSync(path) ? parseTable(readFileSync(path, 'utf8'), file) : null;
    this.#tables.set(file, table);
    return table;
  }
}

function parseTable(text: string, file: string): CsvTable {
  const columns = text.slice(0, text.indexOf('\r\n')).split(',');
  const records = parseStrictCsv(text, file, { columns, newline: 'crlf' });
  return {
    sha256: sha256(text),
    records: new Map(records.map((r) => [r.values.row_id ?? String(r.row), r])),
  };
}

function unread(span: Span, file: string): TracedSpan {
  const { field, ref, quote } = span;
  return {
    field,
    ref,
    quote,
    file,
    sha256: null,
    row: null,
    line: null,
    column: null,
    prose: null,
    printed: null,
    is_equal: false,
    problem: null,
  };
}
