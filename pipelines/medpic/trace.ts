/** `trace`: from an item to its partner, to the rule that decides and why, to the printed cell the rule was read from. */
import { join } from 'node:path';
import type { Change } from '../../schemas/medpic.js';
import { applyRule } from '../../stages/lib/rules/apply.js';
import { type Explanation, explain } from '../../stages/lib/rules/explain.js';
import { printCondition, printRef } from '../../stages/lib/rules/expression.js';
import type { CommandContext, Printable } from '../benchmark.js';
import { rm } from '../engine/adapters/files.js';
import { UsageError } from '../engine/errors.js';
import { readManifest } from '../engine/verify-release.js';
import { expectedAnswer } from './judge.js';
import {
  currentRules,
  type Item,
  type OpenRelease,
  openRelease,
  type ReleasedRule,
  readItems,
} from './open.js';
import { drawTrace } from './trace-dot.js';
import { type ProsePlaces, prosePlaces } from './trace-prose.js';
import { SourceReader, type TracedSpan } from './trace-source.js';
import { wordTrace } from './trace-words.js';
import { differences } from './verify/differences.js';

/** One option with what the rule engine says about it. */
export interface TracedOption {
  readonly letter: string;
  readonly text: string;
  readonly is_key: boolean;
  /** Rules that are active for it, and the item's own rule whatever it says. */
  readonly verdicts: readonly (Explanation & { readonly polarity: string; readonly source_id: string })[];
}

/** An item or a member of its pair. */
export interface TracedItem {
  readonly instance_id: string;
  readonly config: string;
  readonly rule_id: string;
  readonly role: string | null;
  readonly vignette: string;
  readonly question: string;
  readonly answer: readonly string[];
  readonly options: readonly TracedOption[];
}

/** Another member of the pair or series. */
export interface TracedPartner extends TracedItem {
  readonly changed: readonly Change[] | null;
  /** From which member to which the change is told. */
  readonly direction: string;
}

export interface Signature {
  readonly field: string;
  readonly status: string;
  readonly reviewers: readonly string[];
}

export interface TracedRule {
  readonly rule_id: string;
  readonly source_id: string;
  readonly row_id: string;
  readonly label: string;
  readonly status: string;
  readonly author: string;
  readonly content_hash: string;
  /** Parts of the rule in the text form. */
  readonly says: Readonly<Record<string, string>>;
  /** Fields that somebody decided on; empty where nobody signed. */
  readonly signatures: readonly Signature[];
  readonly spans: readonly TracedSpan[];
}

export interface Trace extends Printable {
  /** False when a quote does not stand in the source, or the engine gives another answer than the release. */
  readonly is_valid: boolean;
  readonly release: string;
  /** Items whose answer the rules do not give. */
  readonly disputed: readonly string[];
  readonly pair_id: string | null;
  readonly item: TracedItem;
  readonly partners: readonly TracedPartner[];
  readonly rules: readonly TracedRule[];
  readonly edges: readonly { child: string; relation: string; parent: string; stage: string }[];
  readonly dot: string;
}

/** Traces an instance_id or pair_id of a release. */
export async function traceItem(context: CommandContext, id: string, dir: string): Promise<Trace> {
  const spill = join(context.buildDir, 'cache', '.staging', `${process.pid}-trace`);
  const release = await openRelease(dir, readManifest(dir), spill, context.signal);
  try {
    const bare = await describe(release, await findItems(release, id), await prosePlaces(release, context));
    return { ...bare, words: wordTrace(bare), dot: drawTrace(bare) };
  } finally {
    release.session.close();
    await rm(spill, { recursive: true, force: true });
  }
}

/** The named item first, then the other members of its pair. */
async function findItems(release: OpenRelease, id: string): Promise<Item[]> {
  const items = await readItems(
    release,
    `a.instance_id = $id or a.pair_id = $id
     or a.pair_id in (select pair_id from medpic_answers where instance_id = $id)`,
    { id },
  );
  const named = items.filter((i) => i.answer.instance_id === id);
  if (items.length > 0) return [...named, ...items.filter((i) => i.answer.instance_id !== id)];
  throw new UsageError({
    message: 'the release has no such item or pair',
    got: id || 'nothing',
    file: release.dir,
    expected: 'an instance_id or pair_id, for example from answers/cf/test.parquet',
    next: 'make trace ID=... RELEASE=...',
  });
}

export type BareTrace = Omit<Trace, 'words' | 'dot'>;

async function describe(
  release: OpenRelease,
  items: readonly Item[],
  prose: ProsePlaces,
): Promise<BareTrace> {
  const [first, ...others] = items as [Item, ...Item[]];
  const ids = [...new Set(items.map((i) => i.answer.rule_id))];
  const reader = new SourceReader(release.manifest, prose);
  const rules: TracedRule[] = [];
  for (const id of ids) rules.push(await traceRule(release, id, reader));
  const item = traceOne(release, first);
  const partners = others.map((o) => ({
    ...traceOne(release, o),
    ...(others.length === 1 ? changeBetween(first, o) : stepsBetween(first, o)),
  }));
  const disputed = items.filter((i) => !isProved(release, i)).map((i) => i.answer.instance_id);
  const quotes_stand = rules.every((r) => r.spans.every((s) => s.is_equal));
  return {
    is_valid: quotes_stand && disputed.length === 0,
    disputed,
    release: release.dir,
    pair_id: first.answer.pair_id,
    item,
    partners,
    rules,
    edges: await edgesOf(release, items, ids),
  };
}

