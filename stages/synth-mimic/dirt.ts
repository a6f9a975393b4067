/**
 * Which stay carries which fault. Counts are exact: max(1, round(units x stays / 1000)). Stays are taken in blocks of
 * 200 and ranked within a block by weight and a seeded draw, so that a full block is the same for every number of stays.
 */
import { ln } from './math.js';
import type { DirtyRule } from './numbers.js';
import { hash32, type Streams } from './rng.js';

export const BLOCK = 200;

/** Faults of which a stay carries one unit at most, in the order in which they are assigned. */
export const STAY_FAULTS: readonly string[] = [
  ...Array.from({ length: 60 }, (_, n) => `D${String(n + 1).padStart(2, '0')}`),
  'D62',
  'D75',
  'D77',
  'D89',
  'D96',
  'D98',
  'D84',
  'D64',
  'D79',
  'D80',
  'D81',
  'D82',
  'D85',
  'D86',
  'D88',
  'D97',
];

/** At most one of these per stay: they decide the course of the stay. */
const COURSE = ['D08', 'D09', 'D10', 'D11', 'D12', 'D13', 'D14', 'D15', 'D16', 'D22', 'D56'];
const EXCLUDES: readonly (readonly string[])[] = [
  COURSE,
  // Survivors only; the donor of D10 died.
  ['D10', 'D96'],
  // No early bloods in D18, so nothing that needs them.
  ['D18', 'D17'],
  ['D01', 'D02'],
  // A later admission may be coded in ICD-10.
  ['D02', 'D05'],
  ['D03', 'D04', 'D05', 'D06', 'D07'],
  ['D41', 'D42'],
  ['D54', 'D55'],
  ['D37', 'D38'],
  ['D58', 'D59'],
  ['D50', 'D53'],
  ['D52', 'D53'],
  // Faults of a note that is there.
  ['D84', 'D79'],
  ['D84', 'D80'],
  ['D84', 'D81'],
  ['D84', 'D82'],
  ['D80', 'D82'],
];

/** Exact number of units of a fault in a set of `stays`. */
export function unitsOf(rule: DirtyRule, stays: number): number {
  return Math.max(1, Math.floor((rule.perThousand * stays) / 1000 + 0.5));
}

/** How likely a stay is to suit a fault: log weight added to its rank; -Infinity only as a last resort. */
export type Suitability = (id: string, stay: number, taken: ReadonlySet<string>) => number;

/** Fault ids by stay for the block that starts at `first`. */
export function assignFaults(
  rules: readonly DirtyRule[],
  streams: Streams,
  first: number,
  stays: number,
  suits: Suitability,
): ReadonlySet<string>[] {
  const size = Math.min(BLOCK, stays - first);
  const taken = Array.from({ length: size }, () => new Set<string>());
  for (const id of STAY_FAULTS) {
    const rule = rules.find((r) => r.id === id)!;
    const before = first === 0 ? 0 : unitsOf(rule, first);
    const count = unitsOf(rule, first + size) - before;
    const rivals = EXCLUDES.filter((group) => group.includes(id)).flat();
    const ranked = taken
      .map((set, k) => ({ k, set }))
      .filter(({ set }) => !rivals.some((other) => set.has(other)))
      .map(({ k, set }) => {
        const u = streams(first + k, `fault ${id}`).float();
        return { k, rank: suits(id, first + k, set) - ln(-ln(u)) };
      })
      .sort((a, b) => b.rank - a.rank || a.k - b.k);
    if (ranked.length < count) throw new Error(`fault ${id}: ${count} stays wanted, ${ranked.length} free`);
    for (const { k } of ranked.slice(0, count)) taken[k]!.add(id);
  }
  return taken;
}

/** Faults of single rows: a stay may carry many. Natural ones are only listed; the others are planted in dirty extracts. */
export const ROW_FAULTS: readonly string[] = [
  'D61',
  'D63',
  'D65',
  'D66',
  'D67',
  'D68',
  'D69',
  'D70',
  'D71',
  'D72',
  'D73',
  'D74',
  'D76',
  'D90',
  'D99',
];

/** Share of a block's stays that could carry all its row faults; the rest is reserve for stays that found no room. */
const FULL_SHARE = 0.94;

/** How many units of each row fault the stays of one block carry; exact in sum, the same for every number of stays. */
export class RowQuota {
  private readonly size: number;
  private readonly wanted = new Map<string, number>();
  private readonly planted = new Map<string, number>();
  private stay = 0;

  constructor(rules: readonly DirtyRule[], first: number, size: number) {
    this.size = size;
    for (const id of ROW_FAULTS) {
      const rule = rules.find((r) => r.id === id)!;
      this.wanted.set(id, unitsOf(rule, first + size) - (first === 0 ? 0 : unitsOf(rule, first)));
    }
  }

  /** Units that the current stay plants of `id`, when it has room for `capacity`. */
  take(id: string, capacity: number): number {
    const wanted = this.wanted.get(id)!;
    const before = this.planted.get(id) ?? 0;
    const phase = hash32(id) / 4294967296;
    const due = Math.min(wanted, Math.floor((wanted * (this.stay + 1)) / (this.size * FULL_SHARE) + phase));
    const n = Math.max(0, Math.min(capacity, due - before));
    this.planted.set(id, before + n);
    return n;
  }

  /** Units still missing when the current stay is the last of the block; 0 before that. */
  dueAtLast(id: string): number {
    return this.stay === this.size - 1 ? this.wanted.get(id)! - (this.planted.get(id) ?? 0) : 0;
  }

  /** Goes on to the next stay. */
  next(): void {
    this.stay++;
  }

  /** Throws when a fault found too little room in the block. */
  close(): void {
    for (const [id, wanted] of this.wanted) {
      const n = this.planted.get(id) ?? 0;
      if (n < wanted) throw new Error(`fault ${id}: ${wanted} units wanted, room for ${n}`);
    }
  }
}
