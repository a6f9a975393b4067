/** Follows one running stage: what is done, what models were asked, and how long the rest may take. */
import { now } from './adapters/clock.js';
import type { StageState } from './progress.js';
import { sumTallies, type Tallies } from './tally.js';

const WINDOW_MS = 60_000;

export interface StageWatch {
  progress(done: number, total: number, what?: string): void;
  reject(reason: string): void;
  tally(tallies: Tallies): void;
  /** Counts by purpose; empty for a stage that asked nothing. */
  readonly tallies: Tallies;
}

/** Tells `onState` after every change. `clock` is in milliseconds. */
export function watchStage(onState: (state: StageState) => void, clock: () => number = now): StageWatch {
  const left = timeLeft(clock);
  let state: StageState = { done: 0, total: 0, rejected: {}, left_seconds: null };
  let tallies: Tallies = {};
  const change = (more: Partial<StageState>): void => {
    state = { ...state, ...more };
    onState(state);
  };
  return {
    progress: (done, total, what) =>
      change({ done, total, left_seconds: left(done, total), ...(what === undefined ? {} : { what }) }),
    // Stages tell of rejects when they are counted; the next event shows them.
    reject: (reason) => {
      state = { ...state, rejected: { ...state.rejected, [reason]: (state.rejected[reason] ?? 0) + 1 } };
    },
    tally: (counted) => {
      tallies = counted;
      change({ models: sumTallies(Object.values(counted)) });
    },
    get tallies() {
      return tallies;
    },
  };
}

/** Seconds that are left at the speed of the last minute, so that recorded answers, which take no time, do not count for long. */
function timeLeft(clock: () => number): (done: number, total: number) => number | null {
  const seen: { readonly at: number; readonly done: number }[] = [];
  return (done, total) => {
    const at = clock();
    seen.push({ at, done });
    while (seen.length > 2 && seen[1]!.at < at - WINDOW_MS) seen.shift();
    const { at: began, done: before } = seen[0]!;
    if (at - began < 1000 || done <= before || total <= done) return null;
    return ((total - done) * (at - began)) / (done - before) / 1000;
  };
}
