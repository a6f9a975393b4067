/** The tables of raw/mimic/synthetic about cultures: what is sent for which diagnosis, and what grows. */
import { type CsvRecord, parseCsv } from '../lib/csv.js';

const FOLDER = 'raw/mimic/synthetic';

/** Files about cultures. */
export const MICROBIOLOGY_FILES = ['microbiology', 'organisms'].map((name) => `${FOLDER}/${name}.csv`);

/** A culture that a diagnosis calls for; `*` calls for it in everybody. */
export interface Test {
  readonly dxKey: string;
  readonly spec: string;
  readonly specItemid: number;
  readonly testItemid: number;
  readonly testName: string;
  readonly probPositive: number;
  readonly organisms: readonly { readonly value: string; readonly weight: number }[];
  readonly negativeComment: string;
}

/** A germ and the drugs it is tested against. */
export interface Germ {
  readonly name: string;
  readonly itemid: number;
  readonly kind: string;
  readonly drugs: readonly { readonly itemid: number; readonly name: string; readonly susceptible: number }[];
}

export interface Microbiology {
  readonly tests: readonly Test[];
  readonly germs: ReadonlyMap<string, Germ>;
}

/** Germs without a row in the open demo get ids of our own, so that a positive culture always has one. */
const OWN_IDS = 89_001;

/** Reads both tables; `file` returns the text of a declared file. */
export function readMicrobiology(file: (path: string) => string): Microbiology {
  const table = (name: string): CsvRecord[] => parseCsv(file(`${FOLDER}/${name}.csv`), `${name}.csv`);
  const byName = new Map<string, CsvRecord[]>();
  for (const r of table('organisms')) byName.set(r.org_name!, [...(byName.get(r.org_name!) ?? []), r]);
  const germs = [...byName].map(([name, rows], n): [string, Germ] => [name, toGerm(name, rows, n)]);
  return { tests: table('microbiology').map(toTest), germs: new Map(germs) };
}

function toGerm(name: string, rows: readonly CsvRecord[], n: number): Germ {
  const first = rows[0]!;
  return {
    name,
    itemid: first.org_itemid ? Number(first.org_itemid) : OWN_IDS + n,
    kind: first.kind!,
    drugs: rows
      .filter((r) => r.ab_itemid !== '')
      .map((r) => ({
        itemid: Number(r.ab_itemid),
        name: r.ab_name!,
        susceptible: Number(r.prob_susceptible),
      })),
  };
}

function toTest(r: CsvRecord): Test {
  return {
    dxKey: r.dx_key!,
    spec: r.spec_type_desc!,
    specItemid: Number(r.spec_itemid),
    testItemid: Number(r.test_itemid),
    testName: r.test_name!,
    probPositive: Number(r.prob_positive),
    organisms: r.organisms!.split(';').map((x) => {
      const at = x.lastIndexOf(':');
      return { value: x.slice(0, at), weight: Number(x.slice(at + 1)) };
    }),
    negativeComment: r.negative_comment!,
  };
}
