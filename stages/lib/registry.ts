/** The feature registry: what each of the 448 features is, read from raw/mimic/feature-registry.csv. */
import { FEATURE_IDS } from '../../schemas/supmimic.js';
import { parseCsv } from './csv.js';

export const REGISTRY_FILE = 'raw/mimic/feature-registry.csv';

/** How a feature is imputed and enters a distance. */
export type Scale = 'binary' | 'ordinal' | 'continuous';

export interface Feature {
  readonly feature_id: string;
  readonly name: string;
  readonly group: string;
  readonly source_tables: readonly string[];
  readonly itemids: readonly number[];
  readonly statistic: string;
  readonly unit: string;
  readonly unit_conversion: string;
  readonly plausible_low: number | null;
  readonly plausible_high: number | null;
  readonly window: string;
  readonly notes: string;
  readonly scale: Scale;
}

/** Largest span of a score that counts as ordinal (SOFA total, 0 to 24); wider ones are treated as continuous. */
const ORDINAL_SPAN = 24;

/** Parses the registry and checks that it holds F001 ... F448 in order. */
export function parseRegistry(text: string): Feature[] {
  const features = parseCsv(text, REGISTRY_FILE).map(toFeature);
  const ids = features.map((f) => f.feature_id);
  if (ids.join() !== FEATURE_IDS.join()) throw new Error(`${REGISTRY_FILE}: expected F001 to F448 in order`);
  return features;
}

function toFeature(r: Record<string, string>): Feature {
  const list = (text: string): string[] => text.split(';').filter(Boolean);
  const number = (text: string): number | null => (text === '' ? null : Number(text));
  const base = {
    feature_id: r.feature_id!,
    name: r.name!,
    group: r.group!,
    source_tables: list(r.source_table!),
    itemids: list(r.itemids!).map(Number),
    statistic: r.statistic!,
    unit: r.unit!,
    unit_conversion: r.unit_conversion!,
    plausible_low: number(r.plausible_low!),
    plausible_high: number(r.plausible_high!),
    window: r.window!,
    notes: r.notes!,
  };
  return { ...base, scale: scaleOf(base) };
}

/** 0/1 is binary; points and stages that span at most 24 are ordinal, unless they are averaged; the rest is continuous. */
function scaleOf(f: Omit<Feature, 'scale'>): Scale {
  if (f.unit === '0/1') return 'binary';
  const span = (f.plausible_high ?? Number.POSITIVE_INFINITY) - (f.plausible_low ?? 0);
  const is_points = f.unit === 'points' || f.unit === 'stage';
  return is_points && f.statistic !== 'mean' && span <= ORDINAL_SPAN ? 'ordinal' : 'continuous';
}
