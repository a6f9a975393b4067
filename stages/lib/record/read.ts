/** Reads the moments of RECORD_TABLES a few admissions at a time, so that memory does not grow with their number. */
import type { Sql, SqlRow } from '../../contract.js';
import { groupBy } from '../group-by.js';
import {
  Moment,
  type MomentOrder,
  type Order,
  type Patient,
  type RecordEvent,
  type RecordItem,
  type Section,
  type Span,
  type Timepoint,
} from './moment.js';

/** Admissions whose rows are held at once. */
const BATCH = 40;

export interface ReadOptions {
  /** SQL condition on columns of `timepoints`; all moments without it. */
  readonly where?: string;
}

/** Moments by hadm_id, start and id. The session must have the views of RECORD_TABLES. */
export async function* readMoments(sql: Sql, { where = 'true' }: ReadOptions = {}): AsyncGenerator<Moment> {
  const moments = await sql.rows<Timepoint>(
    `select * from timepoints where ${where} order by hadm_id, starttime, timepoint_id`,
  );
  const admissions = [...new Set(moments.map((m) => m.hadm_id))];
  for (let i = 0; i < admissions.length; i += BATCH) {
    const ids = new Set(admissions.slice(i, i + BATCH));
    yield* readBatch(
      sql,
      moments.filter((m) => ids.has(m.hadm_id)),
    );
  }
}

async function* readBatch(sql: Sql, moments: readonly Timepoint[]): AsyncGenerator<Moment> {
  const ids = [...new Set(moments.map((m) => m.hadm_id))];
  const of = async <R>(table: string, order: string): Promise<Map<string, R[]>> => {
    const rows = await sql.rows<R>(
      `select * from ${table} where hadm_id in (${ids.join(', ')}) order by ${order}`,
    );
    return groupBy(rows, (row) => String((row as { hadm_id: number }).hadm_id));
  };
  const patients = await of<Patient>('sampled_admissions', 'hadm_id');
  const sections = await of<Section>('profiles', 'section');
  const spans = await of<Span>('profile_spans', 'section, start_n, span_id');
  const orders = await of<Order>('orders', 'decided_at, order_id');
  const events = await readEvents(sql, ids);
  const momentOrders = await readMomentOrders(sql, moments, orders);
  for (const timepoint of moments) {
    const id = String(timepoint.hadm_id);
    const [patient] = patients.get(id) ?? [];
    if (!patient) throw new Error(`timepoints: admission ${id} is not in sampled_admissions`);
    yield new Moment({
      timepoint,
      patient,
      sections: sections.get(id) ?? [],
      spans: spans.get(id) ?? [],
      allEvents: events.get(id) ?? [],
      momentOrders: momentOrders.get(timepoint.timepoint_id) ?? [],
      orders: orders.get(id) ?? [],
    });
  }
}

async function readEvents(sql: Sql, ids: readonly number[]): Promise<Map<string, RecordEvent[]>> {
  const rows = await sql.rows<Omit<RecordEvent, 'items'>>(
    `select * from events where hadm_id in (${ids.join(', ')}) order by available_at, event_id`,
  );
  const items = await sql.rows<RecordItem>(
    `select i.* from event_items i join events e using (event_id)
     where e.hadm_id in (${ids.join(', ')}) order by i.event_id, i.item_n`,
  );
  const byEvent = groupBy(items, (item) => item.event_id);
  const whole = rows.map((event) => ({ ...event, items: byEvent.get(event.event_id) ?? [] }));
  return groupBy(whole, (event) => String(event.hadm_id));
}

async function readMomentOrders(
  sql: Sql,
  moments: readonly Timepoint[],
  orders: ReadonlyMap<string, Order[]>,
): Promise<Map<string, MomentOrder[]>> {
  const list = moments.map((m) => `'${m.timepoint_id.replaceAll("'", "''")}'`).join(', ');
  const rows = await sql.rows<SqlRow>(
    `select * from timepoint_orders where timepoint_id in (${list}) order by timepoint_id, drug_fold, order_id`,
  );
  const byId = new Map([...orders.values()].flat().map((o) => [o.order_id, o]));
  const joined = rows.map((row) => {
    const order = byId.get(String(row.order_id));
    if (!order) throw new Error(`timepoint_orders: ${row.order_id} is not in orders`);
    return { ...row, order } as unknown as MomentOrder;
  });
  return groupBy(joined, (order) => order.timepoint_id);
}
