/** What decisions make of items: two people a criterion, a fail excludes, pairs go together. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRITERIA } from '../../schemas/review.js';
import type { SqlRow } from '../../stages/contract.js';
import { randomStream } from '../../stages/lib/random.js';
import { settleHistory } from '../../stages/lib/reviews/history.js';
import { itemJudgement, judgeCriterion } from '../../stages/lib/reviews/items.js';
import { asReviewLine, type ItemLine } from '../../stages/lib/reviews/lines.js';
import type { StageRun } from '../support/stage.js';
import { decide, type Line, ruleRow, spansFor } from './reviews.fixture.js';
import { type Item, item, pair, passAll, RULE, validate, validateAll } from './validations.fixture.js';

const single = item('gf-1');
const [trigger, control] = pair('p1');
const ITEMS: Item[] = [single, trigger, control, ...pair('p2')];

const statuses = async (run: StageRun): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    (await run.table('item_validation')).map((v) => [
      v.instance_id,
      v.reason === null ? v.status : `${v.status}: ${v.reason}`,
    ]),
  );
const exclusions = async (run: StageRun): Promise<Record<string, unknown>> =>
  Object.fromEntries((await run.table('criterion_exclusions')).map((c) => [c.criterion, c.excluded_n]));
const both = (but: string[] = []): Record<string, Line[]> => ({
  'aa.jsonl': passAll(ITEMS, 'aa', but),
  'bb.jsonl': passAll(ITEMS, 'bb', but),
});
const add = (files: Record<string, Line[]>, ...lines: Line[]): Record<string, Line[]> => ({
  ...files,
  'more.jsonl': lines,
});

describe('items', () => {
  it('are open without reviews, and agreement on them is undefined', async () => {
    const run = await validateAll(ITEMS, {});
    expect(new Set(Object.values(await statuses(run)))).toEqual(new Set(['open']));
    const criteria = await run.table('item_criteria');
    expect(criteria).toHaveLength(4 + 4 * 5);
    const agreement = await run.table('validation_agreement');
    expect(agreement.map((a) => [a.scope, a.value])).toEqual([
      ...Array(3).fill(['all criteria', null]),
      ...Array(3).fill(['item validity', null]),
    ]);
  });

  it('are validated when two people pass every criterion, and one missing criterion keeps one open', async () => {
    const all = await statuses(await validateAll(ITEMS, both()));
    expect(new Set(Object.values(all))).toEqual(new Set(['validated']));
    for (const criterion of CRITERIA.slice(0, 4)) {
      const run = await validateAll([single], {
        'aa.jsonl': passAll([single], 'aa'),
        'bb.jsonl': passAll([single], 'bb', [`gf-1 ${criterion}`]),
      });
      expect(await statuses(run), criterion).toEqual({ 'gf-1': 'open' });
    }
  });

  it('one fail of one criterion excludes the item and its partner, and is counted once', async () => {
    const but = ['p1-t distractor_validity'];
    const bad = validate(ITEMS, 'p1-t', 'distractor_validity', 'aa', 'fail');
    const run = await validateAll(ITEMS, add(both(but), bad));
    expect(await statuses(run)).toEqual({
      'gf-1': 'validated',
      'p1-t': 'excluded: failed_criterion',
      'p1-c': 'excluded: pair_member',
      'p2-t': 'validated',
      'p2-c': 'validated',
    });
    expect(await exclusions(run)).toEqual({
      source_alignment: 0,
      patient_information: 0,
      answer_completeness: 0,
      distractor_validity: 1,
      counterfactual_consistency: 0,
      pair_member: 1,
    });
    expect(run.result.counts).toMatchObject({ 'items.validated': 3, 'items.excluded': 2 });
  });

  it('an unresolved disagreement excludes; a third person resolves it either way', async () => {
    const on = (...words: ('pass' | 'fail')[]) =>
      validateAll(
        ITEMS,
        add(
          both(['gf-1 source_alignment']),
          ...words.map((w, i) => validate(ITEMS, 'gf-1', 'source_alignment', `r${i}`, w)),
        ),
      );
    const open = await on('pass', 'fail');
    expect((await statuses(open))['gf-1']).toBe('excluded: unresolved_disagreement');
    expect((await exclusions(open)).source_alignment).toBe(1);
    expect((await statuses(await on('pass', 'fail', 'pass')))['gf-1']).toBe('validated');
    expect((await statuses(await on('pass', 'fail', 'fail')))['gf-1']).toBe('excluded: failed_criterion');
  });

  it('an item excluded by two criteria counts in both', async () => {
    const lines = ['source_alignment', 'answer_completeness'].map((c) =>
      validate(ITEMS, 'gf-1', c, 'aa', 'fail'),
    );
    const run = await validateAll(ITEMS, { 'aa.jsonl': lines });
    expect(await exclusions(run)).toMatchObject({ source_alignment: 1, answer_completeness: 1 });
    const row = (await run.table('item_validation')).find((v) => v.instance_id === 'gf-1')!;
    expect(row.criteria).toBe('["source_alignment","answer_completeness"]');
  });
});

describe('items that changed', () => {
  const staleOf = async (run: StageRun): Promise<string[]> =>
    (await run.table('item_criteria'))
      .filter((c) => c.status === 'stale')
      .map((c) => `${c.instance_id} ${c.criterion}`)
      .sort();

  it('lose their decisions with any change of what was read, and their pair those on the comparison', async () => {
    const columns: Partial<Parameters<typeof item>[1]>[] = [
      { patient_vignette: 'A 79-year-old woman has a creatinine clearance of 22 mL/min.' },
      { question: 'Which of these should be avoided?' },
      { options: '{"A":"nitrofurantoin","B":"cefalexin"}' },
      { answer: '["A","B"]' },
    ];
    for (const more of columns) {
      const common = {
        pair_id: 'p1',
        pair_role: 'trigger',
        config: 'cf',
        changed: '[{"field":"/measures/CrCl","from":22,"to":70}]',
      };
      const items = [single, item('p1-t', { ...common, ...more }), control, ...pair('p2')];
      const run = await validateAll(items, both());
      expect(await staleOf(run), JSON.stringify(more)).toEqual([
        'p1-c counterfactual_consistency',
        ...[...CRITERIA].sort().map((c) => `p1-t ${c}`),
      ]);
      expect((await statuses(run))['p1-t']).toBe('open');
      expect((await statuses(run))['p1-c']).toBe('open');
    }
  });

  it('lose source alignment when the rule or its quotes change, and nothing else', async () => {
    const moved = ruleRow(RULE.rule_id, { spans: spansFor(RULE.rule_id, { '/when': 'CrCl under 30' }) });
    const run = await validateAll(ITEMS, both(), moved);
    const names = ['gf-1', 'p1-c', 'p1-t', 'p2-c', 'p2-t'];
    expect(await staleOf(run)).toEqual(names.map((n) => `${n} source_alignment`));
  });

  it('decisions on items that are not made any more are kept as absent', async () => {
    const run = await validateAll([single], both());
    const outcomes = (await run.table('item_decisions')).map((d) => d.outcome);
    expect(outcomes.filter((o) => o === 'counted')).toHaveLength(8);
    expect(outcomes.filter((o) => o === 'absent')).toHaveLength(40);
    expect((await statuses(run))['gf-1']).toBe('validated');
  });
});

describe('lines', () => {
  const good = validate(ITEMS, 'gf-1', 'source_alignment', 'aa', 'pass');
  it.each<[string, Line, RegExp]>([
    ['unknown criterion', { ...good, criterion: 'style' }, /field criterion[\s\S]*"style"/],
    ['unknown decision', { ...good, decision: 'accept' }, /field decision/],
    ['fail without a reason', { ...good, decision: 'fail' }, /field comment[\s\S]*says why/],
    ['unknown name', { ...good, critereon: 'x' }, /unknown field[\s\S]*critereon/],
    [
      'pair criterion of a single item',
      { ...good, criterion: 'counterfactual_consistency' },
      /does not have[\s\S]*which is in no pair/,
    ],
  ])('%s', async (_, line, message) => {
    const run = validateAll(ITEMS, { 'aa.jsonl': [line] });
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toThrow(/aa\.jsonl, row 1/);
  });

  it('a reviewer deciding twice, and lines on rules beside lines on items', async () => {
    const other = validate(ITEMS, 'gf-1', 'source_alignment', 'aa', 'fail', {
      decided_at: '2026-03-02T10:00:00Z',
    });
    await expect(validateAll(ITEMS, { 'a.jsonl': [good, other] })).rejects.toThrow(
      /decided twice[\s\S]*pass at a\.jsonl:1[\s\S]*fail at a\.jsonl:2/,
    );
    const files = {
      'a.jsonl': [good, { ...other, supersedes: true }, good, decide(RULE, '/when', 'aa', 'accept')],
    };
    const run = await validateAll(ITEMS, files);
    expect(run.result.dropped.review_lines).toEqual({ rule_review: 1, exact_copy: 1 });
    expect((await run.table('item_decisions')).map((d) => d.outcome).sort()).toEqual([
      'counted',
      'superseded',
    ]);
  });

  it('in any order and in any files give the same bytes', async () => {
    const lines = [...Object.values(both(['p1-t source_alignment'])).flat(), good];
    const hashes = async (files: Record<string, Line[]>) =>
      Object.values((await validateAll(ITEMS, files)).result.outputs).map((o) => o.sha256);
    const expected = await hashes({ 'all.jsonl': lines });
    const random = randomStream(5, 'shuffle-validations');
    const mixed = lines.map((line) => ({ line, key: random.u32() })).sort((a, b) => a.key - b.key);
    const [x, y] = [mixed.slice(0, 11), mixed.slice(11)];
    expect(await hashes({ 'y.jsonl': x.map((m) => m.line), 'x.jsonl': y.map((m) => m.line) })).toEqual(
      expected,
    );
  });
});

describe('agreement', () => {
  it('on the validity of items counts an item once, a fail of any criterion makes it invalid', async () => {
    const fail = validate(ITEMS, 'gf-1', 'source_alignment', 'bb', 'fail');
    const third = validate(ITEMS, 'gf-1', 'source_alignment', 'cc', 'pass', { is_adjudication: true });
    const files = {
      'aa.jsonl': passAll(ITEMS, 'aa'),
      'bb.jsonl': [...passAll(ITEMS, 'bb', ['gf-1 source_alignment']), fail],
      'cc.jsonl': [third],
    };
    const rows = await (await validateAll(ITEMS, files)).table('validation_agreement');
    const find = (scope: string, measure: string): SqlRow =>
      rows.find((r) => r.scope === scope && r.measure === measure && r.raters === 'aa + bb')!;
    expect(rows.filter((r) => String(r.raters).includes('cc') || r.raters === 'any 3')).toEqual([]);
    expect(find('item validity', 'raw')).toMatchObject({ subjects_n: 5, value: 0.8 });
    expect(find('all criteria', 'raw')).toMatchObject({ subjects_n: 24, value: 23 / 24 });
    expect(find('source_alignment', 'raw')).toMatchObject({ subjects_n: 5, value: 0.8 });
    expect(find('answer_completeness', 'cohen')).toMatchObject({ subjects_n: 5, value: null });
  });
});

describe('any voices on one criterion', () => {
  it('pass by a majority of at least two; no fail is lost otherwise', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('pass' as const, 'fail' as const), { maxLength: 7 }), (words) => {
        const lines = words.map((w, i) => {
          const line = validate(ITEMS, 'gf-1', 'source_alignment', `r${i}`, w);
          return asReviewLine(line, { file: 'x', line: i + 1 }) as ItemLine;
        });
        const hash = lines[0]?.decision.content_hash ?? '';
        const { settled } = settleHistory(lines.map(itemJudgement));
        const { status } = judgeCriterion('source_alignment', hash, settled);
        const passes = words.filter((w) => w === 'pass').length;
        const fails = words.length - passes;
        expect(status === 'passed').toBe(passes >= 2 && passes > fails);
        if (fails > 0 && status !== 'passed') expect(['failed', 'disputed']).toContain(status);
        if (fails === 0 && passes < 2) expect(status).toBe('open');
      }),
    );
  });
});
