/** Which words at the start of a line are the header of a section. */
import { parseCsv } from '../lib/csv.js';

export interface Header {
  readonly section: string;
  /** Characters of the line that are header, its colon included. */
  readonly length: number;
}

interface Alias {
  readonly section: string;
  /** `colon`: the words before a colon; `line`: also a whole line without one; `part`: words inside what stands before a colon. */
  readonly form: string;
  /** Section inside which alone it is a header; empty for any. */
  readonly within: string;
}

/** A header is at most this long (mimic.md 6.3). */
const MAX_HEADER = 60;
/** A whole line may be a header up to this length: the notes that home lists begin with have 84 characters. */
const MAX_LINE = 100;
const MASK = /_{3,}/;
/** A masked header still needs two words that can be read. */
const MIN_WORDS = 2;
/** An unlisted header of more words than this is a sentence. */
const MAX_WORDS = 6;

/** The words of a header as they are compared: lower case, single blanks, no decoration at the ends. */
export function foldHeader(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s,;]+/g, ' ')
    .replace(/^[\s*#=:.-]+|[\s*#=:.-]+$/g, '');
}

/** The table of header variants. */
export class Headers {
  private readonly aliases = new Map<string, Alias[]>();
  /** Words that say inside an unlisted header what follows, longest first. */
  private readonly tells: (readonly [words: string, alias: Alias])[] = [];

  constructor(csv: string, file: string) {
    for (const row of parseCsv(csv, file)) {
      const key = foldHeader(row.alias!);
      const alias = { section: row.section!, form: row.form!, within: row.within! };
      if (alias.form === 'part') this.tells.push([key, alias]);
      else this.add(key, alias, file);
    }
    this.tells.sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1));
  }

  private add(key: string, alias: Alias, file: string): void {
    const known = this.aliases.get(key) ?? [];
    if (known.some((a) => a.within === alias.within)) throw new Error(`${file}: "${key}" stands twice`);
    this.aliases.set(key, [...known, alias]);
  }

  /** The header that a line begins with, while `current` is the section that runs; undefined when it begins with none. */
  at(line: string, current: string): Header | undefined {
    const colon = line.search(/[:：]/);
    if (colon >= 0 && colon <= MAX_HEADER) {
      const words = line.slice(0, colon);
      const alias = this.find(words, current) ?? this.holding(words);
      if (alias) return { section: alias.section, length: colon + 1 };
    }
    const alias = line.length <= MAX_LINE ? this.find(line, current) : undefined;
    return alias?.form === 'line' ? { section: alias.section, length: line.trimEnd().length } : undefined;
  }

  private find(text: string, current: string): Alias | undefined {
    const key = foldHeader(text);
    const known = this.aliases.get(key) ?? (MASK.test(key) ? this.masked(key) : undefined);
    return known?.find((a) => a.within === current) ?? known?.find((a) => a.within === '');
  }

  /** An unlisted header that says by some of its words what follows: better its own section than the end of another. */
  private holding(text: string): Alias | undefined {
    const key = foldHeader(text);
    if (key.split(' ').length > MAX_WORDS) return undefined;
    return this.tells.find(([words]) => ` ${key} `.includes(` ${words} `))?.[1];
  }

  /** Aliases that a partly masked header can stand for, when all of them are of one section. */
  private masked(key: string): Alias[] | undefined {
    const readable = key.replace(MASK, ' ').match(/[a-z]{2,}/g) ?? [];
    if (readable.length < MIN_WORDS) return undefined;
    const escaped = key.split(MASK).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const pattern = new RegExp(`^${escaped.join('\\S+(?: \\S+)?')}$`);
    const fits = [...this.aliases].filter(([alias]) => pattern.test(alias)).flatMap(([, a]) => a);
    const sections = new Set(fits.map((a) => a.section));
    return sections.size === 1 ? fits.filter((a) => a.within === '') : undefined;
  }
}
