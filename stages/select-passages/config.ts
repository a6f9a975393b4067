import { z } from 'zod';

/** Sections of US labels that state who should not take a drug, or how to take it otherwise. */
const CODES = [
  '34066-1', // boxed warning
  '34068-7', // dosage and administration
  '34070-3', // contraindications
  '34071-1', // warnings (older labels)
  '34073-7', // drug interactions
  '34080-2', // nursing mothers
  '34081-0', // pediatric use
  '34082-8', // geriatric use
  '42228-7', // pregnancy
  '43684-0', // use in specific populations
  '43685-7', // warnings and precautions
  '77290-5', // lactation
  '77291-3', // females and males of reproductive potential
  '88828-9', // renal impairment
  '88829-7', // hepatic impairment
];

export const config = z.strictObject({
  source_id: z
    .string()
    .regex(/^[\w.-]+$/)
    .default('fda-labels-prose')
    .describe('source that rules of these passages belong to'),
  codes: z
    .array(z.string().regex(/^\d+-\d$/))
    .min(1)
    .default(CODES)
    .describe('LOINC codes of sections; a section without a code has that of the section above it'),
  kinds: z
    .array(z.enum(['section', 'highlights']))
    .min(1)
    .default(['section'])
    .describe('numbered sections, and the highlights in front of the label'),
});

export type Config = z.infer<typeof config>;
