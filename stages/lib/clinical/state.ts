/** The clinical state of a patient at a moment: answers terms of the mini language from what could be read before it. */
import { UNKNOWN } from '../../../schemas/rxeval-record.js';
import type { Moment, Order, RecordEvent, Span } from '../record/moment.js';
import { hoursBetween } from '../record/times.js';
import type { Term } from '../rule-terms.js';
import { judgeCondition, judgeReports, shownReports } from './conditions.js';
import { citeWhole, type Judged, negate, UNKNOWN_TRUTH } from './judged.js';
import { mentionsIn } from './mentions.js';
import { isSameDrug } from './same-drug.js';
import type { ClinicalTables, TagRow } from './tables.js';
import { citeOf, compare, trueAt, valuesOf } from './values.js';

/** Films older than this say nothing about fluid in the lungs now: it comes and goes within days. */
const REPORT_AGE_H = 48;
/** Routes that need a working gut. */
const ENTERAL_ROUTES = ['PO'];

/** Answers about one moment; each term is judged once. */
export class ClinicalState {
  readonly moment: Moment;
  readonly tables: ClinicalTables;
  readonly #known = new Map<string, Judged>();

  constructor(moment: Moment, tables: ClinicalTables) {
    this.moment = moment;
    this.tables = tables;
  }

  /** Truth of a term with what it rests on; a negated term rests on the same. `home` is answered by `onHomeList`. */
  judge(term: Term): Judged {
    const key = JSON.stringify({ ...term, isNegated: false });
    const known = this.#known.get(key) ?? this.#judgePlain(term);
    this.#known.set(key, known);
    return term.isNegated ? negate(known) : known;
  }

  /** True when all hold, false when one does not, else unknown. Rests on what decided. */
  judgeAll(terms: readonly Term[]): Judged {
    const all = terms.map((t) => this.judge(t));
    const failed = all.find((j) => j.truth === false);
    if (failed) return failed;
    if (all.some((j) => j.truth === null)) return UNKNOWN_TRUTH;
    return { truth: true, cites: all.flatMap((j) => j.cites) };
  }

  /** Spans of the home list that name the drug. */
  onHomeList(drug_fold: string): Judged {
    const list = this.moment.spans.filter((s) => s.kind === 'home_medication');
    const same = list.filter((s) => isSameDrug(s.name ?? s.text, drug_fold));
    if (same.length > 0) return { truth: true, cites: [citeWhole(same[0]!.span_id)] };
    return this.#sectionKnown('medications_on_admission')
      ? { truth: false, cites: list.slice(0, 1).map((s) => citeWhole(s.span_id)) }
      : UNKNOWN_TRUTH;
  }

