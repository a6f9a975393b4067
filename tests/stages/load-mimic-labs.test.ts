/** Whose labs are loaded and which texts stay, and the ids that are passed on for the rows of refused parents. */
import { describe, expect, it } from 'vitest';
import { loadWith, type Row } from './mimic-extract.js';

const NO_STAY = { subject_id: 10_000_004, hadm_id: 20_000_004 };
/** A fourth patient without an ICU stay, with a registry lab and a lab that no feature reads. */
const CHANGE = {
  'hosp.patients': (rows: Row[]) => [...rows, { ...rows[0]!, subject_id: NO_STAY.subject_id }],
  'hosp.admissions': (rows: Row[]) => [...rows, { ...rows[0]!, ...NO_STAY }],
  'hosp.d_labitems': (rows: Row[]) => [
    ...rows,
    { itemid: 59999, label: 'Not A Feature', fluid: 'Blood', category: 'Chemistry' },
  ],
  'hosp.labevents': (rows: Row[]) =>
    [10_000_001, NO_STAY.subject_id].flatMap((subject_id, i) =>
      [50971, 59999].map((itemid, k) => ({
        ...rows[0]!,
        labevent_id: 10 * i + k,
        subject_id,
        itemid,
        value: 'text',
        valuenum: null,
        comments: 'a comment',
        ref_range_lower: '0.5',
        ref_range_upper: '0',
      })),
    ),
};

describe('labs', () => {
  it.each([
    ['icu', 'registry', [0, 1], [0]],
    ['icu', 'all', [0, 1], [0, 1]],
    ['all', 'registry', [0, 1, 10, 11], [0, 10]],
    ['all', 'all', [0, 1, 10, 11], [0, 1, 10, 11]],
  ])('of %s patients with the texts of %s', async (lab_patients, lab_texts, kept, with_text) => {
    const run = await loadWith(CHANGE, { lab_patients, lab_texts });
    const labs = await run.table('labevents');
    expect(labs.map((r) => r.labevent_id)).toEqual(kept);
    for (const column of ['value', 'comments'])
      expect(labs.filter((r) => r[column] !== null).map((r) => r.labevent_id)).toEqual(with_text);
    expect(labs[0]).toMatchObject({ ref_range_lower: 0.5, ref_range_upper: 0 });
    expect(run.result.dropped['hosp.labevents'] ?? {}).toEqual(
      lab_patients === 'icu' ? { no_icu_stay: 2 } : {},
    );
  });

  it('of patients who are not in the extract are rejected; those of a refused patient go with him', async () => {
    const run = await loadWith(
      {
        ...CHANGE,
        'hosp.patients': (rows) => [
          ...CHANGE['hosp.patients'](rows),
          { ...rows[0]!, subject_id: 10_000_005, gender: 'X' },
        ],
        'hosp.labevents': (rows) => [
          ...rows,
          { ...rows[0]!, labevent_id: 90, subject_id: 10_000_005 },
          { ...rows[0]!, labevent_id: 91, subject_id: 10_000_006 },
        ],
      },
      { lab_patients: 'all' },
    );
    const rejects = (await run.table('rejects')).map((r) => [r.table, r.reason, r.got]);
    expect(rejects.sort()).toEqual([
      ['hosp.labevents', 'orphan_subject', '10000006'],
      ['hosp.patients', 'unknown_code', 'X'],
    ]);
    expect(run.result.dropped['hosp.labevents']).toEqual({ parent_refused: 1 });
    expect(await run.table('refused_parents')).toEqual([{ table: 'hosp.patients', id: '10000005' }]);
  });
});
