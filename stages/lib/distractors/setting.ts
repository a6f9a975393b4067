/** What authors and checks of distractors work with, read from the inputs and files of a stage. */
import { classWords, drugClasses, drugNames } from '../../../schemas/guideline.js';
import { rules } from '../../../schemas/rule.js';
import { chains } from '../../../schemas/rxeval.js';
import { RECORD_TABLES } from '../../../schemas/rxeval-record.js';
import type { StageContext } from '../../contract.js';
import { stateOf } from '../clinical/state.js';
import { CLINICAL_FILES, type ClinicalTables, loadClinical } from '../clinical/tables.js';
import { type CsvRecord, parseCsv } from '../csv.js';
import { GROUP_FILES, readDrugGroups } from '../drug-groups.js';
import type { DistractorCase } from '../grounding/checks-distractor.js';
import { CONTRAINDICATIONS_FILE, OTHER_USES_FILE, readWrongTables } from '../grounding/contraindications.js';
import { chainOf, type TargetChain } from '../grounding/distractor.js';
import { CLASS_WORDS_FILE, GOAL_WORDS_FILE, readFormulary } from '../grounding/formulary.js';
import { type OrderForms, readOrderForms } from '../grounding/order-forms.js';
import { type ProofTables, Prover } from '../grounding/proofs.js';
import { CONCEPT_LINKS_FILE, readLinks } from '../grounding/rule-patient.js';
import { openRuleBook, type RuleBook } from '../grounding/rule-proofs.js';
import { groupBy } from '../group-by.js';
import { readMoments } from '../record/read.js';
import type { KnownKeys } from '../rule-terms.js';
import { CONCEPTS_FILE, parseConcepts } from '../rules/concepts.js';

/** Tables of a stage that makes or judges distractors. */
export const DISTRACTOR_INPUTS = {
  ...RECORD_TABLES,
  chains,
  rules,
  drug_names: drugNames,
  drug_classes: drugClasses,
  class_words: classWords,
} as const;

/** Without rules a proof rests on our tables alone. */
export const OPTIONAL_INPUTS = ['rules', 'drug_names', 'drug_classes', 'class_words'] as const;

/** Files that proofs rest on. */
export const PROOF_FILES: readonly string[] = [
  ...CLINICAL_FILES,
  CONTRAINDICATIONS_FILE,
  OTHER_USES_FILE,
  CLASS_WORDS_FILE,
  GOAL_WORDS_FILE,
  CONCEPT_LINKS_FILE,
  CONCEPTS_FILE,
  ...GROUP_FILES,
];

export interface Setting {
  readonly tables: ProofTables;
  readonly forms: OrderForms;
  /** Chains of correct drugs, by moment. */
  readonly chains: ReadonlyMap<string, readonly TargetChain[]>;
}

/** Reads everything that is the same for all moments. */
export async function openSetting(ctx: StageContext): Promise<Setting> {
  const tables = openProofTables((path) => ctx.file(path), await readRuleBook(ctx));
  const rows = await ctx.sql.rows<Parameters<typeof chainOf>[0] & { timepoint_id: string }>(
    'select timepoint_id, order_id, drug, steps, rule_id from chains order by timepoint_id, order_id',
  );
  const grouped = groupBy(rows, (r) => r.timepoint_id);
  const chainsOf = new Map([...grouped].map(([id, list]) => [id, list.map(chainOf)]));
  return { tables, forms: await readOrderForms(ctx.sql), chains: chainsOf };
}

/** The tables of proofs, with the rules or without. */
export function openProofTables(file: (path: string) => string, book: RuleBook | null): ProofTables {
  const csv = (path: string): CsvRecord[] => parseCsv(file(path), path);
  const clinical = loadClinical(file);
  const formulary = readFormulary(file);
  return {
    clinical,
    indications: groupBy(clinical.indications, (i) => i.drug_key),
    formulary,
    ...readWrongTables(file, formulary, knownKeys(clinical)),
    book,
    links: readLinks(csv(CONCEPT_LINKS_FILE)),
  };
}

/** Keys that terms may use: a misspelt one would never hold and nobody would notice. */
function knownKeys(clinical: ClinicalTables): KnownKeys {
  const tags = (group: string): Set<string> =>
    new Set(clinical.tags.filter((t) => t.group === group).map((t) => t.tag));
  return {
    dx: new Set(clinical.dx.keys()),
    drug: clinical.drugs.keys,
    item: new Set([...clinical.items.keys(), 'age', 'onset']),
    micro: tags('micro'),
    rad: tags('rad'),
    proc: tags('proc'),
    allergy: tags('allergy'),
  };
}

/** The rules that the session holds, with what they need to be understood; null without any. */
export async function readRuleBook(
  ctx: Pick<StageContext, 'file'> & { readonly sql: Pick<StageContext['sql'], 'rows'> },
): Promise<RuleBook | null> {
  const rows = (table: string) => ctx.sql.rows(`select * from ${table} order by all`);
  const found = await rows('rules');
  if (found.length === 0) return null;
  return openRuleBook({
    rules: found,
    drug_names: await rows('drug_names'),
    drug_classes: await rows('drug_classes'),
    class_words: await rows('class_words'),
    concepts: parseConcepts(parseCsv(ctx.file(CONCEPTS_FILE), CONCEPTS_FILE)),
    drug_groups: readDrugGroups((file) => ctx.file(file)),
  });
}

/** Moments with chains, in the order of readMoments. */
export async function* casesOf(ctx: StageContext, setting: Setting): AsyncGenerator<DistractorCase> {
  const where = 'timepoint_id in (select timepoint_id from chains)';
  for await (const moment of readMoments(ctx.sql, { where })) {
    const prover = new Prover(stateOf(moment, setting.tables.clinical), setting.tables);
    const { timepoint_id } = moment.timepoint;
    yield { moment, prover, chains: setting.chains.get(timepoint_id) ?? [], forms: setting.forms };
  }
}
