/** Medication lists of a note: what was taken at home, and what is to be taken after discharge. */
import type { Drug } from './formulary.js';
import type { Telling } from './note.js';
import type { Stream } from './rng.js';

/** Share of notes whose list is typed in running case rather than printed by the system. */
const TYPED = 0.3;

const FREQUENCIES: Readonly<Record<string, string>> = {
  DAILY16: 'DAILY',
  ASDIR: 'as directed',
  ONCE: 'DAILY',
  'Q2H:PRN CIWA': 'Q8H:PRN',
  'SLIDING SCALE': 'as directed',
};

const TYPED_FREQUENCIES: Readonly<Record<string, string>> = {
  DAILY: 'daily',
  BID: 'twice a day',
  TID: 'three times a day',
  QID: 'four times a day',
  QHS: 'at bedtime',
  Bedtime: 'at bedtime',
  QPM: 'in the evening',
};

/** A drug as a line of a list; `dose` replaces the dose of drugs.csv. */
function lineOf(drug: Drug, isTyped: boolean, dose: string, r: Stream): string {
  const raw = drug.row.frequency!;
  const frequency = FREQUENCIES[raw] ?? raw;
  // Home drugs are swallowed even where the ward gives them by vein.
  const route = drug.row.route!.replace('PO/NG', 'PO').replace(/^IV$/, 'PO');
  const name = drug.aliases.length > 0 && r.chance(0.25) ? r.pick(drug.aliases).trim() : drug.name;
  if (!isTyped) return [name, dose, route, frequency].filter((x) => x !== '').join(' ');
  const often = TYPED_FREQUENCIES[frequency] ?? frequency;
  return [name.toLowerCase(), dose, often].filter((x) => x !== '').join(' ');
}

/** `40 mg`; empty where drugs.csv gives none or zero. */
export function doseOf(drug: Drug): string {
  const { dose_val_rx, dose_unit_rx } = drug.row;
  return dose_val_rx === '' || dose_val_rx === '0' ? '' : `${dose_val_rx} ${dose_unit_rx}`;
}

const isTyped = (t: Telling): boolean => t.s.stream('typed lists').chance(TYPED);

/** Medications on admission: the home drugs, numbered. */
export function homeList(t: Telling): string {
  const drugs = homeDrugs(t);
  if (drugs.length === 0) return 'None';
  const r = t.s.stream('home list');
  return drugs
    .map((drug, n) => {
      const dose = doseOf(drug);
      const written = dose === '' ? dose : t.masks.write('dose', dose, `___ ${drug.row.dose_unit_rx}`);
      return `${n + 1}. ${lineOf(drug, isTyped(t), written, r)}`;
    })
    .join('\n');
}

/** Drugs of the home list by name. */
export function homeDrugs(t: Pick<Telling, 'background' | 'formulary'>): Drug[] {
  return t.background.home
    .map((h) => t.formulary.drugs.get(h.drugKey)!)
    .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
}

/** Discharge medications: what was taken at home, and what the last orders by mouth add. */
export function dischargeList(t: Telling): string {
  const r = t.s.stream('discharge list');
  const home = homeDrugs(t).map((drug) => lineOf(drug, isTyped(t), doseOf(drug), r));
  const lines = [...home, ...newLines(t)];
  return lines.length === 0 ? 'None' : lines.map((x, n) => `${n + 1}. ${x}`).join('\n');
}

function newLines(t: Telling): string[] {
  const known = new Set(homeDrugs(t).map((d) => d.name.toLowerCase()));
  const out: string[] = [];
  for (const x of t.lastOrders) {
    const key = x.drug.toLowerCase();
    if (known.has(key)) continue;
    known.add(key);
    out.push(`${x.drug} ${x.dose} PO`.replace(/ {2,}/g, ' '));
  }
  return out;
}
