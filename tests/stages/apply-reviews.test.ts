/** What decisions make of rules, and what a maintainer reads when they cannot count. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RuleBody } from '../../schemas/rule.js';
import type { SqlRow } from '../../stages/contract.js';
import { settleHistory } from '../../stages/lib/reviews/history.js';
import { asReviewLine, type RuleLine } from '../../stages/lib/reviews/lines.js';
import {
  judgementOf,
  openRule,
  type RuleRow,
  reviewRule,
  subjectOf,
} from '../../stages/lib/reviews/rules.js';
import { parseCondition } from '../../stages/lib/rules/expression.js';
import { BODY_FIELDS, bodyHash } from '../../stages/lib/rules/fields.js';
import type { StageRun } from '../support/stage.js';
import { acceptAll, applyTo, decide, type Line, ruleRow, spansFor } from './reviews.fixture.js';
import { body } from './rule-body.fixture.js';

const R = ruleRow('B23-T2-002');
const OTHER = ruleRow('B23-T2-003');
const later = { decided_at: '2026-03-02T10:00:00Z' };

async function fieldOf(run: StageRun, field: string, rule_id = 'B23-T2-002'): Promise<SqlRow> {
  return (await run.table('review_fields')).find((f) => f.rule_id === rule_id && f.field === field)!;
}
const statusOf = async (run: StageRun, rule_id = 'B23-T2-002'): Promise<unknown> =>
  (await run.table('rules')).find((r) => r.rule_id === rule_id)!.status;
const ruleOf = async (run: StageRun): Promise<SqlRow> => (await run.table('rules'))[0]!;
/** The answer for one rule, without a build. */
function judge(row: RuleRow, lines: readonly Line[]) {
  const read = lines.map((l, i) => asReviewLine(l, { file: 'x.jsonl', line: i + 1 }) as RuleLine);
  const { settled } = settleHistory(read.map(judgementOf));
  return reviewRule(openRule(row), (field) =>
    settled.filter((s) => s.standing.subject === subjectOf(row.rule_id, field)),
  );
}
const outcomes = async (run: StageRun): Promise<unknown[]> =>
  (await run.table('review_decisions')).map((d) => d.outcome).sort();

describe('statuses', () => {
  it('without any review every rule stays checked, every field is missing, agreement is undefined', async () => {
    const run = await applyTo([R, OTHER], {});
    expect(await run.table('rules')).toEqual([R, OTHER]);
    const fields = await run.table('review_fields');
    expect(fields).toHaveLength(2 * BODY_FIELDS.length);
    expect(new Set(fields.map((f) => f.status))).toEqual(new Set(['missing']));
    const agreement = await run.table('review_agreement');
    expect(agreement.map((a) => [a.scope, a.measure, a.subjects_n, a.value])).toEqual([
      ['all', 'cohen', 0, null],
      ['all', 'fleiss', 0, null],
      ['all', 'raw', 0, null],
    ]);
    expect(agreement.every((a) => a.undefined_because !== null)).toBe(true);
  });

  it('two people on every field verify a rule, and no other', async () => {
    const run = await applyTo([R, OTHER], { 'aa.jsonl': acceptAll(R, 'aa'), 'bb.jsonl': acceptAll(R, 'bb') });
    expect(await statusOf(run)).toBe('verified');
    expect(await statusOf(run, 'B23-T2-003')).toBe('checked');
    expect(await fieldOf(run, '/when')).toMatchObject({ status: 'accepted', reviewers: '["aa","bb"]' });
    expect(run.result.counts['rules.verified']).toBe(1);
  });

  it('one person is not two, whatever the file is called', async () => {
    const twice = acceptAll(R, 'aa').map((l) => ({ ...l, ...later }));
    const run = await applyTo([R], { 'aa.jsonl': acceptAll(R, 'aa'), 'bb.jsonl': twice });
    expect(await statusOf(run)).toBe('checked');
    expect(run.result.counts['decisions.duplicate']).toBe(BODY_FIELDS.length);
  });

  it('every single field is needed', () => {
    for (const field of BODY_FIELDS) {
      const lines = [...acceptAll(R, 'aa'), ...acceptAll(R, 'bb', [field])];
      const { status, verdicts } = judge(R, lines);
      expect(status, field).toBe('checked');
      const open = verdicts.filter((v) => v.verdict.status !== 'accepted');
      expect(open.map((v) => [v.now.field, v.verdict.status, v.verdict.reviewers])).toEqual([
        [field, 'missing', ['aa']],
      ]);
    }
  });

  it('a disagreement stays open until a third person settles it, either way', async () => {
    const split = [decide(R, '/when', 'aa', 'accept'), decide(R, '/when', 'bb', 'reject')];
    const both = [...acceptAll(R, 'aa', ['/when']), ...acceptAll(R, 'bb', ['/when']), ...split];
    const open = await applyTo([R], { 'x.jsonl': both });
    expect(await fieldOf(open, '/when')).toMatchObject({ status: 'disputed', reviewers: '["aa","bb"]' });
    expect(await statusOf(open)).toBe('checked');
    const third = (word: 'accept' | 'reject') =>
      applyTo([R], { 'x.jsonl': [...both, decide(R, '/when', 'cc', word, { is_adjudication: true })] });
    const yes = await third('accept');
    expect(await fieldOf(yes, '/when')).toMatchObject({
      status: 'accepted',
      reviewers: '["aa","cc"]',
      against: '["bb"]',
    });
    expect(await statusOf(yes)).toBe('verified');
    const no = await third('reject');
    expect(await fieldOf(no, '/when')).toMatchObject({ status: 'rejected', reviewers: '["bb","cc"]' });
    expect(await ruleOf(no)).toMatchObject({ status: 'rejected', is_usable: false });
  });

  it('an even split of four stays disputed, three to one does not', async () => {
    const on = (words: ('accept' | 'reject')[]) =>
      applyTo([R], { 'x.jsonl': words.map((w, i) => decide(R, '/target', `r${i}`, w)) });
    const even = await on(['accept', 'reject', 'accept', 'reject']);
    expect((await fieldOf(even, '/target')).status).toBe('disputed');
    const clear = await on(['accept', 'reject', 'accept', 'accept']);
    expect((await fieldOf(clear, '/target')).status).toBe('accepted');
  });

  it('signatures do not lift a rule that failed its checks', async () => {
    const draft = ruleRow('B23-T2-002', { status: 'draft' });
    const run = await applyTo([draft], { 'x.jsonl': [...acceptAll(draft, 'aa'), ...acceptAll(draft, 'bb')] });
    expect(await statusOf(run)).toBe('draft');
  });
});

