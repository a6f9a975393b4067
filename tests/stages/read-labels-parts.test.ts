/** The parts of the label readers on made-up input, hostile input included. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { xmlProblem, xmlTree } from '../../stages/lib/xml.js';
import { gridOf } from '../../stages/read-labels/grid.js';
import { type Heading, splitNumbered } from '../../stages/read-labels/headings.js';
import { readOpenFda } from '../../stages/read-labels/openfda.js';
import { LabelDamage, labelDate } from '../../stages/read-labels/parsed.js';
import { readSpl } from '../../stages/read-labels/spl.js';
import { textOf } from '../../stages/read-labels/text.js';
import { partsOf, readTga } from '../../stages/read-labels/tga.js';

describe('strict XML', () => {
  const GOOD =
    '\ufeff<?xml version="1.0"?><!DOCTYPE a>\n<!-- <b> --><a x="1 &lt; 2" y=\'"\'><b/>t &#8805; &#x2265; &amp;<![CDATA[<&>]]><c:d e.f="g">h</c:d></a>\n';
  it('takes what is well formed', () => {
    expect(xmlProblem(GOOD)).toBeUndefined();
    const root = xmlTree(GOOD);
    expect([root.tagName, root.getAttribute('y'), textOf(root)]).toEqual(['a', '"', 't ≥ ≥ &<&>h']);
  });

  it('refuses every text that is cut', () => {
    const end = GOOD.lastIndexOf('</a>');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: end + 3 }), (at) => {
        expect(xmlProblem(GOOD.slice(0, at))).toBeDefined();
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it.each<[string, string, RegExp, number, number]>([
    ['swapped ends', '<a>\n<b></a></b>', /<\/a> where <\/b> is expected/, 2, 4],
    ['an end too many', '<a/></a>', /where nothing is expected/, 1, 5],
    ['a second root', '<a/><b/>', /second root/, 1, 5],
    ['text outside', '<a/>x', /text outside/, 1, 5],
    ['an HTML entity', '<a>x &nbsp; y</a>', /no known entity/, 1, 6],
    ['a bare ampersand', '<a>x & y</a>', /no known entity/, 1, 6],
    ['an attribute without quotes', '<a b=1/>', /not whole/, 1, 1],
    ['an attribute twice', '<a b="1" b="2"/>', /stands twice/, 1, 1],
    ['a lesser sign', '<a>x < y</a>', /not whole/, 1, 6],
    ['a zero byte', '<a>\u0000</a>', /control character/, 1, 4],
    ['declared entities', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', /declarations/, 1, 1],
    ['nothing', ' ', /no element/, 1, 2],
    ['depth without end', '<a>'.repeat(5000), /nested deeper/, 1, 601],
  ])('says where: %s', (_, text, message, line, column) => {
    const problem = xmlProblem(text)!;
    expect(problem.message).toMatch(message);
    expect([problem.line, problem.column]).toEqual([line, column]);
  });

  it('is quick on long hostile text', () => {
    const began = performance.now();
    xmlProblem(`<a ${'b="c" '.repeat(20_000)}`);
    xmlProblem('<'.repeat(50_000));
    xmlProblem(`<a>${'&'.repeat(50_000)}</a>`);
    expect(performance.now() - began).toBeLessThan(2000);
  });
});

describe('grids', () => {
  /** Cuts a rectangle into cells at random; returns the owner of every position. */
  const tilings = fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }), fc.infiniteStream(fc.nat(99)))
    .map(([rows, columns, stream]) => {
      const owner = Array.from({ length: rows }, () => Array<number>(columns).fill(-1));
      const cells: { row: number; column: number; height: number; width: number }[] = [];
      const draw = (n: number): number => Number(stream.next().value) % n;
      for (let r = 0; r < rows; r++) {
        for (let c = 0; c < columns; c++) {
          if (owner[r]![c] !== -1) continue;
          let width = 1 + draw(3);
          const height = Math.min(1 + draw(3), rows - r);
          while (c + width > columns || owner[r]!.slice(c, c + width).some((o) => o !== -1)) width--;
          for (let y = r; y < r + height; y++)
            for (let x = c; x < c + width; x++) owner[y]![x] = cells.length;
          cells.push({ row: r, column: c, height, width });
        }
      }
      return { rows, columns, owner, cells };
    });

  it('give back every tiling that was written as a table', () => {
    fc.assert(
      fc.property(tilings, ({ rows, columns, owner, cells }) => {
        const tr = (r: number): string =>
          cells
            .map((cell, i) => ({ ...cell, i }))
            .filter((cell) => cell.row === r)
            .map((cell) => `<td rowspan="${cell.height}" colspan="${cell.width}">${cell.i}</td>`)
            .join('');
        const body = Array.from({ length: rows }, (_, r) => `<tr>${tr(r)}</tr>`).join('');
        const grid = gridOf(xmlTree(`<table><tbody>${body}</tbody></table>`));
        expect([grid.rows_n, grid.columns_n, grid.cells.length]).toEqual([rows, columns, rows * columns]);
        for (const cell of grid.cells) expect(cell.text).toBe(String(owner[cell.row]![cell.column]));
        expect(grid.cells.filter((c) => c.is_origin).length).toBe(cells.length);
      }),
      { seed: 2, numRuns: 200 },
    );
  });

  const grid = (inner: string) => {
    const { cells, ...rest } = gridOf(xmlTree(`<table>${inner}</table>`));
    return {
      ...rest,
      rows: cells.map((c) => `${c.row},${c.column} ${c.text}${c.is_origin ? '' : '*'}`).sort(),
    };
  };

  it('end a row span with its group, and show the foot last', () => {
    expect(
      grid(
        '<caption>C <sup>1</sup></caption><tfoot><tr><td>F</td></tr></tfoot><thead><tr><th rowspan="5">H</th></tr></thead><tbody><tr><td rowspan="0">B</td></tr><tr><td>D</td></tr></tbody>',
      ),
    ).toEqual({
      caption: 'C ^1',
      rows_n: 4,
      columns_n: 2,
      rows: ['0,0 H', '1,0 B', '2,0 B*', '2,1 D', '3,0 F'],
    });
  });

  it('let the first cell keep a place when spans run into each other', () => {
    expect(grid('<tr><td>A</td><td rowspan="2">B</td></tr><tr><td colspan="2">C</td></tr>').rows).toEqual([
      '0,0 A',
      '0,1 B',
      '1,0 C',
      '1,1 B*',
    ]);
  });

  it('take no nonsense for a span', () => {
    expect(
      grid('<tr><td colspan="-2">A</td><td rowspan="x">B</td><td colspan="0">C</td></tr>').columns_n,
    ).toBe(3);
    expect(grid('<tr><td colspan="99999">A</td></tr>').columns_n).toBe(1000);
  });

  it('keep marks and footnotes off the numbers', () => {
    const [cell] = gridOf(
      xmlTree(
        '<table><tr><td>&lt;30<sup>a</sup> mL/min/1.73 m<sup>2</sup><footnote>Not on\n dialysis</footnote></td></tr></table>',
      ),
    ).cells;
    expect(cell).toMatchObject({ text: '<30^a mL/min/1.73 m^2', notes: 'Not on dialysis' });
  });
});

