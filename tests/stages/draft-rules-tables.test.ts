/** The tables that parsers read with: sorted, without dead lines, and every key they use is known. */
import { describe, expect, it } from 'vitest';
import { SPECIAL_POPULATIONS } from '../../schemas/rule.js';
import { predicatesOf } from '../../stages/draft-rules/information-type.js';
import { conditionOf, Lexicon, plainRef, type ROLES } from '../../stages/draft-rules/lexicon.js';
import { RECOMMENDATION_WORDS, recommendationOf } from '../../stages/draft-rules/recommendations.js';
import { parseRef } from '../../stages/lib/rules/expression.js';
import {
  classes,
  conceptRows,
  drugs,
  knowledge,
  lexicon,
  phraseRows,
  useRows,
} from '../support/draft-rules.js';
import { guidelineRows } from '../support/guidelines.js';

const lines = phraseRows();
const key = (r: Record<string, string>, columns: readonly string[]): string =>
  columns.map((c) => r[c]).join('\u0000');
const isSorted = (keys: readonly string[]): boolean => keys.every((k, i) => i === 0 || keys[i - 1]! < k);
const byBytes = (rows: readonly Record<string, string>[], columns: readonly string[]): string[] =>
  rows.map((r) => Buffer.from(key(r, columns)).toString('latin1'));

describe('tables of draft-rules', () => {
  it('are sorted, without a line twice', () => {
    const columns = ['source', 'column', 'phrase', 'role', 'reads', 'quote'];
    expect(isSorted(byBytes(lines, columns))).toBe(true);
    expect(isSorted(byBytes(conceptRows(), ['concept']))).toBe(true);
    expect(isSorted(byBytes(useRows(), ['facet', 'value']))).toBe(true);
  });

  it('have no phrase that no row has', () => {
    const files: Record<string, string[]> = {
      beers2023: ['beers2023'],
      kids: ['kids2025', 'kids2020-superseded'],
      'tga-pregnancy': ['tga-pregnancy'],
      'fda-labels': ['fda-labels', 'fda-labels-unchecked'],
    };
    const rows = Object.fromEntries(Object.entries(files).map(([s, f]) => [s, f.flatMap(guidelineRows)]));
    const dead = [...lexicon.keys()].filter(([source, column, phrase]) => {
      const of = column.replace(/ \(\)$/, '');
      return !rows[source]!.some((r) => r[of]?.toLowerCase().includes(phrase.toLowerCase()));
    });
    expect(dead).toEqual([]);
  });

  it('use known facts, uses, drugs and classes only', () => {
    const uses = new Set(useRows().map((u) => `${u.facet}=${u.value}`));
    const unknown: string[] = [];
    const check = (is_known: boolean, what: string): unknown => is_known || unknown.push(what);
    const checkRef = (ref: { kind: string; name: string; minus: readonly string[] }): void => {
      check(ref.kind === 'class' ? classes.has(ref.name) : drugs.has(ref.name), ref.name);
      for (const m of ref.minus) check(classes.has(m) || drugs.has(m), m);
    };
    for (const line of lines) {
      const reading = { role: line.role as (typeof ROLES)[number], reads: line.reads!, quote: '' };
      if (reading.role === 'inferred' || reading.role === 'alternative') checkRef(parseRef(reading.reads));
      if (!['when', 'unless', 'population', 'limit', 'member_unless', 'also'].includes(reading.role))
        continue;
      for (const p of predicatesOf(conditionOf(reading))) {
        if (p.type === 'fact') check(knowledge.concepts.has(p.concept), p.concept);
        if (p.type === 'use' && p.facet === 'indication') check(knowledge.concepts.has(p.value), p.value);
        if (p.type === 'use' && p.facet !== 'indication') check(uses.has(`${p.facet}=${p.value}`), p.value);
        if (p.type === 'route') for (const r of p.any_of) check(uses.has(`route=${r}`), r);
        if ('drugs' in p) p.drugs.forEach(checkRef);
      }
    }
    expect(unknown).toEqual([]);
  });

  it('print in the words of a handling only numbers of the quote', () => {
    const numbers = (text: string): string[] => text.match(/\d+(\.\d+)?/g) ?? [];
    const wrong = lines
      .filter((l) => ['dose_text', 'monitoring', 'act'].includes(l.role!))
      .filter((l) => numbers(l.reads!).some((n) => !numbers(l.quote || l.phrase!).includes(n)));
    expect(wrong).toEqual([]);
  });

  it('map every recommendation word of the four sources, and no other', () => {
    const files = ['beers2023', 'kids2025', 'kids2020-superseded', 'tga-pregnancy', 'fda-labels'];
    const words = new Set(files.flatMap((f) => guidelineRows(f).map((r) => r.recommendation!)));
    expect([...RECOMMENDATION_WORDS].sort()).toEqual([...words].sort());
    expect(() => recommendationOf('avoid maybe')).toThrow(/unknown_word/);
    expect(() => recommendationOf('constructor')).toThrow(/unknown_word/);
  });

  it('give every recommendation word the kind that is expected of its rows', () => {
    const rows = ['beers2023', 'kids2025', 'kids2020-superseded', 'tga-pregnancy', 'fda-labels'].flatMap(
      guidelineRows,
    );
    const word = new Map(rows.map((r) => [r.row_id, r.recommendation!]));
    const wrong = guidelineRows('classification').filter(
      (c) => recommendationOf(word.get(c.row_id)!).kind !== c.action_kind,
    );
    expect(wrong).toEqual([]);
  });

  it('keep polarity and kind together', () => {
    const restricting = /^(contraindicate|avoid|not recommended|stop)/;
    for (const w of RECOMMENDATION_WORDS) {
      const { kind, polarity, object } = recommendationOf(w);
      if (polarity === 'restrict') expect(kind).toMatch(restricting);
      if (polarity === 'change') expect(kind).toMatch(/^(reduce|cap|stop)/);
      if (polarity === 'neutral') expect(kind).toMatch(/^(state|no restriction|prefer)/);
      expect(object === 'combination').toBe(kind === 'avoid combination');
    }
    expect(recommendationOf('interrupt').polarity).toBe('change');
    expect(recommendationOf('discontinue').polarity).toBe('restrict');
    expect(SPECIAL_POPULATIONS).toHaveLength(4);
  });
});

