/**
 * Which drugs are ordered in an admission, and when: the indications applied to the patient's own values in the order
 * of time. An order is placed only when its trigger and every condition hold on what could be read before the evidence
 * cut of its moment, and no absolute contraindication does.
 */
import type { Term } from '../lib/rule-terms.js';
import { lognormal } from './admission.js';
import type { Subject } from './context.js';
import type { Drug, Formulary, Indication, Phase } from './formulary.js';
import { clamp } from './math.js';
import type { OnOrder, OrderFacts, Source } from './order-facts.js';
import type { Stream } from './rng.js';
import { DAY, HOUR, MINUTE } from './time.js';

/** A drug given for a reason, from its first order to its end; times in seconds. */
export interface Therapy extends OnOrder {
  readonly drug: Drug;
  readonly rule: Indication;
  readonly isCompanion: boolean;
  readonly orderAt: number;
  /** The fact that started it. */
  readonly trigger: Source;
  /** When the last fact that it needs could be read. */
  readonly availableAt: number;
  /** Rows of contraindications.csv that hold; relative ones, as absolute ones forbid the order. */
  readonly against: readonly string[];
}

/** Table of a trigger that is another therapy; its key is the number of that therapy. */
export const THERAPY = 'therapy';

/** What a moment (one starttime) is so far: nothing readable later may support its orders. */
export type Cuts = Map<number, number>;

interface Candidate {
  readonly at: number;
  readonly rule: Indication;
  readonly source: Source;
  /** Set once the lag has passed. */
  readonly isDue: boolean;
}

/** A rule that asks a value may order again, at most this often and not within these hours; protocols go on longer. */
const MOST = 3;
const MOST_ROUTINE = 6;
const REST_HOURS = 10;
/** After a chance that passed, a value must be this much newer before it is asked again. */
const PAUSE_HOURS = 6;
/** Nothing is ordered in the last hours of an admission. */
const LAST_HOURS = 3;

interface RuleState {
  n: number;
  restsUntil: number;
  isPending: boolean;
  isOff: boolean;
}

/** All therapies of the index admission, by time of order. */
export function planTherapies(s: Subject, facts: OrderFacts, formulary: Formulary, cuts: Cuts): Therapy[] {
  return new Planner(s, facts, formulary, cuts).run();
}

class Planner {
  private readonly s: Subject;
  private readonly facts: OrderFacts;
  private readonly formulary: Formulary;
  private readonly cuts: Cuts;
  private readonly queue: Candidate[] = [];
  private readonly states = new Map<Indication, RuleState>();
  private readonly streams = new Map<Indication, Stream>();
  private readonly therapies: Therapy[] = [];
  private readonly begin: number;
  private readonly end: number;
  /** Seconds at which the orders of admission are written: routine first, home medicines some hours later. */
  private readonly rounds: readonly [number, number];

  constructor(s: Subject, facts: OrderFacts, formulary: Formulary, cuts: Cuts) {
    this.s = s;
    this.facts = facts;
    this.formulary = formulary;
    this.cuts = cuts;
    const { course } = facts.record;
    this.begin = course.admittime;
    this.end = Math.min(course.dischtime, course.deathtime ?? course.dischtime);
    const r = s.stream('order rounds');
    this.rounds = [
      this.begin + r.int(20 * MINUTE, 110 * MINUTE),
      this.begin + r.int(125 * MINUTE, 420 * MINUTE),
    ];
  }

