/** Looks for gold in question rows. A clean row is a function of one stay's features and the name of a diagnosis. */

/** The columns of a question row; any other column is a leak. */
export const QUESTION_COLUMNS = [
  'item_id',
  'patient_id',
  'dx_code',
  'diagnosis',
  'pair_id',
  'split',
  'prompt',
] as const;

/** What must not show in a question row. */
export interface Gold {
  /** stay_id, subject_id, hadm_id of the item; ids below six digits cannot be told from values and are skipped. */
  readonly ids: readonly number[];
  /** ICD codes of the stay; all-digit codes cannot be told from values and are skipped. */
  readonly icd_codes: readonly string[];
  /** distance, theta, phi. */
  readonly numbers: readonly (number | null)[];
}

/** Words of the answer key that have no place in a prompt. */
const ANSWER_WORDS =
  /\b(label|labels|theta|phi|lookalike|distance|pair|pair_rank|gold|f_k|role|answer key)\b|[θφ]/i;
const ICD_TOKEN = /[A-TV-Z][0-9][0-9A-Z](?:\.?[0-9A-Z]{1,4})?/g;
/** A float with fewer significant digits may be a feature value. */
const MIN_DIGITS = 8;

/** Every sign of the answer in a question row, in words; empty when there is none. */
export function findLeaks(question: Readonly<Record<string, unknown>>, gold: Gold): string[] {
  const found: string[] = [];
  for (const column of Object.keys(question)) {
    if (!(QUESTION_COLUMNS as readonly string[]).includes(column)) found.push(`column ${column}`);
  }
  for (const [column, value] of Object.entries(question)) {
    if (typeof value !== 'string') {
      if (value !== null) found.push(`${column} is not text`);
      continue;
    }
    found.push(...findInText(column, value, gold, String(question.dx_code ?? '')));
  }
  const word = ANSWER_WORDS.exec(String(question.prompt ?? ''));
  if (word) found.push(`prompt has the word "${word[0]}"`);
  return found;
}

function findInText(column: string, text: string, gold: Gold, own: string): string[] {
  const found: string[] = [];
  const numbers = new Set(text.match(/\d+/g));
  for (const id of gold.ids)
    if (id > 99_999 && numbers.has(String(id))) found.push(`${column} shows the id ${id}`);
  for (const n of gold.numbers) {
    const shown = n === null ? '' : String(n);
    if (shown.replace(/\D/g, '').length >= MIN_DIGITS && text.includes(shown))
      found.push(`${column} shows a distance or threshold`);
  }
  if (column === 'item_id' || column === 'pair_id' || column === 'patient_id') return found;
  const tokens = new Set(text.match(ICD_TOKEN)?.map((t) => t.replace('.', '')));
  for (const code of gold.icd_codes) {
    const has_letter = /^[A-Z]/.test(code);
    if (has_letter && code !== own && tokens.has(code)) found.push(`${column} shows the ICD code ${code}`);
  }
  return found;
}

/**
 * How often the answer `yes` stands before `no` in pairs read in id order. Ids are hashes, so the share is near one
 * half; `z` is its distance from one half in standard errors.
 */
export function orderBias(pairs: readonly { yes_first: boolean }[]): { share: number; z: number } {
  const n = pairs.length;
  if (n === 0) return { share: 0.5, z: 0 };
  const share = pairs.filter((p) => p.yes_first).length / n;
  return { share, z: (share - 0.5) / Math.sqrt(0.25 / n) };
}
