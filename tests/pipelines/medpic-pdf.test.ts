/** A rule from a printed cell to an item and back: our own rows printed as a PDF, drafted by a scripted model. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Trace } from '../../pipelines/medpic/trace.js';
import { CONFIGS } from '../../schemas/medpic.js';
import type { SqlRow } from '../../stages/contract.js';
import { sha256 } from '../../stages/lib/hash.js';
import { type Built, cli } from '../support/cli.js';
import { EDITION, FILE, printDocument, QUOTE, reply } from '../support/kidney-table.js';
import { llmServer, say } from '../support/llm-server.js';
import { runFolder } from '../support/run-folder.js';
import { readParquet, temporaryFolder } from '../support/stage.js';

interface World {
  readonly root: string;
  readonly pdfs: string;
  readonly pdf: string;
  readonly config: string;
}

/** The folder outlives one test; the end of the run removes it. */
async function makeWorld(url: string): Promise<World> {
  mkdirSync(runFolder(process.ppid), { recursive: true });
  const root = mkdtempSync(join(runFolder(process.ppid), 'pdf-'));
  const pdfs = join(root, 'pdfs');
  const pdf = await printDocument(pdfs);
  const config = join(root, 'config.json');
  const models = {
    providers: { here: { class: 'local', id: 'here', base_url: url } },
    models: { author: { provider: 'here', model: 'scripted-1' } },
  };
  const prose = { may_make_questions: true };
  writeFileSync(config, JSON.stringify({ models, 'draft-rules-from-prose': prose }));
  return { root, pdfs, pdf, config };
}

async function build(w: World, name: string, more: readonly string[]): Promise<Built> {
  const common = ['--json', '--workers', '2', '--pdf-dir', w.pdfs, '--config', w.config];
  const result = await cli(['build', 'medpic', ...common, '--build-dir', join(w.root, name), ...more]);
  if (result.code !== 0) throw new Error(`exit code ${result.code}\n${result.stderr}`);
  return result.json<Built>();
}

/** Rows of every config. */
async function itemsOf(release: string, folder: 'answers' | 'data'): Promise<SqlRow[]> {
  const files = CONFIGS.map((config) => join(release, folder, config, 'test.parquet')).filter(existsSync);
  return (await Promise.all(files.map(readParquet))).flat();
}

describe('a rule from a cell of a PDF', () => {
  let w: World;
  let live: Built;
  let item = '';

  it('becomes items that name the document as their source', async () => {
    const server = await llmServer(({ body }) =>
      say(reply(body.messages.at(-1)!.content), { model: 'scripted-1' }),
    );
    w = await makeWorld(server.url);
    live = await build(w, 'live', ['--llm', 'live']);
    expect(server.requests.length).toBe(3);
    await server.close();
    const rows = await itemsOf(live.release, 'answers');
    const own = rows.filter((r) => r.source_id === 'guideline-pdf').map((r) => String(r.instance_id));
    item = own.sort()[0] ?? '';
    expect(item).not.toBe('');
    const row = (await itemsOf(live.release, 'data')).find((r) => r.instance_id === item);
    expect(row!.question).toContain(EDITION);
  }, 400_000);

  it('is traced to file, page, box and printed text', async () => {
    const args = ['trace', item, '--release', live.release, '--pdf-dir', w.pdfs];
    const found = (await cli([...args, '--json'])).json<Trace>();
    expect(found.is_valid).toBe(true);
    const own = found.rules.flatMap((r) => r.spans).filter((s) => s.ref.startsWith('pdf:'));
    expect(own.map((s) => s.field).sort()).toEqual(['/action/kind', '/target/0', '/when']);
    const advice = own.find((s) => s.field === '/action/kind')!;
    expect(advice).toMatchObject({ file: FILE, sha256: sha256(readFileSync(w.pdf)), printed: QUOTE });
    expect(advice.prose).toMatchObject({ page: 1, col: 2, is_file_checked: true });
    // The third column begins after the first two: 140 and 160 points further right than the table.
    const [x0, y0, x1, y1] = advice.prose!.box!;
    const drug = own.find((s) => s.field === '/target/0')!.prose!.box!;
    expect(x0 - drug[0]).toBeCloseTo(300, 0);
    expect(x1 > x0 && y1 > y0).toBe(true);
    const words = (await cli(args)).stdout;
    expect(words).toContain(`${FILE}, page 1, box ${x0.toFixed(1)}`);
    const dot = (await cli([...args, '--dot'])).stdout;
    expect(dot).toContain('kidney-table.pdf, page 1');
  });

  it('is verified; impact walks from the document to the item', async () => {
    const { code, stdout } = await cli([
      'verify',
      live.release,
      '--pdf-dir',
      w.pdfs,
      '--build-dir',
      join(w.root, 'live'),
    ]);
    expect(stdout).toContain('2 rules were drafted by a model');
    expect(code, stdout).toBe(0);
    for (const ref of [FILE, 'kidney-table.pdf']) {
      const impact = await cli(['impact', ref, '--release', live.release, '--json']);
      const { dependents } = impact.json<{ dependents: { kind: string; ids: string[] }[] }>();
      expect(dependents.find((d) => d.kind === 'item')?.ids).toContain(item);
    }
  }, 200_000);

  it('is built again from the recorded answers, without a server, to the byte', async () => {
    const again = await build(w, 'replay', ['--answers-dir', join(w.root, 'live/answers')]);
    expect(again.content_hash).toBe(live.content_hash);
  }, 400_000);

  it('is not taken from a file that changed: the build refuses it, the trace says so', async () => {
    const changed = join(w.root, 'changed');
    mkdirSync(changed);
    copyFileSync(join(w.pdfs, 'lock.json'), join(changed, 'lock.json'));
    copyFileSync(w.pdf, join(changed, 'kidney-table.pdf'));
    appendFileSync(join(changed, 'kidney-table.pdf'), '\n% changed\n');
    const now = sha256(readFileSync(join(changed, 'kidney-table.pdf')));
    const built = await cli([
      'plan',
      'medpic',
      '--pdf-dir',
      changed,
      '--config',
      w.config,
      '--build-dir',
      w.root,
    ]);
    expect(built.code).toBe(3);
    expect(built.stderr).toContain('a document is not the file of any lock entry');
    expect(built.stderr).toContain(now);
    const traced = await cli(['trace', item, '--release', live.release, '--pdf-dir', changed]);
    expect(traced.code).toBe(3);
    expect(traced.stdout).toContain(`no file of the folder has sha256 ${sha256(readFileSync(w.pdf))}`);
    expect(traced.stdout).toContain(now);
  });
});

describe('options of prose', () => {
  it('refuse a folder without documents, another kind of file, and a mode without documents', async () => {
    const dir = temporaryFolder();
    const plan = (...args: string[]) => cli(['plan', 'medpic', '--build-dir', dir, ...args]);
    const none = await plan('--pdf-dir', dir);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('the folder holds no document')]);
    const mode = await plan('--llm', 'replay');
    expect([mode.code, mode.stderr]).toEqual([2, expect.stringContaining('no document is given')]);
    writeFileSync(join(dir, 'table.docx'), '');
    const strange = await plan('--pdf-dir', dir);
    expect(strange.code).toBe(3);
    expect(strange.stderr).toContain('another kind of file');
  });
});
