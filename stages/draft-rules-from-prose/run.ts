/** Passages become rules through a model; a reply is taken only as far as its quotes bear it out. */
import { passageOutcomes } from '../../schemas/passage.js';
import { rules } from '../../schemas/rule.js';
import type { LlmResult, SqlRow, StageContext } from '../contract.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { type CsvRecord, parseCsv } from '../lib/csv.js';
import { CONCEPTS_FILE } from '../lib/rules/concepts.js';
import { DEFINITIONS_FILE } from '../lib/rules/definitions.js';
import { bodyHash } from '../lib/rules/fields.js';
import type { Config } from './config.js';
import { type Drafted, draftRule, type Passage } from './draft.js';
import { Known, type KnownTables } from './known.js';
import { instructions, messagesFor, PROMPT_FILE } from './prompt.js';
import type { RuleReject } from './refuse.js';
import { Reply } from './reply.js';

export const USES_FILE = 'stages/lib/rules/uses.csv';
export const DEFINITION_WORDS_FILE = 'stages/draft-rules-from-prose/definition-words.csv';
export const UNIT_WORDS_FILE = 'stages/draft-rules-from-prose/unit-words.csv';
/** Purpose of the model. */
export const AUTHOR = 'author';
/** Rules that come in: those of the parser and those of all replies. */
export const RULES_IN = 'rules_in';

interface Made {
  readonly rules: SqlRow[];
  readonly outcomes: SqlRow[];
  rules_in: number;
  failed: number;
}

export async function run(ctx: StageContext, config: Config): Promise<void> {
  const known = await readKnown(ctx);
  const passages = await readPassages(ctx);
  const system = instructions(ctx.file(PROMPT_FILE), known);
  const parsed = await ctx.sql.rows('select * from drafted_rules');
  let done = 0;
  const replies = await Promise.all(
    passages.map(async (passage) => {
      const result = await ctx.llm(AUTHOR).ask({
        subject: passage.passage_id,
        messages: messagesFor(system, passage),
        schema: Reply,
        schemaName: 'drafted_rules',
      });
      ctx.progress(++done, passages.length, passage.passage_id);
      return result;
    }),
  );
  const made: Made = { rules: [...parsed], outcomes: [], rules_in: parsed.length, failed: 0 };
  passages.forEach((passage, i) => {
    takeReply(ctx, { known, passage, config, made }, replies[i]!);
  });
  checkFailures(ctx, passages.length, made, config);
  ctx.records(RULES_IN, made.rules_in);
  await ctx.sql.insert('rules', rules, made.rules);
  await ctx.sql.insert('passage_outcomes', passageOutcomes, made.outcomes);
  report(ctx, made, parsed.length);
}

async function readKnown(ctx: StageContext): Promise<Known> {
  const rows = async <R>(table: string): Promise<R[]> =>
    (await ctx.sql.rows(`select * from ${table} order by all`)) as R[];
  const csv = (file: string): CsvRecord[] => parseCsv(ctx.file(file), file);
  const tables: KnownTables = {
    drugNames: await rows('drug_names'),
    classMembers: await rows('drug_classes'),
    classWords: await rows('class_words'),
    concepts: csv(CONCEPTS_FILE),
    uses: csv(USES_FILE),
    definitions: csv(DEFINITIONS_FILE),
    definitionWords: csv(DEFINITION_WORDS_FILE),
    unitWords: csv(UNIT_WORDS_FILE),
  };
  return new Known(tables);
}

async function readPassages(ctx: StageContext): Promise<Passage[]> {
  const rows = await ctx.sql.rows('select * from passages order by passage_id');
  return rows.map((row) => ({
    ...(row as unknown as Passage),
    generic_names: JSON.parse(String(row.generic_names)) as string[],
    brand_names: JSON.parse(String(row.brand_names)) as string[],
    parts: JSON.parse(String(row.parts)) as Passage['parts'],
  }));
}

interface Taking {
  readonly known: Known;
  readonly passage: Passage;
  readonly config: Config;
  readonly made: Made;
}

