/** From the open fields to a signed rule and back: sheets out, decisions in, what is refused and that nothing is then taken. */
import { writeFileSync } from 'node:fs';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { DataError } from '../../pipelines/engine/errors.js';
import { RuleBody } from '../../schemas/rule.js';
import { parseCondition } from '../../stages/lib/rules/expression.js';
import { BODY_FIELDS } from '../../stages/lib/rules/fields.js';
import { decide, type Line, ruleRow, spansFor } from '../stages/reviews.fixture.js';
import { body } from '../stages/rule-body.fixture.js';
import { item, pair, RULE } from '../stages/validations.fixture.js';
import { accept, Desk, fill, logs, type Row, rowsOf } from './review.fixture.js';

const R = ruleRow('B23-T2-002');
describe('a rule is signed', () => {
  it('by two people through CSV and JSONL, and nobody is asked twice', async () => {
    const desk = new Desk([R]);
    const first = await desk.export('aa', 'aa.csv');
    expect(first.words).toMatch(/^15 open fields of 1 rules for aa, 0 of them disputed/);
    expect(rowsOf(first.text).map((r) => r.field)).toEqual([...BODY_FIELDS]);
    fill(desk, 'aa.csv', accept);
    expect(await desk.import('aa.csv')).toMatch(
      /^15 decisions of aa appended to .*aa\.jsonl; 0 rows left open$/,
    );
    expect((await desk.export('aa', 'again.csv')).words).toMatch(/^0 open fields/);

    const { text } = await desk.export('bb', 'bb.jsonl');
    const lines = text
      .trim()
      .split('\n')
      .map((l) => ({ ...(JSON.parse(l) as Line), decision: 'accept' }));
    writeFileSync(desk.path('bb.jsonl'), lines.map((l) => `${JSON.stringify(l)}\n`).join(''));
    await desk.import('bb.jsonl');
    expect((await desk.table('apply-reviews', 'rules'))[0]!.status).toBe('verified');
    expect((await desk.export('cc', 'cc.csv')).words).toMatch(/^0 open fields of 0 rules/);
  });

  it('shows values in words, the printed places, and the hash of both', async () => {
    const desk = new Desk([R]);
    const when = rowsOf((await desk.export('aa', 'aa.csv')).text).find((r) => r.field === '/when')!;
    expect(when).toMatchObject({
      rule_id: 'B23-T2-002',
      in_words: 'CrCl < 30 mL/min',
      places: 'beers2023.csv, row B23-T2-002, column when: "CrCl < 30 mL/min"',
      decision: '',
      others: '',
      is_adjudication: 'false',
      content_hash: R.content_hash,
      shown_hash: decide(R, '/when', 'aa', 'accept').shown_hash,
    });
  });

  it('in parts: rows without a decision stay open', async () => {
    const desk = new Desk([R]);
    await desk.export('aa', 'aa.csv');
    fill(desk, 'aa.csv', (r) => (r.field === '/when' ? accept() : undefined), '\n');
    expect(await desk.import('aa.csv')).toMatch(/^1 decisions .*14 rows left open$/);
    expect(rowsOf((await desk.export('aa', 'rest.csv')).text)).toHaveLength(14);
  });

  it('with corrections in the words of the sheet', async () => {
    const desk = new Desk([R]);
    const corrections: Row = {
      '/when': 'any(CrCl < 60 mL/min, fact dialysis)',
      '/target': 'nitrofurantoin | class:opioids minus tramadol',
      '/action/dose_text': 'half the dose, "at night"',
      '/unless': 'none',
      '/operations': 'activation; direct application',
      '/action/kind': 'not recommended',
    };
    for (const who of ['aa', 'bb']) {
      await desk.export(who, `${who}.csv`);
      fill(desk, `${who}.csv`, (r) => {
        const correction = corrections[r.field!];
        return correction === undefined ? accept() : { decision: 'Correct', correction };
      });
      await desk.import(`${who}.csv`);
    }
    const [rule] = await desk.table('apply-reviews', 'rules');
    expect(rule).toMatchObject({ status: 'verified', action_kind: 'not recommended' });
    const got = RuleBody.parse(JSON.parse(rule!.body as string));
    expect(got.when).toEqual(parseCondition(corrections['/when']!));
    expect(got.target.map((t) => [t.kind, t.name, t.minus])).toEqual([
      ['ingredient', 'nitrofurantoin', []],
      ['class', 'opioids', ['tramadol']],
    ]);
    expect(got).toMatchObject({
      unless: [],
      operations: ['activation', 'direct application'],
      action: { dose_text: 'half the dose, "at night"', act: null },
    });
  });

  it('a disagreement goes to a third person with what the others said; first judgements are made alone', async () => {
    const desk = new Desk([R]);
    await desk.export('aa', 'aa.csv');
    fill(desk, 'aa.csv', accept);
    await desk.import('aa.csv');
    const alone = rowsOf((await desk.export('bb', 'bb.csv')).text);
    expect(alone.every((r) => r.others === '' && r.is_adjudication === 'false')).toBe(true);
    fill(desk, 'bb.csv', (r) =>
      r.field === '/when' ? { decision: 'reject', comment: 'the cell says 60' } : accept(),
    );
    await desk.import('bb.csv');
    const third = await desk.export('cc', 'cc.csv');
    expect(third.words).toMatch(/^1 open fields of 1 rules for cc, 1 of them disputed/);
    expect(rowsOf(third.text)[0]).toMatchObject({
      field: '/when',
      others: 'aa: accept\nbb: reject (the cell says 60)',
      is_adjudication: 'true',
    });
    fill(desk, 'cc.csv', accept);
    await desk.import('cc.csv');
    expect((await desk.table('apply-reviews', 'rules'))[0]!.status).toBe('verified');
    const agreement = await desk.table('apply-reviews', 'review_agreement');
    expect(agreement.filter((a) => String(a.raters).includes('cc'))).toEqual([]);
  });
});

