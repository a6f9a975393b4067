/** Which form of a kernel a run gets. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createKernels } from '../../pipelines/engine/adapters/kernels.js';

const WITHIN = 'stages/lib/assembly/within.ts';

describe('kernels', () => {
  it('are compiled code by default and null with the engine js', () => {
    const notes: string[] = [];
    const load = createKernels('wasm', [WITHIN], (m) => notes.push(m));
    expect(load(WITHIN)).toBeInstanceOf(WebAssembly.Module);
    expect(load(WITHIN)).toBe(load(WITHIN));
    expect(createKernels('js', [WITHIN], (m) => notes.push(m))(WITHIN)).toBeNull();
    expect(notes).toEqual([]);
  });

  it('must be declared and compiled', () => {
    const load = createKernels('wasm', ['stages/lib/assembly/none.ts'], () => {});
    expect(() => load(WITHIN)).toThrow('stages/lib/assembly/within.ts is not a declared kernel');
    expect(() => load('stages/lib/assembly/none.ts')).toThrow(
      /compiled kernels are missing[\s\S]*npm run compile/,
    );
  });

  it('fall back to their TypeScript form, and say so, where Node has no WebAssembly', () => {
    const script = `
      const { createKernels } = await import('./build/dist/pipelines/engine/adapters/kernels.js');
      console.log(createKernels('wasm', ['${WITHIN}'], (m) => console.log(m))('${WITHIN}'));`;
    const run = spawnSync(process.execPath, ['--jitless', '--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    expect(run.stdout).toBe(
      `${WITHIN} cannot run here as WebAssembly; its TypeScript form does the same, more slowly\nnull\n`,
    );
  });
});
