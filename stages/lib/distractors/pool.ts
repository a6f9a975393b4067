/** All distractors that the tables can prove for a moment: the drug, what ties it to a correct one, and why it is wrong. */
import type { ChainStep, Cite, Claim, Proof, Strategy } from '../../../schemas/rxeval.js';
import { citeOf, compare, valuesOf } from '../clinical/values.js';
import type { DistractorCase } from '../grounding/checks-distractor.js';
import { type Idea, ordersAround, type TargetChain } from '../grounding/distractor.js';
import type { Medicine, Prescription } from '../grounding/formulary.js';
import { conditionsFor, type Link, linkTo, medicineOf } from '../grounding/plausible.js';
import { ALLERGEN, type Prover } from '../grounding/proofs.js';
import type { Term } from '../rule-terms.js';
import {
  factsWords,
  linkWords,
  plausibleWords,
  wrongByNeed,
  wrongByPhase,
  wrongByReason,
  wrongByTwin,
} from './words.js';

/** Not prescribed for a reason of the patient. */
const NO_DECISIONS = ['flush', 'vaccine', 'oral_care', 'eye_care', 'topical', 'smoking'];
/** Kinds that the medication-safety rules may prove without a row of our tables. */
const BY_RULES_ALONE: readonly Claim['kind'][] = [
  'renal',
  'interaction',
  'pregnancy',
  'disease',
  'hepatic',
  'qt',
];
/** Facts that a sentence names at most; the proof keeps all. */
const FACTS_N = 3;

/** What the author puts forward, with what choosing rests on. */
export interface Candidate {
  readonly idea: Idea;
  readonly ingredient: string;
  readonly drug_class: string;
  readonly tie: Link['by'] | 'condition';
  /** Rows of the tables that it uses. */
  readonly rule_ids: readonly string[];
}

/** Candidates of a moment in the order of their keys; the same drug may stand several times, for different targets. */
export function candidatesOf(c: DistractorCase): Candidate[] {
  const { formulary } = c.prover.tables;
  const taken = new Set(
    [...c.moment.answers, ...ordersAround(c.moment)].map((p) => formulary.ingredientOf(p.drug)),
  );
  return formulary
    .all()
    .filter((m) => !taken.has(m.ingredient) && !NO_DECISIONS.includes(m.drug_class))
    .flatMap((m) => candidatesFor(m, c));
}

interface Wrong {
  readonly kind: Claim['kind'];
  readonly proof: Proof;
  /** Clause of the table; null where the proof has none. */
  readonly reason: string | null;
  /** Drugs that the table gives instead. */
  readonly instead: readonly string[];
}

function candidatesFor(m: Medicine, c: DistractorCase): Candidate[] {
  const p: Prescription = { drug: m.drug, dose_text: m.doses[0] ?? null, route: m.route };
  const wrongs = wrongsOf(p, c.prover);
  if (wrongs.length === 0) return [];
  return wrongs.flatMap((wrong) => tiesOf(m, wrong, c).flatMap((tie) => candidate(m, p, { wrong, tie }, c)));
}

/** Everything that proves the drug wrong. */
function wrongsOf(p: Prescription, prover: Prover): Wrong[] {
  const rows = prover.contraindications(p);
  const kinds = [
    ...new Set([...rows.map((r) => r.row.kind), 'allergy' as const, 'duplicate_therapy' as const]),
  ];
  const more = prover.tables.book === null ? [] : BY_RULES_ALONE.filter((k) => !kinds.includes(k));
  const proved = [...kinds, ...more, 'not_indicated' as const].flatMap((kind): Wrong[] => {
    const proven = prover.prove(p, kind);
    if ('problem' in proven) return [];
    const row = rows.find((r) => proven.proof.rule_ids.includes(r.row.rule_id))?.row;
    const { proof } = proven;
    return [{ kind, proof, reason: row?.reason ?? reasonOf(kind, proof), instead: row?.alternatives ?? [] }];
  });
  const isForbidden =
    rows.length > 0 ||
    prover.isForbidden(
      p,
      proved.map((w) => w.kind),
    );
  // A drug that would be right here is wrong only where something forbids it.
  return prover.indication(p) !== null && !isForbidden ? [] : proved.filter((w) => w.proof.cites.length > 0);
}

const isWhole = (c: Cite): boolean => c.item === null && c.quote === null;

const REASONS: Readonly<Partial<Record<Claim['kind'], string>>> = {
  renal: 'its use is ruled out by the kidney function',
  interaction: 'it must not be given with a drug that runs',
  pregnancy: 'it must not be given in pregnancy',
  disease: 'it must not be given with a condition of the patient',
  hepatic: 'it must not be given with the liver as it is',
  qt: 'it must not be given with the QT interval as it is',
  allergy: 'documented allergy to this drug',
};

const reasonOf = (kind: Claim['kind'], proof: Proof): string | null =>
  kind === 'allergy' && proof.rule_ids.includes(ALLERGEN) ? REASONS.allergy! : (REASONS[kind] ?? null);

/** What ties a drug to the moment. */
interface Tie {
  readonly chain: TargetChain;
  readonly link: Link | null;
  /** A condition of the patient that it is usual for, where no drug ties it. */
  readonly condition: { readonly name: string; readonly cites: readonly Cite[] } | null;
}

