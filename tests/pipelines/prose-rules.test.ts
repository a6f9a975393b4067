/** Two authors, one table: guideline rows through the parser, label sections through a model, live and replayed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashFolder } from '../../pipelines/engine/adapters/files.js';
import type { LlmMode } from '../../pipelines/engine/adapters/llm.js';
import { PolicyError } from '../../pipelines/engine/errors.js';
import { hashFiles } from '../../pipelines/engine/outputs.js';
import { output, type Pipeline, source, wire } from '../../pipelines/engine/pipeline.js';
import { plainProgress } from '../../pipelines/engine/progress.js';
import { openSession, run } from '../../pipelines/engine/session.js';
import { lockedSource, type Source } from '../../pipelines/engine/sources.js';
import { checkRulesAndProse } from '../../stages/check-rules/stage.js';
import type { StageSpec } from '../../stages/contract.js';
import { draftRules } from '../../stages/draft-rules/stage.js';
import { draftRulesFromProse } from '../../stages/draft-rules-from-prose/stage.js';
import { loadGuidelines } from '../../stages/load-guidelines/stage.js';
import { readLabels } from '../../stages/read-labels/stage.js';
import { selectPassages } from '../../stages/select-passages/stage.js';
import { llmServer, say } from '../support/llm-server.js';
import { hasMounted } from '../support/mounted.js';
import { readParquet, temporaryFolder } from '../support/stage.js';

const GUIDELINES = [
  'beers2023',
  'kids2025',
  'tga-pregnancy',
  'fda-labels',
  'classes',
  'class-words',
  'drug-names',
  'neutral-drugs',
].map((name) => `raw/guidelines/${name}.csv`);
/** Rosuvastatin and duloxetine, as openFDA gave them. */
const LABELS = ['NDA021366', 'NDA021427'].map((n) => `fda-labels-openfda/labels/${n}.json.gz`);

const pipeline: Pipeline = {
  name: 'prose',
  steps: wire(
    [
      loadGuidelines,
      draftRules,
      readLabels,
      selectPassages,
      draftRulesFromProse,
      checkRulesAndProse,
    ] as readonly StageSpec[],
    {
      guidelines: source('guidelines'),
      labels: source('labels'),
      drafted_rules: output('draft-rules', 'rules'),
    },
  ),
  profiles: { default: { 'select-passages': { codes: ['42228-7', '77290-5'] } } },
};

interface Build {
  readonly root: string;
  readonly url: string;
  readonly mode: LlmMode;
  readonly recorded?: Source;
  readonly access?: Source['access'];
  readonly provider?: string;
}

async function build({ root, url, mode, recorded, access, provider = 'local' }: Build) {
  const labels = await lockedSource(LABELS);
  const configFile = join(root, 'config.json');
  const models = {
    providers: { here: { class: provider, id: 'here', base_url: url } },
    models: { author: { provider: 'here', model: 'scripted-1' } },
  };
  writeFileSync(configFile, JSON.stringify({ models }));
  const session = await openSession({
    pipeline,
    sources: {
      guidelines: await lockedSource(GUIDELINES),
      labels: { ...labels, access: access ?? labels.access },
    },
    profile: 'default',
    configFile,
    seed: 0,
    buildDir: join(root, 'build'),
    llm: mode,
    ...(recorded ? { recorded } : {}),
  });
  const options = {
    workers: 1,
    engine: 'js' as const,
    memoryLimit: '2GB',
    signal: new AbortController().signal,
    progress: plainProgress(() => undefined),
    command: {},
  };
  return run(session, options, async (entries) => {
    const { dir, result } = entries.get('draft-rules-from-prose')!;
    const parser = entries.get('draft-rules')!.result.outputs.rules!.rows!;
    const checked = entries.get('check-rules')!.dir;
    return {
      result,
      parser,
      rules: await readParquet(join(dir, 'rules.parquet')),
      checked: await readParquet(join(checked, 'checked_rules.parquet')),
      findings: await readParquet(join(checked, 'rule_findings.parquet')),
    };
  });
}

/** A rule about rosuvastatin with one ground. */
const rule = (quotes: {
  target: string | null;
  condition: string;
  when: string;
  kind: string;
  action: string;
}) => ({
  targets: [{ drug: 'rosuvastatin', quote: quotes.target }],
  population: null,
  when: [{ condition: quotes.condition, quote: quotes.when }],
  unless: [],
  action: {
    kind: quotes.kind,
    quote: quotes.action,
    act: null,
    dose_text: null,
    monitoring: null,
    alternative: null,
  },
});

/** What the model knows of the label of rosuvastatin, by words of a passage. The second rule names no drug. */
const RULES: Readonly<Record<string, object>> = {
  'Discontinue CRESTOR when pregnancy is recognized': rule({
    target: 'CRESTOR',
    condition: 'fact pregnant',
    when: 'when pregnancy is recognized',
    kind: 'stop or interrupt',
    action: 'Discontinue CRESTOR',
  }),
  'breastfeeding is not recommended': rule({
    target: null,
    condition: 'fact breastfeeding',
    when: 'breastfeeding is not recommended during treatment',
    kind: 'not recommended',
    action: 'not recommended during treatment',
  }),
};

const reply = (asked: string): object => {
  const found = /rosuvastatin/i.test(asked)
    ? Object.keys(RULES).find((words) => asked.includes(words))
    : undefined;
  return found
    ? { rules: [RULES[found]], nothing_because: null }
    : { rules: [], nothing_because: 'not known to this model' };
};

describe.skipIf(!hasMounted())('rules of two authors', () => {
  it('stand in one table; a replay from the recorded answers gives the same bytes without a server', async () => {
    const server = await llmServer(({ body }) =>
      say(reply(body.messages.at(-1)!.content), { model: 'scripted-1' }),
    );
    const root = temporaryFolder();
    const live = await build({ root, url: server.url, mode: 'live' });
    const own = live.rules.filter((r) => r.author === 'model');
    expect(live.parser).toBeGreaterThan(100);
    expect(live.rules.length).toBe(live.parser + 2);
    const draft = {
      special_population: 'pregnant or breastfeeding women',
      is_usable: false,
      status: 'draft',
    };
    expect(own).toMatchObject([draft, draft]);
    // The check that follows knows the passages: it finds every quote, and nothing to reject.
    expect(live.checked.length).toBe(live.rules.length);
    expect(live.checked.filter((r) => r.author === 'model').map((r) => r.status)).toEqual([
      'checked',
      'checked',
    ]);
    const ids = own.map((r) => r.rule_id);
    expect(live.findings.filter((f) => ids.includes(f.rule_id!) && f.is_error)).toEqual([]);
    const { requests } = server;
    expect(requests.length).toBe(4);
    await server.close();
    const files = await hashFolder(join(root, 'build/answers/open'));
    const recorded: Source = { files, sha256: hashFiles(files), access: 'open' };
    const again = await build({
      root: temporaryFolder(),
      url: 'http://127.0.0.1:9/v1',
      mode: 'replay',
      recorded,
    });
    expect(again.result.outputs).toEqual(live.result.outputs);
  });

  it('are not drafted by a remote model from a label that may not travel', async () => {
    const server = await llmServer([say({})]);
    const root = temporaryFolder();
    const closed = build({ root, url: server.url, mode: 'live', access: 'restricted', provider: 'remote' });
    await expect(closed).rejects.toThrow(PolicyError);
    expect(server.requests.length).toBe(0);
  });
});
