/** First step of a subject: sex, age, period, diagnoses, severities. Nothing here depends on the planted faults. */
import type { SynthConfig } from './config.js';
import type { Person0 } from './context.js';
import { drawAge, sampleDiagnoses } from './diagnoses.js';
import type { Streams } from './rng.js';
import { drawSeverities, type Model, shiftsOf } from './shifts.js';

/** Draws subject `i`. */
export function drawPerson(model: Model, config: SynthConfig, streams: Streams, i: number): Person0 {
  const { numbers } = model;
  const r = streams(i, 'person');
  const latentAge = drawAge(r, numbers);
  const isFemale = r.chance(numbers.scalar('female_share'));
  // The group 2020 - 2022 came with release 3.0.
  const groups = numbers.admin
    .get('anchor_year_group')!
    .filter((g) => config.version !== '2.2' || !g.value.startsWith('2020'));
  const group = r.weighted(groups);
  const groupStart = Number(group.value.slice(0, 4));
  const realYear = groupStart + r.int(0, 2);
  const dx = sampleDiagnoses(model, { age: latentAge, isFemale }, streams(i, 'diagnoses'));
  const severities = drawSeverities(numbers, dx, streams(i, 'severities'));
  return {
    i,
    latentAge,
    isFemale,
    dx,
    severities,
    shifts: shiftsOf(model, severities),
    groupStart,
    groupLabel: group.value,
    realYear,
    // ICD-10 from October 2015; the last quarter of that year is left to ICD-9.
    isIcd10Index: realYear >= 2016,
  };
}

/** How well a stay suits a fault: faults fall where the data would have them anyway. */
export function suitability(model: Model, person: Person0, id: string, taken: ReadonlySet<string>): number {
  const has = (key: string): number => person.dx[model.numbers.dxByKey.get(key)!]!;
  switch (id) {
    case 'D01':
      return person.latentAge >= 90 ? 1000 : 0;
    case 'D02':
      return person.latentAge < 90 && person.latentAge > 28 ? 0 : -1000;
    case 'D05':
      return person.isIcd10Index ? -1000 : 0;
    case 'D07':
      return has('septic_shock') ? 1000 + 5 * has('septicemia') : 0;
    case 'D10':
      return -has('depression') + has('cardiac_arrest');
    case 'D31':
      return 1.5 * has('cad') - 2 * has('stemi_anterior') - has('nstemi') - 2 * has('esrd');
    case 'D35':
      return 2 * has('uti') + 0.7 * has('septicemia');
    case 'D52':
      return ventPropensity(has);
    case 'D53':
      return (
        2 * has('copd_exac') + 1.5 * has('chf_systolic_aoc') + 1.5 * has('chf_diastolic_aoc') + has('osa')
      );
    case 'D54':
    case 'D55':
      return pressorPropensity(has);
    case 'D60':
      return taken.has('D52') ? 1000 : -1000;
    case 'D84':
      // Note 2.2 covers the groups up to 2019.
      return person.groupStart >= 2020 ? 1000 : 0;
    case 'D96':
      return person.latentAge / 20 - 8 * mortalityRisk(model, person);
    default:
      return 0;
  }
}

/** Logit of invasive ventilation above its base. */
export function ventPropensity(has: (key: string) => number): number {
  return (
    1.9 * has('acute_resp_failure') +
    2.5 * has('ards') +
    2.2 * has('cardiac_arrest') +
    1.1 * has('septic_shock') +
    1.5 * has('status_epilepticus') +
    0.9 * has('ich') +
    0.9 * has('sah') +
    2.5 * has('vap') +
    1.2 * has('aortic_stenosis') +
    1.2 * has('aortic_dissection') +
    1.0 * has('opioid_overdose') +
    0.8 * has('pneumonia_aspiration') +
    0.6 * has('cardiogenic_shock') +
    0.6 * has('variceal_bleed')
  );
}

/** Logit of vasopressors above their base. */
export function pressorPropensity(has: (key: string) => number): number {
  return (
    3 * has('septic_shock') +
    2.8 * has('cardiogenic_shock') +
    1.4 * has('cardiac_arrest') +
    0.8 * has('hypotension') +
    0.8 * has('aortic_stenosis') +
    0.8 * has('acute_liver_failure') +
    0.7 * has('bowel_ischemia') +
    0.5 * has('acute_resp_failure')
  );
}

function mortalityRisk(model: Model, person: Person0): number {
  let sum = 0;
  for (const d of model.numbers.dx) if (person.dx[d.index]) sum += d.mortality;
  return sum / 8;
}
