/** The project's own tables for the reader of vignettes, random patients, and a writer with one call. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { FACETS, MEASURES, Unit } from '../../schemas/condition.js';
import { CKD_STAGES } from '../../schemas/condition.js';
import { DECISION_TYPES } from '../../schemas/medpic.js';
import { CLOSED, Patient, SETTINGS, Use } from '../../schemas/patient.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { randomStream } from '../../stages/lib/random.js';
import type { ReadKnowledge, WordsOfFact } from '../../stages/lib/read-vignette/read.js';
import { WORDS_FILE } from '../../stages/pose-questions/read.js';
import { PROFILES } from '../../stages/pose-questions/scenario-types.js';
import { renderVignette, type Told, type Vignette } from '../../stages/pose-questions/vignette.js';
import { guidelineRows } from '../support/guidelines.js';
import { realConcepts } from './rule-engine.support.js';

const csv = (file: string) => parseCsv(readFileSync(file, 'utf8'), file);
const ordinary = new Map(
  [...guidelineRows('neutral-drugs')]
    .sort((a, b) => (a.population! < b.population! ? -1 : 1))
    .map((r) => [r.ingredient!, r.typical_use!] as const)
    .reverse(),
);

export const knowledge: ReadKnowledge = {
  concepts: realConcepts(),
  words: new Map(csv(WORDS_FILE).map((r) => [r.concept!, r as unknown as WordsOfFact])),
  typical_use: (drug) => ordinary.get(drug),
};
export const neutralDrugs = [...ordinary.keys()];
export const allDrugs = [...new Set(guidelineRows('drug-names').map((r) => r.ingredient!))];

export interface Written extends Told {
  readonly seed: number;
  readonly profile: (typeof PROFILES)[number];
  readonly decision_type: (typeof DECISION_TYPES)[number];
  readonly members: readonly Told[];
}

/** Renders with the project's own words. */
export const write = (w: Written): Vignette =>
  renderVignette({
    ...w,
    concepts: knowledge.concepts,
    words: knowledge.words,
    typical_use: knowledge.typical_use,
    wording: () => randomStream(w.seed, 'wording'),
  });

const num = (min: number, max: number) => fc.integer({ min: min * 10, max: max * 10 }).map((n) => n / 10);
const q = (unit: Unit, min: number, max: number) => num(min, max).map((value) => ({ value, unit }));
const MEASURED: Readonly<Record<(typeof MEASURES)[number], fc.Arbitrary<{ value: number; unit: Unit }>>> = {
  CrCl: q('mL/min', 5, 130),
  eGFR: q('mL/min/{1.73_m2}', 5, 130),
  CrCl_per_area: q('mL/min/{1.73_m2}', 5, 130),
  serum_creatinine: fc.oneof(q('mg/dL', 0.4, 9), q('umol/L', 40, 800)),
  weight: fc.oneof(q('kg', 2, 150), q('g', 700, 5000)),
  birth_weight: q('g', 500, 5000),
  QT: q('ms', 300, 600),
  QTc: q('ms', 300, 600),
  bilirubin: fc.oneof(q('mg/dL', 0.1, 20), q('umol/L', 2, 300)),
  potassium: q('mmol/L', 2, 7),
};

const TOGETHER = ['pregnant', 'in_labour', 'breastfeeding', 'could_be_pregnant', 'planning_pregnancy'];
/** Facts that may stand beside any other: what depends on pregnancy, age and setting has its own tests. */
const FREE = [...knowledge.concepts.all()]
  .map((c) => c.concept)
  .filter((c) => !TOGETHER.includes(c) && !['neonate', 'hospice_care'].includes(c))
  .filter((c) => !knowledge.concepts.isA(c, 'pregnant'));

const ages = fc.oneof(
  fc.integer({ min: 2, max: 99 }).map((value) => ({ value, unit: 'a' as const })),
  fc.integer({ min: 1, max: 23 }).map((value) => ({ value, unit: 'mo' as const })),
  fc.integer({ min: 1, max: 12 }).map((value) => ({ value, unit: 'wk' as const })),
  fc.integer({ min: 1, max: 27 }).map((value) => ({ value, unit: 'd' as const })),
);

