/** Writes the synthetic extract block by block; memory does not grow with the number of stays. */
import type { MimicTable } from '../../schemas/mimic-files.js';
import { synthFaults } from '../../schemas/synth.js';
import type { StageContext } from '../contract.js';
import { priorAdmissions } from './admission-rows.js';
import type { SynthConfig } from './config.js';
import { CAREGIVERS, type Person0, PROVIDERS, provider } from './context.js';
import { CATEGORIES_FILE, diagnosisTitles, itemRows, labItemRows, procedureTitles } from './dictionaries.js';
import { assignFaults, BLOCK, RowQuota, unitsOf } from './dirt.js';
import { type Extract, fileStyles, openExtract } from './extract.js';
import { readFormulary } from './formulary.js';
import { generateSubject, type World } from './generate.js';
import { readTreatments, TREATMENTS_FILE } from './inputs.js';
import { writeLongExtract } from './long-extract.js';
import { readMicrobiology } from './microbiology.js';
import { planNotes } from './note-plan.js';
import { type Numbers, readNumbers } from './numbers.js';
import { drawPerson, suitability } from './person.js';
import { readPhrases } from './phrases.js';
import { readRadiology } from './radiology.js';
import { fewestReports } from './reports.js';
import { streamsOf } from './rng.js';
import type { LedgerEntry, Row, SubjectRows } from './rows.js';
import { buildModel } from './shifts.js';
import { openTruth, type Truth } from './truth.js';

/** Generates the folders `extract` and `truth`. */
export async function synthesize(ctx: StageContext, config: SynthConfig): Promise<void> {
  const numbers = readNumbers(ctx.file);
  const world: World = {
    model: buildModel(numbers),
    config,
    streams: streamsOf(ctx.seed),
    treatments: readTreatments(ctx.file(TREATMENTS_FILE)),
    formulary: readFormulary(ctx.file),
    microbiology: readMicrobiology(ctx.file),
    radiology: readRadiology(ctx.file),
    phrases: readPhrases(ctx.file),
  };
  const { chartevents_rows, ...settings } = config;
  const isLong = chartevents_rows !== null;
  if (isLong && config.profile !== 'clean') {
    ctx.fail({
      message: 'a long chartevents has no planted faults',
      field: 'profile',
      got: config.profile,
      expected: 'clean',
      next: 'leave --rows out, or leave --chartevents-rows out',
    });
  }
  const general: LedgerEntry[] = [];
  const extract = openExtract(
    ctx.writeFolder('extract'),
    fileStyles(numbers, config, world.streams, general),
  );
  const truth = openTruth(ctx.writeFolder('truth'));
  writeDictionaries(ctx, world, extract, general);
  truth.ledger(general);
  if (isLong) await writeLongExtract(ctx, config, numbers, world.streams, extract);
  for (let first = 0; first < config.stays && !isLong; first += BLOCK) {
    await writeBlock(ctx, world, first, extract, truth);
  }
  await extract.close({
    provenance: 'synthetic: drawn at random from tables of numbers; no row describes a person',
    follows: `MIMIC-IV ${config.version} file layout and vocabularies`,
    seed: ctx.seed,
    ...settings,
    ...(isLong ? { chartevents_rows } : {}),
  });
  await truth.close();
  const counts = [...truth.planted].map(([dirty_id, { table, n }]) => ({ dirty_id, table, planted_n: n }));
  await ctx.sql.insert('synth_faults', synthFaults, counts);
}

async function writeBlock(
  ctx: StageContext,
  world: World,
  first: number,
  extract: Extract,
  truth: Truth,
): Promise<void> {
  const { model, config, streams } = world;
  const size = Math.min(BLOCK, config.stays - first);
  const people = Array.from({ length: size }, (_, k) => drawPerson(model, config, streams, first + k));
  const faults = assignFaults(model.numbers.dirty, streams, first, config.stays, (id, stay, taken) =>
    suitability(model, people[stay - first]!, id, taken),
  );
  const plans = planNotes(
    { first, size },
    {
      rules: model.numbers.dirty,
      streams,
      layouts: world.radiology.layouts,
      faults,
      fewest: (k) => fewestReports(world.radiology, keysOf(model.numbers, people[k]!)),
      hasPrior: (k) => priorAdmissions(streams(first + k, 'priors'), faults[k]!) > 0,
      isDirty: config.profile === 'dirty',
    },
  );
  const quota = new RowQuota(model.numbers.dirty, first, size);
  for (let k = 0; k < size; k++) {
    const share = { wants: faults[k]!, quota, plan: plans[k]! };
    const s = generateSubject(world, people[k]!, share);
    quota.next();
    writeRows(extract, s.rows);
    truth.ledger(s.ledger);
    truth.subject(s, s.rows.icustays[0]!.stay_id);
    if (k % 10 === 9 || k === size - 1) {
      await extract.flush();
      await truth.flush();
      ctx.signal.throwIfAborted();
      ctx.progress(first + k + 1, config.stays, 'stays');
    }
  }
  quota.close();
}

