/** Vignettes: the text states every structured fact, sentence by sentence, and says nothing else. */
import { checkVignette, wordProblem } from '../../../stages/lib/read-vignette/check.js';
import { Check, type CheckResult } from '../../engine/verify-release.js';
import type { Item, OpenRelease } from '../open.js';

/** The recorded sentences stand in the vignette, and what a reader makes of it is the patient and the uses of the options. */
export function checkFacts(r: OpenRelease, items: readonly Item[]): CheckResult {
  const check = new Check(
    'every fact is stated by a sentence of the vignette, and every sentence states one',
  );
  for (const item of items) {
    const problem = factProblem(item, r);
    check.expect(problem === null, () => `${item.answer.instance_id}: ${problem}`);
  }
  return check.result();
}

function factProblem(item: Item, r: OpenRelease): string | null {
  const text = item.question.patient_vignette;
  const lost = item.facts.find((f) => !text.includes(f.sentence));
  if (lost) return `"${lost.sentence}" (${lost.fact}) does not stand in the vignette`;
  const uses = item.options.flatMap((o) => (o.use === null ? [] : [o.use]));
  const [first] = checkVignette(text, item.patient, uses, r.reading);
  return first === undefined ? null : wordProblem(first);
}
