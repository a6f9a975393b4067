/** The files of the extract: one open csv.gz a table, the odd styles of D91 and D92, sums and manifest. */
import { MIMIC_FILES, MIMIC_TABLES, type MimicTable } from '../../schemas/mimic-files.js';
import type { FolderWriter } from '../contract.js';
import type { SynthConfig } from './config.js';
import { CsvFile, type FileStyle, PLAIN } from './csv-file.js';
import { unitsOf } from './dirt.js';
import type { Numbers } from './numbers.js';
import type { Streams } from './rng.js';
import type { LedgerEntry, Row } from './rows.js';

/** Tables whose files may be odd (D91, D92): a list of its own, so that a table more moves no byte of the others. */
const ODD = [
  'hosp.patients',
  'hosp.admissions',
  'hosp.transfers',
  'hosp.services',
  'hosp.diagnoses_icd',
  'hosp.procedures_icd',
  'hosp.labevents',
  'hosp.omr',
  'hosp.provider',
  'hosp.d_icd_diagnoses',
  'hosp.d_icd_procedures',
  'hosp.d_labitems',
  'icu.icustays',
  'icu.chartevents',
  'icu.inputevents',
  'icu.outputevents',
  'icu.procedureevents',
  'icu.caregiver',
  'icu.d_items',
] as const satisfies readonly MimicTable[];

const LARGE: readonly string[] = ['hosp.labevents', 'icu.chartevents'];

/** All files of one extract. */
export interface Extract {
  add(table: MimicTable, rows: readonly Row[]): void;
  /** Appends lines of csv that are ready, in header order. */
  addLines(table: MimicTable, lines: Uint8Array, rows: number): void;
  flush(): Promise<void>;
  /** Ends the files and writes SHA256SUMS.txt and manifest.json. */
  close(about: Record<string, unknown>): Promise<void>;
}

const pathOf = (table: string): string => `${table.replace('.', '/')}.csv.gz`;

/** Which files are made of several gzip members (D91) or have BOM and CRLF (D92). */
export function fileStyles(
  numbers: Numbers,
  config: SynthConfig,
  streams: Streams,
  ledger: LedgerEntry[],
): Map<string, FileStyle> {
  const styles = new Map<string, FileStyle>();
  if (config.profile !== 'dirty') return styles;
  for (const id of ['D91', 'D92']) {
    const rule = numbers.dirty.find((d) => d.id === id)!;
    const free = ODD.filter((t) => !styles.has(t) && (id === 'D91' || t !== 'hosp.labevents'))
      .filter((t) => !/^hosp\.d_|provider|caregiver/.test(t))
      .map((table) => ({ table, u: streams(0, `${id} ${table}`).float() }))
      .sort((a, b) => a.u - b.u);
    for (const { table } of free.slice(0, unitsOf(rule, config.stays))) {
      const isMembers = id === 'D91';
      styles.set(table, {
        memberRows: isMembers ? (LARGE.includes(table) ? 20_000 : 150) : 0,
        hasBom: !isMembers,
        isCrlf: !isMembers,
      });
      ledger.push({
        dirty_id: id,
        table,
        subject_id: null,
        stay_id: null,
        key: `file=${pathOf(table)}`,
        column: '',
        clean_value: isMembers ? 'one gzip member' : 'no BOM, LF',
        dirty_value: isMembers ? 'several gzip members' : 'BOM, CRLF',
        expectation: rule.expectation,
      });
    }
  }
  return styles;
}

/** Opens every file. */
export function openExtract(folder: FolderWriter, styles: ReadonlyMap<string, FileStyle>): Extract {
  const files = new Map<MimicTable, CsvFile>(
    MIMIC_TABLES.map((table) => [
      table,
      new CsvFile(
        pathOf(table),
        folder.open(pathOf(table)),
        MIMIC_FILES[table].columns,
        styles.get(table) ?? PLAIN,
      ),
    ]),
  );
  return {
    add: (table, rows) => files.get(table)!.add(rows),
    addLines: (table, lines, rows) => files.get(table)!.addLines(lines, rows),
    flush: async () => {
      for (const file of files.values()) await file.flush();
    },
    close: async (about) => {
      const done: Record<string, { rows: number; gzip_members: number; sha256: string }> = {};
      for (const file of [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1))) {
        const sha256 = await file.close();
        done[file.path] = { rows: file.rows, gzip_members: file.members, sha256 };
      }
      const sums = Object.entries(done).map(([path, f]) => `${f.sha256} ${path}\n`);
      await folder.text('SHA256SUMS.txt', sums.join(''));
      await folder.text('manifest.json', `${JSON.stringify({ ...about, files: done }, null, 2)}\n`);
    },
  };
}
