/** Runs at most `n` pieces of work at a time, in the order they came. */
export function limiter(n: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= n) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      // The slot goes straight to the next one.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
