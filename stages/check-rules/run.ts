/** Checks rules: each alone, then in pairs and ladders. Nothing of a rule is changed but its status. */
import { ambiguousEdges, ERRORS, ruleFindings, ruleLinks } from '../../schemas/check.js';
import { type Rule, RuleBody, rules as rulesTable, Span } from '../../schemas/rule.js';
import type { SqlRow, StageContext } from '../contract.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { type CsvRecord, parseCsv } from '../lib/csv.js';
import { type ClassMember, type ClassWord, DrugClasses } from '../lib/drug-classes.js';
import { DrugIndex, type DrugName } from '../lib/drugs.js';
import { CONCEPTS_FILE, parseConcepts } from '../lib/rules/concepts.js';
import { DEFINITIONS_FILE, parseDefinitions } from '../lib/rules/definitions.js';
import { checkBands } from './bands.js';
import type { Check, Document, Finding, Sources } from './checks/check.js';
import { checkEdition } from './checks/edition.js';
import { checkExceptions } from './checks/exceptions.js';
import { checkNames } from './checks/names.js';
import { checkNumbers } from './checks/numbers.js';
import { checkSpans } from './checks/spans.js';
import { checkUnits } from './checks/units.js';
import type { Config } from './config.js';
import { contradicts, type Link, linkOf } from './links.js';
import { cellsOf, Places } from './places.js';
import { pairsOnDrugs } from './shared-drugs.js';

export const USES_FILE = 'stages/lib/rules/uses.csv';

const CHECKS: readonly Check[] = [checkEdition, checkSpans, checkNumbers, checkNames, checkUnits];
const ROWS = ['beers_rows', 'kids_rows', 'tga_rows', 'label_rows'] as const;

/** Which inputs there are beside the tables of ours. */
export interface Inputs {
  readonly has_passages: boolean;
}

/** Runs the stage. */
export async function run(ctx: StageContext, config: Config, inputs: Inputs): Promise<void> {
  const sources = await readSources(ctx, inputs);
  const rows = await ctx.sql.rows<SqlRow>('select * from rules order by rule_id');
  const { findings, links, edges } = checkAll(rows.map(toRule), sources);
  const rejected = new Set(findings.filter(isError).map((f) => f.rule_id));
  checkShare(ctx, rows.length, findings, config);
  await ctx.sql.insert(
    'checked_rules',
    rulesTable,
    rows.map((row) => judged(row, rejected)),
  );
  await ctx.sql.insert('rule_findings', ruleFindings, findings.map(findingRow));
  await ctx.sql.insert('rule_links', ruleLinks, links.map(linkRow));
  await ctx.sql.insert('ambiguous_edges', ambiguousEdges, edges);
  report(ctx, rows.length, rejected.size, findings, links);
}

/** All findings, links and edges of a set of rules. */
export function checkAll(
  unsorted: readonly Rule[],
  sources: Sources,
): { findings: Finding[]; links: Link[]; edges: readonly SqlRow[] } {
  const rules = unsorted.toSorted((a, b) => (a.rule_id < b.rule_id ? -1 : 1));
  const alone = rules.flatMap((rule) => CHECKS.flatMap((check) => check(rule, sources)));
  const bands = checkBands(rules);
  const pairs = pairsOnDrugs(rules, sources.classes);
  const opposed = pairs.filter((pair) => contradicts(pair, sources.concepts));
  return {
    findings: unique([
      ...alone,
      ...checkExceptions(rules, sources),
      ...bands.findings,
      ...opposed.map(
        ({ a, b, shared }): Finding => ({
          rule_id: a.rule_id,
          other_rule_id: b.rule_id,
          check_name: 'contradiction_in_source',
          field: '/action/kind',
          got: `${a.action.kind}; ${b.rule_id}: ${b.action.kind}; for ${shared.map((s) => s.drug).join(', ')}`,
          expected: 'rules of one source that agree on a drug and a patient',
        }),
      ),
    ]),
    links: pairs.flatMap((pair) => linkOf(pair, sources.concepts)),
    edges: bands.edges,
  };
}

/** A ladder may be met for several drugs and uses; one finding on a rule stands once. */
function unique(findings: readonly Finding[]): Finding[] {
  const key = (f: Finding): string => canonicalJson([f.rule_id, f.check_name, f.field, f.got]);
  return [...new Map(findings.map((f) => [key(f), f])).values()];
}

const isError = (f: Finding): boolean => (ERRORS as readonly string[]).includes(f.check_name);

