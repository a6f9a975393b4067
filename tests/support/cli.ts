/** Runs the compiled command line as a process of its own, as a person would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from '../../pipelines/engine/adapters/files.js';
import { sha256 } from '../../stages/lib/hash.js';

const CLI = 'build/dist/pipelines/cli.js';

export interface CliOptions {
  readonly node?: string;
  readonly root?: string;
  readonly env?: Record<string, string>;
  /** Runs as this user (for an administrator, who could read everything). */
  readonly uid?: number;
  /** Called with the running process. */
  readonly onStart?: (child: ChildProcess) => void;
}

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The last JSON line of --json output. */
  json<T = Record<string, unknown>>(): T;
}

/** Runs `benchwright ARGS` and waits for its end. */
export function cli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const cwd = options.root ?? process.cwd();
  if (!existsSync(join(cwd, CLI)))
    throw new Error('the compiled command line is missing: run npm run compile');
  const child = spawn(options.node ?? process.execPath, [CLI, ...args], {
    cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  options.onStart?.(child);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve({
        code,
        signal,
        stdout,
        stderr,
        json: <T>() => JSON.parse(stdout.trim().split('\n').at(-1)!) as T,
      }),
    );
  });
}

/** What a build prints with --json. */
export interface Built {
  readonly release: string;
  readonly version: string;
  readonly data_hash: string;
  readonly content_hash: string;
  readonly is_new: boolean;
}

/** Builds supmimic and returns its result; any other exit code than 0 fails the test with what was printed. */
export async function build(args: readonly string[], options: CliOptions = {}): Promise<Built> {
  const result = await cli(['build', 'supmimic', '--json', ...args], options);
  if (result.code !== 0)
    throw new Error(`exit code ${result.code}\n${result.stdout.slice(-2000)}\n${result.stderr}`);
  return result.json<Built>();
}

/** Path to SHA-256 of every file below a folder. */
export function hashTree(dir: string, only: (path: string) => boolean = () => true): Record<string, string> {
  const files = listFiles(dir).filter(only);
  return Object.fromEntries(files.map((path) => [path, sha256(readFileSync(join(dir, path)))]));
}
