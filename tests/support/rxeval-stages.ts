/** The stages of rxeval that ask a model, one at a time, over the results of a build and a server. */
import { CallConfig, ModelsConfig, purposesOf, setupsOf } from '../../pipelines/engine/models.js';
import type { StageSpec } from '../../stages/contract.js';
import { cachedTable } from './rxeval-answers.js';
import { runStageOn, type StageRun, type TestInput, temporaryFolder } from './stage.js';

/** Which stage writes the tables that these stages read. */
export const FROM: Readonly<Record<string, string>> = {
  sampled_admissions: 'sample-admissions',
  orders: 'gather-orders',
  events: 'build-trajectories',
  event_items: 'build-trajectories',
  profiles: 'build-profile',
  profile_spans: 'build-profile',
  timepoints: 'find-timepoints',
  timepoint_orders: 'find-timepoints',
  rules: 'apply-reviews',
  drug_names: 'load-guidelines',
  drug_classes: 'load-guidelines',
  class_words: 'load-guidelines',
  selected_timepoints: 'select-timepoints',
  selections: 'select-timepoints',
  chain_drafts: 'annotate-chains',
  chains: 'criticise-chains',
  distractor_drafts: 'make-distractors',
};

export interface AskingRun {
  readonly buildDir: string;
  readonly url: string;
  readonly config?: object;
  /** In place of tables of the build. */
  readonly inputs?: Readonly<Record<string, TestInput>>;
  readonly calls?: object;
}

/** Runs a stage with a model as author and critic, as far as it has them, on the tables of a build. */
export function runAsking<C>(stage: StageSpec<C>, run: AskingRun): Promise<StageRun> {
  const { buildDir, url, config = {}, inputs = {}, calls = {} } = run;
  const known = Object.keys(stage.inputs).filter((name) => FROM[name] !== undefined && !(name in inputs));
  const read = known.map((name): [string, TestInput] => [
    name,
    { parquet: cachedTable(buildDir, FROM[name]!, name) },
  ]);
  const purposes = purposesOf(stage as StageSpec, stage.config.parse(config));
  const models = ModelsConfig.parse({
    providers: { test: { class: 'local', id: 'test-server', base_url: url } },
    models: Object.fromEntries(purposes.map((p) => [p, { provider: 'test', model: 'scripted-1' }])),
  });
  return runStageOn(stage, {
    inputs: { ...Object.fromEntries(read), ...inputs },
    config,
    models: {
      setups: setupsOf(stage.name, purposes, models),
      calls: CallConfig.parse({ backoff_seconds: 0.01, retry_after_cap_seconds: 0.1, ...calls }),
      mode: 'live',
      storeDir: temporaryFolder(),
      recorded: [],
    },
  });
}
