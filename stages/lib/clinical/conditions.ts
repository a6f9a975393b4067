/**
 * Whether the patient has a condition, by what could be read before the moment: chief complaint, history of present
 * illness, past history (long-standing conditions only), codes of earlier admissions (likewise), radiology. Never by the
 * codes of this admission.
 */
import { UNKNOWN } from '../../../schemas/rxeval-record.js';
import type { Moment, RecordEvent, Span } from '../record/moment.js';
import { citeWhole, citeWords, type Judged, negate, UNKNOWN_TRUTH } from './judged.js';
import { type Mention, mentionsIn } from './mentions.js';
import type { DxRow } from './tables.js';

/** Sections whose statements say what the patient has now. */
const PRESENT = ['chief_complaint', 'history_of_present_illness'];
const PAST = 'past_medical_history';

interface Statement {
  readonly ref: string;
  readonly where: 'present' | 'past' | 'codes' | 'report';
  readonly mention: Mention;
}

/** `judgeAll` answers for the terms of `absent_when`. */
export function judgeCondition(
  moment: Moment,
  row: DxRow,
  judgeAll: (terms: DxRow['absent_when']) => Judged,
): Judged {
  if (row.sex !== null && moment.patient.gender !== row.sex) return bySex(moment);
  const statements = statementsOf(moment, row);
  const holds = statements.filter((s) => isStated(s, row));
  if (holds.length > 0) return { truth: true, cites: holds.slice(-2).map(quoteOf) };
  const isOpen = statements.some((s) => s.mention.sense !== 'denied' && s.mention.sense !== 'family');
  if (isOpen || !isHistoryKnown(moment)) return UNKNOWN_TRUTH;
  const denials = [...statements.filter((s) => s.mention.sense === 'denied'), ...denialsOf(moment, row)];
  const absent = judgeAll(row.absent_when);
  if (absent.truth !== true) return UNKNOWN_TRUTH;
  const cites = [...denials.slice(-1).map(quoteOf), ...absent.cites];
  return { truth: false, cites: cites.length > 0 ? cites : silence(moment) };
}

/** True when radiology of the last `max_age_h` hours shows it, false when the last report says that it is not there. */
export function judgeReports(reports: readonly RecordEvent[], words: RegExp, deny: RegExp | null): Judged {
  for (const report of [...reports].reverse()) {
    const found = mentionsIn(report.text, words);
    const stated = found.find((m) => m.sense === 'stated');
    if (stated) return { truth: true, cites: [citeWords(report.event_id, stated.sentence)] };
    const denied =
      found.find((m) => m.sense === 'denied') ?? (deny ? mentionsIn(report.text, deny)[0] : undefined);
    if (denied) return { truth: false, cites: [citeWords(report.event_id, denied.sentence)] };
  }
  return UNKNOWN_TRUTH;
}

function statementsOf(moment: Moment, row: DxRow): Statement[] {
  const spans = moment.spans.flatMap((span) => {
    const where = placeOf(span);
    if (where === null) return [];
    if (where === 'codes' && hasCode(span, row)) {
      const mention: Mention = { sense: 'stated', words: span.text, sentence: span.text };
      return [{ ref: span.span_id, where, mention }];
    }
    return mentionsIn(span.text, row.affirm).map((mention) => ({ ref: span.span_id, where, mention }));
  });
  const reports = shownReports(moment).flatMap((event) =>
    mentionsIn(event.text, row.affirm).map((mention) => ({
      ref: event.event_id,
      where: 'report' as const,
      mention,
    })),
  );
  return [...spans, ...reports];
}

export const shownReports = (moment: Moment): RecordEvent[] =>
  moment.events.filter((e) => e.kind === 'radiology' && e.is_shown);

function placeOf(span: Span): 'present' | 'past' | 'codes' | null {
  if (PRESENT.includes(span.section)) return 'present';
  if (span.section !== PAST) return null;
  return span.source_table === 'diagnoses_icd' ? 'codes' : 'past';
}

function hasCode(span: Span, row: DxRow): boolean {
  const code = /icd_code=([A-Z0-9.]+)/i.exec(span.source_key)?.[1]?.replaceAll('.', '');
  return code !== undefined && row.codes.some((prefix) => code.startsWith(prefix));
}

/** What ended long ago does not hold now, what lasts does. */
function isStated({ where, mention }: Statement, row: DxRow): boolean {
  if (row.isChronic) return mention.sense === 'stated' || mention.sense === 'past';
  return (where === 'present' || where === 'report') && mention.sense === 'stated';
}

function denialsOf(moment: Moment, row: DxRow): Statement[] {
  const { deny } = row;
  if (!deny) return [];
  return shownReports(moment).flatMap((event) =>
    mentionsIn(event.text, deny).map((mention) => ({
      ref: event.event_id,
      where: 'report' as const,
      mention,
    })),
  );
}

/** Silence means something only where somebody wrote the history down. */
function isHistoryKnown(moment: Moment): boolean {
  return ['history_of_present_illness', PAST].every((name) => {
    const text = moment.section(name)?.trim() ?? UNKNOWN;
    return text !== '' && text !== UNKNOWN;
  });
}

const silence = (moment: Moment): Judged['cites'] =>
  moment.spans
    .filter((s) => s.section === PAST && s.source_table !== 'diagnoses_icd')
    .slice(0, 1)
    .map((s) => citeWhole(s.span_id));

function bySex(moment: Moment): Judged {
  const span = moment.spans.find((s) => s.kind === 'demographic' && /\b(fe)?male\b|\b[mf]\b/i.test(s.text));
  return negate({ truth: true, cites: span ? [citeWhole(span.span_id)] : [] });
}

const quoteOf = ({ ref, mention }: Statement): Judged['cites'][number] => citeWords(ref, mention.sentence);
