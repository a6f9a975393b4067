/** Tables of agreement: every pair of reviewers, and all subjects with the same number of reviewers. */

import type { z } from 'zod';
import type { reviewAgreement } from '../../../schemas/review.js';
import { type Agreement, cohenKappa, fleissKappa, rawAgreement } from '../agreement.js';

type Row = z.infer<(typeof reviewAgreement)['row']>;

/** One thing that people judged, with each person's first independent category, and the scopes it counts in. */
export interface JudgedSubject {
  readonly scopes: readonly string[];
  readonly categories: ReadonlyMap<string, string>;
}

/**
 * Rows for every scope and for all subjects together, named `whole`. Pairs of reviewers without a common subject are
 * shown for the whole only, as undefined; without any reviewer there is one undefined row a measure.
 */
export function agreementRows(subjects: readonly JudgedSubject[], whole = 'all'): Row[] {
  const rows = rowsOf(whole, subjects);
  const none = [
    toRow(whole, 'raw', 'any 2', rawAgreement([])),
    toRow(whole, 'cohen', 'any 2', cohenKappa([])),
    toRow(whole, 'fleiss', 'any 2', fleissKappa([])),
  ];
  const scopes = [...new Set(subjects.flatMap((s) => s.scopes))].sort();
  const parts = scopes.flatMap((scope) =>
    rowsOf(
      scope,
      subjects.filter((s) => s.scopes.includes(scope)),
    ).filter((r) => r.subjects_n > 0),
  );
  return [...(rows.length > 0 ? rows : none), ...parts];
}

const rowsOf = (scope: string, subjects: readonly JudgedSubject[]): Row[] => [
  ...pairRows(scope, subjects),
  ...groupRows(scope, subjects),
];

function pairRows(scope: string, subjects: readonly JudgedSubject[]): Row[] {
  const people = [...new Set(subjects.flatMap((s) => [...s.categories.keys()]))].sort();
  return people.flatMap((a, i) =>
    people.slice(i + 1).flatMap((b) => {
      const both = subjects.filter((s) => s.categories.has(a) && s.categories.has(b));
      const pairs = both.map((s) => [s.categories.get(a)!, s.categories.get(b)!] as const);
      const raters = `${a} + ${b}`;
      return [
        toRow(scope, 'raw', raters, rawAgreement(pairs)),
        toRow(scope, 'cohen', raters, cohenKappa(pairs)),
      ];
    }),
  );
}

/** Whoever the people are: raw agreement of subjects with two of them, Fleiss' kappa for each number of people. */
function groupRows(scope: string, subjects: readonly JudgedSubject[]): Row[] {
  const judged = subjects.map((s) => [...s.categories.values()].sort());
  const sizes = [...new Set(judged.map((j) => j.length))].filter((n) => n >= 2).sort((a, b) => a - b);
  return sizes.flatMap((n) => {
    const group = judged.filter((j) => j.length === n);
    const fleiss = toRow(scope, 'fleiss', `any ${n}`, fleissKappa(group));
    if (n > 2) return [fleiss];
    return [toRow(scope, 'raw', 'any 2', rawAgreement(group.map((g) => [g[0]!, g[1]!]))), fleiss];
  });
}

const toRow = (scope: string, measure: string, raters: string, { n, ...numbers }: Agreement): Row => ({
  scope,
  measure,
  raters,
  subjects_n: n,
  ...numbers,
});
