/** Sheets of all rules that the guideline tables give: everything is shown, and everything can be signed. */
import { beforeAll, describe, expect, it } from 'vitest';
import { readCorrection } from '../../pipelines/medpic/review/correction.js';
import { RULE_COLUMNS, ruleEntries } from '../../pipelines/medpic/review/entries.js';
import { takeSheet } from '../../pipelines/medpic/review/intake.js';
import { projectNames } from '../../pipelines/medpic/review/names.js';
import { readSheet, writeSheet } from '../../pipelines/medpic/review/sheet.js';
import { RuleBody } from '../../schemas/rule.js';
import { SOURCES } from '../../stages/draft-rules/sources.js';
import { canonicalJson } from '../../stages/lib/canonical-json.js';
import { groupBy } from '../../stages/lib/group-by.js';
import { settleHistory } from '../../stages/lib/reviews/history.js';
import type { ReviewLine, RuleLine } from '../../stages/lib/reviews/lines.js';
import {
  judgementOf,
  type OpenRule,
  openRule,
  reviewRule,
  subjectOf,
} from '../../stages/lib/reviews/rules.js';
import { valueWords } from '../../stages/lib/reviews/words.js';
import { BODY_FIELDS, bodyFields, bodyHash, shownSpans } from '../../stages/lib/rules/fields.js';
import { lexicon, rulesOf, sourceRows } from '../support/draft-rules.js';

const FILES = ['beers2023', 'kids2025', 'tga-pregnancy', 'fda-labels'];
let rules: OpenRule[];
const spans = new Map<string, { field: string; ref: string; quote: string }[]>();

beforeAll(() => {
  rules = FILES.flatMap((file, i) =>
    sourceRows(file).flatMap((row) => {
      const draft = SOURCES[i]!.parse(row, lexicon);
      return 'reject' in draft ? [] : rulesOf(row, draft);
    }),
  ).map(
    ({ rule_id, source_id, row_id, label, status: _status, is_usable: _usable, spans: places, ...rest }) => {
      spans.set(rule_id, [...places]);
      const body = RuleBody.parse(rest);
      const [text, quotes] = [canonicalJson(body), canonicalJson(places)];
      const row = {
        rule_id,
        source_id,
        row_id,
        label,
        body: text,
        spans: quotes,
        content_hash: bodyHash(body),
      };
      return openRule({ ...row, status: 'checked' });
    },
  );
});

describe('rules of the project', () => {
  it('show every place they were read from, on the field that was read there', () => {
    expect(rules.length).toBeGreaterThan(400);
    const hidden = rules.flatMap((r) =>
      spans
        .get(r.rule_id)!
        .filter((s) => !BODY_FIELDS.some((f) => shownSpans(f, [s]).length > 0))
        .map((s) => `${r.rule_id} ${s.field}`),
    );
    const bare = rules.flatMap((r) =>
      bodyFields(r.body)
        .filter((f) => f.needs_span && r.fields.find((x) => x.field === f.field)!.spans.length === 0)
        .map((f) => `${r.rule_id} ${f.field}`),
    );
    expect({ hidden, bare }).toEqual({ hidden: [], bare: [] });
  });

  it('can be written back from the words that a reviewer reads', () => {
    const lost = rules.flatMap((r) =>
      (['/when', '/population', '/operations', '/action/kind', '/action/dose_text'] as const).flatMap(
        (field) => {
          const { value } = r.fields.find((f) => f.field === field)!;
          const read = readCorrection(field, valueWords(field, value));
          const is_same = 'value' in read && canonicalJson(read.value) === canonicalJson(value);
          return is_same
            ? []
            : [`${r.rule_id} ${field}: ${valueWords(field, value)}: ${JSON.stringify(read)}`];
        },
      ),
    );
    expect(lost).toEqual([]);
  });

  it('are all verified once two people accept every row of their sheets, CSV and JSONL', () => {
    const lines: ReviewLine[] = [];
    for (const [who, format] of [
      ['aa', 'csv'],
      ['bb', 'jsonl'],
    ] as const) {
      const entries = ruleEntries(rules, lines, who);
      expect(entries).toHaveLength(rules.length * BODY_FIELDS.length);
      const filled = entries.map((e) => ({ ...e, decision: 'accept' }));
      const sheet = readSheet(writeSheet(filled, RULE_COLUMNS, format), `${who}.${format}`);
      const state = {
        rules: new Map(rules.map((r) => [r.rule_id, r])),
        items: new Map(),
        lines,
        names: projectNames(),
      };
      const taken = takeSheet(sheet, `${who}.${format}`, state, '2020-01-01T00:00:00Z');
      expect(taken.problems).toEqual([]);
      lines.push(...taken.lines);
    }
    const { settled } = settleHistory((lines as RuleLine[]).map(judgementOf));
    const bySubject = groupBy(settled, (s) => s.standing.subject);
    const statuses = rules.map(
      (r) => reviewRule(r, (field) => bySubject.get(subjectOf(r.rule_id, field)) ?? []).status,
    );
    expect(new Set(statuses)).toEqual(new Set(['verified']));
    expect(ruleEntries(rules, lines, 'cc')).toEqual([]);
  });
});
