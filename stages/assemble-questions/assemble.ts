/** From a moment with its right drugs and its distractors to the five forms of its question. */
import type { RxevalConfig, RxOption } from '../../schemas/rxeval.js';
import { contentId } from '../lib/hash.js';
import { randomStream } from '../lib/random.js';
import {
  type RenderedEvent,
  type RenderedSection,
  renderDrug,
  renderProfile,
  renderTimeline,
} from '../lib/render-record.js';

/** A drug as an option shows it; `ref` is its order_id or distractor_id. */
export interface OptionDrug {
  readonly ref: string;
  readonly drug: string;
  readonly dose_text: string | null;
  readonly route: string | null;
}

/** Everything of a moment that a question is made of. */
export interface MomentParts {
  readonly timepoint_id: string;
  readonly cut_at: string;
  readonly sections: readonly RenderedSection[];
  /** Shown events before the cut, earliest first. */
  readonly events: readonly RenderedEvent[];
  /** Allergies as written, in order. */
  readonly allergies: readonly string[];
  readonly correct: readonly OptionDrug[];
  readonly distractors: readonly OptionDrug[];
}

/** Texts of the prompts by name. */
export type Prompts = Readonly<Record<'mcq' | 'open' | 'allergies' | 'no-profile' | 'no-trajectory', string>>;

/** One form of a question, without what all forms share. */
export interface Form {
  readonly config: RxevalConfig;
  readonly profile: string;
  readonly timeline: string;
  readonly question: string;
  readonly options: readonly RxOption[];
  readonly events_n: number;
  readonly dropped_events_n: number;
  readonly prompt_tokens: number;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Options that letters can name. */
export const OPTIONS_MAX = LETTERS.length;

/** Id of a question: over the moment and what is offered, never over which options are right. */
export function questionId(moment: MomentParts): string {
  const refs = [...moment.correct, ...moment.distractors].map((d) => d.ref).sort();
  return contentId('rxeval-question', moment.timepoint_id, ...refs);
}

/** Options in the order of a shuffle that is seeded by the question's own id. More than 26 are a RangeError. */
export function letterOptions(question_id: string, moment: MomentParts): RxOption[] {
  const all = [
    ...moment.correct.map((d) => ({ ...d, is_correct: true })),
    ...moment.distractors.map((d) => ({ ...d, is_correct: false })),
  ].sort((a, b) => (a.ref < b.ref ? -1 : 1));
  if (all.length > OPTIONS_MAX) throw new RangeError(`a question has at most ${OPTIONS_MAX} options`);
  const random = randomStream(0, 'rxeval-options', question_id);
  for (let i = all.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [all[i], all[j]] = [all[j]!, all[i]!];
  }
  return all.map((d, i) => ({ letter: LETTERS[i]!, text: renderDrug(d), ...d }));
}

/** The prompt that a model is given: profile, timeline, question and options, a blank line between. */
export function composePrompt(form: Pick<Form, 'profile' | 'timeline' | 'question' | 'options'>): string {
  const options = form.options.map((o) => `${o.letter}. ${o.text}`).join('\n');
  return [
    `PATIENT\n${form.profile}`,
    `TIMELINE OF THIS ADMISSION\n${form.timeline}`,
    form.question,
    ...(options === '' ? [] : [options]),
  ].join('\n\n');
}

interface Spec {
  readonly config: RxevalConfig;
  readonly question: string;
  readonly has_options: boolean;
  readonly has_profile: boolean;
  readonly has_timeline: boolean;
}

/** All forms of the question of a moment; the one that repeats allergies exists only where some are on record. */
export function formsOf(
  moment: MomentParts,
  prompts: Prompts,
  limits: { readonly max_prompt_tokens: number; readonly countTokens: (text: string) => number },
): Form[] {
  const options = letterOptions(questionId(moment), moment);
  const allergies = prompts.allergies.replace('{allergies}', () => moment.allergies.join('\n'));
  const full = { has_options: true, has_profile: true, has_timeline: true };
  const specs: Spec[] = [
    { config: 'mcq', question: prompts.mcq, ...full },
    { config: 'open', question: prompts.open, ...full, has_options: false },
    ...(moment.allergies.length > 0
      ? [{ config: 'mcq_allergy_repeated', question: `${prompts.mcq}\n\n${allergies}`, ...full } as const]
      : []),
    { config: 'mcq_no_profile', question: prompts.mcq, ...full, has_profile: false },
    { config: 'mcq_no_trajectory', question: prompts.mcq, ...full, has_timeline: false },
  ];
  return specs.map((spec) => formOf(spec, { moment, prompts, options, ...limits }));
}

interface FormContext {
  readonly moment: MomentParts;
  readonly prompts: Prompts;
  readonly options: readonly RxOption[];
  readonly max_prompt_tokens: number;
  readonly countTokens: (text: string) => number;
}

/** Leaves out the earliest events until the prompt fits; profile, options and the newest events stay. */
function formOf(spec: Spec, context: FormContext): Form {
  const { moment, prompts, max_prompt_tokens, countTokens } = context;
  const shown = spec.has_timeline ? moment.events : [];
  const with_dropped = (dropped_n: number): Form => {
    const bare = {
      profile: spec.has_profile ? renderProfile(moment.sections) : prompts['no-profile'],
      timeline: spec.has_timeline
        ? renderTimeline(shown.slice(dropped_n), moment.cut_at, { dropped_n })
        : prompts['no-trajectory'],
      question: spec.question,
      options: spec.has_options ? context.options : [],
    };
    return {
      config: spec.config,
      ...bare,
      events_n: shown.length - dropped_n,
      dropped_events_n: dropped_n,
      prompt_tokens: countTokens(composePrompt(bare)),
    };
  };
  const whole = with_dropped(0);
  if (whole.prompt_tokens <= max_prompt_tokens || shown.length === 0) return whole;
  return leastDropped(with_dropped, shown.length, max_prompt_tokens);
}

/** The form with the fewest events left out that fits; with none left when even that is too long. */
function leastDropped(make: (dropped_n: number) => Form, events_n: number, limit: number): Form {
  let [low, high] = [1, events_n];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (make(middle).prompt_tokens <= limit) high = middle;
    else low = middle + 1;
  }
  return make(low);
}
