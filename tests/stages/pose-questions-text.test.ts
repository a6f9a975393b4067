/** The texts of real items of every source and sort: each is read back, and each change of it is noticed. */
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FactSentence, Option } from '../../schemas/medpic.js';
import { CONFIGS } from '../../schemas/medpic.js';
import { Patient, type Use } from '../../schemas/patient.js';
import { draftRules } from '../../stages/draft-rules/stage.js';
import { groupBy } from '../../stages/lib/group-by.js';
import { checkVignette } from '../../stages/lib/read-vignette/check.js';
import { readVignette } from '../../stages/lib/read-vignette/read.js';
import { loadGuidelines } from '../../stages/load-guidelines/stage.js';
import { poseQuestions } from '../../stages/pose-questions/stage.js';
import { runStageOn, temporaryFolder } from '../support/stage.js';
import { knowledge } from './read-vignette.support.js';

const SOURCES = ['beers2023', 'kids2025', 'tga-pregnancy', 'fda-labels'];

interface Item {
  readonly id: string;
  readonly config: string;
  readonly source: string;
  readonly pair: string | null;
  readonly decision: string;
  readonly text: string;
  readonly question: string;
  readonly patient: Patient;
  readonly uses: readonly Use[];
  readonly facts: readonly FactSentence[];
}

let items: Item[] = [];

beforeAll(async () => {
  const folder = temporaryFolder();
  for (const f of readdirSync('raw/guidelines').filter((name) => name.endsWith('.csv')))
    copyFileSync(join('raw/guidelines', f), join(folder, f));
  const g = await runStageOn(loadGuidelines, { inputs: { guidelines: { folder } } });
  const table = (n: string) => [n, { parquet: `${g.dir}/${n}.parquet` }] as const;
  const rows = ['beers_rows', 'kids_rows', 'tga_rows', 'label_rows'];
  const drugs = ['drug_names', 'drug_classes', 'class_words'];
  const d = await runStageOn(draftRules, {
    config: { max_reject_share: 1, sources: SOURCES },
    inputs: Object.fromEntries([...rows, ...drugs].map(table)),
  });
  const run = await runStageOn(poseQuestions, {
    config: { gf_per_rule: 1, pairs_per_rule: 1 },
    inputs: {
      rules: { parquet: `${d.dir}/rules.parquet` },
      ...Object.fromEntries(['guideline_documents', ...drugs, 'neutral_drugs'].map(table)),
    },
  });
  const questions = new Map((await run.table('questions')).map((q) => [q.instance_id, q]));
  items = (await run.table('answers')).map((a) => ({
    id: String(a.instance_id),
    config: String(a.config),
    source: String(a.source_id),
    pair: a.pair_id === null ? null : String(a.pair_id),
    decision: String(a.decision_type),
    text: String(questions.get(a.instance_id)!.patient_vignette),
    question: String(questions.get(a.instance_id)!.question),
    patient: Patient.parse(JSON.parse(String(a.patient))),
    uses: (JSON.parse(String(a.candidates)) as Option[]).flatMap((o) => (o.use === null ? [] : [o.use])),
    facts: JSON.parse(String(a.facts)) as FactSentence[],
  }));
}, 600_000);

const check = (i: Item, text = i.text) => checkVignette(text, i.patient, i.uses, knowledge);
const without = (text: string, sentence: string): string =>
  text.replace(sentence, '').replace(/\s+/g, ' ').trim();

