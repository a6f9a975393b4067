/** Yes-or-no facts: sentences of the table of wordings, and illnesses by their name. */
import { type Found, plain, type ReadKnowledge, type SentenceReader } from './sentences.js';

const HAS = /^@ (?:also )?(?:has been diagnosed with|suffers from|has) (?:an? )?(.+)$/;
const HISTORY = /^@r history (?:also )?includes (?:an? )?(.+)$/;
const HAS_NOT = /^@ (?:does not have|has no history of) (?:an? )?(.+)$/;
const NOTHING_ELSE =
  /^(?:@r medical history is (?:otherwise )?unremarkable|@ has no (?:other )?medical conditions)$/;

/** A reader of facts; a sentence that the table gives to two facts is an error. */
export function stateReader(k: ReadKnowledge): SentenceReader {
  const sentences = sentenceTable(k);
  const names = new Map(
    [...k.concepts.all()].filter((c) => c.kind === 'condition').map((c) => [c.name.toLowerCase(), c.concept]),
  );
  const named = (m: RegExpExecArray | null, value: boolean): Found[] | null => {
    const key = m ? names.get(m[1]!) : undefined;
    return key === undefined ? null : [[`facts/${key}`, value]];
  };
  return (s) => {
    const known = sentences.get(s);
    if (known) return [known];
    if (NOTHING_ELSE.test(s)) return [['closed/conditions', true]];
    return named(HAS_NOT.exec(s), false) ?? named(HAS.exec(s), true) ?? named(HISTORY.exec(s), true);
  };
}

function sentenceTable(k: ReadKnowledge): ReadonlyMap<string, Found> {
  const out = new Map<string, Found>();
  const add = (concept: string, cell: string, value: boolean): void => {
    for (const variant of cell.split('|').map((v) => plain(v))) {
      if (variant === '') continue;
      const before = out.get(variant);
      if (before && (before[0] !== `facts/${concept}` || before[1] !== value))
        throw new Error(`"${variant}" says two things: ${before.join(' ')} and facts/${concept} ${value}`);
      out.set(variant, [`facts/${concept}`, value]);
    }
  };
  for (const [concept, words] of k.words) {
    add(concept, words.says_true, true);
    add(concept, words.says_false, false);
  }
  return out;
}