describe('JSONL', () => {
  it('takes null as a correction, and leaves answer columns that nobody touched', async () => {
    const desk = new Desk([
      ruleRow('B23-T2-002', { body: body({ action: { ...body().action, dose_text: 'half' } }) }),
    ]);
    for (const who of ['aa', 'bb']) {
      const { text } = await desk.export(who, `${who}.jsonl`);
      const lines = text
        .trim()
        .split('\n')
        .map((l) => JSON.parse(l) as Line);
      const filled = lines.map((l) =>
        l.field === '/action/dose_text'
          ? { ...l, decision: 'correct', correction: null }
          : { ...l, decision: 'accept', correction: null },
      );
      writeFileSync(desk.path(`${who}.jsonl`), filled.map((l) => `${JSON.stringify(l)}\n`).join(''));
      await desk.import(`${who}.jsonl`);
    }
    const [rule] = await desk.table('apply-reviews', 'rules');
    expect(rule!.status).toBe('verified');
    expect(JSON.parse(rule!.body as string).action.dose_text).toBeNull();
  });
});

describe('what changed since it was shown', () => {
  const changed = ruleRow('B23-T2-002', { body: body({ when: parseCondition('CrCl < 60 mL/min') }) });

  it('is refused on import with the difference, and nothing of the file is taken', async () => {
    const desk = new Desk([R]);
    await desk.export('aa', 'aa.csv');
    fill(desk, 'aa.csv', accept);
    desk.put([changed]);
    const error = (await desk.import('aa.csv').catch((e: unknown) => e)) as Error;
    expect(error).toBeInstanceOf(DataError);
    expect(error.message).toMatch(
      /nothing was imported: 1 problems\n {2}line 4, column shown_hash: the rule was changed since it was shown/,
    );
    expect(error.message).toContain('B23-T2-002 /when: value "CrCl < 30 mL/min" -> "CrCl < 60 mL/min"');
    expect(logs(desk)).toEqual([]);
  });

  it('is asked again after the import, and says what the reviewer said before', async () => {
    const desk = new Desk([R]);
    await desk.export('aa', 'aa.csv');
    fill(desk, 'aa.csv', accept);
    await desk.import('aa.csv');
    desk.put([changed]);
    const rows = rowsOf((await desk.export('aa', 'next.csv')).text);
    expect(rows.map((r) => r.field)).toEqual(['/when']);
    expect(rows[0]!.before).toMatch(/Z accept; since then value "CrCl < 30 mL\/min" -> "CrCl < 60 mL\/min"$/);
  });

  it('another field of the rule does not matter', async () => {
    const desk = new Desk([R]);
    await desk.export('aa', 'aa.csv');
    fill(desk, 'aa.csv', (r) => (r.field === '/target' ? accept() : undefined));
    desk.put([changed]);
    expect(await desk.import('aa.csv')).toMatch(/^1 decisions/);
  });
});

