import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alternatives, canBothHold, implies } from '../../stages/lib/rules/alternatives.js';
import { parseCondition } from '../../stages/lib/rules/expression.js';
import { realConcepts } from './rule-engine.support.js';
import { condition, holds, WORLDS } from './rule-engine.worlds.js';

const concepts = realConcepts();
const both = (a: string, b: string) => canBothHold(parseCondition(a), parseCondition(b), concepts);
const follows = (a: string, b: string) => implies(parseCondition(a), parseCondition(b), concepts);

describe('conditions as alternatives', () => {
  it('hold in a world when one of them does, and fail when one of the failing ones does', () => {
    fc.assert(
      fc.property(condition, fc.constantFrom(...WORLDS), fc.boolean(), (c, w, want) => {
        const ways = alternatives(c, want);
        if (ways === null) return;
        const is = ways.some((way) => way.every((l) => holds(l.predicate, w) === l.want));
        expect(is).toBe(holds(c, w) === want);
      }),
      { numRuns: 2000 },
    );
  });

  it('that cannot both hold do so in no world', () => {
    let apart = 0;
    fc.assert(
      fc.property(condition, condition, (a, b) => {
        if (canBothHold(a, b, concepts)) return;
        apart += 1;
        expect(WORLDS.filter((w) => holds(a, w) && holds(b, w))).toEqual([]);
      }),
      { numRuns: 1500 },
    );
    expect(apart).toBeGreaterThan(30);
  });

  it('that follow from another hold in every world of it', () => {
    let implied = 0;
    fc.assert(
      fc.property(condition, condition, (a, b) => {
        if (!implies(a, b, concepts)) return;
        implied += 1;
        expect(WORLDS.filter((w) => holds(a, w) && !holds(b, w))).toEqual([]);
      }),
      { numRuns: 1500 },
    );
    expect(implied).toBeGreaterThan(30);
  });

  it.each([
    ['CrCl < 30 mL/min', 'CrCl [15..29] mL/min', true],
    ['CrCl < 15 mL/min', 'CrCl [15..29] mL/min', false],
    ['CrCl <= 15 mL/min', 'CrCl [15..29] mL/min', true],
    ['CrCl < 15 mL/min', 'eGFR > 60 mL/min/{1.73_m2}', true],
    ['age < 28 d', 'age >= 2 mo', false],
    ['age < 12 a', 'age >= 65 a', false],
    ['male', 'fact pregnant', false],
    ['male', 'gestation >= 20 wk', false],
    ['not(fact pregnant)', 'gestation >= 20 wk', false],
    ['fact heart_failure_nyha_4', 'fact heart_failure_asymptomatic', false],
    ['fact heart_failure', 'fact heart_failure_asymptomatic', true],
    ['use phase=starting', 'use phase=continuing', false],
    ['use indication=hypertension', 'use indication=heart_failure', false],
    ['use indication=atrial_fibrillation_permanent', 'use indication=atrial_fibrillation_nonvalvular', true],
    ['route oral', 'route topical|inhaled', false],
    ['form immediate_release', 'form extended_release', false],
    ['any(female, CrCl < 10 mL/min)', 'all(male, CrCl > 20 mL/min)', false],
    ['at_least(2; female, age < 3 a, CrCl < 10 mL/min)', 'all(male, age > 10 a)', false],
    ['since < 36 h of aliskiren', 'since >= 48 h of losartan', true],
  ])('%s and %s: %s', (a, b, expected) => {
    expect(both(a, b)).toBe(expected);
    expect(both(b, a)).toBe(expected);
  });

  it.each([
    ['CrCl [15..29] mL/min', 'CrCl < 30 mL/min', true],
    ['CrCl < 30 mL/min', 'CrCl [15..29] mL/min', false],
    ['all(fact heart_failure_nyha_4, female)', 'fact heart_failure', true],
    ['fact heart_failure', 'fact heart_failure_nyha_4', false],
    ['not(fact heart_failure)', 'not(fact heart_failure_nyha_4)', true],
    ['gestation < 14 wk', 'fact pregnant', true],
    ['ckd_stage >= 4', 'ckd_stage >= 3a', true],
    ['age < 3 mo', 'age < 2 a', true],
    ['any(CrCl < 10 mL/min, CrCl > 95 mL/min)', 'any(CrCl < 15 mL/min, CrCl > 90 mL/min)', true],
    ['fact pregnant', 'always', true],
    ['always', 'fact pregnant', false],
  ])('%s implies %s: %s', (a, b, expected) => {
    expect(follows(a, b)).toBe(expected);
  });

  it('are not taken apart past a limit, and then nothing is claimed', () => {
    const part = 'any(female, CrCl < 10 mL/min, age < 3 a)';
    const big = `all(${Array(8).fill(part).join(', ')})`;
    expect(alternatives(parseCondition(big))).toBeNull();
    expect(both(big, 'all(male, CrCl > 20 mL/min, age > 10 a)')).toBe(true);
    expect(follows(big, part)).toBe(false);
  });
});
