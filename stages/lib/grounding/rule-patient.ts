/** The patient of a record as the rule engine knows patients (schemas/patient.ts), with the places that each fact comes from. */
import type { MEASURES, Unit } from '../../../schemas/condition.js';
import { Patient, type Use } from '../../../schemas/patient.js';
import type { Cite } from '../../../schemas/rxeval.js';
import { UNKNOWN } from '../../../schemas/rxeval-record.js';
import { citeWhole } from '../clinical/judged.js';
import type { ClinicalState } from '../clinical/state.js';
import { citeOf, trueAt, type Value, valuesOf } from '../clinical/values.js';
import type { CsvRecord } from '../csv.js';
import type { DrugIndex } from '../drugs.js';
import type { Order } from '../record/moment.js';
import { hoursBetween } from '../record/times.js';
import type { Keyed } from '../rule-terms.js';
import type { Formulary } from './formulary.js';

export const CONCEPT_LINKS_FILE = 'raw/rxeval/dx-concepts.csv';

type Measure = (typeof MEASURES)[number];

/** When a term of the record holds, so does the concept; not the other way round. */
export interface ConceptLink {
  readonly of: Extract<Keyed, 'dx' | 'allergy'>;
  readonly key: string;
  readonly concept: string;
}

export interface RecordedPatient {
  readonly patient: Patient;
  /** Where the facts, numbers and drugs stand, by concept, measure and drug. */
  readonly facts: ReadonlyMap<string, readonly Cite[]>;
  readonly measures: ReadonlyMap<string, readonly Cite[]>;
  readonly drugs: ReadonlyMap<string, readonly Cite[]>;
}

export interface PatientKnowledge {
  readonly formulary: Formulary;
  readonly index: DrugIndex;
  readonly links: readonly ConceptLink[];
}

export const readLinks = (rows: readonly CsvRecord[]): ConceptLink[] => rows as unknown as ConceptLink[];

/** Units of measures as MIMIC writes them; for potassium a milliequivalent is a millimole (one charge). */
const MEASURED: Readonly<
  Partial<Record<Measure, { item: string; unit: Unit; spellings: readonly string[] }>>
> = {
  serum_creatinine: { item: 'cr', unit: 'mg/dL', spellings: ['mg/dl'] },
  weight: { item: 'weight_kg', unit: 'kg', spellings: ['kg'] },
  QTc: { item: 'qtc', unit: 'ms', spellings: ['ms', 'msec'] },
  bilirubin: { item: 'tbili', unit: 'mg/dL', spellings: ['mg/dl'] },
  potassium: { item: 'k', unit: 'mmol/L', spellings: ['meq/l', 'mmol/l'] },
};

/** A rise by 0.3 mg/dL within 48 h or to 1.5 times is kidney injury (KDIGO 2012); under it creatinine counts as steady. */
export const STEADY = { within_h: 48, difference: 0.3, ratio: 1.5 } as const;

/** A day after admission whatever was taken at home and is not ordered is no longer taken. */
const HOME_DRUGS_H = 24;

/** What the record says of the patient; nothing is taken for false because it is not mentioned. */
export function patientOf(state: ClinicalState, known: PatientKnowledge): RecordedPatient {
  const { moment } = state;
  const { age, gender } = moment.patient;
  const measures = measuresOf(state);
  const facts = factsOf(state, known.links);
  const taken = takenDrugs(state, known);
  const patient = Patient.parse({
    age: { value: age, unit: 'a' },
    sex: gender === 'F' ? 'female' : gender === 'M' ? 'male' : null,
    measures: Object.fromEntries([...measures].map(([name, m]) => [name, m.quantity])),
    facts: Object.fromEntries([...facts.keys()].map((concept) => [concept, true])),
    medications: taken.uses,
    // An admitted patient; the engine knows no other word for a hospital bed.
    setting: 'ward',
    closed: [
      ...(isKnown(state, 'allergies') ? ['allergies'] : []),
      ...(taken.isWhole && isKnown(state, 'medications_on_admission') ? ['medications'] : []),
    ],
  });
  return {
    patient,
    facts,
    measures: new Map([...measures].map(([name, m]) => [name, m.cites])),
    drugs: taken.cites,
  };
}

function isKnown({ moment }: ClinicalState, section: string): boolean {
  const text = moment.section(section)?.trim() ?? '';
  return text !== '' && text !== UNKNOWN;
}

interface MeasuredNow {
  readonly quantity: { readonly value: number; readonly unit: Unit };
  readonly cites: readonly Cite[];
}