describe('numbered headings', () => {
  const headings: Heading[] = [
    { number: '8', title: 'USE IN SPECIFIC POPULATIONS', code: '43684-0' },
    { number: '8.*', title: 'Pregnancy', code: '42228-7' },
    { number: '8.*', title: 'Lactation', code: '77290-5' },
  ];
  const numbers = (text: string) => splitNumbered(text, headings).map((p) => [p.number, p.title, p.text]);

  it('are found, and references are not', () => {
    expect(
      numbers(
        '8 USE IN SPECIFIC POPULATIONS Short. ( 8.1 ) 8.1 Pregnancy See Section 8.2 Lactation. (8.2) [8.2] 8.2 Lactation Wait. 8.5 Elderly Fine.',
      ),
    ).toEqual([
      ['8', 'USE IN SPECIFIC POPULATIONS', 'Short. ( 8.1 )'],
      ['8.1', 'Pregnancy', 'See Section 8.2 Lactation. (8.2) [8.2]'],
      ['8.2', 'Lactation', 'Wait. 8.5 Elderly Fine.'],
    ]);
  });

  it('rise: a number that comes again or falls back is none', () => {
    expect(
      numbers('8.1 Pregnancy Stop. 8.2 Lactation Wait. 8.1 Pregnancy Again. 8.2 Lactation Again.'),
    ).toEqual([
      ['8.1', 'Pregnancy', 'Stop.'],
      ['8.2', 'Lactation', 'Wait. 8.1 Pregnancy Again. 8.2 Lactation Again.'],
    ]);
  });

  it('need no first number, and know titles only as whole words', () => {
    expect(numbers('Nursing Mothers 8.2 Lactation')).toEqual([[null, null, 'Nursing Mothers 8.2 Lactation']]);
    expect(numbers('8.1 Pregnancy-like states')).toEqual([['8.1', null, 'Pregnancy-like states']]);
    expect(numbers('8.1 Pregnancy')).toEqual([['8.1', 'Pregnancy', null]]);
    expect(numbers('')).toEqual([[null, null, null]]);
  });

  it('never lose a letter, whatever the text', () => {
    const words = fc.constantFrom(
      '8',
      '8.1',
      '8.2',
      '8.3',
      '8.10',
      '9.1',
      'Pregnancy',
      'Lactation',
      '(',
      ')',
      'see',
      'Dose',
      'dose',
      '4.5',
      '.',
      '“Q”',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), (all) => {
        const text = all.join(' ');
        const joined = splitNumbered(text, headings)
          .map((p) => [p.number, p.title, p.text].filter(Boolean).join(' '))
          .join(' ');
        expect(joined.replace(/\s+/g, '')).toBe(text.replace(/\s+/g, ''));
      }),
      { seed: 3, numRuns: 500 },
    );
  });
});

