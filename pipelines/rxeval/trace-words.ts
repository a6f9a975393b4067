/** A trace as text. */
import type { Cite } from '../../schemas/rxeval.js';
import { renderLead } from '../../stages/lib/render-record.js';
import { clip } from '../../stages/lib/report-page/text.js';
import type { SourceRow } from './source-rows.js';
import type { Trace, TracedCite, TracedOption } from './trace.js';

/** Columns that say what a row is; the others are left to --json. */
const SHOWN_COLUMNS = [
  'itemid',
  'charttime',
  'storetime',
  'starttime',
  'ordertime',
  'chartdate',
  'drug',
  'dose_val_rx',
  'dose_unit_rx',
  'route',
  'value',
  'valuenum',
  'valueuom',
  'flag',
  'org_name',
  'spec_type_desc',
  'icd_code',
  'note_type',
] as const;
/** Characters of a place that is cited as a whole. */
const SHOWN_TEXT = 120;
/** Rows of an event that are listed; --json has all. */
const SHOWN_ROWS = 3;

/** The whole trace for a terminal. */
export function wordTrace(t: Omit<Trace, 'words'>): string {
  const head = [
    `question ${t.question_id}, moment ${t.timepoint_id} (${t.phase})`,
    `hadm_id ${t.scene.hadm_id}, orders start ${t.starttime}, evidence before ${t.scene.cut_at}`,
  ];
  const foot = t.has_rows
    ? [
        t.is_valid
          ? 'every citation stands in the record, and its rows were found'
          : 'SOME CITATION DOES NOT STAND',
      ]
    : ['source rows: give MIMIC_IV_DIR= to see them'];
  return [...head, ...t.options.flatMap((o) => ['', ...wordOption(o, t)]), '', ...foot].join('\n');
}

function wordOption(o: TracedOption, t: Omit<Trace, 'words'>): string[] {
  const { option, chain, distractor } = o;
  const head = `${option.letter}  ${option.text}  ${option.is_correct ? 'RIGHT' : 'wrong'}`;
  const wordCites = (cites: readonly Cite[], indent: string): string[] =>
    cites.flatMap((cite) => {
      const found = o.cites.find((c) => JSON.stringify(c.cite) === JSON.stringify(cite));
      return found ? wordCite(found, t, indent) : [];
    });
  if (chain) {
    const rule = chain.rule_id ? `, rule ${chain.rule_id}` : '';
    return [
      head,
      `   order ${chain.order_id}, ${chain.drug_class}, chain by ${chain.author}${rule}, attempt ${chain.attempt_n}`,
      ...chain.steps.flatMap((s) => [
        `   ${s.number}. ${s.fact}${s.depends_on.length > 0 ? ` (from ${s.depends_on.join(', ')})` : ''}`,
        `      so: ${s.inference}`,
        ...wordCites(s.cites, '      '),
      ]),
      `   ${chain.summary}`,
    ];
  }
  if (!distractor) return [head, '   NOTHING STANDS BEHIND THIS OPTION'];
  const step = distractor.targets_step === null ? 'the whole chain' : `step ${distractor.targets_step}`;
  return [
    head,
    `   distractor ${distractor.distractor_id}, ${distractor.strategy}: ${step} of order ${distractor.targets_order_id} ${distractor.perturbation}`,
    `   plausible: ${distractor.why_plausible}`,
    ...wordCites(distractor.plausible_cites, '      '),
    `   wrong: ${distractor.why_wrong}`,
    ...distractor.proofs.flatMap((p) => [
      `   proof of ${p.claim} by ${p.by}: ${p.rule_ids.join(', ')}${p.rule_status ? ` (${p.rule_status})` : ''}`,
      ...wordCites(p.cites, '      '),
    ]),
  ];
}

function wordCite(c: TracedCite, t: Omit<Trace, 'words'>, indent: string): string[] {
  const { cite, ground } = c;
  const at = ground.available_at;
  const when =
    at === null ? '' : at < t.scene.cut_at ? `, ${renderLead(at, t.scene.cut_at)} before` : ', TOO LATE';
  const what =
    cite.item === null
      ? JSON.stringify(cite.quote ?? cite.value ?? clip(ground.text.replace(/\s+/g, ' '), SHOWN_TEXT))
      : [cite.item, cite.value, cite.unit].filter((x) => x !== null).join(' ');
  return [
    `${indent}[${cite.ref}] ${ground.place}${when}: ${what}`,
    ...ground.problems.map((p) => `${indent}  PROBLEM: ${p}`),
    ...wordRows(c, `${indent}  `),
  ];
}

function wordRows({ ground, rows }: TracedCite, indent: string): string[] {
  if (!rows)
    return ground.source_keys.slice(0, SHOWN_ROWS).map((k) => `${indent}<- ${ground.source_table} ${k}`);
  const more = rows.length > SHOWN_ROWS ? [`${indent}and ${rows.length - SHOWN_ROWS} more rows`] : [];
  return [...rows.slice(0, SHOWN_ROWS).map((r) => `${indent}<- ${r.table} ${r.key}${wordRow(r)}`), ...more];
}

function wordRow({ row }: SourceRow): string {
  if (row === null) return '  NO SUCH ROW';
  const shown = SHOWN_COLUMNS.flatMap((c) =>
    row[c] === undefined || row[c] === null || String(row[c]) === '' ? [] : [`${c} ${String(row[c])}`],
  );
  return shown.length === 0 ? '' : `: ${shown.join(', ')}`;
}
