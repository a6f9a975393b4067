/** The drugs a patient took before the admission, in the words in which orders are compared. */
import { col, table } from '../../schemas/table.js';
import type { SqlRow, StageContext } from '../contract.js';
import { doseKey, foldDrug } from '../lib/drug-fold.js';

const homeList = table({
  name: 'home_list',
  doc: 'drug and dose of the list of medications on admission',
  key: ['hadm_id', 'drug_fold', 'dose_key'],
  row: { hadm_id: col.int(), drug_fold: col.text(), dose_key: col.text() },
});

const orderDoses = table({
  name: 'order_doses',
  doc: 'doses of orders as they are compared',
  key: 'all',
  row: { dose_val_rx: col.text().nullable(), dose_unit_rx: col.text().nullable(), dose_key: col.text() },
});

/** Splits `12.5 mg` into number or range and unit; a text without a number is all number, and compared as text. */
export function splitDose(text: string): { readonly value: string; readonly unit: string } {
  const found = /^([\d.,]+(?:\s*(?:-|to)\s*[\d.,]+)?)\s*(.*)$/.exec(text.trim());
  return found ? { value: found[1]!, unit: found[2]! } : { value: text.trim(), unit: '' };
}

/** Creates the tables `home_list` and `order_doses`; entries of the list without a dose cannot be compared and are left out. */
export async function createHomeList(ctx: StageContext): Promise<void> {
  const spans = await ctx.sql.rows<{ hadm_id: number; name: string; dose_text: string }>(
    `select distinct hadm_id, name, dose_text from profile_spans
     where kind = 'home_medication' and name is not null and dose_text is not null`,
  );
  const entries = new Map<string, SqlRow>();
  for (const { hadm_id, name, dose_text } of spans) {
    const { value, unit } = splitDose(dose_text);
    const row = { hadm_id, drug_fold: foldDrug(name), dose_key: doseKey(value, unit) };
    entries.set(JSON.stringify(row), row);
  }
  await ctx.sql.insert('home_list', homeList, entries.values());
  const doses = await ctx.sql.rows<{ dose_val_rx: string | null; dose_unit_rx: string | null }>(
    'select distinct dose_val_rx, dose_unit_rx from orders',
  );
  await ctx.sql.insert(
    'order_doses',
    orderDoses,
    doses.map((d) => ({ ...d, dose_key: doseKey(d.dose_val_rx, d.dose_unit_rx) })),
  );
}
