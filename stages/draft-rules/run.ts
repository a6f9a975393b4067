/** Rows of guideline tables become rules; what became of each row is said. */
import { type Rule, RuleBody, rowOutcomes, rules } from '../../schemas/rule.js';
import type { SqlRow, StageContext } from '../contract.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { type CsvRecord, parseCsv } from '../lib/csv.js';
import { type ClassMember, type ClassWord, DrugClasses } from '../lib/drug-classes.js';
import { DrugIndex, type DrugName } from '../lib/drugs.js';
import { DEFINITIONS_FILE, parseDefinitions } from '../lib/rules/definitions.js';
import { bodyHash } from '../lib/rules/fields.js';
import type { Config } from './config.js';
import type { DraftRule } from './draft.js';
import { Lexicon, PHRASES_FILE } from './lexicon.js';
import type { RowReject } from './refuse.js';
import { ROW_TABLES, SOURCES, type Source, type SourceRow } from './sources.js';

/** Runs the stage. */
export async function run(ctx: StageContext, config: Config): Promise<void> {
  const lexicon = await readLexicon(ctx);
  await countRows(ctx, config);
  const made: SqlRow[] = [];
  const outcomes: SqlRow[] = [];
  for (const source of SOURCES) {
    const rows = await rowsOf(ctx, source, config);
    const refused: { readonly row: SourceRow; readonly reject: RowReject }[] = [];
    for (const row of rows) {
      const draft = source.parse(row, lexicon);
      if ('rules' in draft) made.push(...draft.rules.map((rule) => citedRow(ctx, source, row, rule)));
      else {
        refused.push({ row, reject: draft.reject as RowReject });
        rejectRow(ctx, source, row, draft.reject as RowReject);
      }
      outcomes.push(outcomeRow(row, draft));
    }
    if (refused.length > rows.length * config.max_reject_share) stop(ctx, source, rows.length, refused);
  }
  await ctx.sql.insert('rules', rules, made);
  await ctx.sql.insert('row_outcomes', rowOutcomes, outcomes);
  report(ctx, made, outcomes);
}

async function readLexicon(ctx: StageContext): Promise<Lexicon> {
  const all = <R>(table: string): Promise<(SqlRow & R)[]> =>
    ctx.sql.rows(`select * from ${table} order by all`);
  const drugs = new DrugIndex(await all<DrugName>('drug_names'));
  const members = await all<ClassMember>('drug_classes');
  const classes = new DrugClasses(drugs, members, await all<ClassWord>('class_words'));
  const table = (file: string): CsvRecord[] => parseCsv(ctx.file(file), file);
  return new Lexicon(table(PHRASES_FILE), drugs, classes, parseDefinitions(table(DEFINITIONS_FILE)));
}

/** Counts what comes in, and drops documents that the config does not name. */
async function countRows(ctx: StageContext, config: Config): Promise<void> {
  let all = 0;
  let left_out = 0;
  for (const table of Object.keys(ROW_TABLES)) {
    for (const { document_id, n } of await ctx.sql.rows<{ document_id: string; n: number }>(
      `select document_id, count(*) as n from ${table} group by all order by all`,
    )) {
      all += n;
      if (!(config.sources as readonly string[]).includes(document_id)) left_out += n;
    }
  }
  ctx.records('source_rows', all);
  ctx.drop('source_rows', 'source_not_asked', left_out);
}

async function rowsOf(ctx: StageContext, source: Source, config: Config): Promise<SourceRow[]> {
  const rows = await ctx.sql.rows<SqlRow>(`select * from ${source.table.name} order by row_id`);
  return (rows as unknown as SourceRow[]).filter((r) =>
    (config.sources as readonly string[]).includes(r.document_id),
  );
}

function rejectRow(ctx: StageContext, source: Source, row: SourceRow, reject: RowReject): void {
  const where = `${row.source_file}, line ${row.source_line}`;
  ctx.reject({ table: source.table.name, where, key: row.row_id, ...reject });
}

/** Stops the build and shows the first row that gives no rule. */
function stop(
  ctx: StageContext,
  source: Source,
  rows_n: number,
  refused: readonly { readonly row: SourceRow; readonly reject: RowReject }[],
): never {
  const { row, reject } = refused[0]!;
  ctx.fail({
    message: `${refused.length} of ${rows_n} rows of ${source.table.name} give no rule; the first: ${reject.reason}`,
    file: `${row.source_file}, line ${row.source_line}`,
    row: row.row_id,
    field: reject.field,
    got: reject.got,
    expected: reject.expected,
    next: 'correct the row or the table it needs, or allow a share in draft-rules.max_reject_share',
  });
}

/** A drafted rule with its identity. */
export function identify(row: SourceRow, label: string, draft: DraftRule): Rule {
  const { part, spans, ...body } = draft;
  return {
    ...RuleBody.parse(body),
    rule_id: part === null ? row.row_id : `${row.row_id}.${part}`,
    source_id: row.document_id,
    row_id: row.row_id,
    label,
    status: row.is_current ? 'draft' : 'superseded',
    is_usable: row.is_usable && row.is_current,
    spans,
  };
}

/** The row of a rule, with the edge to what it was drafted from. */
function citedRow(ctx: StageContext, source: Source, row: SourceRow, draft: DraftRule): SqlRow {
  const made = ruleRow(source, row, draft);
  const parent = `csv:${row.source_file}#${row.row_id}`;
  ctx.cite({ child: `rule:${made.rule_id}`, relation: 'drafted_from', parent });
  return made;
}

function ruleRow(source: Source, row: SourceRow, draft: DraftRule): SqlRow {
  const { rule_id, source_id, row_id, label, status, is_usable, spans, ...body } = identify(
    row,
    String(row[source.label]),
    draft,
  );
  return {
    rule_id,
    source_id,
    row_id,
    label,
    status,
    is_usable,
    author: 'parser',
    polarity: body.action.polarity,
    action_kind: body.action.kind,
    patient_information_type: body.patient_information_type,
    special_population: body.special_population,
    body: canonicalJson(body),
    spans: canonicalJson(spans),
    content_hash: bodyHash(body),
  };
}

function outcomeRow(row: SourceRow, draft: ReturnType<Source['parse']>): SqlRow {
  const place = { source_id: row.document_id, row_id: row.row_id };
  if ('reject' in draft) return { ...place, outcome: 'refused', rules_n: 0, reason: draft.reject.reason };
  const outcome = row.is_usable ? 'rules' : 'held';
  return { ...place, outcome, rules_n: draft.rules.length, reason: null };
}

function report(ctx: StageContext, made: readonly SqlRow[], outcomes: readonly SqlRow[]): void {
  for (const source_id of new Set(outcomes.map((o) => String(o.source_id)))) {
    const mine = outcomes.filter((o) => o.source_id === source_id);
    ctx.count(`rows.${source_id}`, mine.length);
    ctx.count(`refused.${source_id}`, mine.filter((o) => o.outcome === 'refused').length);
    ctx.count(`rules.${source_id}`, made.filter((r) => r.source_id === source_id).length);
  }
}
