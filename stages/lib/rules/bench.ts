/** From the tables of rules and drugs to what judgements rest on. */
import type { Condition, DrugRef } from '../../../schemas/condition.js';
import type { Population } from '../../../schemas/lock.js';
import { type Rule, RuleBody, Span } from '../../../schemas/rule.js';
import { type ClassMember, type ClassWord, DrugClasses, drugKnowledge } from '../drug-classes.js';
import type { DrugGroups } from '../drug-groups.js';
import { DrugIndex, type DrugName } from '../drugs.js';
import type { Concepts } from './concepts.js';
import type { SourceCoverage } from './coverage.js';
import type { Bench } from './judge.js';
import { type NeutralDrug, NeutralDrugs } from './neutral.js';
import { isNamed } from './target.js';

/** A row of a table as DuckDB gives it. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

export interface BenchTables {
  readonly rules: readonly Row[];
  readonly guideline_documents: readonly Row[];
  readonly drug_names: readonly Row[];
  readonly drug_classes: readonly Row[];
  readonly class_words: readonly Row[];
  readonly neutral_drugs: readonly Row[];
  readonly concepts: Concepts;
  readonly neutral_limits: ReadonlyMap<string, Condition>;
  readonly drug_groups: DrugGroups;
}

export interface OpenBench extends Bench {
  readonly index: DrugIndex;
  readonly classes: DrugClasses;
}

/** Opens the bench; rejected and superseded rules take no part. */
export function openBench(t: BenchTables): OpenBench {
  const index = new DrugIndex(t.drug_names as unknown as DrugName[]);
  const classes = new DrugClasses(
    index,
    t.drug_classes as unknown as ClassMember[],
    t.class_words as unknown as ClassWord[],
    t.drug_groups,
  );
  const rules = t.rules.map(readRule).filter((r) => r.status !== 'superseded' && r.status !== 'rejected');
  const knowledge = { drugs: drugKnowledge(index, classes), concepts: t.concepts };
  const neutral = new NeutralDrugs(
    t.neutral_drugs as unknown as NeutralDrug[],
    t.neutral_limits,
    index2(index),
  );
  const named = namedBySource(rules);
  return {
    book: { rules, sources: coverageOf(t.guideline_documents, rules), neutral, knowledge },
    rules: new Map(rules.map((r) => [r.rule_id, r])),
    listed: (ref, source_id) => listDrugs(ref, named.get(source_id) ?? new Set(), classes, knowledge.drugs),
    index,
    classes,
  };
}

const index2 = (index: DrugIndex) => ({ ingredients: (drug: string) => index.get(drug).parts });

/** A rule from its row. */
export function readRule(row: Row): Rule {
  return {
    ...RuleBody.parse(JSON.parse(String(row.body))),
    rule_id: String(row.rule_id),
    source_id: String(row.source_id),
    row_id: String(row.row_id),
    label: String(row.label),
    status: row.status as Rule['status'],
    is_usable: Boolean(row.is_usable),
    spans: Span.array().parse(JSON.parse(String(row.spans))),
  };
}

/** Sources that have rules, with how much of them the tables hold. */
function coverageOf(documents: readonly Row[], rules: readonly Rule[]): SourceCoverage[] {
  const used = new Set(rules.map((r) => r.source_id));
  return documents
    .filter((d) => used.has(String(d.document_id)))
    .map((d) => ({
      source_id: String(d.document_id),
      extent: d.coverage as SourceCoverage['extent'],
      populations: (d.populations === null ? [] : String(d.populations).split(';')) as Population[],
    }));
}

/** Single drugs that each source names in some target. */
function namedBySource(rules: readonly Rule[]): ReadonlyMap<string, ReadonlySet<string>> {
  const out = new Map<string, Set<string>>();
  for (const r of rules) {
    const set = out.get(r.source_id) ?? new Set<string>();
    for (const ref of r.target) if (ref.kind !== 'class') set.add(ref.name);
    out.set(r.source_id, set);
  }
  return out;
}

function listDrugs(
  ref: DrugRef,
  own: ReadonlySet<string>,
  classes: DrugClasses,
  drugs: Bench['book']['knowledge']['drugs'],
): readonly string[] {
  if (ref.kind !== 'class') return [ref.name];
  const members = classes
    .get(ref.name)
    .members.filter((m) => m.qualifier === null && (m.is_listed || own.has(m.ingredient)));
  const names = [...new Set(members.map((m) => m.ingredient))];
  return names.filter((d) => isNamed(d, ref, drugs) === 'true').sort();
}
