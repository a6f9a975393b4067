/** Which rows of the tables ever served: a rule that never does is a hole in the tables or in the data. */
import type { SqlRow } from '../../contract.js';
import type { Distractor } from '../grounding/distractor.js';
import type { ProofTables } from '../grounding/proofs.js';
import type { Candidate } from './pool.js';

export class RuleUse {
  readonly #rows: ReadonlyMap<string, { table_name: string; usable_n: number; used_n: number }>;

  constructor({ contraindications, clinical }: Pick<ProofTables, 'contraindications' | 'clinical'>) {
    const absolute = [...contraindications.values()].flat().filter((r) => r.strength === 'absolute');
    const row = (table_name: string) => ({ table_name, usable_n: 0, used_n: 0 });
    this.#rows = new Map([
      ...absolute.map((r) => [r.rule_id, row('contraindications')] as const),
      ...clinical.indications.map((r) => [r.rule_id, row('indications')] as const),
    ]);
  }

  /** Counts a moment once for every rule that could serve there, and distractors for the rule they rest on. */
  add(candidates: readonly Candidate[], chosen: readonly Distractor[]): void {
    for (const id of new Set(candidates.flatMap((c) => c.rule_ids))) {
      const row = this.#rows.get(id);
      if (row) row.usable_n++;
    }
    for (const { rule_id } of chosen) {
      const row = rule_id === null ? undefined : this.#rows.get(rule_id);
      if (row) row.used_n++;
    }
  }

  neverUsable(): number {
    return [...this.#rows.values()].filter((r) => r.usable_n === 0).length;
  }

  rows(): SqlRow[] {
    return [...this.#rows].map(([rule_id, row]) => ({ rule_id, ...row }));
  }
}
