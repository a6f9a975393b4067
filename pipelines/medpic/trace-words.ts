/** A trace as text. */
import type { Change } from '../../schemas/medpic.js';
import type { BareTrace, TracedItem, TracedRule } from './trace.js';
import type { ProsePlace } from './trace-prose.js';
import type { TracedSpan } from './trace-source.js';

/** The whole trace for a terminal. */
export function wordTrace(t: BareTrace): string {
  return [
    wordItem(t.item, t.pair_id),
    ...t.partners.flatMap((p) => ['', wordPartner(p)]),
    ...t.rules.flatMap((r) => ['', ...wordRule(r)]),
    '',
    wordVerdict(t),
  ].join('\n');
}

function wordItem(item: TracedItem, pair_id: string | null): string {
  const pair = pair_id === null ? '' : `, ${item.role} of pair ${pair_id}`;
  return [
    `item ${item.instance_id} (${item.config}${pair})`,
    `  ${item.vignette}`,
    `  ${item.question}`,
    ...wordOptions(item),
  ].join('\n');
}

function wordPartner(p: BareTrace['partners'][number]): string {
  const changed = (p.changed ?? []).map((c) => `  changed (${p.direction}): ${wordChange(c)}`);
  return [
    `partner ${p.instance_id} (${p.role}): answer ${p.answer.join(', ')}`,
    ...changed,
    `  ${p.vignette}`,
    ...wordOptions(p),
  ].join('\n');
}

const wordChange = (c: Change): string => `${c.field}  ${JSON.stringify(c.from)} -> ${JSON.stringify(c.to)}`;

function wordOptions(item: TracedItem): string[] {
  return item.options.flatMap((o) => [
    `  ${o.is_key ? '*' : ' '} ${o.letter}. ${o.text}`,
    ...o.verdicts.map((v) => `       ${v.polarity}, ${v.source_id}: ${v.words}`),
  ]);
}

function wordRule(r: TracedRule): string[] {
  return [
    `rule ${r.rule_id}: ${r.label} (${r.source_id}, row ${r.row_id}), ${r.status}, drafted by ${r.author}`,
    ...Object.entries(r.says).map(([part, text]) => `  ${part.padEnd(10)}  ${text}`),
    `  ${wordSignatures(r)}`,
    ...r.spans.flatMap(wordSpan),
    ...wordFiles(r),
  ];
}

/** Every file that the rule was read from, with its whole hash. */
function wordFiles(r: TracedRule): string[] {
  const files = new Map(r.spans.map((s) => [s.file, wordHash(s)]));
  return [...files].map(([file, hash]) => `  ${file}  sha256 ${hash}`);
}

function wordHash({ prose, sha256, problem }: TracedSpan): string {
  if (prose === null) return sha256 ?? 'unknown: the file is absent';
  const { released_sha256, is_file_checked } = prose;
  if (is_file_checked)
    return `${released_sha256}: the file is there; its text is the one kept in the release`;
  if (problem !== null) return `${released_sha256} in the release: ${problem}`;
  return `${released_sha256} in the release; to look at the file again: PDF_DIR= or LABELS_DIR=`;
}

function wordSignatures(r: TracedRule): string {
  if (r.signatures.length === 0) return 'signatures  none: nobody has signed this rule';
  return `signatures  ${r.signatures.map((s) => `${s.field} ${s.status} (${s.reviewers.join(', ')})`).join('; ')}`;
}

/** Page, box in points and cell; or code and title of a section. */
function proseAt(p: ProsePlace): string[] {
  if (p.box === null)
    return [p.heading, `section ${[p.section_code, p.section_title].filter(Boolean).join(' ')}`.trim()];
  const box = p.box.map((x) => x.toFixed(1)).join(' ');
  return [`page ${p.page}`, `box ${box} pt`, `table ${p.table_n} row ${p.row} column ${p.col}`, p.heading];
}

function wordSpan(s: TracedSpan): string[] {
  const at = [
    ...(s.prose ? proseAt(s.prose) : []),
    s.row === null ? null : `row ${s.row}`,
    s.line === null ? null : `line ${s.line}`,
    s.column === null ? null : `column ${s.column}`,
  ].filter((x) => x !== null);
  const place = [s.file, ...at].join(', ');
  const state = s.is_equal ? 'stands there' : `DIFFERS: ${s.problem}`;
  const printed = s.printed === null || s.printed === s.quote ? [] : [`      printed: ${s.printed}`];
  return [`  ${s.field}  "${s.quote}"  ${state}`, `      ${place}`, ...printed];
}

function wordVerdict(t: BareTrace): string {
  const spans = t.rules.flatMap((r) => r.spans);
  const wrong = spans.filter((s) => !s.is_equal).length;
  const kept = spans.filter((s) => s.prose !== null).length;
  const quotes =
    wrong === 0
      ? `all ${spans.length} quotes ${kept > 0 ? `stand in their sources, ${kept} of them in text kept in the release` : 'were read again in their sources'}`
      : `${wrong} of ${spans.length} quotes do NOT stand in their sources`;
  const answers =
    t.disputed.length === 0
      ? 'the rules give exactly the released answers'
      : `the rules do NOT give the answer of ${t.disputed.join(', ')}`;
  return `${quotes}; ${answers}`;
}
