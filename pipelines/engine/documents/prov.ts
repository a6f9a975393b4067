/**
 * provenance/prov.jsonld: the release in PROV-O. Activities are stages, entities are source tables, stage outputs and
 * released files. It holds no hash of a source file or of anything that depends on how the source was packed, so it
 * has the same bytes for the same rows; those hashes are in manifest.json.
 */
import {
  CONTENT_ROLES,
  type ReleaseFile,
  type ReleaseManifest,
  type ReleaseStage,
} from '../../../schemas/release.js';

type Json = Record<string, unknown>;

const CONTEXT = {
  prov: 'http://www.w3.org/ns/prov#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  bw: 'urn:benchwright:',
  label: 'rdfs:label',
  used: { '@id': 'prov:used', '@type': '@id' },
  wasGeneratedBy: { '@id': 'prov:wasGeneratedBy', '@type': '@id' },
  wasDerivedFrom: { '@id': 'prov:wasDerivedFrom', '@type': '@id' },
  wasAssociatedWith: { '@id': 'prov:wasAssociatedWith', '@type': '@id' },
  sha256: 'bw:sha256',
  codeHash: 'bw:codeHash',
  stageVersion: 'bw:stageVersion',
  config: { '@id': 'bw:config', '@type': '@json' },
  rows: 'bw:rows',
};

const stageId = (name: string): string => `bw:stage:${name}`;
const outputId = (ref: string): string => `bw:output:${ref}`;
const sourceId = (table: string): string => `bw:source:${table}`;
const fileId = (path: string): string => `bw:file:${path}`;

/** The document; the order of nodes is that of the pipeline and of the file list. */
export function provenance(manifest: ReleaseManifest): Json {
  const agent = `bw:tool:${manifest.tool_version}`;
  return {
    '@context': CONTEXT,
    '@graph': [
      {
        '@id': agent,
        '@type': ['prov:Agent', 'prov:SoftwareAgent'],
        label: `benchwright ${manifest.tool_version}`,
      },
      ...sourceNodes(manifest),
      ...manifest.stages.flatMap((s) => stageNodes(s, manifest, agent)),
      ...manifest.files.map((f) => fileNode(f, manifest.stages)),
    ],
  };
}

/** Tables of an extract; synthetic data come from a stage instead. */
function sourceNodes(manifest: ReleaseManifest): Json[] {
  const reads_extract = manifest.stages.some((s) =>
    Object.values(s.inputs).some((ref) => ref.startsWith('source.')),
  );
  if (!reads_extract) return [];
  const tables = manifest.sources.map((s) => s.table).sort();
  return tables.map((table) => ({
    '@id': sourceId(table),
    '@type': 'prov:Entity',
    label: `source table ${table}`,
  }));
}

function stageNodes(stage: ReleaseStage, manifest: ReleaseManifest, agent: string): Json[] {
  const inputs = Object.values(stage.inputs).flatMap((ref) =>
    ref.startsWith('source.') ? manifest.sources.map((s) => sourceId(s.table)) : [outputId(ref)],
  );
  const used = [...new Set(inputs)].sort();
  return [
    {
      '@id': stageId(stage.name),
      '@type': 'prov:Activity',
      label: stage.summary,
      stageVersion: stage.version,
      codeHash: stage.code_hash,
      config: stage.config,
      used,
      wasAssociatedWith: agent,
    },
    ...Object.keys(stage.outputs)
      .sort()
      .map((name) => ({
        '@id': outputId(`${stage.name}.${name}`),
        '@type': 'prov:Entity',
        label: `${name} of ${stage.name}`,
        wasGeneratedBy: stageId(stage.name),
        wasDerivedFrom: used,
      })),
  ];
}

function fileNode(file: ReleaseFile, stages: readonly ReleaseStage[]): Json {
  const is_content = CONTENT_ROLES.includes(file.role) && file.role !== 'edges';
  return {
    '@id': fileId(file.path),
    '@type': 'prov:Entity',
    label: file.path,
    ...(is_content ? { sha256: file.sha256 } : {}),
    ...(is_content && file.rows !== null ? { rows: file.rows } : {}),
    wasDerivedFrom: producersOf(file, stages).map(outputId),
  };
}

/** `stage.output` of what a file was copied or split from; the edges and the rejects summary come from every stage. */
export function producersOf(file: ReleaseFile, stages: readonly ReleaseStage[]): string[] {
  const every = (name: string): string[] =>
    stages.filter((s) => name in s.outputs).map((s) => `${s.name}.${name}`);
  // A table that holds all configs is the last one of its name: later stages hand on what they keep of it.
  const last = (name: string): string[] => every(name).slice(-1);
  switch (file.role) {
    case 'question':
      return [...every(file.config ?? ''), ...last('questions')];
    case 'answer':
      return [...every(`answers_${file.config}`), ...last('answers')];
    case 'edges':
      return every('edges');
    case 'rejects':
      return every('rejects');
    case 'quality':
      return every(`report_${file.format}`);
    case 'cohort':
    case 'rules':
      return last(file.path.replace(/^.*\//, '').replace(/\.\w+$/, ''));
  }
}