describe('openFDA files', () => {
  const known = { headings: [], fields: new Map([['pregnancy', '42228-7']]) };
  const read = (value: unknown) => () =>
    readOpenFda(typeof value === 'string' ? value : JSON.stringify(value), known, () => undefined);
  const label = { id: 'a', set_id: 'b', pregnancy: ['Text.'] };

  it.each<[string, unknown, RegExp]>([
    ['cut JSON', '{"results":[{"id":', /no whole JSON/],
    ['an error answer', { error: { code: 'NOT_FOUND' } }, /no openFDA label/],
    ['no result', { results: [] }, /no openFDA label/],
    ['a label without id', { results: [{ set_id: 'b' }] }, /no openFDA label/],
    ['a field that is no list', { results: [{ ...label, pregnancy: 'Text.' }] }, /no openFDA label/],
    ['a date that is none', { results: [{ ...label, effective_time: '20241340' }] }, /no date/],
    [
      'a table that is cut',
      { results: [{ ...label, x_table: ['<table><tr><td>1'] }] },
      /table of the label is damaged/,
    ],
    ['a table that is none', { results: [{ ...label, x_table: ['<p/>'] }] }, /table of the label is damaged/],
  ])('refuse %s', (_, value, words) => {
    expect(read(value)).toThrow(LabelDamage);
    expect(read(value)).toThrow(words);
  });

  it('quote nothing of a damaged text', () => {
    try {
      read('{"results": secret words')();
    } catch (error) {
      expect(JSON.stringify((error as LabelDamage).problem)).not.toContain('secret');
    }
    expect.assertions(1);
  });

  it('give a subsection the code of the field that holds it alone', () => {
    const headings = [{ number: '8', title: 'USE IN SPECIFIC POPULATIONS', code: '43684-0' }];
    const fields = new Map([
      ['use_in_specific_populations', '43684-0'],
      ['pregnancy', '42228-7'],
    ]);
    const whole = '8 USE IN SPECIFIC POPULATIONS 8.1 Gravidity Stop. 8.2 Nursing Wait.';
    const file = { ...label, use_in_specific_populations: [whole], pregnancy: ['8.1  Gravidity Stop.'] };
    for (const fieldsOf of [file, Object.fromEntries(Object.entries(file).reverse())]) {
      const [one] = readOpenFda(
        JSON.stringify({ results: [fieldsOf] }),
        { headings, fields },
        () => undefined,
      );
      const found = one!.sections.map((s) => [s.number, s.code, s.text]).sort();
      expect(found).toEqual([
        ['8', '43684-0', null],
        ['8.1', '42228-7', 'Gravidity Stop.'],
        ['8.2', null, 'Nursing Wait.'],
      ]);
    }
  });

  it('keep an unknown field and tell it', () => {
    const told: string[] = [];
    const [one] = readOpenFda(JSON.stringify({ results: [{ ...label, new_field: ['X.'] }] }), known, (f) =>
      told.push(f),
    );
    expect(told).toEqual(['new_field']);
    expect(one!.sections.map((s) => [s.fields, s.code, s.text])).toEqual([
      ['pregnancy', '42228-7', 'Text.'],
      ['new_field', null, 'X.'],
    ]);
  });
});

