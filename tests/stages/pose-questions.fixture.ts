/** The real tables through the stages up to pose-questions, and its items with their JSON columns read. */
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Condition } from '../../schemas/condition.js';
import { Change, Option } from '../../schemas/medpic.js';
import { Patient } from '../../schemas/patient.js';
import { checkRules } from '../../stages/check-rules/stage.js';
import type { SqlRow, StageSpec } from '../../stages/contract.js';
import { draftRules } from '../../stages/draft-rules/stage.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { type OpenBench, openBench } from '../../stages/lib/rules/bench.js';
import { NEUTRAL_LIMITS_FILE, parseNeutralLimits } from '../../stages/lib/rules/neutral.js';
import { loadGuidelines } from '../../stages/load-guidelines/stage.js';
import { poseQuestions } from '../../stages/pose-questions/stage.js';
import { drugGroups } from '../support/guidelines.js';
import { runStageOn, type StageRun, type TestInput, temporaryFolder } from '../support/stage.js';
import { realConcepts } from './rule-engine.support.js';

const ROWS = ['beers_rows', 'kids_rows', 'tga_rows', 'label_rows'];
const NAMES = ['drug_names', 'drug_classes', 'class_words'];
const ASKED = ['guideline_documents', ...NAMES, 'neutral_drugs'];

export interface Tables {
  readonly loaded: StageRun;
  readonly checked: StageRun;
  /** Inputs of pose-questions by name. */
  readonly inputs: Readonly<Record<string, TestInput>>;
}

/** Loads our tables, drafts their rules and checks them. */
export async function realTables(): Promise<Tables> {
  const folder = temporaryFolder();
  for (const file of readdirSync('raw/guidelines').filter((f) => f.endsWith('.csv')))
    copyFileSync(join('raw/guidelines', file), join(folder, file));
  const run = (stage: unknown, inputs: Record<string, TestInput>) =>
    runStageOn(stage as StageSpec, { inputs });
  const loaded = await run(loadGuidelines, { guidelines: { folder } });
  const of = (names: readonly string[]): Record<string, TestInput> =>
    Object.fromEntries(names.map((n) => [n, { parquet: `${loaded.dir}/${n}.parquet` }]));
  const drafted = await run(draftRules, of([...ROWS, ...NAMES]));
  const checked = await run(checkRules, {
    rules: { parquet: `${drafted.dir}/rules.parquet` },
    ...of([...ROWS, 'guideline_documents', ...NAMES]),
  });
  const rules = { parquet: `${checked.dir}/checked_rules.parquet` };
  return { loaded, checked, inputs: { rules, ...of(ASKED) } };
}

/** Runs the stage; `over` replaces inputs. */
export const pose = (
  tables: Tables,
  options: { config?: unknown; seed?: number; over?: Record<string, TestInput> } = {},
): Promise<StageRun> =>
  runStageOn(poseQuestions as unknown as StageSpec, {
    inputs: { ...tables.inputs, ...options.over },
    config: options.config ?? {},
    seed: options.seed ?? 0,
  });

export interface PosedItem {
  readonly id: string;
  readonly config: string;
  readonly row: Readonly<Record<string, string>>;
  readonly vignette: string;
  readonly question: string;
  readonly shown: Readonly<Record<string, string>>;
  readonly options: readonly Option[];
  readonly patient: Patient;
  readonly letters: readonly string[];
  readonly changed: readonly Change[];
  readonly pair: string | null;
}

/** The items of a run, by id. */
export async function itemsOf(run: StageRun): Promise<PosedItem[]> {
  const questions = new Map((await run.table('questions')).map((q) => [q.instance_id, q]));
  return (await run.table('answers')).map((a): PosedItem => {
    const q = questions.get(a.instance_id!)!;
    return {
      id: String(a.instance_id),
      config: String(a.config),
      row: a as Record<string, string>,
      vignette: String(q.patient_vignette),
      question: String(q.question),
      shown: JSON.parse(String(q.options)),
      options: Option.array().parse(JSON.parse(String(a.candidates))),
      patient: Patient.parse(JSON.parse(String(a.patient))),
      letters: JSON.parse(String(a.answer)),
      changed: a.changed === null ? [] : Change.array().parse(JSON.parse(String(a.changed))),
      pair: a.pair_id === null ? null : String(a.pair_id),
    };
  });
}

