/** rxeval with a model over real HTTP: the release of the rules again, whatever line and server do, and nothing is paid for twice. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashFile, listFiles } from '../../pipelines/engine/adapters/files.js';
import { CONFIGS } from '../../schemas/rxeval.js';
import { annotateChains } from '../../stages/annotate-chains/stage.js';
import type { SqlRow } from '../../stages/contract.js';
import { criticiseChains } from '../../stages/criticise-chains/stage.js';
import { randomStream } from '../../stages/lib/random.js';
import { selectTimepoints } from '../../stages/select-timepoints/stage.js';
import { type Built, cli, hashTree } from '../support/cli.js';
import { cachedTable, questionOf, type RulesBuild, readRulesBuild } from '../support/rxeval-answers.js';
import {
  ASKING,
  callsOf,
  modelBuild,
  type RxevalBuild,
  rulesBuild,
  succeed,
  withFirstStages,
} from '../support/rxeval-build.js';
import {
  type Fault,
  type FaultProfile,
  OF_CONTENT,
  OF_FORM,
  OF_TRANSPORT,
} from '../support/rxeval-faults.js';
import { type RxevalServer, rxevalServer } from '../support/rxeval-server.js';
import { type AskingRun, runAsking } from '../support/rxeval-stages.js';
import { readParquet, type StageRun, temporaryFolder } from '../support/stage.js';

let byRules: RxevalBuild;
let rules: RulesBuild;
let root: string;
/** The build with a model that nothing went wrong with. */
let clean: { server: RxevalServer; dir: string; release: string; hashes: Record<string, string> };
/** Moments that a model is asked about: the others are skipped whatever it says. */
let selected_n: number;

beforeAll(async () => {
  root = temporaryFolder();
  byRules = await rulesBuild();
  rules = await readRulesBuild(byRules.buildDir);
  const server = await rxevalServer({ rules });
  const dir = withFirstStages(byRules.buildDir, join(root, 'clean'));
  const { release } = (await succeed(modelBuild(byRules, dir, server.url))).json<Built>();
  await server.close();
  clean = { server, dir, release, hashes: hashTree(release) };
  const decided = await rowsOf(release, 'chains/selected_timepoints');
  selected_n = decided.filter((d) => !['no_answer', 'drug_name_twice'].includes(String(d.reason))).length;
});
afterAll(() => clean?.server.close());

/** Builds with a model that a server plays. */
async function buildWith(server: RxevalServer, name: string): Promise<string> {
  const dir = withFirstStages(byRules.buildDir, join(root, name));
  return (await succeed(modelBuild(byRules, dir, server.url))).json<Built>().release;
}

/** Rows without what tells their author. */
const told = (rows: readonly SqlRow[], ...without: string[]): SqlRow[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !without.includes(name))));

const rowsOf = (release: string, path: string): Promise<SqlRow[]> =>
  readParquet(join(release, `${path}.parquet`));

/** Answers of all splits. */
async function answersOf(release: string, config: string): Promise<SqlRow[]> {
  const dir = join(release, 'answers', config);
  const files = await Promise.all(listFiles(dir).map((file) => readParquet(join(dir, file))));
  return files.flat();
}

const tally = (values: readonly string[]): Record<string, number> => {
  const n: Record<string, number> = {};
  for (const value of values) n[value] = (n[value] ?? 0) + 1;
  return n;
};

const share = (faults: readonly Fault[], each: number): FaultProfile =>
  Object.fromEntries(faults.map((fault) => [fault, each]));

