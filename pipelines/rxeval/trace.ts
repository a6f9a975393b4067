/** `trace`: from a question to its options, to the steps and proofs behind them, to the events they cite, to the rows of MIMIC-IV. */
import { join } from 'node:path';
import type { Cite, RxOption } from '../../schemas/rxeval.js';
import type { CommandContext, Printable } from '../benchmark.js';
import { rm } from '../engine/adapters/files.js';
import { UsageError } from '../engine/errors.js';
import { readManifest } from '../engine/verify-release.js';
import { hasRows } from '../recompute.js';
import { type Ground, Grounds, type Scene } from './grounds.js';
import {
  type AnswerRow,
  type OpenRelease,
  openRelease,
  type ReleasedChain,
  type ReleasedDistractor,
  readChains,
  readDistractors,
  readOptions,
} from './open.js';
import { type SourceRow, type SourceRows, withSourceRows } from './source-rows.js';
import { wordTrace } from './trace-words.js';

/** A citation with what it rests on; `rows` only with the extract at hand. */
export interface TracedCite {
  readonly cite: Cite;
  readonly ground: Ground;
  readonly rows?: readonly SourceRow[];
}

/** An option with its chain (right) or its design and proof (wrong). */
export interface TracedOption {
  readonly option: RxOption;
  readonly chain: ReleasedChain | null;
  readonly distractor: ReleasedDistractor | null;
  /** All citations, in order: of the steps, or of the reasons and proofs. */
  readonly cites: readonly TracedCite[];
}

export interface Trace extends Printable {
  /** False when a citation does not stand where it should, or its row is gone. */
  readonly is_valid: boolean;
  readonly release: string;
  readonly question_id: string;
  readonly timepoint_id: string;
  readonly scene: Scene;
  readonly starttime: string;
  readonly phase: string;
  readonly options: readonly TracedOption[];
  readonly has_rows: boolean;
}

/** Traces a question, or one option of it: `<question_id>` or `<question_id>/<letter>`. */
export async function traceItem(context: CommandContext, id: string, dir: string): Promise<Trace> {
  const manifest = readManifest(dir);
  const spill = join(context.buildDir, 'cache', '.staging', `${process.pid}-trace`);
  const release = await openRelease(dir, manifest, spill, context.signal);
  try {
    const bare = await traceBare(release, id);
    const has_rows = hasRows(context, manifest);
    const options = has_rows
      ? await withSourceRows(context, manifest, (rows) => addRows(bare.options, rows))
      : bare.options;
    const is_valid = options.every((o) =>
      o.cites.every((c) => c.ground.problems.length === 0 && (c.rows?.every((r) => r.row !== null) ?? true)),
    );
    const trace = { ...bare, options, has_rows, is_valid };
    return { ...trace, words: wordTrace(trace) };
  } finally {
    release.session.close();
    await rm(spill, { recursive: true, force: true });
  }
}

type Bare = Omit<Trace, 'words' | 'is_valid' | 'has_rows'>;

async function traceBare(release: OpenRelease, id: string): Promise<Bare> {
  const [question_id = '', letter] = id.split('/');
  const answer = await findAnswer(release, question_id);
  const { timepoint_id } = answer;
  const of = { timepoint_id };
  const [moment] = await release.session.rows<Scene & { starttime: string; phase: string }>(
    'select hadm_id, cut_at, starttime, phase from timepoints where timepoint_id = $timepoint_id',
    of,
  );
  const scene = { timepoint_id, hadm_id: moment!.hadm_id, cut_at: moment!.cut_at };
  const chains = await readChains(release, 'timepoint_id = $timepoint_id', of);
  const distractors = await readDistractors(release, 'timepoint_id = $timepoint_id', of);
  const grounds = await Grounds.open(release);
  const offered = readOptions(answer).filter((o) => letter === undefined || o.letter === letter);
  if (offered.length === 0) throw noLetter(question_id, letter);
  return {
    release: release.dir,
    question_id: answer.question_id,
    timepoint_id,
    scene,
    starttime: moment!.starttime,
    phase: moment!.phase,
    options: offered.map((option) => {
      const chain = chains.find((c) => c.order_id === option.ref) ?? null;
      const distractor = distractors.find((d) => d.distractor_id === option.ref) ?? null;
      const cites = chain ? chain.steps.flatMap((s) => s.cites) : distractor ? citesOf(distractor) : [];
      return {
        option,
        chain,
        distractor,
        cites: cites.map((cite) => ({ cite, ground: grounds.find(cite, scene) })),
      };
    }),
  };
}

/** Every citation of a distractor once: why plausible, claims, proofs. */
export function citesOf(d: ReleasedDistractor): Cite[] {
  const all = [
    ...d.plausible_cites,
    ...d.claims.flatMap((c) => c.cites),
    ...d.proofs.flatMap((p) => p.cites),
  ];
  return [...new Map(all.map((c) => [JSON.stringify(c), c])).values()];
}

async function findAnswer(release: OpenRelease, id: string): Promise<AnswerRow> {
  const [answer] = await release.session.rows<AnswerRow>(
    `select * from rxeval_answers where config = 'mcq' and (question_id = $id or timepoint_id = $id) limit 1`,
    { id },
  );
  if (answer) return answer;
  throw new UsageError({
    message: 'the release has no such question',
    got: id || 'nothing',
    file: release.dir,
    expected: 'a question_id, or question_id/letter, for example from answers/mcq/test.parquet',
    next: 'make trace ID=... RELEASE=...',
  });
}

function noLetter(question_id: string, letter: string | undefined): UsageError {
  return new UsageError({
    message: `question ${question_id} has no option of that letter`,
    got: letter ?? 'nothing',
    next: 'leave the letter out to see all options',
  });
}

async function addRows(options: readonly TracedOption[], rows: SourceRows): Promise<TracedOption[]> {
  const out: TracedOption[] = [];
  for (const option of options) {
    const cites: TracedCite[] = [];
    for (const c of option.cites) {
      const found: SourceRow[] = [];
      for (const key of c.ground.source_keys) found.push(await rows.find(c.ground.source_table, key));
      cites.push({ ...c, rows: found });
    }
    out.push({ ...option, cites });
  }
  return out;
}
