/** The tables of raw/mimic/synthetic about drugs: what can be ordered, when, when not, and allergies. */
import { type CsvRecord, parseCsv } from '../lib/csv.js';
import { parseTerms, type Term } from '../lib/rule-terms.js';
import { HOUR } from './time.js';

const FOLDER = 'raw/mimic/synthetic';

/** Files about drugs. */
export const FORMULARY_FILES = ['drugs', 'drug_indications', 'contraindications', 'allergies'].map(
  (name) => `${FOLDER}/${name}.csv`,
);

/** A row of allergies.csv. */
export interface Allergy {
  readonly key: string;
  readonly noteString: string;
  readonly weight: number;
  readonly tag: string | null;
}

/** A drug as prescriptions writes it (drugs.csv). */
export interface Drug {
  readonly key: string;
  readonly name: string;
  readonly group: string;
  readonly homeProb: number;
  readonly aliases: readonly string[];
  readonly frequency: string;
  readonly procType: string;
  readonly row: CsvRecord;
}

export type Role = 'REASONED_NEW' | 'CONTINUATION' | 'ROUTINE';
export type Phase = 'any' | 'early' | 'middle' | 'late';

/** A row of drug_indications.csv; lags in seconds. */
export interface Indication {
  readonly id: string;
  readonly drugKey: string;
  readonly role: Role;
  readonly trigger: Term;
  readonly conditions: readonly Term[];
  readonly phase: Phase;
  readonly lagMin: number;
  readonly lagMax: number;
  readonly prob: number;
  readonly companion: string | null;
}

/** A row of contraindications.csv. */
export interface Contraindication {
  readonly id: string;
  readonly isAbsolute: boolean;
  readonly conditions: readonly Term[];
}

export interface Formulary {
  readonly drugs: ReadonlyMap<string, Drug>;
  readonly indications: readonly Indication[];
  /** By drug key. */
  readonly contraindications: ReadonlyMap<string, readonly Contraindication[]>;
  readonly allergies: readonly Allergy[];
}

/** Reads the tables; `file` returns the text of a declared file. */
export function readFormulary(file: (path: string) => string): Formulary {
  const table = (name: string): CsvRecord[] => parseCsv(file(`${FOLDER}/${name}.csv`), `${name}.csv`);
  const contraindications = new Map<string, Contraindication[]>();
  for (const r of table('contraindications')) {
    const list = contraindications.get(r.drug_key!) ?? [];
    contraindications.set(r.drug_key!, list);
    list.push({
      id: r.rule_id!,
      isAbsolute: r.strength === 'absolute',
      conditions: termsOf(r, 'contraindications.csv', 'condition'),
    });
  }
  return {
    drugs: new Map(table('drugs').map((r) => [r.drug_key!, toDrug(r)])),
    indications: table('drug_indications').map(toIndication),
    contraindications,
    allergies: table('allergies').map((r) => ({
      key: r.allergy_key!,
      noteString: r.note_string!,
      weight: Number(r.prob),
      tag: r.rule_tag || null,
    })),
  };
}

const termsOf = (r: CsvRecord, file: string, field: string): Term[] =>
  parseTerms(r[field]!, { file, row: r.rule_id!, field });

function toDrug(row: CsvRecord): Drug {
  return {
    key: row.drug_key!,
    name: row.drug!,
    group: row.class!,
    homeProb: Number(row.home_prob),
    aliases: row.aliases!.split(';').filter((x) => x !== ''),
    frequency: row.frequency!,
    procType: row.proc_type!,
    row,
  };
}

function toIndication(r: CsvRecord): Indication {
  return {
    id: r.rule_id!,
    drugKey: r.drug_key!,
    role: r.role as Role,
    trigger: termsOf(r, 'drug_indications.csv', 'trigger')[0]!,
    conditions: termsOf(r, 'drug_indications.csv', 'condition'),
    phase: r.phase as Phase,
    lagMin: Math.max(0, Number(r.lag_min_h)) * HOUR,
    lagMax: Math.max(0, Number(r.lag_max_h)) * HOUR,
    prob: Number(r.prob),
    companion: r.companion || null,
  };
}
