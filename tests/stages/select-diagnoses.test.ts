/** select-diagnoses as a stage: hand cases, recomputation from the raw rows, invariances. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { SqlRow } from '../../stages/contract.js';
import { quantile } from '../../stages/lib/quantile.js';
import { randomStream } from '../../stages/lib/random.js';
import { parseCoreFeatures } from '../../stages/select-diagnoses/quality.js';
import { selectDiagnoses } from '../../stages/select-diagnoses/stage.js';
import { runStageOn, type StageRun } from '../support/stage.js';
import { coded, dictionary, featureRow, shuffled, stay } from './diagnosis-data.js';

interface Inputs {
  cohort: SqlRow[];
  diagnoses_icd: SqlRow[];
  d_icd_diagnoses?: SqlRow[];
  features?: SqlRow[];
}

function select(inputs: Inputs, config: object = {}, workers = 1): Promise<StageRun> {
  const { d_icd_diagnoses = [], features } = inputs;
  const measured = features ?? inputs.cohort.map((s) => featureRow(s.stay_id as number, {}, 1));
  return runStageOn(selectDiagnoses, {
    inputs: { ...inputs, d_icd_diagnoses, features: measured },
    config: { min_positives: 1, top_share: 0, ...config },
    workers,
  });
}

const byCode = async (run: StageRun, table: string): Promise<Record<string, SqlRow>> =>
  Object.fromEntries((await run.table(table)).map((r) => [r.dx_code, r]));
const stays = (n: number): SqlRow[] => Array.from({ length: n }, (_, i) => stay(i + 1));

describe('select-diagnoses: rows and labels', () => {
  it('keeps every row behind a label with its seq_num, and counts a code given twice once', async () => {
    const run = await select({
      cohort: stays(2),
      diagnoses_icd: [
        ...coded(1, '10:N179', '10:N179', '10:N170', '10:N179', '10:N179', '10:N179'),
        ...coded(2, '9:5849'),
      ],
    });
    expect(await run.table('label_rows')).toHaveLength(7);
    expect((await run.table('label_rows')).map((r) => [r.stay_id, r.seq_num, r.dx_code])).toContainEqual([
      1,
      3,
      'N17',
    ]);
    expect(await run.table('labels')).toEqual([
      { dx_code: 'N17', stay_id: 1 },
      { dx_code: 'N17', stay_id: 2 },
    ]);
    expect((await byCode(run, 'diagnoses')).N17).toMatchObject({ positives_n: 2, prevalence: 1 });
    expect(run.result.counts.repeated_codes).toBe(4);
  });

  it('uses every seq_num, or the first only', async () => {
    const inputs = {
      cohort: stays(1),
      diagnoses_icd: [...coded(1, '10:A419', '10:R6521'), ...coded(5, '10:I10', '10:I5020')],
    };
    const all = await select(inputs);
    expect((await all.table('labels')).map((r) => r.dx_code)).toEqual(['A41', 'R65']);
    expect(all.result.dropped).toEqual({ stay_diagnoses: { not_in_cohort: 2 } });
    const first = await select(inputs, { primary_only: true });
    expect((await first.table('labels')).map((r) => r.dx_code)).toEqual(['A41']);
    expect(first.result.dropped).toEqual({ stay_diagnoses: { not_in_cohort: 2, not_primary: 1 } });
  });

  it('gives both stays of one admission its labels', async () => {
    const cohort = [stay(1), stay(2, { hadm_id: 20_000_001, subject_id: 10_000_001 })];
    const run = await select({ cohort, diagnoses_icd: coded(1, '10:I5020', '10:N179') });
    expect(await run.table('label_rows')).toHaveLength(4);
    expect(run.result.rows_in.stay_diagnoses).toBe(4);
    expect((await byCode(run, 'diagnoses')).I50).toMatchObject({ positives_n: 2 });
  });

  it('never mixes the versions of one code text, nor 0042 with 042 and 42', async () => {
    const texts = ['V140', 'V103', 'E8889', 'E8339', 'V707', '0042', '042', '42'];
    const titles = Object.fromEntries(
      texts.flatMap((t) => [
        [`9:${t}`, `nine ${t}`],
        [`10:${t}`, `ten ${t}`],
      ]),
    );
    const run = await select({
      cohort: stays(2),
      diagnoses_icd: [
        ...coded(1, ...texts.map((t) => `9:${t}`), '10:A419'),
        ...coded(2, ...texts.map((t) => `10:${t}`)),
      ],
      d_icd_diagnoses: dictionary(titles),
    });
    const map = await run.table('code_map');
    expect(map).toHaveLength(17);
    for (const row of map.filter((r) => r.icd_code !== 'A419')) {
      expect(row.title).toBe(`${row.icd_version === 9 ? 'nine' : 'ten'} ${row.icd_code}`);
      expect(row.stays_n).toBe(1);
    }
    const labels = Object.fromEntries(map.map((r) => [`${r.icd_version}:${r.icd_code}`, r.dx_code]));
    expect(labels).toMatchObject({ '9:V140': 'Z88', '10:V140': 'V14', '9:E8889': 'W19', '10:E8889': 'E88' });
    expect(
      new Set(['9:0042', '9:042', '9:42', '10:0042', '10:042', '10:42'].map((k) => labels[k])).size,
    ).toBe(6);
    const diagnoses = await byCode(run, 'diagnoses');
    expect(diagnoses['ICD10:042']).toMatchObject({ status: 'no_category', title: 'ten 042', category: null });
    expect(diagnoses.V14).toMatchObject({ status: 'excluded_category', category: 19 });
    expect(diagnoses.E88).toMatchObject({ status: 'selected', category: 3 });
  });

  it('keeps codes that the dictionary lacks, without a title, and counts their rows', async () => {
    const run = await select({
      cohort: stays(2),
      diagnoses_icd: [...coded(1, '10:I5020', '9:6009'), ...coded(2, '9:6009'), ...coded(7, '9:6009')],
      d_icd_diagnoses: dictionary({ '10:I5020': 'systolic failure' }),
    });
    expect(run.result.counts).toMatchObject({ icd_without_dictionary: 3, icd_codes_without_dictionary: 1 });
    const code = (await run.table('code_map')).find((r) => r.icd_code === '6009')!;
    expect(code).toMatchObject({ title: null, stays_n: 2 });
    expect((await byCode(run, 'diagnoses'))[code.dx_code as string]).toMatchObject({
      title: code.dx_code,
      positives_n: 2,
      is_selected: true,
    });
  });

  it('decides several targets by all admissions of the extract coded in ICD-10', async () => {
    const inputs = (outside: string) => ({
      cohort: stays(1),
      diagnoses_icd: [...coded(1, '9:0340'), ...coded(8, outside, outside), ...coded(9, '10:I10')],
    });
    const rule = async (outside: string) => (await (await select(inputs(outside))).table('code_map'))[0];
    expect(await rule('10:J0300')).toMatchObject({ dx_code: 'J03', rule: 'several_by_frequency' });
    expect(await rule('10:J029')).toMatchObject({ dx_code: 'J02', rule: 'several_by_frequency' });
    expect(await rule('10:I10')).toMatchObject({ dx_code: 'J02', rule: 'several_by_smallest' });
  });

  it('stops when nothing is left, and says where the labels went', async () => {
    const inputs = { cohort: stays(3), diagnoses_icd: coded(1, '10:I5020', '10:Z66', '10:N179') };
    await expect(select(inputs, { min_positives: 2 })).rejects.toMatchObject({
      message: expect.stringMatching(/no diagnosis is left/),
      problem: {
        got: expect.stringMatching(/3 candidate labels.*excluded_category 1.*below_min_positives 2/),
      },
    });
    await expect(select({ cohort: stays(1), diagnoses_icd: [] })).rejects.toThrow(/no diagnosis is left/);
  });

  it('refuses diagnoses of another patient, unknown versions and stays without features', async () => {
    const wrong = coded(1, '10:I5020').map((r) => ({ ...r, subject_id: 5 }));
    await expect(
      select({ cohort: stays(2), diagnoses_icd: [...wrong, ...coded(2, '10:I10')] }),
    ).rejects.toThrow(/audit "the admission of a cohort stay and its diagnoses are of one patient"/);
    await expect(select({ cohort: stays(1), diagnoses_icd: coded(1, '11:I5020') })).rejects.toThrow(
      /unknown ICD version/,
    );
    await expect(
      select({ cohort: stays(2), diagnoses_icd: coded(1, '10:I5020'), features: [featureRow(1)] }),
    ).rejects.toThrow(/no row in features/);
  });

  it('reports completeness and both outlier shares for positives', async () => {
    const core = parseCoreFeatures(readFileSync('raw/mimic/demo-coverage.csv', 'utf8'));
    const [first, second] = core as [string, string];
    const features = stays(8).map((s, i) =>
      featureRow(s.stay_id as number, Object.fromEntries(core.map((id) => [id, (i % 4) / 4]))),
    );
    features[0] = { ...features[0]!, [first]: 500, [second]: null };
    const inputs = {
      cohort: stays(8),
      features,
      diagnoses_icd: [...coded(1, '10:I5020'), ...coded(2, '10:I5020')],
    };
    const { I50 } = await byCode(await select(inputs), 'diagnoses');
    expect(I50).toMatchObject({
      completeness_positives: 301 / 302,
      completeness_negatives: 1,
      outlier_value_share: 1 / 301,
      outlier_stay_share: 0.5,
      outlier_share: 1 / 301,
      status: 'selected',
    });
    await expect(select(inputs, { outlier_unit: 'stays' })).rejects.toMatchObject({
      problem: { got: expect.stringMatching(/outliers 1/) },
    });
  });
});

/** Random cohort, codes and core values; about a third of the cells missing, some far out. */
function randomInputs(seed: number): Required<Inputs> {
  const random = randomStream(seed, 'select-diagnoses test');
  const core = parseCoreFeatures(readFileSync('raw/mimic/demo-coverage.csv', 'utf8'));
  const pool = [
    'I5020',
    'I5022',
    'I10',
    'N179',
    'A419',
    'R6521',
    'J9600',
    'Z66',
    'E119',
    'D62',
    'K7200',
    'T814XXA',
  ];
  const old = ['4280', '5849', '0389', '78552', '51881', 'V1582', '25000', '2851', '0340', '36570', '6009'];
  const cohort = Array.from({ length: 30 }, (_, i) => stay(i + 1));
  const diagnoses_icd = Array.from({ length: 40 }, (_, i) => {
    const [prefix, codes] = i % 3 === 0 ? ['9', old] : ['10', pool];
    const n = 1 + random.below(7);
    return coded(i + 1, ...Array.from({ length: n }, () => `${prefix}:${codes[random.below(codes.length)]}`));
  }).flat();
  const value = (): number | null => {
    const u = random.float();
    return u < 0.3 ? null : u > 0.99 ? 1e4 : Math.round(random.float() * 100) / 10;
  };
  const features = cohort.map((s) =>
    featureRow(s.stay_id as number, Object.fromEntries(core.map((id) => [id, value()]))),
  );
  const d_icd_diagnoses = dictionary({ '10:I50': 'Heart failure', '9:5849': 'kidney', '10:N179': 'kidney' });
  return { cohort, diagnoses_icd, d_icd_diagnoses, features };
}

