/** From a filled sheet to lines: every row is checked against what stands now, and all must be good. */
import type { ItemDecision, RuleDecision } from '../../../schemas/review.js';
import type { Problem } from '../../../stages/contract.js';
import { nearest } from '../../../stages/lib/nearest.js';
import { type Judgement, settleHistory } from '../../../stages/lib/reviews/history.js';
import { itemJudgement, type OpenItem } from '../../../stages/lib/reviews/items.js';
import {
  asReviewLine,
  correctionProblem,
  type ItemLine,
  type Place,
  placeText,
  type ReviewLine,
  type RuleLine,
} from '../../../stages/lib/reviews/lines.js';
import { judgementOf, type OpenRule } from '../../../stages/lib/reviews/rules.js';
import { differences } from '../../../stages/lib/reviews/words.js';
import { type BodyFieldName, isBodyField } from '../../../stages/lib/rules/fields.js';
import { correctionForm, readCorrection } from './correction.js';
import { type Names, nameProblems } from './names.js';
import type { Sheet, SheetRow } from './sheet.js';

/** What stands now, and what people said so far. */
export interface ReviewState {
  readonly rules: ReadonlyMap<string, OpenRule>;
  readonly items: ReadonlyMap<string, OpenItem>;
  readonly lines: readonly ReviewLine[];
  /** What a correction may name. */
  readonly names: Names;
}

export interface Intake {
  readonly lines: readonly ReviewLine[];
  /** Rows without a decision. */
  readonly open_n: number;
  readonly problems: readonly Problem[];
}

/** Checks every row of a sheet. `now` stamps rows without a time; a later time than `now` is a problem. */
export function takeSheet(sheet: Sheet, file: string, state: ReviewState, now: string): Intake {
  const problems: Problem[] = [...sheet.problems];
  const lines: ReviewLine[] = [];
  // A row that cannot be read is told once.
  const unread = new Set(sheet.problems.map((p) => p.row));
  let open_n = 0;
  for (const row of sheet.rows.filter((r) => !unread.has(r.line))) {
    const place = { file, line: row.line };
    if (isEmpty(row.cells.decision)) {
      open_n += 1;
      problems.push(...unasked(row, place));
      continue;
    }
    const read =
      sheet.kind === 'rules' ? takeRule(row, { place, sheet, now }) : takeItem(row, { place, now });
    if ('message' in read) problems.push(read);
    else {
      lines.push(read);
      problems.push(...(read.kind === 'rule' ? ruleProblems(read, state) : itemProblems(read, state)));
      if (read.decision.decided_at > now) problems.push(fromTheFuture(read, now));
    }
  }
  problems.push(...onePerson(lines), ...secondDecisions(lines, state.lines));
  return { lines, open_n, problems };
}

const isEmpty = (cell: unknown): boolean => cell === undefined || cell === null || cell === '';

/** An answer that would be lost because the decision is missing. */
function unasked({ cells }: SheetRow, { file, line }: Place): Problem[] {
  return ['correction', 'comment'].flatMap((column) =>
    isEmpty(cells[column])
      ? []
      : [
          {
            message: `a ${column} without a decision would be lost`,
            file,
            row: line,
            field: 'decision',
            got: 'nothing',
            expected: 'a decision, or no answer at all',
          },
        ],
  );
}

interface RowContext {
  readonly place: Place;
  readonly now: string;
}

const signature = ({ cells }: SheetRow, now: string): object => ({
  reviewer_id: cells.reviewer_id,
  decided_at: isEmpty(cells.decided_at) ? now : cells.decided_at,
  is_adjudication: cells.is_adjudication ?? false,
  supersedes: cells.supersedes ?? false,
  comment: cells.comment ?? '',
});

function takeRule(row: SheetRow, { place, sheet, now }: RowContext & { sheet: Sheet }): ReviewLine | Problem {
  const { cells } = row;
  const decision: Record<string, unknown> = {
    rule_id: cells.rule_id,
    field: cells.field,
    decision: cells.decision,
    content_hash: cells.content_hash,
    shown_hash: cells.shown_hash,
    shown: { value: cells.value, spans: cells.spans },
    ...signature(row, now),
  };
  const has_correction = sheet.format === 'csv' ? !isEmpty(cells.correction) : cells.correction !== undefined;
  // In JSONL a null beside another decision is an answer column left as it was.
  if (has_correction && !(cells.correction === null && cells.decision !== 'correct')) {
    const read = correctionOf(cells, sheet.format);
    if ('error' in read) return badCorrection(cells, place, read.error);
    decision.correction = read.value;
  }
  return asReviewLine(decision, place);
}

type Read = { readonly value: unknown } | { readonly error: string };

function correctionOf(cells: SheetRow['cells'], format: Sheet['format']): Read {
  const { field, correction } = cells;
  if (format === 'jsonl' || typeof field !== 'string' || !isBodyField(field)) return { value: correction };
  return readCorrection(field, correction as string);
}

