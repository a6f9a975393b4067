/** What is on a subject's record at a moment, and what is true of it: answers the terms of the indication tables. */
import type { Term } from '../lib/rule-terms.js';
import type { Course } from './admission.js';
import type { Stay, Subject } from './context.js';
import type { Background, Culture, Report } from './evidence.js';
import type { ChartRow, LabRow, OutputRow, ProcedureRow, Row } from './rows.js';
import { DAY, HOUR, timeText } from './time.js';

/** Where a fact stands and since when it can be read (seconds). */
export interface Source {
  readonly at: number;
  readonly table: string;
  readonly key: string;
}

/** A number on the record. */
interface Reading extends Source {
  readonly value: number;
}

/** A drug on order: holds from its start to its end. */
export interface OnOrder {
  readonly drugKey: string;
  readonly startAt: number;
  readonly until: number;
}

/** What the facts of a subject are made from; nothing here has a planted fault yet. */
export interface RecordSoFar {
  readonly course: Course;
  readonly background: Background;
  readonly stays: readonly {
    readonly stay: Stay;
    readonly chart: { readonly rows: readonly ChartRow[] };
    readonly outputs: { readonly rows: readonly OutputRow[] };
    readonly procedures: readonly ProcedureRow[];
  }[];
  /** Labs of the index admission and the rest of the subject's. */
  readonly labs: readonly LabRow[];
  readonly cultures: readonly Culture[];
  readonly reports: readonly Report[];
}

/** A value older than this says nothing any more, in seconds: blood tests three days, charted values half a day. */
const LASTS = { lab: 72 * HOUR, chart: 12 * HOUR } as const;

/** Itemids of the same quantity beside itemid and alt_itemid of items.csv. */
const MORE_ITEMIDS: Readonly<Record<string, readonly number[]>> = {
  wbc: [51300],
  urine: [226561, 226563, 226564, 226565, 226567, 226584, 226557, 226558],
  gastric: [226573, 226571, 226569, 226574],
  stool: [226580, 226583],
};
/** Items whose second itemid is another quantity or unit. */
const NO_ALT: readonly string[] = ['temp', 'rbc', 'ddimer'];
const CELSIUS = 223762;

export class OrderFacts {
  readonly onOrder: OnOrder[] = [];
  private readonly readings = new Map<string, Reading[]>();
  private readonly procedures = new Map<string, (Source & { end: number })[]>();
  private readonly s: Subject;
  readonly record: RecordSoFar;
  private readonly tags: TagReader;

  constructor(s: Subject, record: RecordSoFar, tags: TagReader) {
    this.s = s;
    this.record = record;
    this.tags = tags;
    this.readNumbers();
    this.readProcedures();
  }

  /** Values of an item, in the order in which they could be read. */
  valuesOf(item: string): readonly Reading[] {
    return this.readings.get(item) ?? [];
  }

  /** When a term begins to hold, apart from comparisons and drugs: at most a few moments. */
  startsOf(term: Term): Source[] {
    if (term.kind === 'is') return [{ at: this.record.course.admittime, ...this.admission() }];
    if (term.kind === 'compare') return [];
    if (term.of === 'dx') {
      const onset = this.record.background.onset.get(term.key);
      if (onset === undefined) return [];
      const at = Math.max(onset, this.record.course.admittime);
      return [{ at, table: 'truth.latent_diagnoses', key: `dx_key=${term.key}` }];
    }
    if (term.of === 'proc') return this.procedures.get(term.key) ?? [];
    if (term.of === 'micro' || term.of === 'rad') return this.tags.starts(term.of, term.key);
    return [];
  }

  /** Whether a term holds at a moment; a comparison without a value that still counts is false. */
  holds(term: Term, at: number, drugKey: string): boolean {
    return this.asked(term, at, drugKey) !== term.isNegated;
  }

