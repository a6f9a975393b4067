/** What a model would say that thinks as the rules do: answers to every prompt of rxeval, taken from a build by rules. */
import { join } from 'node:path';
import { listFolders } from '../../pipelines/engine/adapters/files.js';
import type { ChainStep } from '../../schemas/rxeval.js';
import type { SqlRow } from '../../stages/contract.js';
import { canonicalJson } from '../../stages/lib/canonical-json.js';
import { groupBy } from '../../stages/lib/group-by.js';
import { renderDrug } from '../../stages/lib/render-record.js';
import type { SeenRequest } from './llm-server.js';
import { readParquet } from './stage.js';

/** Names of the schemas that the five asking stages send. */
export const ASKED = ['selection', 'chains', 'chain_verdicts', 'distractors', 'verdicts'] as const;
export type AskedFor = (typeof ASKED)[number];

/** A request, read. */
export interface Question {
  readonly schema: AskedFor;
  readonly timepoint_id: string;
  /** The prompt of the user. */
  readonly text: string;
}

/** Which stage asks, and about which moment. */
export function questionOf({ body }: SeenRequest): Question {
  const format = body.response_format as { json_schema?: { name?: string } } | undefined;
  const schema = ASKED.find((name) => name === format?.json_schema?.name);
  const text = body.messages.at(-1)!.content;
  const timepoint_id = /^Moment: (\S+)$/m.exec(text)?.[1];
  if (!schema || !timepoint_id) throw new Error('a request that no stage of rxeval sends');
  return { schema, timepoint_id, text };
}

/** A reply before it is made into text. */
export type Reply = Record<string, unknown>;

/** Tables of a build by rules, by moment. */
export interface RulesBuild {
  readonly selections: ReadonlyMap<string, SqlRow[]>;
  readonly chains: ReadonlyMap<string, SqlRow[]>;
  /** Attempts at chains, in order. */
  readonly chainAttempts: ReadonlyMap<string, SqlRow[]>;
  /** First those of the first attempt. */
  readonly distractors: ReadonlyMap<string, SqlRow[]>;
  readonly orders: ReadonlyMap<string, SqlRow[]>;
}

/** The path of a table in the cache of a build folder that holds one result of the stage. */
export function cachedTable(buildDir: string, stage: string, table: string): string {
  const home = join(buildDir, 'cache', stage);
  const [key, ...others] = listFolders(home);
  if (key === undefined || others.length > 0) throw new Error(`${home}: expected one result`);
  return join(home, key, `${table}.parquet`);
}

/** Reads what the rules said. */
export async function readRulesBuild(buildDir: string): Promise<RulesBuild> {
  const rows = async (stage: string, table: string): Promise<Map<string, SqlRow[]>> => {
    const all = await readParquet(cachedTable(buildDir, stage, table));
    return groupBy(all, (row) => String(row.timepoint_id));
  };
  const drafts = await rows('make-distractors', 'distractor_drafts');
  const verdicts = await rows('criticise-distractors', 'distractor_verdicts');
  const later = [...verdicts].map(([id, list]): [string, SqlRow[]] => [
    id,
    list.filter(isLaterGood).map(attempt),
  ]);
  const distractors = new Map(later);
  for (const [id, list] of drafts) distractors.set(id, [...list, ...(distractors.get(id) ?? [])]);
  const attempts = await rows('criticise-chains', 'chain_verdicts');
  return {
    selections: await rows('select-timepoints', 'selections'),
    chains: await rows('annotate-chains', 'chain_drafts'),
    chainAttempts: new Map([...attempts].map(([id, list]) => [id, list.filter((v) => v.judge === 'checks')])),
    distractors,
    orders: await rows('find-timepoints', 'timepoint_orders'),
  };
}

const isLaterGood = (v: SqlRow): boolean =>
  v.judge === 'checks' && v.verdict === 'GOOD' && Number(v.attempt_n) > 1;
const attempt = (v: SqlRow): SqlRow => JSON.parse(String(v.attempt)) as SqlRow;
const read = (value: unknown): unknown => JSON.parse(String(value));

