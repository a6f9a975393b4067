/** The review commands: what is open goes out as a sheet, decisions come back as signed lines. */
import { join, relative } from 'node:path';
import { ReviewerId } from '../../schemas/review.js';
import type { Problem } from '../../stages/contract.js';
import { canonicalJson } from '../../stages/lib/canonical-json.js';
import { readReviewFolder } from '../../stages/lib/reviews/folder.js';
import { type ItemRow, openItems } from '../../stages/lib/reviews/items.js';
import type { ReviewLine } from '../../stages/lib/reviews/lines.js';
import { openRule, type RuleRow } from '../../stages/lib/reviews/rules.js';
import type { CommandContext, ReviewCommands, ReviewExport } from '../benchmark.js';
import { utcSeconds } from '../engine/adapters/clock.js';
import { existsSync, fileError, readFileSync, scratchFolder, writeAtomic } from '../engine/adapters/files.js';
import { readText } from '../engine/adapters/text.js';
import { DataError, UsageError } from '../engine/errors.js';
import { readRows } from '../engine/release-parts.js';
import { run, type Session, tablePath } from '../engine/session.js';
import { ITEM_COLUMNS, itemEntries, RULE_COLUMNS, ruleEntries } from './review/entries.js';
import { type ReviewState, takeSheet } from './review/intake.js';
import { projectNames } from './review/names.js';
import { CsvDamage, readSheet, type Sheet, writeSheet } from './review/sheet.js';

type What = ReviewExport['what'];
type Open = (context: CommandContext, until: string) => Promise<Session>;

/** The stage that judges, and its tables that a reviewer is shown. */
const JUDGES = {
  rules: { stage: 'apply-reviews', tables: ['checked_rules'] },
  items: { stage: 'validate-items', tables: ['questions', 'answers', 'rules'] },
} as const;

/** Most problems that a message lists. */
const LISTED = 50;

/** Commands over the pipeline that `open` opens, with the decisions of people in `folder`. */
export function reviewCommands(open: Open, folder: string): ReviewCommands {
  return {
    export: (context, options) => exportSheet(open, context, options),
    import: (context, file) => importSheet({ open, folder, context, file }),
  };
}

interface Loaded extends ReviewState {
  readonly itemRules: ReadonlyMap<string, { readonly spans: string; readonly content_hash: string }>;
}

/** Builds up to the stage that judges, which also proves that the lines so far are good; reads what it was given. */
async function load(open: Open, context: CommandContext, what: What): Promise<Loaded> {
  const { stage, tables } = JUDGES[what];
  const session = await open(context, stage);
  const step = session.steps.find((s) => s.stage.name === stage)!;
  const command = { command: 'review', what };
  return run(session, { ...context, command }, async (entries) => {
    const read = async (name: string): Promise<Record<string, unknown>[]> => {
      const ref = step.inputs[name]!;
      if (ref.from !== 'stage') throw new Error(`${stage}: ${name} is no table of a stage`);
      const scratch = scratchFolder('review');
      return readRows(tablePath(entries, ref.stage, ref.output), scratch);
    };
    const rows = new Map<string, Record<string, unknown>[]>();
    for (const name of tables) rows.set(name, await read(name));
    return assemble(rows, await linesOf(session, stage));
  });
}

function assemble(
  tables: ReadonlyMap<string, Record<string, unknown>[]>,
  lines: readonly ReviewLine[],
): Loaded {
  const rules = ((tables.get('checked_rules') ?? []) as unknown as RuleRow[]).map(openRule);
  const itemRules = new Map(((tables.get('rules') ?? []) as unknown as RuleRow[]).map((r) => [r.rule_id, r]));
  const answers = new Map((tables.get('answers') ?? []).map((a) => [a.instance_id, a]));
  const items = (tables.get('questions') ?? []).map(
    (q) => ({ ...answers.get(q.instance_id), ...q }) as unknown as ItemRow,
  );
  items.sort((a, b) => (a.instance_id < b.instance_id ? -1 : 1));
  return {
    rules: new Map(rules.map((r) => [r.rule_id, r])),
    items: new Map(openItems(items, itemRules).map((i) => [i.instance_id, i])),
    itemRules,
    lines,
    names: projectNames(),
  };
}

async function linesOf(session: Session, stage: string): Promise<readonly ReviewLine[]> {
  const ref = session.steps.find((s) => s.stage.name === stage)!.inputs.reviews!;
  if (ref.from !== 'source') throw new Error(`${stage}: reviews are no source`);
  const { files } = session.sources[ref.source]!;
  const reader = {
    folder: () => files,
    readText,
    fail: (problem: Problem): never => {
      throw new DataError(problem);
    },
  };
  return (await readReviewFolder(reader, 'reviews')).lines;
}

