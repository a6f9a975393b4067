/** Works on moments some at a time: a model can be asked about several at once, and memory stays flat. */
import type { StageContext } from '../../contract.js';

/** Moments that are worked on at once; how many calls run at once the model layer says. */
const AT_ONCE = 64;

/** Calls `work` for every moment, or what is made of one; the order in which they end means nothing. `total` is for the progress. */
export async function inBatches<T>(
  ctx: Pick<StageContext, 'progress' | 'signal'>,
  moments: AsyncIterable<T>,
  total: number,
  work: (moment: T) => Promise<void>,
): Promise<void> {
  let done = 0;
  let batch: T[] = [];
  const flush = async (): Promise<void> => {
    ctx.signal.throwIfAborted();
    await Promise.all(batch.map(work));
    done += batch.length;
    batch = [];
    ctx.progress(done, total, 'moments');
  };
  for await (const moment of moments) {
    batch.push(moment);
    if (batch.length >= AT_ONCE) await flush();
  }
  if (batch.length > 0) await flush();
}
