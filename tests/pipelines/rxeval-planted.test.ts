/** Faults planted into the answers of an author, over real HTTP: what code finds, what a critic finds, and what nobody does. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  CHAIN_ISSUES,
  type ChainIssue,
  DISTRACTOR_ISSUES,
  type DistractorIssue,
} from '../../schemas/rxeval.js';
import { annotateChains } from '../../stages/annotate-chains/stage.js';
import type { SqlRow } from '../../stages/contract.js';
import { criticiseChains } from '../../stages/criticise-chains/stage.js';
import { criticiseDistractors } from '../../stages/criticise-distractors/stage.js';
import { groupBy } from '../../stages/lib/group-by.js';
import { randomStream } from '../../stages/lib/random.js';
import { renderDrug } from '../../stages/lib/render-record.js';
import { makeDistractors } from '../../stages/make-distractors/stage.js';
import {
  type ChainText,
  COMPLAINTS,
  type Question,
  type Reply,
  type RulesBuild,
  readRulesBuild,
  sameChain,
} from '../support/rxeval-answers.js';
import { rulesBuild } from '../support/rxeval-build.js';
import { optionFacts } from '../support/rxeval-facts.js';
import { type OptionFacts, plantInChain, plantInOption } from '../support/rxeval-plants.js';
import { type RxevalServer, rxevalServer } from '../support/rxeval-server.js';
import { runAsking } from '../support/rxeval-stages.js';

let buildDir: string;
let rules: RulesBuild;
let facts: ReadonlyMap<string, OptionFacts>;

beforeAll(async () => {
  ({ buildDir } = await rulesBuild());
  rules = await readRulesBuild(buildDir);
  facts = await optionFacts(buildDir);
});

/** Flattering: everything passes. Honest: says what is wrong with what was planted. */
type Critic = 'flattering' | 'honest';

interface Tally {
  planted: number;
  by_code: number;
  /** By code, under the name of what was planted. */
  named: number;
  by_critic: number;
  missed: number;
}
const none = (): Tally => ({ planted: 0, by_code: 0, named: 0, by_critic: 0, missed: 0 });

type Tallies<T extends string> = Map<T, Tally>;

interface Verdicts {
  readonly code: string;
  readonly types: readonly string[];
  readonly critic: string | null;
}

function count(tally: Tally, { code, types, critic }: Verdicts, passing: string, type: string): void {
  tally.planted++;
  if (types.includes(type)) tally.named++;
  if (code !== passing) tally.by_code++;
  else if (critic !== null && critic !== passing) tally.by_critic++;
  else tally.missed++;
}

const rowsFor = <T extends string>(critic: Critic, tallies: Tallies<T>): (string | number)[][] =>
  [...tallies].map(([type, t]) => [critic, type, t.planted, t.by_code, t.named, t.by_critic, t.missed]);

/** Cells in columns of equal width. */
function printTable(rows: readonly (readonly (string | number)[])[]): string {
  const widths = HEAD.map((_, i) => Math.max(...rows.map((row) => String(row[i]).length)));
  return rows.map((row) => row.map((cell, i) => String(cell).padEnd(widths[i]!)).join('  ')).join('\n');
}

const HEAD = [
  'critic',
  'planted type',
  'planted',
  'caught by code',
  'named so',
  'caught by critic',
  'missed',
];

function verdictsOf(rows: readonly SqlRow[]): Verdicts {
  const checks = rows.find((r) => r.judge === 'checks')!;
  const types = (JSON.parse(String(checks.issues)) as { type: string }[]).map((i) => i.type);
  const critic = rows.find((r) => r.judge === 'critic');
  return { code: String(checks.verdict), types, critic: critic ? String(critic.verdict) : null };
}

interface PlantedChain {
  readonly type: ChainIssue;
  readonly chain: ChainText;
}

/** Chains of all moments with a fault in each that has room for it; every rotation plants another type. */
class ChainPlanter {
  readonly planted = new Map<string, PlantedChain>();
  readonly #rotation: number;

  constructor(rotation: number) {
    this.#rotation = rotation;
  }

  edit(critic: Critic) {
    return (reply: Reply, question: Question): Reply => {
      if (question.schema === 'chains' && !question.text.includes(COMPLAINTS))
        return this.#plant(reply, question);
      if (question.schema === 'chain_verdicts' && critic === 'honest') return this.#judge(reply, question);
      return reply;
    };
  }

