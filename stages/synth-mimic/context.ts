/** What every part of the generator shares while it writes one subject. */
import type { SynthConfig } from './config.js';
import type { RowQuota } from './dirt.js';
import type { Numbers } from './numbers.js';
import type { OrderTruth } from './order-truth.js';
import type { Stream, Streams } from './rng.js';
import type { LedgerEntry, SubjectRows } from './rows.js';
import type { Model } from './shifts.js';

/** A subject before its faults are assigned: who it is and what it has. */
export interface Person0 {
  readonly i: number;
  readonly latentAge: number;
  readonly isFemale: boolean;
  readonly dx: Uint8Array;
  readonly severities: Float64Array;
  readonly shifts: Float64Array;
  /** First year of the three-year group in which the subject was really seen. */
  readonly groupStart: number;
  readonly groupLabel: string;
  readonly isIcd10Index: boolean;
  readonly realYear: number;
}

/** An interval of a treatment, in seconds. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One ICU stay and its course. */
export interface Stay {
  readonly subject_id: number;
  readonly hadm_id: number;
  readonly stay_id: number;
  /** Number of the stay within the subject; names its streams. */
  readonly n: number;
  readonly unit: string;
  readonly intime: number;
  /** intime cut to the minute: start of the first-day window. */
  readonly t0: number;
  readonly outtime: number;
  /** Until when rows are charted. */
  readonly horizon: number;
  readonly isSurvivor: boolean;
  readonly weight: number;
  readonly height: number;
  readonly vent: Span | null;
  readonly niv: Span | null;
  readonly artLine: Span | null;
  readonly centralLine: Span | null;
  readonly pressor: Span | null;
  readonly dialysis: Span | null;
  readonly crrt: Span | null;
  /** When loop diuretics were given; urine answers for six hours. */
  readonly diureticAt: readonly number[];
}

/** Ids of caregivers and providers come from small pools. */
export interface Ids {
  labevent: number;
  specimen: number;
  micro: number;
  order: number;
  transfer: number;
  hadm: number;
}

export interface Subject {
  readonly person: Person0;
  readonly age: number;
  readonly wants: ReadonlySet<string>;
  /** How many rows of the row faults fall on this stay. */
  readonly quota: RowQuota;
  readonly subject_id: number;
  readonly ids: Ids;
  readonly rows: SubjectRows;
  readonly ledger: LedgerEntry[];
  /** Why each order was written; for truth/orders.csv alone. */
  readonly orders: OrderTruth[];
  readonly model: Model;
  readonly numbers: Numbers;
  readonly config: SynthConfig;
  /** A stream of this subject. */
  readonly stream: (name: string) => Stream;
  readonly streams: Streams;
  has(dx: string): boolean;
}

/** Rows a subject may use of each id range; N = 100,000 stays below 2^31. */
export const EVENT_IDS_PER_SUBJECT = 20_000;
/** Room in the 8-digit id ranges of subjects, admissions and transfers. */
export const SLOT = 99;

/** Writes a fault into the ledger. */
export function record(
  s: Subject,
  dirty_id: string,
  entry: Omit<LedgerEntry, 'dirty_id' | 'expectation' | 'subject_id' | 'stay_id'> & {
    stay_id?: number | null;
    subject_id?: number;
    expectation?: string;
  },
): void {
  if (s.config.profile !== 'dirty') return;
  const rule = s.numbers.dirty.find((r) => r.id === dirty_id)!;
  s.ledger.push({
    dirty_id,
    table: entry.table,
    subject_id: entry.subject_id ?? s.subject_id,
    stay_id: entry.stay_id ?? null,
    key: entry.key,
    column: entry.column,
    clean_value: entry.clean_value,
    dirty_value: entry.dirty_value,
    expectation: entry.expectation ?? rule.expectation,
  });
}

/** True when the fault is to be planted here and the profile is dirty. */
export function plants(s: Subject, id: string): boolean {
  return s.config.profile === 'dirty' && s.wants.has(id);
}

/** A caregiver of the pool. */
export function caregiver(r: Stream): number {
  return 1000 + r.int(0, CAREGIVERS - 1) * 37;
}
export const CAREGIVERS = 240;

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
export const PROVIDERS = 400;
/** Provider `n` of the pool, written like MIMIC's: P, two digits, four characters. */
export function provider(n: number): string {
  const letter = (k: number): string => LETTERS[k % LETTERS.length]!;
  return `P${10 + (n % 90)}${letter(n)}${letter(n * 7 + 3)}${(n * 3) % 10}${letter(n * 11 + 5)}`;
}
