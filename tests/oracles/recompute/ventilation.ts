/** Was the patient on a ventilator (or a mask with pressure) at a given time? */
import { type Case, isValid } from './case.js';
import type { ChartRow, ProcedureRow } from './extract.js';
import { groupBy } from './extract.js';
import { max, min } from './series.js';
import { HOUR, isFiled } from './window.js';

const DEVICE = 226732;
const MODE = 223849;
const MODE_HAMILTON = 229314;
const FLOWS = [223834, 227582, 227287];
const INVASIVE_PROCEDURE = 225792;
const MASK_PROCEDURE = 225794;

/** Modes that run through a tube (names as charted). */
const TUBE_MODES = new Set([
  '(S) CMV',
  'APRV',
  'APRV/Biphasic+ApnPress',
  'APRV/Biphasic+ApnVol',
  'APV (cmv)',
  'Ambient',
  'Apnea Ventilation',
  'CMV',
  'CMV/ASSIST',
  'CMV/ASSIST/AutoFlow',
  'CMV/AutoFlow',
  'CPAP/PPS',
  'CPAP/PSV',
  'CPAP/PSV+Apn TCPL',
  'CPAP/PSV+ApnPres',
  'CPAP/PSV+ApnVol',
  'MMV',
  'MMV/AutoFlow',
  'MMV/PSV',
  'MMV/PSV/AutoFlow',
  'P-CMV',
  'PCV+',
  'PCV+/PSV',
  'PCV+Assist',
  'PRES/AC',
  'PRVC/AC',
  'PRVC/SIMV',
  'PSV/SBT',
  'SIMV',
  'SIMV/AutoFlow',
  'SIMV/PRES',
  'SIMV/PSV',
  'SIMV/PSV/AutoFlow',
  'SIMV/VOL',
  'SYNCHRON MASTER',
  'SYNCHRON SLAVE',
  'VOL/AC',
]);
const TUBE_MODES_HAMILTON = new Set([
  'APRV',
  'APV (cmv)',
  'Ambient',
  '(S) CMV',
  'P-CMV',
  'SIMV',
  'APV (simv)',
  'P-SIMV',
  'VS',
  'ASV',
]);
const MASK_MODES_HAMILTON = new Set(['DuoPaP', 'NIV', 'NIV-ST']);
const LOW_SUPPORT = new Set([
  'Non-rebreather',
  'Face tent',
  'Aerosol-cool',
  'Venti mask',
  'Medium conc mask',
  'Ultrasonic neb',
  'Vapomist',
  'Oxymizer',
  'High flow neb',
  'Nasal cannula',
]);

type Support = 'tracheostomy' | 'invasive' | 'mask' | 'high flow' | 'oxygen' | 'none';

interface Charted {
  readonly time: number;
  readonly support: Support;
}

interface Episode {
  readonly from: number;
  readonly to: number;
  readonly support: Support;
}

/** Chartings this far apart say nothing about the time between them (the gap of the public concept). */
const LONGEST_GAP_HOURS = 14;

/**
 * Benchmark: an invasive ventilation procedure covers the time, or a charting of a tube or tube mode does, up to the next
 * charting of any device or mode. Oracle: the episodes of the public concept.
 */
export function isVentilatedAt(c: Case, time: number): boolean {
  if (c.options.profile === 'oracle') {
    return episodesOf(c).some((e) => e.support === 'invasive' && time >= e.from && time <= e.to);
  }
  return isCovered(c, time, INVASIVE_PROCEDURE, 'invasive');
}

/** The same for a pressure mask; the public concept: from one hour before the first charting to four hours after the last. */
export function isOnMaskAt(c: Case, time: number): boolean {
  if (c.options.profile !== 'oracle') return isCovered(c, time, MASK_PROCEDURE, 'mask');
  const masked = c.charts.filter((r) => r.itemid === DEVICE && /cpap|bipap mask/i.test(r.value ?? ''));
  const inDay = masked.filter((r) => r.charttime >= c.windows.output.from).map((r) => r.charttime);
  const [first, last] = [min(inDay), max(inDay)];
  return first !== null && time >= first - HOUR && time <= last! + 4 * HOUR;
}

function isCovered(c: Case, time: number, procedure: number, support: Support): boolean {
  return (
    proceduresOf(c, procedure).some((r) => r.starttime <= time && (r.endtime ?? time) >= time) ||
    spansOf(c, support).some((span) => span.from <= time && span.to >= time)
  );
}

function proceduresOf(c: Case, itemid: number): ProcedureRow[] {
  return (c.extract.procedures.get(c.stay.stay_id) ?? []).filter(
    (r) => r.itemid === itemid && isValid(r) && isFiled(c.windows.interval, r.starttime, r.storetime),
  );
}

/** Each charting of a kind lasts up to the next charting of any kind, if that follows within 14 hours. */
function spansOf(c: Case, support: Support): { from: number; to: number }[] {
  const charted = kindsOf(c);
  return charted.flatMap((now, i) => {
    if (now.support !== support) return [];
    const next = charted[i + 1];
    const follows = next !== undefined && next.time - now.time < LONGEST_GAP_HOURS * HOUR;
    return [{ from: now.time, to: follows ? next.time : now.time }];
  });
}

