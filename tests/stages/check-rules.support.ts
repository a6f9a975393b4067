/** The rules of the four tables with everything that check-rules looks at. */
import { readFileSync } from 'node:fs';
import type { Rule } from '../../schemas/rule.js';
import type { Document, Sources } from '../../stages/check-rules/checks/check.js';
import { cellsOf, Places } from '../../stages/check-rules/places.js';
import type { Draft } from '../../stages/draft-rules/draft.js';
import { parseBeers } from '../../stages/draft-rules/parser/beers.js';
import { parseKids } from '../../stages/draft-rules/parser/kids.js';
import { parseLabel } from '../../stages/draft-rules/parser/labels.js';
import { parseTga } from '../../stages/draft-rules/parser/tga.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { DEFINITIONS_FILE, parseDefinitions } from '../../stages/lib/rules/definitions.js';
import { classes, drugs, knowledge, lexicon, rulesOf, sourceRows, useRows } from '../support/draft-rules.js';

type Parse = (row: never, with_: typeof lexicon) => Draft;
const PARSERS: readonly (readonly [string, Parse])[] = [
  ['beers2023', parseBeers],
  ['kids2025', parseKids],
  ['tga-pregnancy', parseTga],
  ['fda-labels', parseLabel],
];

const rows = new Map(PARSERS.map(([file]) => [file, sourceRows(file)]));

/** Every rule of the current tables. */
export const realRules: readonly Rule[] = PARSERS.flatMap(([file, parse]) =>
  rows.get(file)!.flatMap((row) => rulesOf(row, parse(row as never, lexicon))),
);

const definitions = parseDefinitions(parseCsv(readFileSync(DEFINITIONS_FILE, 'utf8'), DEFINITIONS_FILE));
const texts = new Map([...rows.values()].flatMap(cellsOf));

export const sources: Sources = {
  documents: new Map<string, Document>([
    ...PARSERS.map(
      ([id]) => [id, { document_id: id, edition: id, superseded_by: null }] as [string, Document],
    ),
    [
      'kids2020-superseded',
      {
        document_id: 'kids2020-superseded',
        edition: 'PPA KIDs List 2020',
        superseded_by: 'PPA KIDs List 2025',
      },
    ],
  ]),
  places: new Places(texts, definitions),
  definitions,
  drugs,
  classes,
  concepts: knowledge.concepts,
  uses: new Set(useRows().map((u) => `${u.facet} ${u.value}`)),
};

/** The sources with one cell that reads otherwise. */
export const withCell = (ref: string, text: string): Sources => ({
  ...sources,
  places: new Places(new Map([...texts, [ref, text]]), definitions),
});

/** A rule by its id. */
export function real(rule_id: string): Rule {
  const found = realRules.find((r) => r.rule_id === rule_id);
  if (!found) throw new Error(`no rule ${rule_id}`);
  return found;
}
