/** A copy of the project in a temporary folder, for tests that change sources or tables of it. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sha256 } from '../../stages/lib/hash.js';
import { temporaryFolder } from './stage.js';

const PROJECT = [
  'schemas',
  'stages',
  'pipelines',
  'raw',
  'build/dist',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'Makefile',
  'CONTRIBUTING.md',
];

/** A copy of the project with its compiled code, and the installed packages of this one. */
export function copyProject(): string {
  const copy = join(temporaryFolder(), 'project');
  for (const path of PROJECT) if (existsSync(path)) cpSync(path, join(copy, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Compiles a copy again after a change of its sources. */
export const compile = (root: string): void =>
  void execFileSync('npm', ['run', '--silent', 'compile'], { cwd: root, stdio: 'pipe' });

/** Writes another text to a locked file of a copy, and its hash and size into the lock, as a maintainer would. */
export function replaceLocked(root: string, path: string, text: string): void {
  writeFileSync(join(root, path), text);
  const lock = join(root, 'raw/lock.json');
  const entries = JSON.parse(readFileSync(lock, 'utf8')) as { path: string }[];
  const changed = entries.map((e) =>
    e.path === path ? { ...e, sha256: sha256(text), bytes: Buffer.byteLength(text) } : e,
  );
  writeFileSync(lock, JSON.stringify(changed, null, 2));
}
