/** Rows of the AGS Beers Criteria become rules. */
import { allOf, exceptionsOf, type Found, foundIn, type ReadCell } from '../conditions.js';
import type { Draft, DraftRule } from '../draft.js';
import { withLabels } from '../labels.js';
import type { Lexicon } from '../lexicon.js';
import { type Recommendation, recommendationOf } from '../recommendations.js';
import { drafted, refuse } from '../refuse.js';
import { readInteracting, readTargets, type Targets } from './beers-drugs.js';
import { alsoRules, memberRules } from './beers-parts.js';
import { readRatings } from './beers-ratings.js';
import { BEERS, type BeersRow } from './beers-row.js';
import { checkAgreement, checkSense } from './beers-sense.js';
import { readThreshold } from './beers-threshold.js';
import { actionOf, conditionSpans } from './row-parts.js';

/** Columns of free text. Each text must be in phrases.csv, also where it adds nothing. */
const TEXT_COLUMNS = [
  'drug_or_class_label',
  'use_pattern',
  'recommendation_detail',
  'exceptions_text',
  'criterion_text',
] as const;

const TABLES = ['Table 2', 'Table 3', 'Table 4', 'Table 5', 'Table 6'] as const;
export type BeersTable = (typeof TABLES)[number];

/** Rules of one row. */
export function parseBeers(row: BeersRow, lexicon: Lexicon): Draft {
  return drafted(() => {
    const table = TABLES.find((t) => t === row.source_table);
    if (!table) return refuse('unknown_word', 'source_table', row.source_table, TABLES.join(', '));
    if (row.edition_year !== '2023') return refuse('unknown_word', 'edition_year', row.edition_year, '2023');
    const word = recommendationOf(row.recommendation);
    const cells = TEXT_COLUMNS.map(
      (column): ReadCell => ({ column, readings: lexicon.read(BEERS, column, row[column]) }),
    );
    checkAgreement(cells);
    const targets = readTargets(row, lexicon, cells);
    const main = mainRule({ row, lexicon, table, word, cells, targets });
    const parts = { row, main, cells, origin: { source: 'beers', table } as const };
    return [...memberRules(parts, lexicon), ...alsoRules(parts)];
  });
}

interface Parts {
  readonly row: BeersRow;
  readonly lexicon: Lexicon;
  readonly table: BeersTable;
  readonly word: Recommendation;
  readonly cells: readonly ReadCell[];
  readonly targets: Targets;
}

function mainRule({ row, lexicon, table, word, cells, targets }: Parts): DraftRule {
  const population = foundIn(
    [{ column: 'population', readings: lexicon.read(BEERS, 'population', row.population) }],
    'population',
  );
  const when = readWhen(row, lexicon, cells, targets);
  const { unless, spans } = exceptionsOf(row, foundIn(cells, 'unless'));
  const { ratings, spans: rating_spans } = readRatings(row, lexicon);
  const action = actionOf(row, 'recommendation', word, cells);
  const body = {
    target: targets.refs.map((t) => t.ref),
    population: allOf(population),
    when: allOf(when),
    unless,
    action: action.action,
    ratings,
  };
  checkSense(row, table, body);
  return {
    ...withLabels(body, { source: 'beers', table }),
    part: null,
    spans: [
      ...targets.spans,
      ...conditionSpans(row, '/population', population, lexicon),
      ...conditionSpans(row, '/when', when, lexicon),
      ...spans,
      ...action.spans,
      ...rating_spans,
    ],
  };
}

/** Interacting drugs, then free text, then the threshold. */
function readWhen(row: BeersRow, lexicon: Lexicon, cells: readonly ReadCell[], targets: Targets): Found[] {
  const threshold = readThreshold(
    row,
    targets.refs.map((t) => t.ref),
  );
  const is_count = threshold?.condition.type === 'drug_count';
  const interacting = readInteracting(row, lexicon, is_count);
  return [...interacting, ...foundIn(cells, 'when'), ...(threshold ? [threshold] : [])];
}
