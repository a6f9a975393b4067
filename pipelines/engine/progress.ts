/** What a person sees while a build runs: a task list on a terminal, plain lines elsewhere, JSON lines with --json. */

import type { ListrTaskWrapper } from 'listr2';
import { now } from './adapters/clock.js';

export interface StageEvent {
  readonly stage: string;
  readonly status: 'cached' | 'built';
  readonly seconds: number;
  readonly rows: number;
  /** Files of folders and documents. */
  readonly files: number;
  readonly rejected: number;
}

export interface Progress {
  begin(stages: readonly { name: string; summary: string }[]): void;
  start(stage: string, why: readonly string[]): void;
  update(stage: string, done: number, total: number, what?: string): void;
  finish(event: StageEvent): void;
  note(message: string): void;
  /** Ends the display; `failed` leaves the running task marked as failed. */
  end(failed: boolean): Promise<void>;
}

/** Words one finished stage. */
function wordFinished(e: StageEvent): string {
  const rejects = e.rejected > 0 ? `, ${e.rejected.toLocaleString('en-US')} rejected` : '';
  const time = e.status === 'cached' ? 'unchanged' : `${e.seconds.toFixed(1)} s`;
  const made = [
    [e.rows, 'row'],
    [e.files, 'file'],
  ] as const;
  const words = made
    .filter(([n]) => n > 0)
    .map(([n, what]) => `${n.toLocaleString('en-US')} ${what}${n === 1 ? '' : 's'}`);
  return `${e.stage}  ${[time, ...words].join(', ')}${rejects}`;
}

function wordUpdate(done: number, total: number, what: string | undefined): string {
  const share = total > 0 ? `${Math.floor((100 * done) / total)} %` : '';
  return [what, share].filter(Boolean).join('  ');
}

/** Plain lines, one per event; updates at most every five seconds. */
export function plainProgress(write: (line: string) => void): Progress {
  let last = 0;
  return {
    begin: (stages) => write(`${stages.length} stages`),
    start: (stage, why) => write(`- ${stage}: running (${why.join(', ')})`),
    update: (stage, done, total, what) => {
      const at = now();
      if (at - last < 5000) return;
      last = at;
      write(`  ${stage}: ${wordUpdate(done, total, what)}`);
    },
    finish: (event) => write(`✔ ${wordFinished(event)}`),
    note: (message) => write(`! ${message}`),
    end: () => Promise.resolve(),
  };
}

/** One JSON object a line. */
export function jsonProgress(write: (line: string) => void): Progress {
  const emit = (event: string, fields: object): void => write(JSON.stringify({ event, ...fields }));
  return {
    begin: (stages) => emit('plan', { stages: stages.map((s) => s.name) }),
    start: (stage, why) => emit('start', { stage, why }),
    update: (stage, done, total, what) => emit('progress', { stage, done, total, what }),
    finish: (event) => emit('finish', event),
    note: (message) => emit('note', { message }),
    end: () => Promise.resolve(),
  };
}

interface Slot {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
  task?: ListrTaskWrapper<object, never, never>;
  /** Set when the stage ended before the list reached its line. */
  title?: string;
}

function slot(): Slot {
  let resolve!: () => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<void>((a, b) => {
    resolve = a;
    reject = b;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** A live task list. */
export function listProgress(write: (line: string) => void): Progress {
  const notes: string[] = [];
  const slots = new Map<string, Slot>();
  let running: Promise<unknown> = Promise.resolve();
  const withTask = (stage: string, use: (task: NonNullable<Slot['task']>) => void): void => {
    const task = slots.get(stage)?.task;
    if (task) use(task);
  };
  return {
    begin: (stages) => {
      for (const s of stages) slots.set(s.name, slot());
      const tasks = stages.map((s) => ({
        title: `${s.name}  ${s.summary}`,
        task: (_: object, task: unknown) => {
          const mine = slots.get(s.name)!;
          mine.task = task as NonNullable<Slot['task']>;
          if (mine.title) mine.task.title = mine.title;
          return mine.promise;
        },
      }));
      running = import('listr2')
        .then(({ Listr }) => new Listr(tasks, { exitOnError: true, registerSignalListeners: false }).run())
        .catch(() => undefined);
    },
    start: (stage, why) => {
      setImmediate(() => withTask(stage, (t) => (t.output = why.join(', '))));
    },
    update: (stage, done, total, what) => withTask(stage, (t) => (t.output = wordUpdate(done, total, what))),
    finish: (event) => {
      const mine = slots.get(event.stage);
      if (!mine) return;
      mine.title = wordFinished(event);
      if (mine.task) mine.task.title = mine.title;
      mine.resolve();
    },
    note: (message) => void notes.push(message),
    end: async (failed) => {
      if (failed) for (const s of slots.values()) s.reject(new Error('stopped'));
      await running;
      for (const message of notes) write(`! ${message}`);
    },
  };
}
