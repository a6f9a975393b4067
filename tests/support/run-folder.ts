/** One temporary folder for a whole test run, named after its main process, and its removal at the end. */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder of the run whose main process has this id; test files run in its children. */
export const runFolder = (pid: number): string => join(tmpdir(), `benchwright-tests-${pid}`);

/** Called by vitest in the main process after the last test. */
export function teardown(): void {
  rmSync(runFolder(process.pid), { recursive: true, force: true });
}
