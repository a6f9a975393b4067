/** Quotes, the form of replies, and the prompt of the model author. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instructions, messagesFor, PROMPT_FILE } from '../../stages/draft-rules-from-prose/prompt.js';
import { fold, isQuoted, numbersIn } from '../../stages/draft-rules-from-prose/quotes.js';
import { Reply } from '../../stages/draft-rules-from-prose/reply.js';
import { known, passage, rule } from './draft-rules-from-prose.fixture.js';

describe('quotes', () => {
  it('stand in the text as whole words and numbers, white space folded', () => {
    const text = fold('Below 300 mg,\n or 2.5 mg twice;  (≥30 kg) 1,500 units.');
    for (const quote of ['300 mg, or 2.5 mg', '2.5', '(≥30 kg)', '≥30', '30 kg', '1,500 units.', 'Below'])
      expect(isQuoted(text, fold(quote)), quote).toBe(true);
    for (const quote of [
      '30 mg',
      '00 mg',
      '5 mg',
      '2',
      '500',
      '1',
      'elow',
      'Bel',
      'below',
      '300  mgs',
      '',
      ' ',
      '(',
      '≥',
    ])
      expect(isQuoted(text, fold(quote)), quote).toBe(false);
  });

  it('are found wherever they are cut out between words, and never with a letter changed', () => {
    const words = fc.array(
      fc.constantFrom('avoid', 'dose', '30', '2.5', 'mL/min', '(see', '7.1)', 'Über', 'µg', '≥', 'CrCl'),
      {
        minLength: 3,
        maxLength: 15,
      },
    );
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), (all, a, b) => {
        const from = a % all.length;
        const quote = all.slice(from, from + 1 + (b % (all.length - from))).join(' ');
        fc.pre(/[\p{L}\p{N}]/u.test(quote));
        const text = all.join(' ');
        expect(isQuoted(text, quote)).toBe(true);
        expect(isQuoted(text, `${quote}x`)).toBe(false);
        expect(isQuoted(text, quote.replace(/[\p{L}\p{N}]/u, '§'))).toBe(false);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('give their numbers, in digits and words', () => {
    expect([...numbersIn('1,500 mg, 2.5–5 mg, two of three; CYP3A4')].sort((a, b) => a - b)).toEqual([
      2, 2.5, 3, 4, 5, 1500,
    ]);
  });
});

describe('replies', () => {
  it('are rules or a reason, never neither and never both', () => {
    expect(Reply.safeParse({ rules: [], nothing_because: 'animal data' }).success).toBe(true);
    expect(Reply.safeParse({ rules: [rule()], nothing_because: null }).success).toBe(true);
    for (const bad of [
      { rules: [], nothing_because: null },
      { rules: [], nothing_because: '  ' },
      { rules: [rule()], nothing_because: 'but' },
      { rules: [rule({ targets: [] })], nothing_because: null },
      { rules: [{ ...rule(), note: 'x' }], nothing_because: null },
      { rules: [rule({}, { kind: 'forbid' as 'avoid' })], nothing_because: null },
    ])
      expect(Reply.safeParse(bad).success).toBe(false);
  });
});

describe('the prompt', () => {
  const system = instructions(readFileSync(PROMPT_FILE, 'utf8'), known);
  it('lists every fact, use, class and definition, and leaves no blank', () => {
    expect(system).not.toMatch(/\{\{/);
    for (const c of known.concepts.all()) expect(system).toContain(`- ${c.concept}: `);
    for (const key of known.classes.keys()) expect(system).toContain(`- ${key}: `);
    for (const d of known.definedBy) expect(system).toContain(d.definition.words);
  });
  it('gives the passage as it is, after the instructions, and no id of ours', () => {
    const text = 'A {{grammar}} >>> $& line\n two';
    const [first, last] = messagesFor(system, passage(text));
    expect(first!.role).toBe('system');
    expect(last!.content).toContain(`<<<\n${text}\n>>>`);
    expect(JSON.stringify([first, last])).not.toContain('P-1');
    expect(() => instructions('{{nothing}}', known)).toThrow(/unknown list nothing/);
  });
});
