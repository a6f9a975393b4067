/** From real label files to rules: read, select, ask a real server that mixes honest and invented rules, and check what is left. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SqlRow, StageSpec } from '../../stages/contract.js';
import { draftRulesFromProse } from '../../stages/draft-rules-from-prose/stage.js';
import { findTables } from '../../stages/find-tables/stage.js';
import { readGuideline } from '../../stages/read-guideline/stage.js';
import { readLabels } from '../../stages/read-labels/stage.js';
import { selectCells } from '../../stages/select-cells/stage.js';
import { selectPassages } from '../../stages/select-passages/stage.js';
import { modelsThatSay, type ScriptedReply } from '../support/example-models.js';
import { guidelineRows } from '../support/guidelines.js';
import { hasMounted, MOUNT_DIR } from '../support/mounted.js';
import { runStageOn, type TestInput, temporaryFolder } from '../support/stage.js';

/** Rows of a guideline table with a place, as load-guidelines leaves them. */
const placed = (name: string): SqlRow[] =>
  guidelineRows(name).map((row, i) => ({
    ...row,
    source_file: `${name}.csv`,
    source_sha256: '0'.repeat(64),
    source_row: i + 1,
    source_line: i + 2,
  })) as SqlRow[];

const action = (kind: string, quote: string) => ({
  kind,
  quote,
  act: null,
  dose_text: null,
  monitoring: null,
  alternative: null,
});

/** For a passage that says "contraindicated": a rule that quotes it, one with an invented quote, one with an invented number. */
function repliesTo(text: string): object {
  const [quote] = /\bcontraindicated\b/.exec(text) ?? [];
  if (!quote) return { rules: [], nothing_because: 'says nothing of the kind' };
  const rule = (when: object[], said: string) => ({
    targets: [{ drug: 'rosuvastatin', quote: null }],
    population: null,
    when,
    unless: [],
    action: action('contraindicate', said),
  });
  return {
    rules: [
      rule([], quote),
      rule([], 'is strictly contraindicated for everybody at all times'),
      rule([{ condition: 'age < 97 a', quote }], quote),
    ],
    nothing_because: null,
  };
}

const parquet = (run: { dir: string }, name: string): TestInput => ({
  parquet: join(run.dir, `${name}.parquet`),
});

describe.skipIf(!hasMounted())('the tables of a label in PDF', () => {
  it('give a passage for every row that says something, its cells as they were found', async () => {
    const folder = join(temporaryFolder(), 'pdf');
    mkdirSync(folder);
    const file = 'remdesivir-veklury-label-2020-10.pdf';
    symlinkSync(resolve(MOUNT_DIR, 'fda-spl-xml', file), join(folder, file));
    const read = await runStageOn(readGuideline, { inputs: { pdfs: { folder } } });
    const names = (stage: { inputs: object }): string[] => Object.keys(stage.inputs);
    const found = await runStageOn(findTables, {
      inputs: Object.fromEntries(names(findTables).map((n) => [n, parquet(read, n)])),
    });
    const run = await runStageOn(selectCells, {
      inputs: {
        ...Object.fromEntries(
          ['guideline_tables', 'guideline_rows', 'guideline_cells'].map((n) => [n, parquet(found, n)]),
        ),
        earlier_passages: [],
      },
    });
    const cells = await found.table('guideline_cells');
    const textOf = new Map(
      cells.map((c) => [`pdf:${c.document_id}#t${c.table_n}r${c.row}c${c.col}`, c.text]),
    );
    const passages = await run.table('passages');
    expect(passages.length).toBeGreaterThan(50);
    for (const passage of passages) {
      const parts = JSON.parse(String(passage.parts)) as { ref: string; text: string }[];
      expect(parts.length).toBeGreaterThan(1);
      for (const { ref, text } of parts) expect(textOf.get(ref)).toBe(text);
    }
  });
});

describe.skipIf(!hasMounted())('48 labels of openFDA', () => {
  it('give passages, and rules whose every quote stands in its section', async () => {
    const read = await runStageOn(readLabels, {
      inputs: { labels: { folder: `${MOUNT_DIR}/fda-labels-openfda/labels` } },
    });
    const selected = await runStageOn(selectPassages, {
      inputs: {
        label_documents: parquet(read, 'label_documents'),
        label_sections: parquet(read, 'label_sections'),
      },
      config: { codes: ['34066-1', '34070-3', '42228-7', '77290-5', '34080-2'] },
    });
    const passages = await selected.table('passages');
    expect(passages.length).toBeGreaterThan(150);
    const sections = await read.table('label_sections');
    const dropped = selected.result.dropped.label_sections!;
    expect(passages.length + Object.values(dropped).reduce((a, b) => a + b, 0)).toBe(sections.length);

    const textOf = (p: SqlRow): string => JSON.parse(String(p.parts))[0].text;
    const replies: ScriptedReply[] = passages.map((p) => ({
      to: `<<<\n${textOf(p)}\n>>>`,
      content: repliesTo(textOf(p)),
    }));
    const models = await modelsThatSay(draftRulesFromProse as StageSpec, replies);
    const run = await runStageOn(draftRulesFromProse, {
      inputs: {
        passages: parquet(selected, 'passages'),
        drafted_rules: [],
        drug_names: placed('drug-names'),
        drug_classes: placed('classes'),
        class_words: placed('class-words'),
      },
      models,
    });
    const outcomes = await run.table('passage_outcomes');
    const rules = await run.table('rules');
    const rejects = await run.table('rejects');
    const asked = passages.filter((p) => /\bcontraindicated\b/.test(textOf(p)));
    expect(outcomes.length).toBe(passages.length);
    expect(asked.length).toBeGreaterThan(40);
    // One label is about rosuvastatin: for its passages the honest rule stays, everything else of all replies is refused.
    const own = asked.filter((p) => /ROSUVASTATIN/.test(String(p.generic_names)));
    expect(own.length).toBeGreaterThan(0);
    expect(rules.map((r) => r.row_id).sort()).toEqual(own.map((p) => p.passage_id).sort());
    const count = (reason: string): number => rejects.filter((r) => r.reason === reason).length;
    expect({
      invented_quote: count('quote_not_in_passage'),
      invented_number: count('number_not_in_quote'),
      another_drug: count('drug_not_in_quote'),
    }).toEqual({
      invented_quote: own.length,
      invented_number: own.length,
      another_drug: 3 * (asked.length - own.length),
    });
    const byRef = new Map(sections.map((s) => [`label:${s.document_id}#${s.section_id}`, String(s.text)]));
    for (const rule of rules) {
      const spans = JSON.parse(String(rule.spans)) as { field: string; ref: string; quote: string }[];
      expect(spans.map((s) => s.field)).toEqual(['/target/0', '/action/kind']);
      for (const span of spans.filter((s) => !s.ref.endsWith('#generic_name')))
        expect(byRef.get(span.ref)!.replace(/\s+/g, ' ')).toContain(span.quote);
    }
  });
});