  run(): Therapy[] {
    for (const rule of this.formulary.indications) {
      for (const source of this.occasions(rule)) {
        // Nothing is ordered before the admission, whatever was known.
        this.queue.push({ at: Math.max(source.at, this.begin), rule, source, isDue: false });
      }
    }
    this.queue.sort(byTime);
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      if (next.at > this.end - LAST_HOURS * HOUR) break;
      if (next.isDue) this.place(next);
      else this.consider(next);
    }
    return this.therapies;
  }

  /** Moments at which a rule may begin to hold: its trigger, and values that its conditions ask for. */
  private occasions(rule: Indication): Source[] {
    const { trigger } = rule;
    if (trigger.kind === 'compare') return this.valuesMeeting(trigger);
    if (
      trigger.kind === 'is' &&
      trigger.state === 'home' &&
      !this.facts.holds(trigger, this.begin, rule.drugKey)
    )
      return [];
    const starts = this.facts.startsOf(trigger);
    if (starts.length === 0 && !(trigger.kind === 'has' && trigger.of === 'drug')) return [];
    const values = rule.conditions.flatMap((c) =>
      c.kind === 'compare' && !c.isNegated ? this.valuesMeeting(c) : [],
    );
    const first = starts[0]?.at ?? this.begin;
    return [...starts, ...values.filter((v) => v.at > first)];
  }

  private valuesMeeting(term: Extract<Term, { kind: 'compare' }>): Source[] {
    return this.facts
      .valuesOf(term.item)
      .filter((v) => (term.sign === '<' ? v.value < term.limit : v.value > term.limit));
  }

  /** A rule that holds now waits for its lag. */
  private consider({ at, rule, source }: Candidate): void {
    const state = this.stateOf(rule);
    if (state.isOff || state.isPending || at < state.restsUntil) return;
    if (!this.holdsAll(rule, at)) return;
    const r = this.streamOf(rule);
    if (!r.chance(rule.prob)) {
      if (rule.trigger.kind === 'compare') state.restsUntil = at + PAUSE_HOURS * HOUR;
      else state.isOff = true;
      return;
    }
    state.isPending = true;
    const due = this.dueTime(rule, at, r);
    this.insert({ at: due, rule, source, isDue: true });
  }

  /** Orders of admission go with the rounds where the lag lets them. */
  private dueTime(rule: Indication, at: number, r: Stream): number {
    const lag = Math.max(MINUTE + r.int(0, 50), Math.floor(r.uniform(rule.lagMin, rule.lagMax)));
    if (rule.role === 'REASONED_NEW' || !r.chance(0.85)) return at + lag;
    const round = this.rounds.find((x) => x > at && x - at >= rule.lagMin && x - at <= rule.lagMax);
    return round ?? at + lag;
  }

  private place({ at, rule, source }: Candidate): void {
    const state = this.stateOf(rule);
    state.isPending = false;
    const drug = this.formulary.drugs.get(rule.drugKey)!;
    if (!this.isInPhase(rule.phase, at) || this.isOnOrder(drug, at)) {
      state.restsUntil = at + REST_HOURS * HOUR;
      return;
    }
    const startAt = this.startFor(rule, at);
    if (startAt === undefined) return;
    const cut = Math.min(at, startAt, this.cuts.get(startAt) ?? at);
    const against = this.against(drug, cut - 1);
    if (against === undefined) return;
    this.cuts.set(startAt, cut);
    state.n++;
    state.restsUntil = at + REST_HOURS * HOUR;
    const most = rule.role === 'ROUTINE' ? MOST_ROUTINE : MOST;
    if (rule.trigger.kind !== 'compare' || state.n >= most) state.isOff = true;
    const seen = { trigger: this.latestTrigger(rule, source, cut - 1), orderAt: at, startAt };
    this.add(rule, drug, false, seen, against, cut - 1);
    if (rule.companion) this.addCompanion(rule, seen, cut - 1);
  }

  private addCompanion(rule: Indication, seen: Seen, cut: number): void {
    const drug = this.formulary.drugs.get(rule.companion!)!;
    const against = this.isOnOrder(drug, seen.orderAt) ? undefined : this.against(drug, cut);
    if (against) this.add(rule, drug, true, seen, against, cut);
  }

  private add(
    rule: Indication,
    drug: Drug,
    isCompanion: boolean,
    seen: Seen,
    against: readonly string[],
    cut: number,
  ): void {
    const until = Math.min(this.end, seen.startAt + this.lengthOf(drug, rule, seen.startAt));
    const availableAt = Math.max(
      seen.trigger.at,
      ...[rule.trigger, ...rule.conditions].map((t) => this.readableAt(t, cut)),
    );
    const therapy: Therapy = {
      drugKey: drug.key,
      drug,
      rule,
      isCompanion,
      ...seen,
      until,
      availableAt,
      against,
    };
    this.therapies.push(therapy);
    this.facts.onOrder.push(therapy);
    const source = { at: seen.startAt, table: THERAPY, key: String(this.therapies.length - 1) };
    for (const other of this.formulary.indications) {
      const { trigger } = other;
      if (trigger.kind === 'has' && trigger.of === 'drug' && trigger.key === drug.key)
        this.insert({ at: seen.startAt, rule: other, source, isDue: false });
    }
  }

  /** The starttime: the full hour after the order, often one more, rarely the hour that runs; undefined if none fits. */
  private startFor(rule: Indication, at: number): number | undefined {
    const r = this.streamOf(rule);
    const next = Math.ceil((at + MINUTE) / HOUR) * HOUR;
    const isUrgent = /^(ONCE|TITRATE TO|INFUSION|NOW)/.test(
      this.formulary.drugs.get(rule.drugKey)!.frequency,
    );
    const later = r.chance(0.3) ? next + HOUR : next;
    const hours =
      isUrgent && r.chance(0.3) ? [next - HOUR, next, next + HOUR] : [later, later + HOUR, later + 2 * HOUR];
    return hours.find((start) => {
      if (start >= this.end - HOUR || start <= this.begin) return false;
      const cut = Math.min(at, start, this.cuts.get(start) ?? at);
      return this.holdsAll(rule, cut - 1);
    });
  }

  private holdsAll(rule: Indication, at: number): boolean {
    if (!this.facts.holds(rule.trigger, at, rule.drugKey)) return false;
    return rule.conditions.every((term) => this.facts.holds(term, at, rule.drugKey));
  }

  /** Relative contraindications that hold; undefined where an absolute one does. */
  private against(drug: Drug, at: number): string[] | undefined {
    const all = this.formulary.contraindications.get(drug.key) ?? [];
    const holding = all.filter((c) => c.conditions.every((term) => this.facts.holds(term, at, drug.key)));
    return holding.some((c) => c.isAbsolute) ? undefined : holding.map((c) => c.id);
  }

  private isOnOrder(drug: Drug, at: number): boolean {
    return this.therapies.some(
      (t) =>
        t.drug.name === drug.name && t.drug.row.route === drug.row.route && t.orderAt <= at && at < t.until,
    );
  }

  /** For a comparison the value that counts at the cut; else the fact that began. */
  private latestTrigger(rule: Indication, source: Source, at: number): Source {
    const { trigger } = rule;
    if (trigger.kind === 'compare') return this.facts.latest(trigger.item, at) ?? source;
    if (trigger.kind === 'has' && trigger.of === 'drug') {
      const n = this.therapies.findLastIndex((t) => t.drugKey === trigger.key && t.startAt <= at);
      return { at: this.therapies[n]!.startAt, table: THERAPY, key: String(n) };
    }
    const starts = this.facts.startsOf(rule.trigger).filter((x) => x.at <= at);
    return starts[starts.length - 1] ?? source;
  }

  private readableAt(term: Term, at: number): number {
    if (term.isNegated) return this.begin;
    if (term.kind === 'compare') return this.facts.latest(term.item, at)?.at ?? this.begin;
    if (term.kind === 'has' && term.of === 'drug') {
      const on = this.facts.onOrder.filter((o) => o.drugKey === term.key && o.startAt <= at);
      return on[on.length - 1]?.startAt ?? this.begin;
    }
    const starts = this.facts.startsOf(term).filter((x) => x.at <= at);
    return starts[starts.length - 1]?.at ?? this.begin;
  }

  /**
   * Phases overlap: early is the first two fifths of the admission and the first 36 hours in the ICU, middle lies
   * between a fifth and 85 percent, late is the second half.
   */
  private isInPhase(phase: Phase, at: number): boolean {
    const share = (at - this.begin) / Math.max(HOUR, this.end - this.begin);
    if (phase === 'early') return share <= 0.4 || at <= this.facts.record.course.stays[0]!.intime + 1.5 * DAY;
    if (phase === 'middle') return share >= 0.2 && share <= 0.85;
    return phase === 'any' || share >= 0.5;
  }

  private lengthOf(drug: Drug, rule: Indication, startAt: number): number {
    return therapyLength(this.s.stream(`length ${rule.id} ${drug.key} ${startAt}`), drug, rule);
  }

  private stateOf(rule: Indication): RuleState {
    let state = this.states.get(rule);
    if (!state) {
      state = { n: 0, restsUntil: 0, isPending: false, isOff: false };
      this.states.set(rule, state);
    }
    return state;
  }

  private streamOf(rule: Indication): Stream {
    let r = this.streams.get(rule);
    if (!r) {
      r = this.s.stream(`rule ${rule.id}`);
      this.streams.set(rule, r);
    }
    return r;
  }

  private insert(candidate: Candidate): void {
    let at = this.queue.length;
    while (at > 0 && byTime(this.queue[at - 1]!, candidate) > 0) at--;
    this.queue.splice(at, 0, candidate);
  }
}

