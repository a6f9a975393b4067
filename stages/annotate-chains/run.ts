/** First attempts at chains. A drug for which nothing was found gets an empty one: the critic stage ends its moment. */
import { chainDrafts, DRUG_CLASSES, type DrugClass } from '../../schemas/rxeval.js';
import type { SqlRow, StageContext } from '../contract.js';
import { emptyChain } from '../lib/chains/chain.js';
import { chainRow } from '../lib/chains/chain-row.js';
import { type Asked, AUTHOR, askChains, CHAIN_PROMPT } from '../lib/chains/model-author.js';
import { writeChain } from '../lib/chains/rules-author.js';
import { stateOf } from '../lib/clinical/state.js';
import { loadClinical } from '../lib/clinical/tables.js';
import { groupBy } from '../lib/group-by.js';
import { inBatches } from '../lib/record/batches.js';
import type { Moment } from '../lib/record/moment.js';
import { readMoments } from '../lib/record/read.js';
import type { Config } from './config.js';

export async function run(ctx: StageContext, config: Config): Promise<void> {
  const tables = loadClinical((path) => ctx.file(path));
  const classes = await readClasses(ctx);
  const rows: SqlRow[] = [];
  const going = `timepoint_id in (select timepoint_id from selected_timepoints where decision = 'PROCEED')`;
  await inBatches(ctx, readMoments(ctx.sql, { where: going }), classes.size, async (moment) => {
    const asked = classes.get(moment.timepoint.timepoint_id) ?? [];
    if (config.author === 'model') rows.push(...(await byModel(ctx, moment, asked)));
    else {
      const state = stateOf(moment, tables);
      rows.push(...asked.map((a) => byRules(moment, a, writeFor(moment, state, a))));
    }
  });
  const [skipped] = await ctx.sql.rows<{ n: number }>(
    `select count(*) as n from selections join selected_timepoints using (timepoint_id) where decision <> 'PROCEED'`,
  );
  ctx.drop('selections', 'moment_skipped', skipped!.n);
  await ctx.sql.insert('chain_drafts', chainDrafts, rows);
  for (const author of ['rules', 'model'] as const)
    ctx.count(`chains.${author}`, rows.filter((r) => r.author === author).length);
  ctx.count('chains.empty', rows.filter((r) => r.steps === '[]').length);
}

/** Classes of the answers of every moment that goes on. */
async function readClasses(ctx: StageContext): Promise<Map<string, (Asked & { timepoint_id: string })[]>> {
  const rows = await ctx.sql.rows<{ timepoint_id: string; order_id: string; drug_class: string }>(
    `select s.timepoint_id, s.order_id, s.drug_class from selections s join selected_timepoints t using (timepoint_id)
     where t.decision = 'PROCEED' order by s.timepoint_id, s.order_id`,
  );
  const known = rows.map((row) => ({ ...row, drug_class: classOf(ctx, row) }));
  return groupBy(known, (row) => row.timepoint_id);
}

function classOf(ctx: StageContext, row: { order_id: string; drug_class: string }): DrugClass {
  const found = DRUG_CLASSES.find((c) => c === row.drug_class);
  return (
    found ??
    ctx.fail({
      message: 'unknown class of a drug',
      file: 'selections',
      row: row.order_id,
      field: 'drug_class',
      got: row.drug_class,
      expected: DRUG_CLASSES.join(', '),
    })
  );
}

function writeFor(moment: Moment, state: ReturnType<typeof stateOf>, { order_id, drug_class }: Asked) {
  const answer = moment.answers.find((o) => o.order_id === order_id);
  return answer ? writeChain(state, answer, { drug_class }) : null;
}

function byRules(moment: Moment, asked: Asked, found: ReturnType<typeof writeFor>): SqlRow {
  const chain = found ?? emptyChain(asked.order_id, asked.drug_class);
  return chainRow(moment, chain, { attempt_n: 1, author: 'rules', llm: null });
}

async function byModel(ctx: StageContext, moment: Moment, asked: readonly Asked[]): Promise<SqlRow[]> {
  const task = { moment, asked, complaints: [] };
  const written = await askChains(ctx.llm(AUTHOR), ctx.file(CHAIN_PROMPT), task);
  const [first] = written;
  if (first && first.outcome !== 'accepted') ctx.count(`no_reply.${first.outcome}`, 1);
  return written.map(({ chain, llm }) => chainRow(moment, chain, { attempt_n: 1, author: 'model', llm }));
}
