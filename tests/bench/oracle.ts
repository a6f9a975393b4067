/** The numpy oracle's answer to a folder of pair inputs; it takes up to two minutes, so answers are kept. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metric } from '../../stages/lib/distance.js';
import { sha256Stream } from '../../stages/lib/hash.js';
import type { PairAnswer } from '../stages/pair-cases.js';
import { PYTHON } from '../support/python.js';
import { BENCH_DIR } from './files.js';
import { peerEnvironment } from './python.js';
import { runCommand } from './sides.js';

const SCRIPT = 'tests/oracles/ref_pairs.py';

/** Exact thresholds and pairs. An answer is kept under the hash of the script, its arguments and all input bytes. */
export async function pairOracle(dir: string, metric: Metric, m: number): Promise<PairAnswer> {
  const args = ['--metric', metric, '--m', String(m), '--methods', 'oracle'];
  const hash = sha256Stream();
  hash.update(readFileSync(SCRIPT));
  hash.update(Buffer.from(args.join(' ')));
  for (const name of readdirSync(dir).sort()) hash.update(readFileSync(join(dir, name)));
  const path = join(BENCH_DIR, 'oracle', `${hash.hex().slice(0, 16)}.json`);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as PairAnswer;
  const { stdout } = await runCommand(PYTHON, [SCRIPT, dir, ...args], peerEnvironment(1));
  const answer = (JSON.parse(stdout) as { results: { oracle: PairAnswer } }).results.oracle;
  mkdirSync(join(BENCH_DIR, 'oracle'), { recursive: true });
  writeFileSync(path, JSON.stringify(answer));
  return answer;
}

/** Null when both are equal to the bit, else the first place where they differ. */
export function exactDifference(found: PairAnswer, expected: PairAnswer): string | null {
  for (const name of ['theta', 'phi'] as const) {
    if (found[name] !== expected[name]) return `${name} is ${found[name]}, not ${expected[name]}`;
  }
  for (const name of ['ddt', 'dct'] as const) {
    const [ours, theirs] = [found[name], expected[name]];
    const at = theirs.findIndex((pair, i) => String(ours[i]) !== String(pair));
    if (at >= 0) return `${name} pair ${at + 1} is ${ours[at]}, not ${theirs[at]}`;
    if (ours.length !== theirs.length) return `${ours.length} ${name} pairs, not ${theirs.length}`;
  }
  return null;
}

/**
 * Null when a speed peer found the same to `TOLERANCE`. It may keep another of several equal distances, and it rounds
 * in its own way, so distances are compared, not rows. Parts that it does not compute are null.
 */
export function looseDifference(found: Partial<PairAnswer>, expected: PairAnswer): string | null {
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(b));
  for (const name of ['theta', 'phi'] as const) {
    const x = found[name];
    if (typeof x === 'number' && !isNear(x, expected[name]!)) return `${name} is ${x}, not ${expected[name]}`;
  }
  for (const name of ['ddt', 'dct'] as const) {
    const at = expected[name].findIndex(
      (p, i) => found[name] && !isNear(found[name][i]?.[2] ?? Infinity, p[2]!),
    );
    if (at >= 0) return `${name} pair ${at + 1} is ${found[name]![at]}, not ${expected[name][at]}`;
  }
  return null;
}

const TOLERANCE = 1e-5;