describe('SPL files', () => {
  it.each<[string, string, RegExp]>([
    ['another document', '<html><body/></html>', /no drug label/],
    ['no id', '<document><component><structuredBody/></component></document>', /no drug label/],
    ['no body', '<document><id root="a"/></document>', /no drug label/],
    ['a cut', '<document><id root="a"/>', /XML is damaged/],
  ])('refuse %s', (_, text, words) => {
    expect(() => readSpl(text)).toThrow(words);
  });

  it('tell sections apart that have the same words', () => {
    const section = '<component><section><code code="51945-4"/><text>Panel</text></section></component>';
    const label = (ids: string[]) =>
      readSpl(
        `<document><id root="a"/><component><structuredBody>${ids.map((id) => section.replace('<code', `<id root="${id}"/><code`)).join('')}</structuredBody></component></document>`,
      );
    expect(new Set(label(['x', 'y']).sections.map((s) => s.section_id)).size).toBe(2);
    expect(label(['x', 'y']).sections[1]!.section_id).toBe(label(['y']).sections[0]!.section_id);
  });

  it('read dates by pattern alone', () => {
    expect(labelDate('20240229')).toBe('2024-02-29');
    expect(labelDate('20240229101500+0000')).toBe('2024-02-29');
    expect(labelDate(null)).toBeNull();
    for (const text of ['2024', '2024-02-29', '20241301', '20240200', 'today'])
      expect(() => labelDate(text)).toThrow(/no date/);
  });
});

describe('the pregnancy table', () => {
  const HEAD =
    '<tr><th>Drug Name</th><th>Category</th><th>Classification Level 1</th><th>Classification Level 2</th><th>Classification Level 3</th></tr>';
  const row = (...cells: string[]): string => `<tr>${cells.map((c) => `<td>${c}</td>`).join('')}</tr>`;
  it('keeps entities, line breaks and equal rows', () => {
    const twice = row('a\n  b &amp; c &#946;', 'B1', '', '', '');
    const { entries, rows_n } = readTga(HEAD + twice + twice, 'd');
    expect([rows_n, entries.length, new Set(entries.map((e) => e.entry_id)).size]).toEqual([2, 2, 2]);
    expect(entries[0]!.name).toBe('a b & c β');
  });

  it('counts every row: entries and refused are all of them', () => {
    const cell = fc.constantFrom('', 'a', 'A', 'B1', 'B4', 'b1', 'A or D', 'X', '&amp;', 'a / b (oral)');
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 7 }), { maxLength: 20 }), (rows) => {
        const table = readTga(HEAD + rows.map((r) => row(...r)).join('\n'), 'd');
        expect(table.rows_n).toBe(rows.length);
        expect([...table.entries, ...table.refused].map((r) => r.row_n).sort((a, b) => a - b)).toEqual(
          rows.map((_, i) => i + 1),
        );
        for (const e of table.entries)
          expect(e.kind === 'letter').toBe(/^(A|B[123]|C|D|X)$/.test(e.category_text));
      }),
      { seed: 4, numRuns: 300 },
    );
  });

  it('refuses a table that is cut inside a row, and another table', () => {
    const html = HEAD + row('abc', 'B1', 'x', 'y', 'z');
    for (let at = HEAD.length + 1; at < html.length; at++)
      expect(() => readTga(html.slice(0, at), 'd')).toThrow(/is cut/);
    expect(() => readTga(row('a', 'b'), 'd')).toThrow(/not the table/);
    expect(() => readTga('', 'd')).toThrow(/not the table/);
  });

  it.each<[string, [string, string[]][]]>([
    [
      'a/b',
      [
        ['a', []],
        ['b', []],
      ],
    ],
    [
      'a / b;c',
      [
        ['a', []],
        ['b', []],
        ['c', []],
      ],
    ],
    [
      'a with b and c',
      [
        ['a', []],
        ['b', []],
        ['c', []],
      ],
    ],
    ['a and b', [['a and b', []]]],
    ['a (x/y with z)', [['a', ['(x/y with z)']]]],
    [
      'a (oral) / b (topical) [9Z]',
      [
        ['a', ['(oral)']],
        ['b', ['(topical)', '[9Z]']],
      ],
    ],
    ['a F(Ab) (Ovine)', [['a F(Ab)', ['(Ovine)']]]],
    ['withania', [['withania', []]]],
  ])('takes %s apart', (name, parts) => {
    expect(partsOf(name)).toEqual(parts.map(([n, qualifiers]) => ({ name: n, qualifiers })));
  });
});
