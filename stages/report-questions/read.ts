/** Reads what is counted: one object a question, with its options and its patient. */
import { RxOption } from '../../schemas/rxeval.js';
import type { StageContext } from '../contract.js';
import { groupBy } from '../lib/group-by.js';

/** A choice question with what is known of its moment. */
export interface Asked {
  readonly question_id: string;
  readonly subject_key: string;
  readonly admission_key: string;
  readonly phase: string;
  readonly events_n: number;
  readonly dropped_events_n: number;
  readonly prompt_tokens: number;
  readonly options: readonly RxOption[];
  readonly drug_classes: readonly string[];
  readonly admission_type: string;
  readonly chapter: string;
  readonly author: string;
  readonly age: number;
  readonly gender: string;
}

/** All questions of the config `mcq`, by id. */
export async function readAsked(ctx: StageContext): Promise<Asked[]> {
  const rows = await ctx.sql.rows<Record<string, string> & { events_n: number }>(`
    select q.question_id, q.phase, q.events_n, q.dropped_events_n, q.prompt_tokens, a.subject_key, a.admission_key,
      a.candidates, a.correct, a.admission_type, a.diagnosis_chapter as chapter, a.author, s.age, s.gender
    from questions q join answers a using (config, question_id)
    join timepoints t using (timepoint_id) join sampled_admissions s on s.hadm_id = t.hadm_id
    where q.config = 'mcq' order by q.question_id`);
  return rows.map(({ candidates, correct, ...row }) => ({
    ...(row as unknown as Omit<Asked, 'options' | 'drug_classes'>),
    options: RxOption.array().parse(JSON.parse(candidates!)),
    drug_classes: (JSON.parse(correct!) as { drug_class: string }[]).map((c) => c.drug_class),
  }));
}

/** Rows of every stage's funnel, in the order of the pipeline. */
export async function readFunnel(
  ctx: StageContext,
): Promise<{ stage: string; step_n: number; step: string; unit: string; n: number }[]> {
  const out = [];
  for (const name of ['admission', 'timepoint', 'selection', 'chain', 'distractor']) {
    const rows = await ctx.sql.rows<{ stage: string; step_n: number; step: string; unit: string; n: number }>(
      `select stage, step_n, step, unit, n from ${name}_funnel order by step_n, unit`,
    );
    out.push(...rows);
  }
  return out;
}

/** Verdicts and issues by judge, of chains or distractors. */
export async function readVerdicts(ctx: StageContext, what: 'chain' | 'distractor') {
  const verdicts = await ctx.sql.rows<{ judge: string; verdict: string; n: number }>(
    `select judge, verdict, count(*) as n from ${what}_verdicts group by all order by judge, verdict`,
  );
  const issues = await ctx.sql.rows<{ judge: string; type: string; n: number }>(
    `select judge, issue ->> 'type' as type, count(*) as n
     from (select judge, unnest(from_json(issues, '["json"]')) as issue from ${what}_verdicts)
     group by all order by judge, type`,
  );
  return {
    verdicts: verdicts.map((v) => ({ what, ...v })),
    issues: issues.map((i) => ({ what, ...i })),
  };
}

/** Rules of each table, and which of them could never prove anything. */
export async function readRuleUse(ctx: StageContext) {
  const rows = await ctx.sql.rows<{ table_name: string; rule_id: string; usable_n: number }>(
    'select table_name, rule_id, usable_n from distractor_rule_use order by table_name, rule_id',
  );
  return [...groupBy(rows, (r) => r.table_name)].map(([table_name, all]) => {
    const never_usable = all.filter((r) => r.usable_n === 0).map((r) => r.rule_id);
    return { table_name, rules_n: all.length, never_usable_n: never_usable.length, never_usable };
  });
}

/** Strategy, claims and proofs of every distractor of a question. */
export async function readDistractors(ctx: StageContext) {
  const rows = await ctx.sql.rows<{ strategy: string; claims: string; proofs: string }>(
    `select strategy, claims, proofs from distractors
     where timepoint_id in (select timepoint_id from answers) order by timepoint_id, distractor_id`,
  );
  return rows.map((r) => ({
    strategy: r.strategy,
    claims: JSON.parse(r.claims) as { kind: string }[],
    proofs: JSON.parse(r.proofs) as { by: string; rule_status: string | null }[],
  }));
}
