/** Options of load-mimic. */
import { z } from 'zod';
import { LOAD_LIMITS } from '../lib/load/limits.js';

export const LoadMimicConfig = z.strictObject({
  version: z
    .enum(['2.2', '3.0', '3.1'])
    .nullable()
    .default(null)
    .describe('release of the extract, for when its files do not tell (MIMIC_VERSION=)'),
  far_days: z
    .int()
    .min(1)
    .default(30)
    .describe('charted rows further from their stay than this many days are dropped and counted'),
  min_match: z
    .number()
    .min(0)
    .max(1)
    .default(0.95)
    .describe('smallest share of rows of a lookup that must find their dictionary entry'),
  max_moved_share: z
    .number()
    .min(0)
    .max(1)
    .default(0.05)
    .describe('largest share of the rows of a lab that may stand under an itemid the registry does not read'),
  ...LOAD_LIMITS,
  accepted_items: z
    .array(z.int())
    .default([])
    .describe('registry itemids whose changed dictionary entry someone has looked at and accepts'),
  kept_out_items: z
    .array(z.int())
    .default([])
    .describe('lab itemids that look like a registry item but are known to be another test'),
  extra_chart_items: z
    .array(z.int())
    .default([])
    .describe('itemids of chartevents to keep besides those of the feature registry'),
  lab_patients: z
    .enum(['icu', 'all'])
    .default('icu')
    .describe('whose labs are read: those of patients with an ICU stay, or of everybody'),
  lab_texts: z
    .enum(['registry', 'all'])
    .default('registry')
    .describe('labs whose value and comments are kept: those of the feature registry, or all'),
});

export type LoadMimicConfig = z.infer<typeof LoadMimicConfig>;
