/** A medpic release as its readers meet it: verify notices every change, trace reads the cell again, impact walks up. */
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { releaseDocuments } from '../../pipelines/medpic/documents.js';
import type { SqlRow } from '../../stages/contract.js';
import { sha256 } from '../../stages/lib/hash.js';
import { cli } from '../support/cli.js';
import { failedChecks as failed, forge, manifestOf, reseal } from '../support/forge.js';
import { smallMedpic } from '../support/medpic.js';
import { copyProject, replaceLocked } from '../support/project.js';
import { readParquet, temporaryFolder } from '../support/stage.js';

let root: string;
let build: string;
let release: string;
let pairs: SqlRow[];

beforeAll(async () => {
  const small = await smallMedpic();
  root = temporaryFolder();
  build = join(root, 'build');
  release = small.release;
  // Fresh cache entries of the small build make verify quick; releases stay where they are.
  cpSync(join(small.home, 'build/cache'), join(build, 'cache'), { recursive: true });
  pairs = await readParquet(join(release, 'answers/cf/test.parquet'));
});

const verify = (dir: string) => cli(['verify', dir, '--build-dir', build]);
describe('verify', () => {
  it('finds nothing wrong with the release', async () => {
    const { code, stdout } = await verify(release);
    expect(failed(stdout)).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/options rest on the list of neutral drugs: checked, not proved/);
  });

  const FIRST = '(select min(instance_id) from t)';
  const forgeries: [string, string, string, RegExp][] = [
    [
      'a flipped key letter',
      'answers/gf/test.parquet',
      `select * replace (case when instance_id = ${FIRST} then case when answer like '%"A"%' then '["B"]' else '["A"]' end else answer end as answer) from t order by instance_id`,
      /every answer follows/,
    ],
    [
      'a flipped key letter with its text',
      'answers/gf/test.parquet',
      `select * replace (case when instance_id = ${FIRST} then json_array(none_letter)::VARCHAR else answer end as answer,
        case when instance_id = ${FIRST} then '["None of the above"]' else answer_texts end as answer_texts)
       from t where instance_id <> (select min(instance_id) from t where answer = json_array(none_letter)::VARCHAR) order by instance_id`,
      /every answer follows|numbers of manifest/,
    ],
    [
      'another threshold in a rule',
      'rules/rules.parquet',
      `select * replace (case when rule_id = (select min(rule_id) from t where body like '%"high":30,%') then replace(body, '"high":30,', '"high":35,') else body end as body) from t order by rule_id`,
      /hash of its content/,
    ],
    [
      'another threshold with the hash that fits it, and a value that cannot be',
      'rules/rules.parquet',
      `select * replace (case when rule_id = (select min(rule_id) from t where body like '%"high":30,%') then replace(body, '"high":30,', '"high":"30",') else body end as body) from t order by rule_id`,
      /the tables can be read/,
    ],
    [
      'a rule taken out of force',
      'rules/rules.parquet',
      "select * replace (case when rule_id = (select min(rule_id) from t) then 'rejected' else status end as status) from t order by rule_id",
      /the rules are what the stages make of the tables/,
    ],
    [
      'an invented signature',
      'rules/rules.parquet',
      "select * replace (case when rule_id = (select min(rule_id) from t) then 'verified' else status end as status) from t order by rule_id",
      /statuses follow from the signatures/,
    ],
    [
      'a quote that stands nowhere',
      'rules/rules.parquet',
      `select * replace (case when rule_id = (select min(rule_id) from t) then regexp_replace(spans, '"quote":"', '"quote":"not there ') else spans end as spans) from t order by rule_id`,
      /quoted from its printed place/,
    ],
    [
      'two options that changed places',
      'data/gf/test.parquet',
      `select * replace (case when instance_id = ${FIRST} then json_object('A', options ->> '$.B', 'B', options ->> '$.A', 'C', options ->> '$.C', 'D', options ->> '$.D')::VARCHAR else options end as options) from t order by instance_id`,
      /options, letters and texts/,
    ],
    [
      'another number in a vignette',
      'data/gf/test.parquet',
      "select * replace (regexp_replace(patient_vignette, '[0-9]+', '7') as patient_vignette) from t order by instance_id",
      /every fact is stated/,
    ],
    [
      'another number in the facts',
      'answers/gf/test.parquet',
      `select * replace (case when instance_id = ${FIRST} then regexp_replace(patient, '"unit":"a","value":[0-9]+', '"unit":"a","value":99') else patient end as patient) from t order by instance_id`,
      /every fact is stated/,
    ],
    [
      'a sentence that nobody recorded',
      'data/cf/test.parquet',
      "select * replace (patient_vignette || ' She has diabetes.' as patient_vignette) from t order by instance_id",
      /every fact is stated/,
    ],
    [
      'a pair without its partner',
      'answers/cf/test.parquet',
      `select * from t where instance_id <> ${FIRST} order by instance_id`,
      /pairs are complete/,
    ],
    [
      'a change that was not recorded',
      'answers/cf/test.parquet',
      `select * replace (case when pair_role = 'control' then regexp_replace(patient, '"setting":"[a-z_]+"', '"setting":"emergency"') else patient end as patient) from t order by instance_id`,
      /differ in exactly the recorded facts/,
    ],
    [
      'another recorded change',
      'answers/cf/test.parquet',
      `select * replace ('[{"field":"/sex","from":"male","to":"female"}]' as changed) from t order by instance_id`,
      /differ in exactly the recorded facts/,
    ],
    [
      'a third pair of a rule',
      'answers/cf/test.parquet',
      "select * replace ('B23-T2-002' as rule_id) from t order by instance_id",
      /at most 2 counterfactual pairs/,
    ],
    [
      'the rule in the question',
      'data/gf/test.parquet',
      "select * replace (question || ' (B23-T2-002)' as question) from t order by instance_id",
      /no gold/,
    ],
    [
      'a label in the question',
      'data/gf/test.parquet',
      "select * replace (patient_vignette || ' taxonomy: renal.' as patient_vignette) from t order by instance_id",
      /no gold/,
    ],
    [
      'a lost edge',
      'provenance/edges.parquet',
      "select * from t where relation <> 'asks_about' order by all",
      /every item leads to its rule/,
    ],
    [
      'a rosier report',
      'rules/item_rejects.parquet',
      'select * from t where n < 0',
      /numbers of manifest and report/,
    ],
  ];

  it.each(forgeries)('notices %s even when all hashes fit', async (_, path, select, pattern) => {
    const to = join(root, `forged-${sha256(path + select).slice(0, 8)}`);
    const dir = await forge({ release, to, path, select, documents: releaseDocuments });
    const { code, stdout } = await verify(dir);
    expect(failed(stdout)).toMatch(pattern);
    expect(failed(stdout)).not.toMatch(/files have their hashes/);
    expect(stdout).toMatch(/FAILED verification/);
    expect(code).toBe(3);
    rmSync(dir, { recursive: true });
  });

  it('notices a preview that is called signed', async () => {
    const dir = join(root, 'renamed');
    cpSync(release, dir, { recursive: true });
    await reseal(dir, { ...manifestOf(dir), kind: 'signed', version: '1.0.0' }, releaseDocuments);
    const { stdout } = await verify(dir);
    expect(stdout).toMatch(/the release is called signed, it is a preview/);
    expect(stdout).toMatch(/version 1\.0\.0 has no prerelease tag/);
  });

  it('says which file is damaged when tables can no longer be read', async () => {
    const dir = join(root, 'cut');
    cpSync(release, dir, { recursive: true });
    truncateSync(join(dir, 'rules/rules.parquet'), 2000);
    const { code, stdout, stderr } = await verify(dir);
    expect(code).toBe(3);
    expect(stdout).toContain('rules/rules.parquet differs from its checksum');
    expect(stderr).not.toContain('bug');
  });

  it('says that rules cannot be drafted again when the tables are other ones', async () => {
    const project = copyProject();
    const path = 'raw/guidelines/neutral-drugs.csv';
    const rows = readFileSync(join(project, path), 'utf8').split('\r\n');
    replaceLocked(project, path, [rows[0], ...rows.slice(2)].join('\r\n'));
    const { stdout } = await cli(['verify', release, '--build-dir', build], { root: project });
    expect(stdout).toMatch(
      /rules were not drafted again: raw\/guidelines\/neutral-drugs\.csv is another one/,
    );
  });
});

