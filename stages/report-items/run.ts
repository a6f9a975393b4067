/** Writes report.json and report.html. */
import { MedpicStatistics } from '../../schemas/medpic-statistics.js';
import type { StageContext } from '../contract.js';
import { STYLE_FILE } from '../lib/report-page/frame.js';
import type { Config } from './config.js';
import { renderPage } from './page.js';
import { readInputs } from './read.js';
import { statisticsOf } from './statistics.js';
import { warningsOf } from './warnings.js';

/** Runs the stage. */
export async function run(ctx: StageContext, config: Config): Promise<void> {
  const statistics = MedpicStatistics.parse(statisticsOf(await readInputs(ctx)));
  const report = { access: ctx.access, warnings: warningsOf(statistics, config), statistics };
  await ctx.writeDocument('report_json', `${JSON.stringify(report, null, 2)}\n`);
  await ctx.writeDocument('report_html', renderPage(report, ctx.file(STYLE_FILE)));
  ctx.count('warnings', report.warnings.length);
}