/** What was charted up to the end of the window, one kind for each charttime: the strongest. */
function kindsOf(c: Case): Charted[] {
  const rows = c.allCharts.filter(
    (r) => r.charttime < c.windows.interval.to && isFiled(c.windows.interval, r.charttime, r.storetime),
  );
  return [...groupBy(rows, (r) => r.charttime).entries()]
    .sort((a, b) => a[0] - b[0])
    .map(([time, group]) => ({ time, support: strongest(group.map(kindOf)) }))
    .filter((s): s is Charted => s.support !== null);
}

const STRENGTH: readonly Support[] = ['invasive', 'mask', 'high flow', 'oxygen'];

function strongest(kinds: readonly (Support | null)[]): Support | null {
  return STRENGTH.find((kind) => kinds.includes(kind)) ?? null;
}

function kindOf(r: ChartRow): Support | null {
  if (isTubeMode(r)) return 'invasive';
  const text = (r.value ?? '').trim();
  if (r.itemid === MODE_HAMILTON && MASK_MODES_HAMILTON.has(text)) return 'mask';
  if (r.itemid !== DEVICE || text === '') return null;
  if (text === 'Endotracheal tube') return 'invasive';
  if (text === 'Bipap mask' || text === 'CPAP mask') return 'mask';
  return text === 'High flow nasal cannula' ? 'high flow' : 'oxygen';
}

/** A ventilator mode that is charted (as text or as its code), runs, and is not for a mask. Code 30 of 223849 is Standby. */
export function isTubeMode(r: ChartRow): boolean {
  const text = (r.value ?? '').trim();
  if (r.itemid !== MODE && r.itemid !== MODE_HAMILTON) return false;
  if (text === '') return r.valuenum !== null && !(r.itemid === MODE && r.valuenum === 30);
  if (text === 'Standby' || text === 'Ambient') return false;
  return !(r.itemid === MODE_HAMILTON && MASK_MODES_HAMILTON.has(text));
}

/** Ventilated at any time of the first day. */
export function isVentilatedInDay(c: Case): boolean {
  const { from, to } = c.windows.interval;
  if (c.options.profile === 'oracle') {
    const end = c.stay.intime + 24 * HOUR;
    return episodesOf(c).some((e) => e.support === 'invasive' && e.from <= end && e.to >= c.stay.intime);
  }
  const byProcedure = proceduresOf(c, INVASIVE_PROCEDURE).some(
    (r) => r.starttime < to && (r.endtime ?? to) >= from,
  );
  return byProcedure || spansOf(c, 'invasive').some((span) => span.to >= from);
}

function episodesOf(c: Case): Episode[] {
  const charted = chartedSupport(c.allCharts, true);
  const episodes: { times: number[]; ends: number[]; support: Support }[] = [];
  charted.forEach((now, i) => {
    const before = charted[i - 1];
    const same = charted.slice(0, i).findLast((s) => s.support === now.support);
    const next = charted[i + 1];
    const fresh =
      !before ||
      before.support !== now.support ||
      (same && hourSteps(same.time, now.time) >= LONGEST_GAP_HOURS);
    if (fresh) episodes.push({ times: [], ends: [], support: now.support });
    const end = next && hourSteps(now.time, next.time) < LONGEST_GAP_HOURS ? next.time : now.time;
    episodes.at(-1)!.times.push(now.time);
    episodes.at(-1)!.ends.push(end);
  });
  return episodes
    .filter((e) => e.times.length > 1)
    .map((e) => ({ from: e.times[0]!, to: max(e.ends)!, support: e.support }));
}

/** Full hours of the clock that were passed, as the public concept counts a gap. */
function hourSteps(from: number, to: number): number {
  return Math.floor(to / HOUR) - Math.floor(from / HOUR);
}

/** `needs_flow`: the public concept sees a device only when an oxygen flow stands at the same charttime. */
function chartedSupport(rows: readonly ChartRow[], needs_flow = false): Charted[] {
  const relevant = rows.filter(
    (r) => [DEVICE, MODE, MODE_HAMILTON, ...FLOWS].includes(r.itemid) && r.value !== null,
  );
  return [...groupBy(relevant, (r) => r.charttime).entries()]
    .sort((a, b) => a[0] - b[0])
    .map(([time, group]) => ({ time, support: supportOf(group, needs_flow) }))
    .filter((s): s is Charted => s.support !== null);
}

function supportOf(group: readonly ChartRow[], needs_flow: boolean): Support | null {
  const texts = (itemid: number): string[] =>
    group
      .filter((r) => r.itemid === itemid)
      .map((r) => r.value!.trim())
      .sort();
  const has_flow = group.some((r) => FLOWS.includes(r.itemid));
  const device = needs_flow && !has_flow ? '' : (texts(DEVICE).at(-1) ?? '');
  const mode = texts(MODE).at(-1) ?? '';
  const hamilton = texts(MODE_HAMILTON).at(-1) ?? '';
  if (device === 'Tracheostomy tube' || device === 'Trach mask') return 'tracheostomy';
  if (device === 'Endotracheal tube' || TUBE_MODES.has(mode) || TUBE_MODES_HAMILTON.has(hamilton))
    return 'invasive';
  if (device === 'Bipap mask' || device === 'CPAP mask' || MASK_MODES_HAMILTON.has(hamilton)) return 'mask';
  if (device === 'High flow nasal cannula') return 'high flow';
  if (LOW_SUPPORT.has(device)) return 'oxygen';
  return device === 'None' ? 'none' : null;
}