  #plant(reply: Reply, { timepoint_id }: Question): Reply {
    const chains = reply.chains as (ChainText & { order_id: string })[];
    const planted = chains.map((chain) => {
      const random = randomStream(this.#rotation, 'plant', chain.order_id);
      // Some stay as they are, for false alarms.
      if (random.below(4) === 0) return chain;
      const type = CHAIN_ISSUES[(randomStream(0, chain.order_id).below(9) + this.#rotation) % 9]!;
      const draft = rules.chains.get(timepoint_id)!.find((d) => d.order_id === chain.order_id)!;
      const [drug, drug_class] = [String(draft.drug), String(draft.drug_class)];
      const { order_id } = chain;
      const into = { chain, order_id, drug, drug_class, facts: facts.get(timepoint_id)!, random };
      const bad = plantInChain(type, into);
      if (!bad) return chain;
      this.planted.set(`${timepoint_id} ${order_id}`, { type, chain: bad });
      return { order_id, steps: bad.steps, summary: bad.summary };
    });
    return { ...reply, chains: planted };
  }

  #judge(reply: Reply, { timepoint_id, text }: Question): Reply {
    const shown = JSON.parse(text.split('\nAll chains of the moment:\n').at(-1)!) as (ChainText & {
      order_id: string;
    })[];
    const drugs = (reply.drugs as { order_id: string }[]).map((drug) => {
      const own = this.planted.get(`${timepoint_id} ${drug.order_id}`);
      const chain = shown.find((c) => c.order_id === drug.order_id);
      if (!own || !chain || !sameChain(own.chain, chain)) return drug;
      const issues = [{ type: own.type, step: null, detail: 'as planted' }];
      return { ...drug, verdict: 'REVISE', issues, feedback: 'write it again' };
    });
    return { ...reply, drugs };
  }
}

/** Plants into all chains and has them judged; also returns verdicts of code on chains that nothing was planted into. */
async function judgeChains(rotation: number, critic: Critic, tallies: Tallies<ChainIssue>) {
  const planter = new ChainPlanter(rotation);
  const server = await rxevalServer({ rules, edit: planter.edit(critic) });
  const base = { buildDir, url: server.url, config: { author: 'model' } };
  const drafted = await runAsking(annotateChains, base);
  const inputs = { chain_drafts: { parquet: join(drafted.dir, 'chain_drafts.parquet') } };
  const judged = await runAsking(criticiseChains, {
    ...base,
    inputs,
    config: { author: 'model', critic: 'model' },
  });
  await server.close();
  const verdicts = (await judged.table('chain_verdicts')).filter((v) => v.attempt_n === 1);
  const cleanOnes: Verdicts[] = [];
  for (const [key, rows] of groupBy(verdicts, (v) => `${v.timepoint_id} ${v.order_id}`)) {
    const own = planter.planted.get(key);
    const found = verdictsOf(rows);
    if (own) count(tallies.get(own.type)!, found, 'PASS', own.type);
    else if (!found.types.includes('empty_chain')) cleanOnes.push(found);
  }
  return { cleanOnes, outcomes: await judged.table('chain_outcomes') };
}

/** Faults that code must find whatever a critic says. */
const CODE_FINDS: readonly ChainIssue[] = [
  'fabricated_fact',
  'wrong_value',
  'temporal_violation',
  'self_justification',
  'broken_dependency',
  'empty_chain',
];

describe('faults in chains', () => {
  it.each<Critic>(['flattering', 'honest'])('before a critic who is %s', async (critic) => {
    const tallies: Tallies<ChainIssue> = new Map(CHAIN_ISSUES.map((type) => [type, none()]));
    const cleanOnes: Verdicts[] = [];
    for (const rotation of critic === 'honest' ? [0, 4] : [0, 2, 4, 6]) {
      const run = await judgeChains(rotation, critic, tallies);
      cleanOnes.push(...run.cleanOnes);
      // What was found is written again, and then it is clean.
      const reasons = run.outcomes.map((o) => String(o.reason)).filter((r) => !r.startsWith('no_evidence'));
      expect(new Set(reasons)).toEqual(new Set(['accepted']));
    }
    const rows = rowsFor(critic, tallies);
    console.log(
      `${printTable([HEAD, ...rows])}\nfalse alarms on ${cleanOnes.length} clean chains: ${alarms(cleanOnes, 'PASS')}`,
    );
    expect(alarms(cleanOnes, 'PASS')).toBe(0);
    for (const [type, t] of tallies) {
      expect([type, t.planted > 0]).toEqual([type, true]);
      if (CODE_FINDS.includes(type)) expect([type, t.by_code, t.named]).toEqual([type, t.planted, t.planted]);
      if (critic === 'honest') expect([type, t.missed]).toEqual([type, 0]);
    }
  });
});

const alarms = (verdicts: readonly Verdicts[], passing: string): number =>
  verdicts.filter((v) => v.code !== passing || (v.critic !== null && v.critic !== passing)).length;

/** Wrong options with a fault each. Only the first attempts are touched. */
class OptionPlanter {
  readonly planted = new Map<string, DistractorIssue>();
  readonly offered = new Set<string>();
  readonly #rotation: number;

  constructor(rotation: number) {
    this.#rotation = rotation;
  }

