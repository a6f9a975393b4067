/** Poses the questions. */
import { answers, itemRejects, type Option, questions } from '../../schemas/medpic.js';
import type { Rule } from '../../schemas/rule.js';
import type { SqlRow, StageContext } from '../contract.js';
import { parseCsv } from '../lib/csv.js';
import { Balance } from './candidates.js';
import { textCheck } from './check-text.js';
import type { Composed } from './compose.js';
import type { Config } from './config.js';
import { irrelevantChange, setSwitch, sweep, turnAlike, twoFacts } from './contrasts.js';
import { type DosePlan, doseItem, planDoses } from './dose.js';
import { guidelineItem, type MakeContext } from './gf.js';
import type { Draft } from './item.js';
import { Letters } from './letters.js';
import { shuffled } from './literals.js';
import { makePair, planPairs } from './pairs.js';
import { choosePairs } from './quotas.js';
import { readWorld } from './read.js';
import { NoScenario } from './scenario-types.js';
import { selectionItem } from './selection.js';
import { CATEGORIES_FILE, type CategoryRow, Taxonomy } from './taxonomy.js';
import { writeDown } from './write-down.js';

/** Runs the stage. */
export async function run(ctx: StageContext, config: Config): Promise<void> {
  const { world, bench, sourceName } = await readWorld(ctx);
  const c: MakeContext = { world, balance: new Balance(), random: (label) => ctx.random(label) };
  const rejects = new Rejects();
  const restrict = [...world.rules.values()].filter(
    (r) => r.is_usable && r.action.polarity === 'restrict' && r.action.object !== 'act',
  );
  const drafts = [
    ...choosePairs(allPairs(c, restrict, config, rejects), config),
    ...doses(c, config, rejects),
    ...switches(c, restrict, config, rejects),
    ...[0, 1].flatMap((nth) =>
      take(config.two_fact_series, spread(c, restrict), 'two_fact', rejects, (r) => twoFacts(c, r, nth)),
    ),
    ...take(config.sweep_series, restrict, 'sweep', rejects, (r) => sweep(c, r)),
    ...take(config.irrelevant_pairs, spread(c, restrict), 'irrelevant', rejects, (r) =>
      irrelevantChange(c, r),
    ),
    ...take(config.selection_items, spread(c, restrict), 'gf', rejects, (r) => selectionItem(c, r)),
    ...guidelineItems(c, restrict, config, rejects),
  ];
  const taxonomy = new Taxonomy(
    parseCsv(ctx.file(CATEGORIES_FILE), CATEGORIES_FILE) as unknown as CategoryRow[],
    (drug, key) => bench.classes.has(key) && bench.classes.verdict(drug, key).membership === 'yes',
    (drug) => bench.index.get(drug).atc_code,
  );
  const letters = new Letters(c.random);
  const written = distinct(drafts).map((d) =>
    writeDown(d, { world, letters, taxonomy, sourceName, random: c.random, check: textCheck(ctx, world) }),
  );
  const unique = dropRepeats(written);
  await ctx.sql.insert(
    'questions',
    questions,
    unique.flatMap((w) => w.questions),
  );
  await ctx.sql.insert(
    'answers',
    answers,
    unique.flatMap((w) => w.answers),
  );
  for (const a of unique.flatMap((w) => w.answers)) citeRules(ctx, a);
  await ctx.sql.insert('item_rejects', itemRejects, rejects.rows());
  for (const config_ of new Set(drafts.map((d) => d.config))) {
    ctx.count(
      `items.${config_}`,
      unique.flatMap((w) => w.questions).filter((q) => q.config === config_).length,
    );
  }
}

/** An item rests on the rule it asks about, on the rules its handlings come from, and belongs to its pair. */
function citeRules(ctx: StageContext, answer: SqlRow): void {
  const child = `item:${answer.instance_id}`;
  ctx.cite({ child, relation: 'asks_about', parent: `rule:${answer.rule_id}` });
  for (const { handling_of } of JSON.parse(String(answer.candidates)) as Option[])
    if (handling_of !== null) ctx.cite({ child, relation: 'offers', parent: `rule:${handling_of}` });
  if (answer.pair_id !== null) ctx.cite({ child: `pair:${answer.pair_id}`, relation: 'has', parent: child });
}

const distinct = (drafts: readonly Draft[]): Draft[] => [
  ...new Map(drafts.map((d) => [d.label, d])).values(),
];

