/** Patients, conditions and knowledge for tests of the rule engine; knowledge is that of the project's own tables. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { type Bounds, type Condition, FACETS, MEASURES, type Unit } from '../../schemas/condition.js';
import { Patient, Use } from '../../schemas/patient.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { drugKnowledge } from '../../stages/lib/drug-classes.js';
import { CONCEPTS_FILE, type Concepts, parseConcepts } from '../../stages/lib/rules/concepts.js';
import { evaluate } from '../../stages/lib/rules/evaluate.js';
import { parseCondition } from '../../stages/lib/rules/expression.js';
import type { Knowledge } from '../../stages/lib/rules/knowledge.js';
import type { Truth } from '../../stages/lib/rules/truth.js';
import { drugClasses, drugIndex } from '../support/guidelines.js';

export const realConcepts = (): Concepts =>
  parseConcepts(parseCsv(readFileSync(CONCEPTS_FILE, 'utf8'), CONCEPTS_FILE));

const index = drugIndex();
/** Concepts and drugs as the project knows them. */
export const knowledge: Knowledge = {
  drugs: drugKnowledge(index, drugClasses(index)),
  concepts: realConcepts(),
};

/** A patient of whom nothing is known but what is given. */
export const patient = (more: object = {}): Patient => Patient.parse({ age: null, sex: null, ...more });
export const years = (value: number, more: object = {}): Patient =>
  patient({ age: { value, unit: 'a' }, ...more });
export const use = (drug = 'acetaminophen', more: object = {}): Use => Use.parse({ drug, ...more });

/** Truth of a condition in the text form. */
export const truth = (text: string, p: Patient = patient(), candidate = use()): Truth =>
  evaluate(parseCondition(text), { patient: p, candidate }, knowledge).truth;

const unitOf: Readonly<Record<(typeof MEASURES)[number], Unit>> = {
  CrCl: 'mL/min',
  eGFR: 'mL/min/{1.73_m2}',
  CrCl_per_area: 'mL/min/{1.73_m2}',
  serum_creatinine: 'mg/dL',
  weight: 'kg',
  birth_weight: 'g',
  QT: 'ms',
  QTc: 'ms',
  bilirubin: 'mg/dL',
  potassium: 'mmol/L',
};

/** Bounds with at least one side, from a small grid so that edges are met often. */
export const anyBounds = (unit: Unit, grid: readonly number[]): fc.Arbitrary<Bounds> =>
  fc
    .record({
      edges: fc.subarray([...grid], { minLength: 1, maxLength: 2 }),
      side: fc.constantFrom('low', 'high'),
      low_inclusive: fc.boolean(),
      high_inclusive: fc.boolean(),
    })
    .map(({ edges, side, low_inclusive, high_inclusive }) => {
      const [a, b] = edges.toSorted((x, y) => x - y);
      const low = b === undefined && side === 'high' ? null : a!;
      const high = b ?? (side === 'high' ? a! : null);
      return {
        low,
        low_inclusive: low !== null && low_inclusive,
        high,
        high_inclusive: high !== null && high_inclusive,
        unit,
      };
    });

export const FACTS = [
  'heart_failure',
  'heart_failure_symptomatic',
  'heart_failure_asymptomatic',
  'heart_failure_nyha_4',
  'pregnant',
  'in_labour',
  'renal_impairment',
  'neonate',
  'hospice_care',
  'penicillin_allergy',
  'other_options_failed',
];
export const DRUGS = ['codeine', 'lorazepam', 'lisinopril', 'chlordiazepoxide-amitriptyline', 'naproxen'];
const ref = fc.constantFrom(
  'class:opioids',
  'class:benzodiazepines',
  'class:nsaids minus naproxen',
  'codeine',
);

