import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildCohort } from '../../stages/build-cohort/stage.js';
import type { SqlRow } from '../../stages/contract.js';
import { runStageOn, type StageRun } from '../support/stage.js';

interface Tables {
  patients: SqlRow[];
  admissions: SqlRow[];
  icustays: SqlRow[];
}

const patient = (more: SqlRow = {}): SqlRow => ({
  subject_id: 1,
  gender: 'F',
  anchor_age: 50,
  anchor_year: 2150,
  anchor_year_group: '2014 - 2016',
  dod: null,
  ...more,
});
const admission = (more: SqlRow = {}): SqlRow => ({
  subject_id: 1,
  hadm_id: 10,
  admittime: '2150-03-01 08:00:00',
  dischtime: '2150-03-20 08:00:00',
  deathtime: null,
  admission_type: 'EW EMER.',
  admission_location: null,
  discharge_location: null,
  insurance: null,
  language: null,
  marital_status: null,
  race: null,
  edregtime: null,
  edouttime: null,
  hospital_expire_flag: 0,
  ...more,
});
const stay = (more: SqlRow = {}): SqlRow => ({
  subject_id: 1,
  hadm_id: 10,
  stay_id: 100,
  first_careunit: 'MICU',
  last_careunit: 'MICU',
  intime: '2150-03-02 10:06:41',
  outtime: '2150-03-04 10:06:41',
  los: 2,
  ...more,
});

const cohortOf = (tables: Partial<Tables>, config: object = {}): Promise<StageRun> =>
  runStageOn(buildCohort, {
    inputs: { patients: [patient()], admissions: [admission()], icustays: [stay()], ...tables },
    config,
  });

/** Reason of the one stay that is not stay 999, which keeps the cohort from being empty. */
async function reasonOf(tables: Partial<Tables>, config: object = {}): Promise<string | undefined> {
  const other = { subject_id: 9, hadm_id: 90 };
  const run = await cohortOf(
    {
      patients: [...(tables.patients ?? [patient()]), patient({ subject_id: 9 })],
      admissions: [...(tables.admissions ?? [admission()]), admission(other)],
      icustays: [
        ...(tables.icustays ?? [stay()]),
        stay({ ...other, stay_id: 999, first_careunit: 'SICU', outtime: '2150-04-02 10:06:41' }),
      ],
    },
    config,
  );
  return Object.keys(run.result.dropped.icustays ?? {})[0];
}

describe('exclusions', () => {
  const cases: [string, string | undefined, Partial<Tables>, object?][] = [
    ['a plain stay', undefined, {}],
    ['no patient (P20)', 'orphan_subject', { patients: [] }],
    ['no admission', 'orphan_admission', { admissions: [] }],
    [
      'an admission of another patient (mimic-code#120)',
      'orphan_admission',
      { admissions: [admission({ subject_id: 9 })] },
    ],
    ['no end', 'missing_outtime', { icustays: [stay({ outtime: null })] }],
    [
      'an end before the beginning (P09)',
      'negative_los',
      { icustays: [stay({ outtime: '2150-03-02 10:06:40' })] },
    ],
    ['no length', 'negative_los', { icustays: [stay({ outtime: '2150-03-02 10:06:41' })] }],
    ['a negative los beside sound times', 'negative_los', { icustays: [stay({ los: -0.5 })] }],
    ['one second', undefined, { icustays: [stay({ outtime: '2150-03-02 10:06:42', los: null })] }],
    [
      'a discharge before the admission',
      'hosp_time_order',
      { admissions: [admission({ dischtime: '2150-03-01 07:59:59' })] },
    ],
    ['an unknown discharge', undefined, { admissions: [admission({ dischtime: null })] }],
    [
      'an admission after death (P10)',
      'after_death',
      { admissions: [admission(), admission({ hadm_id: 8, deathtime: '2150-03-01 07:00:00' })] },
    ],
    ['a stay after death', 'after_death', { admissions: [admission({ deathtime: '2150-03-02 10:00:00' })] }],
    ['a death inside the stay', undefined, { admissions: [admission({ deathtime: '2150-03-02 11:00:00' })] }],
    [
      'an early dod, which is no hospital death (P80)',
      undefined,
      { patients: [patient({ dod: '2150-01-01' })] },
    ],
    ['the age of 17', 'under_age', { patients: [patient({ anchor_age: 17 })] }],
    ['the age of 18', undefined, { patients: [patient({ anchor_age: 18 })] }],
    [
      '18 by the year of the admission (P02)',
      undefined,
      { patients: [patient({ anchor_age: 12, anchor_year: 2144 })] },
    ],
    [
      '17 by the year of the admission',
      'under_age',
      { patients: [patient({ anchor_age: 20, anchor_year: 2153 })] },
    ],
    ['over 89', undefined, { patients: [patient({ anchor_age: 91 })] }],
    ['an excluded unit (P79)', 'excluded_careunit', {}, { exclude_careunits: ["Neuro's", 'MICU'] }],
    ['another unit', undefined, {}, { exclude_careunits: ['micu'] }],
    ['48 hours of 48', undefined, {}, { min_los_hours: 48 }],
    ['48 hours of 48.001', 'short_stay', {}, { min_los_hours: 48.001 }],
  ];
  it.each(cases)('%s: %s', async (_, reason, tables, config) => {
    expect(await reasonOf(tables, config)).toBe(reason);
  });

  it('nothing left is an error', async () => {
    await expect(cohortOf({ patients: [patient({ anchor_age: 3 })] })).rejects.toThrow(
      /no ICU stay is left[\s\S]*1 under_age/,
    );
  });
});