/** What the stage should say, from the raw rows with loops and sets only. */
function recompute(
  inputs: Required<Inputs>,
): Map<string, { positives: Set<number>; cells: number; far: number }> {
  const core = parseCoreFeatures(readFileSync('raw/mimic/demo-coverage.csv', 'utf8'));
  const table = new Map(
    readFileSync('raw/mimic/icd9-to-icd10-category.csv', 'utf8')
      .split(/\r?\n/)
      .map((line) => line.split(','))
      .map(([code, ...rest]) => [code!, rest]),
  );
  const native = (c: string): number =>
    new Set(
      inputs.diagnoses_icd
        .filter((d) => d.icd_version === 10 && (d.icd_code as string).startsWith(c))
        .map((d) => d.hadm_id),
    ).size;
  const labelOf = (d: SqlRow): string => {
    const code = d.icd_code as string;
    if (d.icd_version === 10) return code.slice(0, 3);
    const [category, , candidates, rule] = table.get(code) ?? ['', '', '', 'no_target'];
    if (rule === 'no_target') return `ICD9:${code}`;
    if (category) return category;
    return candidates!.split('|').sort((a, b) => native(b) - native(a) || (a < b ? -1 : 1))[0]!;
  };
  const out = new Map<string, { positives: Set<number>; cells: number; far: number }>();
  for (const d of inputs.diagnoses_icd) {
    const found = inputs.cohort.find((s) => s.hadm_id === d.hadm_id);
    if (!found) continue;
    const label = out.get(labelOf(d)) ?? { positives: new Set(), cells: 0, far: 0 };
    label.positives.add(found.stay_id as number);
    out.set(labelOf(d), label);
  }
  for (const id of core) {
    const observed = inputs.features.map((f) => f[id]).filter((x) => x !== null) as number[];
    const iqr = quantile(observed, 0.75) - quantile(observed, 0.25);
    for (const label of out.values()) {
      for (const f of inputs.features.filter((r) => label.positives.has(r.stay_id as number))) {
        if (f[id] === null) continue;
        label.cells++;
        if (iqr > 0 && Math.abs((f[id] as number) - quantile(observed, 0.5)) > (5 * iqr) / 1.349) label.far++;
      }
    }
  }
  return out;
}

