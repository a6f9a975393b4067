/** Does a vignette state the facts of its patient, each once, and no other? */
import type { Patient, Use } from '../../../schemas/patient.js';
import { canonicalJson } from '../canonical-json.js';
import { entailments } from '../rules/entailments.js';
import { type Expected, expectedFacts } from './expected.js';
import { type ReadFact, type Reading, type ReadKnowledge, readVignette } from './read.js';

/**
 * `missing`: no sentence states the fact. `contradicted`: a sentence states another value. `extra`: a sentence states a
 * fact that is none of the patient's. `repeated`: two sentences state it. `unread`: a sentence that the reader cannot make
 * out, so that it may say anything.
 */
export interface VignetteProblem {
  readonly kind: 'missing' | 'contradicted' | 'extra' | 'repeated' | 'unread';
  readonly fact: string;
  readonly sentence: string | null;
  readonly got: unknown;
  readonly expected: unknown;
}

/** Compares the text with the patient and the uses of the candidates; an empty list means that they say the same. */
export function checkVignette(
  text: string,
  patient: Patient,
  uses: readonly Use[],
  knowledge: ReadKnowledge,
): VignetteProblem[] {
  const reading = readVignette(
    text,
    uses.map((u) => u.drug),
    knowledge,
  );
  const expected = expectedFacts(patient, uses, knowledge);
  return [
    ...reading.unread.map((s) => problem('unread', 'sentence', s)),
    ...stated(reading, expected),
    ...repeated(reading),
    ...missing(reading, expected),
    ...wrongPronouns(reading, patient),
  ];
}

/** A problem in words. */
export function wordProblem(p: VignetteProblem): string {
  const where = p.sentence === null ? '' : ` in "${p.sentence}"`;
  const values =
    p.kind === 'contradicted'
      ? `: ${JSON.stringify(p.got)} where ${JSON.stringify(p.expected)} is meant`
      : p.kind === 'missing'
        ? `: ${JSON.stringify(p.expected)} is meant`
        : '';
  return `${p.kind} ${p.fact}${where}${values}`;
}

const problem = (
  kind: VignetteProblem['kind'],
  fact: string,
  sentence: string | null,
  got: unknown = null,
  expected: unknown = null,
): VignetteProblem => ({ kind, fact, sentence, got, expected });

/** What the text states, against what it should. */
function stated(reading: Reading, expected: ReadonlyMap<string, Expected>): VignetteProblem[] {
  return reading.facts.flatMap(({ fact, value, sentence }) => {
    const want = expected.get(fact);
    if (!want) return [problem('extra', fact, sentence, value)];
    if (canonicalJson(normal(value)) === canonicalJson(normal(want.value))) return [];
    return [problem('contradicted', fact, sentence, value, want.value)];
  });
}

/** Years and months since a last dose are the same time in two units. */
function normal(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('unit' in value) || !('value' in value)) return value;
  return value.unit === 'a' && Number(value.value) % 1 !== 0
    ? { value: Number(value.value) * 12, unit: 'mo' }
    : value;
}

function repeated(reading: Reading): VignetteProblem[] {
  const seen = new Map<string, ReadFact>();
  return reading.facts.flatMap((f) => {
    if (seen.has(f.fact)) return [problem('repeated', f.fact, f.sentence, f.value)];
    seen.set(f.fact, f);
    return [];
  });
}

function missing(reading: Reading, expected: ReadonlyMap<string, Expected>): VignetteProblem[] {
  const read = new Map(reading.facts.map((f) => [f.fact, f.value]));
  const drugs = new Set([...read.keys()].flatMap((f) => /^uses\/(.+)\//.exec(f)?.[1] ?? []));
  const follows = followsFrom(read);
  return [...expected].flatMap(([fact, { value, required, drug }]) => {
    const isNeeded = drug === undefined ? required : (required || drugs.size > 0) && !drugs.has(drug);
    if (!isNeeded || read.has(fact)) return [];
    return follows.get(fact)?.includes(value as boolean) ? [] : [problem('missing', fact, null, null, value)];
  });
}

/**
 * Facts that nobody would write because another sentence has said them, with the values that need no sentence: a newborn
 * by the age, hospice care by the setting, that a woman's partner is not pregnant; whether a pregnant woman could become pregnant is no question, nor whether the
 * birth is near of one who is not.
 */
function followsFrom(read: ReadonlyMap<string, unknown>): ReadonlyMap<string, readonly boolean[]> {
  const out = new Map<string, readonly boolean[]>();
  const patient = {
    age: read.get('age') ?? null,
    setting: read.get('setting') ?? null,
    sex: null,
    gestation_weeks: null,
    ckd_stage: null,
    measures: {},
  } as unknown as Patient;
  const known = entailments(patient);
  for (const c of ['neonate', 'hospice_care']) {
    const e = known.get(c);
    if (e) out.set(`facts/${c}`, [e.truth === 'true']);
  }
  if (read.get('sex') === 'female') out.set('facts/partner_pregnant', [false]);
  const pregnant = read.get('facts/pregnant');
  if (pregnant === true) {
    out.set('facts/could_be_pregnant', [true, false]);
    out.set('facts/planning_pregnancy', [true, false]);
  }
  if (pregnant === false) {
    for (const c of ['birth_expected_in_days', 'labour_imminent', 'in_labour'])
      out.set(`facts/${c}`, [false]);
  }
  return out;
}

function wrongPronouns(reading: Reading, patient: Patient): VignetteProblem[] {
  return reading.sentences.flatMap(({ text, pronouns }) => {
    const other = [...pronouns].filter((p) => p !== patient.sex);
    return other.map((p) => problem('contradicted', 'sex', text, p, patient.sex));
  });
}
