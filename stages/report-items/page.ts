/** The report as a page. */
import type { MedpicStatistics } from '../../schemas/medpic-statistics.js';
import { renderFrame } from '../lib/report-page/frame.js';
import { type Cell, number, percent, table } from '../lib/report-page/text.js';

export interface Report {
  readonly access: string;
  readonly warnings: readonly string[];
  readonly statistics: MedpicStatistics;
}

const n = (x: number): Cell => ({ n: number(x) });
const p = (x: number): Cell => ({ n: percent(x) });

const TITLES: Readonly<Record<string, string>> = {
  taxonomy_patient_info_type: 'Patient information type',
  taxonomy_reasoning_operation: 'Reasoning operation',
  taxonomy_special_population: 'Special population',
  taxonomy_organ_system: 'Organ system',
  taxonomy_clinical_department: 'Clinical department',
  taxonomy_drug_category: 'Drug category',
  decision_type: 'Decision type',
};

/** report.html from report.json's object. */
export function renderPage(report: Report, css: string): string {
  const s = report.statistics;
  const signed =
    s.verified_rules_n === s.rules_n && s.rules_n > 0
      ? 'every rule is signed'
      : `${number(s.verified_rules_n)} of ${number(s.rules_n)} rules are signed by people`;
  return renderFrame(
    {
      title: 'MedPIC quality report',
      badge: `${report.access} data`,
      is_open: report.access === 'open',
      lead: `What the sources gave, what was asked, and what could give an answer away. Checked by program; ${signed}.`,
      tiles: [
        [number(s.items_n), 'items'],
        [number(s.gf_n), 'guideline-following items'],
        [number(s.pairs_n), 'counterfactual pairs'],
        [number(s.used_rules_n), `of ${number(s.rules_n)} rules are asked about`],
        [number(s.drugs_n), 'drugs among the options'],
        [number(s.validation.validated_n), 'items validated by people'],
      ],
      warnings: report.warnings,
      sections: [
        { id: 'sources', title: 'Sources', body: sources(s) },
        { id: 'items', title: 'Items', body: items(s) },
        { id: 'dimensions', title: 'Dimensions', body: dimensions(s) },
        { id: 'cues', title: 'Cues', body: cues(s) },
        { id: 'rejects', title: 'Not asked', body: rejects(s) },
      ],
      footer:
        'Neutral drugs among the options are checked against every rule of the release, not proved harmless.',
    },
    css,
  );
}

const sources = (s: MedpicStatistics): string =>
  table(
    'Rows, rules and what was asked, by source',
    ['source', 'rows', 'rules', 'rows held', 'rows without rule', 'items', 'pairs', 'share of pairs'],
    s.sources.map((x) => [
      x.source_id,
      n(x.rows_n),
      n(x.rules_n),
      n(x.held_n),
      n(x.refused_n),
      n(x.items_n),
      n(x.pairs_n),
      p(x.pair_share),
    ]),
  );

const items = (s: MedpicStatistics): string =>
  table(
    'Items by config',
    ['config', 'split', 'items', 'pairs or series', 'rules', 'None is right', 'right options, mean'],
    s.configs.map((c) => [
      c.config,
      c.split,
      n(c.items_n),
      n(c.pairs_n),
      n(c.rules_n),
      n(c.none_n),
      { n: c.keys_mean.toFixed(2) },
    ]),
  ) +
  table(
    'Items by number of right options',
    ['right options', 'items'],
    s.key_sizes.map((k) => [n(k.keys_n), n(k.items_n)]),
  );

function dimensions(s: MedpicStatistics): string {
  return Object.entries(TITLES)
    .map(([dimension, title]) => {
      const rows = s.dimensions.filter((d) => d.dimension === dimension);
      return table(
        title,
        ['category', 'items', 'pairs', 'share of pairs'],
        rows.map((d) => [d.category, n(d.items_n), n(d.pairs_n), p(d.pair_share)]),
      );
    })
    .join('\n');
}

function cues(s: MedpicStatistics): string {
  const letters = table(
    'Letters against uniform (chi-square)',
    ['what', 'options', 'counts from A on', 'chi-square', 'df', 'p'],
    s.positions.map((x) => [
      x.what,
      n(x.options_n),
      x.counts.join(' · '),
      { n: x.chi_square.toFixed(2) },
      n(x.df),
      { n: x.p_value.toFixed(3) },
    ]),
  );
  const readers = table(
    'One option picked without the patient',
    ['reader', 'items', 'right', 'chance', 'always None'],
    [
      [
        'longest option, all configs',
        n(s.longest.items_n),
        p(s.longest.rate),
        p(s.longest.chance),
        { n: '–' },
      ],
      ...s.blind.map((b): Cell[] => [
        `knows all other answers: ${b.config}`,
        n(b.items_n),
        p(b.rate),
        p(b.chance),
        p(b.always_none),
      ]),
    ],
  );
  return `${letters}\n${readers}\n<p class="note">The second kind of reader sees stem and options, never the vignette, and picks the option text that was right most often in all other items.</p>`;
}

const rejects = (s: MedpicStatistics): string =>
  `${table(
    'Source rows without a rule',
    ['source', 'reason', 'rows'],
    s.row_rejects.map((r) => [r.source_id, r.reason, n(r.n)]),
  )}\n${table(
    'Rules and candidates that gave no item',
    ['config', 'reason', 'times'],
    s.item_rejects.map((r) => [r.config, r.reason, n(r.n)]),
  )}`;
