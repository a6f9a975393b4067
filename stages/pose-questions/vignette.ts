/** A vignette from a structured patient: every fact in a sentence, and for every sentence the facts it states. */
import type { FactSentence } from '../../schemas/medpic.js';
import type { Patient, Quantity, Use } from '../../schemas/patient.js';
import type { RandomStream } from '../contract.js';
import type { Concepts } from '../lib/rules/concepts.js';
import { article, capital, fill, listed, type Person, person } from './people.js';
import { statesUse, useSentence } from './use-words.js';
import type { FactWords } from './world.js';

export interface VignetteSpec {
  readonly patient: Patient;
  /** Candidates in the order of the options; those with something to say about their use get a sentence. */
  readonly uses: readonly Use[];
  /** Ordinary use of a neutral drug, in words. */
  readonly typical_use: (drug: string) => string | undefined;
  readonly concepts: Concepts;
  readonly words: ReadonlyMap<string, FactWords>;
  /** The same stream for both members of a pair, so that wording differs only where facts do. */
  readonly wording: () => RandomStream;
}

export interface Vignette {
  readonly text: string;
  readonly facts: readonly FactSentence[];
}

interface Said {
  readonly sentence: string;
  readonly facts: readonly string[];
}

/** Renders the vignette. */
export function renderVignette(spec: VignetteSpec): Vignette {
  const p = person(spec.patient);
  const random = spec.wording();
  const pick = (list: readonly string[]): string => list[random.below(list.length)]!;
  const said = [
    opening(spec.patient, p, pick),
    ...conditions(spec, p, pick),
    ...reproduction(spec.patient, p, pick),
    ...numbers(spec.patient, p, pick),
    ...otherFacts(spec, p),
    ...medications(spec, p, pick),
    ...uses(spec, p, pick),
  ];
  return {
    text: said.map((s) => s.sentence).join(' '),
    facts: said.flatMap((s) => s.facts.map((fact) => ({ fact, sentence: s.sentence }))),
  };
}

const PLACES: Readonly<Record<string, readonly string[]>> = {
  home: [
    'lives at home and is seen for a medication review',
    'lives in {her} own home and has a yearly check-up',
  ],
  clinic: ['is seen in the outpatient clinic', 'comes to the outpatient clinic'],
  ward: ['is in hospital on a general ward', 'has been admitted to a general ward'],
  nursing_home: ['lives in a nursing home', 'is a long-stay resident of a nursing home'],
  emergency: ['is seen in the emergency department', 'comes to the emergency department'],
  hospice: ['is in hospice care', 'receives hospice care'],
};

function opening(patient: Patient, p: Person, pick: (list: readonly string[]) => string): Said {
  const place = patient.setting === null ? 'is seen' : fill(pick(PLACES[patient.setting]!), p);
  const early =
    patient.postmenstrual_weeks === null
      ? ''
      : `, now at a postmenstrual age of ${patient.postmenstrual_weeks} weeks,`;
  return {
    sentence: `${capital(article(p.noun))} ${p.noun}${early} ${place}.`,
    facts: [
      'age',
      'sex',
      ...(patient.setting === null ? [] : ['setting']),
      ...(patient.postmenstrual_weeks === null ? [] : ['postmenstrual_weeks']),
    ],
  };
}

