/** Faults planted into clean chains and wrong options, one of a named type each, as a careless author would write them. */
import type { ChainIssue, ChainStep, Cite, DistractorIssue } from '../../schemas/rxeval.js';
import type { RandomStream } from '../../stages/contract.js';
import type { ChainText, Reply } from './rxeval-answers.js';

/** What a plant needs to know of its moment. */
export interface PlantFacts {
  /** An event of the admission that became available at the cut or later. */
  readonly laterEvent: string | null;
  /** Any event that is shown, the earliest; and a piece of the profile about who the patient is. */
  readonly anyEvent: string | null;
  readonly demographic: string | null;
}

const WHOLE: Omit<Cite, 'ref'> = { item: null, value: null, unit: null, quote: null };

const withStep = (chain: ChainText, at: number, change: (step: ChainStep) => ChainStep): ChainText => ({
  ...chain,
  steps: chain.steps.map((s, i) => (i === at ? change(s) : s)),
});

const withCite = (chain: ChainText, at: number, change: (cite: Cite) => Cite): ChainText =>
  withStep(chain, at, (s) => ({ ...s, cites: s.cites.map((c, i) => (i === 0 ? change(c) : c)) }));

export interface PlantedInto {
  readonly chain: ChainText;
  readonly order_id: string;
  readonly drug: string;
  readonly drug_class: string;
  readonly facts: PlantFacts;
  readonly random: RandomStream;
}

/** The chain with a fault of the type, or null where it has no room for one. */
export function plantInChain(type: ChainIssue, into: PlantedInto): ChainText | null {
  const { chain, facts } = into;
  const cited = chain.steps.findIndex((s) => s.cites.length > 0);
  if (cited < 0) return null;
  const flip = into.random.float() < 0.5;
  const last = chain.steps.length - 1;
  switch (type) {
    case 'fabricated_fact':
      return withCite(chain, cited, (c) =>
        flip ? { ...c, ref: `${c.ref[0]}000000000000` } : { ...c, quote: 'anaphylaxis after a bee sting' },
      );
    case 'wrong_value':
      return wrongValue(chain, cited, flip);
    case 'temporal_violation':
      if (facts.laterEvent === null) return null;
      return withCite(chain, cited, () => ({ ...WHOLE, ref: facts.laterEvent! }));
    case 'self_justification':
      return selfJustified(into, cited, flip);
    case 'broken_dependency':
      return flip
        ? withStep(chain, cited, (s) => ({ ...s, depends_on: [...s.depends_on, last + 2] }))
        : withStep(chain, last, (s) => ({ ...s, depends_on: [...s.depends_on, s.number] }));
    case 'logical_leap':
      return withStep(chain, last, (s) => ({
        ...s,
        inference: 'The patient had been admitted by then, which is why the drug was needed.',
      }));
    case 'insufficient_evidence':
      return insufficient(into, flip);
    case 'self_negation':
      return flip
        ? { ...chain, summary: `It is unclear why the drug was ordered. ${chain.summary}` }
        : withStep(chain, last, (s) => ({
            ...s,
            inference: 'This was presumably the reason for the order.',
          }));
    case 'empty_chain':
      return flip ? { steps: [], summary: '' } : { ...chain, summary: ' ' };
  }
}

/** Another value in citation and prose, or another number in the prose alone. */
function wrongValue(chain: ChainText, at: number, inCite: boolean): ChainText {
  const value = chain.steps[at]!.cites[0]!.value;
  const isNumber = value !== null && Number.isFinite(Number(value)) && value.trim() !== '';
  if (!isNumber) return withStep(chain, at, (s) => ({ ...s, fact: `${s.fact} It was 987.6.` }));
  const other = String(Number(value) * 3 + 41);
  const told = withStep(chain, at, (s) => ({ ...s, fact: s.fact.replace(value, other) }));
  return inCite ? withCite(told, at, (c) => ({ ...c, value: other })) : told;
}

function selfJustified(
  { chain, order_id, drug, drug_class }: PlantedInto,
  at: number,
  byName: boolean,
): ChainText {
  // That it was taken before is what continues a drug: there only the own order is none.
  if (byName && drug_class !== 'CONTINUATION')
    return withStep(chain, at, (s) => ({ ...s, fact: `${s.fact} ${drug} was started.` }));
  return withCite(chain, at, () => ({ ...WHOLE, ref: order_id }));
}

