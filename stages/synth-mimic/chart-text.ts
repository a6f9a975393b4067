/** chartevents with texts: neurology, ventilator, oxygen, rhythm, skin, code status. */
import { type Charting, chartTimes } from './chart.js';
import { record, type Stay, type Subject } from './context.js';
import { clamp, round } from './math.js';
import type { Stream } from './rng.js';
import { isOn } from './stay.js';
import { DAY, HOUR, timeText } from './time.js';
import { type SeriesOf, seenProb } from './values.js';

/** Times every `hours` or so, the first at the minute of entry. */
function every(times: readonly number[], hours: number): number[] {
  const out: number[] = [];
  let next = times[0]!;
  for (const t of times) {
    if (t < next) continue;
    out.push(t);
    next = t + hours * HOUR - HOUR / 2;
  }
  return out;
}

/** All text rows of a stay. */
export function chartTexts(s: Subject, stay: Stay, series: SeriesOf, c: Charting): void {
  const times = chartTimes(s, stay);
  const r = s.stream(`texts ${stay.n}`);
  const sparse = s.config.size === 'compact' ? 1.3 : 1;
  chartNeurology(s, stay, series, c, every(times, 3.6 * sparse), r);
  chartSedation(s, stay, series, c, every(times, 4.2 * sparse), r);
  chartRhythm(s, stay, c, every(times, 4 * sparse), r);
  chartSkin(s, stay, c, every(times, 11), r);
  chartOxygen(s, stay, series, c, times, r);
  chartVentilator(s, stay, series, c, every(times, 4.2 * sparse), r);
  if (r.chance(s.age > 75 ? 0.55 : 0.35)) {
    const isLimited = r.chance(clamp(0.05 + (s.age - 60) / 150 + (stay.isSurvivor ? 0 : 0.25), 0.02, 0.6));
    const pool = s.numbers.texts.get('code_status')!.filter((x) => (x.value === 'Full code') !== isLimited);
    c.add(times[Math.min(2, times.length - 1)]!, 223758, r.weighted(pool).value, null, null, 30);
  }
}

/** GCS parts at one charttime; a tube makes the verbal part untestable (valuenum 1, only the text tells). */
function chartNeurology(
  s: Subject,
  stay: Stay,
  series: SeriesOf,
  c: Charting,
  times: readonly number[],
  r: Stream,
): void {
  const isWanted = s.wants.has('D52') && stay.n === 0;
  if (!isWanted && !r.chance(0.99)) return;
  const text = (key: string, score: number): string =>
    s.numbers.texts.get(key)!.find((x) => x.valuenum === score && !x.value.endsWith('ETT'))!.value;
  const isSedated = stay.vent !== null && r.chance(0.7);
  let isNoted = false;
  for (const t of times) {
    const h = (t - stay.t0) / HOUR;
    const isTube = isOn(stay.vent, t);
    const dull = isTube && isSedated ? -1.6 : 0;
    const eye = Math.round(series('gcs_e').next(h, dull * 0.8));
    const motor = Math.round(series('gcs_m').next(h, dull));
    const verbal = Math.round(series('gcs_v').next(h, dull));
    c.add(t, 220739, text('gcs_e', eye), eye, null, 15);
    if (isTube) {
      const row = c.add(t, 223900, 'No Response-ETT', 1, null, 15);
      if (isWanted && !isNoted) {
        isNoted = true;
        record(s, 'D52', {
          table: 'icu.chartevents',
          stay_id: stay.stay_id,
          key: `stay_id=${stay.stay_id};itemid=223900;charttime=${timeText(t)}`,
          column: 'value',
          clean_value: text('gcs_v', verbal),
          dirty_value: row.value,
        });
      }
    } else c.add(t, 223900, text('gcs_v', verbal), verbal, null, 15);
    c.add(t, 223901, text('gcs_m', motor), motor, null, 15);
  }
  if (!r.chance(0.82)) return;
  const isBlown = (s.has('ich') || s.has('sah') || s.has('cardiac_arrest')) && r.chance(0.15);
  for (const t of times) {
    if (r.chance(0.4)) continue;
    const h = (t - stay.t0) / HOUR;
    const left = clamp(Math.round(series('pupil_l').next(h)), 1, 8);
    const right = clamp(left + (r.chance(0.1) ? r.int(-1, 1) : 0), 1, 8);
    const size = (mm: number): string => (mm === 1 ? 'Pinpoint' : `${mm}mm`);
    c.add(t, 224733, size(left), null, null, 20);
    c.add(t, 223907, size(right), null, null, 20);
    const reaction = isBlown ? 'Non-reactive' : r.chance(0.13) ? 'Sluggish' : 'Brisk ';
    c.add(t, 227288, reaction, null, null, 20);
    c.add(t, 227121, isBlown && r.chance(0.5) ? 'Sluggish' : reaction, null, null, 20);
  }
}

