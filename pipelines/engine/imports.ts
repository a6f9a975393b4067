/** What a source file imports: for fingerprints and for the architecture test. */

export interface Import {
  readonly specifier: string;
  readonly line: number;
}

/** `import ... from 'x'`, `export ... from 'x'`, `import 'x'` and `import('x')`, type-only ones included. */
const STATEMENT =
  /(?:^|\n)[ \t]*(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g;

/** The imports of a TypeScript source, in order, with their line numbers. */
export function importsOf(source: string): Import[] {
  return [...source.matchAll(STATEMENT)].map((match) => ({
    specifier: (match[1] ?? match[2])!,
    line: source.slice(0, match.index + match[0].length).split('\n').length,
  }));
}

/** The npm package of a bare specifier (`@scope/name/sub` gives `@scope/name`). */
export function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]!;
}
