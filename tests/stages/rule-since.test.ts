import { describe, expect, it } from 'vitest';
import { Patient, Use } from '../../schemas/patient.js';
import { Concepts } from '../../stages/lib/rules/concepts.js';
import { evaluate } from '../../stages/lib/rules/evaluate.js';
import { parseCondition } from '../../stages/lib/rules/expression.js';
import type { DrugKnowledge } from '../../stages/lib/rules/knowledge.js';

const PARTS: Record<string, string[]> = { 'sacubitril-valsartan': ['sacubitril', 'valsartan'] };
const drugs: DrugKnowledge = {
  ingredients: (d) => PARTS[d] ?? [d],
  membership: (d) => ((PARTS[d] ?? [d]).includes('sacubitril') ? 'yes' : 'no'),
  isClass: (name) => name === 'neprilysin_inhibitors',
};
const k = { drugs, concepts: new Concepts([]) };
const rule = parseCondition('since < 36 h of class:neprilysin_inhibitors');

const truth = (patient: object, candidate = 'lisinopril'): string =>
  evaluate(
    rule,
    {
      patient: Patient.parse({
        age: { value: 60, unit: 'a' },
        sex: 'male',
        closed: ['medications'],
        ...patient,
      }),
      candidate: Use.parse({ drug: candidate }),
    },
    k,
  ).truth;
const stopped = (value: number, unit: string): object => ({
  stopped: [{ drug: 'sacubitril-valsartan', ago: { value, unit } }],
});

describe('time since the last dose', () => {
  it('is 0 for a drug that is taken, and for the candidate itself', () => {
    expect(truth({ medications: [{ drug: 'sacubitril-valsartan' }] })).toBe('true');
    expect(truth({}, 'sacubitril-valsartan')).toBe('true');
  });

  it.each([
    [12, 'h', 'true'],
    [35, 'h', 'true'],
    [36, 'h', 'false'],
    [1, 'd', 'true'],
    [2, 'd', 'false'],
    [1, 'wk', 'false'],
  ])('%d %s after the last dose: %s', (value, unit, expected) => {
    expect(truth(stopped(value, unit))).toBe(expected);
  });

  it('is unknown while the list of medicines is open, and true all the same when a dose lies inside', () => {
    expect(truth({ closed: [] })).toBe('unknown');
    expect(truth({ closed: [], ...stopped(5, 'd') })).toBe('unknown');
    expect(truth({ closed: [], ...stopped(5, 'h') })).toBe('true');
    expect(truth({})).toBe('false');
  });

  it('does not count another drug', () => {
    expect(truth({ stopped: [{ drug: 'valsartan', ago: { value: 2, unit: 'h' } }] })).toBe('false');
  });
});