/** RASS, pain, delirium. */
function chartSedation(
  s: Subject,
  stay: Stay,
  series: SeriesOf,
  c: Charting,
  times: readonly number[],
  r: Stream,
): void {
  const rass = s.numbers.texts.get('rass')!;
  const pain = s.numbers.texts.get('pain')!;
  const seesRass = r.chance(0.9);
  const seesPain = r.chance(0.85);
  const isDelirious = s.has('delirium') || s.has('alcohol_withdrawal') || s.has('hepatic_enceph');
  const seesDelirium = r.chance(isDelirious ? 0.85 : 0.5);
  times.forEach((t, k) => {
    const h = (t - stay.t0) / HOUR;
    if (seesRass) {
      const score = clamp(Math.round(series('rass').next(h, isOn(stay.vent, t) ? -1.4 : 0)), -5, 4);
      c.add(t, 228096, rass.find((x) => x.valuenum === score)!.value, score, null, 20);
    }
    if (seesPain) {
      const isUnable = isOn(stay.vent, t) ? r.chance(0.5) : r.chance(0.15);
      const score = clamp(Math.round(series('pain').next(h)), 0, 10);
      const text = isUnable ? 'Unable to Score' : pain.find((x) => x.valuenum === score)!.value;
      c.add(t, 223791, text, isUnable ? null : score, null, 20);
    }
    if (seesDelirium && k % 3 === 1) {
      const text =
        isOn(stay.vent, t) && r.chance(0.5)
          ? 'UTA'
          : r.chance(isDelirious ? 0.65 : 0.12)
            ? 'Positive'
            : 'Negative';
      c.add(t, 228332, text, null, null, 20);
    }
  });
}

function chartRhythm(s: Subject, stay: Stay, c: Charting, times: readonly number[], r: Stream): void {
  const isAf = s.has('afib') && r.chance(0.75);
  const isPaced = r.chance(s.has('heart_block') ? 0.5 : /Cardiac Vascular/.test(stay.unit) ? 0.15 : 0.01);
  const hrs = c.rows.filter((x) => x.itemid === 220045);
  const ectopy = r.chance(s.has('vtach') ? 0.7 : s.has('afib') ? 0.25 : 0.12);
  for (const t of times) {
    const hr = hrs.find((x) => x.charttime === t)?.valuenum ?? 80;
    const sinus =
      hr > 100 ? 'ST (Sinus Tachycardia) ' : hr < 60 ? 'SB (Sinus Bradycardia)' : 'SR (Sinus Rhythm)';
    const text =
      isAf && r.chance(0.8)
        ? 'AF (Atrial Fibrillation)'
        : isPaced
          ? r.chance(0.6)
            ? 'V Paced'
            : 'A Paced'
          : sinus;
    c.add(t, 220048, text, null, null, 12);
    c.add(t, 224650, ectopy && r.chance(0.4) ? r.pick(["PVC's", "PAC's"]) : 'None', null, null, 12);
    if (ectopy && r.chance(0.02)) c.add(t, 226479, "PAC's", null, null, 12);
  }
}

/** Braden: texts of the six parts by score. */
const BRADEN: readonly [number, readonly string[]][] = [
  [224054, ['Completely Limited', 'Very Limited', 'Slight Impairment', 'No Impairment']],
  [224055, ['Consistently Moist', 'Moist', 'Occasionally Moist', 'Rarely Moist']],
  [224056, ['Bedfast', 'Chairfast', 'Walks Occasionally', 'Walks Frequently']],
  [224057, ['Completely Immobile', 'Very Limited', 'Slight Limitations', 'No Limitations']],
  [224058, ['Very Poor', 'Probably Inadequate', 'Adequate', 'Excellent']],
  [224059, ['Problem', 'Potential Problem', 'No Apparent Problem']],
];

function chartSkin(s: Subject, stay: Stay, c: Charting, times: readonly number[], r: Stream): void {
  if (!r.chance(0.96)) return;
  const frail = (s.has('pressure_ulcer') ? 0.8 : 0) + (stay.vent ? 0.7 : 0) + (s.age - 60) / 60;
  const usual = [3.2, 3.5, 1.4, 2.4, 2.3, 2.1];
  const level = usual.map((x) => x - 0.4 * frail + 0.5 * r.normal());
  for (const t of times) {
    BRADEN.forEach(([itemid, texts], k) => {
      const score = clamp(Math.round(level[k]! + 0.25 * r.normal()), 1, texts.length);
      c.add(t, itemid, texts[score - 1]!, score, null, 25);
    });
  }
}

