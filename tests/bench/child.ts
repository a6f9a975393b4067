/** The process of a product side: loads a function, prepares it once, then runs and measures it on request. */
import { fileURLToPath } from 'node:url';
import type { Outcome, Time } from './case.js';

/** What a product module exports under its name: reads the inputs, returns the run that is timed. */
export type PrepareRun<A> = (args: A) => Promise<Run> | Run;
/** `part` times a piece of the run under a name of its own; the whole run is `total`. */
export type Run = (part: Part) => unknown;
export type Part = <T>(name: string, run: () => T) => T extends Promise<unknown> ? Promise<Awaited<T>> : T;

/** Runs once and measures this process, threads included. */
export async function measure(run: Run): Promise<Outcome> {
  const times: Record<string, Time> = {};
  const part = (<T>(name: string, inner: () => T) => {
    const stop = startClock();
    const value = inner();
    const keep = (): void => {
      const { wall_s, cpu_s } = stop();
      const before = times[name] ?? { wall_s: 0, cpu_s: 0 };
      times[name] = { wall_s: before.wall_s + wall_s, cpu_s: before.cpu_s + cpu_s };
    };
    if (value instanceof Promise) return value.finally(keep);
    keep();
    return value;
  }) as Part;
  const stop = startClock();
  const result = await run(part);
  times.total = stop();
  return { times, peak_mb: Math.round(process.resourceUsage().maxRSS / 1024), result };
}

function startClock(): () => Time {
  const wall = process.hrtime.bigint();
  const cpu = process.cpuUsage();
  return () => {
    const used = process.cpuUsage(cpu);
    return {
      wall_s: Number(process.hrtime.bigint() - wall) / 1e9,
      cpu_s: (used.user + used.system) / 1e6,
    };
  };
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const [module, name, args] = process.argv.slice(2);
  const exports = (await import(module!)) as Record<string, PrepareRun<unknown>>;
  const run = await exports[name!]!(JSON.parse(args!));
  process.on('message', () => {
    measure(run).then(
      (outcome) => process.send!({ outcome }),
      (error: Error) => process.send!({ error: error.stack }),
    );
  });
  process.send({ ready: true });
}