/** Keys of the diagnoses of a person. */
const keysOf = (numbers: Numbers, person: Person0): string[] =>
  numbers.dx.filter((d) => person.dx[d.index] === 1).map((d) => d.key);

/** Sort keys of the tables; every order is total but for exact copies. */
const KEYS: Readonly<Record<keyof SubjectRows, readonly string[]>> = {
  patients: ['subject_id'],
  admissions: ['hadm_id'],
  transfers: ['transfer_id'],
  services: ['hadm_id', 'transfertime'],
  diagnoses_icd: ['hadm_id', 'seq_num'],
  procedures_icd: ['hadm_id', 'seq_num'],
  omr: ['chartdate', 'seq_num', 'result_name'],
  labevents: ['labevent_id'],
  microbiologyevents: ['microevent_id'],
  prescriptions: ['pharmacy_id', 'drug_type', 'drug', 'starttime'],
  pharmacy: ['pharmacy_id'],
  poe: ['poe_seq'],
  poe_detail: ['poe_seq', 'field_name'],
  emar: ['emar_seq'],
  icustays: ['stay_id'],
  chartevents: ['stay_id', 'charttime', 'itemid', 'storetime', 'valuenum'],
  inputevents: ['orderid', 'starttime', 'statusdescription'],
  outputevents: ['stay_id', 'charttime', 'itemid', 'value'],
  procedureevents: ['orderid'],
  discharge: ['note_id'],
  discharge_detail: ['note_id', 'field_name', 'field_ordinal'],
  radiology: ['note_id'],
  radiology_detail: ['note_id', 'field_name', 'field_ordinal'],
};
const ICU: readonly string[] = ['icustays', 'chartevents', 'inputevents', 'outputevents', 'procedureevents'];
const NOTE: readonly string[] = ['discharge', 'discharge_detail', 'radiology', 'radiology_detail'];

function writeRows(extract: Extract, rows: SubjectRows): void {
  for (const [name, keys] of Object.entries(KEYS)) {
    const folder = ICU.includes(name) ? 'icu' : NOTE.includes(name) ? 'note' : 'hosp';
    const table = `${folder}.${name}` as MimicTable;
    const sorted = (rows[name as keyof SubjectRows] as Row[]).sort((a, b) => compare(a, b, keys));
    extract.add(table, sorted);
  }
}

function compare(a: Row, b: Row, keys: readonly string[]): number {
  for (const key of keys) {
    const x = a[key] ?? -1;
    const y = b[key] ?? -1;
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

function writeDictionaries(ctx: StageContext, world: World, extract: Extract, ledger: LedgerEntry[]): void {
  const { numbers } = world.model;
  const isDirty = world.config.profile === 'dirty';
  const twins = numbers.dirty.find((d) => d.id === 'D95')!;
  const twinCount = isDirty ? unitsOf(twins, world.config.stays) : 0;
  if (world.config.chartevents_rows === null)
    extract.add('icu.d_items', itemRows(numbers, twinCount, ledger));
  extract.add('hosp.d_labitems', labItemRows(numbers));
  extract.add('hosp.d_icd_diagnoses', diagnosisTitles(numbers, ctx.file(CATEGORIES_FILE)));
  extract.add('hosp.d_icd_procedures', procedureTitles(numbers));
  const providers = Array.from({ length: PROVIDERS }, (_, k) => provider(k)).sort();
  extract.add(
    'hosp.provider',
    providers.map((provider_id) => ({ provider_id })),
  );
  extract.add(
    'icu.caregiver',
    Array.from({ length: CAREGIVERS }, (_, k) => ({ caregiver_id: 1000 + k * 37 })),
  );
}
