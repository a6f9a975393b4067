/** What becomes of a therapy in the order system: renewals, changes, re-entry at a transfer, discontinuation. */
import { lognormal } from './admission.js';
import type { Subject } from './context.js';
import { clamp } from './math.js';
import type { Cuts, Therapy } from './order-plan.js';
import type { Stream } from './rng.js';
import { HOUR, MINUTE } from './time.js';

export type PieceKind = 'first' | 'renewal' | 'change' | 'reentry';
/** What ended an order: its own length, a D/C, a Change, or the patient's leaving. */
export type PieceEnd = 'expired' | 'dc' | 'change' | 'discharge';

/** One order as the order system holds it; times in seconds. */
export interface Piece {
  readonly therapy: Therapy;
  readonly kind: PieceKind;
  readonly orderAt: number;
  readonly startAt: number;
  stopAt: number;
  endedBy: PieceEnd;
  /** When the order that ended it was written; null where none was. */
  endedAt: number | null;
  /** The order that a change replaces. */
  replaces: Piece | null;
  /** Factor on the dose; 1 but for some changes. */
  readonly doseFactor: number;
}

/** Share of continued orders that start with the rounds, every six hours. */
const ON_ROUND = 0.9;
const ROUND = 6 * HOUR;
/** Orders older than this at a transfer may be entered again. */
const MOVED_AFTER = 2 * HOUR;
const SMALLEST_BATCH = 5;
const LARGEST_BATCH = 40;

/** All orders of the therapies, with their ends. */
export function piecesOf(s: Subject, therapies: readonly Therapy[], end: number, cuts: Cuts): Piece[] {
  return therapies.flatMap((t, n) => chain(s.stream(`pieces ${n}`), t, end, cuts));
}

/** The first order of a therapy and those that continue it. */
function chain(r: Stream, therapy: Therapy, end: number, cuts: Cuts): Piece[] {
  const pieces: Piece[] = [];
  let kind: PieceKind = 'first';
  let { orderAt, startAt } = therapy;
  let replaces: Piece | null = null;
  let doseFactor = 1;
  for (;;) {
    const piece: Piece = {
      ...{ therapy, kind, orderAt, startAt, replaces, doseFactor },
      stopAt: therapy.until,
      endedBy: 'expired',
      endedAt: null,
    };
    pieces.push(piece);
    if (isSingle(therapy)) {
      const stop = r.chance(0.35) ? startAt : startAt + r.int(1, 12) * HOUR;
      piece.stopAt = Math.min(stop, Math.floor(end / HOUR) * HOUR);
      return pieces;
    }
    const length = Math.ceil(clamp(lognormal(r, renewedAfter(therapy), 0.6), 6, 200)) * HOUR;
    const stop = startAt + length;
    if (stop > therapy.until - 8 * HOUR || stop > end - 6 * HOUR) return ended(pieces, r, end);
    // A change is written while the order runs, a renewal when it has run out.
    const isChange = r.chance(0.4);
    const begins = nextStart(isChange ? stop : stop + r.int(0, 5) * HOUR, r, cuts);
    if (begins.startAt > therapy.until - 4 * HOUR) return ended(pieces, r, end);
    piece.stopAt = isChange ? begins.startAt : stop;
    piece.endedBy = isChange ? 'change' : 'expired';
    if (isChange) piece.endedAt = begins.orderAt;
    kind = isChange ? 'change' : 'renewal';
    doseFactor = isChange && r.chance(0.25) ? doseFactor * r.pick([0.5, 2]) : doseFactor;
    replaces = isChange ? piece : null;
    ({ orderAt, startAt } = begins);
  }
}

/** True for orders of which the rows name a carrier fluid. */
export const hasCarrier = ({ therapy: { drug } }: Piece): boolean =>
  /^IV (Piggyback|Large Volume)$/.test(drug.procType) && !/^(fluid|colloid|osmotic)$/.test(drug.group);

/** True for infusions, which are ordered as the content of the bag (D99). */
export const isInfusion = ({ therapy: { drug } }: Piece): boolean => drug.row.route === 'IV DRIP';

/** Median hours after which an order is renewed or changed: bags are hung anew, tablets run on. */
const renewedAfter = ({ drug }: Therapy): number => (drug.procType === 'Unit Dose' ? 38 : 10);

const isSingle = (t: Therapy): boolean => /^(ONCE|NOW X1)/.test(t.drug.frequency);

/** The last order of a therapy: ends with the patient's leaving, by a D/C, or by itself. */
function ended(pieces: Piece[], r: Stream, end: number): Piece[] {
  const last = pieces[pieces.length - 1]!;
  if (last.stopAt >= end - HOUR) {
    last.stopAt = Math.max(last.startAt, Math.floor(end / HOUR) * HOUR);
    last.endedBy = 'discharge';
  } else if (r.chance(0.7)) {
    last.endedBy = 'dc';
    last.endedAt = last.stopAt + r.int(1, 40) * MINUTE + r.int(0, 59);
  }
  return pieces;
}

/** Start and time of an order that continues another: never before what a moment already rests on. */
function nextStart(at: number, r: Stream, cuts: Cuts): { orderAt: number; startAt: number } {
  const step = r.chance(ON_ROUND) ? ROUND : HOUR;
  const startAt = Math.ceil(at / step) * step;
  const cut = cuts.get(startAt);
  const orderAt = startAt - r.int(3, 70) * MINUTE + r.int(0, 59);
  if (cut === undefined) cuts.set(startAt, orderAt);
  return { startAt, orderAt: cut === undefined || cut < orderAt ? orderAt : cut + r.int(1, 59) };
}

/** When a stay could have a batch entered again: after each move at which at least five orders run. */
export function batchTimes(
  s: Subject,
  moves: readonly number[],
  pieces: readonly Piece[],
  end: number,
): number[] {
  const r = s.stream('reentry');
  return moves
    .map((move) => move + r.int(5, 170) * MINUTE + r.int(1, 59))
    .filter((at) => at < end - 6 * HOUR && activeAt(pieces, at).length >= SMALLEST_BATCH);
}

/** Orders that have run for a while, go on, and are not about to be replaced. */
const activeAt = (pieces: readonly Piece[], at: number): Piece[] =>
  pieces.filter(
    (p) =>
      p.startAt <= at - MOVED_AFTER &&
      p.stopAt > at + HOUR &&
      (p.endedAt === null || p.endedAt > at) &&
      !isSingle(p.therapy),
  );

/**
 * Enters the active orders again in one second (D72): the old ones are discontinued, starttimes stay the old ones.
 * Returns the number of orders entered again.
 */
export function reenter(pieces: Piece[], at: number): number {
  const active = activeAt(pieces, at).slice(0, LARGEST_BATCH);
  for (const old of active) {
    const copy: Piece = { ...old, kind: 'reentry', orderAt: at, replaces: null };
    // A later order that replaces the old one now replaces its copy.
    for (const p of pieces) if (p.replaces === old) p.replaces = copy;
    old.stopAt = Math.max(old.startAt, Math.floor(at / HOUR) * HOUR);
    old.endedBy = 'dc';
    old.endedAt = at;
    pieces.push(copy);
  }
  return active.length;
}
