/** The folder of reviews: one file a reviewer, append-only, and the list of rules that were withdrawn. */
import type { Problem, StageContext } from '../../contract.js';
import { parseCsv } from '../csv.js';
import { type ReviewLine, readReviewLines } from './lines.js';

/** Rules that people reviewed and that no source gives any more: `rule_id,reason`. */
export const WITHDRAWN_FILE = 'withdrawn-rules.csv';

export interface ReviewFolder {
  readonly lines: readonly ReviewLine[];
  /** Withdrawn rules with the reason. */
  readonly withdrawn: ReadonlyMap<string, string>;
}

type Reader = Pick<StageContext, 'folder' | 'readText' | 'fail'>;

/** Reads every line; one bad line, and any file that is neither `*.jsonl`, README.md nor the list, stops the build. */
export async function readReviewFolder(ctx: Reader, input: string): Promise<ReviewFolder> {
  const lines: ReviewLine[] = [];
  const problems: Problem[] = [];
  let withdrawn: ReadonlyMap<string, string> = new Map();
  for (const file of ctx.folder(input)) {
    if (file.path === 'README.md') continue;
    if (file.path === WITHDRAWN_FILE) {
      withdrawn = readWithdrawn(ctx, await ctx.readText(file));
    } else if (/^[^/]+\.jsonl$/.test(file.path)) {
      const read = readReviewLines(await ctx.readText(file), file.path);
      lines.push(...read.lines);
      problems.push(...read.problems);
    } else problems.push(strangeFile(file.path));
  }
  failOnFirst(ctx, problems);
  return { lines, withdrawn };
}

const strangeFile = (path: string): Problem => ({
  message: 'a file in the folder of reviews is none that is read',
  file: path,
  expected: `<reviewer>.jsonl, ${WITHDRAWN_FILE} or README.md, directly in the folder`,
  next: 'rename it if it holds decisions, else move it away',
});

function readWithdrawn(ctx: Reader, text: string): ReadonlyMap<string, string> {
  const out = new Map<string, string>();
  for (const [i, row] of parseCsv(text, WITHDRAWN_FILE).entries()) {
    const { rule_id, reason } = row;
    if (!rule_id || !reason?.trim() || Object.keys(row).length !== 2 || out.has(rule_id)) {
      ctx.fail({
        message: 'a row of the list of withdrawn rules does not fit',
        file: WITHDRAWN_FILE,
        row: i + 2,
        got: JSON.stringify(row),
        expected: 'columns rule_id and reason, both filled, each rule once',
      });
    }
    out.set(rule_id, reason);
  }
  return out;
}

/** Stops with the first problem and says how many there are. */
export function failOnFirst(ctx: Pick<StageContext, 'fail'>, problems: readonly Problem[]): void {
  const [first] = problems;
  if (!first) return;
  const more = problems.length - 1;
  ctx.fail(
    more === 0 ? first : { ...first, message: `${first.message} (and ${more} more of such problems)` },
  );
}
