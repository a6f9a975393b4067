/** Whether two names are one drug, and whether a text speaks of a drug. */
import { foldDrug } from '../drug-fold.js';
import { hasWords } from '../record/cites.js';

/** Same folded drug, or one name is the other with further words (`metoprolol succinate xl`). */
export function isSameDrug(name: string, drug_fold: string): boolean {
  const [a, b] = [foldDrug(name).split(' '), drug_fold.split(' ')];
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return short.length > 0 && short[0] !== '' && short.every((w, i) => long[i] === w);
}

/** First words of drug names that are also findings, fluids or foods: alone they name no drug. */
const ALSO_FINDINGS = new Set(
  'albumin artificial calcium dextrose glucose iron lactated magnesium phosphate potassium sodium vitamin zinc folic water'.split(
    ' ',
  ),
);

/** True when the text names the drug: its folded name, or the first word of it. */
export function namesDrug(text: string, drug_fold: string): boolean {
  const [first = ''] = drug_fold.split(' ');
  if (hasWords(text, drug_fold)) return true;
  return first.length > 3 && !ALSO_FINDINGS.has(first) && !/^\d/.test(first) && hasWords(text, first);
}
