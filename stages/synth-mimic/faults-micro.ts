/** Faults of dirty_rows.csv on microbiologyevents. */
import { plants, record, type Stay, type Subject } from './context.js';
import { addMicroRow } from './culture-rows.js';
import { type DrawnCulture, extraCulture } from './cultures.js';
import type { Microbiology } from './microbiology.js';
import type { MicroRow } from './rows.js';
import { HOUR, timeText } from './time.js';

const TABLE = 'hosp.microbiologyevents';

/** Organism of a cancelled test and of a negative screen; itemids of the release (P81). */
const CANCELLED = {
  org_itemid: 90760,
  org_name: 'CANCELLED',
  comments: 'TEST CANCELLED, PATIENT CREDITED.  ',
};

/** Plants D64 and D97 in a subject. */
export function plantMicroFaults(
  s: Subject,
  stay: Stay,
  cultures: readonly DrawnCulture[],
  tables: Microbiology,
): void {
  if (plants(s, 'D64')) withoutTime(s, stay, cultures, tables);
  if (plants(s, 'D97')) noResult(s, stay, tables);
}

/** D64: a culture of which only the day is known. */
function withoutTime(s: Subject, stay: Stay, cultures: readonly DrawnCulture[], tables: Microbiology): void {
  const r = s.stream('D64');
  const culture = cultures.length > 0 ? r.pick(cultures) : extraCulture(s, tables, stay, stay.t0 + 2 * HOUR);
  if (cultures.length === 0) {
    const comments = culture.test.negativeComment;
    addMicroRow(s, culture, { test_seq: 1, storetime: culture.finalAt, comments });
  }
  const rows = s.rows.microbiologyevents.filter((x) => x.micro_specimen_id === culture.microSpecimenId);
  const clean = timeText(rows[0]!.charttime!);
  for (const row of rows) row.charttime = null;
  note(s, stay, 'D64', `micro_specimen_id=${culture.microSpecimenId}`, 'charttime', clean, null);
}

/** D97: in turn a cancelled culture, and a culture with nothing but a comment. */
function noResult(s: Subject, stay: Stay, tables: Microbiology): void {
  const r = s.stream('D97');
  const culture = extraCulture(s, tables, stay, stay.t0 + r.int(3, 40) * HOUR);
  const isCancelled = s.person.i % 2 === 0;
  const row: MicroRow = addMicroRow(s, culture, {
    test_seq: 1,
    storetime: culture.finalAt,
    ...(isCancelled ? CANCELLED : { comments: '<10,000 organisms/ml.  ' }),
  });
  const column = isCancelled ? 'org_name' : 'comments';
  note(s, stay, 'D97', `microevent_id=${row.microevent_id}`, column, null, row[column]);
}

function note(
  s: Subject,
  stay: Stay,
  id: string,
  key: string,
  column: string,
  clean_value: string | null,
  dirty_value: string | null,
): void {
  record(s, id, { table: TABLE, stay_id: stay.stay_id, key, column, clean_value, dirty_value });
}
