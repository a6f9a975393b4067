/** The four errors a person can act on. Anything else that is thrown is a bug (exit code 1). */
import type { Problem } from '../../stages/contract.js';

/** Words a problem: what, where, what was got and expected, and the next step. */
function describe(p: Problem): string {
  const where = [p.file, p.row === undefined ? '' : `row ${p.row}`, p.field ? `field ${p.field}` : '']
    .filter(Boolean)
    .join(', ');
  return [
    p.message,
    where && `  where:    ${where}`,
    p.got !== undefined && `  got:      ${p.got}`,
    p.expected !== undefined && `  expected: ${p.expected}`,
    p.next !== undefined && `  next:     ${p.next}`,
  ]
    .filter(Boolean)
    .join('\n');
}

/** Base of the errors that end a command with their own exit code. */
export abstract class BenchwrightError extends Error {
  abstract readonly exitCode: number;
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(describe(problem));
    this.name = new.target.name;
    this.problem = problem;
  }
}

/** The command or its configuration is wrong. */
export class UsageError extends BenchwrightError {
  readonly exitCode = 2;
}
/** The data is wrong. */
export class DataError extends BenchwrightError {
  readonly exitCode = 3;
}
/** A limit of calls, tokens or money is reached; running again continues. */
export class BudgetError extends BenchwrightError {
  readonly exitCode = 4;
}
/** Data would go where its class forbids. */
export class PolicyError extends BenchwrightError {
  readonly exitCode = 5;
}
/** The person pressed Ctrl-C; running the same command continues. */
export class Interrupted extends BenchwrightError {
  readonly exitCode = 130;
  constructor() {
    super({ message: 'stopped', next: 'run the same command again to continue' });
  }
}
