/** Runs a reference script of tests/oracles when Python has what it needs; otherwise its stored answer is used. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../../stages/lib/hash.js';
import { isPythonHere, oracleSource, PYTHON } from '../support/python.js';

/** Where the answers of this run come from; part of the test names. ORACLES=stored asks for the stored ones. */
export const ORACLE_SOURCE = oracleSource();

export interface OracleSpec {
  readonly script: string;
  readonly args: readonly string[];
  /** Input files by name. */
  readonly files: Readonly<Record<string, string | ArrayBufferView>>;
  /** Stored answer, `tests/oracles/<name>.json`: answers by hash of script arguments and input. */
  readonly stored: string;
  /** Keys of the answer that are stored; times and versions are not. */
  readonly keep: readonly string[];
}

/** The JSON that the script prints for this input. */
export function askOracle<R>(spec: OracleSpec): R {
  const path = `tests/oracles/${spec.stored}.json`;
  const parts = Object.entries(spec.files).map(([name, content]) => `${name} ${sha256(toBytes(content))}`);
  const key = sha256([spec.script, ...spec.args, ...parts].join('\n')).slice(0, 16);
  if (!isPythonHere()) {
    const stored = JSON.parse(readFileSync(path, 'utf8')) as Record<string, R>;
    const answer = stored[key];
    if (!answer)
      throw new Error(`${path} has no answer for this input (${key}); run with python3-sklearn installed`);
    return answer;
  }
  const printed = runScript(spec);
  const answer = Object.fromEntries(spec.keep.map((name) => [name, printed[name]])) as R;
  if (process.env.STORE_ORACLES) store(path, key, answer);
  return answer;
}

function runScript(spec: OracleSpec): Record<string, unknown> {
  const dir = mkdtempSync(join(tmpdir(), 'oracle-'));
  try {
    for (const [name, content] of Object.entries(spec.files))
      writeFileSync(join(dir, name), toBytes(content));
    const run = spawnSync(PYTHON, [`tests/oracles/${spec.script}`, dir, ...spec.args], {
      encoding: 'utf8',
      maxBuffer: 1e8,
      env: { ...process.env, OMP_NUM_THREADS: '1' },
    });
    if (run.status !== 0) throw new Error(run.stderr);
    return JSON.parse(run.stdout) as Record<string, unknown>;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const toBytes = (content: string | ArrayBufferView): Uint8Array =>
  typeof content === 'string'
    ? Buffer.from(content)
    : new Uint8Array(content.buffer, content.byteOffset, content.byteLength);

/** With STORE_ORACLES=1 answers are written for machines without Python. */
function store(path: string, key: string, answer: unknown): void {
  let all: Record<string, unknown> = {};
  try {
    all = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  } catch {
    // The first answer makes the file.
  }
  writeFileSync(path, `${JSON.stringify({ ...all, [key]: answer })}\n`);
}
