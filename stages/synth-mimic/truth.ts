/** The folder `truth`: what was planted and what the patients really have. Never an input of another stage. */
import type { FileSink, FolderWriter } from '../contract.js';
import type { Subject } from './context.js';
import { cellOf } from './csv-file.js';
import { round } from './math.js';
import { ORDER_TRUTH } from './order-truth.js';
import type { Cell, LedgerEntry } from './rows.js';

const LEDGER_COLUMNS: readonly (keyof LedgerEntry)[] = [
  'dirty_id',
  'table',
  'subject_id',
  'stay_id',
  'key',
  'column',
  'clean_value',
  'dirty_value',
  'expectation',
];

/** Writes the truth files as subjects come. */
export interface Truth {
  ledger(entries: readonly LedgerEntry[]): void;
  /** Units of each fault so far. */
  readonly planted: ReadonlyMap<string, { table: string; n: number }>;
  subject(s: Subject, stay_id: number): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const encoder = new TextEncoder();

const cell = (value: Cell): string => (value === null || value === '' ? '' : cellOf(String(value)));

/** Opens dirty_ledger.csv, latent_diagnoses.csv, severities.csv and orders.csv. */
export function openTruth(folder: FolderWriter): Truth {
  const open = (path: string, header: string): { sink: FileSink; text: string } => ({
    sink: folder.open(path),
    text: `${header}\n`,
  });
  const ledger = open('dirty_ledger.csv', LEDGER_COLUMNS.join(','));
  const latent = open('latent_diagnoses.csv', 'subject_id,stay_id,dx_key,icd10');
  const severities = open('severities.csv', 'subject_id,stay_id,dx_key,is_coded,severity');
  const orders = open('orders.csv', ORDER_TRUTH.join(','));
  const all = [ledger, latent, severities, orders];
  const planted = new Map<string, { table: string; n: number }>();
  return {
    planted,
    ledger(entries) {
      for (const e of entries) {
        ledger.text += `${LEDGER_COLUMNS.map((c) => cell(e[c])).join(',')}\n`;
        const { table, n } = planted.get(e.dirty_id) ?? { table: e.table, n: 0 };
        planted.set(e.dirty_id, { table, n: n + 1 });
      }
    },
    subject(s, stay_id) {
      for (const o of s.orders) orders.text += `${ORDER_TRUTH.map((c) => cell(o[c])).join(',')}\n`;
      for (const d of s.numbers.dx) {
        const isCoded = s.person.dx[d.index] === 1;
        const severity = s.person.severities[d.index]!;
        const start = `${s.subject_id},${stay_id},${d.key}`;
        if (isCoded) latent.text += `${start},${d.icd10}\n`;
        if (isCoded || severity > 0) severities.text += `${start},${isCoded ? 1 : 0},${round(severity, 4)}\n`;
      }
    },
    async flush() {
      for (const f of all) {
        if (f.text.length === 0) continue;
        const bytes = encoder.encode(f.text);
        f.text = '';
        await f.sink.write(bytes);
      }
    },
    async close() {
      await this.flush();
      for (const f of all) await f.sink.close();
    },
  };
}