describe('a lexicon', () => {
  const line = { source: 's', column: 'c', phrase: 'under 65', role: 'when', reads: 'age < 65 a', quote: '' };
  const make = (...rows: Partial<typeof line>[]) =>
    new Lexicon(
      rows.map((r) => ({ ...line, ...r })),
      drugs,
      classes,
    );

  it('reads a whole cell only', () => {
    const l = make({});
    expect(l.read('s', 'c', 'under 65')).toEqual([{ role: 'when', reads: 'age < 65 a', quote: 'under 65' }]);
    expect(l.read('s', 'c', null)).toEqual([]);
    for (const text of ['under 65 ', 'Under 65', 'under 6'])
      expect(() => l.read('s', 'c', text)).toThrow(/unread_phrase/);
    expect(() => l.read('t', 'c', 'under 65')).toThrow(/unread_phrase/);
  });

  it.each([
    [{ reads: 'age < 65' }, /no bound with a UCUM unit/],
    [{ quote: 'over' }, /"over" is not in the phrase/],
    [{ role: 'maybe' }, /role maybe/],
    [{ reads: '' }, /reads nothing/],
    [{ role: 'also', reads: 'part: always' }, /needs 2 words with a colon/],
  ])('refuses a line %j', (change, words) => {
    expect(() => make(change)).toThrow(words);
  });

  it('refuses a text that explains and says something', () => {
    expect(() => make({}, { role: '-', reads: '-' })).toThrow(/both explains and says something/);
  });

  it('makes references without limits', () => {
    expect(plainRef('class', 'opioids')).toEqual(parseRef('class:opioids'));
  });
});
