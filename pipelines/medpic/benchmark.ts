/** The medpic commands: build, plan, config, trace, verify, diff. */
import { join } from 'node:path';
import { CONFIGS } from '../../schemas/medpic.js';
import { AUTHOR } from '../../stages/draft-rules-from-prose/run.js';
import { GUIDELINE_FILES } from '../../stages/load-guidelines/shapes.js';
import { askedModels } from '../asked-models.js';
import type { Benchmark, CommandContext } from '../benchmark.js';
import { PROJECT_ROOT, readFileSync } from '../engine/adapters/files.js';
import { describeConfig, describePlan } from '../engine/command-words.js';
import { diffReleases } from '../engine/diff-releases.js';
import type { Pipeline } from '../engine/pipeline.js';
import { checkVersion } from '../engine/release.js';
import { openSession, run, type Session } from '../engine/session.js';
import { lockedSource, projectFolder, unlockedFiles } from '../engine/sources.js';
import { describePublished, describeUntil } from '../published.js';
import { GUIDELINES, LABELS, medpicPipeline, PDFS, REVIEWS } from './pipeline.js';
import { proseConfig, proseSources } from './prose.js';
import { publishRelease } from './release.js';
import { reviewCommands } from './review.js';

/** Where decisions of people lie. */
const REVIEWS_FOLDER = 'raw/reviews/medpic';
const GUIDELINES_FOLDER = 'raw/guidelines';

/** Named config values, from config.json. */
function medpicProfiles(): Pipeline['profiles'] {
  return JSON.parse(readFileSync(join(PROJECT_ROOT, 'pipelines/medpic/config.json'), 'utf8'));
}

/** Sources, config and cache of one command. A table beside the known ones needs an entry in raw/lock.json too. */
export async function openMedpic(context: CommandContext, until?: string): Promise<Session> {
  const names = [...GUIDELINE_FILES, ...unlockedFiles(GUIDELINES_FOLDER)];
  const prose = await proseSources(context);
  const has = { has_pdfs: PDFS in prose, has_labels: LABELS in prose };
  return openSession({
    pipeline: medpicPipeline(medpicProfiles(), has),
    sources: {
      [GUIDELINES]: await lockedSource(names),
      [REVIEWS]: await projectFolder(REVIEWS_FOLDER),
      ...prose,
    },
    overrides: proseConfig(prose),
    ...(await askedModels(context, PDFS in prose || LABELS in prose ? [AUTHOR] : [])),
    profile: context.profile ?? 'default',
    ...(context.configFile ? { configFile: context.configFile } : {}),
    seed: context.seed,
    buildDir: context.buildDir,
    ...(until ? { until } : {}),
  });
}

async function build(context: CommandContext, version: string | undefined, until: string | undefined) {
  checkVersion(version);
  const session = await openMedpic(context, until);
  const command = { command: 'build', benchmark: 'medpic', version, until };
  return run(session, { ...context, command }, async (entries) => {
    if (until) return describeUntil(entries.keys(), until);
    const released = await publishRelease(session, entries, version, context.signal);
    const is_preview = released.manifest.kind === 'preview';
    return describePublished(
      released,
      is_preview ? ['a preview: checked by program, not signed by people'] : [],
    );
  });
}

/** What a comparison of two releases must know. */
const DIFF = {
  configs: CONFIGS,
  key: 'instance_id',
  shared: ['benchmark_task_family', 'config', 'split'],
  answer: 'answer',
  beside: 'rules, facts or labels',
};

export const medpic: Benchmark = {
  name: 'medpic',
  build,
  plan: async (context, until) => describePlan(await openMedpic(context, until)),
  config: async (context) => describeConfig(await openMedpic(context)),
  trace: async (context, item, release) => (await import('./trace.js')).traceItem(context, item, release),
  verify: async (context, release) => (await import('./verify.js')).verifyRelease(context, release),
  diff: (a, b) => diffReleases(a, b, DIFF),
  review: reviewCommands(openMedpic, join(PROJECT_ROOT, REVIEWS_FOLDER)),
};
