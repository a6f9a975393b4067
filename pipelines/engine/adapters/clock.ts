/** Time: elapsed, for progress and run logs; of the day, for the signatures of people. No stage sees either. */
export const now = (): number => performance.now();

/** The moment in UTC to the second, as `2026-01-31T09:30:00Z`. */
export const utcSeconds = (): string => `${new Date().toISOString().slice(0, 19)}Z`;
