/** What the generator stands on: its own functions, random streams, calendar, prevalences, and flat memory. */
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StageContext } from '../../stages/contract.js';
import { drawAge, sampleDiagnoses } from '../../stages/synth-mimic/diagnoses.js';
import { exp, ln, probit, round, sqrt } from '../../stages/synth-mimic/math.js';
import { readNumbers } from '../../stages/synth-mimic/numbers.js';
import { Stream, streamsOf } from '../../stages/synth-mimic/rng.js';
import { synthesize } from '../../stages/synth-mimic/run.js';
import { buildModel } from '../../stages/synth-mimic/shifts.js';
import { dayOf, timeText } from '../../stages/synth-mimic/time.js';

const file = (path: string): string => readFileSync(path, 'utf8');

describe('functions', () => {
  it('agree with the library to the last digits', () => {
    fc.assert(
      fc.property(fc.double({ min: -600, max: 600, noNaN: true }), (x) => {
        expect(Math.abs(exp(x) / Math.exp(x) - 1)).toBeLessThan(1e-13);
      }),
    );
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e12, noNaN: true }), (x) => {
        expect(Math.abs(ln(x) - Math.log(x))).toBeLessThan(1e-13);
        expect(Math.abs(sqrt(x) / Math.sqrt(x) - 1)).toBeLessThan(1e-14);
      }),
    );
  });

  it('invert the normal distribution', () => {
    // Quantiles of printed tables.
    const table = [
      [0.5, 0],
      [0.841344746, 1],
      [0.975, 1.959963985],
      [0.995, 2.575829304],
      [0.0001, -3.719016485],
    ] as const;
    for (const [p, z] of table) expect(probit(p)).toBeCloseTo(z, 7);
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 0.5, noNaN: true }), (p) => {
        expect(probit(p)).toBeCloseTo(-probit(1 - p), 8);
      }),
    );
  });

  it('round to the decimal that is written', () => {
    expect(round(7.345, 1)).toBe(7.3);
    expect(String(round(0.1 + 0.2, 1))).toBe('0.3');
    expect(round(-1.25, 1)).toBe(-1.2);
  });
});

describe('random streams', () => {
  it('give the published Philox4x32-10 block of counter 0 and key 0', () => {
    const s = new Stream(0, 0, 0);
    const block = [s.u32(), s.u32(), s.u32(), s.u32()].map((x) => x.toString(16).padStart(8, '0'));
    expect(block).toEqual(['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']);
  });

  it('depend on seed, stay and name, and on nothing that was drawn before', () => {
    const of = (seed: number, stay: number, name: string): number[] => {
      const s = streamsOf(seed)(stay, name);
      return Array.from({ length: 6 }, () => s.u32());
    };
    const streams = streamsOf(7);
    streams(1, 'other').float();
    const s = streams(17, 'labs');
    expect(Array.from({ length: 6 }, () => s.u32())).toEqual(of(7, 17, 'labs'));
    for (const other of [
      of(8, 17, 'labs'),
      of(7, 18, 'labs'),
      of(7, 17, 'chart'),
      of(7 + 2 ** 32, 17, 'labs'),
    ])
      expect(other).not.toEqual(of(7, 17, 'labs'));
  });

  it('give normal deviates with mean 0 and variance 1', () => {
    const s = streamsOf(1)(2, 'normal');
    const z = Array.from({ length: 20_000 }, () => s.normal());
    const mean = z.reduce((a, b) => a + b, 0) / z.length;
    expect(Math.abs(mean)).toBeLessThan(0.03);
    expect(z.reduce((a, b) => a + (b - mean) ** 2, 0) / z.length).toBeCloseTo(1, 1);
  });
});

it('writes times as the calendar has them', () => {
  const first = Date.UTC(2000, 0, 1) / 1000;
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 220 * 366 * 86400 }), (seconds) => {
      const expected = new Date((first + seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ');
      expect(timeText(seconds)).toBe(expected);
    }),
  );
  expect(dayOf(2100, 3, 1) - dayOf(2100, 2, 28)).toBe(1);
});

it('draws diagnoses with the prevalences of diagnoses.csv, and pregnancy only where it can be', () => {
  const numbers = readNumbers(file);
  const model = buildModel(numbers);
  const streams = streamsOf(9);
  const seen = new Float64Array(numbers.dx.length);
  const people = 4000;
  for (let i = 0; i < people; i++) {
    const r = streams(i, 'test');
    const person = { age: drawAge(r, numbers), isFemale: r.chance(0.44) };
    const state = sampleDiagnoses(model, person, r);
    for (const d of numbers.dx) {
      if (state[d.index] && d.isPregnancy) expect(person.isFemale && person.age < 50).toBe(true);
      seen[d.index]! += state[d.index]!;
    }
  }
  for (const d of numbers.dx) {
    const sd = Math.sqrt((d.prevalence * (1 - d.prevalence)) / people);
    expect(Math.abs(seen[d.index]! / people - d.prevalence), d.key).toBeLessThan(
      5 * sd + 0.12 * d.prevalence,
    );
  }
});

it('keeps no rows in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap: number[] = [];
  const sink = { write: async () => {}, close: async () => {} };
  const ctx = {
    file,
    seed: 0,
    signal: new AbortController().signal,
    progress: (done: number) => {
      if (done % 400 !== 0) return;
      collect();
      heap.push(process.memoryUsage().heapUsed / 1e6);
    },
    writeFolder: () => ({ open: () => sink, text: async () => {} }),
    sql: { insert: async () => {} },
  } as unknown as StageContext;
  await synthesize(ctx, {
    stays: 1600,
    profile: 'dirty',
    version: '3.1',
    size: 'compact',
    chartevents_rows: null,
  });
  expect(heap.length).toBe(4);
  // The 1,200 stays in between have some 700,000 rows: over 100 MB if they were held.
  expect(heap[3]! - heap[0]!).toBeLessThan(12);
}, 120_000);
