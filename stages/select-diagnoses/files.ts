/** The files that the stage reads. */
import { CHAPTERS_FILE } from '../lib/code-ranges.js';
import { ICD9_MAP_FILE } from './code-map.js';
import { COVERAGE_FILE } from './quality.js';

const FOLDER = 'stages/select-diagnoses';
const QUERIES = ['cohort-rows', 'cohort-codes', 'native-icd10', 'label-counts', 'stay-version'] as const;

export const COMPLICATIONS_FILE = `${FOLDER}/complications.csv`;

/** Path of one of the stage's queries. */
export const sqlFile = (query: (typeof QUERIES)[number]): string => `${FOLDER}/${query}.sql`;

export const FILES: readonly string[] = [
  ICD9_MAP_FILE,
  COVERAGE_FILE,
  CHAPTERS_FILE,
  COMPLICATIONS_FILE,
  ...QUERIES.map(sqlFile),
];
