/** Procedures: an interval that overlaps the window, or one that starts in it. */
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import type { ProcedureRow } from './extract.js';
import type { Num } from './read.js';
import { feature, within } from './registry.js';
import { isTubeMode } from './ventilation.js';
import { textsOf } from './vitals.js';
import { HOUR } from './window.js';

const OVERLAPPING = ['F431', 'F432', 'F433', 'F434', 'F435', 'F437', 'F438'];
const STARTING = ['F436', 'F439', 'F440', 'F441', 'F442', 'F445', 'F446', 'F447', 'F448'];
const COUNTED = ['F443', 'F444'];
const INVASIVE = 225792;
const NON_INVASIVE = 225794;
const DEVICE = 226732;

/** F418 to F420, F431 to F448. F369 must stand in the sheet. */
export function procedureFeatures(c: Case, sheet: Sheet): void {
  for (const id of OVERLAPPING) put(sheet, id, flag(c, rowsOf(c, id).length > 0));
  for (const id of STARTING) {
    const started = rowsOf(c, id).some((r) => startsInside(c, r));
    put(sheet, id, id === 'F436' ? chestTube(c, started) : flag(c, started));
  }
  for (const id of COUNTED) {
    const n = rowsOf(c, id).filter((r) => startsInside(c, r)).length;
    put(sheet, id, !c.hasProcedures ? null : within(n, feature(id)));
  }
  ventilation(c, sheet);
}

function rowsOf(c: Case, id: string): ProcedureRow[] {
  return c.procedures.filter((r) => feature(id).itemids.includes(r.itemid));
}

function startsInside(c: Case, r: ProcedureRow): boolean {
  const day = c.windows.interval;
  return r.starttime >= day.from && r.starttime < day.to;
}

/** `any` is 0, not null, when the stay has procedure rows in the window. */
function flag(c: Case, hit: boolean): Num {
  if (hit) return 1;
  return c.hasProcedures ? 0 : null;
}

/** Also 1 when the tube drains; 0 when procedures or outputs are there. */
function chestTube(c: Case, started: boolean): Num {
  const drained = c.outputs.some((r) => feature('F369').itemids.includes(r.itemid) && r.value !== null);
  if (started || drained) return 1;
  return c.hasProcedures || c.outputs.length > 0 ? 0 : null;
}

function ventilation(c: Case, sheet: Sheet): void {
  const devices = textsOf(c.charts, [DEVICE]);
  const mode = c.charts.some(isTubeMode);
  const invasive = c.procedures.filter((r) => r.itemid === INVASIVE);
  const has_rows = c.hasProcedures || c.charts.length > 0;
  const tubed = invasive.length > 0 || mode || devices.includes('Endotracheal tube');
  put(sheet, 'F418', tubed ? 1 : has_rows ? 0 : null);
  put(sheet, 'F419', invasive.length === 0 ? null : unionHours(c, invasive));
  const masked = devices.some((text) => text === 'Bipap mask' || text === 'CPAP mask');
  const niv = masked || c.procedures.some((r) => r.itemid === NON_INVASIVE);
  put(sheet, 'F420', niv ? 1 : has_rows ? 0 : null);
}

/** Hours of the window covered by at least one of the intervals. */
function unionHours(c: Case, rows: readonly ProcedureRow[]): number {
  const day = c.windows.interval;
  const spans = rows
    .map((r) => [Math.max(r.starttime, day.from), Math.min(r.endtime ?? day.to, day.to)] as const)
    .sort((a, b) => a[0] - b[0]);
  let covered = 0;
  let reached = day.from;
  for (const [from, to] of spans) {
    covered += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return covered / HOUR;
}