describe('formulas', () => {
  const EVIL = ['=HYPERLINK("http://x","y")', '+1', '-2', '@SUM(A1)', '\t=1', '\r=1', "'=1", '="a"&"b"'];

  it('no cell of an export runs in a spreadsheet, and the signature still fits', async () => {
    const rows = EVIL.map((quote, i) => ({
      ...ruleRow(`B${i}`, {
        spans: spansFor(`B${i}`, { '/when': quote }),
        body: body({ action: { ...body().action, dose_text: quote } }),
      }),
      label: quote,
    }));
    const desk = new Desk(rows);
    const { text } = await desk.export('aa', 'aa.csv');
    const cells = Papa.parse<string[]>(text.replace(/^\ufeff/, '')).data.flat();
    expect(cells.filter((c) => /^[=+\-@\t\r]/.test(c))).toEqual([]);
    fill(desk, 'aa.csv', accept);
    await desk.import('aa.csv');
    const fields = await desk.table('apply-reviews', 'review_fields');
    expect(fields).toHaveLength(EVIL.length * BODY_FIELDS.length);
    expect(fields.filter((f) => f.reviewers !== '["aa"]')).toEqual([]);
  });
});

describe('items', () => {
  const items = [item('gf-1'), ...pair('p1')];

  it('are validated through sheets; the pair is shown where it is judged', async () => {
    const desk = new Desk([RULE], items);
    for (const who of ['aa', 'bb']) {
      const { words, text } = await desk.export(who, `${who}.csv`, 'items');
      expect(words).toMatch(/^14 open criteria of 3 items/);
      const row = rowsOf(text).find(
        (r) => r.instance_id === 'p1-t' && r.criterion === 'counterfactual_consistency',
      )!;
      expect(row.partners).toContain('p1-c\n');
      expect(row.partners).toContain('answer ["B"]');
      const fails = who === 'bb' ? { decision: 'fail', comment: 'B is right too' } : { decision: 'pass' };
      fill(desk, `${who}.csv`, (r) =>
        r.instance_id === 'p1-c' && r.criterion === 'distractor_validity' ? fails : { decision: 'pass' },
      );
      await desk.import(`${who}.csv`);
    }
    const of = async () =>
      Object.fromEntries(
        (await desk.table('validate-items', 'item_validation')).map((v) => [
          v.instance_id,
          v.reason ?? v.status,
        ]),
      );
    expect(await of()).toEqual({
      'gf-1': 'validated',
      'p1-c': 'unresolved_disagreement',
      'p1-t': 'pair_member',
    });
    const { text } = await desk.export('cc', 'cc.jsonl', 'items');
    const row = JSON.parse(text) as Line;
    expect(row).toMatchObject({
      instance_id: 'p1-c',
      is_adjudication: true,
      others: 'aa: pass\nbb: fail (B is right too)',
    });
    writeFileSync(desk.path('cc.jsonl'), `${JSON.stringify({ ...row, decision: 'pass' })}\n`);
    await desk.import('cc.jsonl');
    expect(await of()).toEqual({ 'gf-1': 'validated', 'p1-c': 'validated', 'p1-t': 'validated' });
  });

  it('that changed, or are no items, are refused', async () => {
    const desk = new Desk([RULE], items);
    await desk.export('aa', 'aa.csv', 'items');
    fill(desk, 'aa.csv', () => ({ decision: 'pass' }));
    desk.put([RULE], [item('gf-1', { question: 'Which one?' }), ...pair('p1')]);
    await expect(desk.import('aa.csv')).rejects.toThrow(
      /4 problems[\s\S]*line 2, column content_hash: the item was changed/,
    );
    desk.put([RULE], pair('p1'));
    await expect(desk.import('aa.csv')).rejects.toThrow(/4 problems[\s\S]*no such instance_id/);
    expect(logs(desk)).toEqual([]);
  });
});
