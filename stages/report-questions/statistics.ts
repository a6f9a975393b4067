/** The numbers of a set of questions. */
import { PHASES } from '../../schemas/rxeval-record.js';
import type { Part, RxevalStatistics, Spread } from '../../schemas/rxeval-statistics.js';
import { foldDrug } from '../lib/drug-fold.js';
import { groupBy } from '../lib/group-by.js';
import { quantile } from '../lib/quantile.js';
import { TOKENIZER } from '../lib/tokens.js';
import { blindReaders, positions } from './cues.js';
import type { Asked } from './read.js';

/** Questions of this many right options and more are counted together (the published curve ends there). */
const MANY = 7;

/** What else is counted: rows as `read.ts` gives them. */
export interface Counted {
  readonly asked: readonly Asked[];
  readonly configs: RxevalStatistics['configs'];
  readonly funnel: RxevalStatistics['funnel'];
  readonly verdicts: RxevalStatistics['verdicts'];
  readonly issues: RxevalStatistics['issues'];
  readonly rule_use: RxevalStatistics['rule_use'];
  readonly distractors: readonly {
    readonly strategy: string;
    readonly claims: readonly { readonly kind: string }[];
    readonly proofs: readonly { readonly by: string; readonly rule_status: string | null }[];
  }[];
}

/** All statistics; lists of drugs hold the `shown` most frequent. */
export function statisticsOf(c: Counted, shown: number): RxevalStatistics {
  const { asked, distractors } = c;
  const right = asked.flatMap((a) => a.options.filter((o) => o.is_correct));
  const wrong = asked.flatMap((a) => a.options.filter((o) => !o.is_correct));
  const correct_n = asked.map((a) => a.options.filter((o) => o.is_correct).length);
  const proofs = distractors.flatMap((d) => d.proofs);
  return {
    author: [...new Set(asked.map((a) => a.author))].sort().join(', ') || 'none',
    tokenizer: TOKENIZER,
    questions_n: asked.length,
    admissions_n: new Set(asked.map((a) => a.admission_key)).size,
    patients_n: new Set(asked.map((a) => a.subject_key)).size,
    configs: c.configs,
    phases: phasesOf(asked),
    funnel: c.funnel,
    options: spread(asked.map((a) => a.options.length)),
    correct: spread(correct_n),
    multi_share: shareOf(correct_n.filter((n) => n > 1).length, asked.length),
    correct_sizes: sizesOf(correct_n),
    prompt_tokens: spread(asked.map((a) => a.prompt_tokens)),
    dropped_events_questions_n: asked.filter((a) => a.dropped_events_n > 0).length,
    age: spread([...new Map(asked.map((a) => [a.subject_key, a.age])).values()]),
    female_share: femaleShare(asked),
    admission_types: parts(asked.map((a) => a.admission_type)),
    chapters: parts(asked.map((a) => a.chapter)),
    correct_drugs_n: new Set(right.map((o) => o.drug)).size,
    rare_drugs_n: rareDrugs(asked),
    correct_drugs: parts(right.map((o) => foldDrug(o.drug))).slice(0, shown),
    distractor_drugs: parts(wrong.map((o) => foldDrug(o.drug))).slice(0, shown),
    drug_classes: parts(asked.flatMap((a) => a.drug_classes)),
    strategies: parts(distractors.map((d) => d.strategy)),
    claims: parts(distractors.flatMap((d) => d.claims.map((x) => x.kind))),
    proofs: parts(proofs.map((p) => p.by)),
    unsigned_proofs_n: proofs.filter((p) => p.rule_status === 'checked').length,
    rule_use: c.rule_use,
    verdicts: c.verdicts,
    issues: c.issues,
    positions: positions(asked),
    blind: blindReaders(asked),
  };
}

/** Mean, type 7 quantiles and range; zeros for nothing. */
export function spread(values: readonly number[]): Spread {
  if (values.length === 0) return { n: 0, mean: 0, median: 0, p95: 0, min: 0, max: 0 };
  return {
    n: values.length,
    mean: values.reduce((a, b) => a + b, 0) / values.length,
    median: quantile(values, 0.5),
    p95: quantile(values, 0.95),
    min: Math.min(...values),
    max: Math.max(...values),
  };
}

const shareOf = (n: number, of: number): number => (of === 0 ? 0 : n / of);

/** Counts by name, most frequent first, equal ones by name. */
function parts(names: readonly string[]): Part[] {
  return [...groupBy(names, (n) => n)]
    .map(([name, all]) => ({ name, n: all.length, share: shareOf(all.length, names.length) }))
    .sort((a, b) => b.n - a.n || (a.name < b.name ? -1 : 1));
}

function phasesOf(asked: readonly Asked[]): RxevalStatistics['phases'] {
  return PHASES.map((phase) => {
    const of = asked.filter((a) => a.phase === phase);
    return {
      phase,
      questions_n: of.length,
      share: shareOf(of.length, asked.length),
      events: spread(of.map((a) => a.events_n)),
      correct: spread(of.map((a) => a.options.filter((o) => o.is_correct).length)),
    };
  });
}

function sizesOf(correct_n: readonly number[]): RxevalStatistics['correct_sizes'] {
  return Array.from({ length: MANY }, (_, i) => i + 1).map((n) => ({
    correct_n: n,
    questions_n: correct_n.filter((c) => (n === MANY ? c >= n : c === n)).length,
  }));
}

function femaleShare(asked: readonly Asked[]): number {
  const people = [...new Map(asked.map((a) => [a.subject_key, a.gender])).values()];
  return shareOf(people.filter((g) => g === 'F').length, people.length);
}

function rareDrugs(asked: readonly Asked[]): number {
  const names = asked.flatMap((a) => [...new Set(a.options.filter((o) => o.is_correct).map((o) => o.drug))]);
  return [...groupBy(names, (n) => n).values()].filter((all) => all.length < 5).length;
}
