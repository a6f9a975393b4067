/** Guideline tables as their sources print them: one table per source shape, cells as text, every row with its place. */
import { z } from 'zod';
import { col, table } from './table.js';

const oneOf = <const T extends readonly [string, ...string[]]>(...words: T) =>
  z.enum(words).meta({ sql: 'VARCHAR' });
const pattern = (form: RegExp) => z.string().regex(form).meta({ sql: 'VARCHAR' });
/** A cell as printed; an empty one is null and means not printed or not known, never "none". */
const cell = () => col.text().nullable();
/** A cell that must be filled. */
const filled = () => col.text();

/** Where a row stands: file, its hash, 1-based data record, 1-based physical line. */
const place = {
  source_file: filled(),
  source_sha256: pattern(/^[0-9a-f]{64}$/),
  source_row: col.int(),
  source_line: col.int(),
};

const confidence = () => oneOf('high', 'medium', 'low', 'recall');
const year = () => pattern(/^\d{4}$/);

/** What every row of a rule source has besides its own columns. */
const ruleRow = {
  confidence_lowest: confidence(),
  use: oneOf('ok', 'hold'),
  document_id: filled(),
  is_current: col.bool(),
  /** True for rows that may make questions: current edition, use ok, confidence not low or recalled. */
  is_usable: col.bool(),
  ...place,
};

const checks = {
  confidence: confidence(),
  independent_sources: pattern(/^\d+$/),
  checked_against: cell(),
  transcriber_note: cell(),
};

export const beersRows = table({
  name: 'beers_rows',
  doc: 'one criterion of the AGS Beers Criteria, as transcribed',
  key: ['row_id'],
  row: {
    row_id: pattern(/^B\d\d-T\d-\d{3}$/),
    source_document: filled(),
    edition_year: year(),
    source_table: pattern(/^Table \d+$/),
    organ_system_or_condition: filled(),
    therapeutic_category: cell(),
    drug_or_class_label: filled(),
    member_drugs: filled(),
    interacting_drug_or_class: cell(),
    population: filled(),
    criterion_text: filled(),
    exceptions_text: cell(),
    recommendation: filled(),
    recommendation_detail: filled(),
    threshold_variable: cell(),
    threshold_op: oneOf('<', '<=', '>', '>=', 'between', 'decreased').nullable(),
    threshold_value: cell(),
    threshold_unit: cell(),
    formulation_scope: cell(),
    use_pattern: cell(),
    quality_of_evidence: cell(),
    strength: oneOf('Strong', 'Weak'),
    ...checks,
    ...ruleRow,
  },
});

export const kidsRows = table({
  name: 'kids_rows',
  doc: 'one recommendation of the KIDs List for one age band, as transcribed',
  key: ['row_id'],
  row: {
    row_id: pattern(/^K\d\d-\d{3}$/),
    source_document: filled(),
    edition_year: year(),
    source_table: filled(),
    drug_or_class_label: filled(),
    member_drugs: filled(),
    age_limit_text: filled(),
    age_op: oneOf('<', '<=', '>', '>=', 'between'),
    age_value: pattern(/^\d+(\.\d+)?(-\d+(\.\d+)?)?$/),
    age_unit: oneOf('days', 'weeks', 'months', 'years', 'g birth weight'),
    additional_condition: cell(),
    risk: filled(),
    recommendation: filled(),
    recommendation_detail: filled(),
    exceptions_text: cell(),
    strength: oneOf('Strong', 'Weak').nullable(),
    quality_of_evidence: cell(),
    ...checks,
    ...ruleRow,
  },
});

export const tgaRows = table({
  name: 'tga_rows',
  doc: 'one medicine of the TGA pregnancy database, as transcribed',
  key: ['row_id'],
  row: {
    row_id: pattern(/^TGA-\d{3}$/),
    source_document: filled(),
    edition_or_snapshot: filled(),
    source_section: filled(),
    medicine_as_listed: filled(),
    australian_category: oneOf('A', 'B1', 'B2', 'B3', 'C', 'D', 'X'),
    classification_1: filled(),
    classification_2: cell(),
    classification_3: cell(),
    listing_qualifier: cell(),
    timing_scope: filled(),
    statement_own_words: filled(),
    recommendation: filled(),
    recommendation_detail: filled(),
    statement_basis: filled(),
    confidence_category: confidence(),
    confidence_statement: confidence(),
    independent_sources: pattern(/^\d+$/),
    checked_against: cell(),
    transcriber_note: cell(),
    ...ruleRow,
  },
});