describe('a model that says what the rules say', () => {
  it('makes the questions of the rules, to the byte, out of the same chains and wrong options', async () => {
    const asked = Object.keys(clean.hashes).filter((path) => /^(data|jsonl|events)\//.test(path));
    expect(asked.length).toBeGreaterThan(2 * CONFIGS.length);
    const before = hashTree(byRules.built.release);
    for (const path of asked) expect([path, clean.hashes[path]]).toEqual([path, before[path]]);
    for (const table of ['chains/chains', 'chains/distractors', 'chains/selections']) {
      const [a, b] = [await rowsOf(clean.release, table), await rowsOf(byRules.built.release, table)];
      expect(a.length).toBeGreaterThanOrEqual(10);
      expect(told(a, 'author', 'llm', 'rule_id')).toEqual(told(b, 'author', 'llm', 'rule_id'));
    }
    const chains = await rowsOf(clean.release, 'chains/chains');
    expect(
      chains.every((c) => c.author === 'model' && String(c.llm).includes('"served_model":"test-model"')),
    ).toBe(true);
  });

  it('is asked once a moment and step, and once more for each new attempt', async () => {
    const proceed = [...rules.chains.keys()];
    const outcomes = await rowsOf(clean.release, 'chains/chain_outcomes');
    const tried = await rowsOf(clean.release, 'chains/distractor_outcomes');
    const again = tried.reduce((n, o) => n + Number(o.attempts_n) - 1, 0);
    const empty = outcomes.filter((o) => !o.is_accepted);
    expect(clean.server.asked()).toMatchObject({
      selection: selected_n,
      // A drug without evidence is asked about again once: the prompt of the third attempt is that of the second.
      chains: proceed.length + empty.length,
      distractors: tried.length + again,
    });
    expect([...clean.server.answered.values()].every((n) => n === 1)).toBe(true);
  });
});

describe('faults, one by one', () => {
  let timepoints: SqlRow[];
  let whole: { hashes: string[]; requests: number };

  beforeAll(async () => {
    const all = await readParquet(cachedTable(byRules.buildDir, 'find-timepoints', 'timepoints'));
    const some = new Set([...rules.chains.keys()].sort().slice(0, 10));
    timepoints = all.filter((t) => some.has(String(t.timepoint_id)));
    const server = await rxevalServer({ rules });
    whole = { hashes: await chainTables(server), requests: server.requests.length };
    await server.close();
  });

  /** Hashes of all tables of the three stages up to accepted chains. */
  async function chainTables(server: RxevalServer, calls: object = {}): Promise<string[]> {
    const base: AskingRun = { buildDir: byRules.buildDir, url: server.url, calls };
    const parquet = (run: StageRun, name: string) => ({
      [name]: { parquet: join(run.dir, `${name}.parquet`) },
    });
    const author = { author: 'model' };
    const selected = await runAsking(selectTimepoints, { ...base, inputs: { timepoints }, config: author });
    const inputs = {
      timepoints,
      ...parquet(selected, 'selected_timepoints'),
      ...parquet(selected, 'selections'),
    };
    const drafted = await runAsking(annotateChains, { ...base, inputs, config: author });
    const drafts = { timepoints, ...parquet(drafted, 'chain_drafts') };
    const judged = await runAsking(criticiseChains, {
      ...base,
      inputs: drafts,
      config: { ...author, critic: 'model' },
    });
    const files = [selected, drafted, judged].flatMap((run) =>
      Object.values(run.result.outputs).flatMap((o) => (o.kind === 'table' ? [join(run.dir, o.path)] : [])),
    );
    return Promise.all(files.map(hashFile));
  }

  it.each([...OF_TRANSPORT, ...OF_FORM])(
    '%s changes nothing, and costs a call for each time',
    async (fault) => {
      const server = await rxevalServer({ rules, faults: { [fault]: 0.4 } });
      const calls = fault === 'stall' ? { timeout_seconds: 1.5 } : {};
      expect(await chainTables(server, calls)).toEqual(whole.hashes);
      expect(server.strikes.length).toBeGreaterThan(5);
      expect(server.requests.length).toBe(whole.requests + server.strikes.length);
      expect([...server.answered.values()].every((n) => n === 1)).toBe(true);
    },
  );
});

describe('faults, all together', () => {
  it('of line and form leave the release as it is, to the byte', async () => {
    const faults = { ...share([...OF_TRANSPORT, ...OF_FORM], 0.06), stall: 0.02 };
    const server = await rxevalServer({ rules, faults, seed: 1 });
    const release = await buildWith(server, 'faulty');
    console.log(
      'faults of line and form',
      tally(server.strikes.map((s) => s.fault)),
      server.requests.length,
      'calls',
    );
    expect(new Set(server.strikes.map((s) => s.fault)).size).toBeGreaterThan(9);
    const struck = (faults: readonly Fault[]): number =>
      server.strikes.filter((s) => faults.includes(s.fault)).length;
    expect(callsOf(join(root, 'faulty'))).toEqual({
      calls: server.requests.length,
      transport_retries: struck(OF_TRANSPORT),
      content_retries: struck(OF_FORM),
    });
    expect(hashTree(release)).toEqual(clean.hashes);
  });

  it('of content lose only moments whose selection was lost; every other question is the same', async () => {
    const server = await rxevalServer({
      rules,
      faults: { ...share(OF_CONTENT, 0.07), other_model: 0.2 },
      seed: 2,
    });
    const release = await buildWith(server, 'content');
    console.log('faults of content', tally(server.strikes.map((s) => `${s.fault} ${s.question.schema}`)));
    const unselected = server.strikes.filter(
      ({ fault, question }) => question.schema === 'selection' && fault !== 'other_model',
    );
    const lost = new Set(unselected.map((s) => s.question.timepoint_id));
    for (const config of CONFIGS) {
      const before = await answersOf(clean.release, config);
      const kept = told(before.filter((a) => !lost.has(String(a.timepoint_id))));
      expect(told(await answersOf(release, config))).toEqual(kept);
    }
    expect(lost.size).toBeGreaterThan(0);
    const chains = await rowsOf(release, 'chains/chains');
    const asked = [...chains, ...(await rowsOf(release, 'chains/distractors'))];
    const served = asked.map((row) => String(JSON.parse(String(row.llm)).served_model));
    expect([...new Set(served)].sort()).toEqual(['another-model-2', 'test-model']);
    expect(asked.some((row) => Number(row.attempt_n) > 1)).toBe(true);
  });
});

describe('recorded answers', () => {
  it('make the same release with the server gone, and one that is missing is named', async () => {
    const dir = clean.dir;
    for (const stage of [...ASKING, 'assemble-questions', 'report-questions'])
      rmSync(join(dir, 'cache', stage), { recursive: true });
    rmSync(join(dir, 'releases'), { recursive: true });
    const replay = [...modelBuild(byRules, dir, clean.server.url), '--llm', 'replay'];
    const { release } = (await succeed(replay)).json<Built>();
    expect(hashTree(release)).toEqual(clean.hashes);
    const file = join(dir, 'answers/credentialed/answers.jsonl');
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const missing = lines.findIndex((line) => line.includes('"stage":"annotate-chains"'));
    const { subject } = JSON.parse(lines[missing]!) as { subject: string };
    writeFileSync(file, `${lines.filter((_, i) => i !== missing).join('\n')}\n`);
    rmSync(join(dir, 'cache/annotate-chains'), { recursive: true });
    const failed = await cli([...replay, '--until', 'annotate-chains']);
    expect([failed.code, failed.stderr]).toEqual([3, expect.stringContaining(subject)]);
  });
});

describe('limits', () => {
  it('rows of a credentialed extract go to no remote server', async () => {
    const server = await rxevalServer({ rules });
    const dir = withFirstStages(byRules.buildDir, join(root, 'remote'));
    const args = modelBuild(byRules, dir, server.url).map((arg) => (arg === 'local' ? 'remote' : arg));
    const { code, stderr } = await cli(args);
    expect([code, stderr]).toEqual([5, expect.stringContaining('PolicyError')]);
    expect(server.requests).toEqual([]);
  });

  it('a budget stops with everything kept, and the build goes on where it stopped', async () => {
    const server = await rxevalServer({ rules });
    const dir = withFirstStages(byRules.buildDir, join(root, 'budget'));
    const args = [...modelBuild(byRules, dir, server.url), '--until', 'annotate-chains'];
    const stopped = await cli([...args, '--max-calls', String(selected_n + 5)]);
    expect([stopped.code, server.requests.length]).toEqual([4, selected_n + 5]);
    expect(stopped.stderr).toMatch(/BudgetError[\s\S]*again: /);
    await succeed(args);
    expect(server.requests.length).toBe(selected_n + rules.chains.size);
  });
});

describe('a build that is killed', () => {
  it('at ten random moments and run again makes the same release, and pays at most for the calls in flight', async () => {
    const random = randomStream(3, 'kill');
    const dir = withFirstStages(byRules.buildDir, join(root, 'killed'));
    const total = clean.server.requests.length;
    let kill: (() => void) | undefined;
    let left = 0;
    const server = await rxevalServer({
      rules,
      delay: 3,
      edit: (reply) => {
        if (left-- === 0) kill?.();
        return reply;
      },
    });
    let kills = 0;
    for (; kills < 10; kills++) {
      left = Math.floor((random.float() * 1.6 * total) / 10);
      const wait = random.float() * 20;
      const ended = await cli(modelBuild(byRules, dir, server.url), {
        onStart: (child) => {
          kill = () => void setTimeout(() => child.kill('SIGKILL'), wait);
        },
      });
      if (ended.signal !== 'SIGKILL') break;
    }
    kill = undefined;
    const { release } = (await succeed(modelBuild(byRules, dir, server.url))).json<Built>();
    expect(hashTree(release)).toEqual(clean.hashes);
    expect(kills).toBe(10);
    const twice = [...server.answered.values()].reduce((n, times) => n + times - 1, 0);
    console.log(`killed ${kills} times; ${server.requests.length} calls, ${twice} paid twice`);
    expect(server.requests.length).toBe(total + twice);
    // Four calls are in flight at most.
    expect(twice).toBeLessThanOrEqual(4 * kills);
    expect(new Set(server.requests.map((r) => questionOf(r).schema)).size).toBe(5);
  });
});
