/** Faults of patients, admissions, stays and diagnosis codes. */
import { expect } from 'vitest';
import type { Twin } from './twin.js';
import { type Checks, type Fault, inCohort, type World } from './world.js';

const numbersOf = (rows: readonly object[], column: string): Set<number> =>
  new Set(rows.map((r) => (r as Record<string, number>)[column]!));

async function excluded(w: World, reason: string, config = {}): Promise<number> {
  const run = await w.cohortWith(config);
  const step = (await run.table('cohort_flow')).find((r) => r.reason === reason);
  return step!.excluded_stays_n as number;
}

/** The excluded stays of the reason are those of the ledger, in every kind of cohort. */
async function expectLeftOut(w: World, faults: readonly Fault[], reason: string): Promise<void> {
  expect(await excluded(w, reason)).toBe(faults.length);
  const all = await (await w.cohortWith({ stays: 'all' })).table('cohort');
  const [stays, admissions] = [numbersOf(all, 'stay_id'), numbersOf(all, 'hadm_id')];
  for (const f of faults) {
    expect(f.key.stay_id ? stays.has(Number(f.key.stay_id)) : admissions.has(Number(f.key.hadm_id))).toBe(
      false,
    );
  }
}

interface CodeRow {
  readonly hadm_id: number;
  readonly seq_num: number;
  readonly icd_code: string;
  readonly icd_version: number;
  readonly dx_code: string;
  readonly title: string | null;
}
const place = (hadm_id: number | string, seq_num: number | string): string => `${hadm_id} ${seq_num}`;

/** Label rows of both extracts with the titles of their codes, by admission and seq_num. */
async function labelRows(w: World, side: 'dirty' | 'clean'): Promise<Map<string, CodeRow>> {
  const rows = await w.sql<CodeRow>(
    `select l.*, m.title from ${side}_label_rows l join ${side}_code_map m using (icd_version, icd_code)`,
  );
  return new Map(rows.map((r) => [place(r.hadm_id, r.seq_num), r]));
}

/** The label row of each fault whose admission is in the cohort. */
async function coded(w: World, faults: readonly Fault[]): Promise<{ fault: Fault; row: CodeRow }[]> {
  const rows = await labelRows(w, 'dirty');
  return inCohort(w, faults).map(({ fault }) => {
    const row = rows.get(place(fault.key.hadm_id!, fault.key.seq_num!));
    expect(row, `label row of ${fault.key.hadm_id} ${fault.key.seq_num}`).toBeDefined();
    return { fault, row: row! };
  });
}

