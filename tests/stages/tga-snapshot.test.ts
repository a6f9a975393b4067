/** Our TGA rows against the snapshot they were copied from, which lies beside the project. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseStrictCsv } from '../../stages/lib/strict-csv.js';
import { drugIndex, guidelineRows } from '../support/guidelines.js';
import { hasMounted, MOUNT_DIR } from '../support/mounted.js';

const FILE = 'tga-pregnancy-2019/prescribing-medicines-in-pregnancy.csv';
const LEVELS = ['Classification Level 1', 'Classification Level 2', 'Classification Level 3'];
const read = () =>
  parseStrictCsv(readFileSync(join(MOUNT_DIR, FILE), 'utf8'), FILE, {
    columns: ['Drug Name', 'Category', ...LEVELS],
    newline: 'lf',
  }).map((r) => r.values);

describe.skipIf(!hasMounted())('the TGA snapshot of 2019', () => {
  it('has the name, letter and headings of every row of ours, but for the letter of 2023', () => {
    const entries = new Map<string, Set<string>>();
    for (const v of read()) {
      const key = v['Drug Name']!.toLowerCase();
      const entry = [v.Category, ...LEVELS.map((l) => v[l])].join(' | ');
      entries.set(key, (entries.get(key) ?? new Set()).add(entry));
    }
    const differing = guidelineRows('tga-pregnancy').filter((r) => {
      const headings = [r.classification_1, r.classification_2, r.classification_3].map((c) => c ?? '');
      const entry = [r.australian_category, ...headings].join(' | ');
      return !entries.get(r.medicine_as_listed!.toLowerCase())?.has(entry);
    });
    expect(differing.map((r) => [r.row_id, r.medicine_as_listed, r.edition_or_snapshot])).toEqual([
      ['TGA-158', 'pregabalin', 'TGA safety update, February 2023'],
    ]);
  });

  it('has 1,466 names; those that drug-names.csv knows resolve, the others say why not', () => {
    const drugs = drugIndex();
    const names = [...new Set(read().map((v) => v['Drug Name']!))];
    const counts: Record<string, number> = {};
    for (const name of names) {
      const found = drugs.resolve(name);
      const what = 'reason' in found ? found.reason : 'resolved';
      counts[what] = (counts[what] ?? 0) + 1;
    }
    expect(names).toHaveLength(1466);
    expect(counts).toEqual({ resolved: 552, unknown_name: 841, unknown_part: 45, unlisted_combination: 28 });
  });
});