/** Facts by kind; those that another sentence says are left to it. */
function factsOf(spec: VignetteSpec, kinds: readonly string[]): { key: string; value: boolean }[] {
  return Object.entries(spec.patient.facts)
    .filter(([key]) => kinds.includes(spec.concepts.get(key).kind))
    .map(([key, value]) => ({ key, value }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

function conditions(spec: VignetteSpec, p: Person, pick: (list: readonly string[]) => string): Said[] {
  const all = factsOf(spec, ['condition']);
  const out: Said[] = all.map(({ key, value }) => ({
    sentence: sayFact(spec, key, value, p, pick),
    facts: [`facts/${key}`],
  }));
  if (!spec.patient.closed.includes('conditions')) return out;
  const isFor = spec.uses.some(statesUse);
  const has =
    isFor ||
    all.some((f) => f.value) ||
    spec.patient.ckd_stage !== null ||
    spec.patient.gestation_weeks !== null;
  const words = isFor
    ? ['{She} has no illness other than those mentioned.', 'Apart from what is mentioned, {she} is well.']
    : has
      ? ['{She} has no other illness.', '{She} is otherwise well.']
      : ['{She} has no long-term illness.', '{Her} medical history is unremarkable.'];
  return [...out, { sentence: fill(pick(words), p), facts: ['closed/conditions'] }];
}

/** A fact in words: those of concept-words.csv, else by its name. */
export function sayFact(
  spec: Pick<VignetteSpec, 'concepts' | 'words'>,
  key: string,
  value: boolean,
  p: Person,
  pick: (list: readonly string[]) => string,
): string {
  const c = spec.concepts.get(key);
  const own = spec.words.get(key)?.[value ? 'says_true' : 'says_false'];
  if (own) return fill(pick(own.split('|').map((s) => s.trim())), p);
  if (c.kind !== 'condition') throw new Error(`concept-words.csv: ${key} has no sentence for ${value}`);
  const words = value
    ? [`{She} has ${c.name}.`, `{She} is known to have ${c.name}.`]
    : [`{She} does not have ${c.name}.`, `{She} has never had ${c.name}.`];
  return fill(pick(words), p);
}

function reproduction(patient: Patient, p: Person, pick: (list: readonly string[]) => string): Said[] {
  const f = patient.facts;
  if (patient.sex !== 'female' || f.pregnant === undefined) return partner(patient, p);
  const keys = ['pregnant', 'breastfeeding', 'could_be_pregnant', 'planning_pregnancy', 'in_labour'].filter(
    (k) => f[k] !== undefined,
  );
  const facts = keys.map((k) => `facts/${k}`);
  if (f.pregnant) {
    const weeks = patient.gestation_weeks;
    const start =
      weeks === null
        ? `${p.She} is pregnant`
        : pick([
            `${p.She} is ${weeks} weeks pregnant`,
            `${p.She} is pregnant, at ${weeks} weeks of gestation`,
          ]);
    const rest = [
      ...(f.in_labour === true ? ['is in labour'] : f.in_labour === false ? ['is not in labour'] : []),
      ...(f.breastfeeding === true
        ? ['is breastfeeding']
        : f.breastfeeding === false
          ? ['is not breastfeeding']
          : []),
    ];
    return [
      {
        sentence: `${listed([start, ...rest])}.`,
        facts: [
          ...facts.filter((k) => !/could_be|planning/.test(k)),
          ...(weeks === null ? [] : ['gestation_weeks']),
        ],
      },
    ];
  }
  const not = f.breastfeeding === false ? 'is neither pregnant nor breastfeeding' : 'is not pregnant';
  const rest = [
    ...(f.breastfeeding === true ? ['is breastfeeding'] : []),
    ...(f.could_be_pregnant === true
      ? ['uses no contraception']
      : f.could_be_pregnant === false
        ? ['uses reliable contraception']
        : []),
    ...(f.planning_pregnancy === true
      ? ['plans a pregnancy']
      : f.planning_pregnancy === false
        ? ['plans no pregnancy']
        : []),
  ];
  return [{ sentence: `${listed([`${p.She} ${not}`, ...rest])}.`, facts }];
}

function partner(patient: Patient, p: Person): Said[] {
  const value = patient.facts.partner_pregnant;
  if (value === undefined) return [];
  const sentence = value ? `${p.Her} partner is pregnant.` : `${p.Her} partner is not pregnant.`;
  return [{ sentence, facts: ['facts/partner_pregnant'] }];
}

const UNIT_TEXT: Readonly<Record<string, string>> = {
  'mL/min/{1.73_m2}': 'mL/min/1.73 m2',
  'umol/L': 'micromol/L',
};
const amount = (q: Quantity): string => `${q.value} ${UNIT_TEXT[q.unit] ?? q.unit}`;

const MEASURE_WORDS: Readonly<Record<string, readonly string[]>> = {
  CrCl: ['{Her} creatinine clearance is #.', '{Her} estimated creatinine clearance (Cockcroft-Gault) is #.'],
  eGFR: ['{Her} eGFR is #.', 'The laboratory reports an eGFR of #.'],
  CrCl_per_area: ['{Her} creatinine clearance, adjusted to body surface area, is #.'],
  serum_creatinine: ['{Her} serum creatinine is #.', 'Serum creatinine is #.'],
  weight: ['{She} weighs #.', '{Her} body weight is #.'],
  birth_weight: ['{Her} birth weight was #.'],
  QT: ['The ECG shows a QT interval of #.'],
  QTc: ['The ECG shows a QTc interval of #.'],
  bilirubin: ['Serum bilirubin is #.'],
  potassium: ['Serum potassium is #.'],
};

function numbers(patient: Patient, p: Person, pick: (list: readonly string[]) => string): Said[] {
  const order = Object.keys(MEASURE_WORDS);
  const out: Said[] = Object.entries(patient.measures)
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .map(([measure, q]) => ({
      sentence: fill(pick(MEASURE_WORDS[measure]!), p).replace('#', amount(q)),
      facts: [`measures/${measure}`],
    }));
  if (patient.ckd_stage !== null) {
    out.unshift({
      sentence: `${p.She} has chronic kidney disease stage ${patient.ckd_stage}.`,
      facts: ['ckd_stage'],
    });
  }
  return out;
}

function otherFacts(spec: VignetteSpec, p: Person): Said[] {
  const first = (list: readonly string[]): string => list[0]!;
  return factsOf(spec, ['circumstance', 'procedure', 'test', 'allergy', 'setting'])
    .filter(({ key }) => key !== 'hospice_care')
    .map(({ key, value }) => ({ sentence: sayFact(spec, key, value, p, first), facts: [`facts/${key}`] }))
    .concat(
      factsOf(spec, ['reproductive'])
        .filter(({ key }) => spec.words.has(key))
        .map(({ key, value }) => ({
          sentence: sayFact(spec, key, value, p, first),
          facts: [`facts/${key}`],
        })),
    );
}

const AGO: Readonly<Record<string, string>> = {
  h: 'hours',
  d: 'days',
  wk: 'weeks',
  mo: 'months',
  a: 'years',
};

function medications(spec: VignetteSpec, p: Person, pick: (list: readonly string[]) => string): Said[] {
  const { patient } = spec;
  const names = patient.medications.map((m) => m.drug);
  const is_closed = patient.closed.includes('medications');
  const continues = spec.uses.some((u) => u.facets.phase === 'continuing');
  const facts = [...names.map((n) => `medications/${n}`), ...(is_closed ? ['closed/medications'] : [])];
  const other = continues ? 'other ' : '';
  const taken =
    names.length === 0
      ? pick([`{She} takes no ${other}medicines`, `{She} is on no ${other}medication`])
      : is_closed
        ? pick([
            `{Her} only ${continues ? 'other' : 'regular'} ${names.length > 1 ? 'medicines are' : 'medicine is'} ${listed(names)}`,
            `{She} takes ${listed(names)} and no ${continues ? 'further' : 'other'} medicine`,
          ])
        : `{She} takes ${listed(names)}`;
  const stopped = patient.stopped.map(({ drug, ago }) => ({
    sentence: `${p.She} took the last dose of ${drug} ${ago.value} ${AGO[ago.unit] ?? ago.unit} ago.`,
    facts: [`stopped/${drug}`],
  }));
  const out: Said[] = names.length > 0 || is_closed ? [{ sentence: `${fill(taken, p)}.`, facts }] : [];
  if (!patient.closed.includes('allergies')) return [...stopped, ...out];
  return [
    ...stopped,
    ...out,
    {
      sentence: fill(pick(['{She} has no known drug allergies.', 'No drug allergies are known.']), p),
      facts: ['closed/allergies'],
    },
  ];
}

/** When the use of one candidate matters, the use of each is told, so that a mention gives nothing away. */
function uses(spec: VignetteSpec, p: Person, pick: (list: readonly string[]) => string): Said[] {
  if (!spec.uses.some(statesUse)) return [];
  return spec.uses.flatMap((use) => {
    const said = useSentence(use, spec.typical_use(use.drug), spec.concepts, p, pick);
    return said ? [said] : [];
  });
}
