/** What is known at a moment of prescribing. Nothing in `events` was available at or after its cut. */
import type { z } from 'zod';
import type {
  eventItems,
  events,
  orders,
  profileSpans,
  profiles,
  sampledAdmissions,
  timepointOrders,
  timepoints,
} from '../../../schemas/rxeval-record.js';
import { secondsOf } from './times.js';

export type Patient = z.infer<typeof sampledAdmissions.row>;
export type Order = z.infer<typeof orders.row>;
export type RecordItem = z.infer<typeof eventItems.row>;
export type RecordEvent = z.infer<typeof events.row> & { readonly items: readonly RecordItem[] };
export type Section = z.infer<typeof profiles.row>;
export type Span = z.infer<typeof profileSpans.row>;
export type Timepoint = z.infer<typeof timepoints.row>;
/** An order of the moment with the row of `orders` behind it. */
export type MomentOrder = z.infer<typeof timepointOrders.row> & { readonly order: Order };

/** What a citation points to. */
export type Found =
  | { readonly kind: 'event'; readonly event: RecordEvent }
  | { readonly kind: 'span'; readonly span: Span };

/** Everything that a moment is made of; read by `readMoments`. */
export interface MomentParts {
  readonly timepoint: Timepoint;
  readonly patient: Patient;
  readonly sections: readonly Section[];
  readonly spans: readonly Span[];
  /** All events of the admission, by available_at and event_id. */
  readonly allEvents: readonly RecordEvent[];
  readonly momentOrders: readonly MomentOrder[];
  /** All orders of the admission. */
  readonly orders: readonly Order[];
}

/** Orders that were never carried out say nothing about what the patient takes. */
const NEVER_GIVEN: readonly (string | null)[] = ['withdrawn', 'stop_before_start', 'outside_admission'];
/** Frequencies of a single dose: such an order counts as active for a day (R206 of the indications looks back a day). */
const ONCE = /^\s*(once|now|now x ?1|x ?1|stat|one time)\b/i;
const DAY = 24 * 3600;

/** A moment with its record. */
export class Moment {
  readonly timepoint: Timepoint;
  readonly patient: Patient;
  readonly sections: readonly Section[];
  readonly spans: readonly Span[];
  /** Available before the cut, shown and hidden, by available_at and event_id. */
  readonly events: readonly RecordEvent[];
  readonly answers: readonly MomentOrder[];
  /** Orders of the moment that are no answers. */
  readonly others: readonly MomentOrder[];
  /** Decided before the cut and running at it. */
  readonly activeOrders: readonly Order[];
  /** Not of this moment, decided at or after the cut and started within 24 h after the moment: to refuse distractors with, never shown. */
  readonly soonOrders: readonly Order[];
  /** Ids of events that were available at the cut or later: never evidence. */
  readonly laterEvents: ReadonlySet<string>;
  readonly #places = new Map<string, Found>();

  constructor(parts: MomentParts) {
    const { cut_at, starttime } = parts.timepoint;
    this.timepoint = parts.timepoint;
    this.patient = parts.patient;
    this.sections = parts.sections;
    this.spans = parts.spans;
    this.events = parts.allEvents.filter((e) => e.available_at < cut_at);
    this.laterEvents = new Set(
      parts.allEvents.filter((e) => e.available_at >= cut_at).map((e) => e.event_id),
    );
    this.answers = parts.momentOrders.filter((o) => o.is_answer);
    this.others = parts.momentOrders.filter((o) => !o.is_answer);
    this.activeOrders = parts.orders.filter((o) => isActive(o, cut_at));
    const own = new Set(parts.momentOrders.map((o) => o.order_id));
    this.soonOrders = parts.orders.filter((o) => !own.has(o.order_id) && isSoon(o, { cut_at, starttime }));
    for (const event of this.events) this.#places.set(event.event_id, { kind: 'event', event });
    for (const span of this.spans) this.#places.set(span.span_id, { kind: 'span', span });
  }

  /** The event (shown or hidden) or span of an id; null for every other id, also of later events. */
  find(ref: string): Found | null {
    return this.#places.get(ref) ?? null;
  }

  /** Text of a section of the profile; null where the profile has none. */
  section(name: string): string | null {
    return this.sections.find((s) => s.section === name)?.text ?? null;
  }
}

function isActive(order: Order, cut_at: string): boolean {
  if (order.decided_at >= cut_at || NEVER_GIVEN.includes(order.non_decision_reason)) return false;
  if (order.stoptime !== null && order.stoptime <= cut_at) return false;
  if (order.discontinued_at !== null && order.discontinued_at <= cut_at) return false;
  if (!ONCE.test(order.frequency ?? '')) return true;
  return secondsOf(cut_at) - secondsOf(order.starttime) <= DAY;
}

function isSoon(order: Order, moment: { readonly cut_at: string; readonly starttime: string }): boolean {
  if (order.decided_at < moment.cut_at || NEVER_GIVEN.includes(order.non_decision_reason)) return false;
  return secondsOf(order.starttime) - secondsOf(moment.starttime) <= DAY;
}
