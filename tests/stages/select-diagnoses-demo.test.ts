/** select-diagnoses on the open MIMIC-IV demo 2.2 (100 patients, 140 ICU stays). */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SqlRow } from '../../stages/contract.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { selectDiagnoses } from '../../stages/select-diagnoses/stage.js';
import { runStageOn, type StageRun } from '../support/stage.js';
import { featureRow, stay } from './diagnosis-data.js';

const DEMO = '../shared/data/mimic-iv-demo-2.2';
const has_demo = existsSync(`${DEMO}/hosp/diagnoses_icd.csv.gz`);
if (!has_demo) {
  const message = `the open MIMIC-IV demo is not at ${DEMO}: its diagnoses are not checked`;
  if (process.env.CI === 'true') throw new Error(message);
  console.warn(message);
}

const read = (path: string): Record<string, string>[] =>
  parseCsv(gunzipSync(readFileSync(`${DEMO}/${path}.csv.gz`)).toString('utf8'), path);

function demoInputs() {
  const cohort = read('icu/icustays').map((r) =>
    stay(Number(r.stay_id), { subject_id: Number(r.subject_id), hadm_id: Number(r.hadm_id) }),
  );
  const diagnoses_icd = read('hosp/diagnoses_icd').map((r) => ({
    subject_id: Number(r.subject_id),
    hadm_id: Number(r.hadm_id),
    seq_num: Number(r.seq_num),
    icd_code: r.icd_code!.trim(),
    icd_version: Number(r.icd_version),
  }));
  const d_icd_diagnoses = read('hosp/d_icd_diagnoses').map((r) => ({
    icd_code: r.icd_code!.trim(),
    icd_version: Number(r.icd_version),
    long_title: r.long_title!,
  }));
  const values = new Map<string, Record<string, number>>();
  for (const r of parseCsv(readFileSync('tests/oracles/demo-oracle-values.csv', 'utf8'), 'oracle')) {
    values.set(r.stay_id!, { ...values.get(r.stay_id!), [r.feature_id!]: Number(r.value) });
  }
  const features = cohort.map((s) => featureRow(s.stay_id as number, values.get(String(s.stay_id)) ?? {}));
  return { cohort, diagnoses_icd, d_icd_diagnoses, features };
}

describe.runIf(has_demo)('select-diagnoses on the demo', () => {
  let inputs: ReturnType<typeof demoInputs>;
  let run: StageRun;
  let codes: SqlRow[];

  beforeAll(async () => {
    inputs = demoInputs();
    // The oracle values cover 65 of the 151 core features, so completeness is not the point here.
    run = await runStageOn(selectDiagnoses, { inputs, config: { min_positives: 8, min_completeness: 0 } });
    codes = await run.table('code_map');
  });

  it('maps every code of every stay by a stated rule', () => {
    const rules = new Map<unknown, number>();
    for (const c of codes) rules.set(c.rule, (rules.get(c.rule) ?? 0) + 1);
    expect(rules.get('not_icd10')).toBeUndefined();
    const stays = new Map(inputs.cohort.map((s) => [s.hadm_id, s]));
    const found = new Set(
      inputs.diagnoses_icd.filter((d) => stays.has(d.hadm_id)).map((d) => `${d.icd_version}:${d.icd_code}`),
    );
    expect(codes.map((c) => `${c.icd_version}:${c.icd_code}`).sort()).toEqual([...found].sort());
    // Codes that the conversion table lacks; each stays a label of its own.
    const unknown = codes.filter((c) => c.rule === 'unknown_icd9').map((c) => c.icd_code);
    expect(unknown).toEqual(['24900', '3572', '40491', '42830', '42843'].filter((c) => found.has(`9:${c}`)));
  });

  it('finds a title of the same version for every code', () => {
    const titles = new Map(
      inputs.d_icd_diagnoses.map((d) => [`${d.icd_version}:${d.icd_code}`, d.long_title]),
    );
    for (const c of codes) expect(c.title).toBe(titles.get(`${c.icd_version}:${c.icd_code}`));
    expect(run.result.counts.icd_without_dictionary).toBe(0);
  });

  it('counts the positives that code patterns give', async () => {
    const diagnoses = new Map((await run.table('diagnoses')).map((r) => [r.dx_code, r]));
    const patterns: [string, RegExp][] = [
      ['N17', /^(9:584|9:583[67]|10:N17)/],
      // 518.51 and 518.53 (failure after surgery or trauma) go to J96, more frequent in the demo than J95.
      ['J96', /^(9:5188[134]|9:5185[13]|10:J96)/],
      ['I48', /^(9:4273[12]|10:I48)/],
      ['D62', /^(9:2851|10:D62)/],
      ['E11', /^(9:250[0-9][02]|9:36201|9:36641|10:E11)/],
      ['B20', /^(9:042$|10:B20)/],
    ];
    for (const [dx, pattern] of patterns) {
      const hadms = new Set(
        inputs.diagnoses_icd
          .filter((d) => pattern.test(`${d.icd_version}:${d.icd_code}`))
          .map((d) => d.hadm_id as unknown),
      );
      const positives = inputs.cohort.filter((s) => hadms.has(s.hadm_id)).length;
      expect(diagnoses.get(dx)?.positives_n ?? 0, dx).toBe(positives);
    }
    expect(diagnoses.get('N17')).toMatchObject({ title: 'Acute kidney failure', category: 10 });
  });

  it('selects labels, and accounts for all the others', async () => {
    const diagnoses = await run.table('diagnoses');
    const steps = await run.table('selection_steps');
    expect(steps[0]!.labels_before).toBe(diagnoses.length);
    const selected = diagnoses.filter((d) => d.is_selected);
    expect(selected.length).toBe(steps.at(-1)!.labels_after);
    expect(selected.length).toBeGreaterThanOrEqual(30);
    // Why the outlier share counts values: taken per stay, the limit of 5 % would leave no label at all.
    for (const d of diagnoses.filter((l) => (l.positives_n as number) >= 8)) {
      expect(d.outlier_stay_share).toBeGreaterThan(0.05);
    }
    for (const d of selected) {
      expect(d.positives_n).toBeGreaterThanOrEqual(8);
      expect(d.category).toBeLessThanOrEqual(17);
    }
  });
});
