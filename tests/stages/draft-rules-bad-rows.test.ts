/** What a maintainer reads when one cell of our tables is bad: the build stops at draft-rules with row, field and text. */
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SqlRow, StageSpec } from '../../stages/contract.js';
import { draftRules } from '../../stages/draft-rules/stage.js';
import { loadGuidelines } from '../../stages/load-guidelines/stage.js';
import { runStageOn, type StageRun, temporaryFolder } from '../support/stage.js';

let loaded: StageRun;
beforeAll(async () => {
  const folder = temporaryFolder();
  for (const file of readdirSync('raw/guidelines').filter((f) => f.endsWith('.csv')))
    copyFileSync(join('raw/guidelines', file), join(folder, file));
  loaded = await runStageOn(loadGuidelines as unknown as StageSpec, { inputs: { guidelines: { folder } } });
}, 120_000);

/** Runs draft-rules on one edited row of a table. */
async function draft(table: string, row_id: string, edit: Record<string, string>, share = 0) {
  const rows = await loaded.table(table);
  const row = rows.find((r) => r.row_id === row_id)!;
  const inputs: Record<string, SqlRow[] | { parquet: string }> = {};
  for (const t of ['beers_rows', 'kids_rows', 'tga_rows', 'label_rows']) inputs[t] = [];
  inputs[table] = [{ ...row, ...edit } as SqlRow];
  for (const t of ['drug_names', 'drug_classes', 'class_words'])
    inputs[t] = { parquet: `${loaded.dir}/${t}.parquet` };
  return runStageOn(draftRules as unknown as StageSpec, { inputs, config: { max_reject_share: share } });
}
const messageOf = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => 'no error',
    (e: unknown) => String(e),
  );

/** Name, table, row, edit, what the message says of the place, the reason. */
const CASES: readonly (readonly [string, string, string, Record<string, string>, string, string])[] = [
  [
    'an unparsable threshold (Beers)',
    'beers_rows',
    'B23-T6-002',
    { threshold_value: 'thirty' },
    'beers2023.csv, line 122, row B23-T6-002, field threshold_value',
    'unparsable_threshold',
  ],
  [
    'an unparsable threshold (label)',
    'label_rows',
    'FDA-088',
    { threshold_expression: 'CrCl below sixty' },
    'fda-labels.csv, line 85, row FDA-088, field threshold_expression',
    'unparsable_threshold',
  ],
  [
    'a unit of another measure',
    'beers_rows',
    'B23-T6-002',
    { threshold_unit: 'mL/min/1.73 m2' },
    'beers2023.csv, line 122, row B23-T6-002, field threshold_unit',
    'mixed_units',
  ],
  [
    'a unit that the measure does not have',
    'label_rows',
    'FDA-088',
    { threshold_expression: 'CrCl < 60 mg/dL' },
    'fda-labels.csv, line 85, row FDA-088, field threshold_expression',
    'unparsable_threshold',
  ],
  [
    'an unknown drug',
    'beers_rows',
    'B23-T6-002',
    { member_drugs: 'nitrofurantoinum' },
    'beers2023.csv, line 122, row B23-T6-002, field member_drugs',
    'unknown_drug',
  ],
];

describe('one bad cell', () => {
  it('is in a row that gives rules as it stands', async () => {
    for (const [table, id] of [
      ['beers_rows', 'B23-T6-002'],
      ['label_rows', 'FDA-088'],
    ] as const)
      expect((await (await draft(table, id, {})).table('rules')).length).toBeGreaterThan(0);
  });

  for (const [name, table, id, edit, place, reason] of CASES) {
    it(`${name} stops the build with row and text, and is a counted reject where a share may fail`, async () => {
      const message = await messageOf(draft(table, id, edit));
      expect(message).toContain(`the first: ${reason}`);
      expect(message).toContain(place);
      expect(message).toContain(Object.values(edit)[0]);
      expect(message).toMatch(/expected: .+\n.*next: +correct the row/);
      const allowed = await draft(table, id, edit, 1);
      expect(await allowed.table('rules')).toEqual([]);
      expect(await allowed.table('row_outcomes')).toMatchObject([{ row_id: id, rules_n: 0, reason }]);
    });
  }
});
