import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admissions, patients, services } from '../../schemas/mimic.js';
import { discharge, prescriptions } from '../../schemas/mimic-orders.js';
import type { SqlRow } from '../../stages/contract.js';
import { EXCLUSIONS } from '../../stages/sample-admissions/reasons.js';
import { allocate, drawStratified, onePerPatient } from '../../stages/sample-admissions/sample.js';
import { sampleAdmissions } from '../../stages/sample-admissions/stage.js';
import { runStageOn, type StageRun } from '../support/stage.js';
import { complete } from './complete.js';

interface World {
  readonly patients: SqlRow[];
  readonly admissions: SqlRow[];
  readonly services: SqlRow[];
  readonly diagnoses_icd: SqlRow[];
  readonly prescriptions: SqlRow[];
  readonly discharge: SqlRow[];
}

const day = (n: number, hour = 8): string => {
  const date = new Date(Date.UTC(2150, 0, 1 + n, hour));
  return date.toISOString().slice(0, 19).replace('T', ' ');
};
const CODES: [string, number][] = [
  ['I214', 10],
  ['4280', 9],
  ['A419', 10],
  ['V5811', 9],
  ['U071', 10],
  ['E8889', 9],
  ['1XX', 10],
];

interface Person {
  readonly anchor_age: number;
  readonly shift: number;
  readonly group: string;
  readonly stays: readonly {
    readonly start: number;
    readonly hours: number | null;
    readonly is_death: boolean;
    readonly drug_type: string | null;
    readonly notes: string;
    readonly codes: readonly [string, number][];
  }[];
}

