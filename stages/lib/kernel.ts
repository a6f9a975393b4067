/** Runs a compiled kernel: one instance and one memory per thread, laid out anew for every task. */

/** An instance with its memory. Kernels export functions over byte offsets into it. */
export interface Kernel<E> {
  readonly run: E;
  readonly memory: WebAssembly.Memory;
}

const PAGE = 65536;
/** Offsets are multiples of this, so that rows of tiles start on a cache line. */
const ALIGN = 64;
const instances = new Map<string, Kernel<unknown>>();

/** The kernel of this thread under `name`; later modules of the same name are the same code and are not looked at. */
export function instantiate<E>(name: string, module: WebAssembly.Module): Kernel<E> {
  const known = instances.get(name);
  if (known) return known as Kernel<E>;
  const memory = new WebAssembly.Memory({ initial: 1 });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const kernel: Kernel<E> = { run: exports as E, memory };
  instances.set(name, kernel);
  return kernel;
}

/** Offsets of blocks of the given sizes in bytes, behind each other; the memory grows when it is too small. */
export function layOut<K extends string>(
  memory: WebAssembly.Memory,
  sizes: Readonly<Record<K, number>>,
): Record<K, number> {
  // The first page stays free: it is where a compiler would put constants.
  const { offsets, end } = offsetsOf(sizes, PAGE);
  const missing = Math.ceil((end - memory.buffer.byteLength) / PAGE);
  if (missing > 0) memory.grow(missing);
  return offsets;
}

/** Offsets of blocks of the given sizes in bytes, the first at `start`, and the end of the last. */
export function offsetsOf<K extends string>(
  sizes: Readonly<Record<K, number>>,
  start: number,
): { offsets: Record<K, number>; end: number } {
  let end = start;
  const offsets = {} as Record<K, number>;
  for (const name of Object.keys(sizes) as K[]) {
    offsets[name] = end;
    end += Math.ceil(sizes[name] / ALIGN) * ALIGN;
  }
  return { offsets, end };
}
