/** Elapsed time, for progress and run logs only. */
export const now = (): number => performance.now();
