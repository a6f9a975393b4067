/** The real rows and lexicon of draft-rules, and what its parsers make of them. */
import { readFileSync } from 'node:fs';
import type { Rule } from '../../schemas/rule.js';
import type { Draft } from '../../stages/draft-rules/draft.js';
import { Lexicon, PHRASES_FILE } from '../../stages/draft-rules/lexicon.js';
import { identify } from '../../stages/draft-rules/run.js';
import type { SourceRow } from '../../stages/draft-rules/sources.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { drugKnowledge } from '../../stages/lib/drug-classes.js';
import { CONCEPTS_FILE, parseConcepts } from '../../stages/lib/rules/concepts.js';
import { DEFINITIONS_FILE, parseDefinitions } from '../../stages/lib/rules/definitions.js';
import type { Knowledge } from '../../stages/lib/rules/knowledge.js';
import { drugClasses, drugIndex, guidelineRows } from './guidelines.js';

const ourTable = (file: string) => parseCsv(readFileSync(file, 'utf8'), file);

export const drugs = drugIndex();
export const classes = drugClasses(drugs);

/** Rows of phrases.csv, concepts.csv, uses.csv. */
export const phraseRows = () => ourTable(PHRASES_FILE);
export const conceptRows = () => ourTable(CONCEPTS_FILE);
export const useRows = () => ourTable('stages/lib/rules/uses.csv');

export const lexicon = new Lexicon(
  phraseRows(),
  drugs,
  classes,
  parseDefinitions(ourTable(DEFINITIONS_FILE)),
);

/** What the rule engine knows. */
export const knowledge: Knowledge = {
  drugs: drugKnowledge(drugs, classes),
  concepts: parseConcepts(conceptRows()),
};

/** Rows of a source file as load-guidelines hands them over. */
export function sourceRows(file: string, is_current = true): SourceRow[] {
  return guidelineRows(file).map((cells, i) => {
    const sure = Object.entries(cells).every(
      ([name, cell]) => !name.startsWith('confidence') || cell === 'high' || cell === 'medium',
    );
    return {
      ...cells,
      row_id: cells.row_id!,
      source_file: `${file}.csv`,
      source_line: i + 2,
      document_id: file,
      is_current,
      is_usable: is_current && cells.use === 'ok' && sure,
    };
  });
}

/** The rules of a draft, which must not be a reject. */
export function rulesOf(row: SourceRow, draft: Draft): Rule[] {
  if ('reject' in draft) throw new Error(`${row.row_id}: ${JSON.stringify(draft.reject)}`);
  return draft.rules.map((rule) => identify(row, String(row.drug_or_class_label ?? row.row_id), rule));
}
