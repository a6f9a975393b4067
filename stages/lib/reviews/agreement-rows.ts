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
 * Rows for every scope. Pairs of reviewers without a common subject are shown in scope `all` only, as undefined; without
 * any reviewer there is one undefined row a measure.
 */
export function agreementRows(subjects: readonly JudgedSubject[]): Row[] {
  const scopes = [...new Set(['all', ...subjects.flatMap((s) => s.scopes)])].sort();
  return scopes.flatMap((scope) => {
    const inside = scope === 'all' ? subjects : subjects.filter((s) => s.scopes.includes(scope));
    return [...pairRows(scope, inside), ...groupRows(scope, inside)];
  });
}

function pairRows(scope: string, subjects: readonly JudgedSubject[]): Row[] {
  const people = [...new Set(subjects.flatMap((s) => [...s.categories.keys()]))].sort();
  const rows = people.flatMap((a, i) =>
    people.slice(i + 1).flatMap((b) => {
      const both = subjects.filter((s) => s.categories.has(a) && s.categories.has(b));
      if (both.length === 0 && scope !== 'all') return [];
      const pairs = both.map((s) => [s.categories.get(a)!, s.categories.get(b)!] as const);
      const raters = `${a} + ${b}`;
      return [
        toRow(scope, 'raw', raters, rawAgreement(pairs)),
        toRow(scope, 'cohen', raters, cohenKappa(pairs)),
      ];
    }),
  );
  if (rows.length > 0 || scope !== 'all') return rows;
  return [
    toRow(scope, 'raw', 'two reviewers', rawAgreement([])),
    toRow(scope, 'cohen', 'two reviewers', cohenKappa([])),
  ];
}

/** Whoever the people are: raw agreement of subjects with two of them, Fleiss' kappa for each number of people. */
function groupRows(scope: string, subjects: readonly JudgedSubject[]): Row[] {
  const judged = subjects.map((s) => [...s.categories.values()].sort());
  const sizes = [...new Set(judged.map((j) => j.length))].filter((n) => n >= 2).sort((a, b) => a - b);
  const rows = sizes.flatMap((n) => {
    const group = judged.filter((j) => j.length === n);
    const fleiss = toRow(scope, 'fleiss', `any ${n}`, fleissKappa(group));
    if (n > 2) return [fleiss];
    return [toRow(scope, 'raw', 'any 2', rawAgreement(group.map((g) => [g[0]!, g[1]!]))), fleiss];
  });
  return rows.length > 0 || scope !== 'all' ? rows : [toRow(scope, 'fleiss', 'any 2', fleissKappa([]))];
}

const toRow = (scope: string, measure: string, raters: string, { n, ...numbers }: Agreement): Row => ({
  scope,
  measure,
  raters,
  subjects_n: n,
  ...numbers,
});