describe('corrections', () => {
  const under60 = parseCondition('CrCl < 60 mL/min');
  const fix = (who: string, more: Line = {}): Line =>
    decide(R, '/when', who, 'correct', { correction: under60, ...more });
  const rest = [...acceptAll(R, 'aa', ['/when']), ...acceptAll(R, 'bb', ['/when'])];

  it('two people with the same value make a new body, signed for that value', async () => {
    const run = await applyTo([R], { 'x.jsonl': [...rest, fix('aa'), fix('bb')] });
    const rule = await ruleOf(run);
    const expected = body({ when: under60 });
    expect(RuleBody.parse(JSON.parse(rule.body as string))).toEqual(expected);
    expect(rule).toMatchObject({ status: 'verified', content_hash: bodyHash(expected) });
    expect(await fieldOf(run, '/when')).toMatchObject({
      status: 'corrected',
      reviewers: '["aa","bb"]',
      shown_hash: decide(ruleRow('B23-T2-002', { body: expected }), '/when', 'aa', 'accept').shown_hash,
    });
  });

  it('columns of the rule follow its corrected body', async () => {
    const kind = 'caution, weigh or monitor';
    const lines = ['aa', 'bb'].flatMap((who) => [
      ...acceptAll(R, who, ['/action/kind', '/action/polarity']),
      decide(R, '/action/kind', who, 'correct', { correction: kind }),
      decide(R, '/action/polarity', who, 'correct', { correction: 'watch' }),
    ]);
    const run = await applyTo([R], { 'x.jsonl': lines });
    expect(await ruleOf(run)).toMatchObject({ status: 'verified', action_kind: kind, polarity: 'watch' });
  });

  it('two values are a disagreement; a third person chooses one', async () => {
    const under45 = parseCondition('CrCl < 45 mL/min');
    const two = [...rest, fix('aa'), fix('bb', { correction: under45 })];
    const open = await applyTo([R], { 'x.jsonl': two });
    expect((await fieldOf(open, '/when')).status).toBe('disputed');
    expect((await ruleOf(open)).content_hash).toBe(R.content_hash);
    const closed = await applyTo([R], { 'x.jsonl': [...two, fix('cc', { correction: under45 })] });
    expect((await ruleOf(closed)).content_hash).toBe(bodyHash(body({ when: under45 })));
    expect(await fieldOf(closed, '/when')).toMatchObject({ reviewers: '["bb","cc"]', against: '["aa"]' });
  });

  it('null is a value, and left-out defaults are no difference', async () => {
    const doses = ruleRow('B23-T2-002', { body: body({ action: { ...body().action, dose_text: 'half' } }) });
    const nothing = ['aa', 'bb'].map((w) =>
      decide(doses, '/action/dose_text', w, 'correct', { correction: null }),
    );
    const run = await applyTo([doses], { 'x.jsonl': nothing });
    expect((await fieldOf(run, '/action/dose_text')).status).toBe('corrected');
    expect(JSON.parse((await ruleOf(run)).body as string).action.dose_text).toBeNull();
    const short = { correction: [{ kind: 'ingredient', name: 'digoxin' }] };
    const long = {
      correction: [{ ...short.correction[0], minus: [], form: null, routes: null, dose: null }],
    };
    const same = await applyTo([R], {
      'x.jsonl': [decide(R, '/target', 'aa', 'correct', short), decide(R, '/target', 'bb', 'correct', long)],
    });
    expect((await fieldOf(same, '/target')).status).toBe('corrected');
  });

  it('once the source says the corrected value, corrections sign it, old acceptances are stale, the rest stays', async () => {
    const spans = spansFor('B23-T2-002');
    const changed = ruleRow('B23-T2-002', { body: body({ when: under60 }), spans });
    const lines = [...rest, fix('aa'), decide(R, '/when', 'bb', 'accept')];
    const run = await applyTo([changed], { 'x.jsonl': lines });
    expect(await fieldOf(run, '/when')).toMatchObject({ status: 'missing', reviewers: '["aa"]', stale_n: 1 });
    expect((await fieldOf(run, '/target')).status).toBe('accepted');
    const [stale, ...none] = await run.table('stale_reviews');
    expect(none).toEqual([]);
    expect(stale).toMatchObject({
      reviewer_id: 'bb',
      difference: 'value "CrCl < 30 mL/min" -> "CrCl < 60 mL/min"',
    });
    const signed = await applyTo([changed], {
      'x.jsonl': [...lines, decide(changed, '/when', 'bb', 'accept')],
    });
    expect(await statusOf(signed)).toBe('verified');
  });

  it('a later decision on what stands now goes before an own correction to it', async () => {
    const changed = ruleRow('B23-T2-002', { body: body({ when: under60 }) });
    const run = await applyTo([changed], {
      'x.jsonl': [fix('aa'), decide(changed, '/when', 'aa', 'reject')],
    });
    expect(await fieldOf(run, '/when')).toMatchObject({ status: 'missing', reviewers: '["aa"]' });
    expect(await outcomes(run)).toEqual(['counted', 'superseded']);
  });
});

