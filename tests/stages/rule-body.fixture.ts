/** A small valid rule body for tests; clinically plausible, bound to no row. */
import { RuleBody } from '../../schemas/rule.js';
import { parseCondition, parseRef } from '../../stages/lib/rules/expression.js';

/** Nitrofurantoin under a clearance of 30 mL/min, with an exception and a rating; `more` replaces parts. */
export function body(more: Partial<RuleBody> = {}): RuleBody {
  return RuleBody.parse({
    target: [parseRef('nitrofurantoin')],
    population: parseCondition('age >= 65 a'),
    when: parseCondition('CrCl < 30 mL/min'),
    unless: [{ when: parseCondition('fact short_course'), text: 'short course' }],
    action: {
      kind: 'avoid with exception',
      polarity: 'restrict',
      object: 'drug',
      act: null,
      dose_text: null,
      monitoring: null,
      alternative: null,
    },
    ratings: [{ scope: 'all', quality: 'Low', strength: 'Strong' }],
    patient_information_type: 'renal or dose threshold',
    special_population: 'older adults',
    operations: ['activation', 'deactivation'],
    ...more,
  });
}
