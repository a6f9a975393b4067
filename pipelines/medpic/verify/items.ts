/** Single items: the key from the facts, options, ids, vignette, gold in question rows. */
import { NONE_OF_THE_ABOVE } from '../../../schemas/medpic.js';
import { canonicalJson } from '../../../stages/lib/canonical-json.js';
import { sha256 } from '../../../stages/lib/hash.js';
import { contradiction } from '../../../stages/lib/rules/contradiction.js';
import { standing } from '../../../stages/lib/rules/coverage.js';
import { Check, type CheckResult } from '../../engine/verify-release.js';
import { expectedAnswer } from '../judge.js';
import type { Item, OpenRelease } from '../open.js';

/** Keys and distractors follow from patient, candidates and rules; counts options that rest on the neutral list. */
export function checkKeys(
  r: OpenRelease,
  items: readonly Item[],
): { checks: CheckResult[]; neutral_n: number } {
  const keys = new Check('every answer follows from the structured facts through the rules');
  const proved = new Check('every other option is proved wrong under all rules in force');
  const watch = new Check('active rules of caution are recorded');
  const sound = new Check('no patient contradicts itself');
  let neutral_n = 0;
  for (const item of items) {
    const { instance_id } = item.answer;
    const { letters, problems, neutral_n: n } = expectedAnswer(r, item);
    neutral_n += n;
    keys.expect(
      letters.join() === item.letters.join(),
      () =>
        `${instance_id}: the release says ${item.letters.join(', ')}, the rules say ${letters.join(', ')}`,
    );
    proved.expect(problems.length === 0, () => `${instance_id}: ${problems[0]}`);
    const against = contradiction(item.patient, r.bench.book.knowledge.concepts);
    sound.expect(against === null, () => `${instance_id}: ${against}`);
    const active = watchRules(r, item);
    watch.expect(
      active.join() === item.watch_rules.join(),
      () =>
        `${instance_id}: ${item.watch_rules.join(', ') || 'none'} recorded, ${active.join(', ') || 'none'} active`,
    );
  }
  return { checks: [keys.result(), proved.result(), sound.result(), watch.result()], neutral_n };
}

function watchRules(r: OpenRelease, item: Item): string[] {
  const ids = item.options.flatMap((o) =>
    o.use === null
      ? []
      : standing({ patient: item.patient, candidate: o.use }, r.bench.book).watch.map((v) => v.rule_id),
  );
  return [...new Set(ids)].sort();
}

/** Question row and answer row say the same, and ids are the hashes of what is shown. */
export function checkRows(items: readonly Item[]): CheckResult[] {
  const rows = new Check('options, letters and texts of question and answer agree');
  const ids = new Check('ids are hashes of what is shown');
  for (const item of items) {
    const { question: q, answer: a } = item;
    const problem = rowProblem(item);
    rows.expect(problem === null, () => `${a.instance_id}: ${problem}`);
    const shown = {
      config: q.config,
      vignette: q.patient_vignette,
      question: q.question,
      options: JSON.parse(q.options) as unknown,
    };
    ids.expect(
      sha256(canonicalJson(shown)).slice(0, 16) === a.instance_id,
      () => `${a.instance_id} is not the hash of its vignette, question and options`,
    );
  }
  return [rows.result(), ids.result()];
}

function rowProblem(item: Item): string | null {
  const { question: q, answer: a, options, letters } = item;
  const shown = JSON.parse(q.options) as Record<string, string>;
  const expected = Object.fromEntries(options.map((o) => [o.letter, o.text]));
  const alphabet = options.map((_, i) => String.fromCharCode(65 + i));
  const none = options.filter((o) => o.kind === 'none');
  if (canonicalJson(shown) !== canonicalJson(expected)) return 'options and candidates differ';
  if (Object.keys(shown).sort().join() !== alphabet.join()) return `letters are ${Object.keys(shown).join()}`;
  if (new Set(Object.values(shown)).size !== options.length) return 'an option stands twice';
  if (none.length !== 1 || none[0]!.text !== NONE_OF_THE_ABOVE)
    return `not one option "${NONE_OF_THE_ABOVE}"`;
  if (none[0]!.letter !== a.none_letter) return `none_letter is ${a.none_letter}`;
  if (letters.length === 0 || letters.some((l) => !(l in shown)))
    return `answer ${letters.join()} is no option`;
  if ([...new Set(letters)].sort().join() !== letters.join())
    return `letters ${letters.join()} repeat or fall`;
  if (letters.includes(none[0]!.letter) && letters.length > 1) return 'None stands beside another letter';
  if (canonicalJson(letters.map((l) => shown[l])) !== canonicalJson(JSON.parse(a.answer_texts)))
    return 'answer_texts are not the texts of the letters';
  for (const column of ['config', 'benchmark_task_family', 'split'] as const)
    if (q[column] !== a[column]) return `${column} differs between question and answer`;
  const family = a.config === 'gf' ? 'guideline_following' : 'counterfactual';
  return a.benchmark_task_family === family
    ? null
    : `family ${a.benchmark_task_family} in config ${a.config}`;
}

const QUESTION_COLUMNS = [
  'instance_id',
  'benchmark_task_family',
  'config',
  'patient_vignette',
  'question',
  'options',
  'split',
];

/** Ids of rules and rows, names of files, words of the key: nothing of it belongs into a question row. */
const GOLD =
  /\b(B\d\d-T\d-\d{3}|K\d\d-\d{3}|TGA-\d{3}|FDA-\d{3}|taxonomy|pair_id|counterfactual|answer key|\w+\.csv)\b/i;

/** No answer, rule, pair or label shows in a question row. */
export function checkLeaks(items: readonly Item[]): CheckResult {
  const check = new Check('no gold in a question row');
  for (const { question, answer } of items) {
    const strange = Object.keys(question).find((c) => !QUESTION_COLUMNS.includes(c));
    check.expect(strange === undefined, () => `${answer.instance_id}: column ${strange}`);
    const text = [question.patient_vignette, question.question, question.options].join('\n');
    const found =
      GOLD.exec(text)?.[0] ?? [answer.pair_id, answer.content_hash].find((x) => x && text.includes(x));
    check.expect(!found, () => `${answer.instance_id} shows ${found}`);
  }
  return check.result();
}