export const patientChecks = (twin: Twin): Checks => ({
  D01: {
    says: 'no age above 91, and 91 for everyone over 89',
    run(w, faults) {
      const ages = w.dirty.values.stays().map((stay) => w.dirty.values.cell(stay, 'demo_age_years')!);
      expect(Math.max(...ages)).toBe(91);
      for (const { fault, stay } of inCohort(w, faults)) {
        expect(Number(fault.clean)).toBeGreaterThanOrEqual(90);
        expect(w.dirty.values.cell(stay, 'demo_age_years')).toBe(91);
      }
    },
  },
  D02: {
    says: 'the age is that of the admission',
    async run(w, faults) {
      const patients = await w.sql<{ subject_id: number; anchor_age: number }>('from dirty_patients');
      const anchor = new Map(patients.map((p) => [p.subject_id, p.anchor_age]));
      for (const { fault, stay } of inCohort(w, faults)) {
        const gap = Number(fault.dirty) - Number(fault.clean);
        expect(gap).toBeGreaterThanOrEqual(3);
        const age = w.dirty.values.cell(stay, 'demo_age_years')!;
        expect(age - anchor.get(fault.subject_id)!).toBe(Math.min(gap, 91 - anchor.get(fault.subject_id)!));
      }
    },
  },
  D03: {
    says: 'a code text gets the title of its ICD version',
    async run(w, faults) {
      for (const { fault, row } of await coded(w, faults)) {
        expect(`title is "${row.title}" for version ${row.icd_version}`).toBe(fault.expectation);
        expect(row.icd_code).toBe(fault.dirty);
      }
    },
  },
  D04: {
    says: 'blanks behind a code are gone and every label is that of the clean run',
    async run(w, faults) {
      for (const { fault, row } of await coded(w, faults)) {
        expect([row.icd_code, fault.dirty!.trim()]).toEqual([fault.clean, fault.clean]);
      }
      const clean = await labelRows(w, 'clean');
      const dirty = await labelRows(w, 'dirty');
      const added = new Set(
        w.faults
          .filter((f) => f.id === 'D03' || f.id === 'D06')
          .map((f) => place(f.key.hadm_id!, f.key.seq_num!)),
      );
      const admissions = new Set([...dirty.values()].map((r) => r.hadm_id));
      const labels = (rows: Iterable<[string, CodeRow]>): string[] =>
        [...rows]
          .filter(([at, r]) => !added.has(at) && admissions.has(r.hadm_id))
          .map(([at, r]) => `${at} ${r.icd_code} ${r.dx_code}`)
          .sort();
      expect(labels(dirty)).toEqual(labels(clean));
      expect([...dirty.values()].filter((r) => /^\s|\s$/.test(r.icd_code + r.dx_code))).toEqual([]);
    },
  },
  D05: {
    says: 'a leading zero stays',
    async run(w, faults) {
      for (const { fault, row } of await coded(w, faults)) {
        expect(row.icd_code).toBe(fault.dirty);
        expect(row.icd_code).toMatch(/^0/);
        expect(fault.expectation).toBe(`kept as text of ${row.icd_code.length} characters`);
        expect(row.icd_version).toBe(9);
        expect(row.title).not.toBeNull();
      }
    },
  },
  D06: {
    says: 'counter icd_without_dictionary equals the ledger; the code stays a candidate without title',
    async run(w, faults) {
      expect(w.dirty.loaded.result.counts.icd_without_dictionary).toBe(faults.length);
      expect(w.clean.loaded.result.counts.icd_without_dictionary).toBe(0);
      expect(w.dirty.selected.result.counts.icd_without_dictionary).toBe(faults.length);
      const candidates = new Set((await w.dirty.selected.table('diagnoses')).map((d) => d.dx_code));
      for (const { fault, row } of await coded(w, faults)) {
        expect([row.icd_code, row.title]).toEqual([fault.dirty, null]);
        expect(candidates.has(row.dx_code)).toBe(true);
      }
    },
  },
  D07: {
    says: 'septic shock in second place is a label, unless primary_only',
    async run(w, faults) {
      for (const { row } of await coded(w, faults)) {
        expect(row.seq_num).toBe(2);
        expect(row.dx_code).toBe('R65');
      }
      const primary = await (await w.selectWith({ primary_only: true })).table('label_rows');
      expect(new Set(primary.map((r) => r.seq_num))).toEqual(new Set([1]));
    },
  },
  D08: {
    says: 'cohort flow: negative_los equals the ledger',
    run: (w, faults) => expectLeftOut(w, faults, 'negative_los'),
  },
  D09: {
    says: 'cohort flow: hosp_time_order equals the ledger',
    run: (w, faults) => expectLeftOut(w, faults, 'hosp_time_order'),
  },
  D10: {
    says: 'cohort flow: after_death equals the ledger',
    run: (w, faults) => expectLeftOut(w, faults, 'after_death'),
  },
  D11: {
    says: 'overlapping admissions are kept and counted, and no lab is used twice',
    async run(w, faults) {
      expect(w.dirty.loaded.result.counts.overlapping_admissions).toBe(faults.length);
      expect(w.clean.loaded.result.counts.overlapping_admissions).toBe(0);
      const kept = numbersOf(await w.sql('from dirty_admissions'), 'hadm_id');
      for (const f of faults) expect(kept.has(Number(f.key.hadm_id))).toBe(true);
      twin.same(faults, /^(lab|bg)_/);
      const clean = w.clean.values;
      for (const { stay } of inCohort(w, faults)) {
        // The admission that still runs is no earlier one.
        expect(w.dirty.values.cell(stay, 'adm_prior_hosp_count')).toBe(
          clean.cell(stay, 'adm_prior_hosp_count')! - 1,
        );
      }
    },
  },
  D12: {
    says: 'second stays: one sample per patient, admission or stay, by profile',
    async run(w, faults) {
      const [flow] = await w.sql<{ stays: number; patients: number }>(
        'select count(*)::integer as stays, count(distinct subject_id)::integer as patients from dirty_icustays',
      );
      const [first, perAdmission, all] = await Promise.all(
        ['first', 'first_per_admission', 'all'].map(async (stays) =>
          numbersOf(await (await w.cohortWith({ stays })).table('cohort'), 'stay_id'),
        ),
      );
      const of = (id: string): number => w.faults.filter((f) => f.id === id).length;
      const broken = of('D08') + of('D09') + of('D10');
      expect(flow!.stays - broken).toBe(all!.size);
      expect(all!.size - first!.size).toBe(of('D12') + of('D13'));
      expect(perAdmission!.size).toBe(first!.size);
      expect(first!.size).toBe(flow!.patients - of('D08') - of('D09'));
      for (const f of faults) {
        expect(all!.has(f.stay_id)).toBe(true);
        expect(first!.has(f.stay_id)).toBe(false);
      }
    },
  },
  D13: {
    says: 'stays less than a day apart are two samples with their own times',
    async run(w, faults) {
      const rows = await (await w.cohortWith({ stays: 'all' })).table('cohort');
      for (const f of faults) {
        const own = rows.filter((r) => r.subject_id === f.subject_id);
        expect(own.length).toBe(2);
        const second = own.find((r) => r.stay_id === f.stay_id)!;
        const first = own.find((r) => r.stay_id !== f.stay_id)!;
        expect(second.intime).toBe(f.dirty);
        const gap = Date.parse(String(second.intime)) - Date.parse(String(first.outtime));
        expect(gap).toBeGreaterThan(0);
        expect(gap).toBeLessThan(24 * 3_600_000);
      }
    },
  },
  D14: {
    says: 'stays under 24 h: counted as short_stay by profile, else kept with hours_observed',
    async run(w, faults) {
      expect(await excluded(w, 'short_stay')).toBe(0);
      const short = inCohort(w, faults);
      expect(await excluded(w, 'short_stay', { min_los_hours: 24 })).toBe(short.length);
      const hours = await w.sql<{ stay_id: number; hours_observed: number }>(
        'select stay_id, hours_observed from dirty_cohort where hours_observed < 24',
      );
      expect(hours.map((r) => r.stay_id).sort()).toEqual(short.map((x) => x.stay).sort());
      const observed = new Map(hours.map((r) => [r.stay_id, r.hours_observed]));
      for (const { fault, stay } of short) {
        // hours_observed starts at t0, the minute of entry.
        expect(Math.abs(observed.get(stay)! - Number(fault.dirty) * 24)).toBeLessThan(1 / 60);
      }
    },
  },
  D15: {
    says: 'entry before admission: kept, hours from hospital to ICU are negative',
    run(w, faults) {
      for (const { stay } of inCohort(w, faults))
        expect(w.dirty.values.cell(stay, 'adm_hours_hosp_to_icu')).toBeLessThan(0);
      const negative = w.dirty.values
        .stays()
        .filter((s) => w.dirty.values.cell(s, 'adm_hours_hosp_to_icu')! < 0);
      expect(negative.length).toBe(inCohort(w, faults).length);
    },
  },
  D22: {
    says: 'admissions of an unknown patient are rejected, reason orphan_subject',
    async run(w, faults) {
      const rejects = await w.sql<{ reason: string; key: string }>(
        "select reason, key from dirty_rejects where reason = 'orphan_subject'",
      );
      expect(rejects.map((r) => r.key).sort()).toEqual(faults.map((f) => `hadm_id=${f.key.hadm_id}`).sort());
      const kept = numbersOf(await w.sql('from dirty_admissions'), 'hadm_id');
      for (const f of faults) expect(kept.has(Number(f.key.hadm_id))).toBe(false);
    },
  },
  D50: {
    says: 'neuro step-down units: kept, or excluded_careunit by profile',
    async run(w, faults) {
      const units = [...new Set(faults.map((f) => f.dirty!))];
      const stays = inCohort(w, faults).map((x) => x.stay);
      for (const stay of stays) expect(w.dirty.values.cell(stay, 'adm_unit_neuro')).toBe(1);
      const config = { exclude_careunits: units };
      expect(await excluded(w, 'excluded_careunit', config)).toBe(stays.length);
      const left = numbersOf(await (await w.cohortWith(config)).table('cohort'), 'stay_id');
      expect(stays.filter((stay) => left.has(stay))).toEqual([]);
    },
  },
  D77: {
    says: 'both spellings of English, ? and no insurance map to the one-hot columns',
    async run(w, faults) {
      const classes = ['medicare', 'medicaid', 'private', 'other'].map((c) => `demo_insurance_${c}`);
      const seen = new Set<string>();
      for (const { fault, stay } of inCohort(w, faults)) {
        const { values } = w.dirty;
        const english = values.cell(stay, 'demo_language_english');
        const insured = classes.reduce((sum, name) => sum + values.cell(stay, name)!, 0);
        seen.add(`${fault.column} ${fault.dirty}`);
        if (fault.column === 'insurance') expect(insured).toBe(0);
        else expect(english).toBe(fault.dirty!.toUpperCase() === 'ENGLISH' ? 1 : 0);
      }
      expect([...seen].sort()).toEqual(['insurance null', 'language ?', 'language ENGLISH']);
      for (const stay of w.dirty.values.stays()) {
        expect(classes.reduce((sum, name) => sum + w.dirty.values.cell(stay, name)!, 0)).toBeLessThan(2);
      }
      twin.same(
        faults.filter((f) => f.column === 'language'),
        /insurance/,
      );
    },
  },
  D96: {
    says: 'a death after discharge reaches no feature: without any dod the bytes are the same',
    async run(w, faults) {
      const patients = await w.sql('select * replace (null as dod) from dirty_patients');
      const rows = await w.sql<{ subject_id: number; dod: string | null }>('from dirty_patients');
      const dod = new Map(rows.map((r) => [r.subject_id, r.dod]));
      for (const f of faults) expect(dod.get(f.subject_id)).not.toBeNull();
      const run = await w.featuresWith({}, { patients });
      expect(run.result.outputs.features!.sha256).toBe(w.dirty.features.result.outputs.features!.sha256);
    },
  },
});
