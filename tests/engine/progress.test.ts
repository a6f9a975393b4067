/** What a person and a program see while models are asked. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonProgress, plainProgress, type StageState } from '../../pipelines/engine/progress.js';
import { wordFinished, wordUpdate } from '../../pipelines/engine/progress-words.js';
import { watchStage } from '../../pipelines/engine/stage-watch.js';
import { addCall, addResult, type ModelTally, sumTallies } from '../../pipelines/engine/tally.js';

const SPENT = { prompt_tokens: 900, completion_tokens: 100, is_assumed: false, cost_usd: 0.001 };

/** 120 asked: 8 invalid, 4 refused, 20 from records, 105 calls of which 5 after faults. */
function tally(): ModelTally {
  let t: ModelTally | undefined;
  for (let i = 0; i < 120; i++) {
    if (i >= 20) t = addCall(t, 'first', SPENT);
    t = addResult(t, i < 100 ? 'accepted' : i < 108 ? 'accepted' : i < 116 ? 'invalid' : 'refused', i < 20);
  }
  for (let i = 0; i < 5; i++) t = addCall(t, 'transport_retry', { ...SPENT, is_assumed: true });
  return t!;
}

const STATE: StageState = {
  done: 120,
  total: 450,
  what: 'timepoint:ab12',
  rejected: { no_new_trigger: 3, empty_chain: 5 },
  models: tally(),
  left_seconds: 150,
};

const EVENT = {
  stage: 'annotate-chains',
  status: 'built' as const,
  seconds: 12,
  rows: 30,
  files: 0,
  rejected: 8,
};

describe('words', () => {
  it('say what is done, accepted, rejected by reason, spent, and how long it will take', () => {
    expect(wordUpdate(STATE)).toBe(
      'timepoint:ab12  26 %, asked 120: 108 accepted, 20 from records, 12 without answer (invalid 8, refused 4), 105 calls (5 repeated), 100,000 tokens, at most 5,000 tokens not reported, $0.1050, 8 rejected (empty_chain 5, no_new_trigger 3), about 3 min left',
    );
    expect(wordUpdate({ done: 3, total: 4, what: 'stays', rejected: {}, left_seconds: null })).toBe(
      'stays  75 %',
    );
    expect(wordFinished({ ...EVENT, models: tally() })).toMatch(
      /^annotate-chains {2}12\.0 s, 30 rows, 8 rejected; asked 120: 108 accepted, .*\$0\.1050$/,
    );
    expect(wordFinished(EVENT)).toBe('annotate-chains  12.0 s, 30 rows, 8 rejected');
  });
});

describe('lines', () => {
  it('are JSON objects where models are asked, in a pipe too', () => {
    for (const make of [plainProgress, jsonProgress]) {
      const lines: string[] = [];
      const progress = make((line) => lines.push(line));
      progress.update('annotate-chains', STATE);
      progress.update('annotate-chains', STATE);
      progress.finish({ ...EVENT, models: tally() });
      const json = lines.filter((l) => l.startsWith('{')).map((l) => JSON.parse(l) as { event: string });
      expect(json.map((e) => e.event)).toEqual(['progress', 'finish']);
      expect(json[0]).toMatchObject({
        stage: 'annotate-chains',
        done: 120,
        total: 450,
        left_seconds: 150,
        rejected: { empty_chain: 5 },
        models: { accepted: 108, failed: { invalid: 8, refused: 4 }, prompt_tokens: 90_000, recorded: 20 },
      });
      expect(json[1]).toMatchObject({ models: { calls: 105, transport_retries: 5, assumed_tokens: 5000 } });
    }
  });

  it('stay words where no model is asked', () => {
    const lines: string[] = [];
    const progress = plainProgress((line) => lines.push(line));
    progress.update('mine-pairs', { done: 1, total: 4, rejected: {}, left_seconds: null });
    progress.finish(EVENT);
    expect(lines).toEqual(['  mine-pairs: 25 %', '✔ annotate-chains  12.0 s, 30 rows, 8 rejected']);
  });
});

describe('the time that is left', () => {
  const watched = () => {
    let at = 0;
    const states: StageState[] = [];
    const watch = watchStage(
      (s) => states.push(s),
      () => at,
    );
    return { states, watch, wait: (ms: number) => (at += ms) };
  };

  it('follows the speed of the last minute: 400 answers from records do not promise a quick end', () => {
    const { states, watch, wait } = watched();
    watch.progress(400, 500);
    for (let i = 1; i <= 30; i++) {
      wait(10_000);
      watch.progress(400 + i, 500);
    }
    // 70 are left, ten seconds each.
    expect(states.at(-1)!.left_seconds).toBeCloseTo(700, 6);
    expect(states[0]!.left_seconds).toBeNull();
  });

  it('is never negative, and unknown at the start, at the end and where nothing moves', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(90_000), fc.nat(50)), { maxLength: 40 }), (steps) => {
        const { states, watch, wait } = watched();
        let done = 0;
        for (const [ms, more] of steps) {
          wait(ms);
          done = Math.min(100, done + more);
          watch.progress(done, 100);
        }
        for (const s of states) {
          expect(s.left_seconds === null || s.left_seconds > 0).toBe(true);
          if (s.done === 100) expect(s.left_seconds).toBeNull();
        }
      }),
      { seed: 8 },
    );
  });

  it('comes with rejects and counts of all purposes', () => {
    const { states, watch } = watched();
    watch.reject('empty_chain');
    watch.reject('empty_chain');
    watch.tally({ author: tally(), critic: addResult(undefined, 'accepted', true) });
    expect(states.at(-1)).toMatchObject({
      rejected: { empty_chain: 2 },
      models: { done: 121, accepted: 109, recorded: 21, cost_usd: expect.closeTo(0.105, 9) },
    });
    expect(Object.keys(watch.tallies)).toEqual(['author', 'critic']);
  });
});

describe('sums of counts', () => {
  it('know no cost where none of the models has a price', () => {
    expect(sumTallies([]).cost_usd).toBeNull();
    expect(sumTallies([addCall(undefined, 'first', { ...SPENT, cost_usd: null })]).cost_usd).toBeNull();
    const half = sumTallies([addCall(undefined, 'first', SPENT), addResult(undefined, 'empty', false)]);
    expect(half).toMatchObject({ cost_usd: 0.001, failed: { empty: 1 }, calls: 1, done: 1 });
  });
});
