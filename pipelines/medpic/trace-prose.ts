/** Places of prose that rules quote: from the table of the release, and against the documents where their folders are given. */
import { join } from 'node:path';
import type { Span } from '../../schemas/rule.js';
import type { CommandContext } from '../benchmark.js';
import { hashFolder } from '../engine/adapters/files.js';
import type { OpenRelease } from './open.js';

/** A row of passage_places. */
interface PlaceRow {
  readonly ref: string;
  readonly document_id: string;
  readonly file: string;
  readonly sha256: string;
  readonly heading: string;
  readonly section_code: string | null;
  readonly section_title: string | null;
  readonly table_n: number | null;
  readonly table_row: number | null;
  readonly table_col: number | null;
  readonly page: number | null;
  readonly x0: number | null;
  readonly y0: number | null;
  readonly x1: number | null;
  readonly y1: number | null;
  readonly printed_text: string;
  readonly text: string;
}

/** Where on paper a quote stands. */
export interface ProsePlace {
  readonly document_id: string;
  /** SHA-256 of the file that the release was built from. */
  readonly released_sha256: string;
  readonly heading: string;
  readonly section_code: string | null;
  readonly section_title: string | null;
  /** 1-based table; 0-based row and column of the cell. */
  readonly table_n: number | null;
  readonly row: number | null;
  readonly col: number | null;
  readonly page: number | null;
  /** `[x0, y0, x1, y1]` in PDF points, origin bottom left. */
  readonly box: readonly [number, number, number, number] | null;
  /** True when the file was found again by its hash; false where its folder is not given. */
  readonly is_file_checked: boolean;
}

/** What a place says, for the comparison with a quote. */
export interface FoundProse {
  readonly file: string;
  /** SHA-256 of the file now; null where its folder is not given or has no such file. */
  readonly sha256: string | null;
  readonly printed: string;
  readonly text: string;
  readonly place: ProsePlace;
  readonly problem: string | null;
}

/** Places of prose of one release. */
export class ProsePlaces {
  readonly #rows: ReadonlyMap<string, PlaceRow>;
  /** SHA-256 to path of the files of each kind; null where no folder is given. */
  readonly #files: Readonly<Record<'pdf' | 'label', ReadonlyMap<string, string> | null>>;

  constructor(
    rows: readonly PlaceRow[],
    files: Readonly<Record<'pdf' | 'label', ReadonlyMap<string, string> | null>>,
  ) {
    this.#rows = new Map(rows.map((r) => [r.ref, r]));
    this.#files = files;
  }

  /** The place of a span; null when the release has no such place. */
  find({ ref }: Span): FoundProse | null {
    const row = this.#rows.get(ref);
    if (!row) return null;
    const files = this.#files[ref.startsWith('pdf:') ? 'pdf' : 'label'];
    const is_there = files?.has(row.sha256) ?? false;
    const { file, printed_text: printed, text } = row;
    return {
      file,
      sha256: is_there ? row.sha256 : null,
      printed,
      text,
      place: placeOf(row, is_there),
      problem:
        files === null || is_there
          ? null
          : `no file of the folder has sha256 ${row.sha256}${nameTwin(files, file)}`,
    };
  }
}

/** A file of the same name and another content. */
function nameTwin(files: ReadonlyMap<string, string>, file: string): string {
  const name = file.replace(/^.*\//, '');
  const twin = [...files].find(([, path]) => path.replace(/^.*\//, '') === name);
  return twin ? `; ${twin[1]} has sha256 ${twin[0]}` : '';
}

function placeOf(r: PlaceRow, is_file_checked: boolean): ProsePlace {
  return {
    document_id: r.document_id,
    released_sha256: r.sha256,
    heading: r.heading,
    section_code: r.section_code,
    section_title: r.section_title,
    table_n: r.table_n,
    row: r.table_row,
    col: r.table_col,
    page: r.page,
    box: r.page === null ? null : [r.x0!, r.y0!, r.x1!, r.y1!],
    is_file_checked,
  };
}

/** The places of a release; none where no rule was drafted from prose. */
export async function prosePlaces(
  release: OpenRelease,
  context: Pick<CommandContext, 'pdfDir' | 'labelsDir'>,
): Promise<ProsePlaces> {
  const rows = release.tables.has('passage_places')
    ? await release.session.rows<PlaceRow>('select * from passage_places order by ref')
    : [];
  const files = async (dir: string | undefined) =>
    dir === undefined ? null : new Map((await hashFolder(dir)).map((f) => [f.sha256, join(dir, f.path)]));
  return new ProsePlaces(rows, { pdf: await files(context.pdfDir), label: await files(context.labelsDir) });
}
