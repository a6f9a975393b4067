/** Writes report.json and report.html. */
import { RxevalStatistics } from '../../schemas/rxeval-statistics.js';
import type { StageContext } from '../contract.js';
import { STYLE_FILE } from '../lib/report-page/frame.js';
import type { ReportQuestionsConfig } from './config.js';
import { maskSmall } from './mask.js';
import { renderPage } from './page.js';
import { readAsked, readDistractors, readFunnel, readRuleUse, readVerdicts } from './read.js';
import { statisticsOf } from './statistics.js';
import { warningsOf } from './warnings.js';

/** Runs the stage. */
export async function run(ctx: StageContext, config: ReportQuestionsConfig): Promise<void> {
  const chain = await readVerdicts(ctx, 'chain');
  const distractor = await readVerdicts(ctx, 'distractor');
  const counted = {
    asked: await readAsked(ctx),
    configs: await ctx.sql.rows<RxevalStatistics['configs'][number]>(
      'select config, split, count(*) as questions_n from questions group by all order by config, split',
    ),
    funnel: await readFunnel(ctx),
    verdicts: [...chain.verdicts, ...distractor.verdicts],
    issues: [...chain.issues, ...distractor.issues],
    distractors: await readDistractors(ctx),
    rule_use: await readRuleUse(ctx),
  };
  const whole = RxevalStatistics.parse(statisticsOf(counted, config.shown_drugs));
  const statistics = ctx.access === 'open' ? whole : maskSmall(whole, config.small_count);
  const report = { access: ctx.access, warnings: warningsOf(whole, config), statistics };
  await ctx.writeDocument('report_json', `${JSON.stringify(report, null, 2)}\n`);
  await ctx.writeDocument('report_html', renderPage(report, ctx.file(STYLE_FILE)));
  ctx.count('warnings', report.warnings.length);
}