describe('real items', () => {
  it('are of every sort and source', () => {
    expect(new Set(items.map((i) => i.config))).toEqual(new Set(CONFIGS));
    expect(new Set(items.map((i) => i.source))).toEqual(new Set(SOURCES));
  });

  it('are read back', () => {
    for (const i of items) expect(check(i), i.text).toEqual([]);
  });

  it('miss each fact when its sentence is deleted', () => {
    for (const i of items) {
      for (const { fact, sentence } of i.facts) {
        const found = check(i, without(i.text, sentence)).filter((p) => p.kind === 'missing');
        expect(
          found.map((p) => p.fact),
          `${sentence} (${i.text})`,
        ).toContain(fact);
      }
    }
  });

  it('notice each number that is changed', () => {
    for (const i of items) {
      for (const m of i.text.matchAll(/(?<![\w.])\d+(?:\.\d+)?(?![\w.]*[a-z]\d)/g)) {
        if (/^1\.73/.test(m[0]) || /3350/.test(m[0])) continue;
        const text = `${i.text.slice(0, m.index)}${Number(m[0]) + 1}${i.text.slice(m.index + m[0].length)}`;
        expect(check(i, text), text).not.toEqual([]);
      }
    }
  });

  it('notice each sentence that is negated', () => {
    for (const i of items) {
      for (const sentence of new Set(i.facts.map((f) => f.sentence))) {
        const negated = sentence
          .replace(/\b(is|are|was|would|can|could) (?!not\b)/, '$1 not ')
          .replace(/^(She|He) has (?!no\b|been)/, '$1 does not have ')
          .replace(/^(She|He) takes /, '$1 does not take ');
        if (negated === sentence) continue;
        expect(check(i, i.text.replace(sentence, negated)), negated).not.toEqual([]);
      }
    }
  });

  it('notice an added illness', () => {
    for (const i of items) {
      const She = i.patient.sex === 'female' ? 'She' : 'He';
      const found = check(i, `${i.text} ${She} also has epilepsy.`).map((p) => `${p.kind} ${p.fact}`);
      const expected = i.patient.facts.epilepsy === undefined ? 'extra' : 'repeated';
      expect(found).toContain(`${expected} facts/epilepsy`);
    }
  });

  it('notice two drugs that change places', () => {
    let swaps = 0;
    for (const i of items) {
      const told = i.facts.filter((f) => f.fact.endsWith('/typical_use'));
      const [a, b] = told.map((f) => f.fact.split('/')[1]!);
      if (!a || !b || knowledge.typical_use(a) === knowledge.typical_use(b)) continue;
      const [x, y] = [told[0]!.sentence, told[1]!.sentence];
      const put = (s: string, from: string, to: string): string => s.replace(new RegExp(from, 'i'), to);
      const text = i.text.replace(x, put(x, a, b)).replace(y, put(y, b, a));
      swaps++;
      expect(check(i, text), text).not.toEqual([]);
    }
    expect(swaps).toBeGreaterThan(10);
  });
});

describe('pairs', () => {
  it('have the same sentences for what they share', () => {
    const pairs = groupBy(
      items.filter((i) => i.pair !== null),
      (i) => i.pair!,
    );
    expect(pairs.size).toBeGreaterThan(50);
    for (const [first, ...others] of pairs.values())
      for (const o of others) expect(strays(first!, o)).toEqual([]);
  });

  it('have the same question, and it names the source', () => {
    for (const i of items) {
      const same = items.filter((o) => o.pair !== null && o.pair === i.pair);
      expect(new Set(same.map((o) => o.question)).size).toBeLessThanOrEqual(1);
      expect(i.question).toMatch(/Beers Criteria|KIDs List|TGA database|US prescribing information/);
      expect(i.question).not.toMatch(/pregnan|child|older|elderly|kidney|renal|infant|newborn/i);
    }
  });
});

/** Sentences that differ although every fact they state is the same in both; `otherwise` and `other` look back, and one list of medicines is closed like another. */
function strays(a: Item, b: Item): [string, string][] {
  const read = (i: Item) =>
    readVignette(
      i.text,
      i.uses.map((u) => u.drug),
      knowledge,
    ).facts;
  const [of, other] = [read(a), new Map(read(b).map((f) => [f.fact, f]))];
  const changed = new Set(
    of
      .filter((f) => JSON.stringify(other.get(f.fact)?.value) !== JSON.stringify(f.value))
      .map((f) => f.sentence),
  );
  const plain = (s: string): string => s.replace(/\b(?:otherwise|other) /, '');
  return of.flatMap((f): [string, string][] => {
    const there = other.get(f.fact)?.sentence;
    if (f.fact === 'closed/medications') return [];
    if (there === undefined || changed.has(f.sentence) || plain(there) === plain(f.sentence)) return [];
    return [[f.sentence, there]];
  });
}

describe('openings', () => {
  it('are at least six for each sort of patient', () => {
    const sort = (p: Patient): string =>
      p.facts.pregnant
        ? 'pregnant'
        : p.age!.unit !== 'a' || p.age!.value < 18
          ? 'child'
          : p.age!.value >= 65
            ? 'older'
            : 'adult';
    const seen = groupBy(items, (i) => sort(i.patient));
    for (const [who, list] of seen) {
      const openings = list.map((i) => i.text.split('. ')[0]!.replace(/^.*?(?:woman|man|girl|boy)/, ''));
      expect(new Set(openings).size, who).toBeGreaterThanOrEqual(6);
    }
  });
});
