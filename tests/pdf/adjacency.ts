/**
 * The measure of the ICDAR 2013 table competition (Göbel, Hassan, Oro, Orsi): neighbour relations between cells with
 * text. Its rules, as its own program has them: whitespace removed, capitals folded, blank positions between two
 * neighbours counted and compared, a relation of two spanning cells counted once.
 */

export interface ScoredCell {
  readonly row: number;
  readonly col: number;
  readonly row_span: number;
  readonly col_span: number;
  readonly text: string;
}

export interface ScoredTable {
  readonly page: number;
  readonly cells: readonly ScoredCell[];
}

export interface Score {
  readonly found: number;
  readonly expected: number;
  readonly correct: number;
}

/** Whitespace removed, capitals folded. */
export const normalise = (text: string): string => text.replace(/\s+/g, '').toUpperCase();

/** Relations of a table as text, one a line; equal relations stay apart. */
export function relations(table: ScoredTable): string[] {
  const cells = table.cells.filter((c) => normalise(c.text) !== '');
  const at = new Map<string, ScoredCell>();
  for (const c of cells)
    for (let r = c.row; r < c.row + c.row_span; r++)
      for (let k = c.col; k < c.col + c.col_span; k++) at.set(`${r},${k}`, c);
  const rows = Math.max(0, ...cells.map((c) => c.row + c.row_span));
  const cols = Math.max(0, ...cells.map((c) => c.col + c.col_span));
  return [
    ...walk(rows, cols, (r, c) => at.get(`${r},${c}`), 'right'),
    ...walk(cols, rows, (c, r) => at.get(`${r},${c}`), 'down'),
  ];
}

/** Goes along `lanes` and notes each step from a cell with text to the next one. */
function walk(
  lanes: number,
  length: number,
  cellAt: (lane: number, i: number) => ScoredCell | undefined,
  direction: string,
): string[] {
  const seen = new Map<ScoredCell, Set<ScoredCell>>();
  const out: string[] = [];
  for (let lane = 0; lane < lanes; lane++) {
    let [last, lastAt] = [undefined as ScoredCell | undefined, 0];
    for (let i = 0; i < length; i++) {
      const cell = cellAt(lane, i);
      if (!cell) continue;
      if (last && last !== cell && !seen.get(last)?.has(cell)) {
        seen.set(last, (seen.get(last) ?? new Set()).add(cell));
        out.push(`${direction} ${i - lastAt - 1} ${normalise(last.text)} -> ${normalise(cell.text)}`);
      }
      [last, lastAt] = [cell, i];
    }
  }
  return out;
}

/** How many relations two lists share, each used once. */
export function common(a: readonly string[], b: readonly string[]): number {
  const left = new Map<string, number>();
  for (const r of a) left.set(r, (left.get(r) ?? 0) + 1);
  let n = 0;
  for (const r of b) {
    const k = left.get(r) ?? 0;
    if (k > 0) {
      n++;
      left.set(r, k - 1);
    }
  }
  return n;
}

/**
 * Scores a document: each expected table is compared with one found table of its page, in the pairing that shares the
 * most relations (greedy); what is left over counts as missed or as false.
 */
export function scoreDocument(found: readonly ScoredTable[], expected: readonly ScoredTable[]): Score {
  const f = found.map((t) => ({ page: t.page, relations: relations(t) }));
  const e = expected.map((t) => ({ page: t.page, relations: relations(t) }));
  const pairs = e
    .flatMap((x, i) =>
      f.map((y, j) => ({ i, j, n: x.page === y.page ? common(x.relations, y.relations) : 0 })),
    )
    .filter((p) => p.n > 0)
    .sort((a, b) => b.n - a.n || a.i - b.i || a.j - b.j);
  const [usedI, usedJ] = [new Set<number>(), new Set<number>()];
  let correct = 0;
  for (const { i, j, n } of pairs) {
    if (usedI.has(i) || usedJ.has(j)) continue;
    usedI.add(i);
    usedJ.add(j);
    correct += n;
  }
  const count = (tables: readonly { relations: readonly string[] }[]): number =>
    tables.reduce((s, t) => s + t.relations.length, 0);
  return { found: count(f), expected: count(e), correct };
}

export interface Measures {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/** Precision, recall and F1; nothing found is precision 0. */
export function measures({ found, expected, correct }: Score): Measures {
  const precision = found === 0 ? 0 : correct / found;
  const recall = expected === 0 ? 0 : correct / expected;
  return { precision, recall, f1: correct === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}
