/** Reads the inputs into a world. */
import type { SqlRow, StageContext } from '../contract.js';
import { parseCsv } from '../lib/csv.js';
import { readDrugGroups } from '../lib/drug-groups.js';
import { type OpenBench, openBench } from '../lib/rules/bench.js';
import { CONCEPTS_FILE, parseConcepts } from '../lib/rules/concepts.js';
import { parseCondition } from '../lib/rules/expression.js';
import { NEUTRAL_LIMITS_FILE, parseNeutralLimits } from '../lib/rules/neutral.js';
import { INDICATIONS_FILE, type IndicationRow } from './alternatives.js';
import { sourceName } from './stems.js';
import { type FactWords, type NeutralDrug, World } from './world.js';

/** Sentences of facts. */
export const WORDS_FILE = 'stages/pose-questions/concept-words.csv';

/** What keeps a drug that no stored rule bars from being offered as harmless. */
export const DISTRACTOR_LIMITS_FILE = 'stages/pose-questions/distractor-limits.csv';

export interface Read {
  readonly world: World;
  /** How questions name a source. */
  readonly sourceName: (source_id: string) => string;
  readonly bench: OpenBench;
}

export async function readWorld(ctx: StageContext): Promise<Read> {
  const rows = (table: string): Promise<SqlRow[]> => ctx.sql.rows(`select * from ${table} order by all`);
  const csv = (file: string) => parseCsv(ctx.file(file), file);
  const neutral_drugs = await rows('neutral_drugs');
  const guideline_documents = await rows('guideline_documents');
  const editions = new Map(guideline_documents.map((d) => [String(d.document_id), String(d.edition)]));
  const bench = openBench({
    rules: await rows('rules'),
    guideline_documents,
    drug_names: await rows('drug_names'),
    drug_classes: await rows('drug_classes'),
    class_words: await rows('class_words'),
    neutral_drugs,
    concepts: parseConcepts(csv(CONCEPTS_FILE)),
    neutral_limits: parseNeutralLimits(csv(NEUTRAL_LIMITS_FILE)),
    drug_groups: readDrugGroups((file) => ctx.file(file)),
  });
  const others = csv(INDICATIONS_FILE) as unknown as IndicationRow[];
  const limits = csv(DISTRACTOR_LIMITS_FILE).map((r) => ({
    drug_or_class: r.drug_or_class!,
    condition: parseCondition(r.reads!),
  }));
  const isOf = (drug: string, key: string): boolean =>
    drug === key || (bench.classes.has(key) && bench.classes.verdict(drug, key).membership === 'yes');
  const world = new World({
    bench,
    neutral: neutral_drugs as unknown as NeutralDrug[],
    indications: (drug) => others.filter((o) => isOf(drug, o.drug_or_class)).map((o) => o.indication),
    limits: (drug) => limits.filter((l) => isOf(drug, l.drug_or_class)).map((l) => l.condition),
    words: new Map(csv(WORDS_FILE).map((r) => [r.concept!, r as unknown as FactWords])),
  });
  return { world, bench, sourceName: (source_id) => sourceName(source_id, editions) };
}
