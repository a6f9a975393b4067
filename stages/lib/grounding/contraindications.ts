/** When a drug is wrong, and what else it is used for (raw/rxeval/contraindications.csv, other-uses.csv). */
import type { Claim } from '../../../schemas/rxeval.js';
import { type CsvRecord, parseCsv } from '../csv.js';
import { groupBy } from '../group-by.js';
import { type KnownKeys, parseTerms, type Term } from '../rule-terms.js';
import type { Formulary } from './formulary.js';

export const CONTRAINDICATIONS_FILE = 'raw/rxeval/contraindications.csv';
export const OTHER_USES_FILE = 'raw/rxeval/other-uses.csv';

/** A row of contraindications.csv. Only absolute ones prove anything. */
export interface Contraindication {
  readonly rule_id: string;
  /** One danger of several drugs. */
  readonly family: string;
  readonly drug_key: string;
  readonly kind: Claim['kind'];
  /** All must hold. */
  readonly condition: readonly Term[];
  /** Why, in a clause. */
  readonly reason: string;
  /** Drugs that take its place. */
  readonly alternatives: readonly string[];
  readonly strength: 'absolute' | 'relative';
}

/** A use beside those of the indication table: while it may hold, the drug is not out of place. */
export interface OtherUse {
  readonly drug_key: string;
  readonly condition: readonly Term[];
  readonly use: string;
}

export interface WrongTables {
  /** By drug_key. */
  readonly contraindications: ReadonlyMap<string, readonly Contraindication[]>;
  readonly otherUses: ReadonlyMap<string, readonly OtherUse[]>;
}

/** Reads both tables; an unknown drug, strength or term is an error with file, row and field. */
export function readWrongTables(
  file: (path: string) => string,
  formulary: Formulary,
  known: KnownKeys,
): WrongTables {
  const rows = (path: string): CsvRecord[] => parseCsv(file(path), path);
  const contraindications = rows(CONTRAINDICATIONS_FILE).map((r) => contraindicationOf(r, formulary, known));
  const uses = rows(OTHER_USES_FILE).map((r) => useOf(r, formulary, known));
  if (new Set(contraindications.map((c) => c.rule_id)).size !== contraindications.length)
    throw new Error(`${CONTRAINDICATIONS_FILE}: a rule_id stands twice`);
  return {
    contraindications: groupBy(contraindications, (c) => c.drug_key),
    otherUses: groupBy(uses, (u) => u.drug_key),
  };
}

function contraindicationOf(r: CsvRecord, formulary: Formulary, known: KnownKeys): Contraindication {
  const place = { file: CONTRAINDICATIONS_FILE, row: r.rule_id!, field: 'condition' };
  const { strength } = r;
  if (strength !== 'absolute' && strength !== 'relative')
    throw new Error(
      `${place.file}, row ${place.row}, field strength: got "${strength}", expected absolute or relative`,
    );
  const alternatives = (r.alternatives ?? '').split(';').filter(Boolean);
  for (const key of [r.drug_key!, ...alternatives]) formulary.get(key);
  return {
    rule_id: r.rule_id!,
    family: r.family!,
    drug_key: r.drug_key!,
    kind: r.kind as Claim['kind'],
    condition: parseTerms(r.condition!, place, known),
    reason: r.reason!,
    alternatives,
    strength,
  };
}

function useOf(r: CsvRecord, formulary: Formulary, known: KnownKeys): OtherUse {
  const place = { file: OTHER_USES_FILE, row: `${r.drug_key} ${r.condition}`, field: 'condition' };
  formulary.get(r.drug_key!);
  return { drug_key: r.drug_key!, condition: parseTerms(r.condition!, place, known), use: r.use! };
}
