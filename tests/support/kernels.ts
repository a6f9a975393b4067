/** Compiled kernels for tests. They are part of the build: a missing one is an error, not a reason to skip. */
import { readFileSync } from 'node:fs';

/** The module of `stages/lib/assembly/<name>.ts`. */
export function kernel(name: string): WebAssembly.Module {
  const path = `build/dist/stages/lib/assembly/${name}.wasm`;
  return new WebAssembly.Module(new Uint8Array(readFileSync(path)));
}