/** Patients with all that may exclude an admission, from small numbers. */
const person: fc.Arbitrary<Person> = fc.record({
  anchor_age: fc.constantFrom(15, 17, 18, 60, 88, 89, 90, 91),
  shift: fc.integer({ min: -3, max: 4 }),
  group: fc.constantFrom('2008 - 2010', '2017 - 2019', '2020 - 2022'),
  stays: fc.array(
    fc.record({
      start: fc.integer({ min: 0, max: 40 }),
      hours: fc.constantFrom(-5, 0, 23, 24, 25, 200, null),
      is_death: fc.boolean(),
      drug_type: fc.constantFrom('MAIN', 'MAIN', 'BASE', null),
      notes: fc.constantFrom('', 'DS', 'DS', 'DS', 'DS AD', 'DS DS', 'AD'),
      codes: fc.array(fc.constantFrom(...CODES), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

function worldOf(people: readonly Person[]): World {
  const world: World = {
    patients: [],
    admissions: [],
    services: [],
    diagnoses_icd: [],
    prescriptions: [],
    discharge: [],
  };
  let id = 0;
  for (const [i, p] of people.entries()) {
    const subject_id = 100 + i;
    const { anchor_age, group: anchor_year_group } = p;
    world.patients.push({
      subject_id,
      gender: 'F',
      anchor_age,
      anchor_year: 2150 - p.shift,
      anchor_year_group,
    });
    for (const s of p.stays) {
      id += 1;
      const key = { subject_id, hadm_id: 1000 + id };
      const dischtime = s.hours === null ? null : day(s.start, 8 + s.hours);
      const deathtime = s.is_death ? dischtime : null;
      world.admissions.push({ ...key, admittime: day(s.start), dischtime, deathtime });
      if (s.drug_type)
        world.prescriptions.push({ ...key, pharmacy_id: id, drug_type: s.drug_type, drug: 'x' });
      for (const [n, note_type] of s.notes.split(' ').filter(Boolean).entries())
        world.discharge.push({ ...key, note_id: `${id}-${note_type}-${n}`, note_type });
      for (const [n, [icd_code, icd_version]] of s.codes.entries())
        world.diagnoses_icd.push({ ...key, seq_num: n + 1, icd_code, icd_version });
    }
  }
  return world;
}

function sample(world: World, config: object = {}, seed = 0): Promise<StageRun> {
  return runStageOn(sampleAdmissions, {
    inputs: {
      patients: complete(patients, world.patients),
      admissions: complete(admissions, world.admissions),
      services: complete(services, world.services),
      diagnoses_icd: world.diagnoses_icd,
      prescriptions: complete(prescriptions, world.prescriptions),
      discharge: complete(discharge, world.discharge),
    },
    config,
    seed,
  });
}

/** The reasons of the README, one admission at a time. */
function reasonOf(world: World, a: SqlRow, needs_note: boolean): string | null {
  const p = world.patients.find((x) => x.subject_id === a.subject_id)!;
  const deaths = world.admissions.filter((x) => x.subject_id === a.subject_id && x.deathtime !== null);
  const notes = world.discharge.filter((n) => n.hadm_id === a.hadm_id && n.note_type === 'DS').length;
  const hours = (Date.parse(`${a.dischtime}Z`) - Date.parse(`${a.admittime}Z`)) / 3_600_000;
  if (a.dischtime === null) return 'no_dischtime';
  if (hours < 0) return 'hosp_time_order';
  if (deaths.some((d) => String(d.deathtime) < String(a.admittime))) return 'after_death';
  if (ageOf(world, a) < 18) return 'under_age';
  if (hours < 24) return 'short_stay';
  if (!world.prescriptions.some((x) => x.hadm_id === a.hadm_id && x.drug_type === 'MAIN'))
    return 'no_main_order';
  if (!needs_note) return null;
  if (p.anchor_year_group === '2020 - 2022') return 'after_2019';
  return notes === 0 ? 'no_note' : notes > 1 ? 'several_notes' : null;
}

function ageOf(world: World, a: SqlRow): number {
  const p = world.patients.find((x) => x.subject_id === a.subject_id)!;
  const years = Number(p.anchor_age) + Number(String(a.admittime).slice(0, 4)) - Number(p.anchor_year);
  return Number(p.anchor_age) > 89 || years > 89 ? 91 : years;
}

const worlds = fc.array(person, { minLength: 4, maxLength: 25 }).map(worldOf);

describe('eligible admissions', () => {
  it('are those that no reason takes out; the funnel counts admissions and patients', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.boolean(), async (world, needs_note) => {
        const needed = needs_note && world.discharge.length > 0;
        const reasons = world.admissions.map((a) => reasonOf(world, a, needed));
        const kept = world.admissions.filter((_, i) => reasons[i] === null);
        fc.pre(kept.length > 0);
        const run = await sample(world, { needs_note, one_per_patient: false });
        const rows = await run.table('sampled_admissions');
        expect(rows.map((r) => [r.hadm_id, r.age])).toEqual(kept.map((a) => [a.hadm_id, ageOf(world, a)]));
        const funnel = await run.table('admission_funnel');
        const order = Object.keys(EXCLUSIONS);
        const left = (step: number) =>
          world.admissions.filter((_, i) => reasons[i] === null || order.indexOf(reasons[i]!) >= step);
        for (let step = 0; step <= order.length; step++) {
          const n = (unit: string) => funnel.find((f) => f.step_n === step && f.unit === unit)!.n;
          expect(n('admissions')).toBe(left(step).length);
          expect(n('patients')).toBe(new Set(left(step).map((a) => a.subject_id)).size);
        }
      }),
      { numRuns: 12 },
    );
  });

  it('have the chapter of the first-listed code, and V, E and unknown codes theirs', async () => {
    const stay = (codes: [string, number][]) => ({
      start: 0,
      hours: 48,
      is_death: false,
      drug_type: 'MAIN',
      notes: 'DS',
      codes,
    });
    const people = CODES.map((c) => ({
      anchor_age: 60,
      shift: 0,
      group: '2008 - 2010',
      stays: [stay([c, ['A419', 10]])],
    }));
    const world = worldOf([...people, { ...people[0]!, stays: [stay([])] }]);
    const rows = await (await sample(world)).table('sampled_admissions');
    expect(rows.map((r) => r.chapter)).toEqual([
      'diseases of the circulatory system',
      'diseases of the circulatory system',
      'infectious and parasitic diseases',
      'health status and contact with health services',
      'infectious and parasitic diseases',
      'external causes',
      'none',
      'none',
    ]);
  });
});

describe('the sample', () => {
  const people = Array.from({ length: 60 }, (_, i) => ({
    anchor_age: 60,
    shift: 0,
    group: '2008 - 2010',
    stays: [0, 10].map((start) => ({
      start,
      hours: 48,
      is_death: false,
      drug_type: 'MAIN',
      notes: 'DS',
      codes: [CODES[i % 5]!],
    })),
  }));
  const world = worldOf(people);
  const ids = async (run: Promise<StageRun>) =>
    (await (await run).table('sampled_admissions')).map((r) => `${r.hadm_id} ${r.split}`);

  it('has one admission a patient, and depends on seed and ids alone', async () => {
    const first = await ids(sample(world));
    expect(first).toHaveLength(60);
    expect(new Set(first.map((x) => x.split(' ')[1]))).toEqual(new Set(['test', 'train']));
    const reversed = Object.fromEntries(
      Object.entries(world).map(([t, rows]) => [t, [...rows].reverse()]),
    ) as unknown as World;
    expect(await ids(sample(reversed))).toEqual(first);
    expect(await ids(sample({ ...world, diagnoses_icd: [], services: [] }))).toEqual(first);
    expect(await ids(sample(world, {}, 1))).not.toEqual(first);
    const fewer = worldOf(people.slice(0, 30));
    expect(await ids(sample(fewer))).toEqual(first.slice(0, 30));
  });

  it('of fewer places is a part of the larger one of its chapter, and keeps the shares', async () => {
    const chapters = async (max_admissions: number) => {
      const rows = await (await sample(world, { max_admissions })).table('sampled_admissions');
      return { ids: rows.map((r) => r.hadm_id), chapters: rows.map((r) => r.chapter) };
    };
    const [ten, twenty] = [await chapters(10), await chapters(20)];
    expect(ten.ids).toHaveLength(10);
    expect(twenty.ids).toEqual(expect.arrayContaining(ten.ids));
    // 24 circulatory, 24 infectious (sepsis and COVID-19), 12 status.
    const counted = [...new Set(twenty.chapters)].map((c) => twenty.chapters.filter((x) => x === c).length);
    expect(counted.sort()).toEqual([4, 8, 8]);
    expect(await ids(sample(world, { max_admissions: 1000 }))).toEqual(await ids(sample(world)));
  });

  it('puts a patient into one split, the one of split-patients', async () => {
    const { splitPatients } = await import('../../stages/split-patients/stage.js');
    const splits = { train: 1, dev: 1, test: 3 };
    const rows = await (await sample(world, { splits, one_per_patient: false }, 5)).table(
      'sampled_admissions',
    );
    const cohort = rows.map((r, i) => ({
      ...{
        stay_id: i,
        subject_id: r.subject_id!,
        hadm_id: r.hadm_id!,
        t0: r.admittime!,
        intime: r.admittime!,
      },
      ...{ outtime: r.dischtime!, admittime: r.admittime!, dischtime: r.dischtime!, hours_observed: 24 },
    }));
    const other = await runStageOn(splitPatients, { inputs: { cohort }, config: { splits }, seed: 5 });
    const wanted = new Map((await other.table('splits')).map((r) => [r.subject_id, r.split]));
    expect(rows.map((r) => r.split)).toEqual(rows.map((r) => wanted.get(r.subject_id)));
  });
});

describe('places', () => {
  const sizes = fc.dictionary(fc.string({ minLength: 1, maxLength: 2 }), fc.integer({ min: 1, max: 500 }), {
    minKeys: 1,
    maxKeys: 12,
  });

  it('are all given, none past the size of a chapter, each within one of its share', () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 2000 }), (sizes, places) => {
        const total = Object.values(sizes).reduce((a, b) => a + b, 0);
        const quotas = allocate(new Map(Object.entries(sizes)), places);
        const given = [...quotas.values()].reduce((a, b) => a + b, 0);
        expect(given).toBe(Math.min(places, total));
        for (const [chapter, quota] of quotas) {
          expect(quota).toBeLessThanOrEqual(sizes[chapter]!);
          if (places < total) expect(Math.abs(quota - (sizes[chapter]! * places) / total)).toBeLessThan(1);
        }
      }),
    );
  });

  it('go to the smallest draws of a chapter, whatever the order', () => {
    const rows = Array.from({ length: 200 }, (_, i) => ({
      hadm_id: i,
      subject_id: i % 90,
      chapter: `c${i % 3}`,
    }));
    const single = onePerPatient(3, rows);
    expect(new Set(single.map((r) => r.subject_id)).size).toBe(90);
    expect(single).toHaveLength(90);
    const drawn = drawStratified(3, single, 20);
    expect(drawn).toHaveLength(20);
    expect(drawStratified(3, [...single].reverse(), 20)).toEqual(drawn);
    expect(onePerPatient(3, [...rows].reverse())).toEqual(single);
  });
});
