/** Loads compiled kernels. Where they cannot run, stages use their TypeScript form, which gives the same bits. */
import { join } from 'node:path';
import { sha256 } from '../../../stages/lib/hash.js';
import { UsageError } from '../errors.js';
import { existsSync, PROJECT_ROOT, readFileSync } from './files.js';

/** `wasm` falls back to `js` by itself where Node has no WebAssembly (`--jitless`) or no SIMD. */
export type KernelEngine = 'wasm' | 'js';
export const KERNEL_ENGINES: readonly KernelEngine[] = ['wasm', 'js'];

/** A kernel by the path of its source, or null for the TypeScript form. */
export type KernelLoader = (path: string) => WebAssembly.Module | null;

/** Loads the `allowed` kernels (paths of .ts files in the project) as they are asked for. */
export function createKernels(
  engine: KernelEngine,
  allowed: readonly string[],
  log: (message: string) => void,
): KernelLoader {
  const loaded = new Map<string, WebAssembly.Module | null>();
  return (path) => {
    if (!allowed.includes(path)) throw new Error(`${path} is not a declared kernel`);
    if (engine === 'js') return null;
    if (!loaded.has(path)) loaded.set(path, load(path, log));
    return loaded.get(path)!;
  };
}

/** Beside a compiled kernel: hash of what it was compiled from, hash of its bytes. */
export const kernelMark = (file: string): string => `${file}.key`;

function load(path: string, log: (message: string) => void): WebAssembly.Module | null {
  const file = join(PROJECT_ROOT, 'build/dist', path.replace(/\.ts$/, '.wasm'));
  if (!existsSync(file) || !existsSync(kernelMark(file))) {
    throw new UsageError({
      message: 'the compiled kernels are missing',
      file: path,
      next: 'npm run compile',
    });
  }
  const bytes = new Uint8Array(readFileSync(file));
  if (sha256(bytes) !== readFileSync(kernelMark(file), 'utf8').trim().split(' ')[1]) {
    throw new UsageError({
      message: 'a compiled kernel is damaged',
      file: path,
      next: 'make clean, then npm run compile',
    });
  }
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(bytes)) {
    log(`${path} cannot run here as WebAssembly; its TypeScript form does the same, more slowly`);
    return null;
  }
  return new WebAssembly.Module(bytes);
}
