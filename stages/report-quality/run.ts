/** Writes report.json and report.html. */
import type { StageContext } from '../contract.js';
import { FEATURE_NAMES_FILE, parseFeatureNames } from '../lib/feature-names.js';
import { STYLE_FILE } from '../lib/report-page/frame.js';
import type { ReportQualityConfig } from './config.js';
import { chooseDiagnoses, readDistributions } from './distances.js';
import { renderPage } from './html/page.js';
import { createMask } from './mask.js';
import { readInputs } from './read.js';
import { buildReport } from './report.js';

/** The stage's transform. */
export async function runReportQuality(ctx: StageContext, config: ReportQualityConfig): Promise<void> {
  const inputs = await readInputs(ctx);
  const mask = createMask(ctx.access !== 'open', config.small_cell);
  // A histogram of few stays would tell how many there are.
  const drawable = inputs.diagnoses.filter((d) => !mask.isSmall(d.eligible_positives_n));
  const chosen = chooseDiagnoses(drawable, config.histograms);
  const report = buildReport({
    inputs,
    names: parseFeatureNames(ctx.file(FEATURE_NAMES_FILE)),
    mask,
    access: ctx.access,
    distances: await readDistributions(ctx, chosen, config.histogram_pairs),
  });
  await ctx.writeDocument('report_json', `${JSON.stringify(report, null, 2)}\n`);
  await ctx.writeDocument('report_html', renderPage(report, ctx.file(STYLE_FILE)));
  ctx.count('warnings', report.warnings.length);
}
