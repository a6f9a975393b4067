/** Models for tests: one purpose `author` on a test server, with short waits. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createModels, type Models, type ModelsOptions } from '../../pipelines/engine/adapters/llm.js';
import { CallConfig, type ModelSetup, ModelsConfig, setupsOf } from '../../pipelines/engine/models.js';
import type { LlmRequest } from '../../stages/contract.js';
import { temporaryFolder } from '../support/stage.js';

export const Verdict = z.strictObject({ verdict: z.enum(['GOOD', 'BAD']), reason: z.string().nullable() });
export type Verdict = z.infer<typeof Verdict>;
export const GOOD: Verdict = { verdict: 'GOOD', reason: null };

export const FAST = CallConfig.parse({
  timeout_seconds: 0.5,
  retries: 2,
  retry_after_cap_seconds: 0.3,
  backoff_seconds: 0.02,
});

/** The setup of purpose `author` on a server. */
export function setup(url: string, model: object = {}, server: object = {}): ModelSetup {
  const config = ModelsConfig.parse({
    providers: { test: { class: 'local', id: 'test-server', base_url: url, ...server } },
    models: {
      author: { provider: 'test', model: 'test-model', max_tokens: 100, truncated_max_tokens: 400, ...model },
    },
  });
  return setupsOf('ask-things', ['author'], config)[0]!;
}

export interface TestModels extends Models {
  readonly dir: string;
  readonly lines: string[];
  readonly notes: string[];
  /** Records of a file of the store. */
  records(file: 'answers' | 'failures'): Record<string, unknown>[];
}

/** Models over a store in a temporary folder, or in `dir`. */
export function models(one: ModelSetup, options: Partial<ModelsOptions> & { dir?: string } = {}): TestModels {
  const dir = options.dir ?? temporaryFolder();
  const lines: string[] = [];
  const notes: string[] = [];
  const made = createModels({
    stage: 'ask-things',
    setups: [one],
    calls: FAST,
    mode: 'live',
    access: 'open',
    storeDir: dir,
    recorded: [],
    signal: new AbortController().signal,
    onLog: (m) => lines.push(m),
    onNote: (m) => notes.push(m),
    ...options,
  });
  return Object.assign(made, {
    dir,
    lines,
    notes,
    records: (file: string) =>
      readFileSync(join(dir, options.access ?? 'open', `${file}.jsonl`), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  });
}

/** A question about a row. */
export const question = (
  subject = 'row:1',
  more: Partial<LlmRequest<Verdict>> = {},
): LlmRequest<Verdict> => ({
  subject,
  messages: [{ role: 'user', content: `Judge ${subject}.` }],
  schema: Verdict,
  schemaName: 'verdict',
  ...more,
});
