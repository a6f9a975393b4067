/** The open MIMIC-IV demo 2.2 as one folder. */
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DEMO_DIRS } from '../support/extract.js';
import { temporaryFolder } from '../support/stage.js';

/** The demo with its rebuilt chartevents in one folder: the first directory that has a file wins. */
export function demoFolder(): string {
  const root = temporaryFolder();
  for (const dir of [...DEMO_DIRS].reverse()) {
    for (const part of ['hosp', 'icu']) {
      mkdirSync(join(root, part), { recursive: true });
      for (const name of filesOf(join(dir, part))) link(join(dir, part, name), join(root, part, name));
    }
  }
  link(join(DEMO_DIRS[0]!, 'SHA256SUMS.txt'), join(root, 'SHA256SUMS.txt'));
  return root;
}

function filesOf(dir: string): string[] {
  try {
    return readdirSync(dir).filter((f) => f.endsWith('.csv.gz'));
  } catch {
    return [];
  }
}

const link = (from: string, to: string): void => symlinkSync(resolve(from), to);
