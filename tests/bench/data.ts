/** Input files of the cases, made once and kept. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isPythonHere, PYTHON } from '../support/python.js';
import { runCommand } from './sides.js';
import { writeStandIn } from './stand-in.js';

/** Runs make_data.py, or its small stand-in where Python is missing, unless the folder is there. A folder appears only when it is complete. */
export async function makeData(dir: string, args: readonly string[]): Promise<void> {
  if (existsSync(dir)) return;
  const partial = `${dir}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(dirname(dir), { recursive: true });
  const [what, ...options] = args;
  if (isPythonHere()) await runCommand(PYTHON, ['tests/oracles/make_data.py', what!, partial, ...options]);
  else writeStandIn(partial, what!, options);
  renameSync(partial, dir);
}
