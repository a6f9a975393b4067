/** Questions. They name the source in fixed words and presuppose neither population nor condition. */
import type { DecisionType } from '../../schemas/medpic.js';

/** How a stem names a source. */
export const SOURCE_NAMES: Readonly<Record<string, string>> = {
  beers2023: 'the 2023 AGS Beers Criteria',
  kids2025: 'the 2025 KIDs List',
  'tga-pregnancy': 'the Australian TGA database (May 2019 snapshot)',
  'fda-labels': 'US prescribing information',
  'fda-labels-prose': 'US prescribing information',
};

/** A source in words: as this project calls it, else the edition of its document. */
export function sourceName(source_id: string, editions: ReadonlyMap<string, string>): string {
  const name = SOURCE_NAMES[source_id] ?? editions.get(source_id);
  if (name === undefined) throw new Error(`no document says what ${source_id} is called`);
  return name;
}

const STEMS: Readonly<Record<DecisionType, readonly string[]>> = {
  avoidance: [
    'Which of the following should be avoided in this patient according to {source}?',
    'According to {source}, which of these medicines should this patient not be given?',
    'Going by {source}, which of the listed drugs should be avoided here?',
  ],
  interaction: [
    'Which of the following should not be given to this patient according to {source}?',
    'According to {source}, which of these drugs should this patient avoid?',
  ],
  dose: [
    'How should {drug} be handled in this patient according to {source}?',
    'According to {source}, which handling of {drug} fits this patient?',
  ],
  selection: [
    'Which of the following does {source} neither advise against nor limit in this patient?',
    'According to {source}, which of these may be given to this patient without a warning to avoid or change it?',
  ],
};

export interface Stem {
  readonly template_id: string;
  readonly text: string;
}

/** The stem of a decision type; `n` chooses the wording, `source` is the source in words. */
export function stem(type: DecisionType, source: string, n: number, drug = ''): Stem {
  const list = STEMS[type];
  const i = n % list.length;
  const text = list[i]!.replace('{source}', source).replace('{drug}', drug);
  const many = type === 'dose' ? 'Choose one answer.' : 'Choose every answer that applies.';
  return { template_id: `${type}.${i + 1}`, text: `${text} ${many}` };
}
