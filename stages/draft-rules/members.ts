/** Member cells become drug references, each with the words of the cell that say it. */
import type { Condition, DrugRef } from '../../schemas/condition.js';
import { type ListItem, parseMemberList } from '../lib/member-list.js';
import { conditionOf, type Lexicon, plainRef, type Reading } from './lexicon.js';
import { refuse } from './refuse.js';

export interface Member {
  readonly ref: DrugRef;
  readonly quotes: readonly string[];
}

export interface Members {
  readonly members: readonly Member[];
  /** True where the cell says that the list goes on (`others`). */
  readonly is_open: boolean;
}

/** Where a cell stands: `source` and `column` choose its phrases and name its rejects. */
export interface CellPlace {
  readonly source: string;
  readonly column: string;
}

/**
 * Reads a member cell. A bracket after a drug limits it and is read as a phrase of the column `<column> ()`. What `minus:`
 * names, and every member with a limit of its own, is taken out of the classes of the same cell.
 */
export function readMembers(lexicon: Lexicon, place: CellPlace, cell: string): Members {
  const list = parseMemberList(cell, lexicon.drugs, lexicon.classes);
  const [problem] = list.problems;
  if (problem) return refuse('unknown_drug', place.column, problem.text, problem.expected);
  if (list.items.length === 0) return refuse('unknown_drug', place.column, cell, 'a drug or a class');
  const read = list.items.flatMap((item) => readItem(lexicon, place, item));
  const own = read.filter((m) => m.ref.kind !== 'class' && hasLimit(m.ref)).map((m) => m.ref.name);
  const minus = [...list.minus.flatMap(minusNames), ...own];
  const taken = list.minus.map((m) => m.text);
  const members = read.map((m): Member => {
    if (m.ref.kind !== 'class' || minus.length === 0) return m;
    return { ref: { ...m.ref, minus }, quotes: [...m.quotes, ...taken] };
  });
  return { members, is_open: list.is_open };
}

const hasLimit = (ref: DrugRef): boolean => ref.form !== null || ref.routes !== null || ref.dose !== null;

const minusNames = (item: ListItem): string[] =>
  item.kind === 'drug' ? [item.drug.ingredient] : [...item.keys];

function readItem(lexicon: Lexicon, place: CellPlace, item: ListItem): Member[] {
  if (item.kind === 'class') {
    return item.keys.map((key) => ({ ref: plainRef('class', key), quotes: [item.text] }));
  }
  const { ingredient, parts, qualifier } = item.drug;
  const ref = plainRef(parts.length > 1 ? 'combination' : 'ingredient', ingredient);
  const readings = lexicon.read(place.source, `${place.column} ()`, qualifier);
  return [{ ref: limitRef(ref, readings), quotes: [item.text] }];
}

/** A reference with the form, routes and dose that `limit` readings give; a limit it already has stays. */
export function limitRef(ref: DrugRef, readings: readonly Reading[]): DrugRef {
  let { form, routes, dose } = ref;
  for (const reading of readings.filter((r) => r.role === 'limit')) {
    for (const c of flat(conditionOf(reading))) {
      if (c.type === 'form') form ??= c.form;
      else if (c.type === 'route') routes ??= [...c.any_of];
      else if (c.type === 'dose') dose ??= c.bounds;
      else throw new Error(`limit "${reading.reads}" is neither form, route nor dose`);
    }
  }
  return { ...ref, form, routes, dose };
}

const flat = (c: Condition): Condition[] => (c.type === 'all' ? c.of.flatMap(flat) : [c]);
