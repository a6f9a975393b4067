/** Models for the examples of a stage: a real server that replies what `replies.json` of the example says. */
import { readFileSync } from 'node:fs';
import { ModelsConfig, purposesOf, setupsOf } from '../../pipelines/engine/models.js';
import type { StageModels } from '../../pipelines/engine/run-stage.js';
import type { StageSpec } from '../../stages/contract.js';
import { type Act, type CompletionSpec, complete, llmServer, status } from './llm-server.js';
import { temporaryFolder } from './stage.js';

/** The first reply whose `to` stands in the last message is sent; an object is sent as its JSON. */
export interface ScriptedReply extends Omit<CompletionSpec, 'content'> {
  readonly to: string;
  readonly content?: unknown;
}

/** Models of a stage that asks some with its config; an empty object for the others. */
export async function scriptedModels(
  stage: StageSpec,
  dir: string,
  config: unknown,
): Promise<{ models?: StageModels }> {
  const parsed = stage.config.safeParse(config);
  // A config that is refused is the point of some examples.
  if (!parsed.success || purposesOf(stage, parsed.data).length === 0) return {};
  const replies = JSON.parse(readFileSync(`${dir}/replies.json`, 'utf8')) as ScriptedReply[];
  return { models: await modelsThatSay(stage, replies, config) };
}

/** The setups of all purposes of a stage on one scripted server, live, over a store of their own. */
export async function modelsThatSay(
  stage: StageSpec,
  replies: readonly ScriptedReply[],
  stageConfig: unknown = {},
): Promise<StageModels> {
  const purposes = purposesOf(stage, stage.config.parse(stageConfig));
  const server = await llmServer(({ body }) => {
    const asked = body.messages.at(-1)!.content;
    const reply = replies.find((r) => asked.includes(r.to));
    return reply ? actOf(reply) : status(404, '{"error":{"code":"no_scripted_reply"}}');
  });
  const config = ModelsConfig.parse({
    providers: { test: { class: 'local', id: 'scripted', base_url: server.url } },
    models: Object.fromEntries(
      purposes.map((purpose) => [purpose, { provider: 'test', model: 'scripted-1' }]),
    ),
    calls: { retries: 0, timeout_seconds: 20 },
  });
  return {
    setups: setupsOf(stage.name, purposes, config),
    calls: config.calls,
    mode: 'live',
    storeDir: temporaryFolder(),
    recorded: [],
  };
}

function actOf({ to: _, content, ...more }: ScriptedReply): Act {
  const text = content === undefined || typeof content === 'string' ? content : JSON.stringify(content);
  return complete({ model: 'scripted-1', ...more, ...(text === undefined ? {} : { content: text }) });
}
