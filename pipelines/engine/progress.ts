/** What a person sees while a build runs: a task list on a terminal, plain lines elsewhere, JSON lines with --json. */

import type { ListrTaskWrapper } from 'listr2';
import { now } from './adapters/clock.js';
import { wordFinished, wordUpdate } from './progress-words.js';
import type { ModelTally } from './tally.js';

export interface StageEvent {
  readonly stage: string;
  readonly status: 'cached' | 'built';
  readonly seconds: number;
  readonly rows: number;
  /** Files of folders and documents. */
  readonly files: number;
  readonly rejected: number;
  /** All purposes together; absent where no model was asked. */
  readonly models?: ModelTally;
}

/** How far a running stage is. */
export interface StageState {
  readonly done: number;
  /** 0 until it is known. */
  readonly total: number;
  readonly what?: string;
  /** Rejected rows by reason, as far as the stage has told. */
  readonly rejected: Readonly<Record<string, number>>;
  /** All purposes together; absent where no model is asked. */
  readonly models?: ModelTally;
  readonly left_seconds: number | null;
}

export interface Progress {
  begin(stages: readonly { name: string; summary: string }[]): void;
  start(stage: string, why: readonly string[]): void;
  update(stage: string, state: StageState): void;
  finish(event: StageEvent): void;
  note(message: string): void;
  /** Ends the display; `failed` leaves the running task marked as failed. */
  end(failed: boolean): Promise<void>;
}

/** At most one event in `ms`; the first one at once. */
function atMostEvery(ms: number): () => boolean {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const at = now();
    if (at - last < ms) return false;
    last = at;
    return true;
  };
}

const line = (event: string, fields: object): string => JSON.stringify({ event, ...fields });

/**
 * Plain lines, one per event, updates at most every five seconds. Where models are asked an update is a JSON object, as
 * with --json, and the last one is told too: long runs are watched by programs.
 */
export function plainProgress(write: (line: string) => void): Progress {
  const is_due = atMostEvery(5000);
  return {
    begin: (stages) => write(`${stages.length} stages`),
    start: (stage, why) => write(`- ${stage}: running (${why.join(', ')})`),
    update: (stage, state) => {
      if (!is_due()) return;
      write(state.models ? line('progress', { stage, ...state }) : `  ${stage}: ${wordUpdate(state)}`);
    },
    finish: (event) => {
      if (event.models) write(line('finish', event));
      write(`✔ ${wordFinished(event)}`);
    },
    note: (message) => write(`! ${message}`),
    end: () => Promise.resolve(),
  };
}

/** One JSON object a line; updates at most every second. */
export function jsonProgress(write: (line: string) => void): Progress {
  const emit = (event: string, fields: object): void => write(line(event, fields));
  const is_due = atMostEvery(1000);
  return {
    begin: (stages) => emit('plan', { stages: stages.map((s) => s.name) }),
    start: (stage, why) => emit('start', { stage, why }),
    update: (stage, state) => {
      if (is_due()) emit('progress', { stage, ...state });
    },
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
    update: (stage, state) => withTask(stage, (t) => (t.output = wordUpdate(state))),
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
