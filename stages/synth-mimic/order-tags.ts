/** Tags of cultures and reports (`micro:esbl`, `rad:pulmonary_edema`) over time. */
import type { Culture, Report } from './evidence.js';
import type { Source, TagReader } from './order-facts.js';
import { DAY } from './time.js';

/** What cultures and reports say at a moment. */
export interface TagsAt {
  readonly micro: (at: number) => ReadonlySet<string>;
  readonly rad: (at: number) => ReadonlySet<string>;
}

/** Follows the tags from result to result and from report to report. */
export function tagReader(cultures: readonly Culture[], reports: readonly Report[], at: TagsAt): TagReader {
  const micro = cultures.flatMap((c) =>
    [c.preliminaryAt, c.finalAt, c.drawnAt + 2 * DAY].map(
      (time): Source => ({
        at: time,
        table: 'hosp.microbiologyevents',
        key: `micro_specimen_id=${c.microSpecimenId}`,
      }),
    ),
  );
  const rad = reports.map(
    (x): Source => ({ at: x.storetime, table: 'note.radiology', key: `note_id=${x.noteId}` }),
  );
  const begins = { micro: beginnings(micro, at.micro), rad: beginnings(rad, at.rad) };
  return {
    starts: (of, tag) => begins[of].get(tag) ?? [],
    holds: (of, tag, time) => at[of](time).has(tag),
  };
}

/** Moments at which a tag appears that was not there just before. */
function beginnings(moments: readonly Source[], tagsAt: TagsAt['micro']): Map<string, Source[]> {
  const out = new Map<string, Source[]>();
  let before: ReadonlySet<string> = new Set();
  for (const moment of [...moments].sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1))) {
    const now = tagsAt(moment.at);
    for (const tag of now) if (!before.has(tag)) out.set(tag, [...(out.get(tag) ?? []), moment]);
    before = now;
  }
  return out;
}
