/** Structural check of a Croissant document: what the public checkers stumble over, found before publication. */
import type { ReleaseManifest } from '../../../schemas/release.js';
import { recordSetId } from './croissant.js';
import { CROISSANT, RAI } from './croissant-context.js';

type Json = Record<string, unknown>;

const REQUIRED = [
  '@context',
  '@type',
  'conformsTo',
  'name',
  'description',
  'license',
  'url',
  'creator',
  'datePublished',
  'version',
  'distribution',
  'recordSet',
];
const REQUIRED_RAI = [
  'rai:dataLimitations',
  'rai:dataBiases',
  'rai:personalSensitiveInformation',
  'rai:dataUseCases',
  'rai:dataSocialImpact',
  'rai:hasSyntheticData',
  'prov:wasDerivedFrom',
  'prov:wasGeneratedBy',
];
const REQUIRED_TERMS = [
  '@vocab',
  'sc',
  'cr',
  'rai',
  'dct',
  'prov',
  'conformsTo',
  'dataType',
  'field',
  'source',
];
const DATA_TYPES =
  /^(sc:(Text|Boolean|Integer|Float|Date|DateTime|URL)|cr:(U?Int(8|16|32|64)|Float(16|32|64)|Label|Split))$/;

/** Every problem in words; empty when the document is sound. With a manifest, also that no file or column is left out. */
export function checkCroissant(document: Json, manifest?: ReleaseManifest): string[] {
  const found: string[] = [];
  const files = list(document.distribution);
  const sets = list(document.recordSet);
  for (const key of [...REQUIRED, ...REQUIRED_RAI]) if (isEmpty(document[key])) found.push(`no ${key}`);
  if (document['@type'] !== 'sc:Dataset') found.push('@type is not sc:Dataset');
  const conforms = list(document.conformsTo as unknown);
  for (const iri of [CROISSANT, RAI])
    if (!conforms.includes(iri as never)) found.push(`conformsTo lacks ${iri}`);
  const context = (document['@context'] ?? {}) as Json;
  for (const term of REQUIRED_TERMS) if (isEmpty(context[term])) found.push(`@context lacks ${term}`);
  for (const file of files) found.push(...checkFile(file));
  const file_ids = new Set(files.map((f) => f['@id']));
  const field_ids = new Set(sets.flatMap((s) => list(s.field).map((f) => f['@id'])));
  for (const set of sets) found.push(...checkSet(set, file_ids, field_ids));
  found.push(...repeatedIds([...files, ...sets, ...sets.flatMap((s) => list(s.field))]));
  if (manifest) found.push(...checkComplete(files, field_ids, manifest));
  return found;
}

const list = (value: unknown): Json[] =>
  Array.isArray(value) ? (value as Json[]) : value === undefined || value === null ? [] : [value as Json];

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

function checkFile(file: Json): string[] {
  const id = String(file['@id'] ?? '(no @id)');
  const found: string[] = [];
  if (file['@type'] !== 'cr:FileObject') found.push(`${id}: @type is not cr:FileObject`);
  if (!/^[0-9a-f]{64}$/.test(String(file.sha256))) found.push(`${id}: no sha256`);
  if (!/^\d+ B$/.test(String(file.contentSize))) found.push(`${id}: contentSize is not "n B"`);
  for (const key of ['@id', 'name', 'contentUrl', 'encodingFormat'])
    if (isEmpty(file[key])) found.push(`${id}: no ${key}`);
  return found;
}

function checkSet(set: Json, files: ReadonlySet<unknown>, fields: ReadonlySet<unknown>): string[] {
  const id = String(set['@id'] ?? '(no @id)');
  const found: string[] = [];
  if (set['@type'] !== 'cr:RecordSet') found.push(`${id}: @type is not cr:RecordSet`);
  if (isEmpty(set.field)) found.push(`${id}: no field`);
  for (const key of list(set.key))
    if (!fields.has(key['@id'])) found.push(`${id}: key ${key['@id']} is no field`);
  const is_inline = set.data !== undefined;
  for (const f of list(set.field)) found.push(...checkField(f, id, is_inline, files, fields));
  return found;
}

function checkField(
  f: Json,
  set: string,
  is_inline: boolean,
  files: ReadonlySet<unknown>,
  fields: ReadonlySet<unknown>,
): string[] {
  const id = String(f['@id'] ?? '(no @id)');
  const found: string[] = [];
  if (f['@type'] !== 'cr:Field') found.push(`${id}: @type is not cr:Field`);
  if (!id.startsWith(`${set}/`)) found.push(`${id}: @id does not begin with its record set ${set}`);
  if (isEmpty(f.dataType)) found.push(`${id}: no dataType`);
  for (const type of list(f.dataType))
    if (!DATA_TYPES.test(String(type))) found.push(`${id}: unknown dataType ${String(type)}`);
  const reference = f.references as Json | undefined;
  if (reference && !fields.has(reference['@id']))
    found.push(`${id}: references ${reference['@id']}, which is no field`);
  if (is_inline) return found;
  const source = f.source as { fileObject?: Json; extract?: Json } | undefined;
  if (!source) return [...found, `${id}: no source`];
  if (!files.has(source.fileObject?.['@id'])) found.push(`${id}: source is no file of the distribution`);
  if (isEmpty(source.extract?.column)) found.push(`${id}: source names no column`);
  return found;
}

function repeatedIds(nodes: readonly Json[]): string[] {
  const seen = new Set<unknown>();
  return nodes.flatMap((n) => {
    if (seen.has(n['@id'])) return [`@id ${String(n['@id'])} stands twice`];
    seen.add(n['@id']);
    return [];
  });
}

function checkComplete(
  files: readonly Json[],
  fields: ReadonlySet<unknown>,
  manifest: ReleaseManifest,
): string[] {
  const hashes = new Map(files.map((f) => [f['@id'], f.sha256]));
  return manifest.files.flatMap((file) => {
    if (!hashes.has(file.path)) return [`${file.path}: not in the distribution`];
    const found =
      hashes.get(file.path) === file.sha256 ? [] : [`${file.path}: sha256 differs from the manifest`];
    if (file.format !== 'parquet') return found;
    const missing = file.columns.filter((c) => !fields.has(`${recordSetId(file)}/${c.name}`));
    return [...found, ...missing.map((c) => `${file.path}: column ${c.name} is no field`)];
  });
}