/** Nothing new, or something new that has nothing to do with the drug: the second only a reader can tell. */
function insufficient({ chain, drug_class, facts }: PlantedInto, isPlain: boolean): ChainText | null {
  const ref = isPlain ? facts.demographic : facts.anyEvent;
  if (drug_class !== 'REASONED_NEW' || ref === null) return null;
  const fact = isPlain ? 'The patient is an adult.' : 'The patient was looked after in hospital.';
  const step = { number: 1, fact, cites: [{ ...WHOLE, ref }], depends_on: [], inference: 'Care was needed.' };
  const end = { ...chain.steps.at(-1)!, number: 2, cites: [], depends_on: [1] };
  return { ...chain, steps: [step, end] };
}

/** What a plant in a wrong option needs to know. Drugs are given as somebody would order them. */
export interface OptionFacts extends PlantFacts {
  readonly correct: Option;
  /** Runs at the moment or starts within 24 h, and is none of the correct ones. */
  readonly around: Option | null;
  /** Something calls for it, and nothing forbids it. */
  readonly called: Option | null;
  /** The drug in another form that is ordered, or without dose and route. */
  readonly inAnotherForm: (drug: string, dose: string | null) => Option;
  /** Ruled out by values, and without anything in common with the moment. */
  readonly unrelated: (Option & { readonly cites: readonly Cite[] }) | null;
}
export interface Option {
  readonly drug: string;
  readonly dose: string | null;
  readonly route: string | null;
}

/** The option with a fault of the type, or null where there is no room for one. `other` stands beside it. */
export function plantInOption(
  type: DistractorIssue,
  option: Reply,
  {
    facts,
    other,
    random,
  }: { readonly facts: OptionFacts; readonly other: Reply; readonly random: RandomStream },
): Reply | null {
  const claims = option.claims as { kind: string; cites: Cite[] }[];
  const first = claims[0]!.cites[0]!;
  const withClaim = (cite: Cite): Reply => ({
    ...option,
    claims: claims.map((c, i) => (i === 0 ? { ...c, cites: [...c.cites, cite] } : c)),
  });
  const as = (drug: Option | null): Reply | null => (drug ? { ...option, ...drug } : null);
  switch (type) {
    case 'fabricated_fact':
      return withClaim({ ...WHOLE, ref: first.ref, quote: 'anaphylaxis after a bee sting' });
    case 'wrong_value':
      return { ...option, why_wrong: `${option.why_wrong} It was 987.6 before.` };
    case 'temporal_violation':
      return facts.laterEvent ? withClaim({ ...WHOLE, ref: facts.laterEvent }) : null;
    case 'unknown_drug':
      return { ...option, drug: 'Fluorazipamol' };
    case 'unreal_dose_or_route':
      return { ...option, dose: '98765 kg' };
    case 'correct_drug_reused':
      return as(facts.correct);
    case 'active_or_started_soon':
      return as(facts.around);
    case 'duplicate':
      // In the same form it would be the same option.
      return as(facts.inAnotherForm(String(other.drug), other.dose as string | null));
    case 'not_wrong':
      return as(facts.called);
    case 'unproven':
      return { ...option, claims: [] };
    case 'wrong_mechanism':
      return random.float() < 0.5
        ? { ...option, claims: [...claims, { kind: 'respiratory', cites: [first] }] }
        : { ...option, why_wrong: `${option.why_wrong} It also turns the urine blue and stops the heart.` };
    case 'institutional_reason':
      return { ...option, why_wrong: `${option.why_wrong} The hospital formulary does not list it.` };
    case 'broken_target':
      return { ...option, targets_step: 99 };
    case 'too_easy':
      if (!facts.unrelated) return null;
      return unrelatedOption(option, facts.unrelated);
  }
}

function unrelatedOption(option: Reply, { cites, ...drug }: NonNullable<OptionFacts['unrelated']>): Reply {
  return {
    ...option,
    ...drug,
    why_wrong: 'Nothing on record calls for it.',
    why_plausible: 'It is a drug.',
    claims: [{ kind: 'not_indicated', cites }],
  };
}