/** Items that belong together, by pair; single items are left out. */
export function pairsOf(items: readonly PosedItem[]): PosedItem[][] {
  const out = new Map<string, PosedItem[]>();
  for (const i of items) if (i.pair !== null) out.set(i.pair, [...(out.get(i.pair) ?? []), i]);
  return [...out.values()];
}

/** What judgements rest on, from the same tables. */
export async function benchOf(tables: Tables): Promise<OpenBench> {
  const load = (name: string): Promise<SqlRow[]> => tables.loaded.table(name);
  const limits = parseCsv(readFileSync(NEUTRAL_LIMITS_FILE, 'utf8'), NEUTRAL_LIMITS_FILE);
  return openBench({
    rules: await tables.checked.table('checked_rules'),
    guideline_documents: await load('guideline_documents'),
    drug_names: await load('drug_names'),
    drug_classes: await load('drug_classes'),
    class_words: await load('class_words'),
    neutral_drugs: await load('neutral_drugs'),
    concepts: realConcepts(),
    neutral_limits: parseNeutralLimits(limits),
    drug_groups: drugGroups(),
  });
}

export type MeasureOf = Extract<Condition, { type: 'measure' }>;
export const leaves = (c: Condition): Condition[] =>
  c.type === 'not' ? leaves(c.of) : 'of' in c ? c.of.flatMap(leaves) : [c];
export const numbersOf = (c: Condition): MeasureOf[] =>
  leaves(c).filter((p): p is MeasureOf => p.type === 'measure');
export const isNear = (p: Patient, { measure, bounds }: MeasureOf): boolean => {
  const value = p.measures[measure]?.value;
  return [bounds.low, bounds.high].some(
    (e) => e !== null && value !== undefined && Math.abs(value - e) < e / 10 - 1e-9,
  );
};

/** Fields of two patients and of the uses of the same options that differ; what says one thing counts once. */
export function differences(a: PosedItem, b: PosedItem): string[] {
  const out = new Set<string>();
  const REPRODUCTION = ['pregnant', 'could_be_pregnant', 'planning_pregnancy', 'breastfeeding', 'in_labour'];
  const same = (x: unknown, y: unknown): boolean => JSON.stringify(x ?? null) === JSON.stringify(y ?? null);
  const indications = new Set<unknown>();
  for (const o of a.options) {
    const other = b.options.find((x) => x.letter === o.letter)!;
    if (same(o.use, other.use)) continue;
    const facets = new Set([...Object.keys(o.use!.facets), ...Object.keys(other.use!.facets)]);
    for (const f of facets)
      if (o.use!.facets[f as 'phase'] !== other.use!.facets[f as 'phase']) out.add(`${o.use!.drug} ${f}`);
    for (const k of ['form', 'route', 'dose', 'duration'] as const)
      if (!same(o.use![k], other.use![k])) out.add(`${o.use!.drug} ${k}`);
    indications.add(o.use!.facets.indication).add(other.use!.facets.indication);
  }
  for (const f of new Set([...Object.keys(a.patient.facts), ...Object.keys(b.patient.facts)])) {
    if (indications.has(f) || same(a.patient.facts[f], b.patient.facts[f])) continue;
    // What a woman is not is told of young women only: it follows for others.
    if (!REPRODUCTION.includes(f)) out.add(`fact ${f}`);
    else if ((a.patient.facts[f] ?? false) !== (b.patient.facts[f] ?? false)) out.add('pregnancy');
  }
  if (a.patient.gestation_weeks !== b.patient.gestation_weeks) out.add('pregnancy');
  for (const m of new Set([...Object.keys(a.patient.measures), ...Object.keys(b.patient.measures)]))
    if (!same(a.patient.measures[m as 'CrCl'], b.patient.measures[m as 'CrCl'])) out.add(`measure ${m}`);
  for (const k of [
    'age',
    'sex',
    'setting',
    'postmenstrual_weeks',
    'ckd_stage',
    'medications',
    'stopped',
  ] as const)
    if (!same(a.patient[k], b.patient[k])) out.add(k);
  return [...out];
}

export const tally = (list: readonly string[]): Record<string, number> => {
  const out: Record<string, number> = {};
  for (const x of list) out[x] = (out[x] ?? 0) + 1;
  return out;
};
