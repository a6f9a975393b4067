/** Options of commands on a pipeline, and how their values are read. */
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { PROJECT_ROOT } from './engine/adapters/files.js';

/** Reads a whole number within bounds. */
export const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const n = Number(text);
    if (/^\d+$/.test(text) && n >= least && n <= most) return n;
    const upper = most === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${most}`;
    throw new InvalidArgumentError(`expected a whole number, ${least} ${upper}`);
  };

const memorySize = (text: string): string => {
  if (/^\d+(\.\d+)?\s*[KMGT]i?B$/i.test(text)) return text;
  throw new InvalidArgumentError('expected a size such as 4GB or 800MB');
};

/** Directories joined with ":"; at least one. */
const directories = (text: string): readonly string[] => {
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

const folder =
  (variable: string) =>
  (text: string): string =>
    resolve(notEmpty(variable, '/path/to/folder')(text));

/** Options that every command on a pipeline has; `cores` is the number of workers when none is given. */
export function pipelineOptions(command: Command, cores: number): Command {
  return command
    .option(
      '--mimic-dir <dirs>',
      'MIMIC-IV folders joined with ":"; synthetic data when left out',
      directories,
    )
    .option('--mimic-version <version>', 'release of the extract (2.2, 3.0, 3.1) when it cannot be told')
    .option('--pdf-dir <dir>', 'medpic: guideline PDFs that a model drafts rules from', folder('PDF_DIR'))
    .option('--labels-dir <dir>', 'medpic: drug labels that a model drafts rules from', folder('LABELS_DIR'))
    .addOption(
      new Option('--llm <mode>', 'ask models, or take recorded answers alone; default replay').choices([
        'live',
        'replay',
      ]),
    )
    .option(
      '--answers-dir <dir>',
      'recorded answers of models, the folder answers of a build folder',
      folder('ANSWERS_DIR'),
    )
    .option('--profile <name>', 'named config values; "default" on synthetic data, else "full"')
    .option('--config <file>', 'JSON file with config values that differ from the profile')
    .addOption(new Option('--seed <n>', 'root of all random streams').default(0).argParser(wholeNumber(0)))
    .addOption(new Option('--workers <n>', 'worker threads').default(cores).argParser(wholeNumber(1)))
    .option('--memory <size>', 'memory limit of DuckDB', memorySize, '4GB')
    .option('--build-dir <dir>', 'where cache, runs and releases go', join(PROJECT_ROOT, 'build'))
    .option('--json', 'one JSON object a line');
}
