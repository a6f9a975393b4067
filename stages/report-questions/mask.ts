/** Small counts of people in a report on data that are not open. */
import type { Part, RxevalStatistics } from '../../schemas/rxeval-statistics.js';

/** Categories of fewer questions than the limit become one, `other`; a single one that stays small is left out with its share. */
export function maskSmall(s: RxevalStatistics, limit: number): RxevalStatistics {
  const join = (list: readonly Part[]): Part[] => joinSmall(list, limit);
  return {
    ...s,
    admission_types: join(s.admission_types),
    chapters: join(s.chapters),
    correct_drugs: s.correct_drugs.filter((d) => d.n >= limit),
    distractor_drugs: s.distractor_drugs.filter((d) => d.n >= limit),
    correct_sizes: joinSizes(s.correct_sizes, limit),
  };
}

function joinSmall(list: readonly Part[], limit: number): Part[] {
  const small = list.filter((p) => p.n < limit);
  if (small.length === 0) return [...list];
  const rest = list.filter((p) => p.n >= limit);
  // The sum of the small ones must not be small itself.
  while (small.reduce((n, p) => n + p.n, 0) < limit && rest.length > 0) small.push(rest.pop()!);
  const sum = (of: (p: Part) => number): number => small.reduce((n, p) => n + of(p), 0);
  return [
    ...rest,
    {
      name: 'other',
      n: sum((p) => p.n),
      share: Math.min(
        1,
        sum((p) => p.share),
      ),
    },
  ];
}

/** Sizes with few questions are counted with the next smaller one. */
function joinSizes(
  sizes: RxevalStatistics['correct_sizes'],
  limit: number,
): RxevalStatistics['correct_sizes'] {
  const out: { correct_n: number; questions_n: number }[] = [];
  for (const size of sizes) {
    const last = out.at(-1);
    if (last && size.questions_n < limit) last.questions_n += size.questions_n;
    else out.push({ ...size });
  }
  return out;
}
