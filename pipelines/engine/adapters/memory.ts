/** Gives memory back at once. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Frees arrays that nothing refers to any more. Shared memory of hundreds of megabytes is a small object to the garbage
 * collector, which would leave it until JavaScript itself needs room, while DuckDB fills the memory beside it.
 */
export function freeUnused(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  setFlagsFromString('--no-expose-gc');
}
