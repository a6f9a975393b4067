/** The long extract: one admission and one ICU stay a patient, and a chartevents of any length. For measuring, not for building. */
import type { StageContext } from '../contract.js';
import type { SynthConfig } from './config.js';
import { CAREGIVERS, SLOT } from './context.js';
import { itemRows } from './dictionaries.js';
import type { Extract } from './extract.js';
import { LongChartWriter, type LongStay } from './long-chart.js';
import { longItems } from './long-items.js';
import { clamp, exp, round } from './math.js';
import type { Numbers } from './numbers.js';
import type { Streams } from './rng.js';
import { DAY, dayOf, HOUR, MINUTE, toMinute } from './time.js';

/** Writes the tables of the long extract; dictionaries of labs and codes are written by the caller. */
export async function writeLongExtract(
  ctx: StageContext,
  config: SynthConfig,
  numbers: Numbers,
  streams: Streams,
  extract: Extract,
): Promise<void> {
  const { items, rows } = longItems(numbers, streams);
  extract.add('icu.d_items', [...itemRows(numbers, 0, []), ...rows]);
  const chart = new LongChartWriter(items, (lines, n) => extract.addLines('icu.chartevents', lines, n));
  const sizes = rowsOfStays(config.chartevents_rows!, config.stays, streams);
  for (let i = 0; i < config.stays; i++) {
    writeStay(config, numbers, streams, extract, chart, i, sizes[i]!);
    await extract.flush();
    ctx.signal.throwIfAborted();
    if (i % 10 === 9) ctx.progress(i + 1, config.stays, 'stays');
  }
  chart.flush();
}

/** Shares `total` rows out to the stays: long stays have many. The sum is exact. */
function rowsOfStays(total: number, stays: number, streams: Streams): number[] {
  const ends = new Float64Array(stays);
  let sum = 0;
  for (let i = 0; i < stays; i++) {
    sum += clamp(exp(0.7 * streams(i, 'long weight').normal()), 0.2, 6);
    ends[i] = sum;
  }
  const upTo = (i: number): number => (i < 0 ? 0 : Math.floor((total * ends[i]!) / sum));
  return Array.from(ends, (_, i) => upTo(i) - upTo(i - 1));
}

function writeStay(
  config: SynthConfig,
  numbers: Numbers,
  streams: Streams,
  extract: Extract,
  chart: LongChartWriter,
  i: number,
  rows: number,
): void {
  const r = streams(i, 'long stay');
  const ids = { subject_id: 10_000_001 + i * SLOT, hadm_id: 20_000_001 + i * SLOT };
  const year = r.int(2118, 2190);
  const intime = dayOf(year, r.int(1, 12), r.int(1, 28)) * DAY + r.int(0, 1439) * MINUTE + r.int(0, 59);
  const stay: LongStay = {
    ...ids,
    stay_id: 30_000_001 + i * SLOT,
    t0: toMinute(intime),
    caregiver_id: 1000 + r.int(0, CAREGIVERS - 1) * 37,
    rows,
  };
  const outtime = chart.stay(stay, r) + HOUR;
  const admin = (kind: string): string => r.weighted(numbers.admin.get(kind)!).value;
  const unit = admin('careunit');
  const group = config.version === '3.1' ? '2020 - 2022' : '2017 - 2019';
  const anchor = { anchor_age: r.int(18, 89), anchor_year: year, anchor_year_group: group, dod: null };
  extract.add('hosp.patients', [
    { subject_id: ids.subject_id, gender: r.chance(0.44) ? 'F' : 'M', ...anchor },
  ]);
  extract.add('hosp.admissions', [
    {
      ...ids,
      admittime: intime - HOUR,
      dischtime: outtime + DAY,
      deathtime: null,
      admission_type: 'URGENT',
      admit_provider_id: null,
      admission_location: null,
      discharge_location: null,
      insurance: null,
      language: config.version === '3.1' ? 'English' : 'ENGLISH',
      marital_status: null,
      race: 'UNKNOWN',
      edregtime: null,
      edouttime: null,
      hospital_expire_flag: 0,
    },
  ]);
  extract.add('icu.icustays', [
    {
      ...ids,
      stay_id: stay.stay_id,
      first_careunit: unit,
      last_careunit: unit,
      intime,
      outtime,
      los: round((outtime - intime) / DAY, 6),
    },
  ]);
}
