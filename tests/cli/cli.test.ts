/** What a person meets: help, mistakes, exit codes, JSON. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.js';
import { temporaryFolder } from '../support/stage.js';

describe('help', () => {
  it('lists the commands and exits 0', async () => {
    const { code, stdout } = await cli(['--help']);
    expect(code).toBe(0);
    for (const word of ['build', 'plan', 'config', 'trace', 'impact', 'verify', 'diff', 'synth'])
      expect(stdout).toContain(word);
  });
});

describe('mistakes exit with 2 and name the next step', () => {
  const cases: [string, string[], RegExp][] = [
    ['an unknown command', ['bild'], /unknown command/],
    ['an unknown option', ['build', 'supmimic', '--wrkers', '2'], /Did you mean --workers/],
    ['an unknown benchmark', ['build', 'supmimik'], /did you mean supmimic/],
    ['an unknown profile', ['plan', 'supmimic', '--profile', 'demmo'], /did you mean demo/],
    ['a number that is none', ['plan', 'supmimic', '--workers', '0'], /whole number, 1 or more/],
    ['a seed that is none', ['plan', 'supmimic', '--seed', '1.5'], /whole number, 0 or more/],
    ['a config file that is missing', ['plan', 'supmimic', '--config', 'no-such.json'], /no-such.json/],
    ['a folder that is no release', ['verify', 'schemas'], /not a release folder/],
    ['a benchmark named like a property', ['plan', 'toString'], /unknown benchmark/],
    ['a profile named like a property', ['plan', 'supmimic', '--profile', 'toString'], /unknown profile/],
    ['an unknown stage', ['build', 'supmimic', '--until', 'mine-pair'], /did you mean mine-pairs/],
    ['a memory size that is none', ['plan', 'supmimic', '--memory', 'lots'], /such as 4GB/],
    ['a version that is none', ['build', 'supmimic', '--release-version', 'v1'], /not a semantic version/],
    ['no folder in the list', ['plan', 'supmimic', '--mimic-dir', ':'], /names no folder/],
    ['an empty release', ['verify', ''], /RELEASE is empty/],
    ['an empty item', ['trace', ''], /ID is empty/],
    ['an empty reference', ['impact', ''], /REF is empty/],
    ['a trace in no release', ['trace', 'x', '--build-dir', 'schemas'], /no release to look in/],
    ['a trace in an unknown benchmark', ['trace', 'x', '--benchmark', 'supmimik'], /did you mean supmimic/],
    ['too many stays', ['synth', '--out', 'x', '--stays', '100001'], /200 to 100000/],
    ['too few stays', ['synth', '--out', 'x', '--stays', '10'], /200 to 100000/],
  ];
  it.each(cases)('%s', async (_, args, pattern) => {
    const dir = temporaryFolder();
    const extra = ['plan', 'build'].includes(args[0]!) ? ['--build-dir', dir] : [];
    const { code, stderr } = await cli([...args, ...extra]);
    expect(stderr).toMatch(pattern);
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect(code).toBe(2);
  });

  it('lists all config problems at once', async () => {
    const dir = temporaryFolder();
    const path = join(dir, 'config.json');
    writeFileSync(path, JSON.stringify({ 'mine-pair': {}, 'mine-pairs': { top_n: 3, top_m: 0 } }));
    const { code, stderr } = await cli(['plan', 'supmimic', '--config', path, '--build-dir', dir]);
    expect(code).toBe(2);
    expect(stderr).toContain('3 problems');
    expect(stderr).toContain('did you mean mine-pairs?');
    expect(stderr).toMatch(/mine-pairs.top_n: unknown key; did you mean mine-pairs.top_[km]\?/);
    expect(stderr).toContain('mine-pairs.top_m: got 0');
  });

  it('refuses sections that are no objects', async () => {
    const dir = temporaryFolder();
    const path = join(dir, 'config.json');
    writeFileSync(path, JSON.stringify({ 'mine-pairs': 5, 'build-cohort': null, 'split-patients': [1] }));
    const { code, stderr } = await cli(['plan', 'supmimic', '--config', path, '--build-dir', dir]);
    expect(code).toBe(2);
    expect(stderr).toContain('3 problems');
    expect(stderr).toContain('build-cohort: got null; expected an object of settings');
  });

  it('names a file in the place of the build folder', async () => {
    const { code, stderr } = await cli(['plan', 'supmimic', '--build-dir', 'package.json']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/ENOTDIR[\s\S]*name a folder/);
  });

  it('names a missing table and where it was looked for', async () => {
    const dir = temporaryFolder();
    mkdirSync(join(dir, 'mimic/hosp'), { recursive: true });
    const { code, stderr } = await cli([
      'plan',
      'supmimic',
      '--mimic-dir',
      join(dir, 'mimic'),
      '--build-dir',
      dir,
    ]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/hosp\/admissions.csv.gz/);
  });
});

describe('--json', () => {
  it('prints one object a line, errors included', async () => {
    const dir = temporaryFolder();
    const planned = await cli(['plan', 'supmimic', '--json', '--build-dir', dir]);
    expect(planned.code).toBe(0);
    expect(planned.json()).toMatchObject({ event: 'result' });
    const failed = await cli(['plan', 'supmimic', '--json', '--profile', 'x', '--build-dir', dir]);
    expect(failed.code).toBe(2);
    expect(failed.json()).toMatchObject({ event: 'error', kind: 'UsageError', exit_code: 2 });
    const misread = await cli(['plan', 'supmimic', '--json', '--seed', 'x']);
    expect(misread.json()).toMatchObject({ event: 'error', exit_code: 2 });
  });
});
