/** Names that a correction may use: drugs, classes, concepts and uses of the project's tables. */
import { join } from 'node:path';
import { type Rule, Span } from '../../../schemas/rule.js';
import type { Sources } from '../../../stages/check-rules/checks/check.js';
import { checkNames } from '../../../stages/check-rules/checks/names.js';
import type { Problem } from '../../../stages/contract.js';
import { parseCsv } from '../../../stages/lib/csv.js';
import { type ClassMember, type ClassWord, DrugClasses } from '../../../stages/lib/drug-classes.js';
import { DrugIndex, type DrugName } from '../../../stages/lib/drugs.js';
import type { RuleLine } from '../../../stages/lib/reviews/lines.js';
import type { OpenRule } from '../../../stages/lib/reviews/rules.js';
import { CONCEPTS_FILE, parseConcepts } from '../../../stages/lib/rules/concepts.js';
import { type BodyFieldName, withField } from '../../../stages/lib/rules/fields.js';
import { PROJECT_ROOT, readFileSync } from '../../engine/adapters/files.js';

/** What names are looked up in. */
export type Names = Pick<Sources, 'drugs' | 'classes' | 'concepts' | 'uses'>;

const USES_FILE = 'stages/lib/rules/uses.csv';

/** The tables of the project; a build has compared the guideline tables with raw/lock.json before. */
export function projectNames(): Names {
  const table = (file: string) => parseCsv(readFileSync(join(PROJECT_ROOT, file), 'utf8'), file);
  const guideline = <T>(name: string): T[] =>
    table(`raw/guidelines/${name}.csv`).map((row) =>
      Object.fromEntries(Object.entries(row).map(([k, v]) => [k, v === '' ? null : v])),
    ) as T[];
  const drugs = new DrugIndex(guideline<DrugName>('drug-names'));
  const members = guideline<ClassMember>('classes');
  return {
    drugs,
    classes: new DrugClasses(drugs, members, guideline<ClassWord>('class-words')),
    concepts: parseConcepts(table(CONCEPTS_FILE)),
    uses: new Set(table(USES_FILE).map((u) => `${u.facet} ${u.value}`)),
  };
}

/** Names in a correction that no table holds: such a condition would never be true, and nobody would notice. */
export function nameProblems({ decision: d, place }: RuleLine, rule: OpenRule, names: Names): Problem[] {
  if (d.correction === undefined) return [];
  const field = d.field as BodyFieldName;
  const corrected: Rule = {
    ...withField(rule.body, field, d.correction),
    rule_id: rule.rule_id,
    source_id: rule.source_id,
    row_id: rule.row_id,
    label: rule.label,
    status: 'checked',
    is_usable: false,
    spans: Span.array().parse([]),
  };
  return checkNames(corrected, names as Sources)
    .filter((f) => f.field === field || f.field.startsWith(`${field}/`))
    .map((f) => ({
      message: `a correction names what no table holds (${f.check_name.replace('_', ' ')})`,
      file: place.file,
      row: place.line,
      field: 'correction',
      got: f.got,
      expected: f.expected,
    }));
}
