/** Killed, interrupted, crowded or short of disk: a build leaves nothing half-finished, and running it again continues. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { randomStream } from '../../stages/lib/random.js';
import { type Built, build, cli, hashTree } from '../support/cli.js';
import { syntheticExtract, writeConfig } from '../support/extract.js';
import { temporaryFolder } from '../support/stage.js';

let root: string;
let extract: string;
let reference: Built;
let seconds: number;

const args = (buildDir: string, from = extract): string[] => [
  '--mimic-dir',
  from,
  '--profile',
  'default',
  '--config',
  join(root, 'config.json'),
  '--build-dir',
  buildDir,
];

beforeAll(async () => {
  root = temporaryFolder();
  ({ extract } = await syntheticExtract());
  writeConfig(root);
  const started = performance.now();
  reference = await build(args(join(root, 'reference')));
  seconds = (performance.now() - started) / 1000;
});

const releases = (buildDir: string): string[] => {
  const dir = join(buildDir, 'releases/supmimic');
  return existsSync(dir) ? readdirSync(dir).filter((n) => !n.startsWith('.')) : [];
};

describe('a build', () => {
  it('killed at random moments and run again equals an uninterrupted one', async () => {
    const buildDir = join(root, 'killed');
    const random = randomStream(7, 'kill');
    for (let n = 0; n < 5; n++) {
      const wait = 200 + random.float() * seconds * 900;
      const result = await cli(['build', 'supmimic', ...args(buildDir)], {
        onStart: (child) => setTimeout(() => child.kill('SIGKILL'), wait).unref(),
      });
      if (result.signal !== 'SIGKILL') continue;
      for (const name of releases(buildDir)) expect(name).toBe(reference.version);
    }
    const finished = await build(args(buildDir));
    expect(hashTree(finished.release)).toEqual(hashTree(reference.release));
    expect(readdirSync(join(buildDir, 'cache/.staging'))).toEqual([]);
  });

  it('stopped with Ctrl-C exits with 130, says how to continue, and continues', async () => {
    const buildDir = join(root, 'stopped');
    const stopped = await cli(['build', 'supmimic', ...args(buildDir)], {
      onStart: (child) => {
        child.stderr!.on('data', (chunk: Buffer) => {
          if (chunk.toString().includes('build-features: running')) child.kill('SIGINT');
        });
      },
    });
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toMatch(/run the same command again to continue/);
    expect(existsSync(join(buildDir, 'cache/load-mimic'))).toBe(true);
    expect(existsSync(join(buildDir, 'cache/build-features'))).toBe(false);
    expect(readdirSync(join(buildDir, 'cache/.staging'))).toEqual([]);
    const continued = await cli(['build', 'supmimic', ...args(buildDir)]);
    expect(continued.stderr).toMatch(/✔ load-mimic {2}unchanged/);
    expect(continued.code).toBe(0);
  });

  it('does no harm to another one in the same folder', async () => {
    const buildDir = join(root, 'shared');
    const [a, b] = await Promise.all([build(args(buildDir)), build(args(buildDir))]);
    expect(a.version).toBe(reference.version);
    expect(b.version).toBe(reference.version);
    expect(hashTree(a.release)).toEqual(hashTree(reference.release));
    expect(releases(buildDir)).toEqual([reference.version]);
  });

  it('never overwrites a version with other bytes', async () => {
    const buildDir = join(root, 'versions');
    const made = await build([...args(buildDir), '--release-version', '1.0.0']);
    expect(made.version).toBe('1.0.0');
    const same = await build([...args(buildDir), '--release-version', '1.0.0']);
    expect(same.is_new).toBe(false);
    const other = await cli([
      'build',
      'supmimic',
      ...args(buildDir),
      '--seed',
      '5',
      '--release-version',
      '1.0.0',
    ]);
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/1\.0\.0 exists with other bytes/);
    const odd = await cli(['build', 'supmimic', ...args(buildDir), '--release-version', 'v1']);
    expect(odd.code).toBe(2);
    expect(odd.stderr).toMatch(/not a semantic version/);
  });
});

describe('the file system', () => {
  it('full: a clear error, no half result, and the build continues elsewhere', async (context) => {
    const small = join(root, 'small');
    mkdirSync(small);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', small], { stdio: 'pipe' });
    } catch (error) {
      if (process.env.CI === 'true') throw error;
      return context.skip('mounting a small file system needs the rights of an administrator');
    }
    try {
      const result = await cli(['build', 'supmimic', ...args(join(small, 'build'))]);
      expect(result.stderr).toMatch(/ENOSPC|free disk space/);
      expect(result.code).toBe(3);
      expect(result.stderr).not.toMatch(/^ {4}at /m);
      expect(releases(join(small, 'build'))).toEqual([]);
    } finally {
      execFileSync('umount', [small]);
    }
  });

  it('unreadable: names the file and what to do', async () => {
    const copy = join(root, 'unreadable');
    await cp(extract, copy, { recursive: true });
    chmodSync(join(copy, 'hosp/patients.csv.gz'), 0);
    const buildDir = join(root, 'unreadable-build');
    mkdirSync(buildDir);
    for (const dir of [root, buildDir]) chmodSync(dir, 0o777);
    const nobody = process.getuid?.() === 0 ? { uid: 65534 } : {};
    const result = await cli(['build', 'supmimic', ...args(buildDir, copy)], nobody);
    expect(result.stderr).toMatch(/EACCES[\s\S]*patients\.csv\.gz[\s\S]*right to read/);
    expect(result.code).toBe(3);
    expect(releases(buildDir)).toEqual([]);
  });

  it('a folder in place of a table: names it', async () => {
    const copy = join(root, 'folder');
    await cp(extract, copy, { recursive: true });
    execFileSync('rm', [join(copy, 'hosp/patients.csv.gz')]);
    mkdirSync(join(copy, 'hosp/patients.csv.gz'));
    const result = await cli(['build', 'supmimic', ...args(join(root, 'folder-build'), copy)]);
    expect(result.code).toBe(3);
    expect(result.stderr).toMatch(/patients\.csv\.gz[\s\S]*name a file, not a folder/);
  });
});