  #judgePlain(term: Term): Judged {
    if (term.kind === 'compare') return this.#compare(term.item, term.sign, term.limit);
    if (term.kind === 'is') return this.#isState(term.state);
    switch (term.of) {
      case 'dx':
        return this.#condition(term.key);
      case 'drug':
        return this.#drug(term.key);
      case 'allergy':
        return this.#allergy(this.#tag('allergy', term.key));
      case 'micro':
        return this.#culture(this.#tag('micro', term.key));
      case 'rad':
        return this.#film(this.#tag('rad', term.key));
      case 'proc':
        return this.#procedure(this.#tag('proc', term.key));
    }
  }

  #tag(group: TagRow['group'], tag: string): readonly TagRow[] {
    return this.tables.tags.filter((t) => t.group === group && t.tag === tag);
  }

  #compare(key: string, sign: '<' | '>', limit: number): Judged {
    if (key === 'age') return this.#age(sign, limit);
    const row = this.tables.items.get(key);
    if (!row) return UNKNOWN_TRUTH;
    const values = valuesOf(this.moment, row);
    const [latest] = values;
    if (!latest || latest.age_h > row.max_age_h) return UNKNOWN_TRUTH;
    const truth = compare(latest, sign, limit);
    // A hidden value may decide only what the reader sees as well.
    const shown = values.find((v) => v.is_shown);
    if (truth === null || !shown || compare(shown, sign, limit) !== truth) return UNKNOWN_TRUTH;
    return { truth, cites: [citeOf(shown)] };
  }

  #age(sign: '<' | '>', limit: number): Judged {
    const { age } = this.moment.patient;
    const span = this.moment.spans.find(
      (s) => s.kind === 'demographic' && new RegExp(`\\b${age}\\b`).test(s.text),
    );
    const cites = span ? [citeWhole(span.span_id)] : [];
    return { truth: sign === '<' ? age < limit : age > limit, cites };
  }

  #condition(key: string): Judged {
    const row = this.tables.dx.get(key);
    return row ? judgeCondition(this.moment, row, (terms) => this.judgeAll(terms)) : UNKNOWN_TRUTH;
  }

  /** A running order of the drug. Only shown prescription events can be pointed to. */
  #drug(key: string): Judged {
    const active = this.moment.activeOrders.filter((o) => this.tables.drugs.of(o).includes(key));
    if (active.length === 0) return { truth: false, cites: [] };
    const cites = active.flatMap((o) => this.#eventOf(o)).map((e) => citeWhole(e.event_id));
    return { truth: true, cites: cites.slice(-1) };
  }

  #eventOf(order: Order): RecordEvent[] {
    return this.moment.events.filter((e) => e.order_id === order.order_id && e.is_shown);
  }

  #allergy(tags: readonly TagRow[]): Judged {
    const spans = this.moment.spans.filter((s) => s.kind === 'allergy');
    const matching = spans.filter((s) => tags.some((t) => matches(t.words, s.name ?? s.text)));
    if (matching.length > 0) return { truth: true, cites: [citeWhole(matching[0]!.span_id)] };
    if (!this.#sectionKnown('allergies')) return UNKNOWN_TRUTH;
    return { truth: false, cites: this.#section('allergies').map((s) => citeWhole(s.span_id)) };
  }

  #film(tags: readonly TagRow[]): Judged {
    const { cut_at } = this.moment.timepoint;
    const recent = shownReports(this.moment).filter((e) => hoursBetween(trueAt(e), cut_at) <= REPORT_AGE_H);
    for (const tag of tags) {
      const judged = judgeReports(recent, tag.words, tag.unless);
      if (judged.truth !== null) return judged;
    }
    return UNKNOWN_TRUTH;
  }

  /** Cultures are positive from their first result on; silence is no answer, since a culture may be growing. */
  #culture(tags: readonly TagRow[]): Judged {
    const found = this.moment.events.filter(
      (e) => e.kind === 'culture' && e.is_shown && tags.some((t) => growsIn(e, t)),
    );
    if (found.length === 0) return UNKNOWN_TRUTH;
    return { truth: true, cites: [citeWhole(found.at(-1)!.event_id)] };
  }

  #procedure(tags: readonly TagRow[]): Judged {
    const { cut_at } = this.moment.timepoint;
    const events = this.moment.events.filter((e) => e.kind === 'procedure' && e.is_shown);
    const isRecent = (e: RecordEvent, t: TagRow): boolean =>
      t.max_age_h === null || hoursBetween(trueAt(e), cut_at) <= t.max_age_h;
    const last = events.findLast((e) => tags.some((t) => isProcedure(e, t)));
    const end = events.findLast((e) => tags.some((t) => t.unless && matches(t.unless, e.text)));
    if (end && (!last || trueAt(end) >= trueAt(last)))
      return { truth: false, cites: [citeWhole(end.event_id)] };
    if (last && tags.some((t) => isRecent(last, t)))
      return { truth: true, cites: [citeWhole(last.event_id)] };
    // A patient who talks has no tube, whatever stands further back.
    const absent = tags.filter((t) => t.absent_when.length > 0).map((t) => this.judgeAll(t.absent_when));
    return absent.some((a) => a.truth === true)
      ? { truth: false, cites: absent.flatMap((a) => a.cites) }
      : UNKNOWN_TRUTH;
  }

  #isState(state: 'home' | 'admit' | 'enteral'): Judged {
    if (state === 'enteral') return this.#enteral();
    if (state === 'home') return UNKNOWN_TRUTH;
    const span = this.#section('patient_information')[0];
    return { truth: true, cites: span ? [citeWhole(span.span_id)] : [] };
  }

  /** The gut is in use when something runs by mouth or tube, and not when it is blocked or starved of blood. */
  #enteral(): Judged {
    for (const key of ['bowel_obstruction', 'bowel_ischemia']) {
      const blocked = this.#condition(key);
      if (blocked.truth === true) return { truth: false, cites: blocked.cites };
    }
    const active = this.moment.activeOrders.filter((o) => ENTERAL_ROUTES.includes(o.route_class ?? ''));
    const events = active.flatMap((o) => this.#eventOf(o));
    if (events.length === 0) return UNKNOWN_TRUTH;
    return { truth: true, cites: [citeWhole(events.at(-1)!.event_id)] };
  }

  #section(name: string): Span[] {
    return this.moment.spans.filter((s) => s.section === name);
  }

  #sectionKnown(name: string): boolean {
    const text = this.moment.section(name)?.trim() ?? '';
    return text !== '' && text !== UNKNOWN;
  }
}

/** Patterns are global for matchAll; a test must not depend on where the last one stopped. */
function matches(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text);
}

function growsIn(event: RecordEvent, tag: TagRow): boolean {
  const stated = mentionsIn(event.text, tag.words).some((m) => m.sense !== 'denied');
  if (!stated) return false;
  if (tag.beside && !matches(tag.beside, event.text)) return false;
  return !(tag.unless && matches(tag.unless, event.text));
}

function isProcedure(event: RecordEvent, tag: TagRow): boolean {
  if (event.items.some((i) => i.itemid !== null && tag.itemids.includes(i.itemid))) return true;
  return mentionsIn(event.text, tag.words).some((m) => m.sense === 'stated' || m.sense === 'past');
}

/** The state of a moment. */
export const stateOf = (moment: Moment, tables: ClinicalTables): ClinicalState =>
  new ClinicalState(moment, tables);
