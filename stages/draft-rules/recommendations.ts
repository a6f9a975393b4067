/** Every recommendation word of the four sources: what kind of action it is, and what it does to a candidate. */
import type { Action, Polarity } from '../../schemas/rule.js';
import { refuse } from './refuse.js';

export interface Recommendation {
  readonly kind: Action['kind'];
  readonly polarity: Polarity;
  readonly object: Action['object'];
}

type Row = readonly [Action['kind'], Polarity, Action['object']];

/**
 * Polarity: restrict (contraindicated, avoid in all its forms, not recommended, stop), change (reduce, cap, interrupt),
 * watch (caution, weigh, monitor, test), neutral (usual dose, no restriction, allow). `prefer alternative` is watch: the
 * drug of the row is the one that is not preferred, so it is no safe choice, yet nothing bars it.
 */
const TABLE: Readonly<Record<string, Row>> = {
  acceptable: ['prefer or allow', 'neutral', 'drug'],
  'adjust dose': ['reduce dose', 'change', 'dose'],
  'assess benefit and risk': ['caution, weigh or monitor', 'watch', 'drug'],
  avoid: ['avoid', 'restrict', 'drug'],
  'avoid as first- or second-line unless': ['avoid with exception', 'restrict', 'drug'],
  'avoid as first-line': ['avoid', 'restrict', 'drug'],
  'avoid as first-line unless': ['avoid with exception', 'restrict', 'drug'],
  'avoid beyond duration unless': ['cap dose or duration', 'change', 'dose'],
  'avoid chronic use unless': ['avoid with exception', 'restrict', 'drug'],
  'avoid combination': ['avoid combination', 'restrict', 'combination'],
  'avoid combination except': ['avoid combination', 'restrict', 'combination'],
  'avoid combination if': ['avoid combination', 'restrict', 'combination'],
  'avoid combination unless': ['avoid combination', 'restrict', 'combination'],
  'avoid combination when possible': ['avoid combination', 'restrict', 'combination'],
  'avoid dose above': ['cap dose or duration', 'change', 'dose'],
  'avoid except': ['avoid with exception', 'restrict', 'drug'],
  'avoid for indication': ['avoid', 'restrict', 'drug'],
  'avoid if': ['avoid', 'restrict', 'drug'],
  'avoid in timing window': ['avoid', 'restrict', 'drug'],
  'avoid initiating': ['avoid starting', 'restrict', 'drug'],
  'avoid initiating unless': ['avoid starting', 'restrict', 'drug'],
  'avoid unless': ['avoid with exception', 'restrict', 'drug'],
  'avoid unless benefit outweighs risk': ['avoid with exception', 'restrict', 'drug'],
  'avoid unless no alternative': ['avoid with exception', 'restrict', 'drug'],
  contraindicated: ['contraindicate', 'restrict', 'drug'],
  discontinue: ['stop or interrupt', 'restrict', 'drug'],
  'do not exceed': ['cap dose or duration', 'change', 'dose'],
  'do not use': ['contraindicate', 'restrict', 'drug'],
  interrupt: ['stop or interrupt', 'change', 'drug'],
  'limit dose': ['cap dose or duration', 'change', 'dose'],
  'no category-based restriction': ['no restriction', 'neutral', 'drug'],
  'no recommendation': ['not recommended', 'restrict', 'drug'],
  'not approved': ['not recommended', 'restrict', 'drug'],
  'not recommended': ['not recommended', 'restrict', 'drug'],
  'prefer alternative': ['prefer or allow', 'watch', 'drug'],
  'prefer alternative within class': ['prefer or allow', 'watch', 'drug'],
  preferred: ['prefer or allow', 'neutral', 'drug'],
  'reduce dose': ['reduce dose', 'change', 'dose'],
  'test first': ['caution, weigh or monitor', 'watch', 'drug'],
  'use dose': ['state normal dose', 'neutral', 'dose'],
  'use with caution': ['caution, weigh or monitor', 'watch', 'drug'],
  'use with extreme caution': ['caution, weigh or monitor', 'watch', 'drug'],
  'weigh benefit and risk': ['caution, weigh or monitor', 'watch', 'drug'],
};

/** The words of the table. */
export const RECOMMENDATION_WORDS: readonly string[] = Object.keys(TABLE);

/** The action of a recommendation word; an unknown word refuses the row. */
export function recommendationOf(word: string): Recommendation {
  if (!Object.hasOwn(TABLE, word))
    return refuse('unknown_word', 'recommendation', word, 'a word of stages/draft-rules/recommendations.ts');
  const [kind, polarity, object] = TABLE[word]!;
  return { kind, polarity, object };
}
