/** Rows of the AGS Beers Criteria become rules. */
import type { RuleBody, Span } from '../../../schemas/rule.js';
import { allOf, exceptionsOf, type Found, foundIn, type ReadCell, spansOf } from '../conditions.js';
import { definitionSpans } from '../definition-spans.js';
import { cellSpan, type Draft, type DraftRule } from '../draft.js';
import { withLabels } from '../labels.js';
import type { Lexicon } from '../lexicon.js';
import { type Recommendation, recommendationOf } from '../recommendations.js';
import { drafted, refuse } from '../refuse.js';
import { readInteracting, readTargets, type Targets } from './beers-drugs.js';
import { alsoRules, memberRules } from './beers-parts.js';
import { readRatings } from './beers-ratings.js';
import { BEERS, type BeersRow } from './beers-row.js';
import { checkSense } from './beers-sense.js';
import { readThreshold } from './beers-threshold.js';

/** Columns of free text. Each text must be in phrases.csv, also where it adds nothing. */
const TEXT_COLUMNS = [
  'drug_or_class_label',
  'use_pattern',
  'exceptions_text',
  'criterion_text',
  'recommendation_detail',
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
  const { ratings, spans: rating_spans } = readRatings(row);
  const action = readAction(row, word, cells);
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
      ...spansOf(row, '/population', population),
      ...spansOf(row, '/when', when),
      ...definitionSpans('/when', body.when, quotesOf(when), lexicon.definitions),
      ...spans,
      ...action.spans,
      ...rating_spans,
    ],
  };
}

const quotesOf = (found: readonly Found[]): string =>
  found.flatMap((f) => f.at.map(({ quote }) => quote)).join(' ');

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

function readAction(
  row: BeersRow,
  word: Recommendation,
  cells: readonly ReadCell[],
): { readonly action: RuleBody['action']; readonly spans: Span[] } {
  const spans = [cellSpan(row, '/action/kind', 'recommendation', row.recommendation)];
  const words = (role: 'dose_text' | 'monitoring' | 'alternative'): string | null => {
    const found = cells.flatMap((c) =>
      c.readings.filter((r) => r.role === role).map((r) => ({ ...r, column: c.column })),
    );
    for (const r of found) spans.push(cellSpan(row, `/action/${role}`, r.column, r.quote));
    return found.length === 0 ? null : [...new Set(found.map((r) => r.reads))].join('; ');
  };
  const [dose_text, monitoring, alternative] = [
    words('dose_text'),
    words('monitoring'),
    words('alternative'),
  ];
  return { action: { ...word, act: null, dose_text, monitoring, alternative }, spans };
}