describe('content that changed', () => {
  const signed = { 'x.jsonl': [...acceptAll(R, 'aa'), ...acceptAll(R, 'bb')] };

  it('a changed value, quote or place makes the signatures of that field stale, and only those', async () => {
    const cases: [string, SqlRow, string, RegExp][] = [
      [
        'value',
        ruleRow('B23-T2-002', { body: body({ unless: [] }) }),
        '/unless',
        /value "short course \[fact/,
      ],
      [
        'quote',
        ruleRow('B23-T2-002', { spans: spansFor('B23-T2-002', { '/when': 'CrCl < 35 mL/min' }) }),
        '/when',
        /#B23-T2-002\/when "CrCl < 30 mL\/min" -> "CrCl < 35 mL\/min"$/,
      ],
      [
        'place',
        ruleRow('B23-T2-002', { spans: [...spansFor('B23-T2-002'), ...spansFor('B9').slice(0, 1)] }),
        '/target',
        /new place csv:beers2023.csv#B9\/target "nitrofurantoin"/,
      ],
    ];
    for (const [what, row, field, difference] of cases) {
      const run = await applyTo([row], signed);
      expect(await statusOf(run), what).toBe('checked');
      const fields = await run.table('review_fields');
      expect(
        fields.filter((f) => f.status !== 'accepted').map((f) => [f.field, f.status, f.stale_n]),
      ).toEqual([[field, 'stale', 2]]);
      const stale = await run.table('stale_reviews');
      expect(stale).toHaveLength(2);
      for (const s of stale) expect(s.difference).toMatch(difference);
    }
  });

  it('decisions come back when the content comes back', async () => {
    const away = await applyTo([ruleRow('B23-T2-002', { body: body({ unless: [] }) })], signed);
    expect(await statusOf(away)).toBe('checked');
    expect(await statusOf(await applyTo([R], signed))).toBe('verified');
  });
});

describe('any set of voices on one field', () => {
  it('follows the definition of a majority of at least two', () => {
    const to60 = { correction: parseCondition('CrCl < 60 mL/min') };
    const word = fc.constantFrom('accept' as const, 'reject' as const, 'correct' as const);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 7 }), (voices) => {
        const lines = voices.map((w, i) => decide(R, '/when', `r${i}`, w, w === 'correct' ? to60 : {}));
        const { verdict } = judge(R, lines).verdicts.find((v) => v.now.field === '/when')!;
        const n = (w: string) => voices.filter((v) => v === w).length;
        const most = ['accept', 'reject', 'correct'].find((w) => n(w) >= 2 && n(w) > voices.length / 2);
        const expected = most
          ? { accept: 'accepted', reject: 'rejected', correct: 'corrected' }[most]
          : new Set(voices).size > 1
            ? 'disputed'
            : 'missing';
        expect(verdict.status).toBe(expected);
        if (most) expect(verdict.reviewers).toHaveLength(n(most));
        expect([...verdict.reviewers, ...verdict.against].sort()).toEqual(
          voices.map((_, i) => `r${i}`).sort(),
        );
      }),
    );
  });
});