describe('the anchor', () => {
  it('is intime cut to the minute, and the observed hours end with the stay or after a day', async () => {
    const run = await cohortOf(
      {
        icustays: [
          stay({ stay_id: 1, intime: '2150-03-02 10:06:59', outtime: '2150-03-02 16:36:00' }),
          stay({ stay_id: 2, intime: '2150-03-03 00:00:00', outtime: '2150-03-03 23:59:59' }),
          stay({ stay_id: 3, intime: '2150-03-05 00:00:01', outtime: '2150-03-06 00:00:00' }),
        ],
      },
      { stays: 'all' },
    );
    expect((await run.table('cohort')).map((r) => [r.t0, r.intime, r.hours_observed])).toEqual([
      ['2150-03-02 10:06:00', '2150-03-02 10:06:59', 6.5],
      ['2150-03-03 00:00:00', '2150-03-03 00:00:00', 86399 / 3600],
      ['2150-03-05 00:00:00', '2150-03-05 00:00:01', 24],
    ]);
    expect(run.result.counts.stays_under_24_hours).toBe(2);
  });
});

describe('which stays', () => {
  const stays = [
    stay({ stay_id: 103, hadm_id: 11, intime: '2150-05-02 10:00:00', outtime: '2150-05-03 10:00:00' }),
    stay({ stay_id: 102, intime: '2150-03-02 10:00:00' }),
    stay({ stay_id: 101, intime: '2150-03-02 10:00:00' }),
    stay({ stay_id: 100, intime: '2150-03-03 10:00:00' }),
  ];
  const admissions = [
    admission(),
    admission({ hadm_id: 11, admittime: '2150-05-01 10:00:00', dischtime: '2150-05-09 10:00:00' }),
  ];
  const ids = async (config: object, icustays = stays): Promise<unknown[]> =>
    (await (await cohortOf({ icustays, admissions }, config)).table('cohort')).map((r) => r.stay_id);

  it('first by time, then by id; per patient or per admission, or all', async () => {
    expect(await ids({})).toEqual([101]);
    expect(await ids({ stays: 'first_per_admission' })).toEqual([101, 103]);
    expect(await ids({ stays: 'all' })).toEqual([100, 101, 102, 103]);
  });

  it('a stay with faulty times does not count as the first, a short one does', async () => {
    const faulty = stays.map((s) => (s.stay_id === 101 ? { ...s, outtime: null } : s));
    expect(await ids({}, faulty)).toEqual([102]);
    const short = stays.map((s) => (s.stay_id === 101 ? { ...s, outtime: '2150-03-02 11:00:00' } : s));
    await expect(ids({ min_los_hours: 24 }, short)).rejects.toThrow(/no ICU stay is left/);
    expect(await ids({ min_los_hours: 24, stays: 'first_per_admission' }, short)).toEqual([103]);
  });
});

