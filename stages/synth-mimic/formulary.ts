/** The tables of raw/mimic/synthetic about drugs: what can be ordered, when, when not, and allergies. */
import { type CsvRecord, parseCsv } from '../lib/csv.js';

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
  readonly row: CsvRecord;
}

export type Role = 'REASONED_NEW' | 'CONTINUATION' | 'ROUTINE';

/** A row of drug_indications.csv. */
export interface Indication {
  readonly id: string;
  readonly drugKey: string;
  readonly role: Role;
  readonly trigger: string;
  readonly condition: string;
}

export interface Formulary {
  readonly drugs: ReadonlyMap<string, Drug>;
  readonly indications: readonly Indication[];
  readonly allergies: readonly Allergy[];
}

/** Reads the tables; `file` returns the text of a declared file. */
export function readFormulary(file: (path: string) => string): Formulary {
  const table = (name: string): CsvRecord[] => parseCsv(file(`${FOLDER}/${name}.csv`), `${name}.csv`);
  return {
    drugs: new Map(table('drugs').map((r) => [r.drug_key!, toDrug(r)])),
    indications: table('drug_indications').map((r) => ({
      id: r.rule_id!,
      drugKey: r.drug_key!,
      role: r.role as Role,
      trigger: r.trigger!,
      condition: r.condition!,
    })),
    allergies: table('allergies').map((r) => ({
      key: r.allergy_key!,
      noteString: r.note_string!,
      weight: Number(r.prob),
      tag: r.rule_tag || null,
    })),
  };
}

function toDrug(row: CsvRecord): Drug {
  return {
    key: row.drug_key!,
    name: row.drug!,
    group: row.class!,
    homeProb: Number(row.home_prob),
    aliases: row.aliases!.split(';').filter((x) => x !== ''),
    row,
  };
}