const childbearing = fc.oneof(
  fc.constant({ facts: {}, gestation_weeks: null }),
  fc.record({
    facts: fc.record(
      { pregnant: fc.constant(true), in_labour: fc.boolean(), breastfeeding: fc.boolean() },
      { requiredKeys: ['pregnant'] },
    ),
    gestation_weeks: fc.option(fc.integer({ min: 4, max: 42 })),
  }),
  fc.record({
    facts: fc.record(
      {
        pregnant: fc.constant(false),
        breastfeeding: fc.boolean(),
        could_be_pregnant: fc.boolean(),
        planning_pregnancy: fc.boolean(),
      },
      { requiredKeys: ['pregnant'] },
    ),
    gestation_weeks: fc.constant(null),
  }),
);

const units = fc.constantFrom<Unit>('h', 'd', 'wk', 'mo', 'a');

/** Any patient that a vignette may have to tell. */
export const patients: fc.Arbitrary<Patient> = fc
  .record({
    age: ages,
    sex: fc.constantFrom('female' as const, 'male' as const),
    postmenstrual_weeks: fc.option(fc.integer({ min: 24, max: 60 })),
    measures: fc.record(MEASURED, { requiredKeys: [] }),
    ckd_stage: fc.option(fc.constantFrom(...CKD_STAGES)),
    facts: fc.dictionary(fc.constantFrom(...FREE), fc.boolean(), { maxKeys: 6, noNullPrototype: true }),
    drugs: fc.uniqueArray(fc.constantFrom(...allDrugs), { maxLength: 5 }),
    ago: fc.record({ value: fc.integer({ min: 1, max: 30 }), unit: units }),
    setting: fc.option(fc.constantFrom(...SETTINGS)),
    closed: fc.uniqueArray(fc.constantFrom(...CLOSED)),
    childbearing,
  })
  .map(({ childbearing: c, drugs, ago, ...p }) =>
    Patient.parse({
      ...p,
      facts: p.sex === 'female' ? { ...p.facts, ...c.facts } : p.facts,
      gestation_weeks: p.sex === 'female' ? c.gestation_weeks : null,
      medications: drugs.slice(1).map((drug) => Use.parse({ drug })),
      stopped: drugs.slice(0, 1).map((drug) => ({ drug, ago })),
    }),
  );

const values: Readonly<Record<(typeof FACETS)[number], readonly string[]>> = {
  indication: [...knowledge.concepts.all()].map((c) => c.concept),
  ...(Object.fromEntries(
    ['line_of_therapy', 'phase', 'pattern', 'regimen', 'purpose'].map((facet) => [
      facet,
      csv('stages/lib/rules/uses.csv')
        .filter((r) => r.facet === facet)
        .map((r) => r.value!),
    ]),
  ) as Record<Exclude<(typeof FACETS)[number], 'indication'>, string[]>),
};

const facets = fc
  .record(Object.fromEntries(Object.entries(values).map(([f, list]) => [f, fc.constantFrom(...list)])), {
    requiredKeys: ['phase'],
  })
  .map((f) => f as Use['facets']);

/** Uses of different drugs: some only started, some with more to say. */
export const uses: fc.Arbitrary<Use[]> = fc
  .uniqueArray(fc.constantFrom(...neutralDrugs), { minLength: 1, maxLength: 5 })
  .chain((drugs) =>
    fc.tuple(
      ...drugs.map((drug) =>
        fc
          .record({
            form: fc.constantFrom(null, 'immediate_release', 'extended_release'),
            route: fc.constantFrom(null, 'oral', 'topical', 'oromucosal'),
            dose: fc.option(
              fc.record({
                value: fc.constantFrom(2.5, 10, 325, 750),
                unit: fc.constantFrom<Unit>('mg/d', 'ug/d', 'g/d', 'mg'),
              }),
            ),
            duration: fc.option(fc.record({ value: fc.integer({ min: 1, max: 30 }), unit: units })),
            facets,
          })
          .chain((u) =>
            fc.constantFrom(Use.parse({ drug, ...u }), Use.parse({ drug, facets: { phase: 'starting' } })),
          ),
      ),
    ),
  );

/** Everything a vignette is made of, of one member. */
export const cases: fc.Arbitrary<Written> = fc
  .record({
    patient: patients,
    uses: fc.oneof(fc.constant([]), uses),
    seed: fc.nat(),
    profile: fc.constantFrom(...PROFILES),
    decision_type: fc.constantFrom(...DECISION_TYPES),
  })
  .map((w) => ({ ...w, members: [{ patient: w.patient, uses: w.uses }] }));
