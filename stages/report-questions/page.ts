/** The report as a page. */
import type { Part, RxevalStatistics, Spread } from '../../schemas/rxeval-statistics.js';
import { renderFrame } from '../lib/report-page/frame.js';
import { type Cell, number, percent, table } from '../lib/report-page/text.js';
import { PUBLISHED } from './published.js';

export interface Report {
  readonly access: string;
  readonly warnings: readonly string[];
  readonly statistics: RxevalStatistics;
}

const n = (x: number): Cell => ({ n: number(x) });
const p = (x: number): Cell => ({ n: percent(x) });
const d = (x: number): Cell => ({ n: x.toFixed(2) });

/** report.html from report.json's object. */
export function renderPage(report: Report, css: string): string {
  const s = report.statistics;
  return renderFrame(
    {
      title: 'RxEval quality report',
      badge: `${report.access} data`,
      is_open: report.access === 'open',
      lead: `Every question is a moment at which somebody prescribed. Chains and distractors by author: ${s.author}. Every cited fact was found in the record by program.`,
      tiles: [
        [number(s.questions_n), 'questions'],
        [number(s.admissions_n), `admissions of ${number(s.patients_n)} patients`],
        [number(s.correct_drugs_n), 'different right drugs'],
        [s.options.mean.toFixed(2), 'options a question, mean'],
        [s.correct.mean.toFixed(2), 'of them right, mean'],
        [number(s.prompt_tokens.median), `tokens a prompt, median (${s.tokenizer})`],
      ],
      warnings: report.warnings,
      sections: [
        { id: 'published', title: 'Beside the paper', body: published(s) },
        { id: 'funnel', title: 'Funnel', body: funnel(s) },
        { id: 'questions', title: 'Questions', body: questions(s) },
        { id: 'drugs', title: 'Drugs', body: drugs(s) },
        { id: 'verdicts', title: 'Verdicts', body: verdicts(s) },
        { id: 'cues', title: 'Cues', body: cues(s) },
      ],
      footer:
        'The answer set is what was ordered; another drug may be as good. Not for clinical use. Quantiles are type 7.',
    },
    css,
  );
}

/** Ours in the order of PUBLISHED; the Jaccard of the drawn admissions stands in the manifest. */
function published(s: RxevalStatistics): string {
  const [early, middle, late] = s.phases;
  const events = (x: { events: Spread } | undefined): string => (x ? x.events.mean.toFixed(1) : '–');
  const ours = [
    `${number(s.questions_n)} / ${number(s.admissions_n)} / ${number(s.patients_n)}`,
    [early, middle, late].map((x) => percent(x?.share ?? 0)).join(' / '),
    `${events(early)} / ${events(late)}`,
    `${s.options.mean.toFixed(2)} / ${s.options.median} / ${s.options.min} to ${s.options.max}`,
    `${s.correct.mean.toFixed(2)} / ${s.correct.min} to ${s.correct.max}`,
    percent(s.multi_share),
    `${number(Math.round(s.prompt_tokens.median))} / ${number(Math.round(s.prompt_tokens.p95))} (${s.tokenizer})`,
    number(s.correct_drugs_n),
    `${s.age.mean.toFixed(1)} (${s.age.min} to ${s.age.max}); ${percent(s.female_share)}`,
    'see the manifest: statistics, jaccard_mean',
  ];
  return table(
    'Published numbers and ours',
    ['what', 'RxEval paper', 'here'],
    PUBLISHED.map(([what, value], i) => [what, value, ours[i]!]),
  );
}

const funnel = (s: RxevalStatistics): string =>
  table(
    'What was left after each step',
    ['stage', 'step', 'of', 'left'],
    s.funnel.map((f) => [f.stage, f.step, f.unit, n(f.n)]),
  );

const spreadCells = (x: Spread): Cell[] => [d(x.mean), d(x.median), d(x.p95), n(x.min), n(x.max)];
const SPREAD = ['mean', 'median', '95th percentile', 'least', 'most'];

const questions = (s: RxevalStatistics): string =>
  [
    table(
      'Questions by config',
      ['config', 'split', 'questions'],
      s.configs.map((c) => [c.config, c.split, n(c.questions_n)]),
    ),
    table(
      'Events shown before the moment, by phase',
      ['phase', 'questions', 'share', ...SPREAD],
      s.phases.map((x) => [x.phase, n(x.questions_n), p(x.share), ...spreadCells(x.events)]),
    ),
    table(
      'Sizes',
      ['what', ...SPREAD],
      [
        ['options', ...spreadCells(s.options)],
        ['right options', ...spreadCells(s.correct)],
        [`prompt tokens (${s.tokenizer})`, ...spreadCells(s.prompt_tokens)],
        ['age in years', ...spreadCells(s.age)],
      ],
    ),
    table(
      'Questions by number of right options',
      ['right options', 'questions'],
      s.correct_sizes.map((c) => [c.correct_n === 7 ? '7 and more' : String(c.correct_n), n(c.questions_n)]),
    ),
    partTable('Admission types', s.admission_types),
    partTable('Chapter of the first-listed diagnosis', s.chapters),
  ].join('\n');

const partTable = (caption: string, parts: readonly Part[]): string =>
  table(
    caption,
    ['name', 'n', 'share'],
    parts.map((x) => [x.name, n(x.n), p(x.share)]),
  );

const drugs = (s: RxevalStatistics): string =>
  [
    partTable('Most frequent right drugs (share of right options)', s.correct_drugs),
    partTable('Most frequent distractors (share of distractors)', s.distractor_drugs),
    partTable('Classes of right drugs', s.drug_classes),
    partTable('How distractors were designed', s.strategies),
    partTable('What makes them wrong', s.claims),
    partTable('What proves it', s.proofs),
    table(
      'Rules that could prove no distractor of any moment',
      ['table', 'rules', 'never usable', 'which'],
      s.rule_use.map((r) => [r.table_name, n(r.rules_n), n(r.never_usable_n), r.never_usable.join(' ')]),
    ),
  ].join('\n');

const verdicts = (s: RxevalStatistics): string =>
  `${table(
    'Verdicts on all attempts',
    ['of', 'judge', 'verdict', 'times'],
    s.verdicts.map((v) => [v.what, v.judge, v.verdict, n(v.n)]),
  )}\n${table(
    'Issues found',
    ['in', 'judge', 'issue', 'times'],
    s.issues.map((i) => [i.what, i.judge, i.type, n(i.n)]),
  )}`;

const cues = (s: RxevalStatistics): string =>
  `${table(
    'Letters of right options against uniform (chi-square)',
    ['options', 'counts from A on', 'chi-square', 'df', 'p'],
    s.positions.map((x) => [
      n(x.options_n),
      x.counts.join(' · '),
      d(x.chi_square),
      n(x.df),
      { n: x.p_value.toFixed(3) },
    ]),
  )}\n${table(
    'Readers who see no patient',
    ['knows elsewhere', 'options', 'called rightly', 'calling all wrong'],
    s.blind.map((b) => [b.reader, n(b.options_n), p(b.rate), p(b.base)]),
  )}\n<p class="note">A reader calls an option right when options like it (same drug, with or without dose, same length) were right more often than not in the questions of all other patients.</p>`;