describe('select-diagnoses: recomputation', () => {
  const config = {
    min_positives: 3,
    top_share: 0.1,
    min_completeness: 0.69,
    max_outlier_share: 0.02,
    max_labels: 5,
  };

  it.each([1, 2, 3, 4])('equals a recomputation from the raw rows (seed %i)', async (seed) => {
    const inputs = randomInputs(seed);
    const run = await select(inputs, { ...config, selection: 'frequency' });
    const expected = recompute(inputs);
    const rows = await run.table('diagnoses');
    expect(rows.map((r) => r.dx_code).sort()).toEqual([...expected.keys()].sort());
    for (const r of rows) {
      const e = expected.get(r.dx_code as string)!;
      expect(r.positives_n).toBe(e.positives.size);
      expect(r.completeness_positives).toBeCloseTo(e.cells / (e.positives.size * 151), 14);
      expect(r.outlier_value_share).toBeCloseTo(e.far / e.cells, 14);
    }
    const eligible = [...expected]
      .filter(([dx, e]) => !dx.startsWith('Z') && e.positives.size >= 3)
      .sort(([a, x], [b, y]) => y.positives.size - x.positives.size || (a < b ? -1 : 1));
    const chosen = eligible
      .slice(Math.ceil(eligible.length / 10))
      .filter(([, e]) => e.cells / (e.positives.size * 151) >= 0.69 && e.far / e.cells <= 0.02)
      .slice(0, 5);
    const labels = chosen.flatMap(([dx_code, e]) =>
      [...e.positives].map((stay_id) => ({ dx_code, stay_id })),
    );
    const key = (r: SqlRow): string => `${r.dx_code} ${r.stay_id}`;
    expect((await run.table('labels')).map(key).sort()).toEqual(labels.map(key).sort());
    const steps = await run.table('selection_steps');
    expect(steps.at(-1)!.labels_after).toBe(chosen.length);
    expect(run.result.counts['labels.selected']).toBe(chosen.length);
  });

  it('gives the same bytes for other row orders and worker counts', async () => {
    const inputs = randomInputs(5);
    const hashes = async (given: Required<Inputs>, workers: number) => {
      const run = await select(given, config, workers);
      return Object.fromEntries(Object.entries(run.result.outputs).map(([name, o]) => [name, o.sha256]));
    };
    const first = await hashes(inputs, 1);
    for (const seed of [1, 2]) {
      const other: Required<Inputs> = {
        cohort: shuffled(inputs.cohort, seed),
        diagnoses_icd: shuffled(inputs.diagnoses_icd, seed),
        d_icd_diagnoses: shuffled(inputs.d_icd_diagnoses, seed),
        features: shuffled(inputs.features, seed),
      };
      expect(await hashes(other, 1 + seed)).toEqual(first);
    }
  });

  it('flags labels that one version hardly knows', async () => {
    const run = await select({
      cohort: stays(8),
      diagnoses_icd: [1, 2, 3, 4]
        .flatMap((id) => coded(id, '9:4280', ...(id === 1 ? ['9:5849'] : [])))
        .concat([5, 6, 7].flatMap((id) => coded(id, '10:N179', ...(id === 5 ? [] : ['10:I5020']))))
        .concat(coded(8, '9:5849', '10:N179')),
    });
    const { I50, N17 } = await byCode(run, 'diagnoses');
    expect(I50).toMatchObject({
      icd9_to_icd10_prevalence_ratio: 1.5,
      is_drift_flagged: false,
      positives_n: 6,
    });
    expect(N17).toMatchObject({
      icd9_to_icd10_prevalence_ratio: 0.25,
      is_drift_flagged: true,
      positives_n: 5,
    });
    expect(run.result.counts.stays_with_both_icd_versions).toBe(1);
  });
});
