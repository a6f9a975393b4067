/** Builds one subject with all its rows. */
import { buildAdmissions } from './admission-rows.js';
import { drawBackground } from './background.js';
import { chartStay } from './chart.js';
import { chartTexts } from './chart-text.js';
import { conditionsOf } from './conditions.js';
import type { SynthConfig } from './config.js';
import { type Person0, SLOT, type Subject } from './context.js';
import { cultureRows } from './culture-rows.js';
import { culturesOf, microTags } from './cultures.js';
import type { RowQuota } from './dirt.js';
import { plantChartFaults } from './faults-chart.js';
import { plantLabFaults } from './faults-lab.js';
import { plantMicroFaults } from './faults-micro.js';
import { plantTreatmentFaults } from './faults-treatment.js';
import { findingsOf } from './findings.js';
import type { Formulary } from './formulary.js';
import { inputsOfStay, type Treatment } from './inputs.js';
import { labsOfStay } from './labs.js';
import type { Microbiology } from './microbiology.js';
import { mainCondition } from './note-history.js';
import type { NotePlan } from './note-plan.js';
import { tellNotes } from './note-rows.js';
import { ordersOfSubject } from './orders.js';
import { omrOfSubject, outputsOfStay, proceduresOfStay } from './outputs.js';
import type { Phrases } from './phrases.js';
import { procedureCodes } from './procedure-codes.js';
import type { Radiology } from './radiology.js';
import { delayReport, reportRows } from './report-rows.js';
import { radTags, reportsOf } from './reports.js';
import type { Streams } from './rng.js';
import { routineCharting } from './routine.js';
import { noRows } from './rows.js';
import type { Model } from './shifts.js';
import { drawStay } from './stay.js';
import { drawLevels, seriesOf } from './values.js';
import { wardLabs } from './ward-labs.js';

/** What all subjects of a run share. */
export interface World {
  readonly model: Model;
  readonly config: SynthConfig;
  readonly streams: Streams;
  readonly treatments: readonly Treatment[];
  readonly formulary: Formulary;
  readonly microbiology: Microbiology;
  readonly radiology: Radiology;
  readonly phrases: Phrases;
}

/** What falls to one subject of what its block shares out. */
export interface Share {
  readonly wants: ReadonlySet<string>;
  readonly quota: RowQuota;
  readonly plan: NotePlan;
}

/** The subject of a person, with every row and the ledger of its faults. */
export function generateSubject(world: World, person: Person0, share: Share): Subject {
  const s = openSubject(world, person, share);
  const course = buildAdmissions(s);
  const levels = drawLevels(s);
  const drawn = course.stays.map((_, n) => {
    const stay = drawStay(s, course, n);
    const series = seriesOf(s, levels, `series ${n}`, course.isSurvivor);
    const chart = chartStay(s, stay, series);
    chartTexts(s, stay, series, chart);
    if (world.config.size === 'full') routineCharting(s, stay, chart);
    labsOfStay(s, stay, series, course.stays[n + 1]?.intime ?? course.dischtime);
    const inputs = inputsOfStay(s, stay, world.treatments);
    const outputs = outputsOfStay(s, stay, series);
    return { stay, chart, inputs, outputs, procedures: proceduresOfStay(s, stay) };
  });
  const { stay, chart, inputs, outputs } = drawn[0]!;
  omrOfSubject(s, stay, course.admittime);
  procedureCodes(s, stay);
  const background = drawBackground(s, world.formulary, course);
  const conditions = conditionsOf(s, background, course);
  const cultures = culturesOf(s, world.microbiology, stay, {
    conditions,
    admittime: course.admittime,
    end: course.deathtime ?? course.dischtime,
  });
  const { layouts } = share.plan;
  const reports = delayReport(
    s,
    reportsOf(s, { tables: world.radiology, stay, course, conditions, layouts }),
  );
  const main = mainCondition({ s, phrases: world.phrases, conditions });
  cultureRows(s, cultures);
  reportRows(
    s,
    reports,
    main ? world.phrases.of('chief_complaint', main.dx.key)[0]!.toLowerCase() : 'dyspnea',
  );
  const ward = wardLabs(
    s,
    course,
    drawn.map((x) => x.stay),
    seriesOf(s, levels, 'ward', course.isSurvivor),
  );
  const labs = [...s.rows.labevents, ...ward];
  const findings = findingsOf(s, stay, chart.rows, labs);
  const written = ordersOfSubject(
    s,
    world.formulary,
    { course, background, stays: drawn, labs, cultures, reports },
    { micro: (at) => microTags(cultures, at), rad: (at) => radTags(reports, at) },
  );
  // Faults come last: the ids of all other rows are those of the clean extract.
  plantChartFaults(s, stay, chart);
  plantLabFaults(s, stay);
  plantTreatmentFaults(s, stay, inputs, outputs);
  plantMicroFaults(s, stay, cultures, world.microbiology);
  s.rows.labevents.push(...ward);
  const told = { s, phrases: world.phrases, formulary: world.formulary, course, stay, conditions };
  const orders = written.map((w) => w.main);
  const { masks, hasSecondNote } = share.plan;
  tellNotes({ ...told, background, findings, reports, main }, orders, { masks, hasSecondNote });
  for (const x of drawn) {
    s.rows.chartevents.push(...x.chart.rows);
    s.rows.inputevents.push(...x.inputs.rows);
    s.rows.outputevents.push(...x.outputs.rows);
    s.rows.procedureevents.push(...x.procedures);
  }
  return s;
}

function openSubject(world: World, person: Person0, { wants, quota }: Share): Subject {
  const { model, config, streams } = world;
  const { i } = person;
  const id = streams(i, 'subject id');
  // A latent age of 90 and over is written as 91, and only where D01 says so.
  const folded = person.latentAge > 89 ? 68 + (person.latentAge % 22) : person.latentAge;
  return {
    person,
    age: wants.has('D01') ? 91 : folded,
    wants,
    quota,
    subject_id: 10_000_001 + i * SLOT + id.int(0, 90),
    ids: { labevent: 0, specimen: 0, micro: 0, order: 0, transfer: 0, hadm: 0 },
    rows: noRows(),
    ledger: [],
    orders: [],
    model,
    numbers: model.numbers,
    config,
    stream: (name) => streams(i, name),
    streams,
    has: (key) => person.dx[model.numbers.dxByKey.get(key)!] === 1,
  };
}
