/** The review commands as a person meets them. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.js';
import { temporaryFolder } from '../support/stage.js';

describe('review', () => {
  it('has an export and an import', async () => {
    const { code, stdout } = await cli(['review', '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/export .*<benchmark>[\s\S]*import .*<file>/);
  });

  const out = join(temporaryFolder(), 'sheet.csv');
  const cases: [string, string[], RegExp][] = [
    ['no reviewer', ['export', 'supmimic', '--out', out], /--reviewer <id>' not specified/],
    ['an empty reviewer', ['export', 'supmimic', '--reviewer', '', '--out', out], /REVIEWER is empty/],
    ['no file', ['export', 'supmimic', '--reviewer', 'aa'], /--out <file>' not specified/],
    ['an empty file name', ['import', ''], /FILE is empty; for example FILE=sheet.csv/],
    [
      'another kind',
      ['export', 'supmimic', '--reviewer', 'aa', '--out', out, '--what', 'pairs'],
      /rules, items/,
    ],
    [
      'a benchmark of no reviews',
      ['export', 'supmimic', '--reviewer', 'aa', '--out', out],
      /people sign nothing of supmimic/,
    ],
    ['an unknown benchmark', ['import', out, '--benchmark', 'supmimik'], /did you mean supmimic/],
  ];
  it.each(cases)('%s exits with 2', async (_, args, message) => {
    const { code, stderr } = await cli(['review', ...args]);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    expect(existsSync(out)).toBe(false);
  });
});

describe('review of medpic', () => {
  it('writes a sheet of all checked rules; a bad one is refused by line and changes nothing', async () => {
    const dir = temporaryFolder();
    const sheet = join(dir, 'sheet.csv');
    const options = ['--build-dir', join(dir, 'build'), '--json'];
    const before = readdirSync('raw/reviews/medpic');
    const out = await cli(['review', 'export', 'medpic', '--reviewer', 'aa', '--out', sheet, ...options]);
    expect(out.stderr).toBe('');
    const { rows, subjects } = out.json<{ rows: number; subjects: number }>();
    expect(subjects).toBeGreaterThan(300);
    expect(rows).toBe(subjects * 15);

    writeFileSync(sheet, readFileSync(sheet, 'utf8').replace(',,,,,,aa,false,', ',agreed,,,,,aa,false,'));
    const refused = await cli(['review', 'import', sheet, ...options]);
    expect(refused.code).toBe(3);
    const { message } = refused.json<{ message: string }>();
    expect(message).toMatch(/^nothing was imported: 1 problems\n {2}line 2, column decision: .*"agreed"/);
    expect(readdirSync('raw/reviews/medpic')).toEqual(before);
  });
});
