/** Synthetic extracts for the tests of orders, with what reading their rows takes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseCsv } from '../../stages/lib/csv.js';
import { synthMimic } from '../../stages/synth-mimic/stage.js';
import { runStageOn, type StageRun } from '../support/stage.js';

export type Record_ = Record<string, string>;
export const STAYS = 200;

/** The extract that all these tests look at. */
export const madeOf = (profile: 'clean' | 'dirty'): Promise<StageRun> =>
  runStageOn(synthMimic, { config: { stays: STAYS, profile }, seed: 7 });

/** Rows of a table of an extract. */
export const read = (run: StageRun, name: string): Record_[] =>
  parseCsv(textOf(run, name).replace('\ufeff', '').replaceAll('\r\n', '\n'), name);

/** A table of an extract as it stands in its file. */
export const textOf = (run: StageRun, name: string): string =>
  gunzipSync(readFileSync(join(run.dir, 'extract', `${name.replace('.', '/')}.csv.gz`))).toString();

/** Rows of a file of the truth. */
export const truthOf = (run: StageRun, name: string): Record_[] =>
  parseCsv(readFileSync(join(run.dir, 'truth', name), 'utf8'), name);

/** Minutes between two times of an extract. */
export const minutes = (from: string, to: string): number =>
  (Date.parse(`${to.replace(' ', 'T')}Z`) - Date.parse(`${from.replace(' ', 'T')}Z`)) / 60_000;
