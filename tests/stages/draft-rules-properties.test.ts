/** Parsers of rows under damage: a cell that is not what the source wrote gives a reject or the same rule. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Draft, DraftRule } from '../../stages/draft-rules/draft.js';
import { SOURCES, type Source, type SourceRow } from '../../stages/draft-rules/sources.js';
import { lexicon, sourceRows } from '../support/draft-rules.js';

const FILES: Readonly<Record<string, string>> = {
  beers_rows: 'beers2023',
  kids_rows: 'kids2025',
  tga_rows: 'tga-pregnancy',
  label_rows: 'fda-labels',
};
const real = SOURCES.flatMap((source) =>
  sourceRows(FILES[source.table.name]!).map((row) => ({ source, row, body: bodies(source, row) })),
);

/** What the rules of a row say, without where they were read; null for a reject. */
function bodies(source: Source, row: SourceRow): string | null {
  const draft: Draft = source.parse(row, lexicon);
  if ('reject' in draft) return null;
  const said = draft.rules.map(({ spans: _, unless, ...rule }: DraftRule) => ({
    ...rule,
    unless: unless.map((u) => u.when),
  }));
  return JSON.stringify(said);
}

/** Numbers, signs and letters that could have been others: where no other cell repeats them, only the hash of the file shows it. */
const NUMBERS = /^(threshold_value|threshold_expression|age_value)$/;
const SIGNS = /^(threshold_op|australian_category)$/;
const OURS = ['row_id', 'source_file', 'source_line', 'document_id', 'is_current', 'is_usable'];
const columnsOf = (row: SourceRow): string[] => Object.keys(row).filter((c) => !OURS.includes(c));

const aRow = fc.nat({ max: real.length - 1 });
/** load-guidelines refuses the row itself: the column has a closed list or a form. */
const isRefusedBefore = (source: Source, column: string, text: string): boolean =>
  !source.table.row.pick({ [column]: true }).safeParse({ [column]: text }).success;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABC 0.';

describe('a damaged cell', () => {
  it('of any kind of text gives a reject or the same rule', () => {
    const garbage = fc.oneof(
      fc.string({ minLength: 1, maxLength: 40 }),
      fc.constantFrom(
        '?',
        'null',
        'NaN',
        '-',
        '__proto__',
        'constructor',
        ';',
        '()',
        '= 1 + 1',
        'class: ',
        'minus:',
      ),
    );
    fc.assert(
      fc.property(aRow, fc.nat(), garbage, (n, pick, text) => {
        const { source, row, body } = real[n]!;
        const columns = columnsOf(row);
        const column = columns[pick % columns.length]!;
        if (isRefusedBefore(source, column, text)) return;
        fc.pre(!SIGNS.test(column) && !(NUMBERS.test(column) && /\d/.test(text)));
        const now = bodies(source, { ...row, [column]: text });
        if (now !== null) expect(now, `${row.row_id} ${column} ${JSON.stringify(text)}`).toBe(body);
      }),
      { numRuns: 2000 },
    );
  });

  it('with one letter changed, lost or added gives a reject or the same rule', () => {
    fc.assert(
      fc.property(
        aRow,
        fc.nat(),
        fc.nat(),
        fc.constantFrom(...LETTERS),
        fc.constantFrom('put', 'cut', 'set'),
        (n, pick, at, letter, how) => {
          const { source, row, body } = real[n]!;
          const columns = columnsOf(row).filter(
            (c) => typeof row[c] === 'string' && !NUMBERS.test(c) && !SIGNS.test(c),
          );
          const column = columns[pick % columns.length]!;
          const cell = String(row[column]);
          const i = at % cell.length;
          const text =
            cell.slice(0, i) + (how === 'cut' ? '' : letter) + cell.slice(how === 'put' ? i : i + 1);
          if (isRefusedBefore(source, column, text)) return;
          const now = bodies(source, { ...row, [column]: text });
          if (now !== null) expect(now, `${row.row_id} ${column} ${JSON.stringify(text)}`).toBe(body);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('every text column of every Beers row is read: other words refuse the row', () => {
    const read = [
      'drug_or_class_label',
      'population',
      'criterion_text',
      'recommendation',
      'recommendation_detail',
    ];
    const optional = ['exceptions_text', 'use_pattern', 'formulation_scope', 'interacting_drug_or_class'];
    for (const { source, row } of real.filter((r) => r.source.table.name === 'beers_rows')) {
      for (const column of [...read, ...optional.filter((c) => row[c] !== null), 'member_drugs', 'strength'])
        expect(
          bodies(source, { ...row, [column]: `${row[column]} mostly` }),
          `${row.row_id} ${column}`,
        ).toBeNull();
    }
  });

  it('that is empty refuses a Beers row where its word or table promises what the cell held', () => {
    const columns = ['use_pattern', 'interacting_drug_or_class', 'threshold_variable', 'threshold_unit'];
    const kept: string[] = [];
    for (const { source, row, body } of real.filter((r) => r.source.table.name === 'beers_rows')) {
      for (const column of columns.filter((c) => row[c] !== null)) {
        const now = bodies(source, { ...row, [column]: null });
        if (now !== null && now !== body) kept.push(`${row.row_id} ${column}`);
      }
    }
    expect(kept).toEqual([]);
  });
});

describe('rows in any order', () => {
  it('give the same rules', () => {
    const all = real.map((_, i) => i);
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (order) => {
        for (const { source, row, body } of order.map((i) => real[i]!))
          expect(bodies(source, row)).toBe(body);
      }),
      { numRuns: 5 },
    );
  });
});