/** The reply that the rules would give; critics find nothing. */
export function answerOf(rules: RulesBuild, question: Question): Reply {
  const { schema, timepoint_id } = question;
  const of = (tables: ReadonlyMap<string, SqlRow[]>): readonly SqlRow[] => tables.get(timepoint_id) ?? [];
  switch (schema) {
    case 'selection':
      return {
        moment: timepoint_id,
        drugs: of(rules.selections).map(({ timepoint_id: _, ...drug }) => drug),
      };
    case 'chains':
      return { moment: timepoint_id, chains: chainsFor(question, of(rules.chains), of(rules.chainAttempts)) };
    case 'chain_verdicts': {
      const judged = /^Judge the chains of: (.+)$/m.exec(question.text)![1]!.split(', ');
      const pass = { verdict: 'PASS', issues: [], feedback: '' };
      return {
        moment: timepoint_id,
        overall: 'PASS',
        drugs: judged.map((order_id) => ({ order_id, ...pass })),
      };
    }
    case 'distractors':
      return { distractors: distractorsFor(question, of(rules.distractors), of(rules.orders)) };
    case 'verdicts': {
      const listed = question.text.split('\nWrong options to judge:\n').at(-1)!;
      const ids = [...listed.matchAll(/^\[(D[0-9a-f]{12})\] /gm)].map((m) => m[1]!);
      const good = { verdict: 'GOOD', issues: [], feedback: '' };
      return { verdicts: ids.map((distractor_id) => ({ distractor_id, ...good })) };
    }
  }
}

export const COMPLAINTS = 'Earlier attempts and what was wrong with them:\n';

export interface ChainText {
  readonly steps: readonly ChainStep[];
  readonly summary: string;
}

/** Equal steps and summary. */
export const sameChain = (a: ChainText, b: ChainText): boolean =>
  canonicalJson({ steps: a.steps, summary: a.summary }) ===
  canonicalJson({ steps: b.steps, summary: b.summary });

/** The first attempt of the rules, or the one after the attempt that was complained about; a drug without one is left out. */
function chainsFor(question: Question, drafts: readonly SqlRow[], attempts: readonly SqlRow[]): Reply[] {
  const asked = [...question.text.matchAll(/^(O[0-9a-f]{12}) \([A-Z_]+\)$/gm)].map((m) => m[1]!);
  const [, told] = question.text.split(COMPLAINTS);
  const complaints = told ? (JSON.parse(told) as { order_id: string; attempt: ChainText }[]) : [];
  return asked.flatMap((order_id) => {
    const own = attempts.filter((a) => a.order_id === order_id).map(attempt) as unknown as ChainText[];
    const refused = complaints.find((c) => c.order_id === order_id)?.attempt;
    const at = refused ? own.findIndex((a) => sameChain(a, refused)) : -1;
    const draft = drafts.find((d) => d.order_id === order_id);
    const first = draft && { steps: read(draft.steps), summary: draft.summary };
    const said = (at < 0 ? first : own[at + 1]) ?? null;
    const { steps, summary: words } = said ?? { steps: [], summary: '' };
    return (steps as unknown[]).length === 0 ? [] : [{ order_id, steps, summary: words }];
  });
}

/** As many as are wanted of those that are not kept; with nothing left, a correct drug, which no check lets pass. */
function distractorsFor(question: Question, known: readonly SqlRow[], orders: readonly SqlRow[]): Reply[] {
  const wanted = Number(/^Number wanted: (\d+)$/m.exec(question.text)![1]);
  const [, kept = ''] = question.text.split('\nKept, do not repeat:\n');
  const isKept = (row: SqlRow): boolean => kept.split('\n').includes(`- ${shown(row)}`);
  const offered = known.filter((row) => !isKept(row)).slice(0, wanted);
  if (offered.length > 0) return offered.map(distractorReply);
  const own = orders.find((o) => o.is_answer)!;
  return [
    { ...ANYTHING, drug: own.drug, dose: own.dose_text, route: own.route, targets_order_id: own.order_id },
  ];
}

const ANYTHING = {
  targets_step: null,
  strategy: 'same_class_wrong_agent',
  perturbation: 'none',
  why_plausible: 'It was ordered.',
  plausible_cites: [],
  why_wrong: 'It is not.',
  claims: [],
};

const shown = (row: SqlRow): string =>
  renderDrug(row as unknown as { drug: string; dose_text: string | null; route: string | null });

/** The row as a model would write it. */
export const distractorReply = (row: SqlRow): Reply => ({
  drug: row.drug,
  dose: row.dose_text,
  route: row.route,
  targets_order_id: row.targets_order_id,
  targets_step: row.targets_step,
  strategy: row.strategy,
  perturbation: row.perturbation,
  why_plausible: row.why_plausible,
  plausible_cites: read(row.plausible_cites),
  why_wrong: row.why_wrong,
  claims: read(row.claims),
});
