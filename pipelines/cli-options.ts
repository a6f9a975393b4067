/** Options of commands on a pipeline. */
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { directories, folder, memorySize, wholeNumber } from './cli-values.js';
import { PROJECT_ROOT } from './engine/adapters/files.js';
import { modelFlags } from './model-flags.js';

/** Options that every command on a pipeline has; `cores` is the number of workers when none is given. */
export function pipelineOptions(command: Command, cores: number): Command {
  command
    .option(
      '--mimic-dir <dirs>',
      'MIMIC-IV folders joined with ":"; synthetic data when left out',
      directories,
    )
    .option('--mimic-version <version>', 'release of the extract (2.2, 3.0, 3.1) when it cannot be told')
    .option('--pdf-dir <dir>', 'medpic: guideline PDFs that a model drafts rules from', folder('PDF_DIR'))
    .option('--labels-dir <dir>', 'medpic: drug labels that a model drafts rules from', folder('LABELS_DIR'));
  return modelFlags(command)
    .option('--profile <name>', 'named config values; "default" on synthetic data, else "full"')
    .option('--config <file>', 'JSON file with config values that differ from the profile')
    .addOption(new Option('--seed <n>', 'root of all random streams').default(0).argParser(wholeNumber(0)))
    .addOption(new Option('--workers <n>', 'worker threads').default(cores).argParser(wholeNumber(1)))
    .option('--memory <size>', 'memory limit of DuckDB', memorySize, '4GB')
    .option('--build-dir <dir>', 'where cache, runs and releases go', join(PROJECT_ROOT, 'build'))
    .option('--json', 'one JSON object a line');
}
