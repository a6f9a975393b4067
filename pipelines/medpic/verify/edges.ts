/** Provenance edges: every item leads to its rule, every rule to its source row, every row to its file. */
import { Check, type CheckResult } from '../../engine/verify-release.js';
import type { OpenRelease } from '../open.js';

/** Every item, rule and row of the release has its edge, and no edge starts at an item that is not there. */
export async function checkEdges(r: OpenRelease): Promise<CheckResult> {
  const check = new Check(
    'every item leads to its rule, every rule to its source row, every row to its file',
  );
  const [row] = await r.session.rows<Record<string, number>>(`
    select (select count(*) from medpic_answers a where not exists (select 1 from edges e
        where e.child = 'item:' || a.instance_id and e.parent = 'rule:' || a.rule_id)) as items,
      (select count(*) from rules u where not exists (select 1 from edges e
        where e.child = 'rule:' || u.rule_id and e.relation = 'drafted_from'
          and (e.parent like 'csv:%#' || u.row_id or (u.author = 'model' and exists (select 1 from edges d
            where d.child = e.parent and d.parent like 'document:%'))))) as rules,
      (select count(*) from row_outcomes o where not exists (select 1 from edges e
        where e.child like 'csv:%#' || o.row_id and e.parent like 'file:%')) as rows,
      (select count(*) from edges e where e.child like 'item:%'
        and substr(e.child, 6) not in (select instance_id from medpic_answers)
        and substr(e.child, 6) not in (select instance_id from item_validation where status = 'excluded')) as strangers`);
  const words: Record<string, string> = {
    items: 'items without an edge to their rule',
    rules: 'rules without an edge to their source row',
    rows: 'source rows without an edge to their file',
    strangers: 'edges of items that are not in the release',
  };
  for (const [name, n] of Object.entries(row!)) check.expect(n === 0, () => `${n} ${words[name]}`);
  return check.result();
}
