/** How a radiology report is laid out: the ten layouts of radiology_formats.csv. */
import type { DrawnReport } from './reports.js';
import type { Stream } from './rng.js';
import { wrap } from './wrap.js';

/** Parts of a report that every layout takes from. */
interface Parts {
  readonly exam: string;
  readonly indication: string;
  readonly technique: string;
  readonly comparison: string;
  readonly findings: string;
  readonly impression: string;
}

const TECHNIQUES: Readonly<Record<string, string>> = {
  CR: 'Portable or upright radiographs as labeled.',
  CT: 'Axial images with coronal and sagittal reformations.',
  MR: 'Multiplanar, multisequence images before and after contrast.',
  US: 'Grayscale and color Doppler images.',
};

/** Text of a report; `who` is a word for the patient, `reason` what was asked. */
export function reportText(report: DrawnReport, who: string, reason: string, r: Stream): string {
  const comparison = report.isFollowUp
    ? r.pick(['___', 'Study of ___', 'Prior film of ___'])
    : r.pick(['None.', 'None available.']);
  const layout = LAYOUTS[report.layout];
  if (!layout) throw new Error(`radiology_formats.csv: layout "${report.layout}" has no text`);
  return layout({
    exam: report.examName,
    indication: `___ year old ${who} with ${reason} // ${r.pick(QUESTIONS)}`,
    technique: TECHNIQUES[report.modality]!,
    comparison,
    findings: report.findings,
    impression: report.impression,
  });
}

const QUESTIONS = ['evaluate for acute process', 'interval change?', 'any acute finding?', 'please assess'];

const block = (header: string, text: string): string => `${header}:  ${wrap(text)}`;
const paragraph = (header: string, text: string): string => `${header}: \n\n${numbered(text)}`;
/** Numbered impressions stand on lines of their own. */
const numbered = (text: string): string =>
  text
    .split(/ (?=\d\. [A-Z])/)
    .map((line) => wrap(line))
    .join('\n');
const join = (...parts: readonly string[]): string => `${parts.join('\n\n')}\n`;

const head = (p: Parts): string =>
  join(block('INDICATION', p.indication), block('COMPARISON', p.comparison)).trimEnd();

const LAYOUTS: Readonly<Record<string, (p: Parts) => string>> = {
  'FINDINGS + IMPRESSION': (p) =>
    join(
      block('EXAMINATION', p.exam),
      block('INDICATION', p.indication),
      block('TECHNIQUE', p.technique),
      block('COMPARISON', p.comparison),
      paragraph('FINDINGS', p.findings),
      paragraph('IMPRESSION', p.impression),
    ),
  'IMPRESSION only': (p) => join(head(p), block('IMPRESSION', `${p.findings} ${p.impression}`)),
  'FINDINGS only': (p) => join(head(p), block('FINDINGS', `${p.findings} ${plain(p.impression)}`)),
  'one paragraph, no header': (p) =>
    join(
      wrap(
        `${p.exam.toLowerCase()} on ___ for ${p.indication.replace(/ \/\/.*/, '')}. ${p.findings} ${plain(p.impression)}`,
      ),
    ),
  'FINDINGS: IMPRESSION on one line': (p) =>
    join(
      block('INDICATION', p.indication),
      `FINDINGS AND IMPRESSION: ${`${p.findings} ${plain(p.impression)}`}`,
    ),
  'lower case headers': (p) => join(block('Findings', p.findings), block('Impression', plain(p.impression))),
  'CONCLUSION or SUMMARY instead': (p) =>
    join(
      head(p),
      block('FINDINGS', p.findings),
      block(p.findings.length % 2 === 0 ? 'CONCLUSION' : 'SUMMARY', plain(p.impression)),
    ),
  'NOTIFICATION after IMPRESSION': (p) =>
    join(
      head(p),
      paragraph('FINDINGS', p.findings),
      paragraph('IMPRESSION', p.impression),
      block(
        'NOTIFICATION',
        'Findings were told to Dr. ___ by telephone on ___ at ___, some minutes after they were seen.',
      ),
    ),
  'RECOMMENDATION(S) after IMPRESSION': (p) =>
    join(
      head(p),
      paragraph('FINDINGS', p.findings),
      paragraph('IMPRESSION', p.impression),
      block('RECOMMENDATION(S)', 'Repeat imaging when clinically needed.'),
    ),
  'PROVISIONAL or WET READ block before final': (p) =>
    join(
      `WET READ: ___ ___ ___\n${wrap(plain(p.impression))}`,
      '______________________________________________________________________________',
      'FINAL REPORT',
      head(p),
      paragraph('FINDINGS', p.findings),
      paragraph('IMPRESSION', p.impression),
    ),
};

/** An impression without its numbers. */
const plain = (text: string): string => text.replace(/(^| )\d\. (?=[A-Z])/g, '$1');
