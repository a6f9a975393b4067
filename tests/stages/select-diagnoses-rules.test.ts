/** select-diagnoses: filters, quotas, drift, outliers, titles. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHAPTERS_FILE, findRange, parseRanges } from '../../stages/lib/code-ranges.js';
import { config } from '../../stages/select-diagnoses/config.js';
import { chooseTitles, drift } from '../../stages/select-diagnoses/diagnoses.js';
import { type Candidate, ceilShare, selectLabels } from '../../stages/select-diagnoses/filters.js';
import { COVERAGE_FILE, parseCoreFeatures, robustLimits } from '../../stages/select-diagnoses/quality.js';
import { shareQuotas } from '../../stages/select-diagnoses/quotas.js';

const text = (path: string): string => readFileSync(path, 'utf8');
const chapters = parseRanges(text(CHAPTERS_FILE), CHAPTERS_FILE);
const categoryOf = (dx: string): number | null => {
  const range = findRange(chapters, dx);
  return range ? Number(range.row.category) : null;
};

const settings = (more: object = {}) => config.parse({ min_positives: 10, ...more });
function candidate(dx_code: string, positives_n: number, more: Partial<Candidate> = {}): Candidate {
  return {
    dx_code,
    category: categoryOf(dx_code),
    is_complication: false,
    positives_n,
    completeness_positives: 1,
    outlier_share: 0,
    ...more,
  };
}
/** Labels A00 ... with the given positives, all of category 1. */
const labels = (...positives: number[]): Candidate[] =>
  positives.map((n, i) => candidate(`A${String(i).padStart(2, '0')}`, n));
const selected = (candidates: Candidate[], more: object = {}): string =>
  [...selectLabels(candidates, settings(more)).status]
    .filter(([, s]) => s === 'selected')
    .map(([dx]) => dx)
    .sort()
    .join(' ');

describe('filters', () => {
  it('drops a tenth of the eligible labels, rounded up, from the most frequent end', () => {
    expect(selected(labels(12, 11, 30, 9))).toBe('A00 A01');
    expect(selected(labels(...Array.from({ length: 10 }, (_, i) => 50 - i), 9, 9))).toBe(
      'A01 A02 A03 A04 A05 A06 A07 A08 A09',
    );
    expect(selected(labels(...Array.from({ length: 11 }, (_, i) => 50 - i)))).toBe(
      'A02 A03 A04 A05 A06 A07 A08 A09 A10',
    );
  });

  it('breaks ties at the top by code', () => {
    expect(selected(labels(20, 20, 20))).toBe('A01 A02');
  });

  it('takes the share of all labels when told so', () => {
    const many = labels(50, 40, 30, 20, ...Array.from({ length: 17 }, () => 1));
    expect(selected(many)).toBe('A01 A02 A03');
    expect(selected(many, { top_share_base: 'all' })).toBe('A03');
    const { steps } = selectLabels(many, settings({ top_share_base: 'all' }));
    expect(steps.map((s) => s.name).slice(2, 4)).toEqual(['top_share', 'below_min_positives']);
  });

  it('rounds a share of n up exactly', () => {
    for (let n = 0; n <= 2000; n++) {
      expect(ceilShare(0.1, n)).toBe(Math.ceil(n / 10));
      expect(ceilShare(0.07, n)).toBe(Math.ceil((7 * n) / 100));
      expect(ceilShare(1, n)).toBe(n);
      expect(ceilShare(0, n)).toBe(0);
    }
  });

  it('compares completeness and outliers with their limits, the limits themselves pass', () => {
    const some = [
      candidate('A00', 99),
      candidate('A01', 20, { completeness_positives: 0.7 }),
      candidate('A02', 20, { completeness_positives: 0.6999 }),
      candidate('A03', 20, { outlier_share: 0.05 }),
      candidate('A04', 20, { outlier_share: 0.0501 }),
    ];
    expect(selected(some)).toBe('A01 A03');
    const { status } = selectLabels(some, settings());
    expect([status.get('A00'), status.get('A02'), status.get('A04')]).toEqual([
      'top_share',
      'incomplete',
      'outliers',
    ]);
  });

  it('leaves out status, causes and codes without a chapter before anything is counted', () => {
    const some = [candidate('Z66', 90), candidate('W19', 80), candidate('ICD10:42', 70), ...labels(20, 15)];
    expect(selected(some)).toBe('A01');
    expect(selected(some, { excluded_categories: [] })).toBe('A00 A01 W19');
    expect(selected(some, { excluded_categories: [1, 18, 19] })).toBe('');
  });

  it('leaves out care-acquired labels only when told so', () => {
    const some = [...labels(30, 20), candidate('T81', 15, { is_complication: true })];
    expect(selected(some)).toBe('A01 T81');
    expect(selected(some, { exclude_complications: true })).toBe('A01');
  });

  it('fills quotas or takes the most frequent', () => {
    const heart = Array.from({ length: 16 }, (_, i) => candidate(`I${10 + i}`, 200 - i));
    const blood = [candidate('D50', 40), candidate('D51', 39), candidate('D52', 38), candidate('D53', 37)];
    const more = { top_share: 0, max_labels: 6, min_per_category: 0 };
    expect(selected([...heart, ...blood], more)).toBe('D50 D51 I10 I11 I12 I13');
    expect(selected([...heart, ...blood], { ...more, min_per_category: 3 })).toBe('D50 D51 D52 I10 I11 I12');
    expect(selected([...heart, ...blood], { ...more, selection: 'frequency' })).toBe(
      'I10 I11 I12 I13 I14 I15',
    );
    expect(selected([...heart, ...blood], { ...more, max_labels: 20 }).split(' ')).toHaveLength(20);
  });

  it('reports steps that add up', () => {
    const some = labels(30, 20, 15, 9, 8);
    const { steps, status } = selectLabels(some, settings());
    expect(steps[0]!.labels_before).toBe(5);
    for (const [i, s] of steps.entries()) {
      expect(s.labels_before).toBe(steps[i - 1]?.labels_after ?? 5);
      const lost = [...status.values()].filter((v) => v === s.name).length;
      expect(s.labels_before - s.labels_after).toBe(lost);
    }
  });
});