function tiesOf(m: Medicine, wrong: Wrong, { prover, chains, moment }: DistractorCase): Tie[] {
  const linked = chains.flatMap((chain): Tie[] => {
    const answer = moment.answers.find((a) => a.order_id === chain.order_id);
    const other = answer && medicineOf(answer, prover.tables.formulary);
    const link = other ? linkOf(m, other, wrong) : null;
    return link ? [{ chain, link, condition: null }] : [];
  });
  const [condition] = conditionsFor(m, prover);
  const first = chains.find((chain) => citesAny(chain, condition?.cites ?? [])) ?? chains[0];
  if (condition && first) return [...linked, { chain: first, link: null, condition }];
  return linked;
}

const linkOf = (m: Medicine, other: Medicine, { instead }: Wrong): Link | null =>
  linkTo(m, other) ?? (instead.includes(other.drug_key) ? { by: 'alternative' } : null);

const citesAny = (chain: TargetChain, cites: readonly Cite[]): boolean =>
  chain.steps.some((s) => s.cites.some((a) => cites.some((b) => a.ref === b.ref)));

function candidate(
  m: Medicine,
  p: Prescription,
  { wrong, tie }: { readonly wrong: Wrong; readonly tie: Tie },
  c: DistractorCase,
): Candidate[] {
  const earlier = wrong.kind === 'not_indicated' ? wasCalledFor(m, c) : null;
  const strategy = strategyOf(wrong, tie, earlier !== null);
  const isIgnored = strategy === 'contraindicated_for_patient';
  const step = stepFor(tie.chain, wrong.proof.cites, tie);
  const cites = factsFor(wrong.proof.cites);
  const facts = factsWords(c.moment, cites);
  const target = tie.chain.drug.trim().replace(/\s+/g, ' ');
  const tieWords = tie.link
    ? linkWords(m, target, tie.link, c.prover.tables.formulary)
    : `${m.drug} is often given for ${tie.condition!.name}, which the patient has`;
  const plausible_cites = [...(tie.condition?.cites.slice(0, 1) ?? []), ...(earlier ? [earlier] : [])];
  const idea: Idea = {
    ...p,
    targets_order_id: tie.chain.order_id,
    targets_step: step?.number ?? null,
    strategy,
    perturbation: perturbationWords(step, target, isIgnored),
    why_plausible: plausibleWords(tieWords, target, step, isIgnored),
    why_wrong:
      wrong.kind === 'duplicate_therapy'
        ? wrongByTwin(m.drug, facts)
        : wrong.kind !== 'not_indicated'
          ? wrongByReason(m.drug, wrong.reason ?? REASONS.disease!, facts)
          : earlier
            ? wrongByPhase(m.drug, factsWords(c.moment, [earlier]), facts)
            : wrongByNeed(m.drug, facts, cites.every(isWhole)),
    plausible_cites,
    claims: [{ kind: wrong.kind, cites }],
    rule_id: wrong.proof.rule_ids[0] ?? null,
  };
  const { ingredient, drug_class } = m;
  return [{ idea, ingredient, drug_class, tie: tie.link?.by ?? 'condition', rule_ids: wrong.proof.rule_ids }];
}

function strategyOf(wrong: Wrong, { link }: Tie, wasRightBefore: boolean): Strategy {
  if (wrong.kind === 'phase' || wasRightBefore) return 'right_at_another_phase';
  if (wrong.kind !== 'not_indicated' && wrong.kind !== 'duplicate_therapy')
    return 'contraindicated_for_patient';
  if (link === null) return 'real_condition_not_indicated_now';
  return link.by === 'class' ? 'same_class_wrong_agent' : 'right_symptom_wrong_mechanism';
}

/** The step that rests on what makes the drug wrong, or on the shared condition; else the first one. */
function stepFor({ steps }: TargetChain, cites: readonly Cite[], { condition }: Tie): ChainStep | null {
  const on = (list: readonly Cite[]): ChainStep | undefined =>
    steps.find((s) => s.cites.some((a) => list.some((b) => a.ref === b.ref && a.item === b.item)));
  return on(cites) ?? on(condition?.cites ?? []) ?? steps[0] ?? null;
}

function perturbationWords(step: ChainStep | null, target: string, isIgnored: boolean): string {
  const what = step === null ? 'the whole chain' : `step ${step.number} of the chain`;
  return isIgnored
    ? `ignored: an observation beside ${what} for ${target}`
    : `changed: the condition that ${what} for ${target} establishes`;
}

/** Numbers first, then words; a whole entry stands for a history that is silent, and is named only where nothing else is. */
function factsFor(cites: readonly Cite[]): Cite[] {
  const numbers = cites.filter((c) => c.item !== null);
  const words = cites.filter((c) => c.item === null && c.quote !== null);
  const telling = [...numbers, ...words];
  return (telling.length > 0 ? telling : cites).slice(0, FACTS_N);
}

/** An earlier value that called for the drug, with everything else as it is now, where the latest one does not. */
function wasCalledFor(m: Medicine, { prover }: DistractorCase): Cite | null {
  for (const row of prover.tables.indications.get(m.drug_key) ?? []) {
    const terms = [...row.trigger, ...row.condition];
    for (const term of terms) {
      if (term.kind !== 'compare' || term.isNegated || term.item === 'age') continue;
      if (prover.state.judgeAll(terms.filter((t) => t !== term)).truth !== true) continue;
      const cite = earlierValue(term, prover);
      if (cite) return cite;
    }
  }
  return null;
}

function earlierValue(term: Extract<Term, { kind: 'compare' }>, { state }: Prover): Cite | null {
  const row = state.tables.items.get(term.item);
  if (!row) return null;
  const [latest, ...before] = valuesOf(state.moment, row).filter((v) => v.is_shown);
  if (!latest || compare(latest, term.sign, term.limit) !== false) return null;
  const found = before.find((v) => compare(v, term.sign, term.limit) === true);
  return found ? citeOf(found) : null;
}
