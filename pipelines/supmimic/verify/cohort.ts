/** Recomputes what lies under cohort/: imputation, labels, ranges, eligibility, sweep, splits. */
import { sha256 } from '../../../stages/lib/hash.js';
import type { MinePairsConfig } from '../../../stages/mine-pairs/config.js';
import { Check, type CheckResult } from '../../engine/verify-release.js';
import type { OpenRelease } from './open.js';
import { quantileOf } from './plain-math.js';

/** Gaps are filled by the stated value, observed values are untouched, and the value follows from the observed ones. */
export async function checkImputation(r: OpenRelease): Promise<CheckResult> {
  const check = new Check('imputed values follow from the observed ones');
  const values = await r.session.rows<{ feature_id: string; method: string; value: number }>(
    'select * from impute_values',
  );
  for (const { feature_id: id, method, value } of values) {
    const [raw, imputed, flags] = [r.raw.get(id)!, r.imputed.get(id)!, r.flags.get(id)!];
    const observed = [...raw].filter((x) => !Number.isNaN(x));
    const expected = fillValue(method, observed);
    check.expect(
      closeTo(expected, value),
      () => `${id}: the ${method} of the observed values is ${expected}, not ${value}`,
    );
    for (let i = 0; i < raw.length; i++) {
      const is_missing = Number.isNaN(raw[i]!);
      const is_right = is_missing
        ? imputed[i] === value && flags[i] === 1
        : imputed[i] === raw[i] && flags[i] === 0;
      check.expect(is_right, () => `${id} of stay ${r.stays[i]!.stay_id}: ${imputed[i]} for ${raw[i]}`);
    }
  }
  return check.result();
}

function fillValue(method: string, observed: readonly number[]): number {
  if (observed.length === 0) return 0;
  if (method === 'median') return quantileOf(observed, 0.5);
  if (method === 'mean') return observed.reduce((a, b) => a + b, 0) / observed.length;
  const counts = new Map<number, number>();
  for (const x of observed) counts.set(x, (counts.get(x) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]![0];
}

/** The stored mean is compensated, this one is plain: they agree to rounding. */
const closeTo = (a: number, b: number): boolean =>
  Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));

/** Labels are exactly the codes of the stays, mapped by code_map, for the selected diagnoses. */
export async function checkLabels(r: OpenRelease): Promise<CheckResult> {
  const check = new Check('labels follow from the ICD codes of the stays');
  const wrong = await r.session.rows<{ n: number; what: string }>(`
    with derived as (
      select distinct l.stay_id, m.dx_code from label_rows l join code_map m using (icd_version, icd_code)
      join diagnoses d on d.dx_code = m.dx_code where d.is_selected)
    select count(*) as n, 'labels without a code' as what from (select dx_code, stay_id from labels except select dx_code, stay_id from derived)
    union all select count(*), 'codes without a label' from (select dx_code, stay_id from derived except select dx_code, stay_id from labels)
    union all select count(*), 'label rows that code_map maps elsewhere' from label_rows l left join code_map m using (icd_version, icd_code) where m.dx_code is distinct from l.dx_code
    union all select count(*), 'label rows of stays outside the cohort' from label_rows where stay_id not in (select stay_id from cohort)
    union all select count(*), 'label rows of another admission' from label_rows l join cohort c using (stay_id) where l.hadm_id <> c.hadm_id
    union all select count(*), 'diagnoses with another number of positives' from (select dx_code, positives_n from diagnoses where is_selected) d
      left join (select dx_code, count(*) as n from labels group by dx_code) l using (dx_code) where l.n is distinct from d.positives_n`);
  for (const { n, what } of wrong) check.expect(n === 0, () => `${n} ${what}`);
  return check.result();
}

interface Range {
  readonly feature_id: string;
  readonly scale: string;
  readonly lo: number;
  readonly hi: number;
}

/** Ranges are type-7 quantiles of observed values, or the limits of the registry for 0/1 and bounded ordinal features. */
export async function checkRanges(r: OpenRelease): Promise<CheckResult> {
  const check = new Check('ranges follow from the observed values');
  const config = r.config<MinePairsConfig>('mine-pairs');
  const percentiles = [config.range_low_percentile, config.range_high_percentile];
  const ranges = new Map((await r.session.rows<Range>('select * from ranges')).map((x) => [x.feature_id, x]));
  for (const feature of r.registry) {
    const range = ranges.get(feature.feature_id);
    const observed = [...r.raw.get(feature.feature_id)!].filter((x) => !Number.isNaN(x));
    const is_bounded =
      feature.scale !== 'continuous' && feature.plausible_low !== null && feature.plausible_high !== null;
    const expected = is_bounded
      ? [feature.plausible_low, feature.plausible_high]
      : observed.length === 0
        ? [0, 0]
        : percentiles.map((p) => quantileOf(observed, p / 100));
    check.expect(
      range?.lo === expected[0] && range?.hi === expected[1],
      () => `${feature.feature_id}: ${range?.lo} to ${range?.hi}, expected ${expected.join(' to ')}`,
    );
  }
  return check.result();
}

/** Union and utilisation of the K sweep, from the ranks. */
export async function checkSweep(r: OpenRelease): Promise<CheckResult> {
  const check = new Check('the K sweep follows from the ranks');
  const rows = await r.session.rows<{ k: number; union_n: number; utilisation: number; found: number }>(
    'select s.*, (select count(distinct feature_id) from ranks where rank <= s.k) as found from k_sweep s order by k',
  );
  for (const { k, union_n, utilisation, found } of rows) {
    check.expect(
      union_n === found && utilisation === found / r.registry.length,
      () => `K = ${k}: ${union_n}, expected ${found}`,
    );
  }
  return check.result();
}

/** Every patient is in the split that his hash gives, and no item crosses splits. */
export async function checkSplits(r: OpenRelease): Promise<CheckResult> {
  const check = new Check('no patient crosses splits');
  const { splits } = r.config<{ splits: Record<string, number> }>('split-patients');
  const names = Object.keys(splits).sort();
  for (const s of r.stays) {
    const hash = sha256([r.manifest.seed, 'split-patients', s.subject_id].join('\u001f'));
    const expected = splitAt(Number.parseInt(hash.slice(0, 13), 16) / 2 ** 52, names, splits);
    check.expect(s.split === expected, () => `stay ${s.stay_id}: split ${s.split}, expected ${expected}`);
  }
  const crossing = await r.session.rows<{ n: number }>(`select count(*) as n from (
    select patient_id from (select patient_id, split from ba union all select patient_id, split from ddt union all select patient_id, split from dct)
    group by patient_id having count(distinct split) > 1)`);
  check.expect(crossing[0]!.n === 0, () => `${crossing[0]!.n} patients stand in several splits`);
  return check.result();
}

/** The split whose part of [0, 1) holds the point; parts follow each other in name order. */
function splitAt(point: number, names: readonly string[], weights: Readonly<Record<string, number>>): string {
  const total = names.reduce((sum, name) => sum + weights[name]!, 0);
  let reached = 0;
  for (const name of names.slice(0, -1)) {
    reached += weights[name]!;
    if (point < reached / total) return name;
  }
  return names.at(-1)!;
}
