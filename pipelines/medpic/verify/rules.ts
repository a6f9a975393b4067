/** Rules: their hashes, their places in the sources, their signatures, and the rules drafted anew from the tables. */
import { RuleBody } from '../../../schemas/rule.js';
import { BODY_FIELDS, bodyHash } from '../../../stages/lib/rules/fields.js';
import type { CommandContext } from '../../benchmark.js';
import { quoteText } from '../../engine/adapters/duckdb.js';
import { run, tablePath } from '../../engine/session.js';
import type { LockedSource } from '../../engine/sources.js';
import { Check, type CheckResult } from '../../engine/verify-release.js';
import type { OpenRelease, ReleasedRule } from '../open.js';
import { withReleaseSession } from '../recompute.js';
import { prosePlaces } from '../trace-prose.js';
import { SourceReader } from '../trace-source.js';

/** Hashes, places and signatures. */
export async function checkRules(context: CommandContext, r: OpenRelease): Promise<CheckResult[]> {
  const hashes = new Check('every rule has the hash of its content, and its columns say what the body says');
  const places = new Check('every field of a rule is quoted from its printed place');
  const reader = new SourceReader(r.manifest, await prosePlaces(r, context));
  for (const rule of r.rules.values()) {
    hashes.expect(bodyHash(bodyOf(rule)) === rule.content_hash, () => `${rule.rule_id}: another hash`);
    for (const span of rule.spans) {
      const found = reader.read(span);
      places.expect(found.is_equal, () => `${rule.rule_id} ${span.field}: ${found.problem} (${span.ref})`);
    }
  }
  for (const problem of await columnProblems(r)) hashes.expect(false, () => problem);
  return [hashes.result(), places.result(), await checkSignatures(r)];
}

const bodyOf = (rule: ReleasedRule): RuleBody =>
  RuleBody.parse(Object.fromEntries(Object.keys(RuleBody.shape).map((k) => [k, rule[k as keyof RuleBody]])));

async function columnProblems(r: OpenRelease): Promise<string[]> {
  const rows = await r.session.rows<{ rule_id: string }>(
    `select rule_id from rules where polarity <> body ->> '$.action.polarity' or action_kind <> body ->> '$.action.kind'
       or patient_information_type <> body ->> '$.patient_information_type'
       or special_population <> body ->> '$.special_population' order by rule_id`,
  );
  return rows.map((x) => `${x.rule_id}: a column differs from the body`);
}

/** Verified means every field signed by two people; a release is called signed when nothing is left open. */
async function checkSignatures(r: OpenRelease): Promise<CheckResult> {
  const check = new Check('statuses follow from the signatures, and the release is called what it is');
  const rows = await r.session.rows<{ rule_id: string; n: number }>(
    `select rule_id, count(*) as n from review_fields where status in ('accepted', 'corrected')
       and json_array_length(reviewers) >= 2 group by rule_id`,
  );
  const signed = new Map(rows.map((x) => [x.rule_id, x.n]));
  for (const rule of r.rules.values()) {
    const is_signed = signed.get(rule.rule_id) === BODY_FIELDS.length;
    check.expect(is_signed === (rule.status === 'verified'), () => `${rule.rule_id} is ${rule.status}`);
  }
  const [open] = await r.session.rows<{ rules_n: number; items_n: number }>(
    `select (select count(*) from rules where status not in ('verified', 'rejected', 'superseded')) as rules_n,
       (select count(*) from medpic_answers a left join item_validation v using (instance_id)
        where v.status is distinct from 'validated') as items_n`,
  );
  const kind = open!.rules_n + open!.items_n === 0 ? 'signed' : 'preview';
  check.expect(r.manifest.kind === kind, () => `the release is called ${r.manifest.kind}, it is a ${kind}`);
  check.expect(
    kind === 'signed' || r.manifest.version.includes('-'),
    () => `version ${r.manifest.version} has no prerelease tag, but ${open!.rules_n} rules are not signed`,
  );
  return check.result();
}

/** The rules once more from the tables; null with the reason where the tables here are not those of the release. */
export async function checkDrafts(
  context: CommandContext,
  r: OpenRelease,
): Promise<CheckResult | { readonly not_done: string }> {
  return withReleaseSession(context, r.manifest, 'apply-reviews', async (session) => {
    const other = otherSource(r, session.sources.guidelines as LockedSource);
    if (other !== null) return { not_done: other };
    const command = { command: 'verify', version: r.manifest.version };
    return run(session, { ...context, command }, async (entries) => {
      const check = new Check('the rules are what the stages make of the tables');
      const read = `read_parquet(${quoteText(tablePath(entries, 'apply-reviews', 'rules'))})`;
      const again = `(from ${read} where author = 'parser')`;
      const released = "(from rules where author = 'parser')";
      const rows = await r.session.rows<{ rule_id: string; side: string }>(
        `select rule_id, 'release' as side from (from ${released} except from ${again})
         union all select rule_id, 'tables' from (from ${again} except from ${released}) order by rule_id, side`,
      );
      const parsed = [...r.rules.values()].filter((rule) => rule.author === 'parser');
      for (let i = 0; i < parsed.length; i++) check.expect(true, () => '');
      for (const id of new Set(rows.map((x) => x.rule_id))) check.expect(false, () => `${id} differs`);
      return check.result();
    });
  });
}

/** The first source file that is another one here, in words. */
function otherSource(r: OpenRelease, source: LockedSource): string | null {
  for (const file of source.files) {
    const released = r.manifest.sources.find((s) => s.table === file.path);
    if (released?.sha256 !== file.sha256)
      return `rules were not drafted again: ${file.path} is another one here than in the release`;
  }
  return null;
}
