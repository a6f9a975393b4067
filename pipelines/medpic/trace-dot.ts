/** A trace as a graphviz drawing: source cell, rule, item, partner and what changed. */
import type { BareTrace, TracedItem } from './trace.js';
import type { TracedSpan } from './trace-source.js';

/** Longest text of a node. */
const MAX_WIDTH = 48;

const quote = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** Lines of a label, each clipped. */
const label = (...lines: readonly string[]): string =>
  quote(lines.map((l) => (l.length > MAX_WIDTH ? `${l.slice(0, MAX_WIDTH - 1)}…` : l)).join('\n')).replaceAll(
    '\n',
    '\\n',
  );

/** Graphviz text; `dot -Tsvg` draws it. */
export function drawTrace(t: BareTrace): string {
  const lines = [
    'digraph trace {',
    '  rankdir=LR;',
    '  node [shape=box, fontname="sans-serif", fontsize=10];',
    '  edge [fontname="sans-serif", fontsize=9];',
    ...cells(t),
    ...t.rules.map(
      (r) =>
        `  ${quote(`rule:${r.rule_id}`)} [label=${label(`rule ${r.rule_id}`, r.label, `${r.says.action}`, r.status)}, style=rounded];`,
    ),
    ...[t.item, ...t.partners].flatMap(item),
    ...t.partners.map(
      (p) =>
        `  ${node(t.item)} -> ${node(p)} [dir=none, style=dashed, label=${label(...(p.changed ?? []).map((c) => `${c.field}: ${JSON.stringify(c.from)} → ${JSON.stringify(c.to)}`))}];`,
    ),
    '}',
  ];
  return lines.join('\n');
}

const node = (i: TracedItem): string => quote(`item:${i.instance_id}`);

/** One node a printed cell, whatever number of fields was read there. */
function cells(t: BareTrace): string[] {
  const out = new Set<string>();
  for (const rule of t.rules) {
    for (const s of rule.spans) {
      const place = `${s.file.replace(/^.*\//, '')}${s.line === null ? '' : `, line ${s.line}`}${proseAt(s)}`;
      const color = s.is_equal ? '' : ', color=red';
      out.add(
        `  ${quote(s.ref)} [label=${label(place, s.column ?? s.prose?.heading ?? '', s.printed ?? s.quote)}, shape=note${color}];`,
      );
      out.add(`  ${quote(s.ref)} -> ${quote(`rule:${rule.rule_id}`)};`);
    }
  }
  return [...out];
}

/** Page and corner of a cell, or code of a section. */
function proseAt({ prose }: TracedSpan): string {
  if (prose === null) return '';
  if (prose.box === null) return prose.section_code === null ? '' : `, section ${prose.section_code}`;
  return `, page ${prose.page}, ${prose.box.map((x) => x.toFixed(0)).join(' ')}`;
}

function item(i: TracedItem): string[] {
  const keys = i.options.filter((o) => o.is_key).map((o) => `${o.letter}. ${o.text}`);
  return [
    `  ${node(i)} [label=${label(`item ${i.instance_id}`, i.role ?? i.config, ...keys)}];`,
    `  ${quote(`rule:${i.rule_id}`)} -> ${node(i)};`,
  ];
}