function takeReply(ctx: StageContext, taking: Taking, result: LlmResult<Reply>): void {
  const { passage, made } = taking;
  const { passage_id, source_id } = passage;
  const { key: answer, served_model } = result.source;
  const outcome = { passage_id, source_id, answer, served_model };
  if (result.outcome !== 'accepted') {
    made.failed++;
    const { outcome: reason, detail } = result;
    // The passage keeps its row; what it lost is said here.
    const expected = 'a whole reply that fits the schema';
    ctx.reject({
      table: 'replies',
      where: passage.ref,
      key: passage_id,
      reason,
      field: 'reply',
      got: detail,
      expected,
    });
    made.outcomes.push({ ...outcome, outcome: 'failed', rules_n: 0, refused_n: 0, reason });
    return;
  }
  const { rules: given, nothing_because } = result.value;
  const taken = given.map((rule, i) => takeRule(ctx, taking, { rule, i }));
  const rules_n = taken.filter((t) => t).length;
  made.rules_in += given.length;
  made.outcomes.push({
    ...outcome,
    outcome: rules_n > 0 ? 'rules' : given.length > 0 ? 'refused' : 'nothing',
    rules_n,
    refused_n: given.length - rules_n,
    reason: rules_n > 0 ? null : (nothing_because ?? 'every rule of the reply was refused'),
  });
}

/** Adds a rule of a reply, or refuses it; says whether it was added. */
function takeRule(
  ctx: StageContext,
  { known, passage, config, made }: Taking,
  { rule, i }: { readonly rule: Reply['rules'][number]; readonly i: number },
): boolean {
  const refuse = ({ reason, field, got, expected }: RuleReject): false => {
    const key = `${passage.passage_id} rule ${i + 1}`;
    ctx.reject({ table: RULES_IN, where: passage.ref, key, reason, field, got, expected });
    return false;
  };
  const found = draftRule(known, passage, rule);
  if ('reject' in found) return refuse(found.reject);
  const row = ruleRow(passage, found, config);
  if (made.rules.some((r) => r.rule_id === row.rule_id)) {
    const expected = 'a rule that the reply does not hold yet';
    return refuse({ reason: 'repeated_rule', field: 'rule', got: String(row.rule_id), expected });
  }
  made.rules.push(row);
  ctx.cite({ child: `rule:${row.rule_id}`, relation: 'drafted_from', parent: passage.ref });
  return true;
}

function ruleRow(passage: Passage, { body, spans }: Drafted, config: Config): SqlRow {
  const content_hash = bodyHash(body);
  return {
    // Known by what it says and where, never by its place in the reply.
    rule_id: `${passage.passage_id}.${content_hash.slice(0, 8)}`,
    source_id: passage.source_id,
    row_id: passage.passage_id,
    label: passage.heading,
    status: 'draft',
    is_usable: config.may_make_questions,
    author: 'model',
    polarity: body.action.polarity,
    action_kind: body.action.kind,
    patient_information_type: body.patient_information_type,
    special_population: body.special_population,
    body: canonicalJson(body),
    spans: canonicalJson(spans),
    content_hash,
  };
}

function checkFailures(ctx: StageContext, passages_n: number, made: Made, config: Config): void {
  if (made.failed <= passages_n * config.max_failed_share) return;
  const reasons = new Map<string, number>();
  for (const o of made.outcomes.filter((o) => o.outcome === 'failed'))
    reasons.set(String(o.reason), (reasons.get(String(o.reason)) ?? 0) + 1);
  ctx.fail({
    message: `${made.failed} of ${passages_n} passages have no usable reply`,
    field: 'draft-rules-from-prose.max_failed_share',
    got: [...reasons]
      .sort()
      .map(([reason, n]) => `${reason} ${n}`)
      .join(', '),
    expected: `at most ${config.max_failed_share * 100} %`,
    next: 'ask another model, raise its max_tokens, or allow a larger share; answers that were accepted are kept',
  });
}

function report(ctx: StageContext, made: Made, parser_n: number): void {
  const of = (outcome: string): number => made.outcomes.filter((o) => o.outcome === outcome).length;
  for (const outcome of ['rules', 'nothing', 'refused', 'failed'])
    ctx.count(`passages.${outcome}`, of(outcome));
  ctx.count('rules.model', made.rules.length - parser_n);
  ctx.count('rules.refused', made.rules_in - made.rules.length);
}