/** The rules give exactly the released answer. */
function isProved(release: OpenRelease, item: Item): boolean {
  const { letters, problems } = expectedAnswer(release, item);
  return problems.length === 0 && letters.join() === item.letters.join();
}

/** Roles from whose side changes are told. */
const FIRST_ROLES = ['trigger', 'set_a', 'base'];

/** In a series, what differs between two members, from the facts of both. */
const stepsBetween = (a: Item, b: Item): { changed: readonly Change[]; direction: string } => ({
  changed: differences(a, b),
  direction: `${a.answer.pair_role} -> ${b.answer.pair_role}`,
});

/** What the release records as changed in a pair, told from the trigger's side. */
function changeBetween(a: Item, b: Item): { changed: readonly Change[] | null; direction: string } {
  const changed = b.changed ?? a.changed;
  const [x, y] = [a.answer.pair_role ?? '', b.answer.pair_role ?? ''];
  const is_turned = FIRST_ROLES.includes(y) && !FIRST_ROLES.includes(x);
  return { changed, direction: is_turned ? `${y} -> ${x}` : `${x} -> ${y}` };
}

function traceOne(release: OpenRelease, item: Item): TracedItem {
  const { answer, question } = item;
  return {
    instance_id: answer.instance_id,
    config: answer.config,
    rule_id: answer.rule_id,
    role: answer.pair_role,
    vignette: question.patient_vignette,
    question: question.question,
    answer: item.letters,
    options: item.options.map((option) => ({
      letter: option.letter,
      text: option.text,
      is_key: item.letters.includes(option.letter),
      verdicts: option.use === null ? [] : verdictsOf(release, item, option.use),
    })),
  };
}

function verdictsOf(
  release: OpenRelease,
  item: Item,
  use: NonNullable<Item['options'][number]['use']>,
): TracedOption['verdicts'] {
  return currentRules(release)
    .filter((r) => r.action.polarity !== 'neutral')
    .map((rule) => ({
      rule,
      verdict: applyRule(rule, { patient: item.patient, candidate: use }, release.bench.book.knowledge),
    }))
    .filter(({ rule, verdict }) => verdict.truth === 'true' || isOwn(rule, verdict.target.truth, item))
    .map(({ rule, verdict }) => ({
      ...explain(verdict),
      polarity: rule.action.polarity,
      source_id: rule.source_id,
    }));
}

/** The item's own rule is explained for the drugs that it is about, also where it is not active. */
const isOwn = (rule: ReleasedRule, target: string, item: Item): boolean =>
  rule.rule_id === item.answer.rule_id && target === 'true';

async function traceRule(release: OpenRelease, id: string, reader: SourceReader): Promise<TracedRule> {
  const rule = release.rules.get(id);
  if (!rule) throw new UsageError({ message: 'the release has no such rule', got: id, file: release.dir });
  const { rule_id, source_id, row_id, label, status, author, content_hash } = rule;
  return {
    rule_id,
    source_id,
    row_id,
    label,
    status,
    author,
    content_hash,
    says: partsOf(rule),
    signatures: await signaturesOf(release, id),
    spans: rule.spans.map((s) => reader.read(s)),
  };
}

function partsOf(rule: ReleasedRule): Record<string, string> {
  const { action } = rule;
  return {
    target: rule.target.map(printRef).join(' | '),
    population: printCondition(rule.population),
    when: printCondition(rule.when),
    ...Object.fromEntries(rule.unless.map((u, i) => [`unless ${i + 1}`, printCondition(u.when)])),
    action: [`${action.kind} (${action.polarity})`, action.dose_text, action.monitoring]
      .filter((x) => x !== null)
      .join('; '),
  };
}

async function signaturesOf(release: OpenRelease, rule_id: string): Promise<Signature[]> {
  const rows = await release.session.rows<{ field: string; status: string; reviewers: string }>(
    "select field, status, reviewers from review_fields where rule_id = $rule_id and status <> 'missing' order by field",
    { rule_id },
  );
  return rows.map((r) => ({ ...r, reviewers: JSON.parse(r.reviewers) as string[] }));
}

async function edgesOf(
  release: OpenRelease,
  items: readonly Item[],
  rules: readonly string[],
): Promise<Trace['edges']> {
  const nodes = [...items.map((i) => `item:${i.answer.instance_id}`), ...rules.map((r) => `rule:${r}`)];
  const list = nodes.map((n) => `'${n.replaceAll("'", "''")}'`).join(', ');
  return release.session.rows(
    `select child, relation, parent, stage from edges where child in (${list}) order by all`,
  );
}
