/** The edition a rule was read from. */
import { type Check, finding } from './check.js';

/** A rule of a superseded edition, or of a document that the lock does not know. */
export const checkEdition: Check = (rule, { documents }) => {
  const document = documents.get(rule.source_id);
  if (!document)
    return [finding(rule, 'unknown_document', '/', rule.source_id, 'a document of guideline_documents')];
  if (document.superseded_by === null) return [];
  return [
    finding(
      rule,
      'superseded_edition',
      '/',
      document.edition,
      `the current edition, ${document.superseded_by}`,
    ),
  ];
};
