/** Cultures and reports of the synthetic extract: when they can be read, what they say, how they are laid out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseCsv } from '../../stages/lib/csv.js';
import { groupBy } from '../../stages/lib/group-by.js';
import type { Course } from '../../stages/synth-mimic/admission.js';
import type { Stay, Subject } from '../../stages/synth-mimic/context.js';
import { culturesOf, microTags } from '../../stages/synth-mimic/cultures.js';
import type { Culture, Organism, Report } from '../../stages/synth-mimic/evidence.js';
import { readMicrobiology } from '../../stages/synth-mimic/microbiology.js';
import { type Dx, readNumbers } from '../../stages/synth-mimic/numbers.js';
import { readRadiology } from '../../stages/synth-mimic/radiology.js';
import { radTags, reportsOf } from '../../stages/synth-mimic/reports.js';
import { streamsOf } from '../../stages/synth-mimic/rng.js';
import { synthMimic } from '../../stages/synth-mimic/stage.js';
import { HOUR } from '../../stages/synth-mimic/time.js';
import { runStageOn, type StageRun } from '../support/stage.js';

type Record_ = Record<string, string>;
const LAYOUTS = parseCsv(readFileSync('raw/mimic/synthetic/radiology_formats.csv', 'utf8'), 'formats');
const STAYS = 400;

let dirty: StageRun;
let clean: StageRun;
let ledger: Record_[];
let micro: Record_[];
let reports: Record_[];

function read(run: StageRun, table: string): Record_[] {
  const path = join(run.dir, 'extract', `${table.replace('.', '/')}.csv.gz`);
  const text = gunzipSync(readFileSync(path)).toString();
  return parseCsv(text.replace('\ufeff', '').replaceAll('\r\n', '\n'), table);
}

const faults = (id: string): Record_[] => ledger.filter((e) => e.dirty_id === id);
const idOf = (e: Record_): string => e.key!.split('=')[1]!;

beforeAll(async () => {
  dirty = await runStageOn(synthMimic, { config: { stays: STAYS }, seed: 7 });
  clean = await runStageOn(synthMimic, { config: { stays: STAYS, profile: 'clean' }, seed: 7 });
  ledger = parseCsv(readFileSync(join(dirty.dir, 'truth/dirty_ledger.csv'), 'utf8'), 'ledger');
  micro = read(dirty, 'hosp.microbiologyevents');
  reports = read(dirty, 'note.radiology');
}, 180_000);

describe('cultures', () => {
  it('are filed after they were drawn, on the day of their store time, and lie in the admission', () => {
    const admitted = new Map(read(dirty, 'hosp.admissions').map((r) => [r.hadm_id, r]));
    for (const r of micro) {
      expect(r.storetime! > (r.charttime! || r.chartdate!), r.microevent_id).toBe(true);
      expect(r.storedate!.slice(0, 10)).toBe(r.storetime!.slice(0, 10));
      if (r.charttime) expect(r.chartdate).toBe(`${r.charttime.slice(0, 10)} 00:00:00`);
      if (r.charttime) expect(r.charttime >= admitted.get(r.hadm_id)!.admittime!).toBe(true);
    }
  });

  it('report growth before the organism, and susceptibilities with it', () => {
    const bySpecimen = groupBy(micro, (r) => r.micro_specimen_id!);
    let staged = 0;
    for (const rows of bySpecimen.values()) {
      const named = rows.filter((r) => r.org_name !== '' && r.org_name !== 'CANCELLED');
      const stain = rows.filter((r) => /gram stain/i.test(r.test_name!));
      if (stain.length === 0) continue;
      staged++;
      expect(named.length).toBeGreaterThan(0);
      for (const r of named) expect(stain[0]!.storetime! < r.storetime!).toBe(true);
      expect(new Set(named.map((r) => r.storetime)).size).toBe(1);
    }
    expect(staged).toBeGreaterThan(10);
    for (const r of micro.filter((x) => x.ab_name !== '')) {
      expect(r.interpretation).toMatch(/^[SIR]$/);
      expect(r.org_itemid).not.toBe('');
      if (r.dilution_text !== '') expect(r.dilution_text).toContain(r.dilution_value);
    }
  });

  it('are positive as often as microbiology.csv says', async () => {
    const big = await runStageOn(synthMimic, { config: { stays: 1200, profile: 'clean' }, seed: 9 });
    const latent = parseCsv(readFileSync(join(big.dir, 'truth/latent_diagnoses.csv'), 'utf8'), 'latent');
    const uti = new Set(latent.filter((r) => r.dx_key === 'uti').map((r) => r.subject_id));
    const urine = read(big, 'hosp.microbiologyevents').filter((r) => r.spec_type_desc === 'URINE');
    const grew = new Set(
      urine.filter((r) => r.org_name !== '' && !/MIXED/.test(r.org_name!)).map((r) => r.subject_id),
    );
    const share = [...uti].filter((x) => grew.has(x)).length / uti.size;
    // prob_positive .6 of those sent (95 percent).
    expect(share).toBeGreaterThan(0.45);
    expect(share).toBeLessThan(0.7);
  }, 120_000);

  it('keep the day when they lose the time (D64); a cancelled test and a bare comment name no germ (D97)', () => {
    const without = new Set(micro.filter((r) => r.charttime === '').map((r) => r.micro_specimen_id));
    expect([...without].sort()).toEqual(faults('D64').map(idOf).sort());
    const odd = faults('D97').map((e) => micro.find((r) => r.microevent_id === idOf(e))!);
    const cancelled = micro.filter((r) => r.org_itemid === '90760');
    expect(cancelled.length).toBeGreaterThan(0);
    expect(odd.filter((r) => r.org_name === 'CANCELLED').length).toBe(cancelled.length);
    expect(odd.filter((r) => r.org_name === '').every((r) => r.comments !== '')).toBe(true);
    expect(read(clean, 'hosp.microbiologyevents').filter((r) => r.charttime === '')).toEqual([]);
  });
});

describe('whatever the onsets', () => {
  const file = (path: string): string => readFileSync(path, 'utf8');
  const radiology = readRadiology(file);
  const microbiology = readMicrobiology(file);
  const { dx } = readNumbers(file);
  const DAY_ = 24 * HOUR;
  const T0 = 1_000 * DAY_;

  /** A patient of four weeks with some diagnoses, each from its own hour on. */
  const patients = fc.record({
    seed: fc.integer({ min: 0, max: 100_000 }),
    onsets: fc.uniqueArray(
      fc.record({
        dx: fc.constantFrom(...dx.filter((d) => !d.isChronic)),
        hours: fc.integer({ min: -90, max: 400 }),
      }),
      { selector: (x) => x.dx.key, maxLength: 12 },
    ),
    n: fc.integer({ min: 2, max: 15 }),
    isVent: fc.boolean(),
  });

  /** Only what reports and cultures look at. */
  const patient = ({
    seed,
    onsets,
    isVent,
  }: {
    seed: number;
    onsets: { dx: Dx; hours: number }[];
    isVent: boolean;
  }) => {
    const streams = streamsOf(seed);
    const s = {
      subject_id: 10,
      person: { i: 3 },
      ids: { micro: 0 },
      stream: (name: string) => streams(3, name),
    };
    const course = {
      hadm_id: 20,
      admittime: T0,
      dischtime: T0 + 28 * DAY_,
      deathtime: null,
      isSurvivor: true,
    };
    const vent = isVent ? { start: T0 + HOUR, end: T0 + 9 * DAY_ } : null;
    const stay = { hadm_id: 20, t0: T0 + HOUR, outtime: T0 + 10 * DAY_, vent, centralLine: null };
    const conditions = onsets.map((o) => ({
      dx: o.dx,
      onsetAt: T0 + o.hours * HOUR,
      origin: o.hours < 0 ? ('arrival' as const) : ('hospital' as const),
    }));
    return {
      s: s as unknown as Subject,
      course: course as unknown as Course,
      stay: stay as unknown as Stay,
      conditions,
    };
  };

  it('no film shows a condition before it is there, and every film lies in the admission', () => {
    fc.assert(
      fc.property(patients, (given) => {
        const { s, course, stay, conditions } = patient(given);
        const layouts = Array.from({ length: given.n }, () => 'FINDINGS + IMPRESSION');
        const made = reportsOf(s, { tables: radiology, stay, course, conditions, layouts });
        expect(made.length).toBe(given.n);
        for (const x of made) {
          expect(x.charttime).toBeGreaterThanOrEqual(course.admittime);
          expect(x.charttime).toBeLessThan(course.dischtime);
          expect(x.storetime).toBeGreaterThan(x.charttime);
          expect(x.impression).not.toBe('');
          for (const [key, wordings] of radiology.templates) {
            if (key === '*') continue;
            const isShown = wordings.some((w) => x.findings.includes(w.findings));
            const others = wordings.flatMap((w) =>
              dx.filter((d) => d.key !== key && sameWords(d.key, w.findings)),
            );
            if (!isShown || others.length > 0) continue;
            const condition = conditions.find((c) => c.dx.key === key);
            expect(condition && condition.onsetAt <= x.charttime, `${key} at ${x.charttime}`).toBe(true);
          }
          if (x.showsPulmonaryEdema) expect(x.impression).toMatch(/pulmonary edema/i);
        }
      }),
      { numRuns: 150 },
    );
  });

  const sameWords = (key: string, findings: string): boolean =>
    (radiology.templates.get(key) ?? []).some((w) => w.findings === findings);

  it('no culture is drawn for an infection that is still to come, and results follow the draw', () => {
    fc.assert(
      fc.property(patients, (given) => {
        const { s, course, stay, conditions } = patient(given);
        const { admittime, dischtime: end } = course;
        for (const c of culturesOf(s, microbiology, stay, { conditions, admittime, end })) {
          expect(c.drawnAt).toBeGreaterThanOrEqual(admittime);
          expect(c.preliminaryAt).toBeGreaterThan(c.drawnAt);
          expect(c.finalAt).toBeGreaterThanOrEqual(c.preliminaryAt);
          const condition = conditions.find((x) => x.dx.key === c.test.dxKey);
          if (c.test.dxKey !== '*') expect(c.drawnAt).toBeGreaterThan(condition!.onsetAt);
          expect(microTags([c], c.drawnAt)).toEqual(new Set());
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('micro and rad tags', () => {
  const germ = (orgName: string, kind: string, resistant: readonly string[] = []): Organism => ({
    orgItemid: 1,
    orgName,
    kind,
    susceptibilities: ['OXACILLIN', 'CEFTRIAXONE'].map((abName) => ({
      abItemid: 1,
      abName,
      interpretation: resistant.includes(abName) ? 'R' : 'S',
    })),
  });
  const culture = (spec: string, organisms: readonly Organism[]): Culture => ({
    hadmId: 1,
    microSpecimenId: 1,
    spec,
    testName: '',
    drawnAt: 0,
    preliminaryAt: 20 * HOUR,
    finalAt: 60 * HOUR,
    organisms,
  });
  const at = (hours: number, ...list: Culture[]): string[] => [...microTags(list, hours * HOUR)].sort();
  const staph = germ('STAPH AUREUS COAG +', 'gram_positive');

  it.each([
    ['nothing before the stain', culture('BLOOD CULTURE', [staph]), 19, []],
    ['cocci at the stain', culture('BLOOD CULTURE', [staph]), 20, ['gpc_blood']],
    ['MSSA at the final result', culture('BLOOD CULTURE', [staph]), 60, ['gpc_blood', 'mssa_blood']],
    [
      'no MSSA where oxacillin fails',
      culture('BLOOD CULTURE', [germ('STAPH AUREUS COAG +', 'gram_positive', ['OXACILLIN'])]),
      60,
      ['gpc_blood'],
    ],
    [
      'a rod is no coccus',
      culture('BLOOD CULTURE', [germ('LISTERIA MONOCYTOGENES', 'gram_positive')]),
      60,
      [],
    ],
    ['yeast in blood', culture('BLOOD CULTURE', [germ('CANDIDA ALBICANS', 'yeast')]), 20, ['yeast_blood']],
    ['yeast in urine', culture('URINE', [germ('YEAST', 'yeast')]), 60, ['yeast_urine']],
    ['ESBL', culture('URINE', [germ('ESCHERICHIA COLI', 'gram_negative', ['CEFTRIAXONE'])]), 60, ['esbl']],
    [
      'ESBL not before the final result',
      culture('URINE', [germ('ESCHERICHIA COLI', 'x', ['CEFTRIAXONE'])]),
      59,
      [],
    ],
    ['negative after 48 h', culture('BLOOD CULTURE', []), 48, ['negative_48h']],
    ['not negative before', culture('BLOOD CULTURE', []), 47, []],
  ] as const)('%s', (_, c, hours, tags) => {
    expect(at(hours, c)).toEqual(tags);
  });

  it('a contaminated urine leaves the cultures negative, a later draw starts the 48 h again', () => {
    const mixed = culture('URINE', [germ('MIXED BACTERIAL FLORA', 'contaminant')]);
    expect(at(50, mixed)).toEqual(['negative_48h']);
    expect(at(50, mixed, { ...culture('BLOOD CULTURE', []), drawnAt: 10 * HOUR })).toEqual([]);
    expect(at(50)).toEqual([]);
  });

  it('an edema is known once its report is filed', () => {
    const report = { charttime: 0, storetime: 2 * HOUR, showsPulmonaryEdema: true } as Report;
    expect([...radTags([report], 2 * HOUR - 1)]).toEqual([]);
    expect([...radTags([report], 2 * HOUR)]).toEqual(['pulmonary_edema']);
  });
});

describe('reports', () => {
  const main = (): Record_[] => reports.filter((r) => r.note_type === 'RR');

  it('are made in the admission and filed after the examination, late where D88 says so', () => {
    const admitted = new Map(read(dirty, 'hosp.admissions').map((r) => [r.hadm_id, r]));
    const late = new Set(faults('D88').map(idOf));
    for (const r of main()) {
      const minutes = (Date.parse(`${r.storetime}Z`) - Date.parse(`${r.charttime}Z`)) / 60_000;
      expect(minutes > 120, r.note_id).toBe(late.has(r.note_id!));
      expect(minutes).toBeGreaterThan(10);
      expect(minutes).toBeLessThanOrEqual(30 * 60);
      if (r.hadm_id) expect(r.charttime! >= admitted.get(r.hadm_id)!.admittime!).toBe(true);
    }
  });

  it('show no condition before it is there', async () => {
    const stroke = /subarachnoid hemorrhage|ventilated patient|pulmonary edema/i;
    const latent = parseCsv(readFileSync(join(clean.dir, 'truth/latent_diagnoses.csv'), 'utf8'), 'latent');
    const carriers = new Set(
      latent
        .filter((r) => /^(sah|vap|chf_systolic_aoc|chf_diastolic_aoc|cardiogenic_shock)$/.test(r.dx_key!))
        .map((r) => r.subject_id),
    );
    const shown = read(clean, 'note.radiology').filter((r) => stroke.test(r.text!));
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.filter((r) => !carriers.has(r.subject_id!)).map((r) => r.note_id)).toEqual([]);
    const stays = read(clean, 'icu.icustays').sort((a, b) => (a.intime! > b.intime! ? -1 : 1));
    const entry = new Map(stays.map((r) => [r.subject_id, r.intime!]));
    const early = shown.filter(
      (r) => /ventilated/i.test(r.text!) && r.charttime! < entry.get(r.subject_id!)!,
    );
    expect(early).toEqual([]);
  });

  it('find something in every examination, and no clean head where another scan shows a lesion', () => {
    const read_ = read(clean, 'note.radiology');
    const impressions = read_.map((r) => /IMPRESSION: \n\n([\s\S]*)$/.exec(r.text!)![1]!.trim());
    expect(impressions.filter((x) => x === '')).toEqual([]);
    const heads = groupBy(
      read_.filter((r) => /EXAMINATION: {2}(CT|CTA|MR) HEAD/.test(r.text!)),
      (r) => r.subject_id!,
    );
    let lesions = 0;
    for (const [subject, scans] of heads) {
      const texts = scans.map((r) => r.text!.replace(/\s+/g, ' '));
      if (!texts.some((x) => /hematoma|infarct\b.*territory|metasta|subarachnoid|SAH/i.test(x))) continue;
      lesions++;
      expect(
        texts.filter((x) => /No acute intracranial/.test(x)),
        subject,
      ).toEqual([]);
    }
    expect(lesions).toBeGreaterThan(10);
  });

  it('are laid out in the shares of radiology_formats.csv; a clean extract has one layout', () => {
    const n = main().length;
    expect(n).toBe(STAYS * 6.25);
    const counts = new Map<string, number>();
    for (const e of faults('D87')) counts.set(e.dirty_value!, (counts.get(e.dirty_value!) ?? 0) + 1);
    for (const { format, share } of LAYOUTS) {
      const exact = Number(share) * n;
      const got = format === 'FINDINGS + IMPRESSION' ? n - faults('D87').length : counts.get(format!)!;
      expect(Math.abs(got - exact), format).toBeLessThanOrEqual(2);
    }
    for (const r of read(clean, 'note.radiology')) {
      expect(r.text).toMatch(/EXAMINATION:[\s\S]*INDICATION:[\s\S]*FINDINGS: \n[\s\S]*IMPRESSION: \n/);
    }
  });

  it('hold findings and impression as the ledger gives them', () => {
    const folded = (text: string): string => text.replace(/\s+/g, ' ').replace(/(^| )\d\. (?=[A-Z])/g, '$1');
    const textOf = new Map(reports.map((r) => [r.note_id!, folded(r.text!)]));
    for (const e of faults('D87')) {
      const [, findings, impression] = /^findings: ([\s\S]*)\nimpression: ([\s\S]*)$/.exec(e.expectation!)!;
      const text = textOf.get(idOf(e))!;
      if (e.dirty_value !== 'lower case headers') expect(text).toContain(folded(findings!));
      expect(text).toContain(folded(impression!));
    }
  });

  it('have addenda of their own that name their parents (D86), and orphans by time alone (D85)', () => {
    const addenda = reports.filter((r) => r.note_type === 'AR');
    expect(addenda.map((r) => r.note_id).sort()).toEqual(faults('D86').map(idOf).sort());
    const details = read(dirty, 'note.radiology_detail');
    for (const r of addenda) {
      const parent = details.find((d) => d.note_id === r.note_id && d.field_name === 'parent_note_id')!;
      const of = reports.find((x) => x.note_id === parent.field_value)!;
      expect(of.note_type).toBe('RR');
      expect(r.storetime! > of.storetime!).toBe(true);
      expect(
        details.some((d) => d.note_id === of.note_id && d.field_value === r.note_id),
        r.note_id,
      ).toBe(true);
    }
    const orphans = reports.filter((r) => r.hadm_id === '' && r.note_type === 'RR');
    expect(orphans.map((r) => r.note_id).sort()).toEqual(faults('D85').map(idOf).sort());
    expect(read(clean, 'note.radiology').filter((r) => r.hadm_id === '' || r.note_type === 'AR')).toEqual([]);
  });
});
