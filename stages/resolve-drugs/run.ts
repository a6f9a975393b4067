/** Every drug, class word and open end of the rule rows becomes a mention, or a reject with its reason. */
import { drugMentions } from '../../schemas/guideline.js';
import type { Reject, SqlRow, StageContext } from '../contract.js';
import { type ClassMember, type ClassWord, DrugClasses } from '../lib/drug-classes.js';
import { DrugIndex, type DrugName } from '../lib/drugs.js';
import { type ListItem, parseMemberList } from '../lib/member-list.js';
import type { Config } from './config.js';

/** Columns of the rule rows that hold drugs. */
const CELLS: readonly (readonly [table: string, column: string])[] = [
  ['beers_rows', 'member_drugs'],
  ['beers_rows', 'interacting_drug_or_class'],
  ['kids_rows', 'member_drugs'],
  ['label_rows', 'member_drugs'],
  ['tga_rows', 'medicine_as_listed'],
];

interface Cell {
  readonly document_id: string;
  readonly row_id: string;
  readonly source_file: string;
  readonly source_line: number;
  readonly text: string;
}

interface Found {
  readonly mentions: SqlRow[];
  readonly rejects: Reject[];
}

/** Runs the stage. */
export async function run(ctx: StageContext, config: Config): Promise<void> {
  const drugs = new DrugIndex(await ctx.sql.rows<SqlRow & DrugName>('select * from drug_names order by all'));
  const members = await ctx.sql.rows<SqlRow & ClassMember>('select * from drug_classes order by all');
  const words = await ctx.sql.rows<SqlRow & ClassWord>('select * from class_words order by all');
  const classes = new DrugClasses(drugs, members, words);
  const found: Found = { mentions: [], rejects: [] };
  for (const [table, column] of CELLS) {
    const cells = await ctx.sql.rows<SqlRow & Cell>(
      `select document_id, row_id, source_file, source_line, ${column} as text from ${table}
       where ${column} is not null order by row_id`,
    );
    for (const cell of cells) readCell(cell, column, { drugs, classes }, found);
  }
  const all = found.mentions.length + found.rejects.length;
  ctx.records('names', all);
  checkShare(ctx, found, all, config);
  for (const row of found.rejects) ctx.reject(row);
  await ctx.sql.insert('drug_mentions', drugMentions, found.mentions);
  count(ctx, found.mentions);
}

function readCell(
  cell: Cell,
  source_column: string,
  known: { readonly drugs: DrugIndex; readonly classes: DrugClasses },
  found: Found,
): void {
  const { document_id, row_id } = cell;
  const list = parseMemberList(cell.text, known.drugs, known.classes);
  const place = { document_id, row_id, source_column };
  const refuse = (text: string, reason: string, expected: string): void => {
    const where = `${cell.source_file}, line ${cell.source_line}`;
    found.rejects.push({
      table: 'names',
      where,
      key: row_id,
      reason,
      field: source_column,
      got: text,
      expected,
    });
  };
  const seen = new Set<string>();
  const items = [...list.items.map((i) => [i, false] as const), ...list.minus.map((i) => [i, true] as const)];
  for (const [item, is_minus] of items) {
    if (seen.has(item.text)) refuse(item.text, 'repeated_name', 'each name once in a cell');
    else found.mentions.push({ ...place, ...mention(item), is_minus });
    seen.add(item.text);
  }
  if (list.is_open) found.mentions.push({ ...place, ...OPEN });
  for (const problem of list.problems) refuse(problem.text, problem.reason, problem.expected);
}

const NOTHING = { ingredient: null, parts: null, qualifier: null, atc_code: null, class_keys: null };
const OPEN = { ...NOTHING, text: 'others', kind: 'open', is_minus: false };

function mention(item: ListItem): SqlRow {
  const { text, kind } = item;
  if (item.kind === 'class') return { ...NOTHING, text, kind, class_keys: item.keys.join(';') };
  const { ingredient, parts, qualifier, atc_code } = item.drug;
  return { ...NOTHING, text, kind, ingredient, parts: parts.join(' + '), qualifier, atc_code };
}

function checkShare(ctx: StageContext, { rejects }: Found, all: number, config: Config): void {
  if (rejects.length <= all * config.max_reject_share) return;
  const first = rejects[0]!;
  ctx.fail({
    message: `${rejects.length} of ${all} drug names resolve to nothing; the first: ${first.reason}`,
    file: first.where,
    row: first.key,
    field: first.field,
    got: first.got,
    expected: first.expected,
    next: 'correct the name, add it to drug-names.csv, or allow a share in resolve-drugs.max_reject_share',
  });
}

/** Per document: names, class words, open ends, and drugs without an ATC code. */
function count(ctx: StageContext, mentions: readonly SqlRow[]): void {
  for (const id of new Set(mentions.map((m) => String(m.document_id)))) {
    const own = mentions.filter((m) => m.document_id === id);
    for (const kind of ['drug', 'class', 'open'])
      ctx.count(`${kind}.${id}`, own.filter((m) => m.kind === kind).length);
    const drugs = new Set(own.filter((m) => m.kind === 'drug').map((m) => m.ingredient));
    ctx.count(`ingredients.${id}`, drugs.size);
  }
}
