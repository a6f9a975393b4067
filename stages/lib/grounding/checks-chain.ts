/**
 * What code can tell of a chain, whatever a critic says: every fact stands in the record, nothing comes from the cut or
 * later, no order justifies itself, steps depend on earlier ones and are used, something new set it off, and what is
 * concluded is said without hedging.
 */
import type { ChainIssue, ChainProblem, ChainStep, Cite } from '../../../schemas/rxeval.js';
import type { Chain } from '../chains/chain.js';
import { isSameDrug, namesDrug } from '../clinical/same-drug.js';
import { checkCite, foldWords, hasWords, textOf } from '../record/cites.js';
import type { Moment, MomentOrder } from '../record/moment.js';
import { numberProblem } from './prose-numbers.js';

/** Every problem of a chain that code can see; empty when there is none. Details hold ids and places, no values. */
export function checkChain(moment: Moment, chain: Chain): ChainProblem[] {
  const own = moment.answers.find((o) => o.order_id === chain.order_id);
  if (!own)
    throw new Error(`chain of ${chain.order_id}, which is no answer of ${moment.timepoint.timepoint_id}`);
  if (chain.steps.length === 0 || chain.summary.trim() === '')
    return [problem('empty_chain', null, chain.steps.length === 0 ? 'no steps' : 'no summary')];
  const context = { moment, chain, own };
  return [
    ...chain.steps.flatMap((step) => checkStep(context, step)),
    ...checkDependencies(chain.steps),
    ...checkEvidence(context),
    ...checkCommitment(chain),
  ];
}

interface Context {
  readonly moment: Moment;
  readonly chain: Chain;
  readonly own: MomentOrder;
}

const problem = (type: ChainIssue, step: number | null, detail: string): ChainProblem => ({
  type,
  step,
  detail,
});

function checkStep(context: Context, step: ChainStep): ChainProblem[] {
  const { moment, own, chain } = context;
  const found = step.cites.flatMap((cite) => checkPlace(context, cite, step.number));
  if (step.fact.trim() === '') found.push(problem('fabricated_fact', step.number, 'the fact is empty'));
  if (step.cites.length === 0) return found;
  // With a broken citation there is nothing to hold the numbers against.
  const wrong = found.length === 0 ? numberProblem(moment, step.fact, step.cites) : null;
  if (wrong) found.push(problem('wrong_value', step.number, wrong));
  if (chain.drug_class !== 'CONTINUATION' && namesDrug(step.fact, own.drug_fold))
    found.push(problem('self_justification', step.number, 'the drug itself is given as evidence'));
  return found;
}

function checkPlace(context: Context, cite: Cite, step: number): ChainProblem[] {
  const { moment, own, chain } = context;
  const orders = [...moment.answers, ...moment.others];
  const ordered = orders.find((o) => o.order_id === cite.ref);
  if (ordered) return checkPartner(context, cite, { step, ordered });
  const wrong = checkCite(moment, cite);
  const place = moment.find(cite.ref);
  const event = place?.kind === 'event' ? place.event : null;
  if (event && orders.some((o) => o.order_id === event.order_id))
    return [problem('self_justification', step, `${cite.ref} is an order of this moment`)];
  if (wrong) return [problem(wrong.type, step, wrong.detail)];
  if (chain.drug_class === 'CONTINUATION' || !place) return [];
  const isOwn =
    place.kind === 'span'
      ? place.span.kind === 'home_medication' && isSameDrug(place.span.name ?? place.span.text, own.drug_fold)
      : place.event.kind === 'prescription' && namesDrug(textOf(place), own.drug_fold);
  return isOwn ? [problem('self_justification', step, `${cite.ref} is about the drug itself`)] : [];
}

/** Orders of the same moment are no evidence, but for routine drugs that go along with a partner. */
function checkPartner(
  { chain, own }: Context,
  cite: Cite,
  { step, ordered }: { readonly step: number; readonly ordered: MomentOrder },
): ChainProblem[] {
  if (ordered.order_id === own.order_id)
    return [problem('self_justification', step, `${cite.ref} is the order itself`)];
  if (chain.drug_class === 'REASONED_NEW')
    return [problem('temporal_violation', step, `${cite.ref} is an order of this moment`)];
  const hasValues = cite.item !== null || cite.value !== null || cite.unit !== null;
  const isQuoted = cite.quote === null || hasWords(ordered.drug, cite.quote);
  if (!hasValues && isQuoted) return [];
  return [problem('fabricated_fact', step, `${cite.ref} does not say that`)];
}

