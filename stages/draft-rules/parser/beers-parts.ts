/** Rows that give several rules: an exception of one member, a further statement in the same cell. */
import type { Span } from '../../../schemas/rule.js';
import type { ReadCell } from '../conditions.js';
import { cellSpan, type DraftRule } from '../draft.js';
import type { Origin } from '../information-type.js';
import { withLabels } from '../labels.js';
import { type Lexicon, splitReading } from '../lexicon.js';
import { recommendationOf } from '../recommendations.js';
import { refuse } from '../refuse.js';
import type { BeersRow } from './beers-row.js';

export interface Parts {
  readonly row: BeersRow;
  readonly main: DraftRule;
  readonly cells: readonly ReadCell[];
  readonly origin: Origin;
}

/** The main rule; where an exception lifts it for one member only, that member has a rule of its own. */
export function memberRules(parts: Parts, lexicon: Lexicon): DraftRule[] {
  for (const { column, readings } of parts.cells) {
    const reading = readings.find((r) => r.role === 'member_unless');
    if (reading) return splitMember(parts, lexicon, column, splitReading(reading), reading.quote);
  }
  return [parts.main];
}

function splitMember(
  { row, main, origin }: Parts,
  lexicon: Lexicon,
  column: string,
  { heads, condition }: ReturnType<typeof splitReading>,
  quote: string,
): DraftRule[] {
  const name = lexicon.drugs.get(heads[0]!).ingredient;
  const at = main.target.findIndex((ref) => ref.name === name);
  if (at === -1) refuse('contradiction', column, quote, `${name} among the members`);
  const others = main.target.map((_, i) => i).filter((i) => i !== at);
  const member = withTargets(main, [at]);
  const n = member.unless.length;
  const body = { ...member, unless: [...member.unless, { when: condition, text: quote }] };
  const spans = [...member.spans, cellSpan(row, `/unless/${n}`, column, quote)];
  return [withTargets(main, others), { ...withLabels(body, origin), part: name, spans }];
}

/** The rule for some of its targets, with the spans of these. */
function withTargets(rule: DraftRule, keep: readonly number[]): DraftRule {
  const spans = rule.spans.flatMap((s): Span[] => {
    const i = /^\/target\/(\d+)$/.exec(s.field)?.[1];
    if (i === undefined) return [s];
    const to = keep.indexOf(Number(i));
    return to === -1 ? [] : [{ ...s, field: `/target/${to}` }];
  });
  return { ...rule, target: keep.map((i) => rule.target[i]!), spans };
}

/** Further rules of the row: same drugs and population, their own condition and recommendation word, no exception. */
export function alsoRules({ row, main, cells, origin }: Parts): DraftRule[] {
  const found = cells.flatMap(({ column, readings }) =>
    readings.filter((r) => r.role === 'also').map((reading) => ({ column, reading })),
  );
  return found.map(({ column, reading }) => {
    const { heads, condition } = splitReading(reading);
    const [part, word] = heads as [string, string];
    const words = { act: null, dose_text: null, monitoring: null, alternative: null };
    const body = { ...main, when: condition, unless: [], action: { ...recommendationOf(word), ...words } };
    const kept = main.spans.filter((s) => !/^\/(when|unless|action)/.test(s.field));
    const own = ['/when', '/action/kind'].map((field) => cellSpan(row, field, column, reading.quote));
    return { ...withLabels(body, origin), part, spans: [...kept, ...own] };
  });
}
