/** Vignettes: the text states every structured fact, sentence by sentence, and says nothing else. */
import type { Use } from '../../../schemas/patient.js';
import { testFact } from '../../../stages/lib/rules/facts.js';
import type { Knowledge } from '../../../stages/lib/rules/knowledge.js';
import { Check, type CheckResult } from '../../engine/verify-release.js';
import type { Item, OpenRelease } from '../open.js';

/** Every recorded sentence stands in the vignette with its numbers, every fact has one, and no sentence is left over. */
export function checkFacts(r: OpenRelease, items: readonly Item[]): CheckResult {
  const check = new Check(
    'every fact is stated by a sentence of the vignette, and every sentence states one',
  );
  for (const item of items) {
    const problem = factProblem(item, r.bench.book.knowledge);
    check.expect(problem === null, () => `${item.answer.instance_id}: ${problem}`);
  }
  return check.result();
}

function factProblem(item: Item, k: Knowledge): string | null {
  const text = item.question.patient_vignette;
  const lost = item.facts.find((f) => !text.includes(f.sentence));
  if (lost) return `"${lost.sentence}" (${lost.fact}) does not stand in the vignette`;
  const said = new Map(item.facts.map((f) => [f.fact, f.sentence]));
  const unsaid = factNames(item).find((name) => !said.has(name) && !follows(name, item, k));
  if (unsaid) return `no sentence states ${unsaid}`;
  const wrong = quantities(item).find(([name, n]) => !hasNumber(said.get(name) ?? '', n));
  if (wrong) return `the sentence of ${wrong[0]} does not say ${wrong[1]}`;
  const absent = item.patient.medications.find((m) => !text.toLowerCase().includes(m.drug.toLowerCase()));
  if (absent) return `${absent.drug} is taken but not mentioned`;
  const left = leftOver(item, text);
  return left === '' ? null : `"${left}" states no recorded fact`;
}

/** Names of what a patient states, as the record of facts has them. */
function factNames({ patient: p }: Item): string[] {
  const filled = ['age', 'sex', 'setting', 'postmenstrual_weeks', 'gestation_weeks', 'ckd_stage'] as const;
  return [
    ...filled.filter((key) => p[key] !== null),
    ...Object.keys(p.measures).map((m) => `measures/${m}`),
    ...Object.keys(p.facts).map((f) => `facts/${f}`),
    ...p.closed.map((c) => `closed/${c}`),
  ];
}

const NOBODY: Use = { drug: '', form: null, route: null, dose: null, duration: null, facets: {} };

/** A fact needs no sentence of its own when the others say it (who is pregnant could be; who lives at home is in no hospice). */
function follows(name: string, item: Item, k: Knowledge): boolean {
  const concept = /^facts\/(.+)$/.exec(name)?.[1];
  if (concept === undefined) return false;
  const { [concept]: value, ...facts } = item.patient.facts;
  const found = testFact(concept, { patient: { ...item.patient, facts }, candidate: NOBODY }, k);
  return found.truth === String(value);
}

/** Every number of the patient with the fact that has to say it. */
function quantities({ patient: p }: Item): [string, number][] {
  const single = ['postmenstrual_weeks', 'gestation_weeks'] as const;
  return [
    ...(p.age === null ? [] : [['age', p.age.value] as [string, number]]),
    ...single.flatMap((key): [string, number][] => (p[key] === null ? [] : [[key, p[key]]])),
    ...Object.entries(p.measures).map(([m, q]): [string, number] => [`measures/${m}`, q.value]),
  ];
}

/** The number stands in the sentence by itself, not as a part of another one. */
const hasNumber = (sentence: string, n: number): boolean =>
  new RegExp(`(?<![\\d.])${String(n).replace('.', '\\.')}(?![\\d]|\\.\\d)`).test(sentence);

/** What remains of a vignette without the recorded sentences; what an option is usually for is no fact of the patient. */
function leftOver(item: Item, text: string): string {
  const sentences = [...new Set(item.facts.map((f) => f.sentence))].sort((a, b) => b.length - a.length);
  let rest = sentences.reduce((left, sentence) => left.replaceAll(sentence, ''), text);
  for (const option of item.options) {
    const drug = option.text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    rest = rest.replace(new RegExp(`${drug} would be (for|given for) [^.]*\\.`, 'i'), '');
  }
  return rest.trim();
}
