/** A distractor and the moment that it is made for, as checks and authors hold them. */

import type { z } from 'zod';
import {
  ChainStep,
  Cite,
  Claim,
  type DistractorIssue,
  type distractorDrafts,
  type Proof,
} from '../../../schemas/rxeval.js';
import type { SqlRow } from '../../contract.js';
import { routeClass } from '../drug-fold.js';
import { sha256 } from '../hash.js';
import type { Moment } from '../record/moment.js';
import type { Prescription } from './formulary.js';
import { foldDose } from './formulary.js';

export type DistractorRow = z.infer<typeof distractorDrafts.row>;

/** A row with its lists read. */
export interface Distractor extends Omit<DistractorRow, 'plausible_cites' | 'claims'> {
  readonly plausible_cites: readonly Cite[];
  readonly claims: readonly Claim[];
}

/** What an author says; ids, attempt and author are added by `asDistractor`. */
export type Idea = Omit<Distractor, 'timepoint_id' | 'distractor_id' | 'attempt_n' | 'author' | 'llm'>;

/** The chain of a correct drug, as far as a distractor needs it. */
export interface TargetChain {
  readonly order_id: string;
  readonly drug: string;
  readonly steps: readonly ChainStep[];
  /** Row of indications.csv; null for chains of a model. */
  readonly rule_id: string | null;
}

export interface FoundIssue {
  readonly type: DistractorIssue;
  /** Ids and names only. */
  readonly detail: string;
}

/** What the checks say: issues, or the proof of every claim. */
export interface Checked {
  readonly verdict: 'GOOD' | 'TOO_EASY' | 'INVALID';
  readonly issues: readonly FoundIssue[];
  readonly proofs: readonly Proof[];
  /** Claims that the tables prove and the medication-safety rules deny. */
  readonly contradicted_n: number;
}

/** `D` and 12 hex digits over moment, ingredient, dose and route. */
export function distractorId(timepoint_id: string, ingredient: string, p: Prescription): string {
  const key = [timepoint_id, ingredient, foldDose(p.dose_text ?? ''), routeClass(p.route) ?? ''];
  return `D${sha256(key.join('\u001f')).slice(0, 12)}`;
}

/** The row of a distractor. */
export const rowOf = (d: Distractor): SqlRow => ({
  ...d,
  plausible_cites: JSON.stringify(d.plausible_cites),
  claims: JSON.stringify(d.claims),
});

/** A row read back; lists that do not fit their schema are an error that names the row. */
export function distractorOf(row: DistractorRow): Distractor {
  const list = <T>(schema: z.ZodType<T>, text: string, field: string): T => {
    const read = schema.safeParse(JSON.parse(text));
    if (!read.success)
      throw new Error(`distractor ${row.distractor_id}, field ${field}: ${read.error.message}`);
    return read.data;
  };
  return {
    ...row,
    plausible_cites: list(Cite.array(), row.plausible_cites, 'plausible_cites'),
    claims: list(Claim.array(), row.claims, 'claims'),
  };
}

/** The chain of a row of `chains`. */
export function chainOf(row: {
  order_id: string;
  drug: string;
  steps: string;
  rule_id: string | null;
}): TargetChain {
  const { order_id, drug, rule_id } = row;
  return { order_id, drug, rule_id, steps: ChainStep.array().parse(JSON.parse(row.steps)) };
}

/** The prescription that an option would show. */
export const prescriptionOf = ({ drug, dose_text, route }: Prescription): Prescription => ({
  drug,
  dose_text,
  route,
});

/** Drugs of the moment, running ones and those of the next 24 h: none of them may be a distractor. */
export const ordersAround = (moment: Moment): readonly Prescription[] => [
  ...moment.others,
  ...moment.activeOrders,
  ...moment.soonOrders,
];
