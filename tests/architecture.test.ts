/** The rules of the house that a machine can check. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Import, importsOf, packageOf } from '../pipelines/engine/imports.js';

interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

function walk(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = `${dir}/${name}`;
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
}

const files = ['schemas', 'stages', 'pipelines', 'tests'].flatMap(walk);
const sources: Source[] = files
  .filter((f) => /\.(ts|sql)$/.test(f))
  .map((path) => {
    const text = readFileSync(path, 'utf8');
    return { path, text, lines: text.split('\n').length };
  });
const code = sources.filter((s) => s.path.endsWith('.ts'));

/** `path:line: rule` for every import that a rule refuses. */
function violations(
  where: RegExp,
  isAllowed: (target: string, source: Source) => boolean,
  rule: string,
): string[] {
  return code
    .filter((s) => where.test(s.path))
    .flatMap((s) =>
      importsOf(s.text)
        .filter((i) => !isAllowed(resolve(s.path, i), s))
        .map((i) => `${s.path}:${i.line}: imports ${i.specifier}: ${rule}`),
    );
}

const resolve = (from: string, i: Import): string =>
  i.specifier.startsWith('.') ? posix.join(dirname(from), i.specifier).replace(/\.js$/, '.ts') : i.specifier;

const isComment = (line: string): boolean => /^\s*(--|\*|\/\/|\/\*)/.test(line);

/** Pure packages that stages may use. */
const STAGE_PACKAGES = [
  'zod',
  'papaparse',
  // UCUM: loads its own table of units and touches nothing else.
  '@lhncbc/ucum-lhc',
  'fflate',
  'ml-random-forest',
  'ml-matrix',
  '@observablehq/plot',
  'linkedom',
  // Counts tokens; a table of byte pairs and no world.
  'js-tiktoken',
];

describe('architecture', () => {
  it('schemas import only the schema library', () => {
    expect(
      violations(/^schemas\//, (t) => t === 'zod' || t.startsWith('schemas/'), 'schemas know only zod'),
    ).toEqual([]);
  });

  it('stages import schemas, the contract, the shared helpers and their own folder', () => {
    const isAllowed = (t: string, s: Source): boolean =>
      t.startsWith('schemas/') ||
      t === 'stages/contract.ts' ||
      t.startsWith('stages/lib/') ||
      t.startsWith(`${s.path.split('/').slice(0, 2).join('/')}/`) ||
      STAGE_PACKAGES.includes(packageOf(t)) ||
      (t === 'node:crypto' && s.path === 'stages/lib/hash.ts');
    expect(violations(/^stages\//, isAllowed, 'stages meet only through data')).toEqual([]);
  });

  it('the engine knows the contract, never a concrete stage or pipeline', () => {
    const isAllowed = (t: string): boolean =>
      !t.startsWith('stages/') || t === 'stages/contract.ts' || t.startsWith('stages/lib/');
    expect(violations(/^pipelines\/engine\//, isAllowed, 'the engine knows no stage')).toEqual([]);
    expect(
      violations(
        /^pipelines\/engine\//,
        (t) => !/^pipelines\/(?!engine\/)/.test(t),
        'the engine knows no pipeline',
      ),
    ).toEqual([]);
  });

  it('only adapters touch the world', () => {
    const world =
      /^(node:(fs|os|child_process|net|http|https|worker_threads|zlib)|@duckdb\/|piscina|openai|pdfjs-dist|pdf-parse)/;
    const isAllowed = (t: string, s: Source): boolean =>
      !world.test(t) || s.path.startsWith('pipelines/engine/adapters/') || s.path === 'pipelines/cli.ts';
    expect(
      violations(
        /^(schemas|stages|pipelines)\//,
        isAllowed,
        'only pipelines/engine/adapters touches the world',
      ),
    ).toEqual([]);
  });

  it('stages read no clock, environment or random source', () => {
    const banned = /\b(Date\.now|new Date\(|Math\.random|process\.|performance\.now|fetch\()/;
    const found = code
      .filter((s) => s.path.startsWith('stages/'))
      .flatMap((s) =>
        s.text
          .split('\n')
          .flatMap((line, i) =>
            banned.test(line) && !isComment(line) ? [`${s.path}:${i + 1}: ${line.trim()}`] : [],
          ),
      );
    expect(found).toEqual([]);
  });

  it('SQL never hides bad rows or depends on row order', () => {
    const banned = /\b(ignore_errors|strict_mode\s*=\s*false|any_value|approx_quantile)\b|\brandom\(\)/i;
    const found = sources
      .filter((s) => /^(stages|pipelines)\//.test(s.path))
      .flatMap((s) =>
        s.text
          .split('\n')
          .flatMap((line, i) =>
            banned.test(line) && !isComment(line) ? [`${s.path}:${i + 1}: ${line.trim()}`] : [],
          ),
      );
    expect(found).toEqual([]);
  });

  it('files are short and exports are named', () => {
    const long = sources.filter((s) => s.lines > 400).map((s) => `${s.path}: ${s.lines} lines`);
    expect(long).toEqual([]);
    const allowed = new Set(['tests/reporter.ts']);
    const byDefault = code
      .filter((s) => /^export default/m.test(s.text) && !allowed.has(s.path))
      .map((s) => s.path);
    expect(byDefault).toEqual([]);
  });

  it('no test is skipped without a reason or left undone', () => {
    const undone = code
      .filter((s) => s.path !== 'tests/architecture.test.ts')
      .flatMap((s) =>
        s.text
          .split('\n')
          .flatMap((line, i) =>
            /\b(it|test|describe)\.(todo|only)\b|\bTODO\b|\bFIXME\b/.test(line) ? [`${s.path}:${i + 1}`] : [],
          ),
      );
    expect(undone).toEqual([]);
  });

  it('every stage is declared in its own folder under its own name', () => {
    const stages = readdirSync('stages').filter(
      (n) => n !== 'lib' && statSync(join('stages', n)).isDirectory(),
    );
    for (const name of stages) {
      const text = readFileSync(`stages/${name}/stage.ts`, 'utf8');
      expect(text, name).toContain(`name: '${name}'`);
      for (const file of ['run.ts', 'config.ts', 'README.md'])
        expect(files, `stages/${name}`).toContain(`stages/${name}/${file}`);
    }
  });

  it('dependencies are pinned exactly', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, v]) => !/^\d/.test(v as string),
    );
    expect(loose).toEqual([]);
    expect(readFileSync('package-lock.json', 'utf8')).not.toContain('"resolved": "http');
  });
});
