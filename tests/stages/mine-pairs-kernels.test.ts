/** The two forms of every mining kernel, bit for bit: counts, handed-over pairs, memory. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layOut } from '../../stages/lib/kernel.js';
import { type NearKernel, plainNear } from '../../stages/lib/near-scan.js';
import { NearestPairs } from '../../stages/lib/nearest-pairs.js';
import { randomStream } from '../../stages/lib/random.js';
import { packTiles } from '../../stages/lib/tiles.js';
import { forBlocks, type Limits, withinPass } from '../../stages/lib/within-pass.js';
import { kernel } from '../support/kernels.js';

const metric = fc.constantFrom('gower' as const, 'euclidean' as const);
const WHOLE = { part: 0, of: 1 };
const count = (n: number): Int32Array => Int32Array.from({ length: n }, (_, i) => i);

/** Column-major values: few levels make ties, huge scales make rounding. */
function values(seed: number, n: number, k: number, levels: number, scale: number): Float64Array {
  const random = randomStream(seed, 'values');
  return Float64Array.from(
    { length: n * k },
    () => (scale * Math.floor((random.float() - 0.5) * levels)) / levels,
  );
}

describe('the pass over positive pairs', () => {
  const shape = fc.record({
    seed: fc.integer(),
    n: fc.integer({ min: 0, max: 600 }),
    k: fc.integer({ min: 1, max: 24 }),
    levels: fc.constantFrom(2, 5, 1e9),
    scale: fc.constantFrom(1, 1e4),
    metric,
    edges: fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 0.3, noNaN: true })),
    part: fc.constantFrom(WHOLE, { part: 1, of: 2 }),
  });

  it('counts and hands over the same pairs in both forms', () => {
    fc.assert(
      fc.property(shape, (s) => {
        const data = values(s.seed, s.n, s.k, s.levels, s.scale);
        const run = (module: WebAssembly.Module | null) => {
          const pass = withinPass(s.metric, s.n, s.k, module);
          packTiles(pass.tiles, data, s.n, count(s.n), count(s.k));
          const far = (s.metric === 'gower' ? s.k * s.scale : s.k * s.scale * s.scale) / 4;
          const [low, width] = s.edges;
          // Bands that touch or overlap, and one edge that is a key of the data when there are few levels.
          const limits: Limits = {
            lo1: low * far,
            hi1: (low + width) * far,
            lo2: (low + width / 2) * far,
            hi2: (low + 2 * width) * far,
            top: 2 * far,
          };
          const below: [number, number] = [0, 0];
          const pairs: string[] = [];
          forBlocks(Math.ceil(s.n / 4), s.part, (a, b, c, d) =>
            pass.scan(a, b, c, d, limits, below, (key, i, j) => pairs.push(`${key} ${i} ${j}`)),
          );
          return { below, pairs: pairs.sort() };
        };
        expect(run(kernel('within'))).toEqual(run(null));
      }),
      { numRuns: 60 },
    );
  });
});

