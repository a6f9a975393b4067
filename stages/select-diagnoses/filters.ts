/** The filters that turn candidate labels into the selected ones, in their order. */
import type { Config } from './config.js';
import { shareQuotas } from './quotas.js';

/** What the filters know of a label. */
export interface Candidate {
  readonly dx_code: string;
  readonly category: number | null;
  readonly is_complication: boolean;
  readonly positives_n: number;
  readonly completeness_positives: number;
  /** Share by the configured unit. */
  readonly outlier_share: number;
}

/** A filter: its name is the status of the labels it drops. */
interface Filter {
  readonly name: string;
  readonly doc: string;
  drop(left: readonly Candidate[]): readonly Candidate[];
}

/** One line of the report. */
export interface SelectionStep {
  readonly step: number;
  readonly name: string;
  readonly doc: string;
  readonly labels_before: number;
  readonly labels_after: number;
}

/** Status of every candidate (`selected` or the filter that dropped it), and what each filter took. */
export interface Selection {
  readonly status: ReadonlyMap<string, string>;
  readonly steps: readonly SelectionStep[];
}

/** Applies all filters; the result does not depend on the order of the candidates. */
export function selectLabels(candidates: readonly Candidate[], config: Config): Selection {
  const status = new Map<string, string>();
  const steps: SelectionStep[] = [];
  let left = [...candidates].sort(byFrequency);
  for (const filter of filters(config)) {
    const dropped = new Set(filter.drop(left));
    for (const c of dropped) status.set(c.dx_code, filter.name);
    const kept = left.filter((c) => !dropped.has(c));
    const { name, doc } = filter;
    steps.push({
      step: steps.length + 1,
      name,
      doc,
      labels_before: left.length,
      labels_after: kept.length,
    });
    left = kept;
  }
  for (const c of left) status.set(c.dx_code, 'selected');
  return { status, steps };
}

/** Most frequent first; equal counts by code. */
export function byFrequency(
  a: { positives_n: number; dx_code: string },
  b: { positives_n: number; dx_code: string },
): number {
  return b.positives_n - a.positives_n || (a.dx_code < b.dx_code ? -1 : a.dx_code > b.dx_code ? 1 : 0);
}

/** `share` of n, rounded up; a product that misses a whole number by float error only counts as that number. */
export function ceilShare(share: number, n: number): number {
  const exact = share * n;
  const near = Math.round(exact);
  return Math.abs(exact - near) < 1e-9 * Math.max(1, n) ? near : Math.ceil(exact);
}

function filters(config: Config): Filter[] {
  const rare: Filter = {
    name: 'below_min_positives',
    doc: `fewer than ${config.min_positives} positive cohort stays`,
    drop: (left) => left.filter((c) => c.positives_n < config.min_positives),
  };
  const top: Filter = {
    name: 'top_share',
    doc: `the most frequent ${config.top_share} of the ${config.top_share_base === 'all' ? 'labels, rare ones counted' : 'labels left'}, rounded up`,
    drop: (left) => left.slice(0, ceilShare(config.top_share, left.length)),
  };
  const frequency = config.top_share_base === 'all' ? [top, rare] : [rare, top];
  return [...kindFilters(config), ...frequency, ...qualityFilters(config), quotaFilter(config)];
}

function kindFilters(config: Config): Filter[] {
  const excluded = new Set(config.excluded_categories);
  const kinds: Filter[] = [
    {
      name: 'no_category',
      doc: 'code belongs to no chapter',
      drop: (left) => left.filter((c) => c.category === null),
    },
    {
      name: 'excluded_category',
      doc: `category ${config.excluded_categories.join(', ') || 'none'} excluded`,
      drop: (left) => left.filter((c) => c.category !== null && excluded.has(c.category)),
    },
  ];
  if (config.exclude_complications) {
    kinds.push({
      name: 'complication',
      doc: 'care-acquired (complications.csv)',
      drop: (left) => left.filter((c) => c.is_complication),
    });
  }
  return kinds;
}

function qualityFilters(config: Config): Filter[] {
  const unit = config.outlier_unit === 'values' ? 'core values of its positives' : 'its positives';
  return [
    {
      name: 'incomplete',
      doc: `less than ${config.min_completeness} of positives x core features measured`,
      drop: (left) => left.filter((c) => c.completeness_positives < config.min_completeness),
    },
    {
      name: 'outliers',
      doc: `over ${config.max_outlier_share} of ${unit} beyond ${config.outlier_sd} robust SD`,
      drop: (left) => left.filter((c) => c.outlier_share > config.max_outlier_share),
    },
  ];
}

function quotaFilter(config: Config): Filter {
  if (config.selection === 'frequency') {
    return {
      name: 'over_limit',
      doc: `beyond the ${config.max_labels} most frequent`,
      drop: (left) => left.slice(config.max_labels),
    };
  }
  return {
    name: 'over_quota',
    doc: `beyond the quota of its category (${config.max_labels} in all)`,
    drop: (left) => overQuota(left, config),
  };
}

function overQuota(left: readonly Candidate[], config: Config): Candidate[] {
  const groups = new Map<number, Candidate[]>();
  for (const c of left) groups.set(c.category!, [...(groups.get(c.category!) ?? []), c]);
  const sizes = [...groups].map(([category, members]) => ({ category, labels_n: members.length }));
  const quotas = shareQuotas(sizes, config.max_labels, config.min_per_category);
  return [...groups].flatMap(([category, members]) => members.slice(quotas.get(category)!));
}
