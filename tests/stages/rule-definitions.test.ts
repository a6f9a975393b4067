import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { definitionSpans } from '../../stages/draft-rules/definition-spans.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { DEFINITIONS_FILE, parseDefinitions } from '../../stages/lib/rules/definitions.js';
import { parseCondition } from '../../stages/lib/rules/expression.js';

const definitions = parseDefinitions(parseCsv(readFileSync(DEFINITIONS_FILE, 'utf8'), DEFINITIONS_FILE));
const names = (text: string): string[] => definitions.usedBy(parseCondition(text)).map((d) => d.name);

describe('definitions', () => {
  it.each([
    ['gestation < 14 wk', ['trimester_1']],
    ['all(female, age >= 18 a)', ['adult']],
    ['any(age <= 28 d, not(gestation >= 20 wk))', ['neonate', 'half_2']],
    ['gestation >= 28 wk', ['trimester_3']],
    ['all(age >= 18 a, any(age >= 18 a, female))', ['adult']],
    ['age > 18 a', []],
    ['fact pregnant', []],
  ])('%s uses %j', (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it('every row has words and a source', () => {
    for (const row of parseCsv(readFileSync(DEFINITIONS_FILE, 'utf8'), DEFINITIONS_FILE))
      expect([row.name, row.words !== '' && row.source !== '']).toEqual([row.name, true]);
  });

  it('refuses a name that stands twice', () => {
    const row = { name: 'a', reads: 'female', words: 'w', source: 's' };
    expect(() => parseDefinitions([row, row])).toThrow('twice');
  });
});

describe('definition spans', () => {
  const spans = (text: string, quote: string): string[] =>
    definitionSpans('/when', parseCondition(text), quote, definitions).map((s) => s.ref);

  it('stand behind a number that the quote does not print', () => {
    expect(spans('gestation < 14 wk', 'First-trimester exposure')).toEqual(['definition:trimester_1']);
    expect(spans('ckd_stage >= 3a', 'CKD stage 3a or higher')).toEqual(['definition:ckd_3a']);
  });

  it('are not needed where the quote prints it', () => {
    expect(spans('age < 18 a', 'age < 18 years')).toEqual([]);
    expect(spans('age < 18 a', 'age < 180 months')).toEqual(['definition:child']);
  });
});
