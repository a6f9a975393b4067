/** Questions from moments: options, forms, length. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  composePrompt,
  formsOf,
  letterOptions,
  type MomentParts,
  questionId,
} from '../../stages/assemble-questions/assemble.js';
import { balance } from '../../stages/assemble-questions/balance.js';
import { countTokens } from '../../stages/lib/tokens.js';

const PROMPTS = {
  mcq: 'Which?',
  open: 'Which ones?',
  allergies: 'Once more:\n{allergies}',
  'no-profile': '(no history)',
  'no-trajectory': '(no events)',
};

const drug = (ref: string) => ({ ref, drug: `Drug ${ref}`, dose_text: '1 mg', route: 'PO' });

const moment = (more: Partial<MomentParts> = {}): MomentParts => ({
  timepoint_id: 'T1',
  cut_at: '2150-03-02 08:00:00',
  sections: [{ section: 'allergies', text: 'Penicillins', spans: [] }],
  events: Array.from({ length: 30 }, (_, i) => ({
    event_id: `E${i}`,
    kind: 'lab',
    available_at: `2150-03-01 0${Math.floor(i / 10)}:${String((i % 10) * 5).padStart(2, '0')}:00`,
    text: `Potassium 3.${i} mEq/L`,
  })),
  allergies: ['Penicillins'],
  correct: [drug('O1'), drug('O2')],
  distractors: [drug('D1'), drug('D2'), drug('D3')],
  ...more,
});

const limits = { max_prompt_tokens: 32_000, countTokens };

describe('options', () => {
  it('are the same whatever the order of the drugs, and every drug once', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { minLength: 2, maxLength: 20 }),
        fc.integer({ min: 1, max: 19 }),
        (numbers, cut) => {
          const drugs = numbers.map((n) => drug(`R${n}`));
          const parts = { correct: drugs.slice(0, cut), distractors: drugs.slice(cut) };
          const a = moment(parts);
          const b = moment({
            correct: [...parts.correct].reverse(),
            distractors: [...parts.distractors].reverse(),
          });
          const options = letterOptions(questionId(a), a);
          expect(letterOptions(questionId(b), b)).toEqual(options);
          expect(options.map((o) => o.ref).sort()).toEqual(drugs.map((d) => d.ref).sort());
          expect(options.filter((o) => o.is_correct).length).toBe(parts.correct.length);
        },
      ),
    );
  });

  it('have an order and an id that do not depend on which are right', () => {
    const a = moment();
    const b = moment({ correct: a.distractors, distractors: a.correct });
    expect(questionId(b)).toBe(questionId(a));
    expect(letterOptions(questionId(b), b).map((o) => o.ref)).toEqual(
      letterOptions(questionId(a), a).map((o) => o.ref),
    );
  });

  it('put right drugs under every letter about equally often', () => {
    const counts = [0, 0, 0, 0, 0];
    for (let i = 0; i < 2000; i++) {
      const m = moment({ timepoint_id: `T${i}` });
      letterOptions(questionId(m), m).forEach((o, at) => {
        if (o.is_correct) counts[at]! += 1;
      });
    }
    // 4000 right options over five letters: 800 each, standard deviation about 22.
    for (const n of counts) expect(Math.abs(n - 800)).toBeLessThan(110);
  });

  it('refuse more drugs than letters', () => {
    const many = moment({ distractors: Array.from({ length: 25 }, (_, i) => drug(`D${i}`)) });
    expect(() => letterOptions('Q', many)).toThrow(/26/);
  });
});

describe('forms', () => {
  const forms = formsOf(moment(), PROMPTS, limits);
  const of = (config: string) => forms.find((f) => f.config === config)!;

  it('are five, four without an allergy', () => {
    expect(forms.map((f) => f.config)).toEqual([
      'mcq',
      'open',
      'mcq_allergy_repeated',
      'mcq_no_profile',
      'mcq_no_trajectory',
    ]);
    const none = formsOf(moment({ allergies: [] }), PROMPTS, limits).map((f) => f.config);
    expect(none).not.toContain('mcq_allergy_repeated');
    expect(none.length).toBe(4);
  });

  it('repeat allergies word for word at the end of the question', () => {
    expect(of('mcq_allergy_repeated').question).toBe('Which?\n\nOnce more:\nPenicillins');
  });

  it('withhold what they say they withhold', () => {
    expect(of('open').options).toEqual([]);
    expect(of('mcq_no_profile').profile).toBe('(no history)');
    expect(composePrompt(of('mcq_no_profile'))).not.toContain('Penicillins');
    expect(composePrompt(of('mcq_no_trajectory'))).not.toContain('Potassium');
    expect(of('mcq_no_trajectory').events_n).toBe(0);
    expect(of('mcq').events_n).toBe(30);
  });

  it('share options and their order', () => {
    expect(of('mcq_no_profile').options).toEqual(of('mcq').options);
  });
});

describe('length', () => {
  it('drops as few of the earliest events as needed, says so, and keeps the newest', () => {
    const whole = formsOf(moment(), PROMPTS, limits)[0]!;
    const limit = whole.prompt_tokens - 60;
    const short = formsOf(moment(), PROMPTS, { ...limits, max_prompt_tokens: limit })[0]!;
    expect(short.prompt_tokens).toBeLessThanOrEqual(limit);
    expect(short.dropped_events_n).toBeGreaterThan(0);
    expect(short.events_n + short.dropped_events_n).toBe(30);
    expect(short.timeline).toMatch(/^\(\d+ earlier events? left out for length\)/);
    expect(short.timeline).toContain('Potassium 3.29');
    const shown = moment().events.slice(short.dropped_events_n - 1);
    const one_more = formsOf(moment({ events: shown }), PROMPTS, limits)[0]!;
    // One event more, even without the words on what was left out, is at the limit or over it.
    expect(one_more.prompt_tokens + 8).toBeGreaterThan(limit);
  });

  it('keeps a question that is too long without events', () => {
    const tight = formsOf(moment(), PROMPTS, {
      ...limits,
      max_prompt_tokens: 500,
      countTokens: () => 9999,
    })[0]!;
    expect(tight.events_n).toBe(0);
    expect(tight.dropped_events_n).toBe(30);
  });
});

describe('countTokens', () => {
  it('counts o200k_base', () => {
    expect(countTokens('hello world')).toBe(2);
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
    expect(countTokens('')).toBe(0);
  });
});

describe('balance', () => {
  const drugs = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { minLength: 1, maxLength: 3 });
  const moments = fc
    .array(fc.record({ drugs, phase: fc.constantFrom('early', 'late') }), { minLength: 1, maxLength: 40 })
    .map((list) => list.map((m, i) => ({ ...m, timepoint_id: `T${i}` })));

  it('keeps every drug within the share, whatever the order of the moments', () => {
    fc.assert(
      fc.property(moments, fc.double({ min: 0.1, max: 0.6, noNaN: true }), (list, max) => {
        const kept = balance(list, max);
        expect(balance([...list].reverse(), max)).toEqual(kept);
        const right = list.filter((m) => kept.has(m.timepoint_id)).flatMap((m) => m.drugs);
        for (const d of new Set(right)) {
          const n = right.filter((x) => x === d).length;
          expect(n <= max * right.length || n === 1).toBe(true);
        }
      }),
    );
  });

  it('leaves out nothing where nothing is over the share', () => {
    const even = ['a', 'b', 'c', 'd'].map((d) => ({ timepoint_id: d, phase: 'early', drugs: [d] }));
    expect(balance(even, 0.25).size).toBe(4);
  });
});
