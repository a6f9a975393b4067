/** An rxeval release, opened for reading: its tables as views, and the questions with what they rest on. */
import type { z } from 'zod';
import type { ReleaseManifest } from '../../schemas/release.js';
import {
  type answers,
  ChainStep,
  Cite,
  Claim,
  type chains,
  type distractors,
  Proof,
  type questions,
  RxOption,
} from '../../schemas/rxeval.js';
import { DuckDbSession } from '../engine/adapters/duckdb.js';
import { createViews } from '../engine/release-views.js';

export type QuestionRow = z.infer<typeof questions.row>;
export type AnswerRow = z.infer<typeof answers.row>;
type ChainRow = z.infer<typeof chains.row>;
type DistractorRow = z.infer<typeof distractors.row>;

export interface OpenRelease {
  readonly dir: string;
  readonly manifest: ReleaseManifest;
  readonly session: DuckDbSession;
}

/** A chain with its steps read. */
export interface ReleasedChain extends Omit<ChainRow, 'steps'> {
  readonly steps: readonly ChainStep[];
}

/** A distractor with its JSON columns read. */
export interface ReleasedDistractor extends Omit<DistractorRow, 'plausible_cites' | 'claims' | 'proofs'> {
  readonly plausible_cites: readonly Cite[];
  readonly claims: readonly Claim[];
  readonly proofs: readonly Proof[];
}

/** Opens a release folder; every table is a view under its own name. The caller closes the session. */
export async function openRelease(
  dir: string,
  manifest: ReleaseManifest,
  spillDir: string,
  signal: AbortSignal,
): Promise<OpenRelease> {
  const session = await DuckDbSession.create({ threads: 1, memoryLimit: '2GB', spillDir, signal });
  try {
    await createViews(session, dir, manifest);
    return { dir, manifest, session };
  } catch (error) {
    session.close();
    throw error;
  }
}

/** Chains of moments that a condition selects; `$name` parameters. */
export async function readChains(
  r: OpenRelease,
  where = 'true',
  params: Record<string, string> = {},
): Promise<ReleasedChain[]> {
  const rows = await r.session.rows<ChainRow>(
    `select * from chains where ${where} order by timepoint_id, order_id`,
    params,
  );
  return rows.map((row) => ({ ...row, steps: ChainStep.array().parse(JSON.parse(row.steps)) }));
}

/** Distractors of moments that a condition selects; `$name` parameters. */
export async function readDistractors(
  r: OpenRelease,
  where = 'true',
  params: Record<string, string> = {},
): Promise<ReleasedDistractor[]> {
  const rows = await r.session.rows<DistractorRow>(
    `select * from distractors where ${where} order by timepoint_id, distractor_id`,
    params,
  );
  return rows.map((row) => ({
    ...row,
    plausible_cites: Cite.array().parse(JSON.parse(row.plausible_cites)),
    claims: Claim.array().parse(JSON.parse(row.claims)),
    proofs: Proof.array().parse(JSON.parse(row.proofs)),
  }));
}

/** Options of an answer row. */
export const readOptions = (answer: AnswerRow): RxOption[] =>
  RxOption.array().parse(JSON.parse(answer.candidates));
