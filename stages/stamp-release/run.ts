/** Writes the question and answer tables and cites what each item rests on. */
import { answers, FEATURE_IDS, questions, TASKS, type Task } from '../../schemas/supmimic.js';
import type { SqlRow, StageContext } from '../contract.js';
import { FEATURE_NAMES_FILE, parseFeatureNames } from '../lib/feature-names.js';
import { type ItemIds, itemIds } from '../lib/item-ids.js';
import { parseRegistry, REGISTRY_FILE } from '../lib/registry.js';
import { citeItem, type LabelRow } from './cite.js';
import { promptFile, type StampReleaseConfig } from './config.js';
import { baselineItems, type Draw, type Item, type Pair, pairItems } from './items.js';
import { createRenderer, type PromptRenderer, type RenderedRecord } from './render.js';

interface Diagnosis {
  readonly title: string;
  readonly k: number;
  readonly theta: number | null;
  readonly phi: number | null;
  readonly f_k: readonly string[];
}

interface Context {
  readonly ids: ItemIds;
  readonly diagnoses: ReadonlyMap<string, Diagnosis>;
  readonly subjects: ReadonlyMap<number, number>;
  readonly records: ReadonlyMap<number, RenderedRecord>;
  readonly renderer: PromptRenderer;
}

/** The stage's transform. */
export async function runStampRelease(ctx: StageContext, config: StampReleaseConfig): Promise<void> {
  const ids = itemIds(ctx.seed, config.pseudonym_label);
  const renderer = createRenderer(
    ctx.file(promptFile(config.prompt)),
    parseFeatureNames(ctx.file(FEATURE_NAMES_FILE)),
    parseRegistry(ctx.file(REGISTRY_FILE)),
  );
  const items = [
    ...baselineItems(await ctx.sql.rows<Draw>('select * from baseline order by all'), ids),
    ...pairItems(await ctx.sql.rows<Pair>('select * from pairs order by all'), ids),
  ];
  const context: Context = {
    ids,
    renderer,
    diagnoses: await readDiagnoses(ctx),
    subjects: await readSubjects(ctx),
    records: await renderRecords(ctx, renderer, new Set(items.map((i) => i.stay_id))),
  };
  checkItems(ctx, items, context);
  for (const task of TASKS) await writeTask(ctx, task, items, context);
  await citeItems(ctx, items, context);
  countDisplay(ctx, context.records);
}

async function readDiagnoses(ctx: StageContext): Promise<Map<string, Diagnosis>> {
  const rows = await ctx.sql.rows<Diagnosis & { dx_code: string; f_k: string | null }>(`
    select d.dx_code, d.title, t.k, t.theta, t.phi,
      (select string_agg(r.feature_id, ' ' order by r.rank) from ranks r
       where r.dx_code = d.dx_code and r.rank <= t.k) as f_k
    from diagnoses d join thresholds t using (dx_code)
    where d.is_selected order by d.dx_code`);
  return new Map(rows.map((r) => [r.dx_code, { ...r, f_k: r.f_k?.split(' ') ?? [] }]));
}

async function readSubjects(ctx: StageContext): Promise<Map<number, number>> {
  const rows = await ctx.sql.rows<{ stay_id: number; subject_id: number }>(
    'select stay_id, subject_id from cohort order by stay_id',
  );
  return new Map(rows.map((r) => [r.stay_id, r.subject_id]));
}

/** Renders the record of every stay that an item shows, once. */
async function renderRecords(
  ctx: StageContext,
  renderer: PromptRenderer,
  stays: ReadonlySet<number>,
): Promise<Map<number, RenderedRecord>> {
  const used = 'select stay_id from baseline union select stay_i from pairs union select stay_j from pairs';
  const columns = FEATURE_IDS.map((id) => `"${id}"`).join(', ');
  const matrix = await ctx.sql.matrix(
    `select cast(stay_id as double) as stay_id, ${columns} from features where stay_id in (${used}) order by stay_id`,
  );
  const records = new Map<number, RenderedRecord>();
  for (let row = 0; row < matrix.rows; row++) {
    const values = Float64Array.from(FEATURE_IDS, (_, j) => matrix.data[(j + 1) * matrix.rows + row]!);
    records.set(matrix.data[row]!, renderer.record(values));
    ctx.progress(row + 1, stays.size, 'records');
  }
  return records;
}