  /** The value that a comparison reads at a moment. */
  latest(item: string, at: number): Reading | undefined {
    const list = this.readings.get(item);
    if (!list) return undefined;
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle]!.at <= at) low = middle + 1;
      else high = middle;
    }
    const found = list[low - 1];
    if (!found) return undefined;
    const lasts = found.table === 'hosp.labevents' ? LASTS.lab : LASTS.chart;
    return at - found.at <= lasts ? found : undefined;
  }

  private asked(term: Term, at: number, drugKey: string): boolean {
    const { background, course } = this.record;
    if (term.kind === 'compare') {
      const value = this.numberAt(term.item, at);
      return value !== undefined && (term.sign === '<' ? value < term.limit : value > term.limit);
    }
    if (term.kind === 'is') {
      if (term.state === 'home') return background.home.some((h) => h.drugKey === drugKey);
      return term.state === 'admit' ? at >= course.admittime : this.isGutUsable(at);
    }
    switch (term.of) {
      case 'dx':
        return (background.onset.get(term.key) ?? Number.POSITIVE_INFINITY) <= at;
      case 'allergy':
        return background.allergies.some((a) => a.tag === term.key);
      case 'drug':
        return this.onOrder.some((o) => o.drugKey === term.key && o.startAt <= at && at < o.until);
      case 'proc':
        return (this.procedures.get(term.key) ?? []).some((p) => p.at <= at && at < p.end);
      default:
        return this.tags.holds(term.of, term.key, at);
    }
  }

  private numberAt(item: string, at: number): number | undefined {
    if (item === 'age') return this.s.age;
    if (item !== 'onset') return this.latest(item, at)?.value;
    const began = this.record.background.onset.get('ischemic_stroke');
    return began === undefined || began > at ? undefined : (at - began) / HOUR;
  }

  /** The gut cannot be used in obstruction and ischemia, nor in the first day of a bleed. */
  private isGutUsable(at: number): boolean {
    const since = (dx: string): number =>
      at - (this.record.background.onset.get(dx) ?? Number.POSITIVE_INFINITY);
    if (since('bowel_obstruction') >= 0 || since('bowel_ischemia') >= 0) return false;
    const arrival = at - this.record.course.admittime;
    return !['gi_bleed', 'variceal_bleed'].some((dx) => since(dx) >= 0 && arrival < DAY);
  }

  private admission(): { table: string; key: string } {
    return { table: 'hosp.admissions', key: `hadm_id=${this.record.course.hadm_id}` };
  }

  private readNumbers(): void {
    const keyOf = itemKeys(this.s);
    const add = (item: string, reading: Reading): void => {
      const list = this.readings.get(item);
      if (list) list.push(reading);
      else this.readings.set(item, [reading]);
    };
    for (const r of this.record.labs) {
      const item = keyOf.get(r.itemid);
      if (item === undefined || r.valuenum === null || r.hadm_id !== this.record.course.hadm_id) continue;
      const key = `labevent_id=${r.labevent_id}`;
      add(item, { at: r.storetime ?? r.charttime, value: r.valuenum, table: 'hosp.labevents', key });
    }
    for (const { chart, outputs } of this.record.stays) {
      for (const r of chart.rows) {
        const item = keyOf.get(r.itemid);
        if (item === undefined || r.valuenum === null) continue;
        add(item, { ...rowSource('icu.chartevents', r), value: celsius(r.itemid, r.valuenum) });
      }
      for (const r of outputs.rows) {
        const item = keyOf.get(r.itemid);
        if (item !== undefined) add(item, { ...rowSource('icu.outputevents', r), value: r.value });
      }
    }
    for (const list of this.readings.values()) list.sort((a, b) => a.at - b.at);
  }

  /** Ventilation and lines last; everything else counts from its time on. */
  private readProcedures(): void {
    const keyOf = procedureKeys(this.s);
    const add = (key: string, source: Source, end: number): void => {
      const list = this.procedures.get(key) ?? [];
      list.push({ ...source, end });
      this.procedures.set(key, list);
    };
    for (const { procedures } of this.record.stays) {
      for (const p of procedures) {
        const known = keyOf.byItem.get(p.itemid);
        if (!known) continue;
        const source = { at: Math.max(p.starttime, p.storetime), ...procedureSource(p) };
        add(known.key, source, known.isSpan ? p.endtime : Number.POSITIVE_INFINITY);
        if (known.key === 'invasive_vent')
          add('extubation', { ...source, at: Math.max(p.endtime, p.storetime) }, Number.POSITIVE_INFINITY);
      }
    }
    for (const p of this.s.rows.procedures_icd) {
      const key = keyOf.byCode.get(String(p.icd_code));
      if (!key || p.hadm_id !== this.record.course.hadm_id) continue;
      const source = codeSource(p);
      if (/^surgery_/.test(key)) add('surgery', source, Number.POSITIVE_INFINITY);
      if (/^surgery_|^transfusion$/.test(key)) add(key, source, Number.POSITIVE_INFINITY);
    }
  }
}

/** Tags of cultures and reports over time. */
export interface TagReader {
  starts(of: 'micro' | 'rad', tag: string): Source[];
  holds(of: 'micro' | 'rad', tag: string, at: number): boolean;
}

const rowSource = (table: string, r: ChartRow | OutputRow): Source => ({
  at: r.storetime,
  table,
  key: `stay_id=${r.stay_id};itemid=${r.itemid};charttime=${timeText(r.charttime)}`,
});

const procedureSource = (p: ProcedureRow): { table: string; key: string } => ({
  table: 'icu.procedureevents',
  key: `orderid=${p.orderid}`,
});

/** A code with a date only can be read from the end of that day. */
const codeSource = (p: Row): Source => ({
  at: ((p.chartdate as number) + 1) * DAY,
  table: 'hosp.procedures_icd',
  key: `hadm_id=${p.hadm_id};seq_num=${p.seq_num}`,
});

const celsius = (itemid: number, value: number): number => (itemid === 223761 ? (value - 32) / 1.8 : value);

const ITEM_KEYS = new WeakMap<object, Map<number, string>>();

/** Item key by itemid. */
function itemKeys(s: Subject): Map<number, string> {
  const known = ITEM_KEYS.get(s.numbers);
  if (known) return known;
  const out = new Map<number, string>();
  for (const item of s.numbers.items) {
    out.set(item.itemid, item.key);
    if (item.altItemid > 0 && !NO_ALT.includes(item.key)) out.set(item.altItemid, item.key);
    for (const more of MORE_ITEMIDS[item.key] ?? []) out.set(more, item.key);
  }
  // Serum glucose is written a second time under 220621: that copy is no finger stick.
  out.delete(220621);
  out.set(CELSIUS, 'temp');
  ITEM_KEYS.set(s.numbers, out);
  return out;
}

interface ProcedureKeys {
  readonly byItem: ReadonlyMap<number, { key: string; isSpan: boolean }>;
  readonly byCode: ReadonlyMap<string, string>;
}
const PROCEDURE_KEYS = new WeakMap<object, ProcedureKeys>();

function procedureKeys(s: Subject): ProcedureKeys {
  const known = PROCEDURE_KEYS.get(s.numbers);
  if (known) return known;
  const byItem = new Map<number, { key: string; isSpan: boolean }>();
  const byCode = new Map<string, string>();
  for (const [key, r] of s.numbers.procedures) {
    if (r.itemid) byItem.set(Number(r.itemid), { key, isSpan: r.value_kind === 'min' });
    for (const code of r.icd9_icd10pcs!.split(';')) byCode.set(code, key);
  }
  const keys = { byItem, byCode };
  PROCEDURE_KEYS.set(s.numbers, keys);
  return keys;
}