interface Seen {
  readonly trigger: Source;
  readonly orderAt: number;
  readonly startAt: number;
}

/** By time, then what is due before what is new, then by rule. */
const byTime = (a: Candidate, b: Candidate): number =>
  a.at - b.at ||
  Number(b.isDue) - Number(a.isDue) ||
  (a.rule.id < b.rule.id ? -1 : a.rule.id > b.rule.id ? 1 : 0);

/** How long a therapy runs when nothing stops it, in seconds; clinical judgement, not measured. */
function therapyLength(r: Stream, drug: Drug, rule: Indication): number {
  const hours = (median: number, low: number, high: number): number =>
    Math.ceil(clamp(lognormal(r, median, 0.7), low, high)) * HOUR;
  // A single order counts as active for a day (README of raw/mimic/synthetic).
  if (/^(ONCE|NOW X1)/.test(drug.frequency)) return DAY;
  if (rule.role !== 'REASONED_NEW') return r.chance(0.75) ? 400 * DAY : hours(70, 20, 400);
  if (/^(TITRATE TO|INFUSION|SLIDING SCALE)/.test(drug.frequency)) return hours(26, 4, 140);
  if (/antibiotic|antiviral|antifungal/.test(drug.group)) return hours(100, 24, 300);
  if (/electrolyte|fluid|glucose/.test(drug.group)) return hours(30, 12, 72);
  return r.chance(0.35) ? 400 * DAY : hours(70, 16, 300);
}