  edit(critic: Critic) {
    return (reply: Reply, question: Question): Reply => {
      if (question.schema === 'distractors' && !question.text.includes('\nRefused before'))
        return this.#plant(reply, question);
      if (question.schema === 'verdicts' && critic === 'honest') return this.#judge(reply, question);
      return reply;
    };
  }

  #plant(reply: Reply, { timepoint_id }: Question): Reply {
    const options = reply.distractors as Reply[];
    // One stays as it is in every moment, so that there are clean ones too.
    const distractors = options.map((option, i) => {
      if (i === 0) return option;
      const n = randomStream(0, timepoint_id, i).below(DISTRACTOR_ISSUES.length);
      const type = DISTRACTOR_ISSUES[(n + this.#rotation) % DISTRACTOR_ISSUES.length]!;
      const random = randomStream(this.#rotation, 'plant', timepoint_id, i);
      const into = { facts: facts.get(timepoint_id)!, other: options[0]!, random };
      const bad = plantInOption(type, option, into);
      if (bad) this.planted.set(keyOf(timepoint_id, bad), type);
      return bad ?? option;
    });
    return { ...reply, distractors };
  }

  #judge(reply: Reply, { timepoint_id, text }: Question): Reply {
    const listed = text.split('\nWrong options to judge:\n').at(-1)!;
    const blocks = [...listed.matchAll(/^\[(D[0-9a-f]{12})\] (.*)\n(?: {2}.*\n?)*/gm)];
    const verdicts = (reply.verdicts as { distractor_id: string }[]).map((v) => {
      const [block, , drug] = blocks.find((b) => b[1] === v.distractor_id)!;
      const why = /^ {2}wrong because: (.*)$/m.exec(block)![1]!;
      const type = this.planted.get([timepoint_id, drug, why].join('|'));
      if (!type) return v;
      const verdict = type === 'too_easy' ? 'TOO_EASY' : 'INVALID';
      return { ...v, verdict, issues: [{ type, detail: 'as planted' }], feedback: 'another one' };
    });
    return { verdicts };
  }
}

/** Moment, drug as shown, and reason: what a critic sees of an option. */
const keyOf = (timepoint_id: string, option: Reply | SqlRow): string => {
  const dose_text = (option.dose_text ?? option.dose ?? null) as string | null;
  const shown = renderDrug({ drug: String(option.drug), dose_text, route: option.route as string | null });
  return [timepoint_id, shown, option.why_wrong].join('|');
};

async function judgeOptions(
  rotation: number,
  critic: Critic,
  tallies: Tallies<DistractorIssue>,
): Promise<Verdicts[]> {
  const planter = new OptionPlanter(rotation);
  const server: RxevalServer = await rxevalServer({ rules, edit: planter.edit(critic) });
  const base = { buildDir, url: server.url, config: { author: 'model', distractors_n: 3 } };
  const drafted = await runAsking(makeDistractors, base);
  const inputs = { distractor_drafts: { parquet: join(drafted.dir, 'distractor_drafts.parquet') } };
  const config = { ...base.config, critic: 'model' };
  const judged = await runAsking(criticiseDistractors, { ...base, inputs, config });
  await server.close();
  const verdicts = (await judged.table('distractor_verdicts')).filter((v) => v.attempt_n === 1);
  const cleanOnes: Verdicts[] = [];
  for (const rows of groupBy(verdicts, (v) => `${v.timepoint_id} ${v.distractor_id}`).values()) {
    const attempt = JSON.parse(String(rows[0]!.attempt)) as SqlRow;
    const type = planter.planted.get(keyOf(String(rows[0]!.timepoint_id), attempt));
    const found = verdictsOf(rows);
    if (type) count(tallies.get(type)!, found, 'GOOD', type);
    else if (attempt.why_wrong !== 'It is not.') cleanOnes.push(found);
  }
  return cleanOnes;
}

describe('faults in wrong options', () => {
  it.each<Critic>(['flattering', 'honest'])('before a critic who is %s', async (critic) => {
    const tallies: Tallies<DistractorIssue> = new Map(DISTRACTOR_ISSUES.map((type) => [type, none()]));
    const cleanOnes: Verdicts[] = [];
    for (const rotation of critic === 'honest' ? [0] : [0, 3, 6, 9])
      cleanOnes.push(...(await judgeOptions(rotation, critic, tallies)));
    console.log(
      `${printTable([HEAD, ...rowsFor(critic, tallies)])}\nfalse alarms on ${cleanOnes.length} clean options: ${alarms(cleanOnes, 'GOOD')}`,
    );
    expect(alarms(cleanOnes, 'GOOD')).toBe(0);
    for (const [type, t] of tallies) {
      // What the words say of the drug, only a reader can judge.
      if (type !== 'wrong_mechanism') expect([type, t.by_code]).toEqual([type, t.planted]);
      if (critic === 'honest') expect([type, t.missed]).toEqual([type, 0]);
      else expect([type, t.planted > 0]).toEqual([type, true]);
    }
  });
});
