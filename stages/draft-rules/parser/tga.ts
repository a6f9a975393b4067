/** Rows of the TGA pregnancy database become rules: the statement with its timing, and the letter where timing is narrower. */
import type { z } from 'zod';
import type { tgaRows } from '../../../schemas/guideline.js';
import type { Span } from '../../../schemas/rule.js';
import { allOf, exceptionsOf, type Found, foundIn, type ReadCell } from '../conditions.js';
import { cellSpan, type Draft, type DraftRule } from '../draft.js';
import { withLabels } from '../labels.js';
import { type Lexicon, plainRef, splitReading } from '../lexicon.js';
import { limitRef } from '../members.js';
import { type Recommendation, recommendationOf } from '../recommendations.js';
import { drafted, refuse } from '../refuse.js';
import { actionOf, conditionSpans, expectException, NO_WORDS } from './row-parts.js';

export type TgaRow = z.infer<(typeof tgaRows)['row']>;

const TGA = 'tga-pregnancy';
const QUALIFIER = 'listing_qualifier';
const TIMING = 'timing_scope';
const LETTER = 'letter';

/** Columns of free text. Each text must be in phrases.csv, also where it adds nothing. */
const TEXT_COLUMNS = [
  'source_document',
  QUALIFIER,
  TIMING,
  'recommendation_detail',
  'statement_own_words',
] as const;

/**
 * What a letter says by its definition, whatever the weeks. Letters are no ladder: B is little human data, C is harm by
 * the effect of the drug, D is suspected malformation and no ban, X is a ban.
 */
const LETTERS: Readonly<Record<TgaRow['australian_category'], string>> = {
  A: 'no category-based restriction',
  B1: 'weigh benefit and risk',
  B2: 'weigh benefit and risk',
  B3: 'use with caution',
  C: 'use with caution',
  D: 'avoid unless benefit outweighs risk',
  X: 'do not use',
};

/** What all rules of a row share. */
interface Shared {
  readonly row: TgaRow;
  readonly lexicon: Lexicon;
  readonly cells: readonly ReadCell[];
  readonly body: Pick<DraftRule, 'target' | 'population' | 'ratings'>;
  readonly spans: readonly Span[];
}

/** Rules of one row. */
export function parseTga(row: TgaRow, lexicon: Lexicon): Draft {
  return drafted(() => {
    const cells = TEXT_COLUMNS.map(
      (column): ReadCell => ({ column, readings: lexicon.read(TGA, column, row[column]) }),
    );
    const shared = readShared(row, lexicon, cells);
    return [mainRule(shared), ...alsoRules(shared), ...letterRule(shared)];
  });
}

function readShared(row: TgaRow, lexicon: Lexicon, cells: readonly ReadCell[]): Shared {
  const { target, spans } = readTarget(row, lexicon, cells);
  const timed = foundIn(only(cells, TIMING), 'population');
  const population = timed.length > 0 ? timed : foundIn(only(cells, 'source_document'), 'population');
  const ratings = [{ scope: 'pregnancy category', quality: null, strength: row.australian_category }];
  return {
    row,
    lexicon,
    cells,
    body: { target, population: allOf(population), ratings },
    spans: [
      ...spans,
      ...conditionSpans(row, '/population', population, lexicon),
      cellSpan(row, '/ratings/0', 'australian_category', row.australian_category),
    ],
  };
}

/** The medicine with the limit of its qualifier; `digoxin and other cardiac glycosides` is a drug and a class. */
function readTarget(
  row: TgaRow,
  lexicon: Lexicon,
  cells: readonly ReadCell[],
): { readonly target: DraftRule['target']; readonly spans: Span[] } {
  const name = row.medicine_as_listed;
  const drug = lexicon.drugs.resolve(name);
  if ('reason' in drug) return refuse('unknown_drug', 'medicine_as_listed', drug.got, drug.expected);
  const qualifier = drug.qualifier?.toLowerCase() ?? null;
  if (qualifier !== row.listing_qualifier)
    return refuse('contradiction', QUALIFIER, row.listing_qualifier ?? '', qualifier ?? 'no qualifier');
  const limits = only(cells, QUALIFIER)[0]!.readings.filter((r) => r.role === 'limit');
  const listed = plainRef(drug.parts.length > 1 ? 'combination' : 'ingredient', drug.ingredient);
  const classes = (lexicon.classes.keysOfWord(name) ?? []).map((key) => plainRef('class', key));
  const target = [limitRef(listed, limits), ...classes];
  const spans = target.map((_, i) => cellSpan(row, `/target/${i}`, 'medicine_as_listed', name));
  return { target, spans: [...spans, ...limits.map((r) => cellSpan(row, '/target/0', QUALIFIER, r.quote))] };
}