/** Steps are numbered from 1, depend on earlier ones that exist, and all lead to the last. */
function checkDependencies(steps: readonly ChainStep[]): ChainProblem[] {
  const found: ChainProblem[] = [];
  const broken = (step: number, detail: string): number =>
    found.push(problem('broken_dependency', step, detail));
  steps.forEach((step, i) => {
    if (step.number !== i + 1) broken(step.number, `expected number ${i + 1}`);
    for (const on of step.depends_on)
      if (on < 1 || on > steps.length || on >= step.number) broken(step.number, `depends on ${on}`);
    if (step.cites.length === 0 && step.depends_on.length === 0) broken(step.number, 'rests on nothing');
  });
  if (found.length > 0) return found;
  const used = usedSteps(steps);
  for (const step of steps) if (!used.has(step.number)) broken(step.number, 'is not used by what follows');
  return found;
}

function usedSteps(steps: readonly ChainStep[]): Set<number> {
  const used = new Set<number>();
  const open = [steps.length];
  while (open.length > 0) {
    const number = open.pop()!;
    if (used.has(number)) continue;
    used.add(number);
    open.push(...steps[number - 1]!.depends_on);
  }
  return used;
}

/** A reasoned drug needs an event of this admission before the cut; the others need a place at all. */
function checkEvidence({ moment, chain }: Context): ChainProblem[] {
  const cites = chain.steps.flatMap((s) => s.cites);
  if (cites.length === 0) return [problem('insufficient_evidence', null, 'nothing is cited')];
  if (chain.drug_class !== 'REASONED_NEW') return [];
  const isNew = cites.some((c) => moment.find(c.ref)?.kind === 'event' && checkCite(moment, c) === null);
  return isNew ? [] : [problem('insufficient_evidence', null, 'no event of this admission is cited')];
}

/** Words that take a conclusion back. */
const HEDGES =
  /\b(unclear|not clear|presumabl\w+|perhaps|possibly|probabl[ey]|maybe|may be|might|uncertain\w*|unknown reason|no clear (indication|reason)|cannot be (determined|explained)|not documented|seems to be|likely)\b/i;

/** What others said may hedge; what the chain concludes may not. */
function checkCommitment({ steps, summary }: Chain): ChainProblem[] {
  const unquoted = (text: string): string => text.replace(/"[^"]*"|“[^”]*”/g, ' ');
  const found = steps
    .filter(
      (s, i) =>
        HEDGES.test(unquoted(s.inference)) || (i === steps.length - 1 && HEDGES.test(unquoted(s.fact))),
    )
    .map((s) => problem('self_negation', s.number, 'the conclusion is not committed'));
  if (HEDGES.test(unquoted(summary)))
    found.push(problem('self_negation', null, 'the summary is not committed'));
  return found;
}

const HIGH = /\b(high|raised|elevated|increased|too much|hyper\w+|tachy\w+|leukocytosis)\b/i;
const LOW = /\b(low|reduced|decreased|depressed|too little|hypo\w+|brady\w+|leukopenia)\b/i;

/**
 * Two chains of a moment that read one value in opposite ways: one calls it high and not low, the other low and not
 * high. Both get the issue.
 */
export function contradictions(chains: readonly Chain[]): Map<string, ChainProblem[]> {
  const readings = chains.flatMap((chain) =>
    chain.steps.flatMap((step) =>
      step.cites
        .filter((c) => c.item !== null)
        .map((cite) => ({ chain, step, key: keyOf(cite), ...readingOf(step) })),
    ),
  );
  const found = new Map<string, ChainProblem[]>();
  for (const a of readings)
    for (const b of readings) {
      if (
        a.chain === b.chain ||
        a.key !== b.key ||
        a.isHigh === b.isHigh ||
        a.isHigh === null ||
        b.isHigh === null
      )
        continue;
      const detail = `reads a value otherwise than the chain of ${b.chain.order_id}`;
      found.set(a.chain.order_id, [
        ...(found.get(a.chain.order_id) ?? []),
        problem('self_negation', a.step.number, detail),
      ]);
    }
  return found;
}

const keyOf = (cite: Cite): string => `${cite.ref} ${foldWords(cite.item ?? '')}`;

/** Null when the step calls the value neither high nor low, or both. */
function readingOf(step: ChainStep): { isHigh: boolean | null } {
  const text = `${step.fact} ${step.inference}`;
  const [high, low] = [HIGH.test(text), LOW.test(text)];
  return { isHigh: high === low ? null : high };
}
