/** Tokens per minute of one provider. */

/** Time, in milliseconds; tests bring their own. */
export interface Clock {
  now(): number;
  /** Rejects when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Told what a request came to, so that the rest of what was taken for it is free again. */
export type Settle = (tokens: number) => void;

export interface TokenRate {
  /** Waits, in the order of asking, until so many tokens may be sent. */
  take(tokens: number, signal: AbortSignal): Promise<Settle>;
}

const MINUTE = 60_000;

/**
 * Limits what is sent within any 60 seconds: the tokens of requests count from when they are sent, at their worst case
 * until they are settled. A request above the whole limit waits until it is alone, since it could never be sent
 * otherwise. Null is no limit.
 */
export function tokenRate(per_minute: number | null, clock: Clock): TokenRate {
  if (per_minute === null) return { take: () => Promise.resolve(() => undefined) };
  const sent: { readonly at: number; tokens: number }[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  let wake = (): void => undefined;
  const admit = async (tokens: number, signal: AbortSignal): Promise<Settle> => {
    for (;;) {
      signal.throwIfAborted();
      while (sent[0] && sent[0].at + MINUTE <= clock.now()) sent.shift();
      const counted = sent.filter((s) => s.tokens > 0);
      const used = counted.reduce((n, s) => n + s.tokens, 0);
      if (counted.length === 0 || used + tokens <= per_minute) return enter(tokens);
      await untilChange(counted[0]!.at + MINUTE - clock.now(), signal);
    }
  };
  const enter = (tokens: number): Settle => {
    const entry = { at: clock.now(), tokens };
    sent.push(entry);
    return (actual) => {
      entry.tokens = actual;
      wake();
    };
  };
  /** Until the time is over or a request was settled. */
  const untilChange = async (ms: number, signal: AbortSignal): Promise<void> => {
    const settled = new AbortController();
    wake = () => settled.abort();
    await clock.sleep(ms, AbortSignal.any([signal, settled.signal])).catch((error: unknown) => {
      if (!settled.signal.aborted) throw error;
    });
  };
  return {
    take: (tokens, signal) => {
      const admitted = queue.then(() => admit(tokens, signal));
      queue = admitted.catch(() => undefined);
      return admitted;
    },
  };
}
