/** `impact`: everything in a release that rests on a node of its provenance, by walking the edges from parent to child. */
import { join } from 'node:path';
import { nearest } from '../../stages/lib/nearest.js';
import { DuckDbSession, quoteText } from './adapters/duckdb.js';
import { scratchFolder } from './adapters/files.js';
import { UsageError } from './errors.js';
import { readManifest } from './verify-release.js';

/** Ids of one kind that rest on the node. */
export interface Dependents {
  readonly kind: string;
  readonly ids: readonly string[];
}

export interface Impact {
  readonly words: string;
  readonly release: string;
  /** The nodes that the reference names, as `kind:id`. */
  readonly nodes: readonly string[];
  readonly dependents: readonly Dependents[];
}

/** Ids shown per kind in words; --json has all. */
const SHOWN_IDS = 12;

/** What rests on `ref`: a node as `kind:id`, an id of any kind, or the name of a file. Unknown is a UsageError. */
export async function impactOf(dir: string, ref: string): Promise<Impact> {
  const manifest = readManifest(dir);
  const session = await DuckDbSession.create({
    threads: 1,
    memoryLimit: '2GB',
    spillDir: scratchFolder('impact'),
  });
  try {
    await session.run(
      `create view edges as select child, parent from read_parquet(${quoteText(join(dir, 'provenance/edges.parquet'))})`,
    );
    const nodes = await findNodes(session, ref);
    const dependents = group(await walk(session, nodes));
    const head = `${nodes.join(', ')} in ${manifest.benchmark} ${manifest.version}`;
    return { release: dir, nodes, dependents, words: wordImpact(head, dependents) };
  } finally {
    session.close();
  }
}

/** The nodes that a reference names: by the whole node, by its id, or by its last part: a row id, a file name. */
async function findNodes(session: DuckDbSession, ref: string): Promise<string[]> {
  const named = await session.rows<{ node: string }>(
    `with nodes as (select child as node from edges union select parent from edges),
       split as (select node, substr(node, strpos(node, ':') + 1) as id, regexp_replace(id, '^.*[/#]', '') as name from nodes)
     select node from split where node = $ref or id = $ref or (id <> name and $ref in (name, regexp_replace(name, '[.]csv$', '')))
     order by node`,
    { ref },
  );
  if (named.length > 0) return named.map((r) => r.node);
  const near = await nearestId(session, ref);
  throw new UsageError({
    message: 'nothing in the release has this id',
    got: ref,
    expected: 'a rule id, a row id, a source id or a file that the provenance edges name',
    next: near ? `did you mean ${near}?` : 'provenance/edges.parquet lists every node',
  });
}

/** Parents only, without the many items. */
async function nearestId(session: DuckDbSession, ref: string): Promise<string | undefined> {
  const rows = await session.rows<{ id: string }>(
    `select distinct regexp_replace(substr(parent, strpos(parent, ':') + 1), '^.*[/#]', '') as id from edges order by id`,
  );
  return nearest(
    ref,
    rows.map((r) => r.id),
  );
}

async function walk(session: DuckDbSession, nodes: readonly string[]): Promise<string[]> {
  const start = nodes.map(quoteText).join(', ');
  const rows = await session.rows<{ node: string }>(
    `with recursive up(node) as (
       select distinct child from edges where parent in (${start})
       union select e.child from edges e join up on e.parent = up.node)
     select node from up where node not in (${start}) order by node`,
  );
  return rows.map((r) => r.node);
}

function group(nodes: readonly string[]): Dependents[] {
  const byKind = new Map<string, string[]>();
  for (const node of nodes) {
    const at = node.indexOf(':');
    const kind = node.slice(0, at);
    byKind.set(kind, [...(byKind.get(kind) ?? []), node.slice(at + 1)]);
  }
  return [...byKind].map(([kind, ids]) => ({ kind, ids }));
}

function wordImpact(head: string, dependents: readonly Dependents[]): string {
  if (dependents.length === 0) return `${head}\nnothing rests on it`;
  const lines = dependents.map(({ kind, ids }) => {
    const more = ids.length > SHOWN_IDS ? `, and ${ids.length - SHOWN_IDS} more` : '';
    return `  ${kind}: ${ids.length}  ${ids.slice(0, SHOWN_IDS).join(', ')}${more}`;
  });
  return [head, ...lines].join('\n');
}
