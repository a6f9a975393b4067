import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FEATURE_IDS, TASKS } from '../../schemas/supmimic.js';
import type { SqlRow } from '../../stages/contract.js';
import { displayValue, FEATURE_NAMES_FILE, parseFeatureNames } from '../../stages/lib/feature-names.js';
import { itemIds } from '../../stages/lib/item-ids.js';
import { findLeaks, orderBias, QUESTION_COLUMNS } from '../../stages/lib/leaks.js';
import { parseRegistry, REGISTRY_FILE } from '../../stages/lib/registry.js';
import { createRenderer } from '../../stages/stamp-release/render.js';
import { stampRelease } from '../../stages/stamp-release/stage.js';
import { readParquet, runStageOn } from '../support/stage.js';
import { stampInputs } from './stamp-release.fixture.js';

const names = parseFeatureNames(readFileSync(FEATURE_NAMES_FILE, 'utf8'));
const registry = parseRegistry(readFileSync(REGISTRY_FILE, 'utf8'));
const template = readFileSync('stages/stamp-release/prompts/diagnose.v1.md', 'utf8');
const renderer = createRenderer(template, names, registry);

async function stamp(change: (inputs: Record<string, SqlRow[]>) => void = () => {}, seed = 0) {
  const inputs = stampInputs();
  change(inputs);
  const run = await runStageOn(stampRelease, { inputs, seed });
  const rows = Object.fromEntries(
    await Promise.all(
      TASKS.flatMap((t) => [t, `answers_${t}`]).map(async (n) => [n, await run.table(n)] as const),
    ),
  ) as Record<string, SqlRow[]>;
  return { rows, run, inputs };
}

describe('what a model sees', () => {
  test('every feature stands in the prompt once, with its unit and its value or "not measured"', () => {
    const values = FEATURE_IDS.map((_, i) => (i % 3 === 0 ? null : registry[i]!.scale === 'binary' ? 1 : 5));
    const { text } = renderer.record(values);
    const lines = text.split('\n').filter((l) => l.startsWith('- '));
    expect(lines).toHaveLength(448);
    names.forEach((n, i) => {
      const shown = i % 3 === 0 ? 'not measured' : registry[i]!.scale === 'binary' ? 'yes' : '5';
      expect(lines.filter((l) => l === `- ${n.name}: ${shown}`)).toHaveLength(1);
    });
  });

  test('names and prompt hold no character that needs two bytes in memory', () => {
    const text = template + names.map((n) => n.heading + n.name).join('');
    expect([...text].filter((c) => c.codePointAt(0)! > 0xff)).toEqual([]);
  });

  test('a name carries the unit of the registry unless the feature is yes or no', () => {
    for (const [i, f] of registry.entries()) {
      const has_brackets = /\([^)]*\)$/.test(names[i]!.name);
      if (f.scale !== 'binary') expect(has_brackets, names[i]!.name).toBe(true);
    }
  });

  test('features built from diagnosis codes read earlier admissions only, and their sections say so', () => {
    for (const [i, f] of registry.entries()) {
      if (!f.source_tables.some((t) => t.includes('diagnoses'))) continue;
      expect(f.window).toBe('PRIOR');
      expect(names[i]!.heading).toMatch(/earlier hospital stays/i);
    }
  });

  test('the prompt states the window, and slots are filled in one pass', () => {
    const text = renderer.prompt({ dx_code: 'J18', title: 'A {{record}} title $&' }, 'RECORD');
    expect(text).toContain('Candidate diagnosis: A {{record}} title $& (ICD-10-CM J18)');
    expect(text).toMatch(/first 24 hours/);
    expect(text.match(/RECORD/g)).toHaveLength(1);
    expect(renderer.prompt({ dx_code: 'ICD9:486', title: 'Pneumonia' }, '')).toContain('(ICD-9-CM 486)');
    expect(() =>
      createRenderer('{{candidate}}', names, registry).prompt({ dx_code: 'A', title: '' }, ''),
    ).toThrow(/lacks the slot/);
  });

  test('values are shown deterministically, never as a false zero, and rounding is told', () => {
    expect(displayValue(null, 'continuous', 2)).toEqual({ text: 'not measured', is_rounded: false });
    expect(displayValue(Number.NaN, 'binary', 0).text).toBe('not measured');
    expect(displayValue(0, 'binary', 0).text).toBe('no');
    expect(displayValue(7, 'continuous', 2)).toEqual({ text: '7', is_rounded: false });
    expect(displayValue(1000, 'continuous', 1).text).toBe('1000');
    expect(displayValue(36.94444, 'continuous', 2)).toEqual({ text: '36.94', is_rounded: true });
    expect(displayValue(-0.001, 'continuous', 1)).toEqual({ text: '-0.001', is_rounded: false });
    expect(displayValue(0.000123, 'continuous', 1)).toEqual({ text: '0.0001', is_rounded: true });
    expect(displayValue(-0, 'continuous', 1).text).toBe('0');
    expect(() => displayValue(2, 'binary', 0)).toThrow(/0\/1/);
    expect(() => displayValue(Number.POSITIVE_INFINITY, 'continuous', 1)).toThrow();
  });

  test('a shown number is within half a unit of its last decimal', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.integer({ min: 0, max: 6 }), (x, d) => {
        const { text, is_rounded } = displayValue(x, 'continuous', d);
        expect(text).toMatch(/^-?\d+(\.\d*[1-9])?$/);
        expect(Math.abs(Number(text) - x)).toBeLessThanOrEqual(0.5 * 10 ** -d * (1 + 1e-9));
        expect(is_rounded).toBe(Number(text) !== x);
      }),
    );
  });
});