async function exportSheet(open: Open, context: CommandContext, options: ReviewExport) {
  const { what, format, out } = options;
  const reviewer = ReviewerId.safeParse(options.reviewer);
  if (!reviewer.success) {
    const [issue] = reviewer.error.issues;
    throw new UsageError({ message: 'no reviewer id', got: options.reviewer, expected: issue!.message });
  }
  if (!out.toLowerCase().endsWith(`.${format}`)) {
    const expected = `a name that ends in .${format}, because an import reads the form from it`;
    throw new UsageError({ message: 'the file is called like another form', got: out, expected });
  }
  if (existsSync(out)) {
    const next = 'name another file; this one may hold decisions that were not imported yet';
    throw new UsageError({ message: 'the file exists already', file: out, next });
  }
  const state = await load(open, context, what);
  const rows =
    what === 'rules'
      ? ruleEntries([...state.rules.values()], state.lines, reviewer.data)
      : itemEntries([...state.items.values()], state.itemRules, state.lines, reviewer.data);
  await writeAtomic(out, writeSheet(rows, what === 'rules' ? RULE_COLUMNS : ITEM_COLUMNS, format));
  const subjects = new Set(rows.map((r) => (what === 'rules' ? r.rule_id : r.instance_id))).size;
  const disputed = rows.filter((r) => r.is_adjudication === true).length;
  return {
    file: out,
    rows: rows.length,
    subjects,
    disputed,
    words: [
      `${rows.length} open ${what === 'rules' ? 'fields' : 'criteria'} of ${subjects} ${what} for ${reviewer.data}, ${disputed} of them disputed: ${out}`,
      'next: fill in decision, correction and comment, then benchwright review import FILE',
    ].join('\n'),
  };
}

async function importSheet(given: {
  readonly open: Open;
  readonly folder: string;
  readonly context: CommandContext;
  readonly file: string;
}) {
  const { file, folder } = given;
  const sheet = parseSheet(file);
  const state = await load(given.open, given.context, sheet.kind);
  const { lines, open_n, problems } = takeSheet(sheet, file, state, utcSeconds());
  if (problems.length > 0) throw refusal(file, problems);
  const [first] = lines;
  if (!first) {
    const next = 'fill in the column decision';
    throw new UsageError({ message: 'the file holds no decision', file, got: `${open_n} open rows`, next });
  }
  const target = join(folder, `${first.decision.reviewer_id}.jsonl`);
  const before = existsSync(target) ? readFileSync(target, 'utf8') : '';
  await writeAtomic(target, before + lines.map((l) => `${canonicalJson(l.decision)}\n`).join(''));
  const words = `${lines.length} decisions of ${first.decision.reviewer_id} appended to ${relative(process.cwd(), target) || target}; ${open_n} rows left open`;
  return { file: target, reviewer_id: first.decision.reviewer_id, decisions: lines.length, open_n, words };
}

function parseSheet(file: string): Sheet {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof TypeError) {
      const next = 'save it as UTF-8 (in a spreadsheet: "CSV UTF-8") and import it again';
      throw new DataError({ message: 'the file is not UTF-8 text', file, expected: 'UTF-8', next });
    }
    throw fileError(error, file);
  }
  if (!/\.(csv|jsonl)$/i.test(file)) {
    const expected = 'a file that ends in .csv or .jsonl';
    throw new UsageError({ message: 'not a sheet of reviews', file, expected });
  }
  try {
    return readSheet(text, file);
  } catch (error) {
    if (error instanceof CsvDamage) throw new DataError(error.problem);
    throw error;
  }
}

/** Every problem in one message, by line. Nothing of the file was taken. */
function refusal(file: string, problems: readonly Problem[]): DataError {
  const sorted = [...problems].sort((a, b) => Number(a.row ?? 0) - Number(b.row ?? 0));
  const list = sorted.slice(0, LISTED).map((p) => {
    const parts = [p.got && `got ${p.got}`, p.expected && `expected ${p.expected}`, p.next];
    return `  line ${p.row}, column ${p.field ?? 'any'}: ${[p.message, ...parts.filter(Boolean)].join('; ')}`;
  });
  const more = sorted.length - list.length;
  return new DataError({
    message: `nothing was imported: ${sorted.length} problems\n${list.join('\n')}${more > 0 ? `\n  and ${more} more` : ''}`,
    file,
    next: 'correct these rows, or take them out, and import the file again',
  });
}
