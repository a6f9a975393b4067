/** Physical exam on admission and at discharge, and the results a note quotes. */
import type { LabValue } from './findings.js';
import type { Telling } from './note.js';
import { fillVitals } from './note-history.js';
import { wrap } from './wrap.js';

const GENERAL = [
  'No distress',
  'Tired, in no distress',
  'Uncomfortable but cooperative',
  'Elderly appearing, alert',
];
const BODY = [
  'HEENT: moist mucosa, neck supple',
  'CV: regular, no rub',
  'Abd: soft, not tender',
  'Ext: warm, no clubbing',
];
const MOST_FINDINGS = 4;

/** Both exams in one section; none at discharge for who died. */
export function examText(t: Telling): string {
  const { vitals, lastVitals } = t.findings;
  const { r } = t;
  const arrived = t.conditions.filter((c) => c.origin === 'arrival');
  const found = arrived.flatMap((c) => t.phrases.of('exam', c.dx.key)).slice(0, MOST_FINDINGS);
  // Ordinary findings only where nothing else is told: they must not deny it.
  const body = found.length > 0 ? [] : BODY;
  const opening = fillVitals(t.phrases.of('exam_open')[0]!, vitals);
  const first = [
    ...(opening.includes('null') ? ['ADMISSION PHYSICAL EXAM:'] : splitTitle(opening)),
    `General: ${r.pick(GENERAL)}`,
    ...found.map((x) => `${x.charAt(0).toUpperCase()}${x.slice(1)}.`),
    ...body,
  ].map((x) => wrap(x));
  if (t.course.deathtime !== null) return first.join('\n');
  const closing = t.phrases
    .of('exam_close')[0]!
    .replace('{hr2}', String(lastVitals.hr ?? 78))
    .replace('{sbp2}', String(lastVitals.sbp ?? 118))
    .replace('{dbp2}', String(lastVitals.dbp ?? 66));
  return `${first.join('\n')}\n\n${splitTitle(closing)
    .map((x) => wrap(x))
    .join('\n')}`;
}

/** `TITLE: rest` as two lines. */
function splitTitle(text: string): string[] {
  const at = text.indexOf(': ');
  return [text.slice(0, at + 1), text.slice(at + 2)];
}

const line = (labs: readonly LabValue[]): string =>
  wrap(`___ ${labs.map((x) => `${x.name}-${x.value}${x.isAbnormal ? '*' : ''}`).join(' ')}`);

/** First and last laboratory values, and what the first report said. */
export function resultsText(t: Telling): string {
  const { firstLabs, lastLabs } = t.findings;
  const film = t.reports[0];
  const part = (title: string, text: string): string => `${title}\n${text}`;
  return [
    firstLabs.length > 0 ? part('ADMISSION LABS:', line(firstLabs)) : '',
    film ? part('IMAGING:', wrap(`${film.examName}: ${film.impression}`)) : '',
    lastLabs.length > 0 ? part('DISCHARGE LABS:', line(lastLabs)) : '',
  ]
    .filter((x) => x !== '')
    .join('\n\n');
}
