/** A medpic release, opened for reading: items with their structured facts, rules, and what the rule engine must know. */
import { join } from 'node:path';
import { Change, FactSentence, Option } from '../../schemas/medpic.js';
import { Patient } from '../../schemas/patient.js';
import type { ReleaseManifest } from '../../schemas/release.js';
import type { Rule } from '../../schemas/rule.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { readDrugGroups } from '../../stages/lib/drug-groups.js';
import type { ReadKnowledge, WordsOfFact } from '../../stages/lib/read-vignette/read.js';
import { type OpenBench, openBench, type Row, readRule } from '../../stages/lib/rules/bench.js';
import { CONCEPTS_FILE, parseConcepts } from '../../stages/lib/rules/concepts.js';
import { NEUTRAL_LIMITS_FILE, parseNeutralLimits } from '../../stages/lib/rules/neutral.js';
import { WORDS_FILE } from '../../stages/pose-questions/read.js';
import { DuckDbSession } from '../engine/adapters/duckdb.js';
import { PROJECT_ROOT, readFileSync } from '../engine/adapters/files.js';
import { createViews } from '../engine/release-views.js';

export interface QuestionRow {
  readonly instance_id: string;
  readonly benchmark_task_family: string;
  readonly config: string;
  readonly patient_vignette: string;
  readonly question: string;
  readonly options: string;
  readonly split: string;
}

export interface AnswerRow {
  readonly instance_id: string;
  readonly benchmark_task_family: string;
  readonly config: string;
  readonly answer: string;
  readonly answer_texts: string;
  readonly none_letter: string | null;
  readonly decision_type: string;
  readonly taxonomy_reasoning_operation: string;
  readonly taxonomy_patient_info_type: string;
  readonly rule_id: string;
  readonly source_id: string;
  readonly source_ref: string;
  readonly pair_id: string | null;
  readonly pair_role: string | null;
  readonly changed: string | null;
  readonly patient: string;
  readonly candidates: string;
  readonly facts: string;
  readonly watch_rules: string;
  readonly content_hash: string;
  readonly split: string;
}

/** An item with its JSON columns read. */
export interface Item {
  readonly question: QuestionRow;
  readonly answer: AnswerRow;
  readonly letters: readonly string[];
  readonly options: readonly Option[];
  readonly patient: Patient;
  readonly facts: readonly FactSentence[];
  readonly changed: readonly Change[] | null;
  readonly watch_rules: readonly string[];
}

/** A rule as it stands in the release. */
export interface ReleasedRule extends Rule {
  readonly author: string;
  readonly content_hash: string;
}

export interface OpenRelease {
  readonly dir: string;
  readonly manifest: ReleaseManifest;
  readonly session: DuckDbSession;
  readonly rules: ReadonlyMap<string, ReleasedRule>;
  /** What judgements rest on: rules in force, drugs, classes, coverage of sources, neutral drugs. */
  readonly bench: OpenBench;
  /** What is needed to read a vignette back into facts. */
  readonly reading: ReadKnowledge;
  /** Tables of the release by name; each is a view of the session. */
  readonly tables: ReadonlySet<string>;
}

/** Opens a release folder; every table is a view under its own name. The caller closes the session. */
export async function openRelease(
  dir: string,
  manifest: ReleaseManifest,
  spillDir: string,
  signal: AbortSignal,
): Promise<OpenRelease> {
  const session = await DuckDbSession.create({ threads: 1, memoryLimit: '2GB', spillDir, signal });
  try {
    const tables = await createViews(session, dir, manifest);
    return { dir, manifest, session, tables, ...(await readBench(session)) };
  } catch (error) {
    session.close();
    throw error;
  }
}

/** Rules, drugs and classes of the release with the concepts and groups of the project. */
async function readBench(session: DuckDbSession): Promise<Pick<OpenRelease, 'bench' | 'reading' | 'rules'>> {
  const rows = (table: string): Promise<Row[]> => session.rows(`select * from ${table} order by all`);
  const file = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
  const csv = (path: string) => parseCsv(file(path), path);
  const rules = await rows('rules');
  const neutral_drugs = await rows('neutral_drugs');
  const bench = openBench({
    rules,
    guideline_documents: await rows('guideline_documents'),
    drug_names: await rows('drug_names'),
    drug_classes: await rows('drug_classes'),
    class_words: await rows('class_words'),
    neutral_drugs,
    concepts: parseConcepts(csv(CONCEPTS_FILE)),
    neutral_limits: parseNeutralLimits(csv(NEUTRAL_LIMITS_FILE)),
    drug_groups: readDrugGroups(file),
  });
  const released = rules.map((row) => ({
    ...readRule(row),
    author: String(row.author),
    content_hash: String(row.content_hash),
  }));
  // Of a drug that is neutral in several populations the first row speaks, as in the stage that writes the sentences.
  const ordinary = new Map(
    [...neutral_drugs].reverse().map((n) => [String(n.ingredient), String(n.typical_use)]),
  );
  const words = csv(WORDS_FILE).map((r) => [r.concept!, r as unknown as WordsOfFact] as const);
  const reading: ReadKnowledge = {
    concepts: bench.book.knowledge.concepts,
    words: new Map(words),
    typical_use: (drug) => ordinary.get(drug),
  };
  return { bench, reading, rules: new Map(released.map((r) => [r.rule_id, r])) };
}

/** Items that a condition over `a` (answers) selects; $name parameters. */
export async function readItems(
  r: OpenRelease,
  where = 'true',
  params: Record<string, string> = {},
): Promise<Item[]> {
  const answers = await r.session.rows<AnswerRow>(
    `select * from medpic_answers a where ${where} order by instance_id`,
    params,
  );
  const questions = await r.session.rows<QuestionRow>(
    `select * from medpic_questions where instance_id in (select instance_id from medpic_answers a where ${where})`,
    params,
  );
  const byId = new Map(questions.map((q) => [q.instance_id, q]));
  return answers.flatMap((answer) => {
    const question = byId.get(answer.instance_id);
    return question ? [toItem(question, answer)] : [];
  });
}

function toItem(question: QuestionRow, answer: AnswerRow): Item {
  const list = (text: string): string[] => JSON.parse(text) as string[];
  return {
    question,
    answer,
    letters: list(answer.answer),
    options: Option.array().parse(JSON.parse(answer.candidates)),
    patient: Patient.parse(JSON.parse(answer.patient)),
    facts: FactSentence.array().parse(JSON.parse(answer.facts)),
    changed: answer.changed === null ? null : Change.array().parse(JSON.parse(answer.changed)),
    watch_rules: list(answer.watch_rules),
  };
}

/** Rules that decide about candidates: everything but rejected and superseded ones. */
export const currentRules = (r: OpenRelease): ReleasedRule[] =>
  [...r.rules.values()].filter((x) => x.status !== 'rejected' && x.status !== 'superseded');
