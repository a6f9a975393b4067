/** A trace as text. */

import type { Trace, TracedFeature, TracedStay } from './trace.js';
import type { FeatureRow } from './trace-rows.js';

/** Source rows shown per feature and stay; --json has all. */
const SHOWN_ROWS = 6;

/** The whole trace for a terminal. */
export function wordTrace(t: Omit<Trace, 'words'>, with_rows: boolean): string {
  const title = t.pair_id === null ? `item ${t.stays[0]!.item_id}` : `pair ${t.pair_id}`;
  const question = `${t.task.toUpperCase()} ${title}: ${t.diagnosis} (${t.dx_code})`;
  const parts = [
    question,
    wordDistance(t),
    '',
    ...t.stays.map(wordStay),
    '',
    'deciding features (F_k, in rank order)',
    ...wordTable(t),
  ];
  if (with_rows)
    parts.push('', 'source rows', ...t.features.flatMap((f) => wordRows(f, t.stays)), '', wordVerdict(t));
  else parts.push('', 'source rows: give MIMIC_IV_DIR= to see them and to check every value again');
  return parts.filter((p) => p !== undefined).join('\n');
}

function wordDistance(t: Pick<Trace, 'distance' | 'theta' | 'phi' | 'task'>): string {
  if (t.distance === null) return 'a single stay: no distance';
  const limit = t.task === 'ddt' ? `below theta ${t.theta}` : `above phi ${t.phi}`;
  return `distance ${t.distance}, ${limit}`;
}

function wordStay(s: TracedStay): string {
  const codes = s.diagnosis_rows
    .map((d) => `${d.icd_code} (ICD-${d.icd_version}, seq_num ${d.seq_num})`)
    .join(', ');
  const label =
    s.label === 1
      ? `has the diagnosis: ${codes}`
      : 'has not the diagnosis: no row of diagnoses_icd carries it';
  return `${s.role}: stay_id ${s.stay_id}, subject_id ${s.subject_id}, hadm_id ${s.hadm_id}, item ${s.item_id}\n   ${label}`;
}

function wordTable(t: Omit<Trace, 'words'>): string[] {
  const cell = (f: TracedFeature, s: number): string => {
    const value = f.values[s];
    return value === null || value === undefined
      ? `not measured (imputed ${format(f.imputed[s]!)})`
      : format(value);
  };
  const rows = t.features.map((f) => [
    String(f.rank),
    f.feature_id,
    f.name,
    f.unit,
    ...t.stays.map((_, s) => cell(f, s)),
    ...(f.is_equal ? [f.is_equal.every(Boolean) ? 'rows agree' : 'ROWS DISAGREE'] : []),
  ]);
  const widths = rows[0]?.map((_, c) => Math.max(...rows.map((r) => r[c]!.length))) ?? [];
  return rows.map((r) => `  ${r.map((text, c) => text.padEnd(widths[c]!)).join('  ')}`.trimEnd());
}

function wordRows(f: TracedFeature, stays: readonly TracedStay[]): string[] {
  return [
    `  ${f.feature_id} ${f.name}`,
    ...stays.flatMap((stay, s) => {
      const rows = f.rows![s]!;
      const used = rows.filter((r) => r.why_not === null);
      const shown = used.slice(0, SHOWN_ROWS).map((r) => `      ${wordRow(r)}`);
      const more = used.length > SHOWN_ROWS ? [`      and ${used.length - SHOWN_ROWS} more used rows`] : [];
      const unused = rows.length - used.length;
      const head = `    stay_id ${stay.stay_id}: ${used.length} rows used${unused > 0 ? `, ${unused} not used` : ''}, value ${format(f.values[s] ?? null)}`;
      return [head, ...shown, ...more];
    }),
  ];
}

function wordRow(r: FeatureRow): string {
  const item = r.itemid === null ? '' : ` itemid ${r.itemid}`;
  const key = r.row_key === null ? '' : ` [${r.row_key}]`;
  const given = [r.value, r.valuenum, r.unit].filter((x) => x !== null && x !== '').join(' | ');
  return `${r.source_table}${item}${key}  ${r.at ?? ''}  ${given}  -> ${format(r.used_value)}`;
}

function wordVerdict(t: Omit<Trace, 'words'>): string {
  const checks = t.features.flatMap((f) => f.is_equal ?? []);
  const wrong = checks.filter((c) => !c).length;
  return wrong === 0
    ? `all ${checks.length} values computed again from the rows equal the released ones`
    : `${wrong} of ${checks.length} values computed again from the rows DIFFER from the released ones`;
}

const format = (x: number | null): string => (x === null ? 'null' : String(x));
