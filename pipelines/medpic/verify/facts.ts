/** Vignettes: the text states every structured fact, sentence by sentence, and says nothing else. */
import { Check, type CheckResult } from '../../engine/verify-release.js';
import type { Item } from '../open.js';

/** Every recorded sentence stands in the vignette, every fact has one, and no sentence is left over. */
export function checkFacts(items: readonly Item[]): CheckResult {
  const check = new Check(
    'every fact is stated by a sentence of the vignette, and every sentence states one',
  );
  for (const item of items) {
    const problem = factProblem(item);
    check.expect(problem === null, () => `${item.answer.instance_id}: ${problem}`);
  }
  return check.result();
}

function factProblem(item: Item): string | null {
  const text = item.question.patient_vignette;
  const lost = item.facts.find((f) => !text.includes(f.sentence));
  if (lost) return `"${lost.sentence}" (${lost.fact}) does not stand in the vignette`;
  const said = new Set(item.facts.map((f) => f.fact));
  const unsaid = factNames(item).find((name) => !said.has(name));
  if (unsaid) return `no sentence states ${unsaid}`;
  const left = [...new Set(item.facts.map((f) => f.sentence))]
    .sort((a, b) => b.length - a.length)
    .reduce((rest, sentence) => rest.replaceAll(sentence, ''), text);
  return left.trim() === '' ? null : `"${left.trim()}" states no recorded fact`;
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
