/** The lists of this stage as tables of its SQL. */
import { col, table } from '../../schemas/table.js';
import type { SqlRow, StageContext } from '../contract.js';
import { type CsvRecord, parseCsv } from '../lib/csv.js';

const FOLDER = 'stages/build-trajectories';
const REGISTRY = 'raw/mimic/feature-registry.csv';

const charted = table({
  name: 'charted',
  doc: 'charted items that are shown, with the limits of what is a measurement',
  key: ['itemid'],
  row: {
    itemid: col.int(),
    kind: col.text(),
    label: col.text(),
    unit: col.text().nullable(),
    low: col.double(),
    high: col.double(),
    /** Place in the list, which is the order in an event. */
    order_n: col.int(),
  },
});

const skippedLabs = table({
  name: 'skipped_labs',
  doc: 'laboratory items that are no results',
  key: ['itemid'],
  row: { itemid: col.int() },
});

const noResults = table({
  name: 'no_results',
  doc: 'patterns of texts that are no results',
  key: ['pattern'],
  row: { pattern: col.text() },
});

const hiddenProcedures = table({
  name: 'hidden_procedures',
  doc: 'charted procedures that are kept and not shown',
  key: 'all',
  row: { ordercategoryname: col.text().nullable(), itemid: col.int().nullable() },
});

const labBounds = table({
  name: 'lab_bounds',
  doc: 'limits outside of which a laboratory number is a typing error (P26)',
  key: ['itemid'],
  row: { itemid: col.int(), low: col.double(), high: col.double() },
});

/** Lists that the stage declares as files. */
export const LIST_FILES: readonly string[] = [
  ...['charted', 'skipped-labs', 'no-results', 'hidden-procedures'].map((name) => `${FOLDER}/${name}.csv`),
  REGISTRY,
];

/** Creates the tables of the lists. */
export async function createLists(ctx: StageContext): Promise<void> {
  const read = (name: string): CsvRecord[] =>
    parseCsv(ctx.file(`${FOLDER}/${name}.csv`), `${FOLDER}/${name}.csv`);
  const id = (text: string | undefined): number | null => (text ? Number(text) : null);
  await ctx.sql.insert(
    'charted',
    charted,
    read('charted').map((r, i) => ({
      itemid: id(r.itemid),
      kind: r.kind!,
      label: r.label!,
      unit: r.unit || null,
      low: Number(r.low),
      high: Number(r.high),
      order_n: i + 1,
    })),
  );
  await ctx.sql.insert(
    'skipped_labs',
    skippedLabs,
    read('skipped-labs').map((r) => ({ itemid: id(r.itemid) })),
  );
  await ctx.sql.insert(
    'no_results',
    noResults,
    read('no-results').map((r) => ({ pattern: r.pattern! })),
  );
  await ctx.sql.insert(
    'hidden_procedures',
    hiddenProcedures,
    read('hidden-procedures').map((r) => ({
      ordercategoryname: r.ordercategoryname || null,
      itemid: id(r.itemid),
    })),
  );
  await ctx.sql.insert('lab_bounds', labBounds, readBounds(parseCsv(ctx.file(REGISTRY), REGISTRY)));
}

/** Statistics whose limits are those of one value, in the unit of the result. */
const VALUES = new Set(['first', 'last', 'min', 'max', 'mean']);

/** The limits of laboratory items from the feature registry; the widest where several features read an item. */
function readBounds(registry: readonly CsvRecord[]): SqlRow[] {
  const bounds = new Map<number, { low: number; high: number }>();
  const isValue = (r: CsvRecord): boolean =>
    r.source_table === 'hosp.labevents' && VALUES.has(r.statistic!) && r.unit_conversion === 'none';
  for (const r of registry.filter(isValue)) {
    for (const itemid of r.itemids!.split(';').map(Number)) {
      const known = bounds.get(itemid);
      bounds.set(itemid, {
        low: Math.min(known?.low ?? Number.POSITIVE_INFINITY, Number(r.plausible_low)),
        high: Math.max(known?.high ?? Number.NEGATIVE_INFINITY, Number(r.plausible_high)),
      });
    }
  }
  return [...bounds].map(([itemid, b]) => ({ itemid, ...b }));
}
