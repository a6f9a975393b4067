/** Sections of the asked codes become passages; the others are dropped with a reason. */
import { passages } from '../../schemas/passage.js';
import type { SqlRow, StageContext } from '../contract.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { contentId } from '../lib/hash.js';
import type { Config } from './config.js';

interface SectionRow {
  readonly section_id: string;
  readonly document_id: string;
  readonly parent_id: string | null;
  readonly kind: string;
  readonly code: string | null;
  readonly text: string | null;
  readonly path: string;
  readonly generic_names: string;
  readonly brand_names: string;
}

const DROPS = ['no_text', 'code_not_asked', 'kind_not_asked', 'copy'] as const;
type Drop = (typeof DROPS)[number];

export async function run(ctx: StageContext, config: Config): Promise<void> {
  const sections = await ctx.sql.rows<SectionRow>(
    `select s.section_id, s.document_id, s.parent_id, s.kind, s.code, s.text, s.path, d.generic_names, d.brand_names
     from label_sections s join label_documents d using (document_id) order by s.document_id, s.position`,
  );
  const byId = new Map(sections.map((s) => [s.section_id, s]));
  const rows: SqlRow[] = [];
  const dropped = new Map<Drop, number>(DROPS.map((d) => [d, 0]));
  const seen = new Set<string>();
  for (const section of sections) {
    const drop = dropOf(section, byId, config, seen);
    if (drop) dropped.set(drop, dropped.get(drop)! + 1);
    else rows.push(passageOf(section, config));
  }
  for (const [reason, n] of dropped) ctx.drop('label_sections', reason, n);
  await ctx.sql.insert('passages', passages, rows);
}

function dropOf(
  section: SectionRow,
  byId: ReadonlyMap<string, SectionRow>,
  config: Config,
  seen: Set<string>,
): Drop | undefined {
  if (!(config.kinds as readonly string[]).includes(section.kind)) return 'kind_not_asked';
  if (section.text === null) return 'no_text';
  const code = codeOf(section, byId);
  if (code === null || !config.codes.includes(code)) return 'code_not_asked';
  // openFDA files a text twice with different headings now and then.
  const words = `${section.document_id} ${section.text.replace(/\s+/g, ' ')}`;
  if (seen.has(words)) return 'copy';
  seen.add(words);
  return undefined;
}

/** The section's own code, or that of the nearest section above it. */
function codeOf(section: SectionRow, byId: ReadonlyMap<string, SectionRow>): string | null {
  for (let s: SectionRow | undefined = section; s; s = s.parent_id ? byId.get(s.parent_id) : undefined)
    if (s.code !== null) return s.code;
  return null;
}

function passageOf(section: SectionRow, config: Config): SqlRow {
  const { document_id, section_id, path, generic_names, brand_names, text } = section;
  const { source_id } = config;
  const ref = `label:${document_id}#${section_id}`;
  return {
    passage_id: `P-${contentId('passage', source_id, document_id, section_id)}`,
    source_id,
    document_id,
    ref,
    heading: path,
    generic_names,
    brand_names,
    parts: canonicalJson([{ ref, name: null, text }]),
  };
}
