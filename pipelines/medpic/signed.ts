/** What people have not signed, and which versions may carry it. */
import { PolicyError } from '../engine/errors.js';
import { type Entries, readRows } from '../engine/release-parts.js';
import { tablePath } from '../engine/session.js';

export interface Unsigned {
  /** Rules in force that are not verified, of all in force. */
  readonly rules_n: number;
  readonly all_rules_n: number;
  /** Items that are neither validated nor excluded, of all that are not excluded. */
  readonly items_n: number;
  readonly all_items_n: number;
}

/** Counts rules in force without signatures and items without validation. */
export async function countUnsigned(entries: Entries, scratch: string): Promise<Unsigned> {
  const rules = await readRows<{ status: string }>(tablePath(entries, 'apply-reviews', 'rules'), scratch);
  const items = await readRows<{ status: string }>(
    tablePath(entries, 'validate-items', 'item_validation'),
    scratch,
  );
  const in_force = rules.filter((r) => r.status !== 'rejected' && r.status !== 'superseded');
  const kept = items.filter((i) => i.status !== 'excluded');
  return {
    rules_n: in_force.filter((r) => r.status !== 'verified').length,
    all_rules_n: in_force.length,
    items_n: kept.filter((i) => i.status !== 'validated').length,
    all_items_n: kept.length,
  };
}

/** A version without a prerelease tag promises signatures; without them it is a PolicyError. */
export function checkSigned(version: string | undefined, u: Unsigned): void {
  if (version === undefined || version.includes('-')) return;
  if (u.rules_n === 0 && u.items_n === 0) return;
  throw new PolicyError({
    message: `version ${version} promises rules and items that people signed`,
    got: `${u.rules_n} of ${u.all_rules_n} rules are not verified, ${u.items_n} of ${u.all_items_n} items not validated`,
    expected: 'every field of every rule, and every criterion of every item, signed by two reviewers',
    next: `benchwright review export makes the list to sign; until then give a prerelease version, for example ${version}-preview.1, or none`,
  });
}
