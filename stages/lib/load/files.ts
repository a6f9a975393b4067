/** Finds the files of an extract, reads each once from end to end, and compares headers with the published ones. */
import { MIMIC_FILES, type MimicTable } from '../../../schemas/mimic-files.js';
import type { FolderFile, IntegrityReport, StageContext } from '../../contract.js';
import type { LoadedTable } from './tables.js';

/** A file of the extract that passed its first read. */
export interface Inspected {
  readonly file: FolderFile;
  readonly report: IntegrityReport;
  /** Column names in file order, in lower case. */
  readonly columns: readonly string[];
}

/** A file to load. */
export interface Source extends Inspected {
  /** A pattern of the itemids that the registry reads from it. */
  readonly items: string;
}

/** The inspected file of every table that is loaded; optional ones may be absent. */
export async function inspectExtract(
  ctx: StageContext,
  tables: readonly LoadedTable[],
): Promise<Map<MimicTable, Inspected>> {
  const files = findFiles(ctx, tables);
  const total = [...files.values()].reduce((sum, f) => sum + f.bytes, 0);
  const out = new Map<MimicTable, Inspected>();
  let done = 0;
  for (const [source, file] of files) {
    ctx.progress(done, 2 * total, `reading ${file.path}`);
    const report = await ctx.inspectCsv(file);
    if (report.sha256 !== file.sha256) {
      ctx.fail({
        message: 'a file of the extract changed while it was read',
        file: file.path,
        got: report.sha256,
        expected: file.sha256,
        next: 'let nothing write to the extract and run the same command again',
      });
    }
    out.set(source, { file, report, columns: checkHeader(ctx, source, file.path, report.header) });
    done += file.bytes;
  }
  return out;
}

function findFiles(ctx: StageContext, tables: readonly LoadedTable[]): Map<MimicTable, FolderFile> {
  const found = new Map<MimicTable, FolderFile>();
  const missing: string[] = [];
  const all = new Map(ctx.folder('extract').map((f) => [f.path, f]));
  for (const { source, is_optional } of tables) {
    const path = `${source.replace('.', '/')}.csv`;
    const [plain, packed] = [all.get(path), all.get(`${path}.gz`)];
    if (plain && packed) {
      ctx.fail({
        message: `table ${source} is there twice`,
        file: `${plain.path}, ${packed.path}`,
        expected: 'one of them',
        next: 'remove the one that is not meant',
      });
    }
    const file = packed ?? plain;
    if (file) found.set(source, file);
    else if (!is_optional) missing.push(`${path}[.gz]`);
  }
  if (missing.length > 0) {
    const needed = tables.filter((t) => !t.is_optional).map((t) => t.source);
    const folders = [...new Set(needed.map((source) => `${source.split('.')[0]}/`))].sort();
    ctx.fail({
      message: 'the extract is not complete',
      got: `no ${missing.join(', ')}`,
      expected: `${needed.length} tables in ${folders.join(' and ')}`,
      next: 'point MIMIC_IV_DIR to the folder that holds hosp/ and icu/; several folders are joined with a colon',
    });
  }
  return found;
}

/** Columns are bound by lower-cased name; a missing, unknown or repeated one is refused. */
function checkHeader(
  ctx: StageContext,
  source: MimicTable,
  path: string,
  header: readonly string[],
): string[] {
  const columns = header.map((name) => name.toLowerCase());
  const expected = MIMIC_FILES[source].columns.map((c) => c.name.toLowerCase());
  const missing = expected.filter((name) => !columns.includes(name));
  const unknown = header.filter((_, i) => !expected.includes(columns[i]!));
  const twice = columns.flatMap((name, i) => {
    const first = columns.indexOf(name);
    return first < i ? [`${name} (columns ${first + 1} and ${i + 1})`] : [];
  });
  const problems = [
    missing.length > 0 ? `missing: ${missing.join(', ')}` : '',
    unknown.length > 0 ? `unknown: ${unknown.map((name) => JSON.stringify(name)).join(', ')}` : '',
    twice.length > 0 ? `twice: ${twice.join(', ')}` : '',
  ].filter(Boolean);
  if (problems.length > 0) {
    ctx.fail({
      message: `the header of ${source} is not that of MIMIC-IV 2.2 to 3.1`,
      file: path,
      row: 'line 1',
      got: problems.join('; '),
      expected: `${expected.join(',')} in any order`,
      next: 'get the original file; a tool may have changed its columns',
    });
  }
  return columns;
}

/** Physical line of a data record: the header is line 1, and quoted values may span lines. */
export function lineOf(report: IntegrityReport, record: number): number {
  let [low, high] = [0, report.multiline.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (report.multiline[middle]!.record < record) low = middle + 1;
    else high = middle;
  }
  let extra = 0;
  for (let i = 0; i < low; i++) extra += report.multiline[i]!.extra;
  return 1 + record + extra;
}
