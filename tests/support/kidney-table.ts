/** A guideline of three rows, printed as a PDF, and a model that drafts the rules of two of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../stages/lib/hash.js';
import { printTable } from './print-table.js';

export const FILE = 'fixtures/kidney-table.pdf';
export const EDITION = 'the kidney table of our fixture 2026';
export const QUOTE = 'Avoid.';

/** Writes the PDF and its lock entry; two rows say what Beers Table 6 says, in our words. Returns its path. */
export async function printDocument(dir: string): Promise<string> {
  const { bytes } = await printTable(
    [
      { banner: 'Adults aged 65 years or older' },
      ['Dabigatran', 'CrCl < 30 mL/min', QUOTE],
      ['Amiloride', 'CrCl < 30 mL/min', QUOTE],
      ['Ibuprofen', 'heart failure', 'No advice is given.'],
    ],
    {
      caption: 'Drugs by kidney function',
      columns: [
        { head: 'Drug', width: 140 },
        { head: 'Patients', width: 160 },
        { head: 'Advice', width: 160 },
      ],
    },
  );
  mkdirSync(dir, { recursive: true });
  const path = join(dir, 'kidney.pdf');
  writeFileSync(path, bytes);
  lock(dir, bytes);
  return path;
}

function lock(dir: string, bytes: Uint8Array): void {
  const entry = {
    path: FILE,
    sha256: sha256(bytes),
    bytes: bytes.length,
    source: 'printed by a test from our own rows',
    licence: 'CC0-1.0',
    access_class: 'open',
    edition: EDITION,
    coverage: { extent: 'complete', populations: ['older_adult'], covers: 'three rows' },
  };
  writeFileSync(join(dir, 'lock.json'), JSON.stringify([entry]));
}

/** What the model drafts: the drug of the row, its clearance, its advice, each quoted from its cell. */
export function reply(asked: string): object {
  const drug = ['Dabigatran', 'Amiloride'].find((d) => asked.includes(d));
  if (!drug) return { rules: [], nothing_because: 'gives no advice' };
  const clearance = 'CrCl < 30 mL/min';
  return {
    rules: [
      {
        targets: [{ drug: drug.toLowerCase(), quote: drug }],
        population: null,
        when: [{ condition: 'CrCl < 30 mL/min', quote: clearance }],
        unless: [],
        action: {
          kind: 'avoid',
          quote: QUOTE,
          act: null,
          dose_text: null,
          monitoring: null,
          alternative: null,
        },
      },
    ],
    nothing_because: null,
  };
}