/** Every item needs its stay in the cohort and features, and a selected diagnosis with a ranking. */
function checkItems(ctx: StageContext, items: readonly Item[], context: Context): void {
  for (const item of items) {
    const lacks = !context.subjects.has(item.stay_id)
      ? `stay ${item.stay_id} in cohort`
      : !context.records.has(item.stay_id)
        ? `stay ${item.stay_id} in features`
        : !isRanked(context.diagnoses.get(item.dx_code))
          ? `${item.dx_code} among the selected diagnoses with thresholds and K ranks`
          : undefined;
    if (lacks === undefined) continue;
    ctx.fail({
      message: `an item of ${item.task} has no ${lacks}`,
      row: item.item_id,
      expected: 'the tables of one build',
      next: 'rebuild from load-mimic on; if it stays, the mining stage is wrong',
    });
  }
}

const isRanked = (d: Diagnosis | undefined): boolean => d !== undefined && d.f_k.length === d.k;

/** Rows that are rendered and handed to DuckDB at a time: prompts are long, and 1,000 of them are about 25 MB. */
const BATCH = 1000;

async function writeTask(
  ctx: StageContext,
  task: Task,
  items: readonly Item[],
  context: Context,
): Promise<void> {
  const own = items.filter((i) => i.task === task);
  const parts: string[] = [];
  for (let from = 0; from === 0 || from < own.length; from += BATCH) {
    const part = `${task}_part_${from}`;
    const rows = own.slice(from, from + BATCH).map((i) => questionRow(i, context));
    await ctx.sql.insert(part, questions[task], rows);
    parts.push(`select * from ${part}`);
  }
  await ctx.sql.run(`create view ${task} as ${parts.join(' union all ')}`);
  await ctx.sql.insert(
    `answers_${task}`,
    answers[task],
    own.map((i) => answerRow(i, context)),
  );
  ctx.count(`items.${task}`, own.length);
}

function questionRow(item: Item, { ids, diagnoses, subjects, records, renderer }: Context): SqlRow {
  const { title } = diagnoses.get(item.dx_code)!;
  return {
    item_id: item.item_id,
    patient_id: ids.patient(subjects.get(item.stay_id)!),
    dx_code: item.dx_code,
    diagnosis: title,
    pair_id: item.pair_id,
    split: item.split,
    prompt: renderer.prompt({ dx_code: item.dx_code, title }, records.get(item.stay_id)!.text),
  };
}

function answerRow(item: Item, { diagnoses }: Context): SqlRow {
  const { theta, phi, f_k } = diagnoses.get(item.dx_code)!;
  const { item_id, label, role, dx_code, stay_id, pair_id, pair_rank, distance, split } = item;
  return {
    item_id,
    label,
    role,
    dx_code,
    stay_id,
    pair_id,
    pair_rank,
    distance,
    theta,
    phi,
    f_k: f_k.join(' '),
    split,
  };
}

async function citeItems(ctx: StageContext, items: readonly Item[], context: Context): Promise<void> {
  const rows = await ctx.sql.rows<LabelRow>(
    'select stay_id, dx_code, hadm_id, seq_num from label_rows order by all',
  );
  const carriers = new Map<string, LabelRow[]>();
  for (const r of rows) {
    const key = `${r.stay_id} ${r.dx_code}`;
    carriers.set(key, [...(carriers.get(key) ?? []), r]);
  }
  for (const item of items) {
    const { f_k } = context.diagnoses.get(item.dx_code)!;
    citeItem(ctx, item, f_k, carriers.get(`${item.stay_id} ${item.dx_code}`) ?? []);
  }
}

function countDisplay(ctx: StageContext, records: ReadonlyMap<number, RenderedRecord>): void {
  let rounded = 0;
  let missing = 0;
  for (const r of records.values()) {
    rounded += r.rounded_n;
    missing += r.missing_n;
  }
  ctx.count('prompt.records', records.size);
  ctx.count('prompt.values_rounded_for_display', rounded);
  ctx.count('prompt.values_not_measured', missing);
}
