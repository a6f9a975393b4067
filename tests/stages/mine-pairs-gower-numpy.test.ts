/** Thresholds and pairs of the gower distance against the numpy oracle, to the bit. */
import { describe, expect, it } from 'vitest';
import { mineDiagnosis } from '../../stages/lib/mining.js';
import { pairCase, toAnswer, UNIT_KINDS } from './pair-cases.js';
import { ORACLE_SOURCE } from './python-oracle.js';

describe(`gower pairs and numpy (${ORACLE_SOURCE})`, () => {
  it.each(Object.entries(UNIT_KINDS))('are equal to the last bit: %s', (name, kind) => {
    const { task, answer } = pairCase(name, kind, 'gower', 'pairs-gower-numpy');
    expect(toAnswer(mineDiagnosis(task))).toEqual(answer);
  });
});
