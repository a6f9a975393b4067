/**
 * Finds what a text says about a condition: stated, denied, only considered, of the past, or of a relative. Words are
 * those of phrase lists (raw/rxeval), not of any one note; the signs of negation follow the idea of NegEx (Chapman 2001):
 * a sign governs what follows it in the same clause.
 */
export type Sense = 'stated' | 'denied' | 'considered' | 'past' | 'family';

export interface Mention {
  readonly sense: Sense;
  /** The words of the text, as written. */
  readonly words: string;
  /** The sentence around them, as written. */
  readonly sentence: string;
}

/**
 * Phrases of a cell: `;`-joined words, each may end in `*`; a blank or hyphen between them stands for any of both. Case
 * does not count, except in abbreviations: a word of up to five capitals (`PE`, `HFrEF` is none) stands as it is written.
 */
export function phrasePattern(cell: string): RegExp | null {
  const phrases = cell.split(';').map((p) => p.trim().replace(/\s+/g, ' '));
  const words = phrases.filter(Boolean).map((p) => p.split(/[ -]/).map(wordPattern).join('[\\s-]+'));
  if (words.length === 0) return null;
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'gu');
}

function wordPattern(word: string): string {
  const [stem, ending] = word.endsWith('*') ? [word.slice(0, -1), '\\p{L}*'] : [word, ''];
  const escaped = (c: string): string => c.replace(/[.+?^${}()|[\]\\/]/, '\\$&');
  if (/^[A-Z]{2,5}$/.test(stem)) return stem + ending;
  const anyCase = (c: string): string =>
    c.toLowerCase() === c.toUpperCase() ? escaped(c) : `[${c.toLowerCase()}${c.toUpperCase()}]`;
  return [...stem].map(anyCase).join('') + ending;
}

const DENIES =
  /\b(no|not|without|denies|denied|denying|negative for|free of|never|absence of|ruled out for|nor|resolution of|resolved)\b/gi;
/** Ends the reach of a sign. */
const ENDS =
  /\b(but|however|except|although|though|now|found to have|admitted (for|with)|presents? with)\b|[;:]|\.\s/gi;
const DENIED_AFTER =
  /^[\s,)]*(was|were|is|has been|have been)?\s*(ruled out|excluded|unlikely|resolved|negative|absent|not (seen|identified|present|found))\b/i;
const CONSIDERED =
  /\b(possible|possibly|probable|suspect(ed)?|suspicio\w+|concern(s|ed|ing)?( (for|of|about))?|rule out|r\/o|evaluat\w+ (for|of)|question of|may (have|be|represent)|might|could (be|represent)|cannot (be )?exclude\w*|versus|vs\.?|risk (of|for)|prophyla\w+|to prevent|prevention of|if|unless|work ?up (for|of)|screen\w* for|differential)\b/i;
const CONSIDERED_AFTER =
  /^[\s,)]*(is|was|are)?\s*(possible|suspected|considered|not excluded|cannot be excluded|in the differential|\?)/i;
const PAST =
  /\b(history of|h\/o|hx of|past|prior|previous(ly)?|remote|old|years? ago|months? ago|weeks? ago|in \d{4}|in ___|in (his|her) (youth|childhood|twenties|thirties|forties)|status post|s\/p|last (year|month|admission))\b/i;
const FAMILY =
  /\b(family (history|hx)|mother|father|brother|sister|parents?|grand(mother|father|parents?)|uncle|aunt|cousin|siblings?|son|daughter)\b/i;

/** Sentences of a text as written. Abbreviations of notes (`s/p`, `h/o`) hold no dot, so a dot and a blank end one. */
export function sentences(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+(?=[\p{Lu}\p{N}_"(])|\n\s*\n|\n(?=\s*[-*#\d])/u)
    .map((s) => s.replace(/\s+/g, ' ').trim())
    .filter(Boolean);
}

/** Everything that a text says about the phrases, in order. */
export function mentionsIn(text: string, pattern: RegExp): Mention[] {
  return sentences(text).flatMap((sentence) =>
    [...sentence.matchAll(pattern)].map((found) => ({
      sense: senseOf(sentence, found.index, found.index + found[0].length),
      words: found[0],
      sentence,
    })),
  );
}

function senseOf(sentence: string, from: number, to: number): Sense {
  const before = reach(sentence.slice(0, from));
  const after = sentence.slice(to);
  if (FAMILY.test(before)) return 'family';
  if (lastSign(before) || DENIED_AFTER.test(after)) return 'denied';
  if (CONSIDERED.test(before) || CONSIDERED_AFTER.test(after)) return 'considered';
  if (PAST.test(before) || PAST.test(reachAfter(after))) return 'past';
  return 'stated';
}

/** What stands before a mention in its clause. */
function reach(before: string): string {
  const ends = [...before.matchAll(ENDS)];
  const last = ends.at(-1);
  return last ? before.slice(last.index + last[0].length) : before;
}

const reachAfter = (after: string): string => after.split(/[;.,]/)[0]!;

/** A sign of denial that still governs: `no fever, presents` ended it, `no fever, chills or cough` did not. */
function lastSign(before: string): boolean {
  const signs = [...before.matchAll(DENIES)];
  const last = signs.at(-1);
  if (!last) return false;
  const between = before.slice(last.index + last[0].length);
  // A new subject or verb after a comma begins a statement of its own.
  return !/,\s*(and |then |he |she |patient |pt |the patient )?(has|had|was|were|is|developed|became|found|reports?|noted|complain\w*|with)\b/i.test(
    between,
  );
}
