/** A small MIMIC-IV extract for tests: three patients, every table that load-mimic reads, full item dictionaries. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { MIMIC_FILES, type MimicTable } from '../../schemas/mimic-files.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { loadMimic } from '../../stages/load-mimic/stage.js';
import { LOADED } from '../../stages/load-mimic/tables.js';
import { runStageOn, type StageRun, temporaryFolder } from '../support/stage.js';

export type Row = Record<string, string | number | null>;
export type Extract = Record<string, Row[]>;

const FACTS = 'raw/mimic/itemid-facts.csv';
const IDS = [1, 2, 3].map((i) => ({
  subject_id: 10_000_000 + i,
  hadm_id: 20_000_000 + i,
  stay_id: 30_000_000 + i,
}));

/** Fresh rows of every table; change them and write them with `writeExtract`. */
export function sampleExtract(): Extract {
  const facts = parseCsv(readFileSync(FACTS, 'utf8'), FACTS);
  const labs = facts.filter((f) => f.table === 'hosp.labevents');
  return {
    'hosp.patients': IDS.map(({ subject_id }, i) => ({
      subject_id,
      gender: i % 2 ? 'F' : 'M',
      anchor_age: 60 + i,
      anchor_year: 2150,
      anchor_year_group: '2020 - 2022',
      dod: i === 2 ? '2151-05-01' : null,
    })),
    'hosp.admissions': IDS.map(({ subject_id, hadm_id }) => ({
      subject_id,
      hadm_id,
      admittime: '2150-03-01 08:00:00',
      dischtime: '2150-03-09 12:00:00',
      admission_type: 'EW EMER.',
      language: 'English',
      race: 'WHITE',
      hospital_expire_flag: 0,
    })),
    'icu.icustays': IDS.map((id) => ({
      ...id,
      first_careunit: 'Medical Intensive Care Unit (MICU)',
      last_careunit: 'Medical Intensive Care Unit (MICU)',
      intime: '2150-03-01 10:00:41',
      outtime: '2150-03-04 10:00:41',
      los: 3,
    })),
    'hosp.services': IDS.map(({ subject_id, hadm_id }) => ({
      subject_id,
      hadm_id,
      transfertime: '2150-03-01 08:00:00',
      curr_service: 'MED',
    })),
    'hosp.d_icd_diagnoses': [
      { icd_code: '0389', icd_version: 9, long_title: 'Unspecified septicemia' },
      { icd_code: 'A419', icd_version: 10, long_title: 'Sepsis, unspecified organism' },
    ],
    'hosp.diagnoses_icd': IDS.flatMap(({ subject_id, hadm_id }, i) => [
      { subject_id, hadm_id, seq_num: 1, icd_code: i ? 'A419' : '0389', icd_version: i ? 10 : 9 },
    ]),
    'icu.d_items': facts
      .filter((f) => f.table !== 'hosp.labevents')
      .map((f) => ({
        itemid: f.itemid!,
        label: f.label!,
        linksto: f.table!.split('.')[1]!,
        category: f.category!,
      })),
    'hosp.d_labitems': labs.map((f) => ({
      itemid: f.itemid!,
      label: f.label!,
      fluid: f.fluid!,
      category: f.category!,
    })),
    'hosp.labevents': IDS.flatMap(({ subject_id, hadm_id }, i) =>
      [50971, 50983, 50912].map((itemid, k) => ({
        labevent_id: 100 * i + k,
        subject_id,
        hadm_id: k ? hadm_id : null,
        specimen_id: 7000 + i,
        itemid,
        charttime: '2150-03-01 12:00:00',
        storetime: '2150-03-01 13:00:00',
        value: '4.1',
        valuenum: 4.1,
        valueuom: 'mEq/L',
      })),
    ),
    'icu.chartevents': IDS.flatMap((id, i) =>
      [10, 11, 12].map((hour) => ({
        ...id,
        charttime: `2150-03-01 ${hour}:00:00`,
        storetime: `2150-03-01 ${hour}:30:00`,
        itemid: 220045,
        value: 80 + i,
        valuenum: 80 + i,
        valueuom: 'bpm',
        warning: 0,
      })),
    ),
    'icu.inputevents': IDS.map((id, i) => ({
      ...id,
      starttime: '2150-03-01 12:00:00',
      endtime: '2150-03-01 13:00:00',
      itemid: 225158,
      amount: 100.5,
      amountuom: 'ml',
      orderid: i,
      linkorderid: i,
      ordercategoryname: '02-Fluids (Crystalloids)',
      ordercomponenttypedescription: 'Main order parameter',
      ordercategorydescription: 'Continuous Med',
      patientweight: 70,
      statusdescription: 'FinishedRunning',
    })),
    'icu.outputevents': IDS.map((id) => ({
      ...id,
      charttime: '2150-03-01 12:00:00',
      itemid: 226559,
      value: 120,
      valueuom: 'ml',
    })),
    'icu.procedureevents': IDS.map((id, i) => ({
      ...id,
      starttime: '2150-03-01 12:00:00',
      endtime: '2150-03-01 13:00:00',
      storetime: '2150-03-01 13:00:00.123',
      itemid: 225792,
      value: 60,
      valueuom: 'min',
      orderid: i,
      linkorderid: i,
      statusdescription: 'FinishedRunning',
    })),
    'hosp.omr': IDS.map(({ subject_id }) => ({
      subject_id,
      chartdate: '2149-01-01',
      seq_num: 1,
      result_name: 'Weight (Lbs)',
      result_value: '150.5',
    })),
  };
}

