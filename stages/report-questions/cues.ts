/** What the options alone tell: letters, texts, missing doses, drugs that are always right or always wrong. */
import type { RxevalStatistics } from '../../schemas/rxeval-statistics.js';
import { uniformity } from '../lib/chi-square.js';
import { foldDrug } from '../lib/drug-fold.js';
import type { Asked } from './read.js';

type Option = Asked['options'][number];

/** How often each letter is right, for each number of options. */
export function positions(asked: readonly Asked[]): RxevalStatistics['positions'] {
  const sizes = [...new Set(asked.map((a) => a.options.length))].sort((a, b) => a - b);
  return sizes.map((options_n) => {
    const counts = Array<number>(options_n).fill(0);
    for (const a of asked.filter((x) => x.options.length === options_n))
      a.options.forEach((o, i) => {
        if (o.is_correct) counts[i]! += 1;
      });
    return { options_n, counts, ...uniformity(counts) };
  });
}

interface Seen {
  offered: number;
  right: number;
}

/**
 * Readers without the patient judge every option of a question. `drug`: knows how often the drug was right in the questions of all other patients.
 * `dose`: knows the same of having a dose or none. `base` is what calling every option wrong gets right.
 */
export function blindReaders(asked: readonly Asked[]): RxevalStatistics['blind'] {
  const readers: readonly (readonly [string, (o: Option) => string])[] = [
    ['drug', (o) => foldDrug(o.drug)],
    ['dose', (o) => (o.dose_text === null ? 'no dose' : 'dose')],
    ['length', (o) => String(Math.floor(o.text.length / 8))],
  ];
  return readers.map(([reader, featureOf]) => ({ reader, ...judge(asked, featureOf) }));
}

function judge(asked: readonly Asked[], featureOf: (o: Option) => string) {
  const all: Seen = { offered: 0, right: 0 };
  const byFeature = new Map<string, Seen>();
  const add = (a: Asked, sign: 1 | -1): void => {
    for (const o of a.options) {
      const seen = byFeature.get(featureOf(o)) ?? { offered: 0, right: 0 };
      byFeature.set(featureOf(o), seen);
      for (const s of [seen, all]) {
        s.offered += sign;
        if (o.is_correct) s.right += sign;
      }
    }
  };
  for (const a of asked) add(a, 1);
  let hits = 0;
  for (const patient of byPatient(asked)) {
    for (const a of patient) add(a, -1);
    hits += patient
      .flatMap((a) => a.options)
      .filter((o) => guess(o, featureOf, byFeature, all) === o.is_correct).length;
    for (const a of patient) add(a, 1);
  }
  const options_n = all.offered;
  const wrong = all.offered - all.right;
  return {
    options_n,
    rate: options_n === 0 ? 0 : hits / options_n,
    base: options_n === 0 ? 0 : wrong / options_n,
  };
}

/** Right more often than not elsewhere, smoothed towards the overall share. */
function guess(
  o: Option,
  featureOf: (o: Option) => string,
  byFeature: ReadonlyMap<string, Seen>,
  all: Seen,
): boolean {
  const base = all.offered === 0 ? 0 : all.right / all.offered;
  const seen = byFeature.get(featureOf(o))!;
  return (seen.right + base) / (seen.offered + 1) > 0.5;
}

function byPatient(asked: readonly Asked[]): Asked[][] {
  const people = new Map<string, Asked[]>();
  for (const a of asked) people.set(a.subject_key, [...(people.get(a.subject_key) ?? []), a]);
  return [...people.values()];
}