/** Two drafts may come out as the same text: the first stays. */
function dropRepeats(written: ReturnType<typeof writeDown>[]): ReturnType<typeof writeDown>[] {
  const seen = new Set<string>();
  return written.filter((w) => {
    const ids = w.questions.map((q) => String(q.instance_id));
    if (ids.some((id) => seen.has(id))) return false;
    for (const id of ids) seen.add(id);
    return true;
  });
}

/** Items without a key first: then it is known which drugs may be keys again without their names telling the answer. */
function guidelineItems(c: MakeContext, rules: readonly Rule[], config: Config, rejects: Rejects): Draft[] {
  const all = Array.from({ length: config.gf_per_rule }, (_, n) => n);
  const order = [...all.filter((n) => n % 2 === 1), ...all.filter((n) => n % 2 === 0)];
  return order.flatMap((n) =>
    rules.flatMap((rule) => attempt(rule, 'gf', rejects, () => guidelineItem(c, rule, n))),
  );
}

/** Counts what could not be posed. */
class Rejects {
  readonly #n = new Map<string, { rule_id: string; config: string; reason: string; n: number }>();

  add(rule_id: string, config: string, reason: string): void {
    const key = `${rule_id}|${config}|${reason}`;
    const row = this.#n.get(key) ?? { rule_id, config, reason, n: 0 };
    row.n += 1;
    this.#n.set(key, row);
  }

  rows() {
    return [...this.#n.values()];
  }
}

function attempt(rule: Rule, config: string, rejects: Rejects, make: () => Composed): Draft[] {
  try {
    const made = make();
    if ('draft' in made) return [made.draft];
    rejects.add(rule.rule_id, config, made.why);
  } catch (error) {
    if (!(error instanceof NoScenario)) throw error;
    rejects.add(rule.rule_id, config, error.message);
  }
  return [];
}

function take(
  n: number,
  rules: readonly Rule[],
  config: string,
  rejects: Rejects,
  make: (rule: Rule) => Composed,
): Draft[] {
  const out: Draft[] = [];
  for (const rule of rules) {
    if (out.length >= n) break;
    out.push(...attempt(rule, config, rejects, () => make(rule)));
  }
  return out;
}

/** Rules of all sources in turn, so that a limit does not fall on the last source alone. */
function spread(c: MakeContext, rules: readonly Rule[]): Rule[] {
  const random = c.random('spread');
  const keyed = rules.map((r) => ({ r, at: random.float() }));
  return keyed.sort((a, b) => a.at - b.at).map((k) => k.r);
}

function allPairs(c: MakeContext, rules: readonly Rule[], config: Config, rejects: Rejects): Draft[] {
  return rules.flatMap((rule) => {
    try {
      return planPairs(c, rule, config.drugs_per_rule).flatMap((plan) =>
        attempt(rule, 'cf', rejects, () => makePair(c, plan)),
      );
    } catch (error) {
      if (!(error instanceof NoScenario)) throw error;
      rejects.add(rule.rule_id, 'cf', error.message);
      return [];
    }
  });
}

/** Dose items, and switches from one band to another, in a seeded order. */
function doses(c: MakeContext, config: Config, rejects: Rejects): Draft[] {
  const plans = planDoses([...c.world.rules.values()]);
  const make = (list: readonly DosePlan[], n: number, config_: string): Draft[] => {
    const out: Draft[] = [];
    for (const plan of shuffled(list, c.random(`doses ${config_}`))) {
      if (out.length >= n) break;
      const rule = c.world.rules.get(plan.bands[0]!.rule_id)!;
      out.push(...attempt(rule, config_, rejects, () => doseItem(c, plan)));
    }
    return out;
  };
  return [
    ...make(plans.single, config.dose_items, 'gf'),
    ...make(plans.pairs, config.dose_switches, 'switch'),
  ];
}

function switches(c: MakeContext, rules: readonly Rule[], config: Config, rejects: Rejects): Draft[] {
  const out: Draft[] = [];
  const random = c.random('switches');
  for (const a of spread(c, rules)) {
    if (out.length >= config.switch_pairs) break;
    const others = rules.filter(
      (b) => b.source_id === a.source_id && b.rule_id !== a.rule_id && turnAlike(a, b),
    );
    const from = others.length === 0 ? 0 : random.below(others.length);
    for (let i = 0; i < Math.min(others.length, 40); i++) {
      const made = attempt(a, 'switch', rejects, () => setSwitch(c, a, others[(from + i) % others.length]!));
      if (made.length === 0) continue;
      out.push(...made);
      break;
    }
  }
  return out;
}
