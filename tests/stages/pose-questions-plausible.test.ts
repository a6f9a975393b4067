import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Patient, type Use } from '../../schemas/patient.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { CONCEPTS_FILE, parseConcepts } from '../../stages/lib/rules/concepts.js';
import { parseCondition } from '../../stages/lib/rules/expression.js';
import { kidneysOf, mustBePlausible } from '../../stages/pose-questions/plausible.js';
import { outside, plainUse } from '../../stages/pose-questions/scenario.js';
import { NoScenario } from '../../stages/pose-questions/scenario-types.js';

const patient = (more: object) => Patient.parse({ age: { value: 70, unit: 'a' }, sex: 'male', ...more });
const clearance = (value: number) => ({ measures: { CrCl: { value, unit: 'mL/min' } } });
const check =
  (more: object, use: Use = plainUse('tramadol')) =>
  () =>
    mustBePlausible(patient(more), use);

describe('a patient', () => {
  it('on dialysis has hardly any clearance', () => {
    expect(check({ facts: { dialysis: true }, ...clearance(96) })).toThrow(NoScenario);
    expect(check({ facts: { dialysis: true }, ...clearance(10) })).not.toThrow();
    expect(check({ facts: { dialysis: false }, ...clearance(96) })).not.toThrow();
  });

  it('of seven is not pregnant, one of sixteen may be', () => {
    const girl = (value: number) => ({ age: { value, unit: 'a' }, sex: 'female', facts: { pregnant: true } });
    expect(check(girl(7))).toThrow('too young to be pregnant');
    expect(check(girl(16))).not.toThrow();
  });

  it('of nineteen days has no Cockcroft-Gault clearance', () => {
    expect(check({ age: { value: 19, unit: 'd' }, ...clearance(106) })).toThrow('numbers of adults');
  });

  it('does not take a drug for a long time for three days', () => {
    const use = (days: number) =>
      plainUse('ketorolac', { facets: { pattern: 'chronic' }, duration: { value: days, unit: 'd' } });
    expect(check({}, use(3))).toThrow('long-term use for a few days');
    expect(check({}, use(90))).not.toThrow();
  });
});

describe('kidneys', () => {
  it('with a stage have no numbers that could disagree with it', () => {
    expect(kidneysOf({}, '3b')).toBe('untold');
    expect(kidneysOf({ renal_impairment: true }, '2')).toBe('untold');
  });

  it('that are said to be ill are not normal', () => {
    for (const fact of ['dialysis', 'acute_renal_impairment', 'renal_impairment'])
      expect(kidneysOf({ [fact]: true }, null)![1]).toBeLessThan(60);
    expect(kidneysOf({ renal_impairment: false }, null)).toBeNull();
  });
});

it('a course is of whole days', () => {
  expect(outside({ low: 5, high: null, unit: 'd' }, false)).toBe(3);
});

it('every limit of a distractor reads as a condition on known concepts and gives its reason', () => {
  const concepts = parseConcepts(parseCsv(readFileSync(CONCEPTS_FILE, 'utf8'), CONCEPTS_FILE));
  const file = 'stages/pose-questions/distractor-limits.csv';
  const rows = parseCsv(readFileSync(file, 'utf8'), file);
  expect(rows.length).toBeGreaterThan(15);
  for (const { reads, reason } of rows) {
    expect(reason).not.toBe('');
    const facts = [...JSON.stringify(parseCondition(reads!)).matchAll(/"concept":"(\w+)"/g)].map(
      (m) => m[1]!,
    );
    for (const f of facts) expect(concepts.has(f)).toBe(true);
  }
});