describe('the flow', () => {
  /** The rules once more, stay by stay, in plain words. */
  function expectedReasons(t: Tables, config: { stays: string; min_age: number; min_los_hours: number }) {
    const time = (x: unknown): number => Date.parse(`${String(x).replace(' ', 'T')}Z`);
    const early = (s: SqlRow): string | null => {
      const p = t.patients.find((x) => x.subject_id === s.subject_id);
      if (!p) return 'orphan_subject';
      const a = t.admissions.find((x) => x.hadm_id === s.hadm_id && x.subject_id === s.subject_id);
      if (!a) return 'orphan_admission';
      if (s.outtime === null) return 'missing_outtime';
      if (time(s.outtime) <= time(s.intime)) return 'negative_los';
      if (a.dischtime !== null && time(a.dischtime) < time(a.admittime)) return 'hosp_time_order';
      const deaths = t.admissions.filter((x) => x.subject_id === s.subject_id && x.deathtime !== null);
      if (deaths.some((d) => time(d.deathtime) < Math.max(time(a.admittime), time(s.intime))))
        return 'after_death';
      const age = Number(p.anchor_age) + Number(String(a.admittime).slice(0, 4)) - Number(p.anchor_year);
      return age < config.min_age ? 'under_age' : null;
    };
    const sound = t.icustays.filter((s) => early(s) === null);
    const is_later = (s: SqlRow): boolean =>
      config.stays !== 'all' &&
      sound.some(
        (o) =>
          o.subject_id === s.subject_id &&
          (config.stays === 'first' || o.hadm_id === s.hadm_id) &&
          (time(o.intime) < time(s.intime) ||
            (o.intime === s.intime && Number(o.stay_id) < Number(s.stay_id))),
      );
    return new Map(
      t.icustays.map((s) => {
        const hours = (time(s.outtime) - time(s.intime)) / 3_600_000;
        const late = is_later(s) ? 'later_stay' : hours < config.min_los_hours ? 'short_stay' : null;
        return [s.stay_id, early(s) ?? late];
      }),
    );
  }

  const day = fc.integer({ min: 1, max: 9 });
  const at = (d: number): string => `2150-03-0${d} 12:00:00`;
  const generated = fc.record({
    patients: fc.uniqueArray(
      fc.record({ subject_id: fc.integer({ min: 1, max: 3 }), anchor_age: fc.integer({ min: 16, max: 20 }) }),
      { selector: (p) => p.subject_id, maxLength: 3 },
    ),
    admissions: fc.uniqueArray(
      fc.record({
        hadm_id: fc.integer({ min: 10, max: 15 }),
        subject_id: fc.integer({ min: 1, max: 3 }),
        from: day,
        to: day,
        death: fc.option(day),
      }),
      { selector: (a) => a.hadm_id, minLength: 1, maxLength: 6 },
    ),
    stays: fc.array(fc.record({ nth: fc.nat(), stranger: fc.boolean(), from: day, to: fc.option(day) }), {
      minLength: 1,
      maxLength: 10,
    }),
    config: fc.record({
      stays: fc.constantFrom('first', 'first_per_admission', 'all'),
      min_age: fc.constantFrom(0, 18),
      min_los_hours: fc.constantFrom(0, 48),
    }),
  });

  it('adds up and every stay has the reason that the rules say', async () => {
    await fc.assert(
      fc.asyncProperty(generated, async (g) => {
        const t: Tables = {
          patients: g.patients.map((p) => patient(p)),
          admissions: g.admissions.map(({ from, to, death, ...a }) =>
            admission({ ...a, admittime: at(from), dischtime: at(to), deathtime: death && at(death) }),
          ),
          icustays: g.stays.map((s, i) => {
            const a = g.admissions[s.nth % g.admissions.length]!;
            const subject_id = s.stranger && i % 3 === 0 ? 1 : a.subject_id;
            return stay({
              subject_id,
              hadm_id: a.hadm_id,
              stay_id: 100 + i,
              intime: at(s.from),
              outtime: s.to && at(s.to),
              los: null,
            });
          }),
        };
        const expected = expectedReasons(t, g.config);
        const left = [...expected].filter(([, reason]) => reason === null).map(([id]) => id);
        if (left.length === 0) {
          await expect(cohortOf(t, g.config)).rejects.toThrow(/no ICU stay is left/);
          return;
        }
        const run = await cohortOf(t, g.config);
        expect((await run.table('cohort')).map((r) => r.stay_id)).toEqual(left.sort());
        const flow = await run.table('cohort_flow');
        for (const step of flow.slice(1)) {
          const gone = [...expected.values()].filter((reason) => reason === step.reason).length;
          expect([step.reason, step.excluded_stays_n]).toEqual([step.reason, gone]);
        }
        expect(flow.at(-1)).toMatchObject({ stays_n: left.length });
        const again = await cohortOf(
          {
            patients: [...t.patients].reverse(),
            admissions: [...t.admissions].reverse(),
            icustays: [...t.icustays].reverse(),
          },
          g.config,
        );
        expect(again.result.outputs.cohort!.sha256).toBe(run.result.outputs.cohort!.sha256);
        expect(again.result.outputs.cohort_flow!.sha256).toBe(run.result.outputs.cohort_flow!.sha256);
      }),
      { numRuns: 25 },
    );
  });
});
