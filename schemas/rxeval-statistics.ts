/** `statistics` of an rxeval release; `report-questions` writes it into report.json under the same name. */
import { z } from 'zod';

const count = z.int().min(0);
const share = z.number().min(0).max(1);

/** Mean, median and range of a number; quantiles are type 7. */
export const Spread = z.strictObject({
  n: count,
  mean: z.number(),
  median: z.number(),
  p95: z.number(),
  min: z.number(),
  max: z.number(),
});
export type Spread = z.infer<typeof Spread>;

/** A category with its questions (or drugs) and their share. */
const Part = z.strictObject({ name: z.string(), n: count, share });
export type Part = z.infer<typeof Part>;

/** Numbers of questions are of the config `mcq`: the other configs ask the same moments in another form. */
export const RxevalStatistics = z.strictObject({
  /** `rules` or `model`: who wrote chains and distractors. */
  author: z.string(),
  tokenizer: z.string(),
  questions_n: count,
  admissions_n: count,
  patients_n: count,
  configs: z.array(z.strictObject({ config: z.string(), split: z.string(), questions_n: count })),
  phases: z.array(
    z.strictObject({ phase: z.string(), questions_n: count, share, events: Spread, correct: Spread }),
  ),
  funnel: z.array(
    z.strictObject({ stage: z.string(), step_n: count, step: z.string(), unit: z.string(), n: count }),
  ),
  options: Spread,
  correct: Spread,
  /** Share of questions with more than one right option. */
  multi_share: share,
  /** Questions by number of right options, 7 standing for seven and more. */
  correct_sizes: z.array(z.strictObject({ correct_n: count, questions_n: count })),
  prompt_tokens: Spread,
  dropped_events_questions_n: count,
  age: Spread,
  female_share: share,
  admission_types: z.array(Part),
  chapters: z.array(Part),
  /** Names as recorded. */
  correct_drugs_n: count,
  /** Drugs that are right in fewer than five questions. */
  rare_drugs_n: count,
  /** The most frequent ones, of all right options and of all distractors, folded names. */
  correct_drugs: z.array(Part),
  distractor_drugs: z.array(Part),
  drug_classes: z.array(Part),
  strategies: z.array(Part),
  claims: z.array(Part),
  proofs: z.array(Part),
  /** Proofs by medpic rules that nobody has signed. */
  unsigned_proofs_n: count,
  /** Rules of the tables that could prove no distractor of any moment; empty for a model. */
  rule_use: z.array(
    z.strictObject({
      table_name: z.string(),
      rules_n: count,
      never_usable_n: count,
      /** Ids of these, ascending. */
      never_usable: z.array(z.string()),
    }),
  ),
  verdicts: z.array(
    z.strictObject({
      what: z.enum(['chain', 'distractor']),
      judge: z.string(),
      verdict: z.string(),
      n: count,
    }),
  ),
  issues: z.array(
    z.strictObject({ what: z.enum(['chain', 'distractor']), judge: z.string(), type: z.string(), n: count }),
  ),
  /** Letters of right options against uniform, a row for each number of options. */
  positions: z.array(
    z.strictObject({
      options_n: count,
      counts: z.array(count),
      chi_square: z.number(),
      df: count,
      p_value: share,
    }),
  ),
  /** Readers who see the options only: share of options they call right or wrong correctly, and of always guessing wrong. */
  blind: z.array(z.strictObject({ reader: z.string(), options_n: count, rate: share, base: share })),
});
export type RxevalStatistics = z.infer<typeof RxevalStatistics>;