export const labelRows = table({
  name: 'label_rows',
  doc: 'one statement of a US label or FDA safety communication, as transcribed',
  key: ['row_id'],
  row: {
    row_id: pattern(/^FDA-\d{3}$/),
    source_document: filled(),
    label_section: filled(),
    drug_label: filled(),
    member_drugs: filled(),
    population: filled(),
    indication_context: cell(),
    condition_text: filled(),
    threshold_expression: cell(),
    combine: pattern(/^(all|any|any of \d|at least \d of \d)$/).nullable(),
    exceptions_text: cell(),
    recommendation: filled(),
    recommendation_detail: filled(),
    boxed_warning: oneOf('yes', 'no'),
    label_basis: filled(),
    ...checks,
    ...ruleRow,
  },
});

export const beersClassRows = table({
  name: 'beers_class_rows',
  doc: 'members of a class word of the Beers Criteria, as its tables list them',
  key: ['class_label', 'source_table', 'sub_group'],
  row: {
    class_label: filled(),
    source_table: filled(),
    sub_group: cell(),
    member_drugs: filled(),
    confidence: confidence(),
    checked_against: cell(),
    ...place,
  },
});

export const drugClasses = table({
  name: 'drug_classes',
  doc: 'one member of one class; `complete` classes hold US-marketed systemic members as far as known',
  key: ['class_key', 'member'],
  row: {
    class_key: pattern(/^[a-z0-9_]+$/),
    class_name: filled(),
    member: filled(),
    member_rxnorm_style_name: filled(),
    basis: pattern(/^(pharmacology|as listed in .+)$/),
    coverage: oneOf('complete', 'partial'),
    note: cell(),
    ...place,
  },
});

export const classWords = table({
  name: 'class_words',
  doc: 'one class word as a rule row writes it, with its class keys split by ";"',
  key: ['word'],
  row: {
    word: filled(),
    kind: oneOf('class', 'heading only'),
    class_key: pattern(/^[a-z0-9_]+(;[a-z0-9_]+)*$/).nullable(),
    used_in: filled(),
    note: cell(),
    ...place,
  },
});

export const drugNames = table({
  name: 'drug_names',
  doc: 'one name with the US ingredient or combination it stands for',
  key: ['ingredient', 'synonym', 'kind'],
  row: {
    ingredient: filled(),
    synonym: filled(),
    kind: oneOf('INN', 'USAN', 'BAN', 'AAN', 'salt', 'brand-combination', 'spelling', 'abbreviation'),
    atc_code: pattern(/^[A-Z]\d\d[A-Z]{2}\d\d$/).nullable(),
    combination_of: cell(),
    ...place,
  },
});

export const neutralDrugs = table({
  name: 'neutral_drugs',
  doc: 'one candidate distractor of one population, checked against the rule tables, not proved',
  key: ['population', 'ingredient'],
  row: {
    population: oneOf('older_adult', 'pregnant', 'child', 'adult_renal_impairment'),
    ingredient: filled(),
    typical_use: filled(),
    reason_neutral: filled(),
    limits: cell(),
    status: oneOf('yes'),
    ...place,
  },
});

export const classification = table({
  name: 'classification',
  doc: 'expected labels of one rule row; an answer for tests, never an input of rules',
  key: ['row_id'],
  row: {
    file: filled(),
    row_id: filled(),
    label: filled(),
    patient_information_type: filled(),
    action_kind: filled(),
    special_population: filled(),
    operations: filled(),
    ...place,
  },
});

export const guidelineDocuments = table({
  name: 'guideline_documents',
  doc: 'one source file with its edition and how much of the document it holds',
  key: ['document_id'],
  row: {
    document_id: filled(),
    source_file: filled(),
    source_sha256: pattern(/^[0-9a-f]{64}$/),
    edition: filled(),
    edition_year: year().nullable(),
    is_current: col.bool(),
    superseded_by: cell(),
    coverage: oneOf('complete', 'partial'),
    covers: filled(),
    /** Populations of schemas/lock.ts, split by ";"; empty for vocabularies. */
    populations: cell(),
    licence: filled(),
    access_class: oneOf('open', 'restricted', 'credentialed'),
    rows_n: col.int(),
  },
});

export const drugMentions = table({
  name: 'drug_mentions',
  doc: 'one drug, class word or open end that a rule row names, with what it stands for',
  key: ['row_id', 'source_column', 'text'],
  row: {
    document_id: filled(),
    row_id: filled(),
    source_column: filled(),
    /** The words of the cell. */
    text: filled(),
    kind: oneOf('drug', 'class', 'open'),
    /** True for what `minus:` takes out of the classes of the row. */
    is_minus: col.bool(),
    ingredient: cell(),
    /** Single ingredients joined by ` + `. */
    parts: cell(),
    qualifier: cell(),
    atc_code: cell(),
    /** Class keys split by ";". */
    class_keys: cell(),
  },
});
