/** Compiled kernels for tests. They are part of the build: a missing one is an error, not a reason to skip. */
import { createKernels } from '../../pipelines/engine/adapters/kernels.js';

/** The module of `stages/lib/assembly/<name>.ts`. */
export function kernel(name: string): WebAssembly.Module {
  const path = `stages/lib/assembly/${name}.ts`;
  const load = createKernels('wasm', [path], (message) => {
    throw new Error(message);
  });
  return load(path)!;
}
