/** The truth behind each order: which rule ordered it, on which fact, and what spoke against it. */
import { THERAPY, type Therapy } from './order-plan.js';
import type { Written } from './order-rows.js';
import type { Cell } from './rows.js';
import { timeText } from './time.js';

/** Columns of truth/orders.csv. */
export const ORDER_TRUTH = [
  'subject_id',
  'hadm_id',
  'pharmacy_id',
  'poe_id',
  'drug_key',
  'rule_id',
  'role',
  'is_companion',
  'kind',
  'trigger_table',
  'trigger_key',
  'trigger_at',
  'available_at',
  'ordertime',
  'starttime',
  'contraindications',
] as const;

export type OrderTruth = Readonly<Record<(typeof ORDER_TRUTH)[number], Cell>>;

/** One row an order; a trigger that is an order is named by the pharmacy_id of its first order. */
export function orderTruth(therapies: readonly Therapy[], written: readonly Written[]): OrderTruth[] {
  const firstOf = new Map<Therapy, number>();
  for (const { piece, main } of written)
    if (piece.kind === 'first') firstOf.set(piece.therapy, main.pharmacy_id);
  return written.map(({ piece, main, poe }) => {
    const { therapy } = piece;
    const { trigger } = therapy;
    const isOrder = trigger.table === THERAPY;
    return {
      subject_id: main.subject_id,
      hadm_id: main.hadm_id,
      pharmacy_id: main.pharmacy_id,
      poe_id: poe?.poe_id ?? null,
      drug_key: therapy.drugKey,
      rule_id: therapy.rule.id,
      role: therapy.rule.role,
      is_companion: therapy.isCompanion ? 1 : 0,
      kind: piece.kind,
      trigger_table: isOrder ? 'hosp.prescriptions' : trigger.table,
      trigger_key: isOrder ? `pharmacy_id=${firstOf.get(therapies[Number(trigger.key)]!)}` : trigger.key,
      trigger_at: timeText(trigger.at),
      available_at: timeText(therapy.availableAt),
      ordertime: timeText(piece.orderAt),
      starttime: timeText(piece.startAt),
      contraindications: therapy.against.join(';'),
    };
  });
}
