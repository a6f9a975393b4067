/** What makes a wrong drug tempting: its class, its purpose, a drug that takes its place, a condition of the patient. */
import type { Cite } from '../../../schemas/rxeval.js';
import type { Formulary, Medicine, Prescription } from './formulary.js';
import type { Prover } from './proofs.js';

export type Link =
  | { readonly by: 'class'; readonly drug_class: string }
  | { readonly by: 'goal'; readonly goal: string }
  | { readonly by: 'alternative' };

/** How a drug resembles another one; null where it does not. */
export function linkTo(own: Medicine, other: Medicine): Link | null {
  if (own.drug_class === other.drug_class) return { by: 'class', drug_class: own.drug_class };
  const goal = own.goals.find((g) => other.goals.includes(g));
  return goal === undefined ? null : { by: 'goal', goal };
}

/** A condition, finding or procedure of the patient for which the drug is usual. */
export interface ConditionLink {
  readonly rule_id: string;
  readonly name: string;
  readonly cites: readonly Cite[];
}

/** Conditions of the patient that the drug is used for, by the indication table. */
export function conditionsFor(own: Medicine, prover: Prover): ConditionLink[] {
  const { clinical } = prover.tables;
  const rows = prover.tables.indications.get(own.drug_key) ?? [];
  return rows.flatMap((row) =>
    [...row.trigger, ...row.condition].flatMap((term): ConditionLink[] => {
      if (term.isNegated || term.kind !== 'has' || term.of === 'drug' || term.of === 'allergy') return [];
      const { truth, cites } = prover.state.judge(term);
      if (truth !== true || cites.length === 0) return [];
      const name =
        term.of === 'dx'
          ? clinical.dx.get(term.key)?.name
          : clinical.tags.find((t) => t.group === term.of && t.tag === term.key)?.name;
      return [{ rule_id: row.rule_id, name: name ?? term.key, cites }];
    }),
  );
}

/**
 * False where nothing about the drug could tempt anybody: no class or purpose in common with a correct drug, not the drug
 * that one of them replaces, and no condition of the patient that it is used for. Of drugs outside the formulary nothing
 * is known, so nothing is said against them here.
 */
export function isTempting(p: Prescription, correct: readonly Prescription[], prover: Prover): boolean {
  const { formulary } = prover.tables;
  const own = formulary.of(p);
  if (own.length === 0) return true;
  const others = correct.flatMap((c) => formulary.of(c));
  const instead = prover.contraindications(p).flatMap(({ row }) => row.alternatives);
  return (
    others.some((o) => instead.includes(o.drug_key)) ||
    own.some((m) => others.some((o) => linkTo(m, o) !== null) || conditionsFor(m, prover).length > 0)
  );
}

/** The row of the formulary that a correct drug is; null outside it. */
export const medicineOf = (p: Prescription, formulary: Formulary): Medicine | null =>
  formulary.of(p)[0] ?? null;
