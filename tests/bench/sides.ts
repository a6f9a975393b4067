/** The three kinds of sides: a product function, a Python peer, a shell command. */
import { fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isPythonHere, PYTHON } from '../support/python.js';
import type { Outcome, Side } from './case.js';
import { peerEnvironment } from './python.js';

type Message = { ready?: true; outcome?: Outcome; error?: string };

/**
 * A product function, or an npm peer, in a Node process of its own, which stays alive between rounds. `module` is a file of this folder
 * (`./forest-product.js`) that exports a PrepareRun under `name`; `args` is plain JSON.
 */
export async function productSide(module: string, name: string, args: unknown): Promise<Side> {
  const entry = fileURLToPath(new URL('./child.js', import.meta.url));
  const child = fork(entry, [module, name, JSON.stringify(args)], {
    execArgv: ['--max-old-space-size=8192'],
  });
  const answer = (): Promise<Message> =>
    new Promise((resolve, reject) => {
      const stop = (code: number | null): void =>
        reject(new Error(`${name} of ${module} ended with ${code}`));
      child.once('exit', stop);
      child.once('message', (message: Message) => {
        child.off('exit', stop);
        if (message.error) reject(new Error(message.error));
        else resolve(message);
      });
    });
  await answer();
  return {
    run: async () => {
      const outcome = answer();
      child.send('run');
      return (await outcome).outcome!;
    },
    close: () => void child.kill(),
  };
}

/** A script of tests/oracles: every run is a process that prints JSON with its own inner timings. */
export async function pythonSide(
  script: string,
  args: readonly string[],
  threads: number,
  toOutcome: (printed: never) => Outcome,
): Promise<Side | null> {
  if (!isPythonHere()) return null;
  const env = peerEnvironment(threads);
  const run = async (): Promise<Outcome> => {
    const { stdout } = await runCommand(PYTHON, [`tests/oracles/${script}`, ...args], env);
    return toOutcome(JSON.parse(stdout) as never);
  };
  return { run, close: () => undefined };
}

/** A shell command line, timed from outside by bash; its result is what it prints. */
export async function shellSide(command: string): Promise<Side> {
  const run = async (): Promise<Outcome> => {
    const timed = `TIMEFORMAT='%R %U %S'; time { ${command}; }`;
    const { stdout, stderr } = await runCommand('bash', ['-c', timed], { ...process.env, LC_ALL: 'C' });
    const [wall_s, user, system] = stderr.trim().split('\n').at(-1)!.split(' ').map(Number);
    return {
      times: { total: { wall_s: wall_s!, cpu_s: user! + system! } },
      peak_mb: null,
      result: stdout.trim(),
    };
  };
  return { run, close: () => undefined };
}

/** What a command prints; a failing command is an error that carries its messages. */
export function runCommand(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      const [stdout, stderr] = [Buffer.concat(out).toString(), Buffer.concat(err).toString()];
      if (code === 0) resolve({ stdout, stderr });
      else reject(new Error(`${command} ${args.join(' ')}: exit code ${code}\n${stderr}`));
    });
  });
}
