/** Bands of one drug, indication, form and state: they may share only an edge, which is then ambiguous. */
import type { Action, Rule } from '../../schemas/rule.js';
import type { SqlRow } from '../contract.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { sha256 } from '../lib/hash.js';
import { type Ladder, ladders } from '../lib/rules/bands.js';
import { within, wordBounds } from '../lib/rules/bounds.js';
import { printCondition, printRef } from '../lib/rules/expression.js';
import type { Finding } from './checks/check.js';

export interface BandFindings {
  readonly findings: readonly Finding[];
  readonly edges: readonly SqlRow[];
}

/** Overlaps, gaps and ambiguous edges of the ladders of rules. */
export function checkBands(rules: readonly Rule[]): BandFindings {
  const all = ladders(rules);
  const byId = new Map(rules.map((r) => [r.rule_id, r]));
  return {
    findings: [...all.flatMap((l) => overlaps(l, byId)), ...all.flatMap(gaps)],
    edges: all.flatMap((l) => l.ambiguous.map((value) => edgeRow(l, value))),
  };
}

/**
 * Two bands that share more than an edge and ask for different things: another handling, or a handling where the other
 * bars the drug. Two that both bar it, and one that only watches, lie in each other without harm.
 */
function overlaps(l: Ladder, rules: ReadonlyMap<string, Rule>): Finding[] {
  return l.overlaps.flatMap(({ rule_ids, bounds }) => {
    const [a, b] = rule_ids.map((id) => rules.get(id)!.action) as [Action, Action];
    const isWatched = a.polarity === 'watch' || b.polarity === 'watch';
    const areSame = a.polarity === b.polarity && (a.polarity === 'restrict' || a.dose_text === b.dose_text);
    if (isWatched || areSame) return [];
    const of = (rule_id: string, other_rule_id: string): Finding => ({
      rule_id,
      other_rule_id,
      check_name: 'bands_overlap',
      field: '/when',
      got: `${l.measure} ${wordBounds(bounds)} for ${printRef(l.drug)}, also in ${other_rule_id}`,
      expected: 'bands that share no more than an edge',
    });
    return [of(rule_ids[0], rule_ids[1]), of(rule_ids[1], rule_ids[0])];
  });
}

/** Whole numbers that no band of a ladder holds: nothing follows there, neither a cut nor the usual dose. */
function gaps(l: Ladder): Finding[] {
  return l.holes
    .filter((h) => h.has_whole_number)
    .map(({ bounds }) => {
      const below = l.bands.findLast((b) => b.bounds.high !== null && b.bounds.high <= bounds.low!)!;
      return {
        rule_id: below.rule_id,
        check_name: 'band_gap' as const,
        field: '/when',
        got: `${l.measure} ${wordBounds(bounds)} for ${printRef(l.drug)}`,
        expected: 'a band of the source for these numbers',
      };
    });
}

function edgeRow(l: Ladder, value: number): SqlRow {
  const row = {
    source_id: l.source_id,
    drug: printRef(l.drug),
    population: printCondition(l.population),
    measure: l.measure,
    value,
    unit: l.unit,
    use: canonicalJson(l.use),
    state: canonicalJson(l.state),
    rule_ids: canonicalJson(
      [...new Set(l.bands.filter((b) => within(value, b.bounds)).map((b) => b.rule_id))].sort(),
    ),
  };
  return { edge_id: sha256(canonicalJson(row)).slice(0, 16), ...row };
}
