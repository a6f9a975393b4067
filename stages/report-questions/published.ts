/** What the RxEval paper (arXiv 2605.14543) reports, to stand beside ours. */

/** Statistic, published value, and how ours is read. */
export const PUBLISHED: readonly (readonly [string, string])[] = [
  ['questions / admissions / patients', '1,547 / 587 / 584'],
  ['questions by phase, early / middle / late', '31.4 / 32.9 / 35.7 %'],
  ['events per question, early / late', '7.7 / 30.7'],
  ['options per question, mean / median / range', '7.03 / 6 / 5 to 23'],
  ['right options, mean / range', '2.03 / 1 to 18'],
  ['questions with more than one right option', '44.9 %'],
  ['prompt tokens, median / 95th percentile', '3,111 / 12,504 (tokenizer not published)'],
  ['different right drugs', '969'],
  ['age, mean and range; female', '59.5 (18 to 91); 53.7 %'],
  ['mean pairwise Jaccard of drug sets in an admission', '0.054 (its mean is not defined)'],
];
