/** Drugs that two rules both name, with the limits of each. */
import type { Condition, DrugRef } from '../../schemas/condition.js';
import type { Rule } from '../../schemas/rule.js';
import type { DrugClasses } from '../lib/drug-classes.js';
import { intersection } from '../lib/rules/band-bounds.js';

/** A drug of a rule with the reference that names it. */
export interface NamedDrug {
  readonly drug: string;
  readonly ref: DrugRef;
}

/** Drugs that the targets of a rule name. Classes are taken apart; members that the source only hints at are left out. */
export function namedDrugs(rule: Rule, classes: DrugClasses): NamedDrug[] {
  return rule.target
    .filter((ref) => ref.is_inferred !== true)
    .flatMap((ref) => {
      if (ref.kind !== 'class') return [{ drug: ref.name, ref }];
      if (!classes.has(ref.name)) return [];
      const known = ref.minus.filter((m) => isKnown(m, classes));
      return classes.expand([ref.name], known).members.map((m) => ({ drug: m.ingredient, ref }));
    });
}

/** A name to take out that no table knows is a finding of another check. */
function isKnown(name: string, classes: DrugClasses): boolean {
  try {
    classes.expand([], [name]);
    return true;
  } catch {
    return false;
  }
}

/** True where some use of a drug falls under both references. */
export function mayMeet(a: DrugRef, b: DrugRef): boolean {
  const form = a.form === null || b.form === null || a.form === b.form;
  const routes = a.routes === null || b.routes === null || a.routes.some((r) => b.routes!.includes(r));
  const dose =
    a.dose === null ||
    b.dose === null ||
    a.dose.unit !== b.dose.unit ||
    intersection(a.dose, b.dose) !== null;
  return form && routes && dose;
}

/** True where every use of a drug under `a` falls under `b`. */
export function isWithin(a: DrugRef, b: DrugRef): boolean {
  const form = b.form === null || a.form === b.form;
  const routes = b.routes === null || (a.routes?.every((r) => b.routes!.includes(r)) ?? false);
  const dose =
    b.dose === null ||
    (a.dose !== null && JSON.stringify(intersection(a.dose, b.dose)) === JSON.stringify(a.dose));
  return form && routes && dose;
}

/** Where and when a rule speaks, its exceptions left aside. */
export const scopeOf = (rule: Rule): Condition => ({ type: 'all', of: [rule.population, rule.when] });

/** When a rule is active. */
export const activeWhen = (rule: Rule): Condition => ({
  type: 'all',
  of: [scopeOf(rule), ...rule.unless.map((u): Condition => ({ type: 'not', of: u.when }))],
});

/** Two rules with the drugs that both name. */
export interface RulePair {
  readonly a: Rule;
  readonly b: Rule;
  readonly shared: readonly { readonly drug: string; readonly a: DrugRef; readonly b: DrugRef }[];
}

/** Every pair of rules that name one drug for uses that may meet; each pair once, by rule ids. */
export function pairsOnDrugs(rules: readonly Rule[], classes: DrugClasses): RulePair[] {
  const byDrug = new Map<string, { rule: Rule; ref: DrugRef }[]>();
  for (const rule of rules)
    for (const { drug, ref } of namedDrugs(rule, classes))
      byDrug.set(drug, [...(byDrug.get(drug) ?? []), { rule, ref }]);
  const pairs = new Map<string, { a: Rule; b: Rule; shared: RulePair['shared'][number][] }>();
  for (const drug of [...byDrug.keys()].sort()) {
    for (const x of byDrug.get(drug)!)
      for (const y of byDrug.get(drug)!) {
        if (x.rule.rule_id >= y.rule.rule_id || !mayMeet(x.ref, y.ref)) continue;
        const key = `${x.rule.rule_id} ${y.rule.rule_id}`;
        const pair = pairs.get(key) ?? { a: x.rule, b: y.rule, shared: [] };
        pair.shared.push({ drug, a: x.ref, b: y.ref });
        pairs.set(key, pair);
      }
  }
  return [...pairs.keys()].sort().map((key) => pairs.get(key)!);
}
