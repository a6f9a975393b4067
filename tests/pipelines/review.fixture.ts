/** A small pipeline with rules and items given by the test, judged by the real stages. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { z } from 'zod';
import type { CommandContext } from '../../pipelines/benchmark.js';
import { hashFolder } from '../../pipelines/engine/adapters/files.js';
import { hashFiles } from '../../pipelines/engine/outputs.js';
import { output, type Pipeline, source } from '../../pipelines/engine/pipeline.js';
import { plainProgress } from '../../pipelines/engine/progress.js';
import { openSession, run, type Session, tablePath } from '../../pipelines/engine/session.js';
import { reviewCommands } from '../../pipelines/medpic/review.js';
import { answers, questions } from '../../schemas/medpic.js';
import { rules } from '../../schemas/rule.js';
import { applyReviews } from '../../stages/apply-reviews/stage.js';
import { defineStage, type SqlRow, type StageSpec } from '../../stages/contract.js';
import { validateItems } from '../../stages/validate-items/stage.js';
import { type Line, reviewFolder } from '../stages/reviews.fixture.js';
import type { Item } from '../stages/validations.fixture.js';
import { readParquet, temporaryFolder } from '../support/stage.js';

const give = defineStage({
  name: 'give-rows',
  version: 1,
  summary: 'rows of the test',
  inputs: { rows: { kind: 'folder', doc: 'rows.json' } },
  outputs: { rules, questions, answers },
  config: z.strictObject({}),
  run: async (ctx) => {
    const given = JSON.parse(await ctx.readText(ctx.folder('rows')[0]!)) as Record<string, SqlRow[]>;
    await ctx.sql.insert('rules', rules, given.rules!);
    await ctx.sql.insert('questions', questions, given.questions!);
    await ctx.sql.insert('answers', answers, given.answers!);
  },
});

const pipeline: Pipeline = {
  name: 'toy',
  profiles: { default: {} },
  steps: [
    { stage: give as StageSpec, inputs: { rows: source('rows') } },
    {
      stage: applyReviews as StageSpec,
      inputs: { checked_rules: output('give-rows', 'rules'), reviews: source('reviews') },
    },
    {
      stage: validateItems as StageSpec,
      inputs: {
        questions: output('give-rows', 'questions'),
        answers: output('give-rows', 'answers'),
        rules: output('apply-reviews', 'rules'),
        reviews: source('reviews'),
      },
    },
  ],
};

/** A desk with rules, items and a folder of reviews, on which the commands work. */
export class Desk {
  readonly dir = temporaryFolder();
  readonly reviews: string;
  private readonly context: CommandContext;
  private readonly commands: ReturnType<typeof reviewCommands>;

  constructor(rows: readonly SqlRow[], items: readonly Item[] = [], files: Record<string, Line[]> = {}) {
    this.reviews = reviewFolder(files);
    this.put(rows, items);
    this.context = {
      buildDir: join(this.dir, 'build'),
      workers: 1,
      engine: 'wasm',
      memoryLimit: '1GB',
      seed: 0,
      progress: plainProgress(() => undefined),
      signal: new AbortController().signal,
    } as unknown as CommandContext;
    this.commands = reviewCommands((_, until) => this.open(until), this.reviews);
  }

  /** Replaces rules and items, as a changed source would. */
  put(rows: readonly SqlRow[], items: readonly Item[] = []): void {
    mkdirSync(join(this.dir, 'rows'), { recursive: true });
    const given = {
      rules: rows,
      questions: items.map((i) => i.question),
      answers: items.map((i) => i.answer),
    };
    writeFileSync(join(this.dir, 'rows/rows.json'), JSON.stringify(given));
  }

  private async open(until: string): Promise<Session> {
    const folder = async (path: string) => {
      const files = await hashFolder(path);
      return { files, sha256: hashFiles(files), access: 'open' as const };
    };
    return openSession({
      pipeline,
      sources: { rows: await folder(join(this.dir, 'rows')), reviews: await folder(this.reviews) },
      profile: 'default',
      seed: 0,
      buildDir: join(this.dir, 'build'),
      until,
    });
  }

  path(name: string): string {
    return join(this.dir, name);
  }

  async export(
    reviewer: string,
    name: string,
    what: 'rules' | 'items' = 'rules',
  ): Promise<{ readonly words: string; readonly text: string }> {
    const format = name.endsWith('.csv') ? ('csv' as const) : ('jsonl' as const);
    const { words } = await this.commands.export(this.context, {
      what,
      reviewer,
      out: this.path(name),
      format,
    });
    return { words, text: readFileSync(this.path(name), 'utf8') };
  }

  async import(name: string): Promise<string> {
    return (await this.commands.import(this.context, this.path(name))).words;
  }

  /** Rows of a table after a build of everything. */
  async table(stage: string, name: string): Promise<SqlRow[]> {
    const session = await this.open('validate-items');
    return run(session, { ...this.context, command: {} }, (entries) =>
      readParquet(tablePath(entries, stage, name)),
    );
  }
}

export type Row = Record<string, string>;

/** Rows of a CSV sheet, read by papaparse alone. */
export const rowsOf = (text: string): Row[] =>
  Papa.parse<Row>(text.replace(/^\ufeff/, '').trimEnd(), { header: true, newline: '\r\n' }).data;
export const csvOf = (rows: readonly Row[], newline = '\r\n'): string =>
  `${Papa.unparse([...rows], { newline })}${newline}`;

/** Fills a sheet of the desk: `answer` gives the answer columns of a row, or nothing. */
export function fill(
  desk: Desk,
  name: string,
  answer: (row: Row) => Row | undefined,
  newline?: string,
): void {
  const rows = rowsOf(readFileSync(desk.path(name), 'utf8')).map((r) => ({ ...r, ...answer(r) }));
  writeFileSync(desk.path(name), csvOf(rows, newline));
}
export const accept = (): Row => ({ decision: 'accept' });
export const logs = (desk: Desk): string[] => readdirSync(desk.reviews).filter((f) => f.endsWith('.jsonl'));
