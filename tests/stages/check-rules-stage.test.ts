/** The stage on the real tables, from the files to checked rules, and on rules drafted from prose. */
import { copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkRules, checkRulesAndProse } from '../../stages/check-rules/stage.js';
import { draftRules } from '../../stages/draft-rules/stage.js';
import { canonicalJson } from '../../stages/lib/canonical-json.js';
import { parseCondition, parseRef } from '../../stages/lib/rules/expression.js';
import { bodyHash } from '../../stages/lib/rules/fields.js';
import { GUIDELINE_FILES } from '../../stages/load-guidelines/shapes.js';
import { loadGuidelines } from '../../stages/load-guidelines/stage.js';
import { runStageOn, type StageRun, type TestInput, temporaryFolder } from '../support/stage.js';
import { realRules } from './check-rules.support.js';
import { body } from './rule-body.fixture.js';

let inputs: Record<string, TestInput>;
let run: StageRun;

beforeAll(async () => {
  const folder = temporaryFolder();
  for (const path of GUIDELINE_FILES) copyFileSync(path, join(folder, basename(path)));
  const loaded = await runStageOn(loadGuidelines, { inputs: { guidelines: { folder } } });
  const from = (names: readonly string[]) =>
    Object.fromEntries(
      names
        .filter((n) => n in loaded.result.outputs)
        .map((n) => [n, { parquet: join(loaded.dir, `${n}.parquet`) }]),
    );
  const drafted = await runStageOn(draftRules, { inputs: from(Object.keys(draftRules.inputs)) });
  inputs = {
    ...from(Object.keys(checkRules.inputs)),
    rules: { parquet: join(drafted.dir, 'rules.parquet') },
  };
  run = await runStageOn(checkRules, { inputs });
}, 120_000);

describe('the tables of the project', () => {
  it('give checked rules, every one of them', async () => {
    const rules = await run.table('checked_rules');
    expect(rules.map((r) => r.rule_id).sort()).toEqual(realRules.map((r) => r.rule_id).sort());
    expect(new Set(rules.map((r) => r.status))).toEqual(new Set(['checked']));
    const held = new Set(realRules.filter((r) => !r.is_usable).map((r) => r.rule_id));
    expect(new Set(rules.filter((r) => !r.is_usable).map((r) => r.rule_id))).toEqual(held);
    expect(held.size).toBeGreaterThan(0);
  });

  it('leave notes, links and edges', async () => {
    const notes = await run.table('rule_findings');
    expect(notes.filter((n) => n.is_error)).toEqual([]);
    expect(notes.length).toBeGreaterThan(0);
    expect((await run.table('rule_links')).length).toBeGreaterThan(100);
    expect((await run.table('ambiguous_edges')).map((e) => e.value)).toEqual(
      expect.arrayContaining([30, 50, 60]),
    );
  });
});

describe('rules from prose', () => {
  const text =
    'Use is not advised when creatinine\n  clearance is below 30 mL/min, unless no other drug will do.';
  const ref = 'label:set-1#section-4';
  const passages = [
    {
      passage_id: 'P-1',
      source_id: 'labels',
      document_id: 'set-1',
      ref,
      heading: 'Warnings',
      generic_names: '["nitrofurantoin"]',
      brand_names: '[]',
      parts: JSON.stringify([{ ref, name: null, text }]),
    },
  ];
  const row = (rule_id: string, limit: number, quote: string) => {
    const rule = body({
      target: [parseRef('nitrofurantoin')],
      population: parseCondition('always'),
      when: parseCondition(`CrCl < ${limit} mL/min`),
      unless: [],
      ratings: [],
    });
    const spans = [
      ...['/target/0', '/action/kind'].map((field) => ({ field, ref, quote: 'Use is not advised' })),
      { field: '/when', ref, quote },
    ];
    return {
      ...{ rule_id, source_id: 'labels', row_id: 'P-1', label: 'Warnings', status: 'draft', is_usable: true },
      ...{ author: 'model', polarity: 'restrict', action_kind: rule.action.kind },
      patient_information_type: rule.patient_information_type,
      special_population: rule.special_population,
      body: canonicalJson(rule),
      spans: canonicalJson(spans),
      content_hash: bodyHash(rule),
    };
  };
  const rules = [
    row('P-1.a', 30, 'creatinine clearance is below 30 mL/min'),
    row('P-1.b', 60, 'creatinine clearance is below 60 mL/min'),
  ];
  const config = { max_rejected_share: 1 };

  it('are held to the words of their passage, line breaks aside', async () => {
    const checked = await runStageOn(checkRulesAndProse, { inputs: { ...inputs, rules, passages }, config });
    expect((await checked.table('checked_rules')).map((r) => [r.rule_id, r.status])).toEqual([
      ['P-1.a', 'checked'],
      ['P-1.b', 'rejected'],
    ]);
    expect((await checked.table('rule_findings')).map((f) => [f.rule_id, f.check_name])).toEqual([
      ['P-1.a', 'exception_cell_not_cited'],
      ['P-1.b', 'quote_not_in_place'],
    ]);
  });

  it('are rejected where nobody gives the passage', async () => {
    const checked = await runStageOn(checkRules, { inputs: { ...inputs, rules }, config });
    const names = new Set((await checked.table('rule_findings')).map((f) => f.check_name));
    expect(names).toEqual(new Set(['unknown_document', 'unknown_place']));
  });

  it('stop the build when too many are rejected', async () => {
    await expect(runStageOn(checkRulesAndProse, { inputs: { ...inputs, rules, passages } })).rejects.toThrow(
      /1 of 2 rules are rejected; the first, P-1.b: quote_not_in_place/,
    );
  });
});