const predicate: fc.Arbitrary<Condition> = fc.oneof(
  anyBounds('a', [12, 18, 65, 80]).map((bounds) => ({ type: 'age', kind: 'chronological', bounds }) as const),
  anyBounds('mo', [1, 6, 24]).map((bounds) => ({ type: 'age', kind: 'chronological', bounds }) as const),
  anyBounds('wk', [37, 41]).map((bounds) => ({ type: 'age', kind: 'postmenstrual', bounds }) as const),
  anyBounds('wk', [14, 20, 28, 30]).map((bounds) => ({ type: 'gestation', bounds }) as const),
  fc.constantFrom('female', 'male').map((sex) => ({ type: 'sex', sex }) as const),
  fc
    .constantFrom(...MEASURES)
    .chain((measure) =>
      anyBounds(unitOf[measure], [1.5, 15, 30, 60, 90]).map(
        (bounds) => ({ type: 'measure', measure, bounds }) as const,
      ),
    ),
  fc.constantFrom('1', '3a', '5').map((at_least) => ({ type: 'ckd_stage', at_least }) as const),
  fc.constantFrom(...FACTS).map((concept) => ({ type: 'fact', concept }) as const),
  fc.tuple(ref, fc.integer({ min: 1, max: 2 })).map(([r, n]) => parseCondition(`with ${n} of ${r}`)),
  fc.tuple(ref, fc.integer({ min: 2, max: 3 })).map(([r, n]) => parseCondition(`count >= ${n} of ${r}`)),
  ref.map((r) => parseCondition(`since < 36 h of ${r}`)),
  fc
    .constantFrom('indication=heart_failure', 'indication=heart_failure_nyha_4', 'phase=starting')
    .map((u) => parseCondition(`use ${u}`)),
  anyBounds('mg/d', [2.5, 5, 325]).map((bounds) => ({ type: 'dose', bounds }) as const),
  anyBounds('wk', [8, 12]).map((bounds) => ({ type: 'duration', bounds }) as const),
  fc.constantFrom('route oral|transdermal', 'form extended_release').map(parseCondition),
);

/** Conditions over every kind of predicate, three levels deep. */
export const anyCondition: fc.Arbitrary<Condition> = fc.letrec<{ c: Condition }>((tie) => ({
  c: fc.oneof(
    { depthSize: 'small', maxDepth: 3, withCrossShrink: true },
    predicate,
    fc.array(tie('c'), { minLength: 1, maxLength: 3 }).map((of) => ({ type: 'all' as const, of })),
    fc.array(tie('c'), { minLength: 1, maxLength: 3 }).map((of) => ({ type: 'any' as const, of })),
    fc
      .tuple(fc.array(tie('c'), { minLength: 2, maxLength: 4 }), fc.integer({ min: 1, max: 4 }))
      .map(([of, n]) => ({ type: 'at_least' as const, n: Math.min(n, of.length), of })),
    tie('c').map((of) => ({ type: 'not' as const, of })),
  ),
})).c;

const orNull = <T>(a: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(a, { nil: null });
const quantity = (units: readonly Unit[], values: readonly number[]): fc.Arbitrary<object> =>
  fc.record({ value: fc.constantFrom(...values), unit: fc.constantFrom(...units) });

/** A use of one of `DRUGS`. */
export const anyUse: fc.Arbitrary<Use> = fc
  .record({
    drug: fc.constantFrom(...DRUGS),
    form: orNull(fc.constantFrom('immediate_release', 'extended_release')),
    route: orNull(fc.constantFrom('oral', 'topical')),
    dose: orNull(quantity(['mg/d', 'g/d', 'ug/d'], [0.3, 2.5, 5, 400])),
    duration: orNull(quantity(['d', 'wk', 'mo', 'a'], [1, 3, 8, 12])),
    facets: fc.record(
      {
        indication: fc.constantFrom('heart_failure', 'heart_failure_nyha_4', 'pain'),
        phase: fc.constantFrom('starting', 'continuing'),
      },
      { requiredKeys: [] },
    ),
  })
  .map((u) => Use.parse(u));

/** Facts that do not contradict each other. */
export const anyFacts: fc.Arbitrary<Record<string, boolean>> = fc
  .dictionary(fc.constantFrom(...FACTS), fc.boolean(), { maxKeys: 4 })
  .filter((facts) =>
    Object.keys(facts).every((f) => {
      const { [f]: own, ...rest } = facts;
      const implied = knowledge.concepts.truth(f, rest).truth;
      return implied === 'unknown' || implied === String(own);
    }),
  );

export { FACETS };
