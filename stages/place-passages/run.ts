/** Places of quoted prose from the tables of PDFs and labels; documents of prose beside those of our tables. */
import { guidelineDocuments } from '../../schemas/guideline.js';
import { passagePlaces } from '../../schemas/passage.js';
import type { SqlRow, StageContext } from '../contract.js';
import type { Config } from './config.js';
import { proseDocuments } from './documents.js';

/** Distinct places that rules of a model quote. */
export const CITED = 'cited_places';

/** A file of prose. */
export interface ProseFile {
  readonly document_id: string;
  readonly file: string;
  readonly sha256: string;
}

interface Passage {
  readonly passage_id: string;
  readonly source_id: string;
  readonly document_id: string;
  readonly ref: string;
  readonly heading: string;
  readonly generic_names: string;
  readonly parts: string;
}

/** Text of a place with the passage that holds it. */
interface Place {
  readonly passage: Passage;
  readonly text: string;
}

/** Runs the stage. */
export async function run(ctx: StageContext, config: Config): Promise<void> {
  const passages = await ctx.sql.rows<Passage>('select * from passages order by passage_id');
  const files = new Map((await proseFiles(ctx)).map((f) => [f.document_id, f]));
  const places = placesOf(passages);
  const printed = new Map([...(await printedCells(ctx)), ...(await printedSections(ctx))]);
  const cited = await citedRefs(ctx, passages);
  const rows = [...cited].sort().map((ref) => {
    const place = places.get(ref) ?? failPlace(ctx, ref);
    const file = files.get(place.passage.document_id) ?? failPlace(ctx, ref);
    citeFile(ctx, ref, file);
    return placeRow(ref, place, file, printed.get(ref) ?? {});
  });
  ctx.records(CITED, cited.size);
  for (const { document_id, sha256 } of files.values())
    ctx.count(`places.${sha256.slice(0, 16)}`, rows.filter((r) => r.document_id === document_id).length);
  await ctx.sql.insert('passage_places', passagePlaces, rows);
  const earlier = await ctx.sql.rows('select * from earlier_documents');
  const own = proseDocuments(ctx, config, passages, files);
  await ctx.sql.insert('guideline_documents', guidelineDocuments, [...earlier, ...own]);
}

const proseFiles = (ctx: StageContext): Promise<ProseFile[]> =>
  ctx.sql.rows<ProseFile>(
    `select document_id, file, sha256 from pdf_documents
     union all select document_id, file, sha256 from label_documents order by document_id`,
  );

/** Texts by ref: parts of passages, and the name of the drug of a label, which a rule may point at. */
function placesOf(passages: readonly Passage[]): Map<string, Place> {
  const out = new Map<string, Place>();
  for (const passage of passages) {
    const parts = JSON.parse(passage.parts) as readonly { readonly ref: string; readonly text: string }[];
    for (const { ref, text } of parts) out.set(ref, { passage, text });
    const [name] = JSON.parse(passage.generic_names) as readonly string[];
    if (name !== undefined) out.set(`label:${passage.document_id}#generic_name`, { passage, text: name });
  }
  return out;
}

/** Places that spans of a model's rules name, and the first place of their passage; each rule is cited on its places. */
async function citedRefs(ctx: StageContext, passages: readonly Passage[]): Promise<Set<string>> {
  const first = new Map(passages.map((p) => [p.passage_id, p.ref]));
  const rules = await ctx.sql.rows<{ rule_id: string; row_id: string; spans: string }>(
    "select rule_id, row_id, spans from rules where author = 'model' order by rule_id",
  );
  const cited = new Set<string>();
  for (const { rule_id, row_id, spans } of rules) {
    const refs = (JSON.parse(spans) as readonly { readonly ref: string }[]).map((s) => s.ref);
    for (const ref of new Set(refs.filter((r) => !r.startsWith('definition:')))) {
      ctx.cite({ child: `rule:${rule_id}`, relation: 'quotes', parent: ref });
      cited.add(ref);
    }
    cited.add(first.get(row_id) ?? failPlace(ctx, row_id));
  }
  return cited;
}

/** `impact` walks from the file, or from the id of its document, to every cell and rule. */
function citeFile(ctx: StageContext, ref: string, { document_id, file }: ProseFile): void {
  ctx.cite({ child: ref, relation: 'stands_in', parent: `document:${document_id}` });
  ctx.cite({ child: `document:${document_id}`, relation: 'read_from', parent: `file:${file}` });
}

async function printedCells(ctx: StageContext): Promise<[string, SqlRow][]> {
  const rows = await ctx.sql.rows<SqlRow & { ref: string }>(
    `select 'pdf:' || c.document_id || '#t' || c.table_n || 'r' || c."row" || 'c' || c.col as ref,
       c.table_n, c."row" as table_row, c.col as table_col, c.page, c.x0, c.y0, c.x1, c.y1, c.printed_text,
       coalesce((select to_json(list({page: p.page, x0: p.x0, y0: p.y0, x1: p.x1, y1: p.y1} order by p.part))
         from guideline_cell_parts p where p.part > 0 and p.document_id = c.document_id and p.table_n = c.table_n
           and p."row" = c."row" and p.col = c.col)::varchar, '[]') as further_parts
     from guideline_cells c where not c.is_spanned order by ref`,
  );
  return rows.map(({ ref, ...row }) => [ref, row]);
}

async function printedSections(ctx: StageContext): Promise<[string, SqlRow][]> {
  const rows = await ctx.sql.rows<SqlRow & { ref: string }>(
    `select 'label:' || document_id || '#' || section_id as ref, code as section_code, title as section_title
     from label_sections order by ref`,
  );
  return rows.map(({ ref, ...row }) => [ref, row]);
}

function placeRow(ref: string, { passage, text }: Place, file: ProseFile, printed: SqlRow): SqlRow {
  const nothing = Object.fromEntries(
    Object.keys(passagePlaces.row.shape).map((name): [string, null] => [name, null]),
  );
  return {
    ...nothing,
    further_parts: '[]',
    printed_text: text,
    ...printed,
    ref,
    text,
    source_id: passage.source_id,
    document_id: passage.document_id,
    file: file.file,
    sha256: file.sha256,
    heading: passage.heading,
  };
}

function failPlace(ctx: StageContext, got: string): never {
  return ctx.fail({
    message: 'a rule quotes a place that no passage has',
    got,
    expected: 'a place of the passages that the rules were drafted from',
    next: 'bind the passages and documents that draft-rules-from-prose was given',
  });
}
