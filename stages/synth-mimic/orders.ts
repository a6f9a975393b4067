/** prescriptions, pharmacy, poe, poe_detail and emar of the index admission, and the truth of each order. */
import type { Subject } from './context.js';
import { writeEmar } from './emar.js';
import { plantOrderFaults } from './faults-orders.js';
import type { Formulary } from './formulary.js';
import { batchTimes, piecesOf, reenter } from './order-course.js';
import { OrderFacts, type RecordSoFar } from './order-facts.js';
import { fillUp } from './order-filler.js';
import { type Cuts, planTherapies } from './order-plan.js';
import { OrderIds, type Written, writeOrders } from './order-rows.js';
import { type TagsAt, tagReader } from './order-tags.js';
import { orderTruth } from './order-truth.js';

/** Writes everything that was ordered; call it before other faults are planted, as it reads the true values. */
export function ordersOfSubject(
  s: Subject,
  formulary: Formulary,
  record: RecordSoFar,
  tags: TagsAt,
): readonly Written[] {
  const facts = new OrderFacts(s, record, tagReader(record.cultures, record.reports, tags));
  const cuts: Cuts = new Map();
  const therapies = planTherapies(s, facts, formulary, cuts);
  const { course } = record;
  const end = Math.min(course.dischtime, course.deathtime ?? course.dischtime);
  const pieces = piecesOf(s, therapies, end, cuts);
  fillUp(s, formulary, pieces, course.admittime, end);
  const moves = s.rows.transfers
    .filter((t) => t.hadm_id === course.hadm_id && t.eventtype === 'transfer')
    .map((t) => t.intime as number);
  // In the last stay of a block a batch may be entered again without a move.
  if (s.quota.dueAtLast('D72') > 0) moves.push(course.admittime);
  const times = batchTimes(s, moves, pieces, end);
  const batches = times.slice(0, s.quota.take('D72', times.length));
  for (const at of batches) reenter(pieces, at);
  const ids = new OrderIds(s);
  const written = writeOrders(s, formulary, pieces, ids);
  writeEmar(s, written);
  s.orders.push(...orderTruth(therapies, written));
  plantOrderFaults(s, { written, batches, ids, formulary });
  return written;
}
