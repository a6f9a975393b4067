import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { SupmimicStatistics } from '../../schemas/release.js';
import type { SqlRow } from '../../stages/contract.js';
import { escapeHtml, number } from '../../stages/lib/report-page/text.js';
import { shorten } from '../../stages/report-quality/html/draw.js';
import { wrap } from '../../stages/report-quality/html/flow-chart.js';
import { createMask, type FlowStep, joinSmallSteps } from '../../stages/report-quality/mask.js';
import type { Report } from '../../stages/report-quality/report.js';
import { reportQuality } from '../../stages/report-quality/stage.js';
import { runStageOn, type StageRunOptions } from '../support/stage.js';
import { reportInputs } from './report-quality.fixture.js';

async function make(inputs: Record<string, SqlRow[]>, options: Omit<StageRunOptions, 'inputs'> = {}) {
  const run = await runStageOn(reportQuality, { ...options, inputs });
  const json = run.document('report.json');
  return { html: run.document('report.html'), json, report: JSON.parse(json) as Report };
}

/** The report of the unchanged fixture, made once. */
let made: ReturnType<typeof make> | undefined;
const base = () => {
  made ??= make(reportInputs().inputs);
  return made;
};

/** Rows in reverse order: a shuffle that a test can repeat. */
const turned = (inputs: Record<string, SqlRow[]>): Record<string, SqlRow[]> =>
  Object.fromEntries(Object.entries(inputs).map(([name, rows]) => [name, [...rows].reverse()]));

describe('statistics', () => {
  test('are those of the inputs and fit the manifest', async () => {
    const { inputs } = reportInputs();
    const { report } = await base();
    const s = SupmimicStatistics.parse(report.statistics);
    expect([s.stays_n, s.patients_n, s.labels_n, s.diagnoses_n, s.k]).toEqual([60, 59, 5, 4, 20]);
    const ddt = inputs.pairs!.filter((p) => p.task === 'ddt');
    const stays = new Set(ddt.flatMap((p) => [p.stay_i, p.stay_j]));
    const patients = new Set(inputs.cohort!.filter((c) => stays.has(c.stay_id!)).map((c) => c.subject_id));
    expect(s.items.find((i) => i.config === 'ddt')).toEqual({
      config: 'ddt',
      split: 'test',
      items_n: 2 * ddt.length,
      pairs_n: ddt.length,
      positives_n: ddt.length,
      diagnoses_n: new Set(ddt.map((p) => p.dx_code)).size,
      patients_n: patients.size,
    });
    const used = new Set(inputs.ranks!.filter((r) => Number(r.rank) <= 20).map((r) => r.feature_id));
    expect(s.union_n).toBe(used.size);
    const imputed = inputs.impute_values!.reduce((n, v) => n + Number(v.imputed_n), 0);
    expect(s.imputed_share).toBe(imputed / (60 * 448));
    expect(report.warnings.join(' ')).toContain('1 of 448 features have no value');
  });

  test('name every split, also one without items', async () => {
    const { inputs } = reportInputs();
    inputs.splits![0]!.split = 'train';
    const { report } = await make(inputs);
    expect(report.statistics.items.map((i) => `${i.config} ${i.split}`)).toEqual([
      'ba test',
      'ba train',
      'dct test',
      'dct train',
      'ddt test',
      'ddt train',
    ]);
    expect(report.statistics.items.find((i) => i.split === 'train')!.items_n).toBe(0);
  });
});

describe('distances', () => {
  test.each(['gower', 'euclidean'] as const)(
    '%s is recognised, counted in full, and θ and φ are found again',
    async (metric) => {
      const { report } = await make(reportInputs({ metric }).inputs);
      expect(report.distances).toHaveLength(4);
      for (const d of report.distances) {
        expect(d.metric).toBe(metric);
        expect(d.thresholds_agree).toBe(true);
        expect(d.is_sample).toBe(false);
        expect(d.counts.reduce((a, b) => a + b, 0)).toBe(d.pairs_n);
        const entry = report.diagnoses.find((x) => x.dx_code === d.dx_code)!;
        expect(d.pairs_n).toBe(entry.positive_pairs_n);
      }
    },
  );

  test('a wrong threshold becomes a warning', async () => {
    const { inputs } = reportInputs();
    inputs.thresholds![0]!.theta = Number(inputs.thresholds![0]!.theta) * 1.01;
    const { report } = await make(inputs);
    expect(report.warnings.join(' ')).toContain(`θ and φ of ${inputs.thresholds![0]!.dx_code} are not`);
  });

  test('pairs with other distances draw nothing and say why', async () => {
    const { inputs } = reportInputs();
    for (const pair of inputs.pairs!) pair.distance = Number(pair.distance) + 0.5;
    const { report, html } = await make(inputs);
    expect(report.distances).toEqual([]);
    expect(report.distances_problem).toMatch(/follow from none/);
    expect(html).toContain('follow from none');
  });

  test('many pairs are sampled, the same way for one seed', async () => {
    const { inputs } = reportInputs();
    const run = (seed: number) => make(inputs, { config: { histogram_pairs: 100, histograms: 1 }, seed });
    const [a, b, c] = [await run(1), await run(1), await run(2)];
    expect(a.report.distances[0]).toMatchObject({ is_sample: true, pairs_n: 100, thresholds_agree: null });
    expect(b.json).toBe(a.json);
    expect(c.report.distances[0]!.counts).not.toEqual(a.report.distances[0]!.counts);
  });
});

