/** What `plan` and `config` print for any benchmark. */
import { forecast, wordForecast, wordTotal } from './estimate.js';
import { plan, type Session } from './session.js';

/** Every stage with its state and the reason, and what it will ask of models. */
export async function describePlan(session: Session) {
  const planned = await plan(session);
  const stages = planned.map((p) => ({
    stage: p.step.stage.name,
    status: p.status,
    why: p.why,
    key: p.key,
    asks: forecast(session, planned, p),
  }));
  const width = Math.max(...stages.map((s) => s.stage.length));
  const lines = stages.flatMap((s) => [
    `${s.stage.padEnd(width)}  ${s.status.padEnd(7)}  ${s.why.join(', ')}`,
    ...s.asks.map((ask) => `  ${wordForecast(ask)}`),
  ]);
  const total = wordTotal(
    stages.flatMap((s) => s.asks),
    session,
  );
  return { stages, words: [...lines, ...total].join('\n') };
}

/** Every config key with its value and its meaning. */
export function describeConfig(session: Session) {
  const { profile, stages } = session.config;
  const lines = session.steps.flatMap(({ stage }) => [
    `${stage.name}  ${stage.summary}`,
    ...Object.entries(stages[stage.name] as object).map(([key, value]) => {
      const field = (stage.config as unknown as { shape?: Record<string, { description?: string }> }).shape?.[
        key
      ];
      return `  ${key} = ${JSON.stringify(value)}${field?.description ? `  ${field.description}` : ''}`;
    }),
  ]);
  return { profile, config: stages, words: [`profile ${profile}`, ...lines].join('\n') };
}
