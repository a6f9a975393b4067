/** What is reported of the rounds: medians, least values, and the ratio of every round. */
import type { Comparison, Outcome } from './case.js';
import type { CaseReport } from './run-case.js';

/** Median of any number of values; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export interface SideNumbers {
  readonly wall_s: { readonly median: number; readonly min: number };
  readonly cpu_s: { readonly median: number; readonly min: number };
  readonly peak_mb: number | null;
}

/** One line of the table. */
export interface Row {
  readonly case: string;
  readonly measure: string;
  readonly product: { readonly label: string } & Partial<SideNumbers>;
  readonly peer: { readonly label: string } & Partial<SideNumbers>;
  /** Why there are no figures: FAIL with its reason, or a peer that is not installed. */
  readonly note: string | null;
  /** Peer / product of every round; empty when a side is missing. */
  readonly cpu_ratios: readonly number[];
  readonly wall_ratios: readonly number[];
  readonly by: 'cpu' | 'wall';
  readonly target: Comparison['target'] | null;
  readonly is_met: boolean | null;
}

type Numbers = Omit<Outcome, 'result'>;

function numbersOf(rounds: readonly Numbers[] | undefined, measure: string): Partial<SideNumbers> {
  if (!rounds) return {};
  const of = (name: 'wall_s' | 'cpu_s'): { median: number; min: number } => {
    const values = rounds.map((r) => r.times[measure]?.[name] ?? Number.NaN);
    return { median: median(values), min: Math.min(...values) };
  };
  const peaks = rounds.map((r) => r.peak_mb);
  return { wall_s: of('wall_s'), cpu_s: of('cpu_s'), peak_mb: peaks.at(-1) ?? null };
}

/** The lines of a case, one for each of its comparisons. */
export function rowsOf(report: CaseReport): Row[] {
  if (report.comparisons.length === 0) return [checkedOnly(report)];
  return report.comparisons.map((c) => {
    const [ours, theirs] = [report.rounds[c.product], report.rounds[c.peer]];
    const ratios = (name: 'wall_s' | 'cpu_s'): number[] =>
      ours && theirs
        ? ours.map((o, i) => theirs[i]!.times[c.measure]![name] / (o.times[c.measure]?.[name] ?? NaN))
        : [];
    const [cpu_ratios, wall_ratios] = [ratios('cpu_s'), ratios('wall_s')];
    const by = c.by ?? 'cpu';
    const ratio = median(by === 'cpu' ? cpu_ratios : wall_ratios);
    return {
      case: report.name,
      measure: c.measure,
      product: { label: c.product, ...numbersOf(ours, c.measure) },
      peer: { label: c.peer, ...numbersOf(theirs, c.measure) },
      note: report.failure !== null ? 'FAIL' : report.missing.includes(c.peer) ? 'not installed' : null,
      cpu_ratios,
      wall_ratios,
      by,
      target: c.target ?? null,
      is_met: c.target && cpu_ratios.length > 0 ? ratio >= c.target.ratio : null,
    };
  });
}

/** A case without times: whether its result is right. */
function checkedOnly(report: CaseReport): Row {
  return {
    case: report.name,
    measure: 'result',
    product: { label: report.products.join('; ') },
    peer: { label: 'oracle' },
    note: report.failure === null ? 'equal' : 'FAIL',
    cpu_ratios: [],
    wall_ratios: [],
    by: 'cpu',
    target: null,
    is_met: null,
  };
}

const HEAD = ['case', 'part', 'product', 'wall s', 'CPU s', 'MB', 'peer', 'wall s', 'CPU s', 'MB'];
const RATIOS = ['CPU ratio', 'wall ratio', 'target'];

/** Three significant digits, never an exponent. */
export const short = (x: number | undefined): string =>
  x === undefined || !Number.isFinite(x) ? '-' : x >= 100 ? x.toFixed(0) : String(Number(x.toPrecision(3)));

const seconds = (x: SideNumbers['wall_s'] | undefined): string =>
  x ? `${short(x.median)} (${short(x.min)})` : '-';
const times = (ratios: readonly number[], isDecisive: boolean): string =>
  ratios.length === 0 ? '-' : `${short(median(ratios))}x${isDecisive ? '*' : ''}`;

function cellsOf(row: Row): string[] {
  const side = (s: Row['product']): string[] => [
    s.label,
    seconds(s.wall_s),
    seconds(s.cpu_s),
    s.peak_mb ? String(s.peak_mb) : '-',
  ];
  const verdict = row.is_met === null ? '' : row.is_met ? ' met' : ' MISSED';
  return [
    row.case,
    row.measure,
    ...side(row.product),
    ...side(row.peer),
    row.note ?? times(row.cpu_ratios, row.by === 'cpu'),
    row.note ? '-' : times(row.wall_ratios, row.by === 'wall'),
    row.target ? `${row.target.id} ${short(row.target.ratio)}x${verdict}` : '',
  ];
}

/** The table as text, columns aligned; repeated case names are left out. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map(cellsOf);
  const shown = cells.map((line, i) => [line[0] === cells[i - 1]?.[0] ? '' : line[0]!, ...line.slice(1)]);
  const all = [[...HEAD, ...RATIOS], ...shown];
  const widths = all[0]!.map((_, c) => Math.max(...all.map((line) => line[c]!.length)));
  const lines = all.map((line) =>
    line
      .map((cell, c) => cell.padEnd(widths[c]!))
      .join('  ')
      .trimEnd(),
  );
  return [lines[0]!, '-'.repeat(lines[0]!.length), ...lines.slice(1)].join('\n');
}