interface TraceJson {
  readonly is_valid: boolean;
  readonly item: { instance_id: string; rule_id: string; answer: string[]; options: { is_key: boolean }[] };
  readonly partners: { instance_id: string; changed: { field: string }[] }[];
  readonly rules: {
    rule_id: string;
    signatures: unknown[];
    spans: {
      file: string;
      sha256: string;
      row: number;
      line: number;
      column: string;
      printed: string;
      is_equal: boolean;
    }[];
  }[];
}

describe('trace', () => {
  const trace = (id: string, more: readonly string[] = [], project?: string) =>
    cli(['trace', id, '--release', release, '--build-dir', build, ...more], project ? { root: project } : {});

  it('walks an item to its partner, its rule, and the printed cell, and reads the cell again', async () => {
    const item = pairs.find((p) => p.pair_role === 'trigger')!;
    const { code, json } = await trace(String(item.instance_id), ['--json']);
    expect(code).toBe(0);
    const t = json<TraceJson>();
    expect(t.is_valid).toBe(true);
    expect(t.item).toMatchObject({ instance_id: item.instance_id, rule_id: item.rule_id });
    const partner = pairs.find((p) => p.pair_id === item.pair_id && p !== item)!;
    expect(t.partners.map((p) => p.instance_id)).toEqual([partner.instance_id]);
    expect(t.partners[0]!.changed).toEqual(JSON.parse(String(item.changed)));
    const spans = t.rules[0]!.spans.filter((s) => s.file.endsWith('.csv') && s.file.startsWith('raw/'));
    expect(spans.length).toBeGreaterThan(2);
    for (const s of spans) {
      expect(s.is_equal).toBe(true);
      expect(s.sha256).toBe(sha256(readFileSync(s.file)));
      const line = readFileSync(s.file, 'utf8').split('\r\n')[s.line - 1]!;
      expect(line.startsWith(`${item.rule_id}`.split('.')[0]!)).toBe(true);
      expect(line.replaceAll('""', '"')).toContain(s.printed);
    }
  });

  it('says it in words, and that nobody has signed', async () => {
    const { stdout } = await trace(String(pairs[0]!.pair_id));
    for (const words of [
      /^item [0-9a-f]{16} \(cf, (trigger|control) of pair/,
      /partner [0-9a-f]{16}/,
      /changed \(trigger -> control\): \//,
      /is (not )?active for/,
      /signatures {2}none: nobody has signed this rule/,
      /row \d+, line \d+, column [a-z_]+/,
      /sha256 [0-9a-f]{64}/,
      /all \d+ quotes were read again in their sources; the rules give exactly the released answers/,
    ])
      expect(stdout).toMatch(words);
  });

  it('draws source cell, rule, item and partner', async () => {
    const { stdout } = await trace(String(pairs[0]!.pair_id), ['--dot']);
    expect(stdout).toMatch(/^digraph trace \{[\s\S]*\}\s*$/);
    expect(stdout).toMatch(/"csv:[^"]+" -> "rule:[^"]+";/);
    expect(stdout).toMatch(/"rule:[^"]+" -> "item:[0-9a-f]{16}";/);
    expect(stdout).toMatch(/"item:[0-9a-f]{16}" -> "item:[0-9a-f]{16}" \[dir=none/);
    // Quotes inside labels are escaped: outside them every line is a statement.
    for (const line of stdout.trim().split('\n').slice(1, -1))
      expect(line.replace(/"(\\.|[^"\\])*"/g, 'S')).toMatch(
        /^ {2}(S( -> S)?( \[[^"]*\])?|\w+( \[[^"]*\]|=\w+));$/,
      );
  });

  it('says when the cell no longer holds the quote', async () => {
    const item = pairs.find((p) => String(p.source_ref).startsWith('csv:'))!;
    const [, file, row] = /^csv:(.+)#(.+)\/[^/]+$/.exec(String(item.source_ref)) as unknown as string[];
    const project = copyProject();
    const text = readFileSync(join(project, file!), 'utf8').split('\r\n');
    const changed = text.map((l) => (l.startsWith(`${row},`) ? l.replace(/[a-z]{4,}/g, 'other') : l));
    writeFileSync(join(project, file!), changed.join('\r\n'));
    const { code, stdout } = await trace(String(item.instance_id), [], project);
    expect(code).toBe(3);
    expect(stdout).toMatch(/DIFFERS: the quote does not stand there/);
    expect(stdout).toMatch(/\d+ of \d+ quotes do NOT stand in their sources/);
  });

  it('finds the release by the item, and says when there is no such item', async () => {
    const missing = await trace('nothing');
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(/no such item or pair/);
  });
});

describe('impact', () => {
  const impact = (ref: string) => cli(['impact', ref, '--release', release, '--json']);
  const ids = (d: { kind: string; ids: string[] }[], kind: string): string[] =>
    d.find((x) => x.kind === kind)?.ids ?? [];

  it('names items and pairs of a rule, and of a source row', async () => {
    const rule_id = String(pairs[0]!.rule_id);
    const { dependents } = (await impact(rule_id)).json<{ dependents: { kind: string; ids: string[] }[] }>();
    const mine = pairs.filter((p) => p.rule_id === rule_id);
    expect(ids(dependents, 'item')).toEqual(expect.arrayContaining(mine.map((m) => m.instance_id)));
    expect(ids(dependents, 'pair')).toEqual(expect.arrayContaining(mine.map((m) => m.pair_id)));
  });

  it('walks from a source to rows, rules, items', async () => {
    const { dependents } = (await impact('beers2023')).json<{
      dependents: { kind: string; ids: string[] }[];
    }>();
    expect(ids(dependents, 'csv')).toHaveLength(150);
    const rules = await readParquet(join(release, 'rules/rules.parquet'));
    expect(ids(dependents, 'rule').sort()).toEqual(
      rules.filter((r) => r.source_id === 'beers2023').map((r) => r.rule_id),
    );
    const whole = (await impact('raw/guidelines/beers2023.csv')).json<{ dependents: object[] }>();
    expect(whole.dependents).toEqual(dependents);
  });

  it('names the nearest id for an unknown one', async () => {
    const { code, stderr } = await cli(['impact', 'B23-T6-0044', '--release', release]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/did you mean B23-T6-00\d\?/);
  });
});

describe('diff', () => {
  it('finds nothing between a release and itself, and refuses another benchmark', async () => {
    const { stdout } = await cli(['diff', release, release]);
    expect(stdout).toMatch(/no version step is needed/);
    const other = join(root, 'other');
    cpSync(release, other, { recursive: true });
    const manifest = { ...manifestOf(other), benchmark: 'supmimic' };
    writeFileSync(join(other, 'manifest.json'), JSON.stringify(manifest));
    const refused = await cli(['diff', release, other]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/two benchmarks cannot be compared/);
  });
});
