/** The numbers of manifest and report, counted again from the tables of the release. */
import { join } from 'node:path';
import type { Problem, StageContext } from '../../../stages/contract.js';
import { canonicalJson } from '../../../stages/lib/canonical-json.js';
import { readInputs } from '../../../stages/report-items/read.js';
import { statisticsOf } from '../../../stages/report-items/statistics.js';
import { readFileSync } from '../../engine/adapters/files.js';
import { DataError } from '../../engine/errors.js';
import { Check, type CheckResult } from '../../engine/verify-release.js';
import type { OpenRelease } from '../open.js';

/** Statistics follow from questions, answers, rules and rejects. */
export async function checkStatistics(r: OpenRelease): Promise<CheckResult> {
  const check = new Check('the numbers of manifest and report follow from the tables');
  for (const [view, table] of [
    ['questions', 'medpic_questions'],
    ['answers', 'medpic_answers'],
  ])
    await r.session.run(`create or replace view ${view} as from ${table}`);
  const counted = await recount(r);
  const report = JSON.parse(readFileSync(join(r.dir, 'quality/report.json'), 'utf8')) as {
    statistics: unknown;
  };
  check.expect(canonicalJson(r.manifest.statistics) === counted, () => 'manifest.json has other statistics');
  check.expect(
    canonicalJson(report.statistics) === counted,
    () => 'quality/report.json has other statistics',
  );
  return check.result();
}

async function recount(r: OpenRelease): Promise<string> {
  const fail = (problem: Problem): never => {
    throw new DataError(problem);
  };
  return canonicalJson(statisticsOf(await readInputs({ sql: r.session, fail } as unknown as StageContext)));
}

/** Stands for the check where the tables hold something that cannot be counted. */
export const uncountable = (error: unknown): CheckResult => ({
  name: 'the numbers of manifest and report follow from the tables',
  checked_n: 1,
  problems: [
    `they cannot be counted again: ${String((error as Error).message)
      .split('\n')
      .join(', ')}`,
  ],
});
