/** Which pairs are kept: at most so many a rule, no source and no type of information above its share. */
import type { Draft } from './item.js';

export interface Quotas {
  readonly pairs_per_rule: number;
  readonly max_pairs: number;
  readonly max_source_share: number;
  readonly max_type_share: number;
}

/** Takes pairs so that every rule, type and source has its turn, rare types first. */
export function choosePairs(all: readonly Draft[], q: Quotas): Draft[] {
  const perRule = limitPerRule(all, q.pairs_per_rule);
  for (let total = Math.min(q.max_pairs, perRule.length); total > 0; total--) {
    const chosen = fill(perRule, total, q);
    if (chosen.length === total) return chosen;
  }
  return [];
}

/** Different changes of one rule first, then different drugs. */
function limitPerRule(all: readonly Draft[], n: number): Draft[] {
  const byRule = new Map<string, Draft[]>();
  for (const d of all) byRule.set(d.rule.rule_id, [...(byRule.get(d.rule.rule_id) ?? []), d]);
  return [...byRule.values()].flatMap((drafts) => {
    const out: Draft[] = [];
    const types = new Set<string>();
    for (const d of drafts) {
      if (out.length < n && !types.has(d.information_type)) {
        out.push(d);
        types.add(d.information_type);
      }
    }
    for (const d of drafts) if (out.length < n && !out.includes(d)) out.push(d);
    return out;
  });
}

function fill(all: readonly Draft[], total: number, q: Quotas): Draft[] {
  const left = groups(all);
  const bySource = new Map<string, number>();
  const byType = new Map<string, number>();
  const limit = {
    source: Math.floor(total * q.max_source_share),
    type: Math.floor(total * q.max_type_share),
  };
  const out: Draft[] = [];
  for (let moved = true; moved && out.length < total; ) {
    moved = false;
    // One pair of every type and source in turn: the smallest groups are used up, the largest are cut.
    for (const group of left) {
      const next = group[0];
      if (!next || out.length >= total) continue;
      const s = bySource.get(next.rule.source_id) ?? 0;
      const t = byType.get(next.information_type) ?? 0;
      if (s >= limit.source || t >= limit.type) continue;
      group.shift();
      bySource.set(next.rule.source_id, s + 1);
      byType.set(next.information_type, t + 1);
      out.push(next);
      moved = true;
    }
  }
  return out;
}

function groups(all: readonly Draft[]): Draft[][] {
  const out = new Map<string, Draft[]>();
  for (const d of all) {
    const key = `${d.information_type} ${d.rule.source_id}`;
    out.set(key, [...(out.get(key) ?? []), d]);
  }
  return [...out.values()].sort((a, b) => a.length - b.length || (a[0]!.label < b[0]!.label ? -1 : 1));
}
