/** Member lists as rows write them: drugs, `class:` words, `minus:` words, open ends. */
import type { DrugClasses } from './drug-classes.js';
import type { DrugIndex, ResolvedDrug } from './drugs.js';

/** One drug or class of a list, with the words it was read from. */
export type ListItem =
  | { readonly kind: 'drug'; readonly text: string; readonly drug: ResolvedDrug }
  | { readonly kind: 'class'; readonly text: string; readonly keys: readonly string[] };

/** A piece of a list that was not understood. */
export interface ListProblem {
  readonly text: string;
  readonly reason: string;
  readonly expected: string;
}

export interface MemberList {
  readonly items: readonly ListItem[];
  /** What `minus:` takes out of the classes again. */
  readonly minus: readonly ListItem[];
  /** True where the list says that it goes on (`others`): what is not in it may still belong to it. */
  readonly is_open: boolean;
  readonly problems: readonly ListProblem[];
}

/** Splits at a separator outside brackets and trims. */
export function splitOutside(text: string, separator: ';' | ','): string[] {
  const out: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i <= text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')') depth--;
    else if (i === text.length || (depth === 0 && text[i] === separator)) {
      out.push(text.slice(from, i).trim());
      from = i + 1;
    }
  }
  return out.filter((piece) => piece !== '');
}

/**
 * Reads a list split by ";". `class: X` must be a class word; anything else is a drug or, failing that, a class word.
 * Every piece ends as an item, as `is_open`, or as a problem.
 */
export function parseMemberList(text: string, drugs: DrugIndex, classes: DrugClasses): MemberList {
  const items: ListItem[] = [];
  const minus: ListItem[] = [];
  const problems: ListProblem[] = [];
  let is_open = false;
  const put = (into: ListItem[], piece: string): void => {
    const read = readPiece(piece, drugs, classes);
    if ('reason' in read && read.reason === 'open_list') is_open = true;
    else if ('reason' in read) problems.push({ ...read, text: piece });
    else into.push(read);
  };
  for (const piece of splitOutside(text, ';')) {
    const taken = /^minus:\s*(.*)$/is.exec(piece)?.[1];
    if (taken === undefined) put(items, piece);
    else if (classes.keysOfWord(piece)) put(minus, piece);
    else for (const one of splitOutside(taken, ',')) put(minus, one);
  }
  return { items, minus, is_open, problems };
}

function readPiece(
  text: string,
  drugs: DrugIndex,
  classes: DrugClasses,
): ListItem | { readonly reason: string; readonly expected: string } {
  const keys = classes.keysOfWord(text);
  if (/^class:/i.test(text)) {
    if (keys) return { kind: 'class', text, keys };
    return { reason: 'unknown_class_word', expected: 'a word of class-words.csv' };
  }
  const drug = drugs.resolve(text);
  if (!('reason' in drug)) return { kind: 'drug', text, drug };
  if (keys) return { kind: 'class', text, keys };
  if (classes.isHeading(text))
    return { reason: 'heading_only', expected: 'a drug or a class, not a heading' };
  return { reason: drug.reason, expected: drug.expected };
}
