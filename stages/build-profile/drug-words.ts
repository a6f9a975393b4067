/** The words by which a note names a drug that was ordered. */
import { parseCsv } from '../lib/csv.js';
import { foldWords } from '../lib/note-text.js';

export const DRUG_WORDS_FILE = 'stages/build-profile/drug-words.csv';
export const PLAIN_WORDS_FILE = 'stages/build-profile/plain-words.csv';

/** Words of form, strength and salt that stand beside a name. */
const BESIDE_NAME =
  /^(?:\d.*|ec|xl|xr|sr|er|la|cr|dr|flush|oral|liquid|solution|suspension|syrup|injection|injectable|patch|inhaler|inhalation|nebulization|neb|soln|susp|gel|cream|ointment|drip|infusion|tablet|capsule|powder|enema|suppository|human|regular|extended|release|delayed|chewable|disintegrating|w|with|in|for|dose|bolus|load|loading|desensitization|rapid|sliding|scale|protocol|prophylaxis|iv|po|im|pf|premix|mini|bag|plus)$/;
/** Shorter first words are no names (`sod`, `vit`). */
const MIN_NAME = 5;

export class DrugWords {
  private readonly words: ReadonlyMap<string, readonly string[]>;
  private readonly plain: ReadonlySet<string>;

  constructor(drugWords: string, plainWords: string) {
    const words = new Map<string, string[]>();
    for (const { word, drug } of parseCsv(drugWords, DRUG_WORDS_FILE))
      words.set(drug!, [...(words.get(drug!) ?? []), foldWords(word!)]);
    this.words = words;
    this.plain = new Set(parseCsv(plainWords, PLAIN_WORDS_FILE).map((r) => r.word!));
  }

  /**
   * What to look for in folded words (blanks at both ends): the name as far as it is a name, its first word where that is
   * no word of every note, and the trade names and short forms of it.
   */
  namesOf(drug: string): string[] {
    const all = foldWords(drug.replace(/\([^()]*\)/g, ' '))
      .trim()
      .split(' ');
    const stop = all.findIndex((w) => BESIDE_NAME.test(w));
    const name = (stop < 0 ? all : all.slice(0, stop)).filter((w) => w !== '');
    const [first] = name;
    if (first === undefined) return [];
    const isName = first.length >= MIN_NAME && !this.plain.has(first);
    const whole = name.length > 1 || !this.plain.has(first) ? [` ${name.join(' ')} `] : [];
    const names = [...whole, ...(isName ? [` ${first} `] : []), ...(this.words.get(first) ?? [])];
    return [...new Set([...names, ...this.inBrackets(drug)])].filter((n) => n.trim().length > 2);
  }

  /** Trade names stand in brackets behind the name; so do forms and protocols. */
  private inBrackets(drug: string): string[] {
    return [...drug.matchAll(/\(([^()]*)\)/g)]
      .map((found) => foldWords(found[1]!))
      .filter((w) => /^ [a-z]{5,} $/.test(w) && !BESIDE_NAME.test(w.trim()) && !this.plain.has(w.trim()));
  }
}
