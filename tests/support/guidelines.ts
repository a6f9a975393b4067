/** The guideline tables of the project, read without a stage, for tests of pure helpers. */
import { readFileSync } from 'node:fs';
import { type ClassMember, type ClassWord, DrugClasses } from '../../stages/lib/drug-classes.js';
import { type DrugGroups, readDrugGroups } from '../../stages/lib/drug-groups.js';
import { DrugIndex, type DrugName } from '../../stages/lib/drugs.js';
import { parseStrictCsv } from '../../stages/lib/strict-csv.js';

export type Cells = Readonly<Record<string, string | null>>;

/** Rows of raw/guidelines/<name>.csv with empty cells as null. */
export function guidelineRows(name: string): Cells[] {
  const text = readFileSync(`raw/guidelines/${name}.csv`, 'utf8');
  const columns = text.slice(0, text.indexOf('\r\n')).split(',');
  const records = parseStrictCsv(text, `${name}.csv`, { columns, newline: 'crlf' });
  return records.map((r) =>
    Object.fromEntries(Object.entries(r.values).map(([k, v]) => [k, v === '' ? null : v])),
  );
}

/** The drug index of drug-names.csv. */
export const drugIndex = (): DrugIndex => new DrugIndex(guidelineRows('drug-names') as unknown as DrugName[]);

/** The ATC groups of drugs and open classes. */
export const drugGroups = (): DrugGroups => readDrugGroups((file) => readFileSync(file, 'utf8'));

/** The classes of classes.csv with the words of class-words.csv and the ATC groups; null leaves the groups out. */
export function drugClasses(drugs = drugIndex(), groups: DrugGroups | null = drugGroups()): DrugClasses {
  const members = guidelineRows('classes') as unknown as ClassMember[];
  return new DrugClasses(drugs, members, guidelineRows('class-words') as unknown as ClassWord[], groups);
}
