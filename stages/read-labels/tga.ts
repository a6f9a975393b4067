/** The table of medicines in pregnancy of the Australian regulator, as the rows of its web page. */
import { DOMParser } from 'linkedom';
import { canonicalJson } from '../lib/canonical-json.js';
import { contentId } from '../lib/hash.js';
import { LabelDamage } from './parsed.js';

const HEADER = [
  'Drug Name',
  'Category',
  'Classification Level 1',
  'Classification Level 2',
  'Classification Level 3',
];
const LETTER = /^(A|B1|B2|B3|C|D|X)$/;
const LETTER_WORD = /\b(A|B1|B2|B3|C|D|X)\b/;

export interface Part {
  readonly name: string;
  /** Texts in brackets, with their brackets: route, use, other name. */
  readonly qualifiers: readonly string[];
}

export interface Entry {
  readonly entry_id: string;
  readonly row_n: number;
  readonly name: string;
  readonly parts: readonly Part[];
  readonly kind: 'letter' | 'sentence';
  readonly category: string | null;
  readonly category_text: string;
  readonly classes: readonly (string | null)[];
}

export interface RefusedRow {
  readonly row_n: number;
  readonly reason: 'ragged_row' | 'no_name' | 'unknown_category';
  readonly got: string;
  readonly expected: string;
}

export interface CategoryTable {
  readonly rows_n: number;
  readonly entries: readonly Entry[];
  readonly refused: readonly RefusedRow[];
}

interface HtmlNode {
  readonly localName: string;
  readonly textContent: string;
  readonly children: ArrayLike<HtmlNode>;
  querySelectorAll(selector: string): ArrayLike<HtmlNode>;
}

/** Reads the rows; every row below the header is an entry or refused. Ids come from `document_id` and the row's content. */
export function readTga(html: string, document_id: string): CategoryTable {
  checkWhole(html);
  const tree = new DOMParser().parseFromString(`<html><body>${html}</body></html>`, 'text/html');
  const rows = Array.from((tree as unknown as HtmlNode).querySelectorAll('tr')).map((tr) =>
    Array.from(tr.children)
      .filter((c) => c.localName === 'td' || c.localName === 'th')
      .map((c) => c.textContent.replace(/\s+/g, ' ').trim()),
  );
  const [header, ...data] = rows;
  if (canonicalJson(header ?? []) !== canonicalJson(HEADER)) {
    throw new LabelDamage({
      message: 'the HTML is not the table of medicines in pregnancy',
      got: header?.join(', ') ?? 'no row',
      expected: HEADER.join(', '),
    });
  }
  const entries: Entry[] = [];
  const refused: RefusedRow[] = [];
  const seen = new Map<string, number>();
  data.forEach((cells, i) => {
    const row_n = i + 1;
    const problem = problemOf(cells);
    if (problem) refused.push({ row_n, ...problem });
    else entries.push(entryOf(cells, row_n, document_id, seen));
  });
  return { rows_n: data.length, entries, refused };
}

/** HTML readers close what is open at the end of a cut file; here that is damage. */
function checkWhole(html: string): void {
  const text = html.replace(/<!--[\s\S]*?-->/g, '');
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  for (const name of ['tr', 'td', 'th']) {
    const opened = count(new RegExp(`<${name}[\\s>]`, 'gi'));
    const closed = count(new RegExp(`</${name}\\s*>`, 'gi'));
    if (opened !== closed || /<[^>]*$/.test(text.trimEnd())) {
      throw new LabelDamage({
        message: 'the HTML table is cut',
        got: `${opened} <${name}> and ${closed} </${name}>`,
        expected: 'as many ends as beginnings',
      });
    }
  }
}

function problemOf(cells: readonly string[]): Omit<RefusedRow, 'row_n'> | undefined {
  const [name, category] = cells;
  if (cells.length !== HEADER.length)
    return { reason: 'ragged_row', got: `${cells.length} cells`, expected: `${HEADER.length} cells` };
  if (!name) return { reason: 'no_name', got: 'an empty cell', expected: 'the name of a drug' };
  if (!LETTER_WORD.test(category!))
    return { reason: 'unknown_category', got: category!, expected: 'A, B1, B2, B3, C, D or X' };
  return undefined;
}

function entryOf(
  cells: readonly string[],
  row_n: number,
  document_id: string,
  seen: Map<string, number>,
): Entry {
  const [name, category_text, ...classes] = cells as [string, string, ...string[]];
  const content = canonicalJson(cells);
  // Rows that are equal in every cell differ by their count alone.
  const copy = seen.get(content) ?? 0;
  seen.set(content, copy + 1);
  const is_letter = LETTER.test(category_text);
  return {
    entry_id: contentId('category-entry', document_id, content, copy),
    row_n,
    name,
    parts: partsOf(name),
    kind: is_letter ? 'letter' : 'sentence',
    category: is_letter ? category_text : null,
    category_text,
    classes: classes.map((c) => c || null),
  };
}

/** A bracket that begins a word; `F(Ab)` is a word of its own. */
const BRACKET = /(^|\s)(\([^()]*\)|\[[^[\]]*\])/g;
/** Between parts: `/`, `;`, `with`, and the `and` of a list that `with` began. */
const BETWEEN = /\s*[/;]\s*|\s+with\s+/g;
const LIST_END = /\s+and\s+/g;

/** Combinations taken apart outside brackets; texts in brackets apart from the names. */
export function partsOf(name: string): Part[] {
  // Brackets are hidden behind a text of the same length, so that places stay the same.
  const hidden = name.replace(BRACKET, (whole) => '_'.repeat(whole.length));
  const cuts = [...hidden.matchAll(BETWEEN)];
  const first = cuts.find((m) => /with/.test(m[0]));
  if (first) cuts.push(...[...hidden.matchAll(LIST_END)].filter((m) => m.index > first.index));
  cuts.sort((a, b) => a.index - b.index);
  const ends = [...cuts.map((m) => m.index), name.length];
  const starts = [0, ...cuts.map((m) => m.index + m[0].length)];
  return starts.map((start, i) => {
    const part = name.slice(start, ends[i]);
    return {
      name: part.replace(BRACKET, ' ').replace(/\s+/g, ' ').trim(),
      qualifiers: [...part.matchAll(BRACKET)].map((m) => m[2]!),
    };
  });
}
