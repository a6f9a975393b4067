import { z } from 'zod';

const count = (n: number, what: string) => z.int().min(0).default(n).describe(what);
const share = (x: number, what: string) => z.number().min(0).max(1).default(x).describe(what);

/** How many questions of each sort, and what keeps them balanced. */
export const config = z.strictObject({
  gf_per_rule: count(3, 'guideline-following items of one rule at most'),
  pairs_per_rule: count(2, 'counterfactual pairs of one rule at most'),
  drugs_per_rule: count(3, 'drugs of one rule that pairs are tried with'),
  max_source_share: share(0.45, 'largest share of the pairs that one source may have'),
  max_type_share: share(0.35, 'largest share of the pairs that one patient information type may have'),
  max_pairs: count(240, 'counterfactual pairs at most'),
  irrelevant_pairs: count(40, 'pairs with a change that does not matter'),
  two_fact_series: count(16, 'series of rules that need two facts, for each of two drugs of a rule'),
  sweep_series: count(16, 'series near a threshold'),
  switch_pairs: count(30, 'pairs that change one set of drugs into another'),
  dose_switches: count(30, 'pairs that move a patient from one dose band to another'),
  selection_items: count(120, 'treatment selection items'),
  dose_items: count(80, 'dose items'),
});
export type Config = z.infer<typeof config>;