const badCorrection = (cells: SheetRow['cells'], { file, line }: Place, expected: string): Problem => ({
  message: 'a correction does not fit its field',
  file,
  row: line,
  field: 'correction',
  got: String(cells.correction).slice(0, 120),
  expected,
});

function takeItem(row: SheetRow, { place, now }: RowContext): ReviewLine | Problem {
  const { instance_id, criterion, decision, content_hash } = row.cells;
  return asReviewLine({ instance_id, criterion, decision, content_hash, ...signature(row, now) }, place);
}

function ruleProblems(line: RuleLine, { rules, names }: ReviewState): Problem[] {
  const { decision: d, place } = line;
  const where = { file: place.file, row: place.line };
  const rule = rules.get(d.rule_id);
  if (!rule) return [unknown(where, 'rule_id', d.rule_id, [...rules.keys()])];
  if (rule.status !== 'checked') {
    const expected = 'a rule that passed its checks and waits for people';
    return [
      {
        message: 'the rule is not open for review',
        ...where,
        field: 'rule_id',
        got: `${d.rule_id} is ${rule.status}`,
        expected,
      },
    ];
  }
  const now = rule.fields.find((f) => f.field === d.field)!;
  if (now.shown_hash !== d.shown_hash) return [changed(d, where, differences(d.field, d.shown, now))];
  const problem = correctionProblem(line);
  if (problem === null) return nameProblems(line, rule, names);
  const form = correctionForm(d.field as BodyFieldName);
  return [{ ...problem, expected: `${form} (${problem.expected})` }];
}

const changed = (d: RuleDecision, where: object, difference: readonly string[]): Problem => ({
  message: 'the rule was changed since it was shown',
  ...where,
  field: 'shown_hash',
  got: `${d.rule_id} ${d.field}: ${difference.join('; ')}`,
  expected: 'a decision on what stands now',
  next: 'export again and decide on the new content',
});

function itemProblems({ decision: d, place }: ItemLine, { items }: ReviewState): Problem[] {
  const where = { file: place.file, row: place.line };
  const item = items.get(d.instance_id);
  if (!item) return [unknown(where, 'instance_id', d.instance_id, [...items.keys()])];
  const hash = item.criteria.get(d.criterion);
  const got = `${d.instance_id} ${d.criterion}`;
  if (hash === undefined) {
    const expected = [...item.criteria.keys()].join(', ');
    return [
      { message: 'the item does not have this criterion', ...where, field: 'criterion', got, expected },
    ];
  }
  return hash === d.content_hash ? [] : [changedItem(d, where)];
}

const changedItem = (d: ItemDecision, where: object): Problem => ({
  message: 'the item was changed since it was shown',
  ...where,
  field: 'content_hash',
  got: `${d.instance_id} ${d.criterion}`,
  expected: 'a decision on what stands now',
  next: 'export again and decide on the new content',
});

function unknown(where: object, field: string, got: string, known: readonly string[]): Problem {
  const near = nearest(got, known);
  const message = `no such ${field}`;
  return { message, ...where, field, got, ...(near ? { next: `did you mean ${near}?` } : {}) };
}

const fromTheFuture = ({ decision, place }: ReviewLine, now: string): Problem => ({
  message: 'a decision of the future',
  file: place.file,
  row: place.line,
  field: 'decided_at',
  got: decision.decided_at,
  expected: `nothing later than ${now}, or an empty cell`,
});

/** A sheet is signed by one person. */
function onePerson(lines: readonly ReviewLine[]): Problem[] {
  const first = lines[0];
  return lines
    .filter((l) => l.decision.reviewer_id !== first!.decision.reviewer_id)
    .map(({ decision, place }) => ({
      message: 'a sheet holds decisions of two people',
      file: place.file,
      row: place.line,
      field: 'reviewer_id',
      got: decision.reviewer_id,
      expected: first!.decision.reviewer_id,
    }));
}

/** Whoever decided stays with it; another decision on the same content has to say that it replaces. */
function secondDecisions(lines: readonly ReviewLine[], before: readonly ReviewLine[]): Problem[] {
  const judged = (l: ReviewLine): Judgement<ReviewLine> =>
    (l.kind === 'rule' ? judgementOf(l) : itemJudgement(l)) as Judgement<ReviewLine>;
  const history = settleHistory([...before, ...lines].map(judged));
  const files = new Set(lines.map((l) => l.place.file));
  const seen = new Map(before.map((l) => [l.id, l]));
  const repeated = lines.filter((line) => {
    const is_copy = seen.has(line.id);
    seen.set(line.id, line);
    return is_copy || history.outcomes.get(line.id) === 'duplicate';
  });
  return [
    ...history.problems.filter((p) => files.has(p.file ?? '')),
    ...repeated.map(({ decision, place }) => ({
      message: 'this person has decided on this content already',
      file: place.file,
      row: place.line,
      field: 'decision',
      got: `${decision.decision} again at ${placeText(place)}`,
      expected: 'one decision; another one with supersedes and a later time',
      next: 'take the row out',
    })),
  ];
}