describe('quotas', () => {
  const share = (sizes: Record<number, number>, places: number, minimum: number) =>
    Object.fromEntries(
      shareQuotas(
        Object.entries(sizes).map(([c, n]) => ({ category: Number(c), labels_n: n })),
        places,
        minimum,
      ),
    );

  it('shares by square root with largest remainders, ties to the smaller category', () => {
    expect(share({ 1: 100, 2: 25, 3: 25 }, 20, 3)).toEqual({ 1: 10, 2: 5, 3: 5 });
    expect(share({ 1: 100, 2: 25, 3: 25 }, 21, 3)).toEqual({ 1: 11, 2: 5, 3: 5 });
    expect(share({ 5: 30, 2: 30, 9: 30 }, 10, 3)).toEqual({ 2: 4, 5: 3, 9: 3 });
  });

  it('gives small categories their minimum and takes no more than there is', () => {
    expect(share({ 1: 400, 2: 4, 3: 1 }, 20, 3)).toEqual({ 1: 16, 2: 3, 3: 1 });
    expect(share({ 1: 5, 2: 900 }, 20, 3)).toEqual({ 1: 3, 2: 17 });
    expect(share({ 1: 2, 2: 2 }, 10, 3)).toEqual({ 1: 2, 2: 2 });
    expect(share({ 1: 0, 2: 7 }, 5, 3)).toEqual({ 2: 5 });
  });

  it('deals the minimum in turn when there are too few places', () => {
    expect(share({ 1: 5, 2: 9, 3: 5 }, 4, 3)).toEqual({ 1: 1, 2: 2, 3: 1 });
    expect(share({ 1: 5, 2: 9, 3: 5 }, 2, 3)).toEqual({ 1: 1, 2: 1, 3: 0 });
  });

  it('equals the bounded proportional share, rounded, for any sizes', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 17 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 400 }), fc.integer({ min: 0, max: 5 }), (ns, m, min) => {
        const quotas = shareQuotas(
          ns.map((labels_n, i) => ({ category: i + 1, labels_n })),
          m,
          min,
        );
        const total = ns.reduce((a, b) => a + b, 0);
        const got = ns.map((_, i) => quotas.get(i + 1)!);
        expect(got.reduce((a, b) => a + b, 0)).toBe(Math.min(m, total));
        const lower = ns.map((n) => Math.min(min, n));
        if (lower.reduce((a, b) => a + b, 0) > m || total <= m) return;
        const ideal = (level: number): number[] =>
          ns.map((n, i) => Math.min(n, Math.max(lower[i]!, level * Math.sqrt(n))));
        let [low, high] = [0, 1000];
        for (let i = 0; i < 200; i++) {
          const middle = (low + high) / 2;
          if (ideal(middle).reduce((a, b) => a + b, 0) < m) low = middle;
          else high = middle;
        }
        for (const [i, x] of ideal(low).entries()) {
          expect(got[i]).toBeGreaterThanOrEqual(lower[i]!);
          expect(got[i]).toBeLessThanOrEqual(ns[i]!);
          expect(Math.abs(got[i]! - x)).toBeLessThan(1 + 1e-6);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('drift', () => {
  const ratio = (icd9: number, of9: number, icd10: number, of10: number) =>
    drift({ icd9_n: icd9, icd10_n: icd10 }, { icd9_n: of9, icd10_n: of10 });
  const result = (r: number | null, flagged: boolean) => ({
    icd9_to_icd10_prevalence_ratio: r,
    is_drift_flagged: flagged,
  });

  it('flags ratios outside 1/3 to 3, the limits themselves pass', () => {
    expect(ratio(10, 100, 10, 100)).toEqual(result(1, false));
    expect(ratio(30, 100, 10, 100)).toEqual(result(3, false));
    expect(ratio(31, 100, 10, 100)).toEqual(result(3.1, true));
    expect(ratio(10, 100, 30, 100)).toEqual(result(1 / 3, false));
    expect(ratio(10, 101, 30, 100).is_drift_flagged).toBe(true);
  });

  it('flags a label that only one version knows, and says nothing without two versions', () => {
    expect(ratio(5, 100, 0, 100)).toEqual(result(null, true));
    expect(ratio(0, 100, 5, 100)).toEqual(result(0, true));
    expect(ratio(0, 0, 5, 100)).toEqual(result(null, false));
    expect(ratio(5, 100, 0, 0)).toEqual(result(null, false));
    expect(ratio(0, 100, 0, 100)).toEqual(result(null, false));
  });
});

describe('core features and outliers', () => {
  it('counts 151 core features, and refuses another number', () => {
    const coverage = text(COVERAGE_FILE);
    const core = parseCoreFeatures(coverage);
    expect(new Set(core).size).toBe(151);
    expect(core).toContain('F087');
    expect(core).not.toContain('F003');
    const without = coverage.split('\n').filter((line) => !line.startsWith('F087,'));
    expect(() => parseCoreFeatures(without.join('\n'))).toThrow(/150 core features instead of 151/);
  });

  it('puts limits around the median in robust standard deviations', () => {
    const limits = robustLimits(Float64Array.of(9, Number.NaN, 1, 5, 3, 7), 5)!;
    expect(limits.low).toBeCloseTo(5 - (5 * 4) / 1.349, 12);
    expect(limits.high).toBeCloseTo(5 + (5 * 4) / 1.349, 12);
  });

  it('knows no outliers where quartiles are equal or nothing was measured', () => {
    expect(robustLimits(Float64Array.of(0, 0, 0, 0, 0, 1), 5)).toBeUndefined();
    expect(robustLimits(Float64Array.of(Number.NaN), 5)).toBeUndefined();
  });
});

describe('titles', () => {
  const code = (dx: string, icd_code: string, stays_n: number, title: string | null, icd_version = 10) => ({
    dx_code: dx,
    icd_code,
    icd_version,
    stays_n,
    title,
  });

  it('prefers the category row, then the most frequent code, then the smallest', () => {
    const codes = [
      code('I50', 'I5022', 3, 'chronic systolic'),
      code('I50', '4280', 9, 'unspecified', 9),
      code('N17', 'N179', 4, 'unspecified'),
      code('N17', '5849', 4, 'other wording', 9),
      code('A41', 'A419', 9, null),
      code('A41', 'A4151', 1, 'E. coli'),
      code('J18', 'J189', 1, null),
    ];
    const titles = chooseTitles(codes, new Map([['I50', 'Heart failure']]));
    expect([...titles].sort()).toEqual([
      ['A41', 'E. coli'],
      ['I50', 'Heart failure'],
      ['N17', 'other wording'],
    ]);
  });
});
