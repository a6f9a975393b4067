/** Lines of reviewers: who decides twice, what cannot count and why, and that their order never matters. */
import { describe, expect, it } from 'vitest';
import { DataError } from '../../pipelines/engine/errors.js';
import { randomStream } from '../../stages/lib/random.js';
import { parseCondition } from '../../stages/lib/rules/expression.js';
import type { StageRun } from '../support/stage.js';
import { acceptAll, applyTo, decide, type Line, ruleRow } from './reviews.fixture.js';
import { body } from './rule-body.fixture.js';

const R = ruleRow('B23-T2-002');
const OTHER = ruleRow('B23-T2-003');
const later = { decided_at: '2026-03-02T10:00:00Z' };

const statusOf = async (run: StageRun): Promise<unknown> => (await run.table('rules'))[0]!.status;
const outcomes = async (run: StageRun): Promise<unknown[]> =>
  (await run.table('review_decisions')).map((d) => d.outcome).sort();

describe('deciding twice', () => {
  const first = decide(R, '/when', 'aa', 'accept');
  const second = decide(R, '/when', 'aa', 'reject', later);

  it('the same again is counted once and listed; an exact copy is dropped and counted', async () => {
    const again = { ...first, ...later };
    const run = await applyTo([R], { 'a.jsonl': [first, again], 'b.jsonl': [first] });
    expect(await outcomes(run)).toEqual(['counted', 'duplicate']);
    expect(run.result.dropped).toEqual({
      review_lines: { exact_copy: 1, item_validation: 0, withdrawn_rule: 0 },
    });
    expect(run.result.rows_in).toMatchObject({ review_lines: 3, checked_rules: 1 });
  });

  it('something else is an error that names both lines', async () => {
    const files = { 'a.jsonl': [decide(R, '/target', 'aa', 'accept'), first], 'b.jsonl': [second] };
    await expect(applyTo([R], files)).rejects.toThrow(
      /decided twice[\s\S]*b\.jsonl, row 1[\s\S]*aa on B23-T2-002 \/when: accept at a\.jsonl:2 \(2026-03-01T10:00:00Z\); reject at b\.jsonl:1 \(2026-03-02T10:00:00Z\)/,
    );
  });

  it('two corrections with different values are something else too', async () => {
    const to = (n: number) => ({ correction: parseCondition(`CrCl < ${n} mL/min`) });
    const files = {
      'a.jsonl': [decide(R, '/when', 'aa', 'correct', to(60)), decide(R, '/when', 'aa', 'correct', to(45))],
    };
    await expect(applyTo([R], files)).rejects.toThrow(/decided twice/);
  });

  it('a later line with supersedes replaces; an earlier or equally old one does not', async () => {
    const run = await applyTo([R], { 'a.jsonl': [{ ...second, supersedes: true }, first] });
    expect(await outcomes(run)).toEqual(['counted', 'superseded']);
    expect((await run.table('review_decisions')).find((d) => d.outcome === 'counted')!.decision).toBe(
      'reject',
    );
    const [early, late] = [{ ...first, supersedes: true }, second];
    await expect(applyTo([R], { 'a.jsonl': [early, late] })).rejects.toThrow(
      /replaces an earlier one that is not/,
    );
    const same = { ...second, supersedes: true, decided_at: first.decided_at };
    await expect(applyTo([R], { 'a.jsonl': [first, same] })).rejects.toThrow(/decided twice/);
  });

  it('supersedes with nothing before it is an error: a line was lost', async () => {
    await expect(applyTo([R], { 'a.jsonl': [{ ...first, supersedes: true }] })).rejects.toThrow(
      /replaces an earlier one that is not there[\s\S]*row 1[\s\S]*bring the missing line back/,
    );
  });

  it('agreement takes the first decision, before anybody spoke with anybody', async () => {
    const files = {
      'x.jsonl': [first, { ...second, supersedes: true }, decide(R, '/when', 'bb', 'accept')],
    };
    const raw = (await (await applyTo([R], files)).table('review_agreement')).find(
      (a) => a.scope === 'all' && a.measure === 'raw' && a.raters === 'aa + bb',
    );
    expect(raw).toMatchObject({ subjects_n: 1, value: 1 });
  });
});

