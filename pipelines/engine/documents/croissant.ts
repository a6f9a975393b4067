/** croissant.json: the release in the Croissant 1.1 vocabulary, with the responsible-AI fields. */
import type { ReleaseColumn, ReleaseFile, ReleaseManifest } from '../../../schemas/release.js';
import { CROISSANT, CROISSANT_CONTEXT, RAI } from './croissant-context.js';

export type Json = Record<string, unknown>;

/** What a benchmark says about itself in a Croissant document. */
export interface DatasetWords {
  readonly name: string;
  readonly description: string;
  readonly license_url: string;
  readonly citation: string;
  readonly keywords: readonly string[];
  /** Which things stay in one split, in a sentence. */
  readonly splits: string;
  /** Column that names an item, and column of an answer file that holds the answer. */
  readonly key: string;
  readonly answer: string;
  /** Responsible-AI and provenance statements. */
  readonly responsibleAi: Json;
}

/** Media types of the released files. */
const ENCODING: Record<ReleaseFile['format'], string> = {
  parquet: 'application/x-parquet',
  jsonl: 'application/jsonlines',
  json: 'application/json',
  html: 'text/html',
};

/** Croissant type of each DuckDB type. */
const DATA_TYPE: Record<ReleaseColumn['type'], string> = {
  BOOLEAN: 'sc:Boolean',
  INTEGER: 'cr:Int32',
  BIGINT: 'cr:Int64',
  UTINYINT: 'cr:UInt8',
  DOUBLE: 'cr:Float64',
  VARCHAR: 'sc:Text',
  TIMESTAMP: 'sc:DateTime',
  DATE: 'sc:Date',
};

/** Known splits; other names stand without a class. */
const SPLIT_CLASS: Readonly<Record<string, string>> = {
  train: 'cr:TrainingSplit',
  validation: 'cr:ValidationSplit',
  test: 'cr:TestSplit',
};

/**
 * No clock enters a release, so this is the day on which the software version that built it was published. Whoever
 * publishes a release sets its own date and address.
 */
const DATE_PUBLISHED = '2026-11-30';

/** The whole document. Every Parquet file is a record set, every column a field. */
export function croissant(manifest: ReleaseManifest, words: DatasetWords): Json {
  const tables = manifest.files.filter((f) => f.format === 'parquet');
  const splits = [...new Set(tables.flatMap((f) => f.split ?? []))].sort();
  return {
    '@context': CROISSANT_CONTEXT,
    '@type': 'sc:Dataset',
    conformsTo: [CROISSANT, RAI],
    name: words.name,
    description: words.description,
    url: `urn:benchwright:${manifest.benchmark}:${manifest.version}`,
    version: manifest.version,
    sdVersion: '1.0.0',
    datePublished: DATE_PUBLISHED,
    license: words.license_url,
    creator: { '@type': 'sc:Organization', name: 'The benchwright maintainers' },
    citeAs: words.citation,
    inLanguage: 'en',
    isLiveDataset: false,
    isAccessibleForFree: manifest.access === 'open',
    keywords: words.keywords,
    usageInfo: usage(manifest),
    ...words.responsibleAi,
    distribution: manifest.files.map(fileObject),
    recordSet: [splitSet(splits, words), ...tables.map((f) => recordSet(f, splits, words))],
  };
}

/** How to cite a release of the given name; sources are cited in the card. */
export function citation(manifest: ReleaseManifest, name: string): string {
  return `The benchwright maintainers. ${name}, version ${manifest.version}. Built with benchwright ${manifest.tool_version}; data hash ${manifest.data_hash.slice(0, 16)}.`;
}

/** Terms of the Data Use Ontology. */
function usage(manifest: ReleaseManifest): Json[] {
  const term = (name: string, code: string): Json => ({
    '@type': 'sc:DefinedTerm',
    name,
    termCode: `DUO_${code}`,
    url: `duo:${code}`,
  });
  if (manifest.access === 'open') return [term('No restriction', '0000004')];
  return [term('General research use', '0000042'), term('User specific restriction', '0000026')];
}

function fileObject(file: ReleaseFile): Json {
  return {
    '@type': 'cr:FileObject',
    '@id': file.path,
    name: file.path,
    contentUrl: file.path,
    contentSize: `${file.bytes} B`,
    encodingFormat: ENCODING[file.format],
    sha256: file.sha256,
  };
}

function splitSet(splits: readonly string[], words: DatasetWords): Json {
  return {
    '@type': 'cr:RecordSet',
    '@id': 'splits',
    name: 'splits',
    description: words.splits,
    dataType: 'cr:Split',
    key: { '@id': 'splits/name' },
    field: [
      { '@type': 'cr:Field', '@id': 'splits/name', name: 'name', dataType: 'sc:Text' },
      { '@type': 'cr:Field', '@id': 'splits/url', name: 'url', dataType: 'cr:Split' },
    ],
    data: splits.map((name) => ({ 'splits/name': name, 'splits/url': SPLIT_CLASS[name] ?? 'cr:Split' })),
  };
}

/** `data/ba/test.parquet` is the record set `data/ba/test`; its fields are `data/ba/test/<column>`. */
export const recordSetId = (file: Pick<ReleaseFile, 'path'>): string => file.path.replace(/\.parquet$/, '');

function recordSet(file: ReleaseFile, splits: readonly string[], words: DatasetWords): Json {
  const id = recordSetId(file);
  const keys = file.columns.filter((c) => c.name === words.key);
  return {
    '@type': 'cr:RecordSet',
    '@id': id,
    name: id,
    description: recordSetWords(file),
    ...(keys.length === 1 ? { key: { '@id': `${id}/${words.key}` } } : {}),
    field: file.columns.map((c) => field(file, c, splits, words)),
  };
}

function recordSetWords(file: ReleaseFile): string {
  const rows = `${file.rows ?? 0} rows`;
  if (file.role === 'question') return `Questions of config ${file.config}, split ${file.split}; ${rows}.`;
  if (file.role === 'answer') return `Answers of config ${file.config}, split ${file.split}; ${rows}.`;
  if (file.role === 'edges') return `Provenance edges; ${rows}.`;
  return `Table ${file.table}, from which the answers are recomputed; ${rows}.`;
}

function field(
  file: ReleaseFile,
  column: ReleaseColumn,
  splits: readonly string[],
  words: DatasetWords,
): Json {
  const is_split = column.name === 'split' && file.split !== null && splits.includes(file.split);
  const type = DATA_TYPE[column.type];
  return {
    '@type': 'cr:Field',
    '@id': `${recordSetId(file)}/${column.name}`,
    name: column.name,
    description: column.description,
    dataType: file.role === 'answer' && column.name === words.answer ? [type, 'cr:Label'] : type,
    source: { fileObject: { '@id': file.path }, extract: { column: column.name } },
    ...(is_split ? { references: { '@id': 'splits/name' } } : {}),
  };
}
