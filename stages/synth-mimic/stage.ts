/** Declaration of `synth-mimic`: a synthetic MIMIC-IV extract with planted faults and the list of them. */
import { synthFaults } from '../../schemas/synth.js';
import { defineStage } from '../contract.js';
import { synthConfig } from './config.js';
import { CATEGORIES_FILE } from './dictionaries.js';
import { FORMULARY_FILES } from './formulary.js';
import { TREATMENTS_FILE } from './inputs.js';
import { MICROBIOLOGY_FILES } from './microbiology.js';
import { NUMBER_FILES } from './numbers.js';
import { NOTE_FILES } from './phrases.js';
import { RADIOLOGY_FILES } from './radiology.js';
import { synthesize } from './run.js';

export const synthMimic = defineStage({
  name: 'synth-mimic',
  version: 1,
  summary: 'writes a synthetic MIMIC-IV extract',
  inputs: {},
  outputs: {
    extract: { kind: 'folder', doc: 'hosp, icu and note files in the layout of MIMIC-IV, sums and manifest' },
    truth: { kind: 'folder', doc: 'ledger of planted faults, latent diagnoses, severities' },
    synth_faults: synthFaults,
  },
  config: synthConfig,
  files: [
    ...NUMBER_FILES,
    ...FORMULARY_FILES,
    ...MICROBIOLOGY_FILES,
    ...RADIOLOGY_FILES,
    ...NOTE_FILES,
    TREATMENTS_FILE,
    CATEGORIES_FILE,
  ],
  access: 'open',
  seeded: true,
  run: synthesize,
});
