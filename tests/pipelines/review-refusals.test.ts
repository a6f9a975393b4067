/** What an import refuses, line by line, and that nothing of a refused file is taken. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DataError, UsageError } from '../../pipelines/engine/errors.js';
import { decide, ruleRow } from '../stages/reviews.fixture.js';
import { accept, csvOf, Desk, fill, logs, type Row, rowsOf } from './review.fixture.js';

const R = ruleRow('B23-T2-002');

describe('what an import refuses, with line and column, whole file or nothing', () => {
  const on =
    (field: string, more: Row) =>
    (r: Row): Row | undefined =>
      r.field === field ? { decision: 'accept', ...more } : { decision: 'accept' };
  // /when stands on line 4 of the sheet, /unless on line 5.
  const cases: [string, (row: Row) => Row | undefined, RegExp][] = [
    ['an unknown decision', on('/when', { decision: 'ok' }), /line 4, column decision: .*"ok"/],
    [
      'a rejection without a reason',
      on('/when', { decision: 'reject' }),
      /line 4, column comment: .*says why/,
    ],
    [
      'a correction of no form',
      on('/when', { decision: 'correct', correction: 'CrCl under 60' }),
      /line 4, column correction: .*CrCl under 60.*a condition such as/,
    ],
    [
      'a unit that is none',
      on('/when', { decision: 'correct', correction: 'CrCl < 60 ml/min' }),
      /line 4, column correction: /,
    ],
    [
      'a fact that no table holds',
      on('/when', { decision: 'correct', correction: 'all(CrCl < 60 mL/min, fact dialysys)' }),
      /line 4, column correction: a correction names what no table holds \(unknown concept\); got dialysys/,
    ],
    [
      'a drug that no table holds',
      on('/target', { decision: 'correct', correction: 'nitrofurantoine' }),
      /line 2, column correction: .*unknown drug.*nitrofurantoine/,
    ],
    [
      'a correction to what stands there',
      on('/when', { decision: 'correct', correction: 'CrCl < 30 mL/min' }),
      /line 4, column correction: .*shown already/,
    ],
    [
      'a word that the field does not know',
      on('/action/kind', { decision: 'correct', correction: 'forbid' }),
      /column correction: .*one of the words/,
    ],
    [
      'a correction without the word',
      on('/when', { correction: 'CrCl < 60 mL/min' }),
      /line 4, column correction: /,
    ],
    [
      'a comment without a decision',
      (r) => (r.field === '/when' ? { comment: 'unsure' } : accept()),
      /line 4, column decision: a comment without/,
    ],
    ['an edited value', on('/when', { value: '{"type":"all","of":[]}' }), /line 4, column shown_hash: /],
    ['an edited quote', on('/when', { spans: '[]' }), /line 4, column shown_hash: /],
    ['a broken cell', on('/when', { value: '{"type"' }), /line 4, column value: /],
    [
      'another rule',
      on('/when', { rule_id: 'B23-T2-003' }),
      /line 4, column rule_id: no such rule_id.*did you mean B23-T2-002/,
    ],
    ['another person', on('/when', { reviewer_id: 'bb' }), /line 4, column reviewer_id: .*two people/],
    [
      'the future',
      on('/when', { decided_at: '9999-01-01T00:00:00Z' }),
      /line 4, column decided_at: .*future/,
    ],
    ['a time without zone', on('/when', { decided_at: '2020-01-01 10:00' }), /line 4, column decided_at: /],
    ['a flag that is none', on('/when', { supersedes: 'yes' }), /line 4, column supersedes: /],
    ['replacing nothing', on('/when', { supersedes: 'TRUE' }), /line 4, column supersedes: .*not there/],
  ];

  it('each alone, and all together', async () => {
    const desk = new Desk([R]);
    await desk.export('aa', 'aa.csv');
    const clean = readFileSync(desk.path('aa.csv'), 'utf8');
    for (const [what, answer, message] of cases) {
      writeFileSync(desk.path('aa.csv'), clean);
      fill(desk, 'aa.csv', answer);
      const error = (await desk.import('aa.csv').catch((e: unknown) => e)) as Error;
      expect(error, what).toBeInstanceOf(DataError);
      expect(error.message, what).toMatch(message);
      expect(error.message, what).toMatch(/nothing was imported: 1 problems/);
      expect(logs(desk), what).toEqual([]);
    }
    writeFileSync(desk.path('aa.csv'), clean);
    fill(desk, 'aa.csv', () => ({ decision: 'maybe' }));
    await expect(desk.import('aa.csv')).rejects.toThrow(/15 problems\n {2}line 2.*\n {2}line 3/);
  });

  it('a second decision: the same file again, another word, a repeated row; supersedes with a later time is taken', async () => {
    const desk = new Desk([R], [], {
      'aa.jsonl': [decide(R, '/when', 'aa', 'accept', { decided_at: '2020-01-01T00:00:00Z' })],
    });
    await desk.export('aa', 'aa.csv');
    fill(desk, 'aa.csv', accept);
    await desk.import('aa.csv');
    await expect(desk.import('aa.csv')).rejects.toThrow(
      /14 problems[\s\S]*line 2, column decision: this person has decided/,
    );
    const before = readFileSync(join(desk.reviews, 'aa.jsonl'), 'utf8');

    const old = new Desk([R]);
    await old.export('aa', 'aa.csv');
    const when = rowsOf(readFileSync(old.path('aa.csv'), 'utf8')).filter((r) => r.field === '/when');
    const other = { decision: 'reject', comment: 'wrong row' };
    writeFileSync(desk.path('w.csv'), csvOf(when.map((r) => ({ ...r, ...other }))));
    await expect(desk.import('w.csv')).rejects.toThrow(/line 2, column decision: .*decided twice/);
    writeFileSync(
      desk.path('w.csv'),
      csvOf([...when, ...when].map((r) => ({ ...r, ...other, supersedes: 'true' }))),
    );
    await expect(desk.import('w.csv')).rejects.toThrow(/line 3, column decision: this person/);
    expect(readFileSync(join(desk.reviews, 'aa.jsonl'), 'utf8')).toBe(before);
    writeFileSync(desk.path('w.csv'), csvOf(when.map((r) => ({ ...r, ...other, supersedes: 'true' }))));
    expect(await desk.import('w.csv')).toMatch(/^1 decisions/);
    const after = readFileSync(join(desk.reviews, 'aa.jsonl'), 'utf8');
    expect(after.startsWith(before)).toBe(true);
    expect((await desk.table('apply-reviews', 'review_decisions')).map((d) => d.outcome).sort()).toEqual([
      ...Array(15).fill('counted'),
      'superseded',
    ]);
  });

  it('damage of the whole file', async () => {
    const desk = new Desk([R]);
    const { text } = await desk.export('aa', 'aa.csv');
    const put = (t: string | Uint8Array, name = 'bad.csv') => writeFileSync(desk.path(name), t);
    put(text.replace('"decision"', 'desicion').replace(',decision,', ',desicion,'));
    await expect(desk.import('bad.csv')).rejects.toThrow(/unknown column[\s\S]*did you mean decision/);
    put(text.replace(/\r\n[^\r]*\r\n$/, '\r\n"open'));
    await expect(desk.import('bad.csv')).rejects.toThrow(DataError);
    put(Uint8Array.from([0xff, 0xfe, 0x41, 0]));
    await expect(desk.import('bad.csv')).rejects.toThrow(/not UTF-8/);
    put(text, 'bad.xlsx');
    await expect(desk.import('bad.xlsx')).rejects.toThrow(/ends in \.csv or \.jsonl/);
    await expect(desk.import('absent.csv')).rejects.toThrow(/ENOENT/);
    await expect(desk.import('aa.csv')).rejects.toThrow(/holds no decision/);
    put('{"rule_id":"x","reviewer":"aa"}\nnot json\n', 'bad.jsonl');
    await expect(desk.import('bad.jsonl')).rejects.toThrow(
      /line 1, column reviewer: unknown name[\s\S]*line 2/,
    );
  });

  it('an export over a file that is there, and a reviewer without an id', async () => {
    const desk = new Desk([R]);
    await desk.export('aa', 'aa.csv');
    await expect(desk.export('aa', 'aa.csv')).rejects.toThrow(UsageError);
    await expect(desk.export('Dr. A', 'x.csv')).rejects.toThrow(/no reviewer id/);
    expect(existsSync(desk.path('x.csv'))).toBe(false);
  });

  it('broken lines among the decisions so far stop both commands', async () => {
    const desk = new Desk([R], [], {
      'aa.jsonl': [{ ...decide(R, '/when', 'aa', 'accept'), decision: 'yes' }],
    });
    await expect(desk.export('bb', 'bb.csv')).rejects.toThrow(/aa\.jsonl, row 1, field decision/);
  });
});
