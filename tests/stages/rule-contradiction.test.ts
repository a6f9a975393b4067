import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Patient } from '../../schemas/patient.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { CONCEPTS_FILE, parseConcepts } from '../../stages/lib/rules/concepts.js';
import { contradiction } from '../../stages/lib/rules/contradiction.js';

const concepts = parseConcepts(parseCsv(readFileSync(CONCEPTS_FILE, 'utf8'), CONCEPTS_FILE));
const patient = (more: object): Patient =>
  Patient.parse({ age: { value: 30, unit: 'a' }, sex: 'female', ...more });

const cases: [string, object, RegExp | null][] = [
  [
    'a birth in days without a pregnancy',
    { facts: { pregnant: false, birth_expected_in_days: true } },
    /pregnan|birth/,
  ],
  [
    'the same facts in the other order',
    { facts: { birth_expected_in_days: true, pregnant: false } },
    /pregnan|birth/,
  ],
  ['a pregnant man', { sex: 'male', facts: { pregnant: true } }, /pregnant is true/],
  [
    'a pregnant woman of 79',
    { age: { value: 79, unit: 'a' }, facts: { pregnant: true } },
    /pregnant is true/,
  ],
  ['weeks without a pregnancy', { gestation_weeks: 20, facts: { pregnant: false } }, /weeks/],
  ['hospice care on a ward', { setting: 'ward', facts: { hospice_care: true } }, /hospice_care/],
  [
    'a sound pregnancy',
    { gestation_weeks: 39, facts: { pregnant: true, birth_expected_in_days: true } },
    null,
  ],
  ['a man who is said not to be pregnant', { sex: 'male', facts: { pregnant: false } }, null],
  ['nothing stated', {}, null],
];

test.each(cases)('%s', (_, more, words) => {
  const found = contradiction(patient(more), concepts);
  if (words === null) expect(found).toBeNull();
  else expect(found).toMatch(words);
});
