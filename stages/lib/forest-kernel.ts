/** The compiled form of the forest: the training set lies in the kernel's memory, gathered there directly. */
import { instantiate, type Kernel, layOut } from './kernel.js';

/** Source of the kernel, to be declared by stages and loaded with `ctx.kernel`. */
export const FOREST_KERNEL = 'stages/lib/assembly/forest.ts';

interface ForestExports {
  workBytes(n: number, p: number): number;
  setUp(
    n: number,
    p: number,
    byColumn: number,
    byRow: number,
    binsN: number,
    labels: number,
    work: number,
  ): void;
  growTree(seed: number, t: number, importance: number): void;
}

/** Space for a training set of n rows and p columns in the kernel's memory, to be filled before a tree is grown. */
export interface KernelSet {
  readonly byColumn: Uint8Array;
  readonly byRow: Uint8Array;
  readonly binsN: Uint16Array;
  readonly labels: Uint8Array;
  /** Writes the decrease per column that the nodes of tree `t` add up to. */
  growTree(seed: number, t: number, importance: Float64Array): void;
}

/** The set that lies in the memory of this thread; placing another one overwrites it. */
let placed: KernelSet | null = null;

/** Lays out the kernel's memory for a training set. Sets placed earlier on this thread can no longer be used. */
export function placeSet(module: WebAssembly.Module, n: number, p: number): KernelSet {
  const { run, memory }: Kernel<ForestExports> = instantiate('forest', module);
  const at = layOut(memory, {
    byColumn: n * p,
    byRow: n * p,
    binsN: 2 * p,
    labels: n,
    importance: 8 * p,
    work: run.workBytes(n, p),
  });
  run.setUp(n, p, at.byColumn, at.byRow, at.binsN, at.labels, at.work);
  const { buffer } = memory;
  const decreases = new Float64Array(buffer, at.importance, p);
  const set: KernelSet = {
    byColumn: new Uint8Array(buffer, at.byColumn, n * p),
    byRow: new Uint8Array(buffer, at.byRow, n * p),
    binsN: new Uint16Array(buffer, at.binsN, p),
    labels: new Uint8Array(buffer, at.labels, n),
    growTree(seed, t, importance) {
      if (placed !== set) throw new Error('the training set was overwritten by a later one');
      decreases.fill(0);
      run.growTree(seed, t, at.importance);
      importance.set(decreases);
    },
  };
  placed = set;
  return set;
}
