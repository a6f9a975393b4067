/** How the values of options are read. */
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';

/** Reads a whole number within bounds. */
export const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const n = Number(text);
    if (/^\d+$/.test(text) && n >= least && n <= most) return n;
    const upper = most === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${most}`;
    throw new InvalidArgumentError(`expected a whole number, ${least} ${upper}`);
  };

/** Reads a size as DuckDB takes it. */
export const memorySize = (text: string): string => {
  if (/^\d+(\.\d+)?\s*[KMGT]i?B$/i.test(text)) return text;
  throw new InvalidArgumentError('expected a size such as 4GB or 800MB');
};

/** Directories joined with ":"; at least one. */
export const directories = (text: string): readonly string[] => {
  const dirs = text.split(':').filter((d) => d.trim() !== '');
  if (dirs.length > 0) return dirs.map((d) => resolve(d));
  throw new InvalidArgumentError('MIMIC_IV_DIR names no folder; for example /path/to/mimiciv/3.1');
};

/** Refuses an empty value and names the variable that make passes it by. */
export const notEmpty =
  (variable: string, example: string) =>
  (text: string): string => {
    if (text.trim() !== '') return text;
    throw new InvalidArgumentError(`${variable} is empty; for example ${example}`);
  };

/** Reads the path of a folder. */
export const folder =
  (variable: string) =>
  (text: string): string =>
    resolve(notEmpty(variable, '/path/to/folder')(text));

/** Reads a number of US dollars that is not negative. */
export function dollars(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected US dollars such as 5 or 0.15');
}

/** Reads two prices in US dollars joined with ",": a million tokens of prompt, and of reply. */
export function prices(text: string): { input_per_million: number; output_per_million: number } {
  const [input, output, ...more] = text.split(',');
  if (input === undefined || output === undefined || more.length > 0)
    throw new InvalidArgumentError('expected two prices for a million tokens, prompt and reply: 0.15,0.60');
  return { input_per_million: dollars(input.trim()), output_per_million: dollars(output.trim()) };
}
