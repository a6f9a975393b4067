/** Drug names, routes and doses of orders, folded for comparison. What is shown is always what was recorded. */

/** Words that only name a salt, an ester or a water content: `Metoprolol Tartrate` and `metoprolol` are one drug. */
const SALT_WORDS = new Set(
  (
    'acetate acetonide aspartate axetil benzoate besylate bisulfate bitartrate bromide butyrate calcium camsylate ' +
    'carbonate chloride citrate dihydrate dihydrochloride dimesylate dipropionate disodium etexilate fumarate gluconate ' +
    'hbr hcl hyclate hydrobromide hydrochloride lactate malate maleate mesylate mofetil monohyd monohydrate na ' +
    'napsylate nitrate oxalate pamoate phosphate polacrilex potassium propionate proxetil sod sodium succ succinate ' +
    'sulfate tartrate tosylate trihydrate tromethamine xinafoate'
  ).split(' '),
);

/** First words of which the second word is no mere salt: `potassium chloride` is not `potassium phosphate`. */
const ELECTROLYTES = new Set(
  (
    'aluminum ammonium barium bismuth calcium chromic copper cupric ferric ferrous iron lithium magnesium manganese ' +
    'phosphorus potassium selenium silver sodium strontium zinc'
  ).split(' '),
);

/**
 * A drug name for comparison: lower case, single blanks, without remarks in brackets (brands, strengths, protocols),
 * the mark of drugs outside the formulary, and words that only name a salt. Never for display. Two names with one fold
 * are one drug; two folds may still be one drug (a brand alone, `aspirin ec`).
 */
export function foldDrug(name: string): string {
  const plain = plainName(name);
  const bare = plain
    .replace(/\([^()]*\)/g, ' ')
    .replace(/\*nf\*/g, ' ')
    .replace(/[*_]/g, ' ');
  const words = (bare.trim() === '' ? plain : bare)
    .split(/\s+/)
    .map((w) => w.replace(/^[,.]+|[,.]+$/g, ''))
    .filter((w) => w !== '');
  // A strength may come first: `0.9% sodium chloride`.
  const named = Math.max(
    0,
    words.findIndex((w) => /\p{L}/u.test(w)),
  );
  if (ELECTROLYTES.has(words[named] ?? '')) return words.join(' ');
  return words.filter((w, i) => i <= named || !SALT_WORDS.has(w)).join(' ');
}

/** A name in lower case with single blanks and nothing else changed: what lists of patterns are matched with. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/\s+/g, ' ').trim();
}

/** Routes of one way into the body (P55). Eyes and ears are told apart by side; what is not listed is its own class. */
const ROUTE_CLASSES: Readonly<Record<string, readonly string[]>> = {
  PO: ['PO', 'PO/NG', 'ORAL', 'NG', 'NG/OG', 'OG', 'VG', 'G TUBE', 'J TUBE', 'NJ', 'DOBHOFF'],
  IV: ['IV', 'IV DRIP', 'IV BOLUS', 'IVPCA', 'IVPB', 'IV PUSH', 'IJ'],
  SC: ['SC', 'SUBCUT', 'SQ'],
  IH: ['IH', 'NEB', 'INHALATION'],
  NU: ['NU', 'NAS', 'IN'],
  PR: ['PR', 'RECTAL'],
  TP: ['TP', 'TOPICAL'],
};
const CLASS_OF_ROUTE = new Map(
  Object.entries(ROUTE_CLASSES).flatMap(([cls, routes]) => routes.map((r) => [r, cls] as const)),
);

/** Class of a recorded route: `PO/NG` and `ORAL` are `PO`; an unlisted route is itself in capitals; null stays null. */
export function routeClass(route: string | null): string | null {
  const text = route?.trim().replace(/\s+/g, ' ').toUpperCase() ?? '';
  return text === '' ? null : (CLASS_OF_ROUTE.get(text) ?? text);
}

export interface ParsedDose {
  /** Bounds in the recorded unit; equal for a single number, null where the text is no number or range. */
  readonly dose_low: number | null;
  readonly dose_high: number | null;
  /** `1-2 TAB`; null where no dose is recorded. */
  readonly dose_text: string | null;
}

const NUMBER = String.raw`(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)`;
const DOSE = new RegExp(String.raw`^(${NUMBER})(?:\s*(?:-|to)\s*(${NUMBER}))?$`);

/** Reads the text of a dose (P50): `1-2`, `0.5-1`, `25,000` (a comma is a thousands mark), `2000-8000`. */
export function parseDose(dose_val_rx: string | null, dose_unit_rx: string | null): ParsedDose {
  const value = dose_val_rx?.trim() ?? '';
  const unit = dose_unit_rx?.trim() ?? '';
  const dose_text = value === '' ? null : unit === '' ? value : `${value} ${unit}`;
  const found = DOSE.exec(value);
  if (!found) return { dose_low: null, dose_high: null, dose_text };
  const low = Number(found[1]!.replaceAll(',', ''));
  const high = found[2] === undefined ? low : Number(found[2].replaceAll(',', ''));
  // A range written the wrong way round says nothing certain.
  if (high < low) return { dose_low: null, dose_high: null, dose_text };
  return { dose_low: low, dose_high: high, dose_text };
}

/** Units of mass in milligrams, so that 1 g and 1000 mg are one dose. */
const MILLIGRAMS: Readonly<Record<string, number>> = { mg: 1, g: 1000, gm: 1000, mcg: 0.001, ug: 0.001 };

/** A dose for comparison: `1 g`, `1 gm` and `1000 mg` have one key; a dose that is no number is compared as text. */
export function doseKey(dose_val_rx: string | null, dose_unit_rx: string | null): string {
  const { dose_low, dose_high } = parseDose(dose_val_rx, dose_unit_rx);
  const unit = dose_unit_rx?.trim().toLowerCase() ?? '';
  if (dose_low === null || dose_high === null) return `${plainName(dose_val_rx ?? '')} ${unit}`.trim();
  const factor = MILLIGRAMS[unit];
  // Twelve digits: 0.001 x 62.5 must not differ from 0.0625 in the last place.
  const scaled = [dose_low, dose_high].map((n) => Number((n * (factor ?? 1)).toPrecision(12)));
  return `${scaled[0]}-${scaled[1]} ${factor === undefined ? unit : 'mg'}`.trim();
}
