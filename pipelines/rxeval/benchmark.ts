/** The rxeval commands: build, plan, config, trace, verify, diff. */
import { join } from 'node:path';
import { CONFIGS } from '../../schemas/rxeval.js';
import { GUIDELINE_FILES } from '../../stages/load-guidelines/shapes.js';
import { askedModels, namesModel } from '../asked-models.js';
import type { Benchmark, CommandContext } from '../benchmark.js';
import { PROJECT_ROOT, readFileSync } from '../engine/adapters/files.js';
import { describeConfig, describePlan } from '../engine/command-words.js';
import { diffReleases } from '../engine/diff-releases.js';
import type { ConfigValues, Pipeline } from '../engine/pipeline.js';
import { checkVersion } from '../engine/release.js';
import { openSession, run, type Session } from '../engine/session.js';
import { folderSource, lockedSource, projectFolder, unlockedFiles } from '../engine/sources.js';
import { describePublished, describeUntil } from '../published.js';
import { EXTRACT, GUIDELINES, REVIEWS, rxevalPipeline } from './pipeline.js';
import { publishRelease } from './release.js';

/** Tables of an extract that rxeval reads. */
const WANTED = [
  'hosp/admissions.csv',
  'hosp/d_icd_diagnoses.csv',
  'hosp/d_icd_procedures.csv',
  'hosp/d_labitems.csv',
  'hosp/diagnoses_icd.csv',
  'hosp/labevents.csv',
  'hosp/microbiologyevents.csv',
  'hosp/omr.csv',
  'hosp/patients.csv',
  'hosp/pharmacy.csv',
  'hosp/poe.csv',
  'hosp/prescriptions.csv',
  'hosp/procedures_icd.csv',
  'hosp/services.csv',
  'hosp/transfers.csv',
  'icu/chartevents.csv',
  'icu/d_items.csv',
  'icu/icustays.csv',
  'icu/inputevents.csv',
  'icu/outputevents.csv',
  'icu/procedureevents.csv',
];
/** Read where they are: the demo has no notes, and early extracts no eMAR. Notes come as a folder of their own. */
const OPTIONAL = ['hosp/emar.csv', 'note/discharge.csv', 'note/radiology.csv', 'note/radiology_detail.csv'];

/** What changes when the options name a model: it writes and criticises. The profile stays with the parser unless the config says otherwise. */
const BY_MODEL: ConfigValues = {
  'select-timepoints': { author: 'model' },
  'annotate-chains': { author: 'model' },
  'criticise-chains': { author: 'model', critic: 'model' },
  'make-distractors': { author: 'model' },
  'criticise-distractors': { author: 'model', critic: 'model' },
};

const REVIEWS_FOLDER = 'raw/reviews/medpic';
const GUIDELINES_FOLDER = 'raw/guidelines';

/** Named config values, from config.json. */
function rxevalProfiles(): Pipeline['profiles'] {
  return JSON.parse(readFileSync(join(PROJECT_ROOT, 'pipelines/rxeval/config.json'), 'utf8'));
}

/** Sources, config and cache of one command. */
export async function openRxeval(context: CommandContext, until?: string): Promise<Session> {
  const { mimicDirs, mimicVersion } = context;
  const extract = mimicDirs
    ? { [EXTRACT]: await folderSource(mimicDirs, WANTED, [...OPTIONAL, 'SHA256SUMS.txt']) }
    : {};
  const overrides: ConfigValues = {
    ...(mimicVersion ? { 'load-mimic': { version: mimicVersion } } : {}),
    ...(namesModel(context) ? BY_MODEL : {}),
  };
  return openSession({
    pipeline: rxevalPipeline(mimicDirs ? 'extract' : 'synthetic', rxevalProfiles()),
    sources: {
      ...extract,
      [GUIDELINES]: await lockedSource([...GUIDELINE_FILES, ...unlockedFiles(GUIDELINES_FOLDER)]),
      [REVIEWS]: await projectFolder(REVIEWS_FOLDER),
    },
    profile: context.profile ?? (mimicDirs ? 'full' : 'default'),
    ...(context.configFile ? { configFile: context.configFile } : {}),
    overrides,
    ...(await askedModels(context, ['author', 'critic'])),
    seed: context.seed,
    buildDir: context.buildDir,
    ...(until ? { until } : {}),
  });
}

async function build(context: CommandContext, version: string | undefined, until: string | undefined) {
  checkVersion(version);
  const session = await openRxeval(context, until);
  const command = { command: 'build', benchmark: 'rxeval', version, until, directories: context.mimicDirs };
  return run(session, { ...context, command }, async (entries) => {
    if (until) return describeUntil(entries.keys(), until);
    return describePublished(await publishRelease(session, entries, version, context.signal));
  });
}

/** What a comparison of two releases must know. */
const DIFF = {
  configs: CONFIGS,
  key: 'question_id',
  shared: ['config', 'phase', 'split'],
  answer: 'answer',
  beside: 'chains, distractors or proofs',
};

export const rxeval: Benchmark = {
  name: 'rxeval',
  build,
  plan: async (context, until) => describePlan(await openRxeval(context, until)),
  config: async (context) => describeConfig(await openRxeval(context)),
  trace: async (context, item, release) => (await import('./trace.js')).traceItem(context, item, release),
  verify: async (context, release) => (await import('./verify.js')).verifyRelease(context, release),
  diff: (a, b) => diffReleases(a, b, DIFF),
};
