/** Known tables of the project, passages and rules of replies for tests of the model author. */
import { readFileSync } from 'node:fs';
import { type Drafted, draftRule, type Passage } from '../../stages/draft-rules-from-prose/draft.js';
import { Known, type KnownTables } from '../../stages/draft-rules-from-prose/known.js';
import type { RuleReject } from '../../stages/draft-rules-from-prose/refuse.js';
import type { ReplyRule } from '../../stages/draft-rules-from-prose/reply.js';
import {
  DEFINITION_WORDS_FILE,
  UNIT_WORDS_FILE,
  USES_FILE,
} from '../../stages/draft-rules-from-prose/run.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { CONCEPTS_FILE } from '../../stages/lib/rules/concepts.js';
import { DEFINITIONS_FILE } from '../../stages/lib/rules/definitions.js';
import { printCondition } from '../../stages/lib/rules/expression.js';
import { guidelineRows } from '../support/guidelines.js';

const csv = (file: string) => parseCsv(readFileSync(file, 'utf8'), file);
export const known = new Known({
  drugNames: guidelineRows('drug-names'),
  classMembers: guidelineRows('classes'),
  classWords: guidelineRows('class-words'),
  concepts: csv(CONCEPTS_FILE),
  uses: csv(USES_FILE),
  definitions: csv(DEFINITIONS_FILE),
  definitionWords: csv(DEFINITION_WORDS_FILE),
  unitWords: csv(UNIT_WORDS_FILE),
} as unknown as KnownTables);

export const passage = (text: string, more: Partial<Passage> = {}): Passage => ({
  passage_id: 'P-1',
  source_id: 's',
  document_id: 'd',
  ref: 'label:d#s1',
  heading: 'H',
  generic_names: ['APIXABAN'],
  brand_names: ['Eliquis'],
  parts: [{ ref: 'label:d#s1', name: null, text }],
  ...more,
});
export const rule = (
  more: Partial<ReplyRule> = {},
  action: Partial<ReplyRule['action']> = {},
): ReplyRule => ({
  targets: [{ drug: 'apixaban', quote: null }],
  population: null,
  when: [],
  unless: [],
  action: {
    kind: 'avoid',
    quote: 'Avoid',
    act: null,
    dose_text: null,
    monitoring: null,
    alternative: null,
    ...action,
  },
  ...more,
});
export const draft = (
  text: string,
  r: ReplyRule,
  more: Partial<Passage> = {},
): Drafted | { readonly reject: RuleReject } => draftRule(known, passage(text, more), r);
/** The condition that a ground was read as, or the reason and field of the reject. */
export const when = (text: string, condition: string, quote = text): string => {
  const found = draft(`Avoid. ${text}`, rule({ when: [{ condition, quote }] }));
  return 'reject' in found ? `${found.reject.reason} ${found.reject.field}` : printCondition(found.body.when);
};