describe('the near pass', () => {
  it('transforms and packs to the same bytes in both forms', () => {
    const shape = fc.record({
      seed: fc.integer(),
      n: fc.integer({ min: 1, max: 90 }),
      k: fc.integer({ min: 1, max: 23 }),
      rows: fc.constantFrom(4, 12, 20),
      copied: fc.integer({ min: 0, max: 9 }),
      lanes: fc.constantFrom(4, 8),
    });
    fc.assert(
      fc.property(shape, ({ seed, n, k, rows, copied, lanes }) => {
        const wholeN = Math.ceil(n / 4) * 4;
        const tail = Math.min(copied, k);
        const width = rows + Math.ceil(tail / 4) * 4;
        const sizes = {
          x: wholeN * k * 8,
          matrix: rows * k * 8,
          y: wholeN * width * 4,
          largest: k * 8,
          order: n * 4,
          target: Math.ceil(n / lanes) * lanes * width * 4,
          ranges: Math.ceil(n / lanes) * 32,
        };
        const memory = new WebAssembly.Memory({ initial: 1 });
        const at = layOut(memory, sizes);
        const random = randomStream(seed, 'memory');
        const fill = (buffer: ArrayBuffer): void => {
          new Float64Array(buffer, at.x, wholeN * k).set(values(seed, wholeN, k, 1e9, 3));
          new Float64Array(buffer, at.matrix, rows * k).set(values(seed + 1, rows, k, 1e9, 2));
          new Int32Array(buffer, at.order, n).set(shuffled);
        };
        const shuffled = count(n);
        for (let v = 0; v < n; v++) {
          const other = v + random.below(n - v);
          [shuffled[v], shuffled[other]] = [shuffled[other]!, shuffled[v]!];
        }
        const run = (form: NearKernel): void => {
          form.transform(at.x, wholeN, k, at.matrix, rows, at.y, width, tail, at.largest);
          form.pack(at.order, n, lanes, at.y, width, at.target, at.ranges);
        };
        fill(memory.buffer);
        const plain = memory.buffer.slice(0);
        run(new WebAssembly.Instance(kernel('near'), { env: { memory } }).exports as NearKernel);
        run(plainNear(plain));
        expect(Buffer.compare(Buffer.from(memory.buffer), Buffer.from(plain))).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  const shape = fc.record({
    seed: fc.integer(),
    a: fc.integer({ min: 0, max: 60 }),
    b: fc.integer({ min: 0, max: 1500 }),
    k: fc.integer({ min: 1, max: 30 }),
    levels: fc.constantFrom(2, 4, 1e9),
    scale: fc.constantFrom(1, 1e4),
    capacity: fc.constantFrom(1, 20, 5000),
    limit: fc.constantFrom(0, 0.05, 0.2, Number.POSITIVE_INFINITY),
    metric,
  });

  it('finds what brute force finds, and asks about the same pairs in both forms', () => {
    fc.assert(
      fc.property(shape, (s) => {
        const n = s.a + s.b;
        const data = values(s.seed, n, s.k, s.levels, s.scale);
        const source = { metric: s.metric, data, matrixRows: n, features: count(s.k) };
        const [asking, searched] = [count(s.a), count(s.b).map((i) => s.a + i)];
        const limit = s.limit * s.k * (s.metric === 'gower' ? s.scale : s.scale ** 2);
        const key = (i: number, j: number): number => {
          let sum = 0;
          for (let c = 0; c < s.k; c++) {
            const d = data[c * n + i]! - data[c * n + j]!;
            sum += s.metric === 'gower' ? Math.abs(d) : d * d;
          }
          return sum;
        };
        const all = [...asking].flatMap((i) => [...searched].map((j) => ({ key: key(i, j), i, j })));
        const isEven = (_: number, i: number, j: number): boolean => (i + j) % 3 !== 0;
        const expected = all
          .filter((p) => p.key <= limit && isEven(p.key, p.i, p.j))
          .sort((p, q) => p.key - q.key || p.i - q.i || p.j - q.j)
          .slice(0, s.capacity);
        const run = (form: WebAssembly.Module | null) => {
          const asked: string[] = [];
          const isWanted = (k: number, i: number, j: number): boolean => {
            asked.push(`${k} ${i} ${j}`);
            return isEven(k, i, j);
          };
          const pairs = new NearestPairs(source, searched, s.a, form);
          const search = { rows: asking, capacity: s.capacity, limit, isWanted, part: WHOLE };
          return { found: pairs.search(search).sorted(), asked };
        };
        const compiled = run(kernel('near'));
        expect(compiled.found).toEqual(expected);
        expect(compiled).toEqual(run(null));
      }),
      { numRuns: 80 },
    );
  });

  it.each(['gower', 'euclidean'] as const)(
    'keeps pairs one rounding step apart, beside rows of norm 1e4 (%s)',
    (m) => {
      // Column 0 alone tells the near rows apart: searched row r lies r units in the last place above 1/2.
      const [a, b, k] = [9, 5000, 20];
      const n = a + b;
      const data = new Float64Array(n * k);
      for (let r = 0; r < b; r++) {
        data[a + r] = 0.5 + ((r * 7919) % b) * 2 ** -53;
        if (r % 100 === 99) for (let c = 1; c < k; c++) data[c * n + a + r] = 2500 * (c % 2 ? 1 : -1);
      }
      for (let i = 0; i < a; i++) data[i] = i * 2 ** -54;
      const source = { metric: m, data, matrixRows: n, features: count(k) };
      const all = [...count(a)].flatMap((i) =>
        Array.from({ length: b }, (_, r) => {
          let key = 0;
          for (let c = 0; c < k; c++) {
            const d = data[c * n + i]! - data[c * n + a + r]!;
            key += m === 'gower' ? Math.abs(d) : d * d;
          }
          return { key, i, j: a + r };
        }),
      );
      const expected = all.sort((p, q) => p.key - q.key || p.i - q.i || p.j - q.j).slice(0, 300);
      for (const form of [kernel('near'), null]) {
        const pairs = new NearestPairs(
          source,
          count(b).map((r) => a + r),
          a,
          form,
        );
        const search = { rows: count(a), capacity: 300, limit: 1, isWanted: () => true, part: WHOLE };
        expect(pairs.search(search).sorted()).toEqual(expected);
      }
    },
  );

  it('refuses values that float32 cannot compare', () => {
    const source = {
      metric: 'euclidean' as const,
      data: Float64Array.of(1e16, 0),
      matrixRows: 2,
      features: count(1),
    };
    expect(() => new NearestPairs(source, count(2), 1, null)).toThrow(
      /below 1000000000000000; one is 1e\+?16|10000000000000000/,
    );
  });
});