describe('the page', () => {
  test('needs nothing from elsewhere and has no script', async () => {
    const { html } = await base();
    expect(html).not.toMatch(/<script|<link|<img|<iframe|@import|url\(\s*['"]?(?!#)/i);
    expect([...html.matchAll(/(?:href|src)="([^"]*)"/g)].every((m) => m[1]!.startsWith('#'))).toBe(true);
    expect(html).not.toMatch(/https?:\/\/(?!www\.w3\.org)/);
  });

  test('has names for charts, captions for tables, one id each and links that lead somewhere', async () => {
    const { html } = await base();
    const { document } = parseHTML(html);
    const all = (selector: string) => [...document.querySelectorAll(selector)];
    expect(all('svg').length).toBeGreaterThan(10);
    for (const svg of all('svg')) {
      expect(svg.getAttribute('role')).toBe('img');
      expect(svg.getAttribute('aria-label')).toBeTruthy();
    }
    for (const t of all('table')) {
      expect(t.querySelector('caption')?.textContent).toBeTruthy();
      expect(t.querySelectorAll('thead th[scope=col]').length).toBeGreaterThan(1);
    }
    const ids = all('[id]').map((e) => e.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const a of all('a[href]')) expect(ids).toContain(a.getAttribute('href')!.slice(1));
    expect(all('h1')).toHaveLength(1);
  });

  test('titles from the data cannot become markup', async () => {
    const { inputs } = reportInputs();
    inputs.diagnoses![0]!.title = `<script>alert("x")</script> & 'y'`;
    const { html } = await make(inputs);
    expect(html).not.toContain('<script>alert');
    expect(html).toContain('&lt;script&gt;alert');
  });

  test('works for a release without pairs, thresholds or positives', async () => {
    const { inputs } = reportInputs({ stays: 30, diagnoses: 2 });
    inputs.pairs = [];
    for (const t of inputs.thresholds!)
      Object.assign(t, { theta: null, phi: null, positive_pairs_n: 0, ddt_n: 0, dct_n: 0 });
    inputs.labels = [];
    const { html, report } = await make(inputs);
    expect(report.distances.every((d) => d.pairs_n === 0)).toBe(true);
    expect(html).not.toMatch(/NaN|Infinity|undefined/);
  });

  test('has the same bytes for shuffled rows and another number of workers', async () => {
    const { inputs } = reportInputs();
    const a = await base();
    const b = await make(turned(inputs), { workers: 3 });
    expect(b.json).toBe(a.json);
    expect(b.html).toBe(a.html);
    expect(a.html).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe('privacy', () => {
  test('neither form of the report has an id of a stay, an admission or a patient', async () => {
    const { inputs } = reportInputs();
    const { html, json } = await base();
    const ids = inputs.cohort!.flatMap((c) => [c.stay_id, c.subject_id, c.hadm_id]);
    for (const id of new Set(ids)) {
      expect(json).not.toContain(String(id));
      expect(html).not.toContain(String(id));
    }
  });

  test('small counts are masked for data that are not open, and only there', async () => {
    const { inputs } = reportInputs();
    inputs.feature_report![3]!.stays_n = 4;
    inputs.feature_report![4]!.stays_n = 11;
    const open = (await make(inputs)).report;
    expect(open.features[3]).toMatchObject({ observed_n: 4, observed_share: 4 / 60 });
    const closed = (await make(inputs, { access: 'credentialed' })).report;
    expect(closed.features[3]).toMatchObject({ observed_n: '1 to 10', observed_share: null });
    expect(closed.features[4]).toMatchObject({ observed_n: 11, observed_share: 11 / 60 });
    expect(
      closed.features.some((f) => typeof f.observed_n === 'number' && f.observed_n > 0 && f.observed_n < 11),
    ).toBe(false);
    expect(closed.flow.map((s) => s.excluded_stays_n)).toEqual([0, 53]);
    for (const r of closed.patient_reuse)
      expect(typeof r.patients_n === 'number' && r.patients_n < 11).toBe(false);
    for (const d of closed.distances) {
      const entry = closed.diagnoses.find((x) => x.dx_code === d.dx_code)!;
      expect(typeof entry.eligible_positives_n).toBe('number');
    }
  });

  const flow = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 9 }).map((excluded) => {
    let left = 1000;
    return [0, ...excluded].map((n, i): FlowStep => {
      left -= n;
      return { reasons: [`r${i}`], excluded_stays_n: n, stays_n: left, patients_n: left };
    });
  });
  test('no two lines of a masked flow differ by a small number, and nothing is lost', () => {
    fc.assert(
      fc.property(flow, (steps) => {
        const joined = joinSmallSteps(steps, createMask(true, 11));
        expect(joined.flatMap((s) => s.reasons)).toEqual(steps.flatMap((s) => s.reasons));
        expect(joined[0]!.stays_n).toBe(steps[0]!.stays_n);
        expect(joined.at(-1)!.stays_n).toBe(steps.at(-1)!.stays_n);
        joined.forEach((s, i) => {
          if (i > 0) expect(joined[i - 1]!.stays_n - s.stays_n).toBe(s.excluded_stays_n);
          const small = s.excluded_stays_n > 0 && s.excluded_stays_n < 11;
          if (small) expect(joined.length).toBe(2);
        });
        expect(joinSmallSteps(steps, createMask(false, 11))).toEqual(steps);
      }),
    );
  });
});

describe('small parts', () => {
  test('numbers, escapes, line breaks and coordinates', () => {
    expect(number(1234567)).toBe('1\u202f234\u202f567');
    expect(escapeHtml(`<a href="x">'&`)).toBe('&lt;a href=&quot;x&quot;&gt;&#39;&amp;');
    expect(wrap('one two three four', 9)).toEqual(['one two', 'three', 'four']);
    expect(shorten('M125.00000000000001,-0.004 L1.5')).toBe('M125,0 L1.5');
  });
});
