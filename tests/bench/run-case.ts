/** Runs one case: every side once to warm up, the check, then the rounds in turn. */
import { canonicalJson } from '../../stages/lib/canonical-json.js';
import { sha256 } from '../../stages/lib/hash.js';
import type { BenchCase, Outcome, Rounds, Side, StartSide } from './case.js';

export interface CaseReport {
  readonly name: string;
  readonly products: readonly string[];
  /** Null when the product is right. A case that fails is not timed. */
  readonly failure: string | null;
  /** SHA-256 of the result that all products agree on. */
  readonly sha256: string | null;
  readonly missing: readonly string[];
  readonly notes: readonly string[];
  readonly rounds: Rounds;
  readonly comparisons: BenchCase['comparisons'];
}

/** Cases whose slowest side stays below this get more rounds. */
const SHORT_CASE_S = 2;
const ROUNDS = { short: 5, long: 3 };

const hashOf = (result: unknown): string => sha256(canonicalJson(result));

/** Runs a case; an error inside it is its failure. `say` is told what is going on. */
export async function runCase(one: BenchCase, say: (text: string) => void): Promise<CaseReport> {
  const sides = new Map<string, Side>();
  const names = { name: one.name, products: Object.keys(one.products) };
  const report = { ...names, sha256: null, missing: [], notes: [], rounds: {}, comparisons: one.comparisons };
  try {
    say('inputs');
    await one.prepare?.();
    const missing = await startAll(one, sides);
    const warm = await warmUp(one, sides, say);
    say('check');
    const results = Object.fromEntries([...warm].map(([label, o]) => [label, o.result]));
    const hashes = Object.keys(one.products).map((label) => hashOf(results[label]));
    const failure = differing(one, hashes) ?? (await one.check(results));
    if (failure !== null) return { ...report, missing, failure };
    const rounds = one.correctnessOnly ? {} : await runRounds(one, sides, warm, hashes[0]!, say);
    const notes = (await one.notes?.(results, rounds)) ?? [];
    return { ...report, missing, failure: null, sha256: hashes[0]!, notes, rounds };
  } catch (error) {
    return { ...report, failure: (error as Error).message };
  } finally {
    for (const side of sides.values()) side.close();
  }
}

function differing(one: BenchCase, hashes: readonly string[]): string | null {
  const labels = Object.keys(one.products);
  const other = hashes.findIndex((h) => h !== hashes[0]);
  return other < 0 ? null : `${labels[other]} and ${labels[0]} give different results`;
}

/** Starts all sides, products first; returns the labels of peers that are not installed. */
async function startAll(one: BenchCase, sides: Map<string, Side>): Promise<string[]> {
  const missing: string[] = [];
  for (const [label, start] of Object.entries<StartSide>({ ...one.products, ...one.peers })) {
    const side = await start();
    if (side) sides.set(label, side);
    else missing.push(label);
  }
  return missing;
}

/** Code is compiled while it runs: a run is repeated until it had three seconds, at least four times, at most ten. */
const warmUpsAfter = ({ times }: Outcome): number =>
  times.total!.wall_s > 5 ? 0 : Math.min(10, Math.max(4, Math.floor(3 / times.total!.wall_s)));

async function warmUp(
  one: BenchCase,
  sides: ReadonlyMap<string, Side>,
  say: (text: string) => void,
): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for (const [label, side] of sides) {
    say(`warm-up: ${label}`);
    const first = await side.run();
    outcomes.set(label, first);
    const isProduct = label in one.products && !one.correctnessOnly;
    for (let left = isProduct ? warmUpsAfter(first) : 0; left > 0; left--) await side.run();
  }
  return outcomes;
}

async function runRounds(
  one: BenchCase,
  sides: ReadonlyMap<string, Side>,
  warm: ReadonlyMap<string, Outcome>,
  hash: string,
  say: (text: string) => void,
): Promise<Record<string, Omit<Outcome, 'result'>[]>> {
  const slowest = Math.max(...[...warm.values()].map((o) => o.times.total!.wall_s));
  const n = slowest < SHORT_CASE_S ? ROUNDS.short : ROUNDS.long;
  const rounds: Record<string, Omit<Outcome, 'result'>[]> = {};
  for (let round = 1; round <= n; round++) {
    for (const [label, side] of sides) {
      say(`round ${round} of ${n}: ${label}`);
      const { result, ...numbers } = await side.run();
      if (label in one.products && hashOf(result) !== hash) {
        throw new Error(`${label} gives another result in round ${round}`);
      }
      rounds[label] ??= [];
      rounds[label].push(numbers);
    }
  }
  return rounds;
}