async function readSources(ctx: StageContext, { has_passages }: Inputs): Promise<Sources> {
  const all = <R>(table: string): Promise<(SqlRow & R)[]> =>
    ctx.sql.rows(`select * from ${table} order by all`);
  const table = (file: string): CsvRecord[] => parseCsv(ctx.file(file), file);
  const drugs = new DrugIndex(await all<DrugName>('drug_names'));
  const members = await all<ClassMember>('drug_classes');
  const definitions = parseDefinitions(table(DEFINITIONS_FILE));
  const cells: [string, string][] = [];
  for (const name of ROWS) for (const cell of cellsOf(await all<object>(name))) cells.push(cell);
  const prose = has_passages ? await all<Passage>('passages') : [];
  const documents = [...prose.map(proseDocument), ...(await all<Document>('guideline_documents'))];
  return {
    documents: new Map(documents.map((d) => [d.document_id, d])),
    places: new Places(new Map([...cells, ...prose.flatMap(proseTexts)]), definitions),
    definitions,
    drugs,
    classes: new DrugClasses(drugs, members, await all<ClassWord>('class_words')),
    concepts: parseConcepts(table(CONCEPTS_FILE)),
    uses: new Set(table(USES_FILE).map((u) => `${u.facet} ${u.value}`)),
  };
}

interface Passage {
  readonly source_id: string;
  readonly document_id: string;
  /** JSON array: the drug that the document is about. */
  readonly generic_names: string;
  /** JSON array of `{ref, name, text}`, one for each place that spans may name. */
  readonly parts: string;
}

/** Parts of a passage, and the name of the drug of its document, which a rule of a label may point at. */
function proseTexts(p: Passage): [string, string][] {
  const parts = JSON.parse(p.parts) as readonly { readonly ref: string; readonly text: string }[];
  const names = JSON.parse(p.generic_names) as readonly string[];
  return [
    ...parts.map(({ ref, text }): [string, string] => [ref, text]),
    ...names.slice(0, 1).map((name): [string, string] => [`label:${p.document_id}#generic_name`, name]),
  ];
}

/** The source of a passage. Superseded labels are left out where passages are chosen; a table of its name decides here. */
const proseDocument = (p: Passage): Document => ({
  document_id: p.source_id,
  edition: p.document_id,
  superseded_by: null,
});

/** A rule of a row of `rules`. */
export function toRule(row: SqlRow): Rule {
  return {
    ...RuleBody.parse(JSON.parse(row.body as string)),
    rule_id: row.rule_id as string,
    source_id: row.source_id as string,
    row_id: row.row_id as string,
    label: row.label as string,
    status: row.status as Rule['status'],
    is_usable: row.is_usable as boolean,
    spans: Span.array().parse(JSON.parse(row.spans as string)),
  };
}

function judged(row: SqlRow, rejected: ReadonlySet<string>): SqlRow {
  const is_rejected = rejected.has(row.rule_id as string);
  return {
    ...row,
    status: is_rejected ? 'rejected' : 'checked',
    is_usable: row.is_usable === true && !is_rejected,
  };
}

const findingRow = (f: Finding): SqlRow => ({
  ...f,
  is_error: isError(f),
  other_rule_id: f.other_rule_id ?? null,
});

const linkRow = (l: Link): SqlRow => ({ ...l, shared: canonicalJson(l.shared) });

function checkShare(ctx: StageContext, rules_n: number, findings: readonly Finding[], config: Config): void {
  const errors = findings.filter(isError);
  const rejected_n = new Set(errors.map((f) => f.rule_id)).size;
  if (rejected_n <= rules_n * config.max_rejected_share) return;
  const first = errors[0]!;
  ctx.fail({
    message: `${rejected_n} of ${rules_n} rules are rejected; the first, ${first.rule_id}: ${first.check_name}`,
    field: first.field,
    got: first.got,
    expected: first.expected,
    next: 'correct the row or its reading, or allow a share in check-rules.max_rejected_share',
  });
}

function report(
  ctx: StageContext,
  rules_n: number,
  rejected_n: number,
  findings: readonly Finding[],
  links: readonly Link[],
): void {
  ctx.count('rules.checked', rules_n - rejected_n);
  ctx.count('rules.rejected', rejected_n);
  for (const check of [...new Set(findings.map((f) => f.check_name))].sort())
    ctx.count(`findings.${check}`, findings.filter((f) => f.check_name === check).length);
  for (const kind of [...new Set(links.map((l) => l.link))].sort())
    ctx.count(`links.${kind}`, links.filter((l) => l.link === kind).length);
}