/** Device, oxygen flow, inspired fraction. */
function chartOxygen(
  s: Subject,
  stay: Stay,
  series: SeriesOf,
  c: Charting,
  times: readonly number[],
  r: Stream,
): void {
  const flow = s.numbers.itemByKey.get('o2flow')!;
  const devices = s.numbers.texts
    .get('o2_device')!
    .filter((x) => !/tube|pap mask|PAP mask|High flow nasal/.test(x.value));
  const usual = r.weighted(devices).value;
  const isHighFlow = !stay.niv && r.chance(s.has('acute_resp_failure') || s.has('ards') ? 0.14 : 0.015);
  const hasFlow = r.chance(Math.max(0.55, seenProb(s, flow)));
  const hasFio2 = stay.vent !== null || isHighFlow || s.wants.has('D39') || r.chance(0.12);
  let isNoted = false;
  for (const t of every(times, s.config.size === 'compact' ? 5 : 3.5)) {
    const h = (t - stay.t0) / HOUR;
    if (isOn(stay.vent, t)) c.add(t, 226732, 'Endotracheal tube', null, null, 15);
    else if (isOn(stay.niv, t)) {
      const row = c.add(t, 226732, r.chance(0.75) ? 'Bipap mask ' : 'CPAP mask ', null, null, 15);
      if (!isNoted) {
        isNoted = true;
        record(s, 'D53', {
          table: 'icu.chartevents',
          stay_id: stay.stay_id,
          key: `stay_id=${stay.stay_id};itemid=226732;charttime=${timeText(t)}`,
          column: 'value',
          clean_value: row.value!.trim(),
          dirty_value: row.value,
        });
      }
    } else c.add(t, 226732, isHighFlow ? 'High flow nasal cannula' : usual, null, null, 15);
    if (hasFlow && !isOn(stay.vent, t) && usual !== 'None') {
      const v = round(isHighFlow ? 40 + 10 * r.normal() : series('o2flow').next(h), 0);
      c.add(t, isHighFlow ? 227582 : 223834, String(clamp(v, 1, 70)), clamp(v, 1, 70), 'L/min', 15);
      if (!isHighFlow && r.chance(0.02)) c.add(t, 227287, '2', 2, 'L/min', 15);
    }
    if (hasFio2 && (isOn(stay.vent, t) || isHighFlow || r.chance(0.5))) {
      const v = series('fio2').rounded(h, isOn(stay.vent, t) ? 0 : -3);
      c.add(t, 223835, String(v), v, null, 15);
    }
  }
  const wants = ['D39', 'D40'].some((id) => s.wants.has(id)) && stay.n === 0;
  if (wants && c.rows.every((x) => x.itemid !== 223835 || x.charttime >= stay.t0 + DAY))
    c.add(times[0]!, 223835, '40', 40, null, 15);
}

function chartVentilator(
  s: Subject,
  stay: Stay,
  series: SeriesOf,
  c: Charting,
  times: readonly number[],
  r: Stream,
): void {
  if (!stay.vent) return;
  const isHamilton = r.chance(0.25);
  const modes = s.numbers.texts
    .get(isHamilton ? 'vent_mode_hamilton' : 'vent_mode')!
    .filter((x) => x.value !== 'Standby');
  const modeItem = isHamilton ? 229314 : 223849;
  const hasPlateau = r.chance(0.75);
  for (const t of times) {
    if (!isOn(stay.vent, t)) continue;
    const h = (t - stay.t0) / HOUR;
    const mode = r.weighted(modes);
    c.add(t, modeItem, mode.value, mode.valuenum, null, 15);
    const isSupport = /PSV|SPONT/.test(mode.value);
    const put = (key: string, itemid: number): void => {
      const item = s.numbers.itemByKey.get(key)!;
      const v = series(key).rounded(h);
      c.add(t, itemid, String(v), v, item.unit, item.lagMinutes);
    };
    put('peep', isHamilton ? 224700 : 220339);
    put('tv', 224685);
    if (r.chance(0.4)) put('tv', isSupport ? 224686 : 224684);
    if (hasPlateau && !isSupport) put('plateau', 224696);
    put('pip', 224695);
    put('mv', 224687);
    put('map_vent', 224697);
  }
}
