/** Which rows of the formulary an order can be: the tables speak of `furosemide_iv`, an order of `Furosemide`, IV, 40 mg. */
import type { CsvRecord } from '../csv.js';
import { foldDrug } from '../drug-fold.js';

export const FORMULARY_FILE = 'raw/rxeval/formulary.csv';

/** What an order must tell. */
export interface OrderNames {
  readonly drug_fold: string;
  readonly route_class: string | null;
  readonly dose_text: string | null;
}

interface Entry {
  readonly drug_key: string;
  readonly folds: readonly string[];
  readonly routes: readonly string[];
  readonly doses: readonly string[];
}

export interface DrugKeys {
  readonly keys: ReadonlySet<string>;
  /** Keys that an order can be; several where name, route and dose do not tell them apart. Sorted. */
  of(order: OrderNames): string[];
  /** Folded names of a key. */
  folds(key: string): readonly string[];
}

/** Index over formulary.csv. */
export function drugKeys(records: readonly CsvRecord[]): DrugKeys {
  const list = (cell: string | undefined): string[] => (cell ?? '').split(';').filter(Boolean);
  const entries: Entry[] = records.map((r) => ({
    drug_key: r.drug_key!,
    folds: [...new Set(list(r.names).map(foldDrug))],
    routes: list(r.routes),
    doses: list(r.doses),
  }));
  const byKey = new Map(entries.map((e) => [e.drug_key, e]));
  return {
    keys: new Set(byKey.keys()),
    folds: (key) => byKey.get(key)?.folds ?? [],
    of: (order) => keysOf(entries, order),
  };
}

function keysOf(entries: readonly Entry[], order: OrderNames): string[] {
  const named = entries.filter((e) => e.folds.includes(order.drug_fold));
  const routed = named.filter((e) => order.route_class === null || e.routes.includes(order.route_class));
  const dosed = routed.filter((e) => order.dose_text !== null && e.doses.includes(order.dose_text));
  // A dose that no row has tells nothing: clinicians adjust doses.
  return (dosed.length > 0 ? dosed : routed).map((e) => e.drug_key).sort();
}
