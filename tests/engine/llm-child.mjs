/** A process that asks a model about some rows, two at a time, to be killed by its test. Uses the compiled product. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { createModels } from '../../build/dist/pipelines/engine/adapters/llm.js';
import { CallConfig, ModelsConfig, setupsOf } from '../../build/dist/pipelines/engine/models.js';

const { url, store, rows } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const config = ModelsConfig.parse({
  providers: { test: { class: 'local', id: 'test-server', base_url: url, concurrency: 2 } },
  models: { author: { provider: 'test', model: 'test-model' } },
});
const models = createModels({
  stage: 'ask-things',
  setups: setupsOf('ask-things', ['author'], config),
  calls: CallConfig.parse({ backoff_seconds: 0.01 }),
  mode: 'live',
  access: 'open',
  storeDir: store,
  recorded: [],
  signal: new AbortController().signal,
  onLog: () => undefined,
  onNote: () => undefined,
});
const schema = z.strictObject({ verdict: z.string(), reason: z.string() });
const ask = (i) =>
  models.llm('author').ask({
    subject: `row:${i}`,
    messages: [{ role: 'user', content: `Judge ${i}.` }],
    schema,
    schemaName: 'verdict',
  });
const results = await Promise.all(Array.from({ length: rows }, (_, i) => ask(i)));
await models.close();
process.exitCode = results.every((r) => r.outcome === 'accepted') ? 0 : 9;