export interface WriteOptions {
  readonly newline?: '\n' | '\r\n';
  readonly bom?: boolean;
  /** Number of gzip members; 0 writes plain csv. */
  readonly members?: number;
  /** Order of the columns of a table. */
  readonly columns?: Partial<Record<MimicTable, readonly string[]>>;
  readonly folder?: string;
}

/** One value as csv text; quoted when it has to be. */
export function field(value: string | number | null | undefined): string {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The text of one table with its published header. */
export function csvText(table: MimicTable, rows: readonly Row[], options: WriteOptions = {}): string {
  const columns = options.columns?.[table] ?? MIMIC_FILES[table].columns.map((c) => c.name);
  const lines = [
    columns.map((c) => field(c)).join(','),
    ...rows.map((row) => columns.map((c) => field(row[c] ?? row[c.toLowerCase()])).join(',')),
  ];
  const newline = options.newline ?? '\n';
  return (options.bom ? '\ufeff' : '') + lines.map((l) => l + newline).join('');
}

/** Writes an extract into a folder and returns its path: the tables of load-mimic, and the others that it names. */
export function writeExtract(extract: Extract, options: WriteOptions = {}): string {
  const root = join(temporaryFolder(), options.folder ?? 'extract');
  const sources = new Set([...LOADED.map((t) => t.source), ...(Object.keys(extract) as MimicTable[])]);
  for (const source of sources) {
    const text = csvText(source, extract[source] ?? [], options);
    const path = join(root, `${source.replace('.', '/')}.csv${options.members ? '.gz' : ''}`);
    writeFile(path, options.members ? gzipMembers(Buffer.from(text), options.members) : Buffer.from(text));
  }
  return root;
}

/** Writes a file and the folders above it. */
export function writeFile(path: string, bytes: Uint8Array | string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

/** Compresses a text into several gzip members. */
export function gzipMembers(text: Buffer, members: number): Buffer {
  const size = Math.ceil(text.length / members);
  return Buffer.concat(
    Array.from({ length: members }, (_, i) => gzipSync(text.subarray(i * size, (i + 1) * size))),
  );
}

/** Runs load-mimic on a folder. */
export const load = (folder: string, config: object = {}): Promise<StageRun> =>
  runStageOn(loadMimic, { inputs: { extract: { folder } }, config });

/** Loads the sample with some tables changed. */
export function loadWith(
  change: Partial<Record<MimicTable, (rows: Row[]) => Row[]>>,
  config: object = {},
): Promise<StageRun> {
  const extract = sampleExtract();
  for (const [table, f] of Object.entries(change)) extract[table] = f(extract[table]!);
  return load(writeExtract(extract), config);
}

/** Hashes of the outputs that must not depend on the order or the packing of rows. */
export function contents(run: StageRun): Record<string, string> {
  const { outputs } = run.result;
  return Object.fromEntries(LOADED.map((t) => [t.name, outputs[t.name]!.sha256]));
}

const STAY_2: Row = { subject_id: 10_000_002, hadm_id: 20_000_002, stay_id: 30_000_002 };
/** One more row of chartevents. */
export const HEART_RATE: Row = {
  ...STAY_2,
  charttime: '2150-03-02 09:00:00',
  itemid: 220045,
  value: '91',
  valuenum: '91',
  valueuom: 'bpm',
};
