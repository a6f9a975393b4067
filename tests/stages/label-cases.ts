/** Patients and candidates for tests of label rules. */
import { Patient, Use } from '../../schemas/patient.js';
import type { LabelRow } from '../../stages/draft-rules/parser/label-row.js';
import { parseLabel } from '../../stages/draft-rules/parser/labels.js';
import { applyRule } from '../../stages/lib/rules/apply.js';
import { knowledge, lexicon, rulesOf, sourceRows } from '../support/draft-rules.js';

const rows = sourceRows('fda-labels');
const rules = rows.flatMap((row) => rulesOf(row, parseLabel(row as unknown as LabelRow, lexicon)));

export type Given = Record<string, unknown>;
interface Candidate {
  readonly drug: string;
  readonly [key: string]: unknown;
}

/** A man of 70 with nothing else, unless said otherwise. */
export const person = (more: Given = {}): Patient =>
  Patient.parse({
    age: { value: 70, unit: 'a' },
    sex: 'male',
    closed: ['conditions', 'medications', 'allergies'],
    ...more,
  });
export const woman = (age: number, more: Given = {}): Patient =>
  person({ age: { value: age, unit: 'a' }, sex: 'female', ...more });
/** Truth of one rule for a candidate. */
export const verdict = (id: string, candidate: Candidate, patient: Patient): string =>
  applyRule(rules.find((r) => r.rule_id === id)!, { patient, candidate: Use.parse(candidate) }, knowledge)
    .truth;
/** Ids of the rules that are active for a candidate, in the order of the table. */
export const active = (candidate: Candidate, patient: Patient): string[] =>
  rules
    .filter((r) => applyRule(r, { patient, candidate: Use.parse(candidate) }, knowledge).truth === 'true')
    .map((r) => r.rule_id);

export const measure = (name: string, value: number, unit: string): Given => ({
  measures: { [name]: { value, unit } },
});
export const crcl = (value: number): Given => measure('CrCl', value, 'mL/min');
export const egfr = (value: number): Given => measure('eGFR', value, 'mL/min/{1.73_m2}');
export const AF = { indication: 'atrial_fibrillation_nonvalvular' };
