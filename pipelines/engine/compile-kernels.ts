/** Compiles the AssemblyScript kernels whose source, compiler or settings differ from those of the last compilation. */
import { basename, join } from 'node:path';
import { main } from 'assemblyscript/asc';
import { sha256 } from '../../stages/lib/hash.js';
import {
  existsSync,
  listFiles,
  mkdir,
  PROJECT_ROOT,
  readFileSync,
  rm,
  writeAtomic,
} from './adapters/files.js';
import { kernelMark } from './adapters/kernels.js';
import { packageVersion } from './fingerprint.js';

const SOURCES = 'stages/lib/assembly';
/** No relaxed SIMD: its results differ between machines. */
const SETTINGS = ['-O3', '--enable', 'simd', '--importMemory', '--noAssert', '--runtime', 'stub'];

async function compile(name: string): Promise<void> {
  const source = join(PROJECT_ROOT, SOURCES, `${name}.ts`);
  const target = join(PROJECT_ROOT, 'build/dist', SOURCES, `${name}.wasm`);
  // A hash and no times: a file that was put back may be older than what was compiled from it before.
  const key = sha256(
    [readFileSync(source, 'utf8'), packageVersion('assemblyscript'), ...SETTINGS].join('\n'),
  );
  const mark = kernelMark(target);
  if (existsSync(target) && existsSync(mark) && readFileSync(mark, 'utf8') === markOf(key, target)) return;
  // Without a mark, a half-written file is compiled again.
  await rm(mark, { force: true });
  const { error, stderr } = await main([source, '--baseDir', PROJECT_ROOT, '--outFile', target, ...SETTINGS]);
  if (error) {
    process.stderr.write(`${stderr.toString()}${error.message}\n`);
    process.exitCode = 1;
    return;
  }
  await writeAtomic(mark, markOf(key, target));
}

const markOf = (key: string, target: string): string => `${key} ${sha256(readFileSync(target))}\n`;

await mkdir(join(PROJECT_ROOT, 'build/dist', SOURCES), { recursive: true });
for (const file of listFiles(join(PROJECT_ROOT, SOURCES)).filter((f) => f.endsWith('.ts'))) {
  await compile(basename(file, '.ts'));
}
