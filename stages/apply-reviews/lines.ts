/** The lines that speak about rules of this build; the others are counted or stop the build. */
import type { Problem, StageContext } from '../contract.js';
import { nearest } from '../lib/nearest.js';
import { failOnFirst, type ReviewFolder, WITHDRAWN_FILE } from '../lib/reviews/folder.js';
import { correctionProblem, type RuleLine } from '../lib/reviews/lines.js';
import type { OpenRule } from '../lib/reviews/rules.js';

/** Lines on rules that stand now. A correction of what stands now must fit its field. */
export function linesOnRules(
  ctx: StageContext,
  folder: ReviewFolder,
  open: ReadonlyMap<string, OpenRule>,
): RuleLine[] {
  for (const id of folder.withdrawn.keys()) if (open.has(id)) failNotWithdrawn(ctx, id);
  const onRules = folder.lines.filter((l) => l.kind === 'rule');
  const lines = onRules.filter((l) => !folder.withdrawn.has(l.decision.rule_id));
  ctx.records('review_lines', folder.lines.length);
  ctx.drop('review_lines', 'item_validation', folder.lines.length - onRules.length);
  ctx.drop('review_lines', 'withdrawn_rule', onRules.length - lines.length);
  failOnFirst(
    ctx,
    lines.flatMap((line) => problemsOf(line, open)),
  );
  return lines;
}

function problemsOf(line: RuleLine, open: ReadonlyMap<string, OpenRule>): Problem[] {
  const rule = open.get(line.decision.rule_id);
  if (!rule) return [unknownRule(line, [...open.keys()])];
  const now = rule.fields.find((f) => f.field === line.decision.field)!;
  const problem = now.shown_hash === line.decision.shown_hash ? correctionProblem(line) : null;
  return problem ? [problem] : [];
}

function failNotWithdrawn(ctx: StageContext, rule_id: string): never {
  return ctx.fail({
    message: 'a rule is listed as withdrawn but stands among the rules',
    file: WITHDRAWN_FILE,
    field: 'rule_id',
    got: rule_id,
    expected: 'rules that no source gives any more',
    next: 'take it off the list; its decisions count again where their content is the same',
  });
}

function unknownRule({ place, decision }: RuleLine, known: readonly string[]): Problem {
  const near = nearest(decision.rule_id, known);
  return {
    message: 'a review names a rule that does not exist',
    file: place.file,
    row: place.line,
    field: 'rule_id',
    got: decision.rule_id,
    expected: `one of ${known.length} rules`,
    next: `${near ? `did you mean ${near}? ` : ''}if the rule was withdrawn, list it with the reason in ${WITHDRAWN_FILE} beside this file`,
  };
}
