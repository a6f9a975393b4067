/** Words of progress, for people. */
import type { StageEvent, StageState } from './progress.js';
import type { ModelTally } from './tally.js';

/** One stage on its way: `passages  42 %, asked 120: 108 accepted, 12 without answer (invalid 12), 61,200 tokens, about 3 min left`. */
export function wordUpdate(state: StageState): string {
  const { done, total, what, rejected, models, left_seconds } = state;
  const share = total > 0 ? `${Math.floor((100 * done) / total)} %` : '';
  const head = [what, share].filter(Boolean).join('  ');
  const parts = [
    head,
    models && wordModels(models),
    wordReasons('rejected', rejected),
    left_seconds === null ? '' : `about ${wordSeconds(left_seconds)} left`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** One finished stage. */
export function wordFinished(e: StageEvent): string {
  const rejects = e.rejected > 0 ? `, ${count(e.rejected)} rejected` : '';
  const time = e.status === 'cached' ? 'unchanged' : `${e.seconds.toFixed(1)} s`;
  const made = [
    [e.rows, 'row'],
    [e.files, 'file'],
  ] as const;
  const words = made.filter(([n]) => n > 0).map(([n, what]) => `${count(n)} ${what}${n === 1 ? '' : 's'}`);
  const models = e.models ? `; ${wordModels(e.models)}` : '';
  return `${e.stage}  ${[time, ...words].join(', ')}${rejects}${models}`;
}

/** What models were asked. */
export function wordModels(tally: ModelTally): string {
  const tokens = tally.prompt_tokens + tally.completion_tokens;
  const repeats = tally.transport_retries + tally.content_retries;
  const parts = [
    `asked ${count(tally.done)}: ${count(tally.accepted)} accepted`,
    tally.recorded > 0 ? `${count(tally.recorded)} from records` : '',
    wordReasons('without answer', tally.failed),
    tally.calls > 0 ? `${count(tally.calls)} calls${repeats > 0 ? ` (${count(repeats)} repeated)` : ''}` : '',
    tokens > 0 ? `${count(tokens)} tokens` : '',
    tally.assumed_tokens > 0 ? `at most ${count(tally.assumed_tokens)} tokens not reported` : '',
    tally.cost_usd === null ? '' : `$${tally.cost_usd.toFixed(tally.cost_usd < 1 ? 4 : 2)}`,
  ];
  return parts.filter(Boolean).join(', ');
}

function wordReasons(what: string, reasons: Readonly<Record<string, number>>): string {
  const known = Object.entries(reasons).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  if (known.length === 0) return '';
  const total = known.reduce((sum, [, n]) => sum + n, 0);
  return `${count(total)} ${what} (${known.map(([reason, n]) => `${reason} ${count(n)}`).join(', ')})`;
}

function wordSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(seconds / 3600).toFixed(1)} h`;
}

const count = (n: number): string => n.toLocaleString('en-US');