describe('items', () => {
  test('one item per drawn stay, two per pair; answers carry the gold', async () => {
    const { rows } = await stamp();
    expect(rows.ba).toHaveLength(8);
    expect(rows.ddt).toHaveLength(8);
    expect(rows.dct).toHaveLength(8);
    const ddt = rows.answers_ddt!.filter((a) => a.dx_code === 'J18' && a.pair_rank === 1);
    expect(ddt.map((a) => [a.role, a.label, a.stay_id]).sort()).toEqual([
      ['i', 1, 30_000_001],
      ['j', 0, 30_000_043],
    ]);
    expect(ddt[0]).toMatchObject({ theta: 0.1234567891, phi: 0.4567891234, distance: 0.0123456789 });
    expect(String(ddt[0]!.f_k).split(' ')).toEqual(FEATURE_IDS.slice(0, 20));
    expect(rows.answers_dct!.every((a) => a.label === 1)).toBe(true);
  });

  test('question and answer rows stand in the order of their hashes', async () => {
    const { rows } = await stamp();
    for (const t of TASKS) {
      const ids = rows[t]!.map((r) => String(r.item_id));
      expect(ids).toEqual([...ids].sort());
      expect(rows[`answers_${t}`]!.map((r) => r.item_id)).toEqual(ids);
    }
  });

  test('with every label exchanged the questions are the same bytes', async () => {
    const before = await stamp((inputs) => {
      inputs.pairs = inputs.pairs!.filter((p) => p.task === 'ddt');
    });
    const after = await stamp((inputs) => {
      inputs.pairs = inputs
        .pairs!.filter((p) => p.task === 'ddt')
        .map((p) => ({ ...p, stay_i: p.stay_j!, stay_j: p.stay_i! }));
      inputs.baseline = inputs.baseline!.map((b) => ({ ...b, label: 1 - Number(b.label) }));
      const now_positive = [
        ...inputs.pairs.map((p) => ({ dx_code: p.dx_code!, stay_id: p.stay_i! })),
        ...inputs.baseline.filter((b) => b.label === 1),
      ];
      inputs.label_rows = now_positive.map((r, i) => ({
        stay_id: r.stay_id!,
        dx_code: r.dx_code!,
        hadm_id: 1,
        seq_num: i,
        icd_code: 'X',
        icd_version: 10,
      }));
    });
    for (const t of ['ba', 'ddt']) {
      expect(after.rows[t]).toEqual(before.rows[t]);
      const label = (rows: SqlRow[]) => rows.map((r) => Number(r.label));
      expect(label(after.rows[`answers_${t}`]!)).toEqual(
        label(before.rows[`answers_${t}`]!).map((l) => 1 - l),
      );
    }
  });

  test('the positive of a DDT pair comes first about as often as last', () => {
    const ids = itemIds(0, 'supmimic');
    const pairs = Array.from({ length: 4000 }, (_, n) => {
      const [i, j] = [30_000_000 + n, 39_000_000 - n * 3];
      const pair = ids.pair('ddt', 'J18', [i, j]);
      return { yes_first: ids.item('ddt', 'J18', i, pair) < ids.item('ddt', 'J18', j, pair) };
    });
    expect(Math.abs(orderBias(pairs).z)).toBeLessThan(4);
    expect(
      orderBias([{ yes_first: true }, { yes_first: true }, { yes_first: true }, { yes_first: true }]).z,
    ).toBe(2);
  });

  test('ids depend on seed, word, task, diagnosis, stay and pair, and not on the order of a pair', () => {
    const ids = itemIds(0, 'supmimic');
    expect(ids.pair('ddt', 'J18', [1, 2])).toBe(ids.pair('ddt', 'J18', [2, 1]));
    const all = [
      ids.item('ba', 'J18', 1, null),
      ids.item('ddt', 'J18', 1, null),
      ids.item('ba', 'J19', 1, null),
      ids.item('ba', 'J18', 2, null),
      ids.item('ba', 'J18', 1, 'p'),
      itemIds(1, 'supmimic').item('ba', 'J18', 1, null),
      itemIds(0, 'other').item('ba', 'J18', 1, null),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(ids.patient(10_000_001)).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('gold stays out of questions', () => {
  const gold = (answer: SqlRow, inputs: Record<string, SqlRow[]>) => {
    const stay = inputs.cohort!.find((c) => c.stay_id === answer.stay_id)!;
    return {
      ids: [Number(stay.stay_id), Number(stay.subject_id), Number(stay.hadm_id)],
      icd_codes: inputs.label_rows!.filter((l) => l.stay_id === stay.stay_id).map((l) => String(l.icd_code)),
      numbers: [answer.distance, answer.theta, answer.phi] as (number | null)[],
    };
  };

  test('no label, role, distance, threshold, rank, id or code of the stay in any row', async () => {
    const { rows, inputs } = await stamp();
    for (const t of TASKS) {
      for (const q of rows[t]!) {
        expect(Object.keys(q).sort()).toEqual([...QUESTION_COLUMNS].sort());
        const answer = rows[`answers_${t}`]!.find((a) => a.item_id === q.item_id)!;
        expect(findLeaks(q, gold(answer, inputs))).toEqual([]);
      }
    }
  });

  test('a question is a function of features and candidate: the same stay and diagnosis give the same prompt in every config', async () => {
    const { rows, inputs } = await stamp();
    for (const t of TASKS) {
      for (const q of rows[t]!) {
        const answer = rows[`answers_${t}`]!.find((a) => a.item_id === q.item_id)!;
        const raw = inputs.features!.find((f) => f.stay_id === answer.stay_id)!;
        const { text } = renderer.record(FEATURE_IDS.map((id) => raw[id] as number | null));
        expect(q.prompt).toBe(
          renderer.prompt({ dx_code: String(q.dx_code), title: String(q.diagnosis) }, text),
        );
      }
    }
  });

  test('planted gold is found', async () => {
    const { rows, inputs } = await stamp();
    const q = rows.ddt![0]!;
    const g = gold(rows.answers_ddt![0]!, inputs);
    const plant = (change: SqlRow) => findLeaks({ ...q, ...change }, g);
    expect(plant({ label: 1 })).not.toEqual([]);
    expect(plant({ prompt: `${q.prompt} stay ${g.ids[0]}` })).not.toEqual([]);
    expect(plant({ prompt: `${q.prompt} ${g.numbers[0]}` })).not.toEqual([]);
    expect(plant({ prompt: `${q.prompt} label: 1` })).not.toEqual([]);
    expect(findLeaks({ ...q, prompt: `${q.prompt} E11.9` }, { ...g, icd_codes: ['E119'] })).not.toEqual([]);
    expect(plant({ split: String(g.ids[1]) })).not.toEqual([]);
  });
});

describe('provenance', () => {
  test('each item leads to its stay, its label rows, its features and its pair', async () => {
    const { rows, run } = await stamp();
    const edges = await readParquet(`${run.dir}/edges.parquet`);
    for (const t of TASKS) {
      for (const a of rows[`answers_${t}`]!) {
        const own = edges.filter((e) => e.child === `item:${a.item_id}`);
        const parents = (relation: string) => own.filter((e) => e.relation === relation).map((e) => e.parent);
        expect(parents('describes')).toEqual([`stay:${a.stay_id}`]);
        expect(parents('labelled_by').length).toBe(a.label);
        expect(parents('decided_by')).toHaveLength(20);
        expect(parents('member_of')).toEqual(a.pair_id ? [`pair:${a.pair_id}`] : []);
      }
    }
    const pairs = edges.filter((e) => e.relation === 'compares');
    expect(pairs).toHaveLength(16);
  });
});

describe('inputs that contradict each other stop the build', () => {
  const cases: [string, (inputs: Record<string, SqlRow[]>) => void, RegExp][] = [
    ['a positive without a diagnosis row', (i) => i.label_rows!.shift(), /a yes rests on/],
    [
      'a negative with one',
      (i) => Object.assign(i.baseline!.find((b) => b.label === 1)!, { label: 0 }),
      /a yes rests on/,
    ],
    ['a stay outside the cohort', (i) => i.cohort!.shift(), /in cohort/],
    ['a stay without features', (i) => i.features!.shift(), /in features/],
    [
      'an unselected diagnosis',
      (i) => Object.assign(i.diagnoses![0]!, { is_selected: false }),
      /selected diagnoses/,
    ],
    [
      'a patient in another split',
      (i) => Object.assign(i.splits![0]!, { split: 'train' }),
      /split of its patient/,
    ],
    ['an unknown task', (i) => Object.assign(i.pairs![0]!, { task: 'abc' }), /unknown task/],
  ];
  test.each(cases)('%s', async (_, change, message) => {
    await expect(stamp(change)).rejects.toThrow(message);
  });
});
