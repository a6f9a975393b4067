/** An rxeval release as its readers meet it: verify notices every change, trace finds the rows. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { releaseDocuments } from '../../pipelines/rxeval/documents.js';
import type { SqlRow } from '../../stages/contract.js';
import { sha256 } from '../../stages/lib/hash.js';
import { cli } from '../support/cli.js';
import { failedChecks as failed, forge } from '../support/forge.js';
import { smallRxeval } from '../support/rxeval.js';
import { readParquet, temporaryFolder } from '../support/stage.js';

let root: string;
let build: string;
let release: string;
let answers: SqlRow[];

beforeAll(async () => {
  const small = await smallRxeval();
  root = temporaryFolder();
  build = join(root, 'build');
  release = small.release;
  cpSync(join(small.home, 'build/cache'), join(build, 'cache'), { recursive: true });
  answers = await readParquet(join(release, 'answers/mcq/test.parquet'));
});

const verify = (dir: string) => cli(['verify', dir, '--build-dir', build]);
describe('verify', () => {
  it('finds nothing wrong with the release', async () => {
    const { code, stdout } = await verify(release);
    expect(failed(stdout)).toBe('');
    expect(code).toBe(0);
  });

  const FIRST = `(select min(timepoint_id) from t)`;
  const forgeries: readonly (readonly [string, string, string, RegExp])[] = [
    [
      'another value in a step',
      'chains/chains.parquet',
      `select * replace (case when timepoint_id = ${FIRST} then regexp_replace(steps, '"value":"[^"]+"', '"value":"987.6"') else steps end as steps) from t order by timepoint_id, order_id`,
      /every fact of every chain/,
    ],
    [
      'a step that cites nothing on record',
      'chains/chains.parquet',
      `select * replace (case when timepoint_id = ${FIRST} then regexp_replace(steps, '"ref":"[^"]+"', '"ref":"E000000000000"') else steps end as steps) from t order by timepoint_id, order_id`,
      /every fact of every chain/,
    ],
    [
      'a chain that is gone',
      'chains/chains.parquet',
      `select * from t where timepoint_id <> ${FIRST} order by timepoint_id, order_id`,
      /every right drug has a chain|tables can be read/,
    ],
    [
      'an event that was filed later than it says',
      'events/events.parquet',
      `select * replace (available_at + interval 400 day as available_at) from t order by event_id`,
      /before the cut/,
    ],
    [
      'another value in the record',
      'events/event_items.parquet',
      `select * replace ('1234.5' as value) from t order by event_id, item_n`,
      /every fact of every (chain|distractor)/,
    ],
    [
      'other words in the profile',
      'events/profiles.parquet',
      `select * replace (text || ' He takes warfarin.' as text) from t order by hadm_id, section`,
      /questions and answers are what record/,
    ],
    [
      'a distractor without proof',
      'chains/distractors.parquet',
      `select * replace (case when timepoint_id = ${FIRST} then '[]' else proofs end as proofs) from t order by timepoint_id, distractor_id`,
      /every fact of every distractor/,
    ],
    [
      'a flipped answer',
      'answers/mcq/test.parquet',
      `select * replace (case when timepoint_id = ${FIRST} then '["A"]' else answer end as answer, case when timepoint_id = ${FIRST} then '["B"]' else candidates end as candidates) from t order by config, question_id`,
      /questions and answers are what record|tables can be read/,
    ],
    [
      'an id in a question',
      'data/mcq/test.parquet',
      `select * replace (timeline || ' hadm_id ' || (select min(hadm_id) from read_parquet('$release/events/timepoints.parquet')) as timeline) from t order by config, question_id`,
      /no id|questions and answers are what record/,
    ],
    [
      'a question that is gone',
      'data/mcq/test.parquet',
      `select * from t where question_id <> (select min(question_id) from t) order by config, question_id`,
      /questions and answers are what record/,
    ],
    [
      'a patient in two splits',
      'events/sampled_admissions.parquet',
      `select * replace ('train' as split) from t order by hadm_id`,
      /one split/,
    ],
  ];

  it.each(forgeries)('notices %s even when all hashes fit', async (_, path, select, pattern) => {
    const to = join(root, `forged-${sha256(path + select).slice(0, 8)}`);
    const dir = await forge({
      release,
      to,
      path,
      select: select.replaceAll('$release', release),
      documents: releaseDocuments,
    });
    const { code, stdout } = await verify(dir);
    expect(failed(stdout)).toMatch(pattern);
    expect(failed(stdout)).not.toMatch(/files have their hashes/);
    expect(code).toBe(3);
    rmSync(dir, { recursive: true });
  });
});

interface TraceJson {
  readonly is_valid: boolean;
  readonly options: readonly {
    readonly option: { letter: string; is_correct: boolean };
    readonly chain: object | null;
    readonly distractor: object | null;
    readonly cites: readonly { readonly rows: readonly { readonly row: object | null }[] }[];
  }[];
}

describe('trace', () => {
  const trace = (id: string, more: readonly string[] = []) =>
    cli(['trace', id, '--release', release, '--build-dir', build, ...more]);

  it('walks every option to a chain or a proof, and every fact to rows of the extract', async () => {
    const { code, json, stderr } = await trace(String(answers[0]!.question_id), ['--json']);
    expect(stderr).not.toContain('bug');
    expect(code).toBe(0);
    const t = json<TraceJson>();
    expect(t.is_valid).toBe(true);
    for (const o of t.options) {
      expect(o.option.is_correct ? o.chain : o.distractor).not.toBeNull();
      for (const c of o.cites) {
        expect(c.rows.length).toBeGreaterThan(0);
        expect(c.rows.every((r) => r.row !== null)).toBe(true);
      }
    }
  });

  it('shows one option alone, in words', async () => {
    const letter = (JSON.parse(String(answers[0]!.answer)) as string[])[0]!;
    const { code, stdout } = await trace(`${answers[0]!.question_id}/${letter}`);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${letter} {2}.* RIGHT$`, 'm'));
    expect(stdout).toMatch(/<- \w+ \w+=/);
    expect(stdout).not.toMatch(/ wrong$/m);
  });

  it('says what an unknown id may be', async () => {
    const { code, stderr } = await trace('nothing');
    expect(code).toBe(2);
    expect(stderr).toContain('a question_id');
  });
});
