/** CHANGELOG.md of a release. */
import { join } from 'node:path';
import { PROJECT_ROOT, readFileSync } from '../adapters/files.js';

/** The changelog of a benchmark; what is unreleased in the project is what this version brings. */
export const changelog = (benchmark: string, version: string): string =>
  readFileSync(join(PROJECT_ROOT, `pipelines/${benchmark}/CHANGELOG.md`), 'utf8').replace(
    '## Unreleased',
    `## ${version}`,
  );