describe('lines that cannot count', () => {
  const good = decide(R, '/when', 'aa', 'accept');
  const cases: [string, unknown, RegExp][] = [
    [
      'unknown rule',
      { ...good, rule_id: 'B23-T2-02' },
      /rule that does not exist[\s\S]*row 2, field rule_id[\s\S]*B23-T2-02[\s\S]*did you mean B23-T2-002/,
    ],
    ['unknown field', { ...good, field: '/whenever' }, /field that no rule has[\s\S]*got: {6}\/whenever/],
    ['part of a field', { ...good, field: '/unless/0' }, /JSON pointer into the body/],
    ['unknown name', { ...good, reveiwer: 'aa' }, /unknown field[\s\S]*field reveiwer/],
    ['unknown decision', { ...good, decision: 'agree' }, /field decision[\s\S]*"agree"/],
    ['no reviewer', { ...good, reviewer_id: undefined }, /field reviewer_id[\s\S]*nothing/],
    ['real name', { ...good, reviewer_id: 'Dr. A. B.' }, /field reviewer_id[\s\S]*a-z/],
    ['local time', { ...good, decided_at: '2026-03-01T10:00:00+01:00' }, /field decided_at[\s\S]*UTC/],
    ['no such day', { ...good, decided_at: '2026-02-30T10:00:00Z' }, /field decided_at/],
    ['correction without the word', { ...good, correction: 1 }, /field correction/],
    ['the word without correction', { ...good, decision: 'correct' }, /field correction/],
    ['no reason for a rejection', { ...good, decision: 'reject' }, /field comment[\s\S]*says why/],
    ['edited hash', { ...good, shown_hash: 'f'.repeat(64) }, /does not fit what the line says was shown/],
    [
      'edited view',
      { ...good, shown: { value: null, spans: [] } },
      /does not fit what the line says was shown/,
    ],
    [
      'correction to the same',
      { ...good, decision: 'correct', correction: body().when },
      /what was shown already/,
    ],
    [
      'correction of no form',
      { ...good, decision: 'correct', correction: { type: 'fact' } },
      /does not fit its field[\s\S]*\/when\/concept/,
    ],
    ['no JSON', '{"rule_id":', /not one JSON object[\s\S]*row 2/],
    ['a name twice', `${JSON.stringify(good).slice(0, -1)},"decision":"reject"}`, /"decision" stands twice/],
    ['blank line', '', /not one JSON object[\s\S]*row 2/],
    ['a list', [good], /does not fit/],
    ['null', null, /does not fit/],
  ];
  it.each(cases)('%s', async (_, line, message) => {
    const second = typeof line === 'string' ? line : JSON.stringify(line);
    const text = `${JSON.stringify(decide(R, '/target', 'aa', 'accept'))}\n${second}\n`;
    const error = await applyTo([R], { 'aa.jsonl': text }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(DataError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).toMatch(/aa\.jsonl, row 2/);
  });

  it('a cut last line, and files that nobody would read', async () => {
    await expect(applyTo([R], { 'aa.jsonl': JSON.stringify(good) })).rejects.toThrow(
      /may be cut[\s\S]*row 1/,
    );
    await expect(applyTo([R], { 'aa.json': [good] })).rejects.toThrow(/none that is read[\s\S]*aa\.json/);
    await expect(applyTo([R], { 'old/aa.jsonl': [good] })).rejects.toThrow(/none that is read[\s\S]*old\/aa/);
    expect(await statusOf(await applyTo([R], { 'aa.jsonl': '' }))).toBe('checked');
  });

  it('several bad lines are counted in the message', async () => {
    const bad = [
      { ...good, rule_id: 'x' },
      { ...good, rule_id: 'y' },
      { ...good, rule_id: 'z' },
    ];
    await expect(applyTo([R], { 'aa.jsonl': bad })).rejects.toThrow(/and 2 more/);
  });

  it('decisions on withdrawn rules are kept and counted; a rule that is there cannot be withdrawn', async () => {
    const gone = decide(ruleRow('B23-T2-999'), '/when', 'aa', 'accept');
    const list = (id: string) => ({ 'withdrawn-rules.csv': `rule_id,reason\n${id},the row was split\n` });
    const run = await applyTo([R], { 'aa.jsonl': [gone, good], ...list('B23-T2-999') });
    expect(run.result.dropped.review_lines).toMatchObject({ withdrawn_rule: 1 });
    expect(await run.table('review_decisions')).toHaveLength(1);
    await expect(applyTo([R], { 'aa.jsonl': [gone], ...list('B23-T2-002') })).rejects.toThrow(
      /listed as withdrawn but stands/,
    );
    await expect(applyTo([R], { 'withdrawn-rules.csv': 'rule_id,reason\nB23-T2-999,\n' })).rejects.toThrow(
      /list of withdrawn rules does not fit[\s\S]*row 2/,
    );
  });
});

describe('order', () => {
  it('of lines and files changes no byte of any output', async () => {
    const lines = [
      ...acceptAll(R, 'aa'),
      ...acceptAll(R, 'bb', ['/when', '/unless']),
      decide(R, '/when', 'bb', 'correct', { correction: parseCondition('CrCl < 60 mL/min') }),
      decide(R, '/when', 'cc', 'correct', { correction: parseCondition('CrCl < 60 mL/min') }),
      decide(R, '/unless', 'bb', 'reject'),
      decide(R, '/unless', 'bb', 'accept', { ...later, supersedes: true }),
      { ...decide(R, '/target', 'aa', 'accept'), ...later },
      decide(OTHER, '/when', 'aa', 'accept'),
      decide(ruleRow('B23-T2-003', { body: body({ ratings: [] }) }), '/ratings', 'bb', 'accept'),
      decide(R, '/target', 'aa', 'accept'),
    ];
    const hashes = async (files: Record<string, Line[]>) =>
      Object.fromEntries(
        Object.entries((await applyTo([R, OTHER], files)).result.outputs).map(([name, o]) => [
          name,
          o.sha256,
        ]),
      );
    const expected = await hashes({ 'all.jsonl': lines });
    for (const seed of [1, 2, 3, 4]) {
      const random = randomStream(seed, 'shuffle-reviews');
      const files: Record<string, Line[]> = {};
      const mixed = lines.map((line) => ({ line, key: random.u32() })).sort((a, b) => a.key - b.key);
      for (const [i, { line }] of mixed.entries()) {
        const name = `f${i < 3 ? i : random.below(3)}.jsonl`;
        files[name] = [...(files[name] ?? []), line];
      }
      expect(await hashes(files)).toEqual(expected);
    }
  });
});