function measuresOf(state: ClinicalState): Map<Measure, MeasuredNow> {
  const out = new Map<Measure, MeasuredNow>();
  for (const [name, { item, unit, spellings }] of Object.entries(MEASURED)) {
    const row = state.tables.items.get(item);
    const values = row ? valuesOf(state.moment, row) : [];
    const [latest] = values;
    // A hidden value is one that the reader cannot see, so nothing may rest on it.
    if (!row || !latest?.is_shown || latest.age_h > row.max_age_h || latest.low !== latest.high) continue;
    if (!spellings.includes((latest.item.unit ?? '').trim().toLowerCase())) continue;
    if (name === 'serum_creatinine' && !isSteady(values)) continue;
    out.set(name as Measure, { quantity: { value: latest.low, unit }, cites: [citeOf(latest)] });
  }
  return out;
}

/** Latest creatinine values, latest first: two of them, close in time and in height. Clearance means nothing otherwise. */
export function isSteady([latest, before]: readonly Value[]): boolean {
  if (!latest || !before || latest.low !== latest.high || before.low !== before.high) return false;
  if (hoursBetween(trueAt(before.event), trueAt(latest.event)) > STEADY.within_h) return false;
  const [low, high] = [Math.min(latest.low, before.low), Math.max(latest.low, before.low)];
  return low > 0 && high - low < STEADY.difference - 1e-9 && high / low < STEADY.ratio;
}

function factsOf(state: ClinicalState, links: readonly ConceptLink[]): Map<string, readonly Cite[]> {
  const out = new Map<string, readonly Cite[]>();
  for (const { of, key, concept } of links) {
    if (of === 'dx' && !state.tables.dx.has(key)) continue;
    const { truth, cites } = state.judge({ kind: 'has', of, key, isNegated: false });
    if (truth === true && cites.length > 0) out.set(concept, cites);
  }
  return out;
}

interface Taken {
  readonly uses: readonly Use[];
  readonly cites: ReadonlyMap<string, readonly Cite[]>;
  /** False where a drug is taken that the guideline tables cannot name: it might be of any class. */
  readonly isWhole: boolean;
}

/** Running orders, and in the first day the home list. */
function takenDrugs({ moment }: ClinicalState, known: PatientKnowledge): Taken {
  const uses: Use[] = [];
  const cites = new Map<string, readonly Cite[]>();
  let isWhole = true;
  const add = (name: string, route: string | null, cite: readonly Cite[]): void => {
    const drug = guidelineName(name, known);
    if (drug === undefined) isWhole = false;
    if (!drug || cite.length === 0) return;
    cites.set(drug, [...(cites.get(drug) ?? []), ...cite].slice(0, 1));
    if (!uses.some((u) => u.drug === drug)) uses.push({ ...useOf(drug, name, route), drug });
  };
  for (const order of moment.activeOrders) add(order.drug, order.route, eventsOf(moment.events, order));
  if (hoursBetween(moment.patient.admittime, moment.timepoint.cut_at) <= HOME_DRUGS_H)
    for (const span of moment.spans.filter((s) => s.kind === 'home_medication'))
      add(span.name ?? span.text, span.route, [citeWhole(span.span_id)]);
  return { uses, cites, isWhole };
}

/** Ids of shown prescription events of an order. */
const eventsOf = (events: ClinicalState['moment']['events'], order: Order): Cite[] =>
  events.filter((e) => e.order_id === order.order_id && e.is_shown).map((e) => citeWhole(e.event_id));

/** Name in drug-names.csv; null for a drug of the formulary that no guideline table has; undefined for an unknown name. */
export function guidelineName(
  name: string,
  { formulary, index }: Omit<PatientKnowledge, 'links'>,
): string | null | undefined {
  const [known] = formulary.named(name);
  if (known) return known.guideline_drug;
  const found = index.resolve(name);
  return 'reason' in found ? undefined : found.ingredient;
}

/** Routes of orders in the words of uses.csv. */
const ROUTES: Readonly<Record<string, string>> = {
  PO: 'oral',
  'PO/NG': 'oral',
  NG: 'oral',
  IV: 'intravenous',
  'IV DRIP': 'intravenous',
  'IV BOLUS': 'intravenous',
  IH: 'inhaled',
  NEB: 'inhaled',
  IM: 'intramuscular',
  PR: 'rectal',
  SC: 'subcutaneous',
  TD: 'transdermal',
};

/** A use of a drug as ordered; what the order does not say stays open. */
export function useOf(drug: string, name: string, route: string | null): Use {
  const isSlow = /\b(extended|er|xl|xr|sr|cr)\b/i.test(name);
  return {
    drug,
    form: isSlow ? 'extended_release' : null,
    route: ROUTES[route?.trim().toUpperCase() ?? ''] ?? null,
    dose: null,
    duration: null,
    facets: {},
  };
}