/** The statement of the row in its weeks. */
function mainRule(shared: Shared): DraftRule {
  const { row, lexicon, cells } = shared;
  const word = recommendationOf(row.recommendation);
  const { unless, spans } = readExceptions(shared, row.recommendation, 'recommendation', cells);
  expectException(row.recommendation, unless);
  const action = actionOf(row, 'recommendation', word, cells);
  if (word.object === 'dose' && action.action.dose_text === null)
    refuse('contradiction', 'recommendation', row.recommendation, 'a handling in the detail');
  const when = foundIn(cells, 'when');
  return draft(shared, null, {
    when: allOf(when),
    unless,
    action: action.action,
    spans: [...conditionSpans(row, '/when', when, lexicon), ...spans, ...action.spans],
  });
}

/** Further statements of the cells, each with its own recommendation word. */
function alsoRules(shared: Shared): DraftRule[] {
  const { row, lexicon, cells } = shared;
  return cells.flatMap(({ column, readings }) =>
    readings
      .filter((r) => r.role === 'also')
      .map((reading) => {
        const { heads, condition } = splitReading(reading);
        const own: Found = { condition, at: [{ column, quote: reading.quote }] };
        const when = [...foundIn(only(cells, QUALIFIER), 'when'), own];
        return draft(shared, heads[0]!, {
          when: allOf(when),
          unless: [],
          action: { ...recommendationOf(heads[1]!), ...NO_WORDS },
          spans: [
            ...conditionSpans(row, '/when', when, lexicon),
            cellSpan(row, '/action/kind', column, reading.quote),
          ],
        });
      }),
  );
}

/** A statement that is timed does not lift the letter in other weeks: the letter is a rule of its own. */
function letterRule(shared: Shared): DraftRule[] {
  const { row, lexicon, cells } = shared;
  if (foundIn(only(cells, TIMING), 'when').length === 0) return [];
  const words = LETTERS[row.australian_category];
  const word: Recommendation = recommendationOf(words);
  const when = foundIn(
    cells.filter((c) => c.column !== TIMING),
    'when',
  );
  const { unless, spans } = readExceptions(shared, words, 'australian_category', []);
  return [
    draft(shared, LETTER, {
      when: allOf(when),
      unless,
      action: { ...word, ...NO_WORDS },
      spans: [
        ...conditionSpans(row, '/when', when, lexicon),
        ...spans,
        cellSpan(row, '/action/kind', 'australian_category', row.australian_category),
      ],
    }),
  ];
}

/** Exceptions of the cells, and the one that the recommendation word itself holds (`unless benefit outweighs risk`). */
function readExceptions(
  { row, lexicon }: Shared,
  word: string,
  column: 'recommendation' | 'australian_category',
  cells: readonly ReadCell[],
): ReturnType<typeof exceptionsOf> {
  const own = lexicon.knows(TGA, 'recommendation', word) ? lexicon.read(TGA, 'recommendation', word) : [];
  // The letter says it by its definition: the span is the letter, the words are those of the recommendation.
  const readings =
    column === 'recommendation' ? own : own.map((r) => ({ ...r, quote: row.australian_category }));
  return exceptionsOf(row, foundIn([...cells, { column, readings }], 'unless'));
}

function draft(
  shared: Shared,
  part: string | null,
  own: Pick<DraftRule, 'when' | 'unless' | 'action' | 'spans'>,
): DraftRule {
  const { spans, ...body } = own;
  // A letter holds in every week, whatever the timing of the statement.
  const timing = part === LETTER ? null : shared.row.timing_scope;
  const origin = { source: 'tga', timing } as const;
  return { ...withLabels({ ...shared.body, ...body }, origin), part, spans: [...shared.spans, ...spans] };
}

const only = (cells: readonly ReadCell[], column: string): ReadCell[] =>
  cells.filter((c) => c.column === column);
