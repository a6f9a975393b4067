/**
 * The last stay of a block makes up what the others had no room for: lines kept open, flushes, cough syrup, hourly if it
 * must be. Full blocks hardly need it; a last block of few stays may.
 */
import type { Subject } from './context.js';
import type { Formulary } from './formulary.js';
import { batchTimes, hasCarrier, isInfusion, type Piece } from './order-course.js';
import type { Therapy } from './order-plan.js';
import { HOUR, MINUTE } from './time.js';

/** Drugs of running orders that a batch can enter again, all harmless and without a condition. */
const RUNNING = ['d5w_base', 'ns_flush', 'guaifenesin', 'miconazole', 'artificial_tears', 'chlorhexidine'];
/** Orders that each need a row of their own: D61, D65, D66, D70. */
const ONE_EACH = ['D61', 'D65', 'D66', 'D70'];

/** Appends orders until the quotas of the block can be met. */
export function fillUp(s: Subject, formulary: Formulary, pieces: Piece[], begin: number, end: number): void {
  const due = (id: string): number => s.quota.dueAtLast(id);
  const count = (isFit: (p: Piece) => boolean): number => pieces.filter(isFit).length;
  const start = Math.ceil(begin / HOUR) * HOUR;
  const hours = Math.max(1, Math.floor((end - start) / HOUR) - 1);
  const add = (drugKey: string, n: number, length = 0): void => {
    for (let k = 0; k < n; k++) pieces.push(piece(formulary, drugKey, start + (k % hours) * HOUR, length));
  };
  const carriers = Math.floor(0.9 * count(hasCarrier));
  add('ns_flush', due('D69') - count((p) => p.therapy.drug.group === 'flush'));
  add('guaifenesin', due('D70') - count((p) => /^(PO|PO.NG|SC|IH|NEB)$/.test(p.therapy.drug.row.route!)));
  const rows = ONE_EACH.reduce((sum, id) => sum + due(id), 0);
  const lines = Math.max(
    due('D68') - carriers,
    Math.ceil((due('D73') - Math.floor(0.97 * (pieces.length + carriers))) / 2),
    due('D99') - count(isInfusion),
    due('D71') > 0 ? due('D71') + 1 - count((p) => p.kind === 'renewal') : 0,
    rows - pieces.length,
  );
  add('d5w_base', Math.ceil(lines * 1.05));
  if (due('D72') > 0 && batchTimes(s, [begin], pieces, end).length === 0)
    for (const key of RUNNING) add(key, 1, end - start - HOUR);
}

function piece(formulary: Formulary, drugKey: string, startAt: number, length: number): Piece {
  const drug = formulary.drugs.get(drugKey)!;
  const rule = formulary.indications.find((x) => x.drugKey === drugKey)!;
  const orderAt = startAt - 17 * MINUTE + 23;
  const therapy: Therapy = {
    ...{ drugKey, drug, rule, isCompanion: false, orderAt, startAt, until: startAt + length, against: [] },
    trigger: { at: orderAt - MINUTE, table: 'hosp.admissions', key: '' },
    availableAt: orderAt - MINUTE,
  };
  return {
    ...{ therapy, kind: 'first', orderAt, startAt, replaces: null, doseFactor: 1 },
    ...{ stopAt: startAt + length, endedBy: 'expired', endedAt: null },
  };
}
